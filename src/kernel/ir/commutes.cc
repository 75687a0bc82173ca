// A combiner is known to commute in two ways.
//
// - It is the same expression with both sides exchanged, where operands of what commutes have no order:
//   a sum, a product of complex numbers.
// - It chooses between both sides by comparing them. Then all that it can see of two values is which is the
//   less one, whether they are equal, and which of them are NaN: it is evaluated for all of these cases, and
//   must choose the same element whichever side that is on.
#include "kernel/ir/commutes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/reductions.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

template <class T>
bool is(const Let& let) {
  return ops::is<T>(*let.record);
}

// --- the same expression

class Expressions {
 public:
  explicit Expressions(const Combiner& combiner) : combiner_(combiner) {}

  bool symmetric() { return numbers(combiner_.lhs, combiner_.rhs) == numbers(combiner_.rhs, combiner_.lhs); }

 private:
  // Of the results, where the left side is `first` and the right one `second`. Equal expressions have one.
  std::vector<int> numbers(const std::vector<ScalarId>& first, const std::vector<ScalarId>& second) {
    std::map<ScalarId, int> known;
    for (size_t c = 0; c < first.size(); ++c) {
      known[first[c]] = static_cast<int>(2 * c);
      known[second[c]] = static_cast<int>(2 * c + 1);
    }
    const auto number = [&](ScalarId id) {  // what is made outside is what it is
      const auto found = known.find(id);
      return found != known.end() ? found->second : -1 - id;
    };
    for (const Stmt& stmt : combiner_.body.stmts) {
      const auto* let = std::get_if<Let>(&stmt.node);
      if (let == nullptr) continue;
      std::vector<int> operands;
      for (const ScalarId id : let->operands) operands.push_back(number(id));
      known[let->result] = number_of(*let, std::move(operands));
    }
    std::vector<int> results;
    for (const ScalarId id : combiner_.out) results.push_back(number(id));
    return results;
  }

  int number_of(const Let& let, std::vector<int> operands) {
    std::string form(let.record->name);
    if (is<ops::CompareOp>(let)) {
      form += ops::CompareOp::direction(let.attributes);
      if (form.ends_with("eq") || form.ends_with("ne")) std::sort(operands.begin(), operands.end());
    } else {
      if (is_any_order(let)) std::sort(operands.begin(), operands.end());
      size_t which = 0;
      while (which < attributes_.size() && !(attributes_[which] == let.attributes)) ++which;
      if (which == attributes_.size()) attributes_.push_back(let.attributes);
      form += " " + std::to_string(which);
    }
    const auto [found, added] = expressions_.try_emplace({std::move(form), std::move(operands)}, fresh_);
    fresh_ += added ? 1 : 0;
    return found->second;
  }

  static bool is_any_order(const Let& let) {
    return ops::is_any<ops::AddOp, ops::MulOp, ops::MaxOp, ops::MinOp, ops::AndOp, ops::OrOp, ops::XorOp>(
        *let.record);
  }

  const Combiner& combiner_;
  std::map<std::pair<std::string, std::vector<int>>, int> expressions_;
  std::vector<ir::Attributes> attributes_;
  int fresh_ = 1 << 20;  // past the numbers of arguments
};

// --- a choice

// What comparisons see of a left and a right value.
enum class Relation : uint8_t { kLess, kGreater, kEqual, kLeftNan, kRightNan, kBothNan };

bool compares(const std::string& direction, Relation r) {
  const bool nan = r == Relation::kLeftNan || r == Relation::kRightNan || r == Relation::kBothNan;
  if (direction == "ne") return r != Relation::kEqual;
  if (nan) return false;
  if (direction == "eq") return r == Relation::kEqual;
  if (r == Relation::kEqual) return direction == "le" || direction == "ge";
  return (r == Relation::kLess) == (direction[0] == 'l');
}

Relation exchanged(Relation r) {
  switch (r) {
    case Relation::kLess:
      return Relation::kGreater;
    case Relation::kGreater:
      return Relation::kLess;
    case Relation::kLeftNan:
      return Relation::kRightNan;
    case Relation::kRightNan:
      return Relation::kLeftNan;
    default:
      return r;
  }
}

class Choice {
 public:
  Choice(const Kernel& kernel, const Loop& reduction) : kernel_(kernel), combiner_(reduction.combiner) {
    for (size_t c = 0; c < combiner_.lhs.size(); ++c) {
      sides_[combiner_.lhs[c]] = {c, false};
      sides_[combiner_.rhs[c]] = {c, true};
      std::vector<Relation> seen{Relation::kLess, Relation::kGreater};
      if (!rises(kernel, reduction, c)) seen.push_back(Relation::kEqual);
      if (!is_integer(dtype(c)))
        seen.insert(seen.end(), {Relation::kLeftNan, Relation::kRightNan, Relation::kBothNan});
      relations_.push_back(std::move(seen));
    }
    for (const Stmt& stmt : combiner_.body.stmts) {
      if (const auto* let = std::get_if<Let>(&stmt.node)) makers_[let->result] = let;
      if (const auto* literal = std::get_if<Literal>(&stmt.node)) literals_[literal->result] = literal;
    }
  }

