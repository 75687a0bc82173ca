// Lowering, part two: reductions, contractions and scans become loops.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "kernel/lower/lowering_state.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

void require_no_predicate(ScalarId predicate, std::string_view what) {
  if (predicate != kNone) {
    throw NotFusible("a " + std::string(what) +
                     " would run under a condition on the index (concatenate or pad)");
  }
}

bool is_positive_zero(const ir::Value& scalar) {
  const ir::Op* op = scalar.op();
  while (op != nullptr && ops::is<ops::ConvertOp>(*op)) op = op->operand(0)->op();
  const auto constant = op == nullptr ? std::nullopt : ops::as<ops::ConstantOp>(*op);
  if (!constant || !is_float(scalar.dtype())) return false;
  const double value = constant->value().get_double(0);
  return value == 0 && !std::signbit(value);
}

}  // namespace

std::vector<ScalarId> Lowering::combine_with_region(ir::Region& region, const std::vector<ScalarId>& a,
                                                    const std::vector<ScalarId>& b) {
  std::map<const ir::Value*, ScalarId> values;
  for (size_t i = 0; i < a.size(); ++i) {
    values[region.argument(static_cast<int>(i))] = a[i];
    values[region.argument(static_cast<int>(i + a.size()))] = b[i];
  }
  for (auto& op : region.ops()) {
    if (op->is_return()) continue;
    if (std::holds_alternative<ir::Literal>(*op->record().becomes)) {
      values[op->result()] = eval_literal(*op, {});
      continue;
    }
    if (!std::holds_alternative<ir::ScalarRecipe>(*op->record().becomes)) {
      throw NotFusible("the combiner of a reduction holds '" + std::string(op->name()) + "'");
    }
    std::vector<ScalarId> operands;
    for (const ir::Value* operand : op->operands()) operands.push_back(values.at(operand));
    values[op->result()] = let(op->record(), std::move(operands), op->result()->dtype(), op->attributes());
  }
  std::vector<ScalarId> results;
  for (const ir::Value* result : region.results()) results.push_back(values.at(result));
  return results;
}

Combiner Lowering::make_combiner(const ReduceSpec& spec) {
  Combiner combiner;
  combiner.body = in_scope([&] {
    for (ScalarId init : spec.inits) {
      DType dtype = kernel_.scalars[static_cast<size_t>(init)];
      combiner.lhs.push_back(new_scalar(dtype, top()));
      combiner.rhs.push_back(new_scalar(dtype, top()));
    }
    combiner.out = spec.combine(combiner.lhs, combiner.rhs);
  });
  return combiner;
}

std::vector<ScalarId> Lowering::reduce_loop(const ReduceSpec& spec, size_t depth, IndexTuple& reduced) {
  if (depth == spec.extents.size()) return spec.element(reduced);
  if (spec.extents[depth] == 1) {
    reduced.push_back(0);
    std::vector<ScalarId> next = reduce_loop(spec, depth + 1, reduced);
    reduced.pop_back();
    return next;
  }
  Loop loop;
  loop.extent = spec.extents[depth];
  loop.kind = LoopKind::kReduce;
  loop.var = new_var("k", loop.extent, top() + 1);
  std::vector<ScalarId> next;
  loop.body = in_scope([&] {
    reduced.push_back(kernel_.var(loop.var));
    next = reduce_loop(spec, depth + 1, reduced);
    reduced.pop_back();
  });
  loop.combiner = make_combiner(spec);
  std::vector<ScalarId> results;
  for (size_t i = 0; i < spec.inits.size(); ++i) {
    ScalarId result = new_scalar(kernel_.scalars[static_cast<size_t>(spec.inits[i])], top());
    loop.carries.push_back({spec.inits[i], kNone, next[i], result});
    results.push_back(result);
  }
  emit(top(), {std::move(loop)});
  return results;
}

