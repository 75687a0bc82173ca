// Loops and branches of random programs.
//
// A loop's region is filled twice over: first from slices and invariants alone, whose errors are known; from
// that the errors of the carries follow; then from the carries too. Carries of floats are c/2 + v or tanh(c/2
// + v), which neither grow nor amplify errors; those of other types are whatever comes. How many steps a
// while takes, and which branch a cond, is decided by integers, which have no error; with lanes, in one
// dimension or two, none among them, by each one for itself. Carries of one type change places, and some are
// handed on.

#include <algorithm>
#include <array>

#include "testing/random_body.h"

namespace ingot::testing {
namespace {

TensorType slice_type(const Value* array, int64_t axis) {
  TensorType type = array->type();
  type.shape.erase(type.shape.begin() + axis);
  return type;
}

TensorType stack_type(const TensorType& slice, int64_t axis, int64_t length) {
  TensorType type = slice;
  type.shape.insert(type.shape.begin() + axis, length);
  return type;
}

constexpr int64_t kMostSteps = 7;  // of a while

TensorType with_lanes(TensorType type, const Shape& lanes) {
  type.shape.insert(type.shape.begin(), lanes.begin(), lanes.end());
  return type;
}
TensorType of_one_lane(TensorType type, const Shape& lanes) {
  type.shape.erase(type.shape.begin(), type.shape.begin() + static_cast<std::ptrdiff_t>(lanes.size()));
  return type;
}
bool has_lanes(const Value* value, const Shape& lanes) {
  const Shape& shape = value->shape();
  return !lanes.empty() && shape.size() >= lanes.size() &&
         std::equal(lanes.begin(), lanes.end(), shape.begin());
}

}  // namespace

Value* RandomBody::make_start(const TensorType& type) {
  Value* start = make(type);
  if (start == nullptr) return nullptr;
  const bool extreme = info(start).values == Values::kExtreme;
  return is_inexact(type.dtype) && (info(start).bound > 8 || extreme) ? squashed(start) : start;
}

bool RandomBody::carry(RandomBody& body, const std::vector<Value*>& carries,
                       const std::vector<Value*>& starts, int64_t length, std::vector<Value*>& nexts,
                       std::vector<Info>& infos) {
  nexts.assign(carries.size(), nullptr);
  const auto same_type = [&](size_t j, size_t k) { return carries[j]->type() == carries[k]->type(); };
  std::vector<Value*> added(carries.size(), nullptr);
  for (size_t k = 0; k < carries.size(); ++k) {
    if (!is_inexact(carries[k]->dtype())) continue;
    Value* v = body.make(carries[k]->type());
    added[k] = v == nullptr ? nullptr : body.squashed(v);
    if (added[k] == nullptr) return false;
  }
  // Carries of one type may change places, so that what is known of them is known of all.
  for (size_t k = 0; k < carries.size(); ++k) {
    const DType dtype = carries[k]->dtype();
    if (!is_inexact(dtype)) {
      infos.push_back({largest(dtype), 0});
      continue;
    }
    const double steps = static_cast<double>(std::max<int64_t>(length, 1));
    Info carry{2, 0};
    double start_error = 0, step_error = 0;
    for (size_t j = 0; j < carries.size(); ++j) {
      if (!same_type(j, k)) continue;
      const Info start = info(starts[j]), v = body.info(added[j]);
      carry = merged(merged(carry, start), v);
      start_error = std::max(start_error, start.error);
      step_error = std::max(step_error, v.error);
    }
    carry.error = start_error + steps * (step_error + 40 * epsilon_of(dtype) * (carry.bound + 1));
    if (is_complex(dtype) && carry.values != Values::kOrdinary) return false;
    infos.push_back(carry);
  }
  for (size_t k = 0; k < carries.size(); ++k) {
    body.put(carries[k], infos[k]);
    if (added[k] == nullptr) continue;
    Value* factor = body.number(carries[k]->type(), 0.5);
    if (factor == nullptr) return false;
    Value* scaled = body.builder().value("mul", {carries[k], factor});
    nexts[k] = body.builder().value("add", {scaled, added[k]});
    if (is_float(carries[k]->dtype()) && chance(40)) nexts[k] = body.builder().value("tanh", {nexts[k]});
    if (chance(10)) nexts[k] = carries[k];  // handed on
    body.put(nexts[k], infos[k]);
  }
  return true;
}

void RandomBody::finish_carries(RandomBody& body, const std::vector<Value*>& carries,
                                std::vector<Value*>& nexts) {
  for (size_t k = 0; k < carries.size(); ++k) {
    if (nexts[k] == nullptr) nexts[k] = chance(10) ? carries[k] : body.make(carries[k]->type());
    if (nexts[k] == nullptr) return;
  }
  for (size_t k = 1; k < carries.size(); ++k) {
    if (carries[k]->type() == carries[k - 1]->type() && chance(50)) std::swap(nexts[k], nexts[k - 1]);
  }
}

void RandomBody::scan() {
  Value* first = pick();
  int64_t length = random_integer(random_, 0, 7), axis = 0;
  if (first->rank() > 0 && chance(80)) {
    axis = static_cast<int64_t>(below(static_cast<size_t>(first->rank())));
    length = first->shape()[static_cast<size_t>(axis)];
  } else {
    first = nullptr;
  }
  if (length > options_.max_length) return;

  std::vector<Value*> xs, invariants, starts;
  IntList xs_axes, ys_axes;
  if (first != nullptr) {
    xs.push_back(first);
    xs_axes.push_back(axis);
  }
  if (first != nullptr && chance(50)) {
    TensorType slice = slice_type(first, axis);
    int64_t at = static_cast<int64_t>(below(slice.shape.size() + 1));
    if (Value* other = make(stack_type(slice, at, length))) {
      xs.push_back(other);
      xs_axes.push_back(at);
    }
  }
  for (size_t n = below(3); n > 0; --n) {
    invariants.push_back(chance(30) ? number({random_dtype(), random_shape(20)}, 1) : pick());
  }
  for (size_t n = 1 + below(2); n > 0; --n) {
    Value* start = make_start(first != nullptr && chance(70) ? slice_type(first, axis)
                                                             : TensorType{random_dtype(), random_shape(20)});
    if (start == nullptr) return;
    starts.push_back(start);
  }

  auto region = builder_.make_region();
  std::vector<Value*> carries;
  for (Value* start : starts) carries.push_back(region->add_argument(start->type(), "carry"));
  const RandomProgramOptions options = inside(length);
  RandomBody body(random_, options, callees_, *region, false);
  for (size_t k = 0; k < xs.size(); ++k)
    body.put(region->add_argument(slice_type(xs[k], xs_axes[k]), "slice"), info(xs[k]));
  for (Value* value : invariants) body.put(region->add_argument(value->type(), "invariant"), info(value));
  for (int n = 2; n > 0; --n) body.step();

  std::vector<Value*> nexts;
  std::vector<Info> carry_infos;
  if (!carry(body, carries, starts, length, nexts, carry_infos)) return;
  for (int n = 3; n > 0; --n) body.step();
  finish_carries(body, carries, nexts);
  if (std::count(nexts.begin(), nexts.end(), nullptr) > 0) return;
  std::vector<Info> results = carry_infos;
  for (size_t k = 0; k < carries.size(); ++k) results[k] = merged(results[k], info(starts[k]));
  for (size_t n = below(3); n > 0; --n) {
    Value* y = body.pick();
    if (y->rank() > options_.max_rank || y->type().elements() * length > options_.max_elements) continue;
    nexts.push_back(y);
    ys_axes.push_back(static_cast<int64_t>(below(static_cast<size_t>(y->rank() + 1))));
    results.push_back(body.info(y));
  }
  region->set_results(nexts);

  std::vector<Value*> operands = starts;
  operands.insert(operands.end(), xs.begin(), xs.end());
  operands.insert(operands.end(), invariants.begin(), invariants.end());
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  ir::Op* op = builder_.make("scan", operands,
                             {{"carries", static_cast<int64_t>(carries.size())},
                              {"scanned", static_cast<int64_t>(xs.size())},
                              {"length", length},
                              {"reverse", chance(50)},
                              {"xs_axes", xs_axes},
                              {"ys_axes", ys_axes}},
                             std::move(regions));
  for (int i = 0; i < op->result_count(); ++i) put(op->result(i), results[static_cast<size_t>(i)]);
}

Shape RandomBody::random_lanes() {
  if (!chance(40)) return {};
  if (chance(70)) return {static_cast<int64_t>(chance(8) ? 0 : 1 + below(6))};
  return {static_cast<int64_t>(1 + below(3)), static_cast<int64_t>(chance(8) ? 0 : 1 + below(3))};
}

RandomProgramOptions RandomBody::inside(int64_t steps) const {
  RandomProgramOptions options = options_;
  options.max_length = options_.max_length / std::max<int64_t>(steps, 1);
  options.loops = options.max_length > 1;
  return options;
}

// Operands that a region sees one lane of, or all of, and what is known of them.
Value* RandomBody::add_operand(Value* value, const Shape& lanes, bool mapped, std::vector<Value*>& operands,
                               IntList& map) {
  if (value == nullptr) return nullptr;
  if (lanes.empty()) mapped = false;
  if (mapped && !has_lanes(value, lanes)) return nullptr;
  operands.push_back(value);
  map.push_back(mapped ? 1 : 0);
  return value;
}

// The carries, an index, and how many steps to take at most.
void RandomBody::loop() {
  if (options_.max_length < kMostSteps) return;
  const Shape lanes = random_lanes();
  const auto of_lanes = [&](TensorType type) { return with_lanes(std::move(type), lanes); };
  std::vector<Value*> starts, operands;
  IntList mapped;
  TensorType type{random_dtype(), random_shape(20)};
  for (size_t n = 1 + below(3); n > 0; --n) {
    if (!starts.empty() && chance(50)) type = {random_dtype(), random_shape(20)};
    Value* start = make_start(of_lanes(type));
    if (add_operand(start, lanes, true, operands, mapped) == nullptr) return;
    starts.push_back(start);
  }
  const TensorType counter{DType::kS32, {}};
  if (chance(40)) {  // a carry that the predicate looks at
    Value* start = make(of_lanes(counter));
    if (add_operand(start, lanes, true, operands, mapped) == nullptr) return;
    starts.push_back(start);
  }
  if (add_operand(number(of_lanes(counter), 0), lanes, true, operands, mapped) == nullptr) return;
  if (add_operand(make(of_lanes(counter)), lanes, true, operands, mapped) == nullptr) return;
  for (size_t n = below(3); n > 0; --n) {
    Value* value = pick();
    const bool maps = has_lanes(value, lanes) && chance(60);
    if (add_operand(value, lanes, maps, operands, mapped) == nullptr) return;
  }
  const size_t count = starts.size();  // the index and the bound follow

  std::vector<std::unique_ptr<ir::Region>> regions;
  for (int r = 0; r < 2; ++r) {
    regions.push_back(builder_.make_region());
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool lane = mapped[i] != 0;
      regions[static_cast<size_t>(r)]->add_argument(
          lane ? of_one_lane(operands[i]->type(), lanes) : operands[i]->type(), "x");
    }
  }
  ir::Builder asked(*regions[0]);
  Tensor most(DType::kS32, {});
  const auto enough = static_cast<int64_t>(below(kMostSteps + 1));
  most.set_int(0, enough);
  const auto argument = [&](size_t i) { return regions[0]->argument(static_cast<int>(i)); };
  Value* bound = asked.value("min", {argument(count + 1), asked.constant(most)});
  Value* holds = asked.value("compare", {argument(count), bound}, {{"direction", std::string("lt")}});
  for (size_t k = 0; k < count; ++k) {  // what the steps have computed ends the loop too
    if (argument(k)->type() != counter || !chance(70)) continue;
    Tensor last(DType::kS32, {});
    last.set_int(0, static_cast<int64_t>(below(3)));
    Value* goes_on = asked.value("compare", {argument(k), asked.constant(last)},
                                 {{"direction", std::string(chance(50) ? "ne" : "le")}});
    holds = asked.value("and", {holds, goes_on});
  }
  regions[0]->set_results({holds});

