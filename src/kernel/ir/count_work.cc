#include <algorithm>
#include <map>
#include <set>

#include "base/extents.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/in_place.h"
#include "kernel/ir/residues.h"
#include "kernel/ir/touched.h"
#include "kernel/ir/value_numbers.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

// A long body with many conditions is gone through for fewer parts: in so many steps for each of those that
// are allowed, but in some at least.
constexpr int64_t kMostSteps = 4, kFewSteps = 1 << 16;
constexpr int64_t kStepsOfBounds = 4;  // to find out the bounds of an index

using Copies = std::set<std::pair<BufferId, BufferId>>;  // inputs, and outputs that begin as they are

// Goes through a kernel and counts what it does for the points that want it: of pieces that are put together,
// each for its own elements; of a window's terms those that are not the zeros around or between what it is
// of. What two loops compute of the same values counts once, and whether an index that is known at run time
// lies inside of an array is no question of the program's. A condition on variables of loops is decided by
// going through the loops' points in parts where it holds everywhere or nowhere; one that hangs on values of
// arrays may always hold.
class Counter {
 public:
  const Kernel& kernel;
  // Pairs that are the same memory, which is updated without being copied.
  const Copies updated;
  Copies copies = {};  // inputs that outputs begin as
  int64_t flops = 0;
  int64_t steps = 0;

  Counter(const Kernel& k, int64_t most_parts, Copies in_place = {})
      : kernel(k),
        updated(std::move(in_place)),
        most_parts_(most_parts),
        scalars_(k.scalars.size()),
        numbers_(k),
        is_place_(k.scalars.size(), false) {
    for (const auto& [var, scalar] : kernel.bound) is_place_[static_cast<size_t>(scalar)] = true;
    find_places(kernel.body);
    visit(kernel.body, nullptr);
  }

  int64_t bytes_of(BufferId buffer) const {
    const auto known = accesses_.find(buffer);
    if (known == accesses_.end()) return 0;
    std::vector<const Access*> accesses;
    for (const auto& [offset, access] : known->second) accesses.push_back(&access);
    const Buffer& info = kernel.buffers[static_cast<size_t>(buffer)];
    return std::min(elements_of(std::move(accesses)), info.elements) *
           static_cast<int64_t>(byte_size(info.dtype));
  }

 private:
  enum class Known : uint8_t { kMaybe, kTrue, kFalse };
  struct Scalar {
    Known holds = Known::kMaybe;  // of a condition
    bool zero = false;            // nothing was read, or a 0 stands in its place
    bool void_term = false;       // a product with such a zero: no term of a sum
    bool in_array = false;        // whether an index that is known at run time lies inside
    bool needed = false;
  };
  Scalar& at(ScalarId id) { return scalars_[static_cast<size_t>(id)]; }

  // Indices that are known at run time, as numbers of whichever width.
  void find_places(const Block& block) {
    for (const Stmt& stmt : block.stmts) {
      if (const auto* loop = std::get_if<Loop>(&stmt.node)) find_places(loop->body);
      const auto* let = std::get_if<Let>(&stmt.node);
      if (let != nullptr && is_place_[static_cast<size_t>(let->result)] &&
          ops::is<ops::ConvertOp>(*let->record))
        is_place_[static_cast<size_t>(let->operands[0])] = true;
    }
  }

  // An operation of the program's at all points of the domain, unless it has been counted where another loop
  // of the kernel computes the same.
  void count(ScalarId result) {
    const auto id = static_cast<size_t>(result);
    if (numbers_.twice[id]) {
      std::vector<std::pair<int, std::pair<int64_t, int64_t>>> points;
      for (const auto& [var, range] : domain_)
        points.emplace_back(numbers_.of_loop[static_cast<size_t>(var)], range);
      std::sort(points.begin(), points.end());
      if (!counted_.emplace(numbers_.of[id], std::move(points)).second) return;
    }
    flops = add_extents(flops, all_points());
  }

  int64_t all_points() const {
    int64_t points = 1;
    for (const auto& [var, range] : domain_) points = multiply_extents(points, range.second - range.first);
    return points;
  }

  // What is read of an output has been written there by the kernel, or is what the updated input was.
  void read(const Load& load) {
    const bool output = kernel.buffers[static_cast<size_t>(load.buffer)].kind == Buffer::Kind::kOutput;
    if (!output) touch(load.buffer, load.offset);
    if (!output) return;
    for (const auto& [from, to] : updated) {
      if (to == load.buffer) touch(from, load.offset);
    }
  }