std::vector<ScalarId> Lowering::reduce(const ReduceSpec& spec, int level) {
  int64_t elements = 1;
  for (int64_t extent : spec.extents) elements *= extent;
  const bool loops = spec.loops || !dims_.writes_out_reductions();
  if (dims_.too_many_to_write_out(elements) || (loops && elements > 1)) {
    return at_level(level, [&] {
      IndexTuple reduced;
      return reduce_loop(spec, 0, reduced);
    });
  }
  std::vector<ScalarId> accumulators = spec.inits;
  for (int64_t i = 0; i < elements; ++i) {
    IndexTuple reduced(spec.extents.size());
    int64_t rest = i;
    for (size_t d = spec.extents.size(); d-- > 0;) {
      reduced[d] = rest % spec.extents[d];
      rest /= spec.extents[d];
    }
    std::vector<ScalarId> element = spec.element(reduced);
    accumulators = i == 0 && !spec.from_zero ? element : spec.combine(accumulators, element);
  }
  return accumulators;
}

ScalarId Lowering::eval_reduction(ir::Op& op, int result, const IndexTuple& index) {
  require_no_predicate(predicate_, "reduction");
  const ops::ReduceOp reduction(op);
  const ir::IntList& axes = reduction.axes();
  const int arrays = reduction.count();
  ReduceSpec spec;
  for (int64_t axis : axes) spec.extents.push_back(reduction.array(0)->shape()[static_cast<size_t>(axis)]);
  for (int i = 0; i < arrays; ++i) {
    spec.inits.push_back(eval(reduction.initial(i), {}));
    spec.from_zero = spec.from_zero || is_positive_zero(*reduction.initial(i));
  }
  spec.element = [&](const IndexTuple& reduced) {
    IndexTuple full = index;
    for (size_t i = 0; i < axes.size(); ++i) full.insert(full.begin() + axes[i], reduced[i]);
    std::vector<ScalarId> elements;
    for (int i = 0; i < arrays; ++i) elements.push_back(eval(reduction.array(i), full));
    return elements;
  };
  spec.combine = [&](const std::vector<ScalarId>& a, const std::vector<ScalarId>& b) {
    return combine_with_region(reduction.combiner(), a, b);
  };
  std::vector<ScalarId> results = reduce(spec, std::max(level_of(index), context_level(op)));
  for (int i = 0; i < arrays; ++i) {
    ScalarId scalar = results[static_cast<size_t>(i)];
    remember(op.result(i), index, scalar, level_of_scalar(scalar));
  }
  return results[static_cast<size_t>(result)];
}

ScalarId Lowering::eval_contraction(ir::Op& op, const IndexTuple& index) {
  require_no_predicate(predicate_, "contraction");
  const auto& contraction = std::get<ir::Contraction>(*op.record().becomes);
  const DType dtype = op.result()->dtype();
  ReduceSpec spec;
  spec.extents = (*contraction.summed)(op);
  // Windows are read as loops, however short: they share what they read with their neighbours.
  spec.loops = !(*contraction.term)(op, index, IndexTuple(spec.extents.size())).lhs_guards.empty();
  spec.inits = {literal(Tensor(dtype, {}))};
  spec.element = [&](const IndexTuple& summed) {
    const ir::ContractionTerm term = (*contraction.term)(op, index, summed);
    ScalarId x = eval_guarded(op.operand(0), term.lhs, term.lhs_guards);
    ScalarId y = eval_guarded(op.operand(1), term.rhs, term.rhs_guards);
    return std::vector<ScalarId>{let(dtype == DType::kPred ? "and" : "mul", {x, y}, dtype)};
  };
  spec.combine = [&](const std::vector<ScalarId>& x, const std::vector<ScalarId>& y) {
    return std::vector<ScalarId>{let(dtype == DType::kPred ? "or" : "add", {x[0], y[0]}, dtype)};
  };
  return reduce(spec, std::max(level_of(index), context_level(op)))[0];
}

bool Lowering::lives_in_memory(const ir::Value* carry) const {
  if (loop_dims(carry).empty()) return false;
  for (int64_t d = 0; d < carry->rank(); ++d) {
    const DimClass c = dims_.of(carry, d);
    if (!dims_.in_band(c) && dims_.unrolled(c))
      throw NotFusible("the carry ", *carry, " of a scan would live in memory and in registers");
  }
  return true;
}

