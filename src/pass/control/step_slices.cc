// step_slices: what a scan reads and writes at its own step becomes scanned arrays and stacks.
//
// A loop that counts reads row i of an array by a gather at its counter, and writes row i of a carried one by
// a scatter: so fori_loop with dynamic_slice is written, and so JAX hands over every scan. Where the index is
// known to go up or down by one with each step, within the array, such a read is a scanned array (rule
// `scanned`). Where it visits all rows, and each step looks at nothing else of the carry but the row that it
// is about to write, the carry is a stack (rule `stacked`), whose rows are known to be different ones, so
// that no step waits for memory of another.

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/windows.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

constexpr int kLongestChain = 24;  // chain of operations from a counter to an index

// What an integer of the body is in step s: first + by * s.
struct PerStep {
  int64_t first = 0, by = 0;
  int64_t at(int64_t step) const { return first + by * step; }
};

// Integers as functions of the step, which stay far from the ends of their dtype.
class Counters {
 public:
  explicit Counters(const ops::ScanOp& loop) : loop_(loop) {}

  std::optional<PerStep> of(const Value* value, int depth = 0) const {
    if (depth > kLongestChain || value->type().elements() != 1 || !is_integer(value->dtype()))
      return std::nullopt;
    const std::optional<PerStep> found =
        value->op() == nullptr ? of_argument(value, depth) : of_result(value, depth);
    return found && holds(value->dtype(), *found) ? found : std::nullopt;
  }

  // The elements of a vector of indices.
  bool elements_of(const Value* vector, std::vector<std::optional<PerStep>>& list, int depth = 0) const {
    const Op* op = vector->op();
    if (vector->rank() != 1 || depth > kLongestChain) return false;
    if (op != nullptr && ops::is<ops::ConcatenateOp>(*op)) {
      for (const Value* part : op->operands()) {
        if (!elements_of(part, list, depth + 1)) return false;
      }
      return true;
    }
    const int64_t count = vector->type().elements();
    if (count > kMostIndices) return false;
    const Tensor* constant =
        op != nullptr && ops::is<ops::ConstantOp>(*op) ? &ops::ConstantOp(*op).value() : nullptr;
    const Value* repeated = op != nullptr && ops::is<ops::BroadcastOp>(*op) ? op->operand(0) : vector;
    const std::optional<PerStep> one = repeated->type().elements() == 1 ? of(repeated) : std::nullopt;
    for (int64_t i = 0; i < count; ++i) {
      if (constant != nullptr) {
        list.push_back(PerStep{constant->get_int(i), 0});
      } else {
        list.push_back(one);
      }
    }
    return true;
  }

 private:
  static constexpr int64_t kMostIndices = 64;

  bool holds(DType dtype, PerStep p) const {
    const int bits = bit_width(dtype) - 1;
    const int64_t most = bits >= 60 ? int64_t{1} << 59 : int64_t{1} << (bits - 1);
    const int64_t least = is_signed(dtype) ? -most : 0;
    const auto inside = [&](int64_t n) { return n >= least && n <= most; };
    return std::abs(p.by) <= (int64_t{1} << 10) && inside(p.first) && inside(p.at(loop_.length() - 1));
  }

  std::optional<PerStep> of_argument(const Value* value, int depth) const {
    const int i = value->index();
    if (loop_.is_scanned(i)) return std::nullopt;
    const Op* outside = loop_.op().operand(i)->op();
    if (outside == nullptr || !ops::is<ops::ConstantOp>(*outside)) return std::nullopt;
    const PerStep fixed{ops::ConstantOp(*outside).value().get_int(0), 0};
    if (loop_.is_invariant(i)) return fixed;
    const Op* next = loop_.carry(i).next->op();
    if (loop_.carry(i).next == value) return fixed;
    if (next == nullptr || !ops::is_any<ops::AddOp, ops::SubOp>(*next)) return std::nullopt;
    const bool adds = ops::is<ops::AddOp>(*next);
    const int other = next->operand(0) == value ? 1 : adds && next->operand(1) == value ? 0 : -1;
    if (other < 0 || next->operand(other) == value) return std::nullopt;
    const std::optional<PerStep> step = of(next->operand(other), depth + 1);
    if (!step || step->by != 0) return std::nullopt;
    return PerStep{fixed.first, adds ? step->first : -step->first};
  }