  // A bound variable takes as many values as there are points, at most.
  void touch(BufferId buffer, const Index& offset) {
    const Buffer& info = kernel.buffers[static_cast<size_t>(buffer)];
    if (info.kind == Buffer::Kind::kLocal || info.kind == Buffer::Kind::kShared) return;
    std::vector<int> vars;
    offset.collect_variables(vars);
    Domain part = domain_;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    bool bound = false;
    for (int var : vars) {
      if (kernel.bound.count(var) > 0) {
        part[var] = {0, kernel.var_extents[static_cast<size_t>(var)]};
        bound = true;
      }
      ranges.push_back(part.at(var));
    }
    const auto [entry, fresh] = accesses_[buffer].try_emplace(offset);
    Access& access = entry->second;
    if (fresh) {
      Domain whole = part;
      for (const auto& [var, extent] : extents_) whole[var] = {0, extent};
      access.most = distinct_values(offset, whole, info.elements);
    }
    if (!access.parts.insert(std::move(ranges)).second) return;
    if (access.points < access.most) {
      const int64_t points = distinct_values(offset, part, info.elements);
      access.points += bound ? std::min(points, all_points()) : points;
    }
    const auto [first, last] = bounds_of(offset, part);
    access.first = std::min(access.first, first);
    access.last = std::max(access.last, last);
  }

  // Conversions of floats that are only stored as f16 or bf16 are no work of the program's.
  bool stores_narrow(const Let& let) const {
    return ops::is<ops::ConvertOp>(*let.record) &&
           (is_narrow_float(kernel.scalars[static_cast<size_t>(let.result)]) ||
            is_narrow_float(kernel.scalars[static_cast<size_t>(let.operands[0])]));
  }

  Known decide(const InRange& in) {
    ++steps;
    Condition& condition = conditions_[&in];
    if (!condition.seen) {
      in.index.collect_variables(condition.vars);
      condition.seen = true;
      condition.bound = kernel.uses_bound(in.index);
    }
    if (condition.bound) return Known::kMaybe;
    const auto [known, fresh] = condition.known.try_emplace(ranges_of(condition), Known::kMaybe);
    if (!fresh) return known->second;
    steps += kStepsOfBounds;
    const auto [least, greatest] = bounds_of(in.index, domain_);
    if (in.low <= least && greatest < in.high) return known->second = Known::kTrue;
    if (greatest < in.low || least >= in.high) known->second = Known::kFalse;
    return known->second;
  }

  // The block for all points of the domain, in parts where its conditions are known.
  void visit(const Block& block, const Loop* loop, size_t from = 0) {
    for (size_t i = from; i < block.stmts.size(); ++i) {
      const auto* in = std::get_if<InRange>(&block.stmts[i].node);
      if (in == nullptr || decide(*in) != Known::kMaybe || conditions_.at(in).bound) continue;
      if (!may_cut() || !in_parts(block, loop, *in, i)) continue;
      return;
    }
    ++parts_;
    go_through(block, loop);
  }

  bool may_cut() const {
    return parts_ < most_parts_ && steps < std::max(kMostSteps * most_parts_, kFewSteps);
  }

  // Cuts the domain along a variable of the condition; false if there is no use in it.
  bool in_parts(const Block& block, const Loop* loop, const InRange& in, size_t i) {
    std::vector<int> vars;
    in.index.collect_variables(vars);
    std::erase_if(vars, [&](int var) { return size_of(var) == 1; });
    if (vars.empty()) return false;
    const int var =
        *std::min_element(vars.begin(), vars.end(), [&](int a, int b) { return size_of(a) < size_of(b); });
    const auto whole = domain_.at(var);
    std::vector<int64_t> cuts = {whole.first};
    const int64_t step = in.index.coefficient(var);
    if (vars.size() == 1 && !in.index.uses_nonlinearly(var) && step != 0) {
      // Where step * var + rest crosses low or high.
      domain_[var] = {0, 1};
      const int64_t rest = bounds_of(in.index, domain_).first;
      for (const int64_t bound : {in.low, in.high}) {
        const int64_t distance = step > 0 ? bound - rest : rest - bound + 1, width = std::abs(step);
        const int64_t cut = distance <= 0 ? 0 : (distance + width - 1) / width;
        if (cut > whole.first && cut < whole.second) cuts.push_back(cut);
      }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    } else {
      cuts = cuts_of(in, var);
      if (cuts.empty() || static_cast<int64_t>(cuts.size()) > most_parts_ - parts_) return false;
    }
    cuts.push_back(whole.second);
    for (size_t part = 0; part + 1 < cuts.size(); ++part) {
      domain_[var] = {cuts[part], cuts[part + 1]};
      visit(block, loop, i);
    }
    domain_[var] = whole;
    return true;
  }