// Stores all elements of the value in the carry's buffer. They may depend on what stands in their own place.
void Lowering::store_carry(const MemoryCarry& carry, const ir::Value* value) {
  std::vector<std::optional<Index>> fixed(value->shape().size());
  for (int64_t d = 0; d < value->rank(); ++d) {
    const DimClass c = dims_.of(carry.result, d);
    if (dims_.in_band(c)) fixed[static_cast<size_t>(d)] = kernel_.var(band_vars_.at(c));
  }
  for_each_point(value->shape(), std::move(fixed), LoopKind::kMap, [&](const IndexTuple& index) {
    replaced_ = carry.argument;
    replaced_at_ = index;
    const ScalarId element = eval(value, index);
    emit(top(), {Store{carry.buffer, offset_in_point(carry.result, index), element}});
    replaced_ = nullptr;
  });
}

// Where the scan's promise speaks of the band: see Loop::active.
Index Lowering::active_steps(const ops::ScanOp& scan, const Index& step) const {
  if (!scan.form().active.has_value()) return 0;
  const auto& [dim, per_index, per_step, constant] = *scan.form().active;
  const DimClass c = dims_.of(scan.carry(0).result, dim);
  if (!dims_.in_band(c)) return 0;
  return kernel_.var(band_vars_.at(c)) * per_index + step * per_step + Index(constant);
}

// The scan's promise `running` has to be of use, since the steps may be many more than it takes: its preds
// lie in registers, and where one of them is of one point of the band, each carry lies along with it.
void Lowering::require_an_end(const ops::ScanOp& scan) const {
  const ir::Value* mask = scan.carry(*scan.form().running).result;
  const auto dims_of_class = [&](const ir::Value* value, DimClass c) {
    int64_t count = 0;
    for (int64_t d = 0; d < value->rank(); ++d) count += dims_.of(value, d) == c ? 1 : 0;
    return count;
  };
  bool ends = !lives_in_memory(mask);
  for (int64_t d = 0; d < mask->rank(); ++d) {
    const DimClass c = dims_.of(mask, d);
    if (mask->shape()[static_cast<size_t>(d)] == 1 || !dims_.in_band(c)) continue;
    for (const ops::ScanOp::Carry& carry : scan.carries()) ends = ends && dims_of_class(carry.result, c) == 1;
  }
  if (!ends) throw NotFusible("the loop would not end with ", *mask, ", as its points would not end apart");
}

