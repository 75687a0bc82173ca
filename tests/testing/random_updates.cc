// State that is changed in part: loops and branches inside of each other whose carries are written to at
// indices that are known at run time, read before, beside and behind that, handed on, exchanged, given twice,
// stacked and returned. Elements are only moved, compared and, if integers, added, so that all is exact.

#include <algorithm>

#include "testing/random_body.h"

namespace ingot::testing {
namespace {

constexpr int64_t kMostUpdatingSteps = 6;

class Updates {
 public:
  Updates(Random& random, const TensorType& type) : random_(random), type_(type) {}

  struct State {
    std::vector<Value*> arrays, numbers;  // all of one type; s32[]
  };

  // Operations on the state, which add to it.
  void fill(ir::Builder& b, State& s, int depth) {
    for (size_t n = 1 + below(4); n > 0; --n) {
      switch (below(depth > 0 ? 11 : 8)) {
        case 0:
        case 1:
          s.arrays.push_back(write(b, array(s), number(b, s), element(b, s)));
          break;
        case 2:
        case 3: {
          const int64_t size = 1 + static_cast<int64_t>(below(static_cast<size_t>(length())));
          Value* part = read(b, array(s), number(b, s), size);
          if (chance(40)) part = b.value("max", {part, read(b, array(s), number(b, s), size)});
          s.arrays.push_back(write(b, array(s), number(b, s), part));
          break;
        }
        case 4:
          s.arrays.push_back(shifted(b, array(s), element(b, s)));
          break;
        case 5:
          s.arrays.push_back(b.value("max", {array(s), array(s)}));
          break;
        case 6:
          s.arrays.push_back(b.value("reverse", {array(s)}, {{"axes", IntList{0}}}));
          break;
        case 7:
          s.numbers.push_back(b.value("convert", {element(b, s)}, {{"dtype", DType::kS32}}));
          break;
        case 8:
          scan(b, s, depth - 1);
          break;
        case 9:
          loop(b, s, depth - 1);
          break;
        default:
          branch(b, s, depth - 1);
      }
    }
  }

 private:
  int64_t length() const { return type_.shape[0]; }
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }

  // Late ones rather.
  Value* array(const State& s) {
    const size_t n = s.arrays.size();
    return s.arrays[chance(60) ? n - 1 - below(std::min<size_t>(n, 3)) : below(n)];
  }
  Value* number(ir::Builder& b, State& s) {
    if (!s.numbers.empty() && chance(70)) return s.numbers[below(s.numbers.size())];
    return b.constant(of_number(static_cast<int64_t>(below(static_cast<size_t>(length() + 1)))));
  }
  static Tensor of_number(int64_t value) {
    Tensor tensor(DType::kS32, {});
    tensor.set_int(0, value);
    return tensor;
  }

  Attributes window(int64_t size, bool collapsed) const {
    Attributes attributes{{"offset_dims", collapsed ? IntList{} : IntList{0}},
                          {"collapsed_slice_dims", collapsed ? IntList{0} : IntList{}},
                          {"operand_batching_dims", IntList{}},
                          {"start_indices_batching_dims", IntList{}},
                          {"start_index_map", IntList{0}},
                          {"index_vector_dim", int64_t{0}},
                          {"slice_sizes", IntList{size}},
                          {"mode", std::string("clip")}};
    return attributes;
  }
  Value* at(ir::Builder& b, Value* number) { return b.value("reshape", {number}, {{"shape", Shape{1}}}); }
  Value* read(ir::Builder& b, Value* array, Value* number, int64_t size) {
    return b.value("gather", {array, at(b, number)}, window(size, false));
  }
  Value* element(ir::Builder& b, State& s) {
    Value* one = b.value("gather", {array(s), at(b, number(b, s))}, window(1, true));
    if (type_.dtype == DType::kS32 && chance(50)) one = b.value("add", {one, number(b, s)});
    return one;
  }
  Value* write(ir::Builder& b, Value* array, Value* number, Value* part) {
    Attributes attributes = window(part->rank() == 0 ? 1 : part->shape()[0], part->rank() == 0);
    if (chance(20)) attributes.set("mode", std::string("fill"));
    attributes.set("combiner", std::string(chance(70) ? "set" : "max"));
    return b.value("scatter", {array, at(b, number), part}, attributes);
  }
  Value* shifted(ir::Builder& b, Value* array, Value* last) {
    Value* rest = b.value("slice", {array},
                          {{"starts", IntList{1}}, {"limits", IntList{length()}}, {"strides", IntList{1}}});
    return b.value("concatenate", {rest, at(b, last)}, {{"axis", int64_t{0}}});
  }