  std::optional<PerStep> of_result(const Value* value, int depth) const {
    const Op& op = *value->op();
    if (ops::is<ops::ConstantOp>(op)) return PerStep{ops::ConstantOp(op).value().get_int(0), 0};
    if (ops::is_any<ops::ReshapeOp, ops::BroadcastOp, ops::ConvertOp>(op))
      return of(op.operand(0), depth + 1);
    if (ops::is<ops::SelectOp>(op)) {
      const std::optional<bool> taken = always(op.operand(0), depth + 1);
      return taken ? of(op.operand(*taken ? 1 : 2), depth + 1) : std::nullopt;
    }
    if (!ops::is_any<ops::AddOp, ops::SubOp, ops::MaxOp, ops::MinOp>(op)) return std::nullopt;
    const std::optional<PerStep> a = of(op.operand(0), depth + 1), b = of(op.operand(1), depth + 1);
    if (!a || !b) return std::nullopt;
    if (ops::is<ops::AddOp>(op)) return PerStep{a->first + b->first, a->by + b->by};
    if (ops::is<ops::SubOp>(op)) return PerStep{a->first - b->first, a->by - b->by};
    const bool first_is_less = compares("le", *a, *b) == true,
               second_is_less = compares("ge", *a, *b) == true;
    if (!first_is_less && !second_is_less) return std::nullopt;
    return ops::is<ops::MinOp>(op) == first_is_less ? a : b;
  }

  // Whether the comparison holds in all steps, or in none: it is one of straight lines, and so of their ends.
  std::optional<bool> compares(std::string_view direction, PerStep a, PerStep b) const {
    const auto at = [&](int64_t step) {
      const int64_t x = a.at(step), y = b.at(step);
      return direction == "lt" ? x < y : direction == "le" ? x <= y : direction == "gt" ? x > y : x >= y;
    };
    const bool first = at(0), last = at(loop_.length() - 1);
    return first == last ? std::optional(first) : std::nullopt;
  }

  std::optional<bool> always(const Value* predicate, int depth) const {
    const Op* op = predicate->op();
    if (op != nullptr && ops::is_any<ops::ReshapeOp, ops::BroadcastOp>(*op) &&
        op->operand(0)->type().elements() == 1 && depth < kLongestChain)
      return always(op->operand(0), depth + 1);
    if (op == nullptr || !ops::is<ops::CompareOp>(*op)) return std::nullopt;
    const std::string_view direction = ops::CompareOp(*op).direction();
    if (direction == "eq" || direction == "ne") return std::nullopt;
    const std::optional<PerStep> a = of(op->operand(0), depth + 1), b = of(op->operand(1), depth + 1);
    return a && b ? compares(direction, *a, *b) : std::nullopt;
  }

  const ops::ScanOp& loop_;
};

// The row of an array that a gather or scatter moves in each step.
struct Rows {
  int64_t axis = 0;
  PerStep at;
  bool operator==(const Rows& other) const {
    return axis == other.axis && at.first == other.at.first && at.by == other.at.by;
  }
  int64_t lowest(int64_t length) const { return std::min(at.first, at.at(length - 1)); }
};

// Windows of one row and all of the other dimensions, by an index that goes up or down by one.
std::optional<Rows> rows_of(const Op& op, const Value* array, const Value* indices, const Counters& counters,
                            int64_t length) {
  const ir::Attributes& attributes = op.attributes();
  const auto rank = static_cast<size_t>(array->rank());
  std::vector<std::optional<PerStep>> starts;
  if (!ops::is_one_window(attributes, array->rank()) || rank == 0 || !counters.elements_of(indices, starts) ||
      starts.size() != rank)
    return std::nullopt;
  const ir::IntList& sizes = attributes.list("slice_sizes");
  std::optional<Rows> rows;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] == array->shape()[d] && !(sizes[d] == 1 && starts[d] && starts[d]->by != 0)) continue;
    if (rows || sizes[d] != 1 || !starts[d] || std::abs(starts[d]->by) != 1) return std::nullopt;
    rows = Rows{static_cast<int64_t>(d), *starts[d]};
    const int64_t low = rows->lowest(length);
    if (low < 0 || low + length > array->shape()[d]) return std::nullopt;
  }
  return rows;
}