  // Where parts of the domain begin in each of which the condition is known: values in a row are one part as
  // long as that says what the condition is; what does not would be cut here again and again. Up to where
  // they are too many. Other loops' parts, as each row of a dilated array, ask for the same again.
  const std::vector<int64_t>& cuts_of(const InRange& in, int var) {
    Condition& condition = conditions_.at(&in);
    const auto [known, fresh] = condition.cuts.try_emplace(std::pair(var, ranges_of(condition)));
    std::vector<int64_t>& cuts = known->second;
    if (!fresh) return cuts;
    const auto whole = domain_.at(var);
    for (int64_t begin = whole.first; begin < whole.second;
         begin = part_end(in, var, {begin, whole.second})) {
      cuts.push_back(begin);
      if (may_cut() && static_cast<int64_t>(cuts.size()) <= most_parts_ - parts_) continue;
      cuts.clear();
      break;
    }
    domain_[var] = whole;
    return cuts;
  }

  // How far from `values.first` on the condition is known; at least one value. What is known of values in a
  // row is known of fewer, so that the end is found in steps that double, and then by halving: there may be
  // millions of values.
  int64_t part_end(const InRange& in, int var, std::pair<int64_t, int64_t> values) {
    const auto known = [&](int64_t end) {
      domain_[var] = {values.first, end};
      return decide(in) != Known::kMaybe;
    };
    int64_t good = values.first + 1, bad = values.second + 1;
    for (int64_t width = 2; good < values.second && bad > values.second; width *= 2) {
      const int64_t end = std::min(values.first + width, values.second);
      (known(end) ? good : bad) = end;
    }
    while (bad <= values.second && good + 1 < bad) {
      const int64_t middle = good + (bad - good) / 2;
      (known(middle) ? good : bad) = middle;
    }
    return good;
  }
  int64_t size_of(int var) const { return domain_.at(var).second - domain_.at(var).first; }

  // Forwards for what is known, then backwards for what is needed.
  void go_through(const Block& block, const Loop* loop) {
    steps += static_cast<int64_t>(block.stmts.size());
    for (const Stmt& stmt : block.stmts) {
      if (auto* in = std::get_if<InRange>(&stmt.node)) {
        at(in->result) = {.holds = decide(*in)};
      } else if (auto* load = std::get_if<Load>(&stmt.node)) {
        const bool none = load->predicate != kNone && at(load->predicate).holds == Known::kFalse;
        at(load->result) = {.zero = none};
      } else if (auto* let = std::get_if<Let>(&stmt.node)) {
        at(let->result) = {};
        learn(*let);
      } else if (auto* literal = std::get_if<Literal>(&stmt.node)) {
        at(literal->result) = {.zero =
                                   literal->value.get_complex(0) == 0.0};  // a padding that a select names
      } else {
        for (ScalarId id : results(stmt)) at(id) = {};
      }
    }
    if (loop != nullptr) need_carries(*loop);
    for (size_t i = block.stmts.size(); i-- > 0;) {
      const Stmt& stmt = block.stmts[i];
      if (auto* s = std::get_if<Load>(&stmt.node)) {
        if (!at(s->result).needed || at(s->result).zero) continue;
        read(*s);
        need(uses(kernel, stmt));
      } else if (auto* s = std::get_if<Store>(&stmt.node)) {
        touch(s->buffer, s->offset);
        need(uses(kernel, stmt));
      } else if (auto* s = std::get_if<Let>(&stmt.node)) {
        if (at(s->result).needed) compute(*s);
      } else if (auto* inner = std::get_if<Loop>(&stmt.node)) {
        run(*inner);
      } else if (!std::holds_alternative<Prefetch>(stmt.node)) {
        need(uses(kernel, stmt));
      }
    }
  }