  const RandomProgramOptions options = inside(kMostSteps);
  RandomBody body(random_, options, callees_, *regions[1], false);
  for (size_t i = count + 1; i < operands.size(); ++i)
    body.put(regions[1]->argument(static_cast<int>(i)), info(operands[i]));
  for (int n = 2; n > 0; --n) body.step();
  std::vector<Value*> carries, nexts;
  for (size_t k = 0; k < count; ++k) carries.push_back(regions[1]->argument(static_cast<int>(k)));
  std::vector<Info> infos;
  if (!carry(body, carries, starts, kMostSteps, nexts, infos)) return;
  Value* index = regions[1]->argument(static_cast<int>(count));
  body.put(index, {static_cast<double>(kMostSteps), 0});
  for (int n = 3; n > 0; --n) body.step();
  finish_carries(body, carries, nexts);
  if (std::count(nexts.begin(), nexts.end(), nullptr) > 0) return;
  nexts.push_back(body.builder().value("add", {index, body.number(counter, 1)}));
  regions[1]->set_results(nexts);

  Attributes attributes{{"carries", static_cast<int64_t>(count + 1)}};
  if (chance(40)) attributes.set("max_steps", chance(50) ? enough : kMostSteps);
  if (!lanes.empty()) {
    attributes.set("lanes", IntList(lanes.begin(), lanes.end()));
    attributes.set("mapped", mapped);
  }
  ir::Op* op = builder_.make("while", operands, std::move(attributes), std::move(regions));
  for (size_t k = 0; k < count; ++k) put(op->result(static_cast<int>(k)), merged(infos[k], info(starts[k])));
  put(op->result(static_cast<int>(count)), {static_cast<double>(kMostSteps), 0});
}

