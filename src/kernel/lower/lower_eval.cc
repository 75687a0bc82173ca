// Lowering, part one: the element of a value at an index.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "kernel/lower/lowering_state.h"
#include "ops/control.h"
#include "ops/hold.h"
#include "ops/kinds.h"
#include "ops/support.h"
#include "ops/windows.h"

namespace ingot::kernel {
namespace {

// A value whose chain of elementwise operations costs more than this is stored in a tile rather than computed
// in a second loop; a store and a load from the first-level cache cost about as much.
constexpr int kTileCost = 12;
// At so many different indices of one value, recomputation gets too dear.
constexpr size_t kMaxEvaluations = 8;
// Places at which one gather takes what the kernel computes. Written out, each of 64 elements has one;
// gathers of gathers double them, so that a chain of twenty would have millions.
constexpr int kMaxGathered = 2 * kMaxUnrolledElements;

bool is_constant(const IndexTuple& index) {
  return std::all_of(index.begin(), index.end(), [](const Index& i) { return i.is_constant(); });
}

template <class T>
bool becomes(const ir::Op& op) {
  return std::holds_alternative<T>(*op.record().becomes);
}

bool is_view_or_recipe(const ir::Op& op) {
  return becomes<ir::View>(op) || becomes<ir::Gather>(op) || becomes<ir::ScalarRecipe>(op);
}

}  // namespace

Lowering::PlaceId Lowering::place_of(const IndexTuple& index) {
  return places_.try_emplace(index, static_cast<PlaceId>(places_.size())).first->second;
}

std::optional<ScalarId> Lowering::remembered(const ir::Value* value, PlaceId place) const {
  for (int predicated = predicate_ == kNone ? 0 : 1; predicated >= 0; --predicated) {
    const MemoKey key{value, place, predicated ? predicate_ : kNone};
    for (size_t i = scopes_.size(); i-- > 0;) {
      if (auto it = scopes_[i].memo.find(key); it != scopes_[i].memo.end()) return it->second;
    }
  }
  return std::nullopt;
}

ScalarId Lowering::eval(const ir::Value* value, const IndexTuple& index) {
  return eval(value, index, place_of(index));
}

ScalarId Lowering::eval(const ir::Value* value, const IndexTuple& index, PlaceId place) {
  if (auto found = remembered(value, place)) return *found;
  ScalarId scalar = eval_uncached(value, index, place);
  scopes_[static_cast<size_t>(level_of_scalar(scalar))].memo[{value, place, predicate_}] = scalar;
  return scalar;
}

ScalarId Lowering::eval_uncached(const ir::Value* value, const IndexTuple& index, PlaceId place) {
  if (input_buffers_.count(value)) return load_input(value, index);
  if (const auto placed = placed_.find(value); placed != placed_.end())
    return load_version(*placed->second, value, index);
  if (value->op() == nullptr) return eval_argument(value, index);
  ir::Op& op = *value->op();
  if (becomes<ir::Literal>(op)) return eval_literal(op, index);
  if (ops::is<ops::HoldOp>(op)) return eval_held(op, index);
  if (becomes<ir::View>(op)) return eval_view(op, index);
  if (becomes<ir::Gather>(op)) return eval_gather(op, index);
  if (becomes<ir::Scatter>(op)) throw NotFusible("", *value, " is complete only after the last update");
  if (ops::is<ops::ScanOp>(op)) {
    if (!scans_begun_.count(&op)) {
      materialize_scan(op);
      return eval(value, index, place);
    }
    return eval_stack(value, index);
  }
  if (tiles_filled_.count(value)) return eval_stack(value, index);
  if (decide_on_tile(value, index)) return new_scalar(value->dtype(), level_of(index));
  ScalarId scalar;
  if (becomes<ir::Reduction>(op)) {
    scalar = eval_reduction(op, value->index(), index);
  } else if (becomes<ir::Contraction>(op)) {
    scalar = eval_contraction(op, index);
  } else {
    check(becomes<ir::ScalarRecipe>(op), "cannot lower the operation " + std::string(op.name()));
    scalar = eval_recipe(op, index, place);
  }
  if (decisions_.tiles.count(value)) fill_tile(value, index, scalar);
  return scalar;
}

bool Lowering::is_plain_recipe(const ir::Value* value) const {
  return !input_buffers_.count(value) && !tiles_filled_.count(value) && value->op() != nullptr &&
         becomes<ir::ScalarRecipe>(*value->op());
}

ScalarId Lowering::eval_recipe(ir::Op& op, const IndexTuple& index, PlaceId place) {
  // Chains of elementwise operations can be thousands long: they are walked with a stack of our own.
  std::vector<const ir::Value*> pending(op.operands().begin(), op.operands().end());
  while (!pending.empty()) {
    const ir::Value* value = pending.back();
    size_t before = pending.size();
    if (is_plain_recipe(value) && !remembered(value, place)) {
      for (const ir::Value* operand : value->op()->operands()) {
        if (is_plain_recipe(operand) && !remembered(operand, place)) pending.push_back(operand);
      }
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    eval(value, index, place);
  }
  std::vector<ScalarId> operands;
  for (const ir::Value* operand : op.operands()) operands.push_back(eval(operand, index, place));
  return let(op.record(), std::move(operands), op.result()->dtype(), op.attributes());
}

ScalarId Lowering::eval_argument(const ir::Value* argument, const IndexTuple& index) {
  auto it = bindings_.find(argument);
  check(it != bindings_.end(), "the region's argument %" + argument->name() + " is read outside of its loop");
  const Binding& binding = it->second;
  if (binding.operand == nullptr && argument == replaced_ && index == replaced_at_) {
    return load(memory_carries_.at(argument), offset_in_point(argument, index), top());
  }
  if (binding.operand == nullptr) {
    throw NotFusible("the carry ", *argument, " of a scan is read at another place than its own");
  }
  IndexTuple outer = index;
  if (binding.axis >= 0) outer.insert(outer.begin() + binding.axis, binding.time);
  return eval(binding.operand, outer);
}

ScalarId Lowering::load_input(const ir::Value* value, const IndexTuple& index) {
  return load(input_buffers_.at(value), offset_of(group_.shape_in_memory(value), index));
}

// The index cut off to 0 .. last, as a variable.
Lowering::Start Lowering::start_of(ScalarId index, int64_t last, bool ask) {
  const DType dtype = kernel_.scalars[static_cast<size_t>(index)];
  const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
  const bool reaches = bits >= 63 || (int64_t{1} << bits) - 1 > last;  // some index is beyond the last one
  auto number = [&](int64_t value) {
    Tensor scalar(dtype, {});
    scalar.set_int(0, value);
    return literal(scalar);
  };
  Start start;
  if (last == 0) {  // there is one place, whatever the index
    if (ask)
      start.inside = let("compare", {index, number(0)}, DType::kPred, {{"direction", std::string("eq")}});
    return start;
  }
  ScalarId clamped = index;
  if (is_signed(dtype)) clamped = let("max", {clamped, number(0)}, dtype);
  if (reaches) clamped = let("min", {clamped, number(last)}, dtype);
  if (ask) start.inside = let("compare", {index, clamped}, DType::kPred, {{"direction", std::string("eq")}});
  const DType wanted = last <= std::numeric_limits<int32_t>::max() ? DType::kS32 : DType::kS64;
  if (dtype != wanted) clamped = let("convert", {clamped}, wanted, {{"dtype", wanted}});
  auto [known, fresh] = bound_vars_.try_emplace({clamped, last + 1}, kNone);
  if (fresh) {
    known->second = new_var("start", last + 1, level_of_scalar(clamped));
    kernel_.bound[known->second] = clamped;
  }
  start.index = kernel_.var(known->second);
  return start;
}

ScalarId Lowering::begin_window(const ops::WindowDims& dims, const ir::Value* array, const ir::Value* indices,
                                ops::WindowPlace<Index>& place) {
  ScalarId inside = kNone;
  for (size_t k = 0; k < dims.index_map.size(); ++k) {
    const auto d = static_cast<size_t>(dims.index_map[k]);
    const int64_t last = array->shape()[d] - dims.sizes[d];
    if (last == 0 && !dims.fills()) continue;
    const ScalarId at = eval(indices, place.indices[k]);
    if (const auto known = literals_.find(at); known != literals_.end()) {
      const Tensor& number = known->second;
      int64_t wanted = number.get_int(0);
      if (!is_signed(number.dtype()) && wanted < 0) wanted = std::numeric_limits<int64_t>::max();
      const int64_t begin = std::clamp<int64_t>(wanted, 0, last);
      place.array[d] = place.array[d] + Index(begin);
      if (dims.fills() && wanted != begin) {
        Tensor no(DType::kPred, {});
        inside = literal(no);
      }
      continue;
    }
    const Start start = start_of(at, last, dims.fills());
    place.array[d] = place.array[d] + start.index;
    if (start.inside == kNone) continue;
    inside = inside == kNone ? start.inside : let("and", {inside, start.inside}, DType::kPred);
  }
  return inside;
}

// The element is one of the array's, at an index that the indices hold.
ScalarId Lowering::eval_gather(ir::Op& op, const IndexTuple& index) {
  const ops::WindowDims dims = ops::WindowDims::of(op.attributes());
  const ir::Value *array = op.operand(0), *indices = op.operand(1);
  if (input_buffers_.count(array) == 0 && ++gathered_[&op] > kMaxGathered)
    throw NotFusible("", *op.result(),
                     " would be taken from what is computed anew at more than " +
                         std::to_string(kMaxGathered) + " places");
  auto place = ops::place_of<Index>(dims, array->rank(), indices->rank(), index);
  const ScalarId inside = begin_window(dims, array, indices, place);
  const ScalarId value = eval(array, place.array);
  if (inside == kNone) return value;
  return let("select", {inside, value, literal(dims.filling(op.result()->dtype()))}, op.result()->dtype());
}

ScalarId Lowering::eval_literal(ir::Op& op, const IndexTuple& index) {
  const Tensor& value = ops::ConstantOp(op).value();
  int64_t position = 0;
  if (!is_constant(index)) {
    if (value.size() > 1 && !ops::is_uniform(value))
      throw NotFusible("the constant ", *op.result(), " is an array, which is read from memory");
  } else {
    std::vector<int64_t> strides = strides_of(value.shape());
    for (size_t d = 0; d < index.size(); ++d) position += index[d].constant() * strides[d];
  }
  Tensor scalar(value.dtype(), {});
  if (value.size() > 0) {  // an element of an empty array is never asked for at run time
    std::memcpy(scalar.raw(), value.raw() + static_cast<size_t>(position) * byte_size(value.dtype()),
                byte_size(value.dtype()));
  }
  return literal(scalar);
}

namespace {

using Guards = std::vector<ir::ViewPiece::Guard>;

// The guards that do not always hold, or nothing if one never does.
std::optional<Guards> decide(const Guards& guards) {
  Guards undecided;
  for (const auto& guard : guards) {
    const int64_t low = guard.index.min(), high = guard.index.max();
    if (high < guard.low || low >= guard.high) return std::nullopt;
    if (low < guard.low || high >= guard.high) undecided.push_back(guard);
  }
  return undecided;
}

}  // namespace

// Pred: all of them hold. kNone if there are none.
ScalarId Lowering::condition_of(std::span<const ir::ViewPiece::Guard> guards) {
  ScalarId condition = kNone;
  for (const auto& guard : guards) {
    const int level = level_of(guard.index);
    auto [known, fresh] =
        scopes_[static_cast<size_t>(level)].ranges.try_emplace({guard.index, {guard.low, guard.high}}, kNone);
    if (fresh) {
      known->second = new_scalar(DType::kPred, level);
      emit(level, {InRange{known->second, guard.index, guard.low, guard.high}});
    }
    condition = condition == kNone ? known->second : let("and", {condition, known->second}, DType::kPred);
  }
  return condition;
}

// The element, or zero where a guard does not hold.
ScalarId Lowering::eval_guarded(const ir::Value* value, const IndexTuple& index,
                                std::span<const ir::ViewPiece::Guard> guards) {
  const ScalarId zero = literal(Tensor(value->dtype(), {}));
  const std::optional<Guards> undecided = decide({guards.begin(), guards.end()});
  if (!undecided) return zero;
  if (undecided->empty()) return eval(value, index);
  check(predicate_ == kNone, "guarded terms do not nest");
  predicate_ = condition_of(*undecided);
  const ScalarId condition = predicate_, element = eval(value, index);
  predicate_ = kNone;
  // A load that may not be done gives zero by itself.
  if (input_buffers_.count(value)) return element;
  return let("select", {condition, element, zero}, value->dtype());
}

ScalarId Lowering::eval_view(ir::Op& op, const IndexTuple& index) {
  const auto& view = std::get<ir::View>(*op.record().becomes);
  std::vector<ir::ViewPiece> pieces = (*view.map)(op, index);
  auto piece_value = [&](const ir::ViewPiece& piece) {
    for (const Index& place : piece.index) {
      if (place.steps() > prices::kMostIndexSteps)
        throw NotFusible("", *op.result(),
                         " stands before so many views that each place takes more than " +
                             std::to_string(prices::kMostIndexSteps) +
                             " divisions: a trip through memory costs less");
    }
    if (piece.operand != ir::ViewPiece::kIndexValue) return eval(op.operand(piece.operand), piece.index);
    DType dtype = op.result()->dtype();
    int level = level_of(piece.index[0]);
    auto [it, fresh] =
        scopes_[static_cast<size_t>(level)].index_values.emplace(std::pair(piece.index[0], dtype), kNone);
    if (fresh) {
      it->second = new_scalar(dtype, level);
      emit(level, {IndexValue{it->second, piece.index[0]}});
    }
    return it->second;
  };
  // Which pieces can apply is often known: guards that always hold fall away, pieces that never hold too.
  std::vector<std::pair<const ir::ViewPiece*, Guards>> open;
  for (const ir::ViewPiece& piece : pieces) {
    std::optional<Guards> undecided = decide(piece.guards);
    if (!undecided) continue;
    open.emplace_back(&piece, std::move(*undecided));
    if (open.back().second.empty()) break;
  }
  check(!open.empty() && open.back().second.empty(), "a view's last piece must apply always");
  const ScalarId outer = predicate_;
  std::vector<ScalarId> conditions, values;
  ScalarId none_before = outer;  // outer, and no earlier piece
  for (auto& [piece, guards] : open) {
    const ScalarId condition = condition_of(guards);
    auto both = [&](ScalarId a, ScalarId b) {
      return a == kNone ? b : b == kNone ? a : let("and", {a, b}, DType::kPred);
    };
    predicate_ = both(none_before, condition);
    values.push_back(piece_value(*piece));
    predicate_ = kNone;
    conditions.push_back(condition);
    if (condition != kNone) none_before = both(none_before, let("not", {condition}, DType::kPred));
  }
  predicate_ = outer;
  ScalarId result = values.back();
  for (size_t i = values.size() - 1; i-- > 0;) {
    result = let("select", {conditions[i], values[i], result}, op.result()->dtype());
  }
  return result;
}

// Where an element lies in a local buffer that holds what one band point has of the value, with that axis
// outermost, if one is given.
Index Lowering::offset_in_point(const ir::Value* value, const IndexTuple& index,
                                std::optional<int64_t> outermost) const {
  Index offset;
  int64_t stride = 1;
  for (size_t d = index.size(); d-- > 0;) {
    if (static_cast<int64_t>(d) == outermost) continue;
    DimClass c = dims_.of(value, static_cast<int64_t>(d));
    if (dims_.in_band(c)) {
      if (!index[d].is_variable(band_vars_.at(c))) {
        throw NotFusible("", *value, " is read at another band point than it is made");
      }
      continue;
    }
    offset = offset + index[d] * stride;
    stride *= value->shape()[d];
  }
  return outermost ? offset + index[static_cast<size_t>(*outermost)] * stride : offset;
}

ScalarId Lowering::eval_stack(const ir::Value* value, const IndexTuple& index) {
  if (auto tile = tiles_.find(value); tile != tiles_.end() && tiles_filled_.count(value)) {
    return load(tile->second.buffer, offset_in_point(value, index), std::min(tile->second.level, top()));
  }
  if (auto carry = memory_carries_.find(value);
      carry != memory_carries_.end() && scans_done_.count(value->op())) {
    return load(carry->second, offset_in_point(value, index), context_level(*value->op()));
  }
  // An output of a scan.
  auto stack = stacks_.find(value);
  if (stack == stacks_.end()) {
    if (!scans_done_.count(value->op())) throw NotFusible("", *value, " is read by its own scan");
    if (decisions_.stacks.insert(value).second) stacks_to_come_.insert(value);
    if (stacks_to_come_.count(value) == 0)
      throw NotFusible("the final carry ", *value, " is read at another band point than it is made");
    starts_again_ = true;
    return new_scalar(value->dtype(), std::max(level_of(index), context_level(*value->op())));
  }
  if (!scans_done_.count(value->op())) throw NotFusible("", *value, " is read by its own scan");
  const Index offset = offset_in_point(value, index, stack->second.axis);
  return load(stack->second.buffer, offset, context_level(*value->op()));
}

bool Lowering::is_whole_range(const ir::Value* value, const IndexTuple& index) const {
  std::set<int> used;
  for (size_t d = 0; d < index.size(); ++d) {
    DimClass c = dims_.of(value, static_cast<int64_t>(d));
    if (dims_.in_band(c)) {
      if (!index[d].is_variable(band_vars_.at(c))) return false;
      continue;
    }
    if (value->shape()[d] == 1) continue;
    std::vector<int> vars;
    index[d].collect_variables(vars);
    if (vars.size() != 1 || kernel_.bound.count(vars[0]) > 0 || !index[d].is_variable(vars[0]) ||
        !used.insert(vars[0]).second)
      return false;
    if (kernel_.var_extents[static_cast<size_t>(vars[0])] != value->shape()[d]) return false;
  }
  return !used.empty();
}

int Lowering::cost(const ir::Value* value) {
  if (auto it = costs_.find(value); it != costs_.end()) return it->second;
  int total = 0;
  if (value->op() != nullptr && !input_buffers_.count(value)) {
    const ir::Becomes& b = value->op()->record().becomes;
    if (auto* recipe = std::get_if<ir::ScalarRecipe>(&b)) total = recipe->cost;
    if (becomes<ir::Reduction>(*value->op()) || becomes<ir::Contraction>(*value->op())) total = kTileCost;
    if (is_view_or_recipe(*value->op())) {
      for (const ir::Value* operand : value->op()->operands()) {
        // What is reduced is computed once per band point anyway.
        if (operand->op() == nullptr || is_view_or_recipe(*operand->op())) total += cost(operand);
      }
    }
    total = std::min(total, 1 << 20);
  }
  return costs_[value] = total;
}

bool Lowering::decide_on_tile(const ir::Value* value, const IndexTuple& index) {
  if (is_constant(index)) return false;
  bool has_variable_inside = false;
  for (size_t d = 0; d < index.size(); ++d) {
    has_variable_inside = has_variable_inside || !index[d].is_constant();
  }
  if (!has_variable_inside) return false;
  auto& seen = evaluations_[value];
  if (!seen.insert(index).second) return false;
  if (seen.size() > 1 && cost(value) >= kTileCost && predicate_ == kNone && !decisions_.tiles.count(value) &&
      is_whole_range(value, index) && is_whole_range(value, *seen.begin())) {
    decisions_.tiles.insert(value);
    starts_again_ = true;
    return true;
  }
  if (seen.size() <= kMaxEvaluations) return false;
  // Unrolled dimensions are counted apart: each of their elements is another scalar.
  std::set<IndexTuple> patterns;
  for (IndexTuple tuple : seen) {
    for (size_t d = 0; d < tuple.size(); ++d) {
      if (dims_.unrolled(dims_.of(value, static_cast<int64_t>(d)))) tuple[d] = 0;
    }
    patterns.insert(tuple);
  }
  if (patterns.size() > kMaxEvaluations) {
    throw NotFusible("", *value,
                     " would be computed at " + std::to_string(patterns.size()) +
                         " and more different places for one result");
  }
  return false;
}

void Lowering::fill_tile(const ir::Value* value, const IndexTuple& index, ScalarId scalar) {
  if (predicate_ != kNone || tiles_.count(value) || !is_whole_range(value, index)) return;
  int64_t elements = 1;
  Index offset;
  int innermost = level_of_scalar(scalar), outermost = top() + 1;
  for (size_t d = index.size(); d-- > 0;) {
    if (dims_.in_band(dims_.of(value, static_cast<int64_t>(d)))) continue;
    offset = offset + index[d] * elements;
    elements *= value->shape()[d];
    if (value->shape()[d] == 1) continue;
    innermost = std::max(innermost, level_of(index[d]));
    outermost = std::min(outermost, level_of(index[d]));
  }
  BufferId buffer =
      kernel_.add_buffer({value->name(), value->dtype(), elements, Buffer::Kind::kLocal, {elements}});
  tiles_[value] = {buffer, outermost - 1};
  emit(0, {Alloc{buffer}});
  emit(innermost, {Store{buffer, offset, scalar}});
  scopes_[static_cast<size_t>(outermost)].filling.insert(value);
}

}  // namespace ingot::kernel