  void learn(const Let& let) {
    const auto operand = [&](size_t i) -> const Scalar& { return at(let.operands[i]); };
    const ir::OpRecord& record = *let.record;
    Scalar& result = at(let.result);
    const auto both = [&](Known one, Known other) {  // of `and`, where one is enough not to hold
      const Known a = operand(0).holds, b = operand(1).holds;
      if (a == one || b == one) return one;
      return a == other && b == other ? other : Known::kMaybe;
    };
    const bool condition = kernel.scalars[static_cast<size_t>(let.result)] == DType::kPred;
    if (condition && ops::is<ops::AndOp>(record)) result.holds = both(Known::kFalse, Known::kTrue);
    if (condition && ops::is<ops::OrOp>(record)) result.holds = both(Known::kTrue, Known::kFalse);
    if (condition && ops::is<ops::NotOp>(record)) {
      const Known holds = operand(0).holds;
      result.holds = holds == Known::kMaybe ? holds : holds == Known::kTrue ? Known::kFalse : Known::kTrue;
    }
    // An index is compared with what it has been clamped to.
    if (ops::is<ops::CompareOp>(record) && let.attributes.get<std::string>("direction") == "eq") {
      for (ScalarId id : let.operands)
        result.in_array = result.in_array || is_place_[static_cast<size_t>(id)];
    }
    if (condition && ops::is<ops::AndOp>(record))
      result.in_array = operand(0).in_array && operand(1).in_array;
    if (ops::is<ops::SelectOp>(record) && operand(0).holds != Known::kMaybe) {
      const Scalar& chosen = operand(operand(0).holds == Known::kTrue ? 1 : 2);
      result.zero = chosen.zero;
      result.void_term = chosen.void_term;
    }
    if (ops::is<ops::ConvertOp>(record)) {
      result.zero = operand(0).zero;
      result.void_term = operand(0).void_term;
    }
    if (ops::is<ops::MulOp>(record)) result.void_term = operand(0).zero || operand(1).zero;
    if (ops::is<ops::AddOp>(record)) result.void_term = operand(0).void_term && operand(1).void_term;
  }

  void need(const std::vector<ScalarId>& ids) {
    for (ScalarId id : ids) at(id).needed = true;
  }

  void compute(const Let& let) {
    const bool adds = ops::is<ops::AddOp>(*let.record), selects = ops::is<ops::SelectOp>(*let.record);
    if (selects && at(let.operands[0]).holds != Known::kMaybe)  // which of some pieces this is
      return need({let.operands[at(let.operands[0]).holds == Known::kTrue ? 1 : 2]});
    const bool none[] = {at(let.operands[0]).void_term, at(let.operands.back()).void_term};
    if (adds && none[0] && none[1]) return;
    if (adds && (none[0] || none[1])) return need({let.operands[none[0] ? 1 : 0]});
    const bool asks_for_place = selects && at(let.operands[0]).in_array;
    if (is_float(kernel.scalars[static_cast<size_t>(let.result)]) && !stores_narrow(let) && !asks_for_place)
      count(let.result);
    need(let.operands);
  }

  // Of the terms of a sum those that are none are not added; all other carries are wanted.
  void need_carries(const Loop& loop) {
    const std::vector<Stmt>& joining = loop.combiner.body.stmts;
    const auto* sum = joining.size() == 1 ? std::get_if<Let>(&joining[0].node) : nullptr;
    if (loop.kind == LoopKind::kReduce && sum != nullptr && ops::is<ops::AddOp>(*sum->record) &&
        loop.carries.size() == 1 && at(loop.carries[0].next).void_term)
      return;
    for (const Carry& carry : loop.carries) at(carry.next).needed = true;
    if (joins_parts(loop)) return;
    for (const Stmt& stmt : joining) {
      const auto* let = std::get_if<Let>(&stmt.node);
      if (let == nullptr || !is_float(kernel.scalars[static_cast<size_t>(let->result)]) ||
          stores_narrow(*let))
        continue;
      if (loop.carries.size() == 1 && joining.size() == 1)
        count(loop.carries[0].result);
      else
        flops = add_extents(flops, all_points());
    }
  }

  // Whether it joins what a loop inside of it has joined by the same operation: a sum over several
  // dimensions, which has as many additions as terms, where each part of it counts one to begin with.
  static bool joins_parts(const Loop& loop) {
    const auto operation = [](const Loop& l) -> const ir::OpRecord* {
      const std::vector<Stmt>& stmts = l.combiner.body.stmts;
      const auto* let =
          l.carries.size() == 1 && stmts.size() == 1 ? std::get_if<Let>(&stmts[0].node) : nullptr;
      return let == nullptr ? nullptr : let->record;
    };
    if (loop.kind != LoopKind::kReduce || operation(loop) == nullptr) return false;
    return std::any_of(loop.body.stmts.begin(), loop.body.stmts.end(), [&](const Stmt& stmt) {
      const auto* inner = std::get_if<Loop>(&stmt.node);
      return inner != nullptr && inner->kind == LoopKind::kReduce && operation(*inner) == operation(loop) &&
             inner->carries[0].result == loop.carries[0].next;
    });
  }

