// Where the elements of an operand lie apart, each place of a window's has steps of its own, of which some
// have no term: past the window's end both operands count as zero, so that an infinite one makes no NaN.
//
//   %5 = 0 <= 2*k + {1,0}[i mod 2] < 7           the step is there
//   x = load lhs[...] if and(place, %5)          becomes   x' = load lhs[...] if place
//   w = load rhs[...] if %5                                x = select(%5, x', 0)
//
// The copy of what windows reach then knows places alone, and serves all steps.
#include "kernel/schedule/windows/step_conditions.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "kernel/ir/blocks.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

class StepConditions {
 public:
  StepConditions(Kernel& kernel, Block& body, const std::set<VarId>& band)
      : kernel_(kernel), body_(body), band_(band) {
    for (const Stmt& stmt : body.stmts) {
      for (ScalarId id : results(stmt)) makers_[id] = &stmt;
    }
  }

  std::set<ScalarId> run() {
    std::set<ScalarId> found;
    Block result;
    for (const Stmt& stmt : body_.stmts) {
      const auto* load = std::get_if<Load>(&stmt.node);
      std::vector<ScalarId> steps, places;
      if (load != nullptr && load->predicate != kNone) {
        for (ScalarId id : conditions(load->predicate)) (is_place(id) ? places : steps).push_back(id);
      }
      if (steps.empty() || places.empty() || !asked_elsewhere(steps, *load) ||
          !stays_inside(*load, steps, places)) {
        result.stmts.push_back(stmt);
        continue;
      }
      Load bare = *load;
      const DType dtype = kernel_.scalars[static_cast<size_t>(load->result)];
      const ScalarId zero = kernel_.add_scalar(dtype), read = kernel_.add_scalar(dtype);
      bare.result = read;
      bare.predicate = all_of(places, result);
      const ScalarId there = all_of(steps, result);
      found.insert(there);
      result.stmts.push_back({std::move(bare)});
      result.stmts.push_back({Literal{zero, Tensor(dtype, {})}});
      result.stmts.push_back({Let{load->result, ir::find_record("select"), {there, read, zero}, {}}});
    }
    if (!found.empty()) body_ = std::move(result);
    return found;
  }

 private:
  // What must hold for all of it to hold.
  std::set<ScalarId> conditions(ScalarId predicate) const {
    const auto maker = makers_.find(predicate);
    const auto* let = maker == makers_.end() ? nullptr : std::get_if<Let>(&maker->second->node);
    if (let == nullptr || !ops::is<ops::AndOp>(*let->record)) return {predicate};
    std::set<ScalarId> found;
    for (ScalarId id : let->operands) found.merge(conditions(id));
    return found;
  }

  // The variables that a condition of a range looks at; none of others.
  std::optional<std::set<VarId>> asked_of(ScalarId id) const {
    const auto maker = makers_.find(id);
    const auto* range = maker == makers_.end() ? nullptr : std::get_if<InRange>(&maker->second->node);
    if (range == nullptr) return std::nullopt;
    std::vector<int> vars;
    range->index.collect_variables(vars);
    return std::set<VarId>(vars.begin(), vars.end());
  }

  bool is_place(ScalarId id) const {
    const std::optional<std::set<VarId>> asked = asked_of(id);
    return !asked ||
           std::any_of(asked->begin(), asked->end(), [&](VarId var) { return band_.count(var) > 0; });
  }

  // Whether the load stays inside of its array without the conditions on steps: what they look at and the
  // address depends on, the places' ranges bound as well.
  bool stays_inside(const Load& load, const std::vector<ScalarId>& steps,
                    const std::vector<ScalarId>& places) const {
    std::set<VarId> bounded;
    for (ScalarId id : places) bounded.merge(asked_of(id).value_or(std::set<VarId>()));
    return std::all_of(steps.begin(), steps.end(), [&](ScalarId id) {
      const std::set<VarId> asked = *asked_of(id);
      return std::all_of(asked.begin(), asked.end(),
                         [&](VarId var) { return !load.offset.uses(var) || bounded.count(var) > 0; });
    });
  }

  // Whether another operand is there under these conditions too.
  bool asked_elsewhere(const std::vector<ScalarId>& steps, const Load& load) const {
    for (const Stmt& stmt : body_.stmts) {
      const auto* other = std::get_if<Load>(&stmt.node);
      if (other == nullptr || other->result == load.result || other->predicate == kNone) continue;
      const std::set<ScalarId> asked = conditions(other->predicate);
      bool all = true;
      for (ScalarId id : steps) all = all && asked.count(id) > 0;
      if (all) return true;
    }
    return false;
  }

  ScalarId all_of(const std::vector<ScalarId>& conditions, Block& block) {
    ScalarId all = conditions.front();
    for (size_t i = 1; i < conditions.size(); ++i) {
      const ScalarId both = kernel_.add_scalar(DType::kPred);
      block.stmts.push_back({Let{both, ir::find_record("and"), {all, conditions[i]}, {}}});
      all = both;
    }
    return all;
  }

  Kernel& kernel_;
  Block& body_;
  const std::set<VarId>& band_;
  std::unordered_map<ScalarId, const Stmt*> makers_;
};

}  // namespace

std::set<ScalarId> separate_step_conditions(Kernel& kernel, Block& body, const std::set<VarId>& band) {
  return StepConditions(kernel, body, band).run();
}

}  // namespace ingot::kernel
