// Loops and calls of random programs, and the programs themselves.

#include "testing/random_program.h"

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

}  // namespace

// A loop's region is filled twice over: first from slices and invariants alone, whose errors are known; from
// that the errors of the carries follow; then from the carries too. Carries of floats are c/2 + v or tanh(c*w
// + v), which neither grow nor amplify errors; those of other types are whatever comes.
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
    TensorType type = first != nullptr && chance(70) ? slice_type(first, axis)
                                                     : TensorType{random_dtype(), random_shape(20)};
    Value* start = make(type);
    if (start == nullptr) return;
    const bool extreme = info(start).values == Values::kExtreme;
    if (is_inexact(type.dtype) && (info(start).bound > 8 || extreme)) start = squashed(start);
    if (start == nullptr) return;
    starts.push_back(start);
  }

  auto region = builder_.make_region();
  std::vector<Value*> carries;
  for (Value* start : starts) carries.push_back(region->add_argument(start->type(), "carry"));
  RandomProgramOptions inside = options_;  // nested loops take as many steps together as one may
  inside.max_length = options_.max_length / std::max<int64_t>(length, 1);
  inside.loops = inside.max_length > 1;
  RandomBody body(random_, inside, callees_, *region, false);
  for (size_t k = 0; k < xs.size(); ++k)
    body.put(region->add_argument(slice_type(xs[k], xs_axes[k]), "slice"), info(xs[k]));
  for (Value* value : invariants) body.put(region->add_argument(value->type(), "invariant"), info(value));
  for (int n = 2; n > 0; --n) body.step();

  std::vector<Value*> nexts(carries.size());
  std::vector<Info> carry_infos;
  for (size_t k = 0; k < carries.size(); ++k) {
    const DType dtype = carries[k]->dtype();
    if (!is_inexact(dtype)) {
      carry_infos.push_back({largest(dtype), 0});
      body.put(carries[k], carry_infos.back());
      continue;
    }
    Value* v = body.make(carries[k]->type());
    if (v != nullptr) v = body.squashed(v);
    if (v == nullptr) return;
    const Info start = info(starts[k]);
    double bound = std::max(start.bound, 2.0);
    double steps = static_cast<double>(std::max<int64_t>(length, 1));
    Info carry{bound, start.error + steps * (body.info(v).error + 40 * epsilon_of(dtype) * (bound + 1)),
               merged(start, body.info(v)).values};
    if (is_complex(dtype) && carry.values != Values::kOrdinary) return;
    Value* factor = body.number(carries[k]->type(), 0.5);
    body.put(carries[k], carry);
    Value* scaled = body.builder().value("mul", {carries[k], factor});
    nexts[k] = body.builder().value("add", {scaled, v});
    if (is_float(dtype) && chance(40)) nexts[k] = body.builder().value("tanh", {nexts[k]});
    carry_infos.push_back(carry);
    body.put(nexts[k], carry);
  }
  for (int n = 3; n > 0; --n) body.step();
  for (size_t k = 0; k < carries.size(); ++k) {
    if (nexts[k] == nullptr) nexts[k] = body.make(carries[k]->type());
    if (nexts[k] == nullptr) return;
  }
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

void RandomBody::call() {
  const Callee& callee = callees_[below(callees_.size())];
  std::vector<Value*> operands;
  for (const Value* argument : callee.function->body().arguments()) {
    Value* operand = make_exact(argument->type(), argument_info(argument->dtype()));
    if (operand == nullptr) return;
    operands.push_back(operand);
  }
  ir::Op* op = builder_.make("call", operands, {{"callee", ir::Symbol{callee.function->name()}}});
  for (int i = 0; i < op->result_count(); ++i) put(op->result(i), callee.results[static_cast<size_t>(i)]);
}

namespace {

Callee fill(Random& random, const RandomProgramOptions& options, const std::vector<Callee>& callees,
            ir::Function* function, int operations, bool special) {
  RandomBody body(random, options, callees, function->body(), true);
  int64_t arguments = random_integer(random, 1, 3);
  for (int64_t n = 0; n < arguments; ++n) {
    TensorType type{body.random_dtype(), body.random_shape(options.max_elements / 4)};
    Values values = Values::kOrdinary;
    if (special) values = std::array{Values::kOrdinary, Values::kInfinite, Values::kExtreme}[random() % 3];
    const char* name = values == Values::kOrdinary   ? "x"
                       : values == Values::kInfinite ? "infinite"
                                                     : "extreme";
    body.put(function->body().add_argument(type, name), argument_info(type.dtype, values));
  }
  for (int n = 0; n < operations; ++n) body.step();
  Callee result{function, {}};
  std::vector<Value*> results =
      body.choose_results(static_cast<int>(random_integer(random, 1, options.max_results)));
  for (const Value* value : results) result.results.push_back(body.info(value));
  function->body().set_results(results);
  for (int i = 0; i < function->body().argument_count(); ++i) {
    if (random() % 8 == 0) function->donated.insert(i);
  }
  return result;
}

}  // namespace

RandomProgram random_program(uint64_t seed, const RandomProgramOptions& given) {
  Random random(seed);
  RandomProgramOptions options = given;
  options.extents.clear();
  for (int n = 0; n < 3; ++n) options.extents.push_back(given.extents[random() % given.extents.size()]);
  RandomProgram program{std::make_unique<ir::Module>(), {}};
  std::vector<Callee> callees;
  for (int64_t n = random_integer(random, 0, options.functions); n > 0; --n) {
    ir::Function* function = program.module->add_function("f");
    callees.push_back(fill(random, options, callees, function, options.operations / 3, false));
  }
  ir::Function* main = program.module->add_function("main");
  Callee entry = fill(random, options, callees, main, options.operations, options.special_values);
  for (size_t i = 0; i < entry.results.size(); ++i) {
    bool number = is_inexact(main->body().results()[i]->dtype());
    program.tolerances.push_back(number ? 4 * entry.results[i].error : 0);
  }
  return program;
}

RandomProgramOptions options_of_seed(uint64_t seed) {
  RandomProgramOptions options;
  constexpr int kOperations[] = {4, 8, 15, 25, 40};
  options.operations = kOperations[seed % 5];
  options.functions = seed % 3 == 0 ? 2 : 0;
  if (seed % 7 == 1) options.dtypes = {DType::kF32};
  if (seed % 7 == 2) options.dtypes = {DType::kS32, DType::kU8, DType::kS64};
  if (seed % 7 == 3) options.dtypes = {DType::kF32, DType::kF64, DType::kPred};
  if (seed % 7 == 4)
    options.dtypes = {DType::kBF16, DType::kF16, DType::kBF16, DType::kF32, DType::kS32, DType::kPred};
  if (seed % 7 == 5)
    options.dtypes = {DType::kC64, DType::kC128, DType::kC64, DType::kF32,
                      DType::kF64, DType::kS32,  DType::kPred};
  if (seed % 7 == 6)
    options.dtypes = {DType::kS8,  DType::kS16, DType::kU16, DType::kU64,
                      DType::kS64, DType::kF32, DType::kPred};
  options.special_values = seed / 7 % 2 == 1;
  if (seed % 11 == 1) options.contractions = options.loops = false;
  if (seed % 11 == 2) options.views = false;
  if (seed % 11 == 3) options.max_elements = 20000;
  if (seed % 2 == 1) options.extents = {1, 2, 3, 7, 16, 17, 31, 33, 64, 100};
  if (seed % 2 == 1) options.max_length = 100;
  if (seed % 13 == 1) options.extents = {2, 4};
  return options;
}

}  // namespace ingot::testing