  std::vector<Value*> some(const State& s, size_t least, size_t most) {
    std::vector<Value*> values;
    for (size_t n = least + below(most - least + 1); n > 0; --n) values.push_back(array(s));
    return values;
  }
  // Of a region: arguments for these operands.
  static State arguments(ir::Region& region, const std::vector<Value*>& operands) {
    State s;
    for (Value* operand : operands) {
      Value* argument = region.add_argument(operand->type(), operand->rank() == 0 ? "i" : "a");
      (operand->rank() == 0 ? s.numbers : s.arrays).push_back(argument);
    }
    return s;
  }
  static void keep(State& s, const ir::Op& op) {
    for (int r = 0; r < op.result_count(); ++r) {
      if (op.result(r)->rank() == 0) s.numbers.push_back(op.result(r));
      if (op.result(r)->rank() == 1) s.arrays.push_back(op.result(r));
    }
  }
  Value* counted(ir::Builder& b, Value* counter) {
    return b.value("add", {counter, b.constant(of_number(1))});
  }

  void scan(ir::Builder& b, State& s, int depth) {
    const int64_t steps = static_cast<int64_t>(below(kMostUpdatingSteps));
    const bool slices = chance(30);
    std::vector<Value*> operands = some(s, 1, 3);
    const size_t carries = operands.size();
    operands.push_back(number(b, s));
    if (slices) operands.push_back(array(s));
    const std::vector<Value*> invariants = some(s, 0, 2);
    operands.insert(operands.end(), invariants.begin(), invariants.end());
    auto region = b.make_region();
    State inner;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool slice = slices && i == carries + 1;
      Value* argument = region->add_argument(slice ? TensorType{type_.dtype, {}} : operands[i]->type(), "a");
      if (i == carries) inner.numbers.push_back(argument);
      if (i != carries && !slice) inner.arrays.push_back(argument);
    }
    ir::Builder body(*region);
    if (slices)
      inner.arrays.push_back(
          write(body, inner.arrays[0], inner.numbers[0], region->argument(static_cast<int>(carries) + 1)));
    fill(body, inner, depth);
    std::vector<Value*> results = some(inner, carries, carries);
    if (chance(60)) results[0] = inner.arrays.back();
    results.push_back(counted(body, region->argument(static_cast<int>(carries))));
    std::vector<Value*> stacked = some(inner, 0, 2);
    if (chance(40)) stacked.push_back(results[0]);
    IntList axes;
    for (Value* one : stacked) {
      results.push_back(one);
      axes.push_back(static_cast<int64_t>(below(3) / 2));
    }
    region->set_results(results);
    // Slices run along the array.
    const int64_t length_of = slices ? length() : steps;
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(region));
    ir::Op* op = b.make("scan", operands,
                        {{"carries", static_cast<int64_t>(carries + 1)},
                         {"scanned", static_cast<int64_t>(slices ? 1 : 0)},
                         {"length", length_of},
                         {"reverse", chance(40)},
                         {"xs_axes", slices ? IntList{0} : IntList{}},
                         {"ys_axes", axes}},
                        std::move(regions));
    keep(s, *op);
    for (size_t o = 0; o < stacked.size() && length_of > 0; ++o) {  // one of its slices
      Value* whole = op->result(static_cast<int>(carries + 1 + o));
      const int64_t axis = axes[o], which = static_cast<int64_t>(below(static_cast<size_t>(length_of)));
      IntList starts{0, 0}, limits{whole->shape()[0], whole->shape()[1]};
      starts[static_cast<size_t>(axis)] = which;
      limits[static_cast<size_t>(axis)] = which + 1;
      Value* slice =
          b.value("slice", {whole}, {{"starts", starts}, {"limits", limits}, {"strides", IntList{1, 1}}});
      s.arrays.push_back(b.value("reshape", {slice}, {{"shape", Shape{length()}}}));
    }
  }

  void loop(ir::Builder& b, State& s, int depth) {
    std::vector<Value*> operands = some(s, 1, 3);
    const size_t carries = operands.size();
    operands.push_back(b.constant(of_number(static_cast<int64_t>(below(3)))));
    operands.push_back(number(b, s));  // where it ends
    const std::vector<Value*> invariants = some(s, 0, 2);
    operands.insert(operands.end(), invariants.begin(), invariants.end());
    std::vector<std::unique_ptr<ir::Region>> regions;
    for (int r = 0; r < 2; ++r) regions.push_back(b.make_region());
    arguments(*regions[0], operands);
    State inner = arguments(*regions[1], operands);
    ir::Builder asked(*regions[0]), body(*regions[1]);
    Value* bound = asked.value("min", {regions[0]->argument(static_cast<int>(carries) + 1),
                                       asked.constant(of_number(kMostUpdatingSteps))});
    regions[0]->set_results({asked.value("compare", {regions[0]->argument(static_cast<int>(carries)), bound},
                                         {{"direction", std::string("lt")}})});
    fill(body, inner, depth);
    std::vector<Value*> results = some(inner, carries, carries);
    if (chance(60)) results[0] = inner.arrays.back();
    results.push_back(counted(body, regions[1]->argument(static_cast<int>(carries))));
    regions[1]->set_results(results);
    keep(s, *b.make("while", operands, {{"carries", static_cast<int64_t>(carries + 1)}}, std::move(regions)));
  }

  void branch(ir::Builder& b, State& s, int depth) {
    std::vector<Value*> operands = some(s, 1, 3);
    operands.insert(operands.begin(), number(b, s));
    const size_t count = 1 + below(3);
    std::vector<std::unique_ptr<ir::Region>> regions;
    for (size_t branches = 1 + below(3); regions.size() < branches;) {
      regions.push_back(b.make_region());
      State inner = arguments(*regions.back(), {operands.begin() + 1, operands.end()});
      ir::Builder body(*regions.back());
      if (chance(70)) fill(body, inner, depth);
      std::vector<Value*> results = some(inner, count, count);
      if (chance(60)) results[0] = inner.arrays.back();
      regions.back()->set_results(results);
    }
    keep(s, *b.make("cond", operands, {}, std::move(regions)));
  }

  Random& random_;
  const TensorType type_;
};

}  // namespace

void RandomBody::updates() {
  const DType dtypes[] = {DType::kS32, DType::kF32, DType::kF64};
  const int64_t extents[] = {1, 3, 4, 8, 17, 40};
  const TensorType type{dtypes[below(3)], {extents[below(6)]}};
  const Info limit{type.dtype == DType::kS32 ? largest(DType::kS32) : 16, 0};
  Updates::State state;
  for (size_t n = 1 + below(3); n > 0; --n) {
    Value* start = make_exact(type, limit);
    if (start == nullptr) return;
    state.arrays.push_back(start);
  }
  if (Value* number = make_exact({DType::kS32, {}}, {16, 0})) state.numbers.push_back(number);
  const size_t before = state.arrays.size();
  for (int n = 2; n > 0; --n) Updates(random_, type).fill(builder_, state, 2);
  for (size_t i = before; i < state.arrays.size(); ++i) put(state.arrays[i], limit);
}

}  // namespace ingot::testing