  bool commutes() {
    size_t cases = 1;
    for (const auto& seen : relations_) cases *= seen.size();
    if (cases > kMostCases) return false;
    for (size_t n = 0; n < cases; ++n) {
      std::vector<Relation> here, there;
      for (size_t c = 0, rest = n; c < relations_.size(); rest /= relations_[c++].size()) {
        here.push_back(relations_[c][rest % relations_[c].size()]);
        there.push_back(exchanged(here.back()));
      }
      for (size_t c = 0; c < combiner_.out.size(); ++c) {
        const std::optional<bool> x = right_of(combiner_.out[c], c, here),
                                  y = right_of(combiner_.out[c], c, there);
        if (!x || !y) return false;
        // Equal numbers are one; of floats one zero may be -0.
        if (*x == *y && !(here[c] == Relation::kEqual && is_integer(dtype(c)))) return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t kMostCases = 1296;  // four floats
  static constexpr int kDeepest = 64;

  DType dtype(size_t c) const { return kernel_.scalars[static_cast<size_t>(combiner_.lhs[c])]; }

  // Whether it is the right side's value of this carry; nothing where it is neither side's.
  std::optional<bool> right_of(ScalarId id, size_t c, const std::vector<Relation>& relations,
                               int depth = 0) const {
    if (const auto side = sides_.find(id); side != sides_.end())
      return side->second.first == c ? std::optional(side->second.second) : std::nullopt;
    const Let* let = made(id, depth);
    if (let == nullptr || !is<ops::SelectOp>(*let)) return std::nullopt;
    const std::optional<bool> first = holds(let->operands[0], relations, depth + 1);
    return first ? right_of(let->operands[*first ? 1 : 2], c, relations, depth + 1) : std::nullopt;
  }

  std::optional<bool> holds(ScalarId id, const std::vector<Relation>& relations, int depth) const {
    if (const auto literal = literals_.find(id); literal != literals_.end())
      return literal->second->value.get_int(0) != 0;
    const Let* let = made(id, depth);
    if (let == nullptr) return std::nullopt;
    const std::vector<ScalarId>& x = let->operands;
    if (is<ops::CompareOp>(*let)) return compared(*let, relations);
    std::optional<bool> a = holds(x[0], relations, depth + 1);
    if (!a) return std::nullopt;
    if (is<ops::NotOp>(*let)) return !*a;
    if (is<ops::SelectOp>(*let)) return holds(x[*a ? 1 : 2], relations, depth + 1);
    if (!ops::is_any<ops::AndOp, ops::OrOp, ops::XorOp>(*let->record)) return std::nullopt;
    const std::optional<bool> b = holds(x[1], relations, depth + 1);
    if (!b) return std::nullopt;
    return is<ops::AndOp>(*let) ? *a && *b : is<ops::OrOp>(*let) ? *a || *b : *a != *b;
  }

  std::optional<bool> compared(const Let& let, const std::vector<Relation>& relations) const {
    const auto a = sides_.find(let.operands[0]), b = sides_.find(let.operands[1]);
    if (a == sides_.end() || b == sides_.end() || a->second.first != b->second.first) return std::nullopt;
    const bool a_is_right = a->second.second, b_is_right = b->second.second;
    const Relation relation = relations[a->second.first];
    const std::string& direction = ops::CompareOp::direction(let.attributes);
    if (a_is_right == b_is_right) {  // with itself: is it NaN?
      const bool nan = relation == Relation::kBothNan ||
                       relation == (a_is_right ? Relation::kRightNan : Relation::kLeftNan);
      return compares(direction, nan ? Relation::kBothNan : Relation::kEqual);
    }
    return compares(direction, a_is_right ? exchanged(relation) : relation);
  }

  const Let* made(ScalarId id, int depth) const {
    const auto maker = makers_.find(id);
    return maker == makers_.end() || depth > kDeepest ? nullptr : maker->second;
  }

  const Kernel& kernel_;
  const Combiner& combiner_;
  std::map<ScalarId, std::pair<size_t, bool>> sides_;  // the carry, and whether it is the right one
  std::vector<std::vector<Relation>> relations_;       // that each carry may have
  std::map<ScalarId, const Let*> makers_;
  std::map<ScalarId, const Literal*> literals_;
};

// --- by place

std::optional<size_t> place_of(const Kernel& kernel, const Loop& reduction) {
  for (size_t c = 0; c < reduction.carries.size(); ++c) {
    if (rises(kernel, reduction, c)) return c;
  }
  return std::nullopt;
}

}  // namespace

bool commutes(const Kernel& kernel, const Loop& reduction) {
  return Expressions(reduction.combiner).symmetric() || Choice(kernel, reduction).commutes();
}

bool knows_order(const Kernel& kernel, const Loop& reduction) {
  return commutes(kernel, reduction) || place_of(kernel, reduction).has_value();
}

void order_by_place(Kernel& kernel, Loop& reduction) {
  if (commutes(kernel, reduction)) return;
  Combiner& combiner = reduction.combiner;
  const size_t place = place_of(kernel, reduction).value();
  const ScalarId first = kernel.add_scalar(DType::kPred);
  Block body = combiner.body;
  const std::vector<ScalarId> other = combine(kernel, combiner, combiner.rhs, combiner.lhs, body);
  body.stmts.push_back({Let{first,
                            ir::find_record("compare"),
                            {combiner.lhs[place], combiner.rhs[place]},
                            {{"direction", std::string("lt")}}}});
  for (size_t c = 0; c < combiner.out.size(); ++c) {
    const ScalarId chosen = kernel.add_scalar(kernel.scalars[static_cast<size_t>(combiner.out[c])]);
    body.stmts.push_back({Let{chosen, ir::find_record("select"), {first, combiner.out[c], other[c]}, {}}});
    combiner.out[c] = chosen;
  }
  combiner.body = std::move(body);
}

}  // namespace ingot::kernel