void RandomBody::branch() {
  const Shape lanes = random_lanes();
  const TensorType index{DType::kS32, lanes};
  std::vector<Value*> operands;
  IntList mapped;
  if (add_operand(make(index), lanes, true, operands, mapped) == nullptr) return;
  for (size_t n = 1 + below(3); n > 0; --n) {
    Value* value =
        !lanes.empty() && chance(60) ? make(with_lanes({random_dtype(), random_shape(20)}, lanes)) : pick();
    if (value == nullptr) return;
    const bool maps = has_lanes(value, lanes) && chance(80);
    if (add_operand(value, lanes, maps, operands, mapped) == nullptr) return;
  }
  const RandomProgramOptions options = inside(1);
  std::vector<std::unique_ptr<ir::Region>> regions;
  std::vector<TensorType> types;
  std::vector<Info> infos;
  for (size_t branches = 1 + below(3); regions.size() < branches;) {
    regions.push_back(builder_.make_region());
    ir::Region& region = *regions.back();
    RandomBody body(random_, options, callees_, region, false);
    for (size_t i = 1; i < operands.size(); ++i) {
      const TensorType type = mapped[i] != 0 ? of_one_lane(operands[i]->type(), lanes) : operands[i]->type();
      body.put(region.add_argument(type, "x"), info(operands[i]));
    }
    for (size_t n = below(5); n > 0; --n) body.step();
    std::vector<Value*> results;
    if (types.empty()) {
      results = body.choose_results(static_cast<int>(1 + below(3)));
      for (const Value* result : results) {
        if (result->rank() > options_.max_rank) return;
        types.push_back(result->type());
        infos.push_back(body.info(result));
      }
    } else {
      for (size_t k = 0; k < types.size(); ++k) {
        results.push_back(body.make(types[k]));
        if (results.back() == nullptr) return;
        infos[k] = merged(infos[k], body.info(results.back()));
      }
    }
    region.set_results(results);
  }
  for (const TensorType& type : types) {
    if (with_lanes(type, lanes).elements() > options_.max_elements) return;
  }
  Attributes attributes;
  if (!lanes.empty()) {
    attributes.set("lanes", IntList(lanes.begin(), lanes.end()));
    attributes.set("mapped", mapped);
  }
  ir::Op* op = builder_.make("cond", operands, std::move(attributes), std::move(regions));
  for (int k = 0; k < op->result_count(); ++k) put(op->result(k), infos[static_cast<size_t>(k)]);
}

}  // namespace ingot::testing