  bool has_stores(const Loop& loop) {
    auto [known, fresh] = has_stores_.try_emplace(&loop, false);
    if (!fresh) return known->second;
    bool found = false;
    for (const Stmt& stmt : loop.body.stmts) {
      const auto* inner = std::get_if<Loop>(&stmt.node);
      found = found || std::holds_alternative<Store>(stmt.node) || (inner != nullptr && has_stores(*inner));
    }
    return has_stores_[&loop] = found;
  }

  void run(const Loop& loop) {
    BufferId input = kNone;
    if (const Store* store = copying_store(kernel, loop, input)) {
      copies.emplace(input, store->buffer);
      if (updated.count({input, store->buffer}) > 0) return;
    }
    const bool wanted = has_stores(loop) || std::any_of(loop.carries.begin(), loop.carries.end(),
                                                        [&](const Carry& c) { return at(c.result).needed; });
    if (!wanted || loop.extent == 0) return;
    for (const Carry& carry : loop.carries) {
      at(carry.init).needed = true;
      if (carry.arg != kNone) at(carry.arg) = {};
    }
    if (loop.steps != kNone) at(loop.steps).needed = true;
    // Of a loop that ends when it may, what it does at least.
    const int64_t points = loop.running.empty() ? loop.extent : 1;
    domain_[loop.var] = {0, points};
    extents_[loop.var] = points;
    visit(loop.body, &loop);
    domain_.erase(loop.var);
  }

  using Ranges = std::vector<std::pair<int64_t, int64_t>>;
  // What is known of a condition on variables of loops, by their ranges: parts of other loops ask again.
  struct Condition {
    bool seen = false, bound = false;  // bound: it hangs on values of arrays
    std::vector<int> vars;
    std::map<Ranges, Known> known;
    std::map<std::pair<int, Ranges>, std::vector<int64_t>> cuts;  // along a variable
  };
  Ranges ranges_of(const Condition& condition) const {
    Ranges ranges;
    for (int var : condition.vars) ranges.push_back(domain_.at(var));
    return ranges;
  }

  const int64_t most_parts_;
  std::map<const InRange*, Condition> conditions_;
  std::vector<Scalar> scalars_;
  const ValueNumbers numbers_;
  std::vector<bool> is_place_;  // by scalar
  std::set<std::pair<int, std::vector<std::pair<int, std::pair<int64_t, int64_t>>>>> counted_;
  Domain domain_;
  std::map<VarId, int64_t> extents_;                      // of loops
  std::map<BufferId, std::map<Index, Access>> accesses_;  // of parameters
  std::map<const Loop*, bool> has_stores_;
  int64_t parts_ = 0;
};

}  // namespace

int64_t count_work(Kernel& kernel, int64_t most_parts) {
  const std::optional<Kernel> cut = cut_by_residues(kernel);
  const Kernel& counted = cut ? *cut : kernel;
  Counter counter(counted, most_parts);
  kernel.bytes_read = kernel.bytes_written = 0;
  kernel.parameter_bytes.clear();
  for (BufferId buffer = 0; buffer < kernel.input_count + kernel.output_count; ++buffer) {
    const int64_t bytes = counter.bytes_of(buffer);
    kernel.parameter_bytes.push_back(bytes);
    (buffer < kernel.input_count ? kernel.bytes_read : kernel.bytes_written) += bytes;
  }
  kernel.copied_first.clear();
  // What one pair saves another one does not change, unless they have an array in common.
  std::vector<Copies> apart;
  for (const auto& pair : counter.copies) {
    const auto found = std::find_if(apart.begin(), apart.end(), [&](const Copies& others) {
      return std::none_of(others.begin(), others.end(), [&](const auto& other) {
        return other.first == pair.first || other.second == pair.second;
      });
    });
    (found == apart.end() ? apart.emplace_back() : *found).insert(pair);
  }
  int64_t steps = counter.steps;
  for (const Copies& pairs : apart) {
    const Counter in_place(counted, most_parts, pairs);
    steps += in_place.steps;
    for (const auto& [input, output] : pairs)
      kernel.copied_first.push_back({input, output, counter.bytes_of(input) - in_place.bytes_of(input),
                                     counter.bytes_of(output) - in_place.bytes_of(output)});
  }
  std::sort(kernel.copied_first.begin(), kernel.copied_first.end(), [](const auto& a, const auto& b) {
    return std::pair(a.input, a.output) < std::pair(b.input, b.output);
  });
  kernel.report = {kind_of(kernel), counter.flops};
  return steps;
}

}  // namespace ingot::kernel