Shape without(Shape shape, int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

struct Read {
  Op* gather;
  Value* array;  // outside of the loop
  Rows rows;
};
struct Write {
  int carry;
  Op* scatter;
  Rows rows;
};

class LoopSlices {
 public:
  LoopSlices(Op& op, PassContext& context)
      : op_(op), context_(context), loop_(op), counters_(loop_), length_(loop_.length()) {}

  bool run() {
    if (length_ < 1 || loop_.form().active || loop_.form().running || loop_.body().results().empty())
      return false;
    for (int i = 0; i < op_.result_count(); ++i) {
      if (ops::stored_order(*op_.result(i))) return false;
    }
    find_writes();
    find_reads();
    if (reads_.empty() && writes_.empty()) return false;
    rebuild();
    return true;
  }

 private:
  // Carries that are written row by row, and read in that row alone if at all.
  void find_writes() {
    for (int k = 0; k < loop_.carry_count(); ++k) {
      const ops::ScanOp::Carry carry = loop_.carry(k);
      Op* scatter = carry.next->op();
      if (scatter == nullptr || !ops::is<ops::ScatterOp>(*scatter) || scatter->operand(0) != carry.argument ||
          scatter->attributes().get<std::string>("combiner") != "set" || carry.next->uses().size() != 1)
        continue;
      const std::optional<Rows> rows =
          rows_of(*scatter, carry.argument, scatter->operand(1), counters_, length_);
      if (!rows || carry.argument->shape()[static_cast<size_t>(rows->axis)] != length_) continue;
      std::vector<Op*> gathers;
      const bool alone =
          std::all_of(carry.argument->uses().begin(), carry.argument->uses().end(), [&](const ir::Use& use) {
            if (use.op == scatter) return use.operand == 0;
            if (use.operand != 0 || !is_gather(*use.op)) return false;
            gathers.push_back(use.op);
            return rows_of(*use.op, carry.argument, use.op->operand(1), counters_, length_) == rows;
          });
      if (!alone || !context_.may("stacked", op_)) continue;
      writes_.push_back({k, scatter, *rows});
      for (Op* gather : gathers) reads_.push_back({gather, carry.initial, *rows});
    }
  }

  static bool is_gather(const Op& op) { return std::holds_alternative<ir::Gather>(*op.record().becomes); }

  // Gathers of invariants.
  void find_reads() {
    for (const auto& inner : loop_.body().ops()) {
      if (!is_gather(*inner) || !inner->used()) continue;
      const Value* array = inner->operand(0);
      if (array->op() != nullptr || !loop_.is_invariant(array->index())) continue;
      const std::optional<Rows> rows = rows_of(*inner, array, inner->operand(1), counters_, length_);
      if (rows && context_.may("scanned", op_)) {
        reads_.push_back({inner.get(), op_.operand(array->index()), *rows});
      }
    }
  }

  // The rows in the order in which the loop comes by.
  Value* in_order(Value* array, const Rows& rows) {
    const auto at = static_cast<size_t>(rows.axis);
    ir::Builder builder = outside();
    if (array->shape()[at] != length_) {
      ir::IntList starts(array->shape().size(), 0), limits = array->shape(),
                                                    strides(array->shape().size(), 1);
      starts[at] = rows.lowest(length_);
      limits[at] = starts[at] + length_;
      array = make::slice(builder, array, starts, limits, strides);
    }
    return turned(array, rows);
  }

  Value* turned(Value* array, const Rows& rows) {
    if ((rows.at.by > 0) != reverse_) return array;
    ir::Builder builder = outside();
    return make::reverse(builder, array, ir::IntList{rows.axis});
  }

  ir::Builder outside() {
    ir::Builder builder(*op_.parent(), &op_);
    builder.set_provenance(op_.provenance().derived("step_slices", std::string(op_.name())));
    return builder;
  }

  bool is_written(int carry) const {
    return std::any_of(writes_.begin(), writes_.end(),
                       [&](const Write& write) { return write.carry == carry; });
  }

  void rebuild() {
    // A loop that goes through all arrays backwards does so as a whole.
    reverse_ = loop_.reverse();
    if (loop_.scanned_count() == 0 && loop_.stack_count() == 0) {
      const auto down = [](const auto& item) { return item.rows.at.by < 0; };
      reverse_ = std::all_of(reads_.begin(), reads_.end(), down) &&
                 std::all_of(writes_.begin(), writes_.end(), down);
    }
    Region& body = loop_.body();
    std::unique_ptr<Region> fresh = op_.function()->make_region();
    std::vector<Value*> operands, results;
    std::vector<ir::TensorType> types;
    std::vector<std::pair<Value*, std::string>> names;
    ops::ScanForm form = loop_.form();
    form.reverse = reverse_;
    const auto keep = [&](Value* operand, Value* argument) {
      operands.push_back(operand);
      Value* made = fresh->add_argument(argument->type());
      names.emplace_back(made, argument->name());
      argument->replace_all_uses_with(made);
    };
    form.carries = 0;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      const ops::ScanOp::Carry carry = loop_.carry(k);
      if (is_written(k)) continue;
      ++form.carries;
      types.push_back(carry.argument->type());
      keep(carry.initial, carry.argument);
    }
    for (const ops::ScanOp::Scanned& scanned : loop_.scanned()) keep(scanned.array, scanned.slice);
    make_slices(*fresh, operands, form);
    for (const ops::ScanOp::Invariant& invariant : loop_.invariants())
      keep(invariant.value, invariant.argument);
    // The results' operands are read only now: arguments among them are those of the fresh region.
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (!is_written(k)) results.push_back(body.results()[static_cast<size_t>(k)]);
    }
    for (const ops::ScanOp::Stack& stack : loop_.stacks()) {
      results.push_back(stack.slice);
      types.push_back(stack.whole->type());
    }
    for (const Write& write : writes_) {
      ir::Builder builder(body);
      builder.set_provenance(write.scatter->provenance());
      Value* update = write.scatter->operand(2);
      results.push_back(make::reshape(builder, update, without(update->shape(), write.rows.axis)));
      types.push_back(write.scatter->result()->type());
      form.ys_axes.push_back(write.rows.axis);
    }
    body.set_results({});
    for (const Write& write : writes_) write.scatter->erase();
    move_ops(body, *fresh);
    fresh->set_results(results);
    replace(operands, types, form, std::move(fresh), names);
  }

  // One scanned array for all reads of the same rows; what is read is its slice with the row's dimension.
  void make_slices(Region& fresh, std::vector<Value*>& operands, ops::ScanForm& form) {
    std::map<std::tuple<Value*, int64_t, int64_t, int64_t>, Value*> slices;
    for (const Read& read : reads_) {
      Value*& slice = slices[{read.array, read.rows.axis, read.rows.at.first, read.rows.at.by}];
      if (slice == nullptr) {
        operands.push_back(in_order(read.array, read.rows));
        form.xs_axes.push_back(read.rows.axis);
        slice = fresh.add_argument({read.array->dtype(), without(read.array->shape(), read.rows.axis)});
      }
      ir::Builder builder(loop_.body(), read.gather);
      builder.set_provenance(read.gather->provenance());
      Op* row = builder.make("reshape", {slice}, {{"shape", read.gather->result()->shape()}});
      Op* const made[] = {row};
      replace_op(read.gather, row->results(), made);
    }
  }

  void replace(const std::vector<Value*>& operands, const std::vector<ir::TensorType>& types,
               const ops::ScanForm& form, std::unique_ptr<Region> fresh,
               const std::vector<std::pair<Value*, std::string>>& names) {
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(fresh));
    ir::Function* function = op_.function();
    Op* scan = op_.parent()->insert(ops::ScanOp::record(), operands, form.attributes(), types,
                                    op_.provenance().derived("step_slices", std::string(op_.name())), &op_,
                                    std::move(regions));
    std::vector<Value*> values(static_cast<size_t>(op_.result_count()));
    std::vector<Op*> made{scan};
    int next = 0;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (!is_written(k)) values[static_cast<size_t>(k)] = scan->result(next++);
    }
    for (int s = 0; s < loop_.stack_count(); ++s) {
      values[static_cast<size_t>(loop_.carry_count() + s)] = scan->result(next++);
    }
    for (const Write& write : writes_) {
      Value* whole = turned(scan->result(next++), write.rows);
      values[static_cast<size_t>(write.carry)] = whole;
      if (whole->op() != scan) made.push_back(whole->op());
    }
    replace_op(&op_, values, made);
    for (const auto& [value, name] : names) function->rename(value, name);
  }

  Op& op_;
  PassContext& context_;
  const ops::ScanOp loop_;
  const Counters counters_;
  const int64_t length_;
  bool reverse_ = false;
  std::vector<Read> reads_;
  std::vector<Write> writes_;
};

class StepSlices : public Pass {
 public:
  std::string_view name() const override { return "step_slices"; }
  std::string_view why() const override {
    return "Makes scanned arrays and stacks of the rows that a loop reads and writes at its own counter; it "
           "stands "
           "behind fold, which makes scans of loops that count, and inline, which shows the indices.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> loops = find_ops(module, [](const Op& op) { return ops::is<ops::ScanOp>(op); });
    bool changed = false;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) changed |= LoopSlices(**it, context).run();
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_step_slices() {
  return std::make_unique<StepSlices>();
}

}  // namespace ingot::pass