void Lowering::materialize_scan(ir::Op& op) {
  require_no_predicate(predicate_, "scan");
  scans_begun_.insert(&op);
  const ops::ScanOp scan(op);
  const int64_t length = scan.length();
  ir::Region& body = scan.body();

  // One register per carry and unrolled element.
  struct Register {
    const ir::Value *argument, *next, *result;
    IndexTuple index;
    Carry carry;
  };
  std::vector<Register> registers;
  std::vector<MemoryCarry> in_memory;
  std::vector<ChangedCarry> changed;

  auto step = [&](const Index& position) {  // in the scope where the steps run
    region_level_[&body] = top();
    const Index time = scan.reverse() ? Index(length - 1) - position : position;
    for (int i = 0; i < op.operand_count(); ++i) {
      Binding binding;
      if (!scan.is_carry(i)) binding.operand = op.operand(i);
      if (scan.is_scanned(i)) binding.axis = scan.scanned_axis(i);
      binding.time = time;
      bindings_[body.argument(i)] = binding;
    }
    for (Register& r : registers) remember(r.argument, r.index, r.carry.arg, top());
    change_carries(body, changed);
    for (Register& r : registers) r.carry.next = eval(r.next, r.index);
    for (const MemoryCarry& carry : in_memory) store_carry(carry, carry.next);
    for (const auto& [slice, whole, axis] : scan.stacks()) {
      require_no_loops(slice);
      for (const IndexTuple& index : unrolled_points(slice, band_index(slice))) {
        ScalarId y = eval(slice, index);
        IndexTuple full = index;
        full.insert(full.begin() + axis, time);
        remember(whole, full, y, top());
        if (!decisions_.stacks.count(whole)) continue;
        Index offset;
        int64_t stride = 1;
        for (size_t d = index.size(); d-- > 0;) {
          if (dims_.in_band(dims_.of(slice, static_cast<int64_t>(d)))) continue;
          offset = offset + index[d] * stride;
          stride *= slice->shape()[d];
        }
        emit(top(), {Store{stacks_.at(whole).buffer, offset + time * stride, y}});
      }
    }
    attach_outputs(op, time);
  };

  at_level(context_level(op), [&] {
    for (const auto& [initial_value, argument, next, result] : scan.carries()) {
      if (const UpdatedCarry* updated = dims_.updated(result)) {
        changed.push_back(
            {updated, dims_.is_version(result) ? &place_around(*updated) : &place_carry(*updated)});
        continue;
      }
      if (lives_in_memory(result)) {
        int64_t elements = 1;
        for (int64_t d = 0; d < result->rank(); ++d) {
          if (!dims_.in_band(dims_.of(result, d))) elements *= result->shape()[static_cast<size_t>(d)];
        }
        in_memory.push_back(
            {argument, next, result,
             kernel_.add_buffer(
                 {argument->name(), argument->dtype(), elements, Buffer::Kind::kLocal, {elements}})});
        memory_carries_[argument] = memory_carries_[result] = in_memory.back().buffer;
        emit(top(), {Alloc{in_memory.back().buffer}});
        MemoryCarry initial = in_memory.back();
        initial.argument = nullptr;
        store_carry(initial, initial_value);
        continue;
      }
      for (const IndexTuple& index : unrolled_points(argument, band_index(argument))) {
        registers.push_back({argument, next, result, index, {}});
        registers.back().carry.init = eval(initial_value, index);
      }
    }
    const int outside = top();
    for (const auto& [slice, whole, axis] : scan.stacks()) {
      if (!decisions_.stacks.count(whole)) continue;
      int64_t elements = 1;
      for (int64_t d = 0; d < whole->rank(); ++d) {
        if (!dims_.in_band(dims_.of(whole, d))) elements *= whole->shape()[static_cast<size_t>(d)];
      }
      BufferId buffer =
          kernel_.add_buffer({whole->name(), whole->dtype(), elements, Buffer::Kind::kLocal, {elements}});
      stacks_[whole] = {buffer, axis};
      emit(outside, {Alloc{buffer}});
    }
    if (length == 0 || (length == 1 && !scan.form().active.has_value())) {
      for (Register& r : registers) r.carry.arg = r.carry.init;
      if (length == 1) step(0);
      for (Register& r : registers) {
        remember(r.result, r.index, length == 1 ? r.carry.next : r.carry.init, top());
      }
    } else {
      Loop loop;
      loop.extent = length;
      loop.kind = LoopKind::kScan;
      loop.var = new_var("t", length, top() + 1);
      loop.active = active_steps(scan, kernel_.var(loop.var));
      if (scan.form().running.has_value()) {
        require_an_end(scan);
        const ir::Value* mask = scan.carry(*scan.form().running).argument;
        for (size_t r = 0; r < registers.size(); ++r) {
          if (registers[r].argument == mask) loop.running.push_back(r);
        }
      }
      loop.body = in_scope([&] {
        for (Register& r : registers) r.carry.arg = new_scalar(r.argument->dtype(), top());
        step(kernel_.var(loop.var));
      });
      for (Register& r : registers) {
        r.carry.result = new_scalar(r.argument->dtype(), outside);
        remember(r.result, r.index, r.carry.result, top());
        loop.carries.push_back(r.carry);
      }
      emit(outside, {std::move(loop)});
    }
    return 0;
  });
  for (const ChangedCarry& change : changed) change.placed->current = change.updated->carry.result;
  scans_done_.insert(&op);
}

}  // namespace ingot::kernel
