// Derivatives of branches: each branch is differentiated by itself, as the function that it is.
//
// The jvp of a cond is one cond over values and tangents side by side. A result has a tangent if it has one
// in any branch; in the others that is zero. The linearisation is two: the forward cond returns, besides its
// own results, what the linear branches need of it, and the linear cond takes the same branch by the same
// index. Of what a linear branch needs, arguments and results of the cond are at hand. For the rest branches
// share results (SharedResults), and a branch returns zeros where only others have something to hand over.
//
// Lanes are left as they are: regions are those of one lane, tangents are mapped where their values are, and
// all that a branch hands over is mapped. So nothing of a branch that a lane does not take, or of a lane that
// does not take a branch, can get into a derivative.
#include <algorithm>
#include <map>

#include "ir/op_record.h"
#include "ops/control.h"
#include "transform/differentiate.h"
#include "transform/regions_builder.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CondOp;

namespace {

// What each branch has for argument i.
template <class Branch>
std::vector<Value*> of_each(const std::vector<Branch>& branches, std::vector<Value*> Branch::*side, int i) {
  std::vector<Value*> values;
  for (const Branch& branch : branches) values.push_back((branch.*side)[static_cast<size_t>(i)]);
  return values;
}

}  // namespace

// A branch, written into drafts; for a jvp they are one region.
struct RegionDifferentiator::Branch {
  const Region* source;
  std::unique_ptr<Region> forward, linear;
  std::unique_ptr<RegionDifferentiator> inner;
  Values arguments, tangents;  // of the two regions, by argument of the cond; null where there is none

  Value* result(int i) const { return source->results()[static_cast<size_t>(i)]; }
};

std::vector<RegionDifferentiator::Branch> RegionDifferentiator::empty_branches(const Op& op) {
  const CondOp cond(op);
  std::vector<Branch> branches;
  for (int b = 0; b < cond.branch_count(); ++b) {
    Branch& branch = branches.emplace_back();
    branch.source = &cond.branch(b);
    branch.forward = forward_.function()->make_region();
    if (splits()) branch.linear = linear_.function()->make_region();
    branch.inner = std::make_unique<RegionDifferentiator>(
        shared_, *branch.forward, splits() ? *branch.linear : *branch.forward, provenance_);
  }
  return branches;
}

std::vector<RegionDifferentiator::Branch> RegionDifferentiator::differentiated_branches(const Op& op) {
  const CondOp cond(op);
  std::vector<Branch> branches = empty_branches(op);
  for (Branch& branch : branches) {
    Region& linear = splits() ? *branch.linear : *branch.forward;
    for (int i = 0; i < cond.argument_count(); ++i) {
      const Value* argument = branch.source->argument(i);
      branch.arguments.push_back(branch.forward->add_argument(argument->type(), argument->name()));
      branch.tangents.push_back(tangent(cond.argument(i)) == nullptr
                                    ? nullptr
                                    : linear.add_argument(argument->type(), argument->name() + "_t"));
      branch.inner->bind(argument, branch.arguments.back(), branch.tangents.back());
    }
    branch.inner->run(*branch.source);
  }
  return branches;
}

// The results whose tangent is wanted and not zero in all branches.
std::vector<int> RegionDifferentiator::with_tangent(const Op& op, const std::vector<Branch>& branches) {
  std::vector<int> list;
  for (const Value* result : op.results()) {
    const auto has_one = [&](const Branch& branch) {
      return branch.inner->tangent(branch.result(result->index())) != nullptr;
    };
    if (result->used() && std::any_of(branches.begin(), branches.end(), has_one))
      list.push_back(result->index());
  }
  return list;
}

void RegionDifferentiator::cond_of_jvp(const Op& op) {
  const CondOp cond(op);
  const std::vector<Branch> branches = differentiated_branches(op);
  const std::vector<int> tangents = with_tangent(op, branches);
  std::vector<Region*> drafts;
  for (const Branch& branch : branches) {
    Values results;
    for (int i = 0; i < op.result_count(); ++i) results.push_back(branch.inner->primal(branch.result(i)));
    for (int i : tangents) results.push_back(branch.inner->linear_tangent(branch.result(i)));
    branch.forward->set_results(results);
    drafts.push_back(branch.forward.get());
  }
  RegionsBuilder builder(drafts, cond.lanes());
  builder.index(primal(cond.index()));
  for (Values Branch::*side : {&Branch::arguments, &Branch::tangents}) {
    for (int i = 0; i < cond.argument_count(); ++i) {
      const Value* source = cond.argument(i);
      Value* operand = side == &Branch::arguments ? primal(source) : tangent(source);
      if (operand != nullptr)
        builder.argument(of_each(branches, side, i), operand, cond.lanes().is_mapped(i + 1));
    }
  }
  RegionsBuilder::Result made = builder.finish();
  const Op* both = emit_forward("cond", made.operands, made.of_cond(), std::move(made.regions));
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = both->result(i);
  int next = op.result_count();
  for (int i : tangents) set_tangent(op.result(i), both->result(next++));
}

void RegionDifferentiator::cond_linearized(const Op& op) {
  const CondOp cond(op);
  const std::vector<Branch> branches = differentiated_branches(op);
  const std::vector<int> with = with_tangent(op, branches);
  for (const Branch& branch : branches) {
    Values results, linear;
    for (int i = 0; i < op.result_count(); ++i) results.push_back(branch.inner->primal(branch.result(i)));
    for (int i : with) linear.push_back(branch.inner->linear_tangent(branch.result(i)));
    branch.forward->set_results(results);
    branch.linear->set_results(linear);
  }
  Values operands, tangents;
  for (int i = 0; i < cond.argument_count(); ++i) {
    operands.push_back(primal(cond.argument(i)));
    tangents.push_back(tangent(cond.argument(i)));
  }
  const auto [forward, linear] = two_conds(cond, branches, primal(cond.index()), operands, tangents);
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = forward->result(i);
  for (size_t k = 0; k < with.size(); ++k)
    set_tangent(op.result(with[k]), linear->result(static_cast<int>(k)));
}

// A cond in a rule of the user's, which takes tangents among other arguments: what depends on none of them is
// the forward cond's.
RegionDifferentiator::Values RegionDifferentiator::cond_of_rule(const Op& op, const Values& operands) {
  const CondOp cond(op);
  const std::vector<Value*> given(operands.begin() + 1, operands.end());
  std::vector<Branch> branches = empty_branches(op);
  std::vector<Values> results;
  std::vector<bool> linear_results(static_cast<size_t>(op.result_count()), false);
  for (Branch& branch : branches) {
    Values arguments;
    for (size_t i = 0; i < given.size(); ++i) {
      const Value* argument = branch.source->argument(static_cast<int>(i));
      const bool linear = is_linear(given[i]);
      arguments.push_back(
          (linear ? *branch.linear : *branch.forward).add_argument(argument->type(), argument->name()));
      branch.arguments.push_back(linear ? nullptr : arguments.back());
      branch.tangents.push_back(linear ? arguments.back() : nullptr);
    }
    results.push_back(branch.inner->inline_rule(*branch.source, arguments));
    for (size_t i = 0; i < linear_results.size(); ++i)
      linear_results[i] = linear_results[i] || branch.inner->is_linear(results.back()[i]);
  }
  for (size_t b = 0; b < branches.size(); ++b) {
    Values forward, linear;
    for (size_t i = 0; i < linear_results.size(); ++i) {
      if (linear_results[i])
        linear.push_back(branches[b].inner->in_linear(results[b][i]));
      else
        forward.push_back(results[b][i]);
    }
    branches[b].forward->set_results(forward);
    branches[b].linear->set_results(linear);
  }
  Values primals(given.size(), nullptr), tangents(given.size(), nullptr);
  for (size_t i = 0; i < given.size(); ++i) (is_linear(given[i]) ? tangents : primals)[i] = given[i];
  const auto [forward, linear] = two_conds(cond, branches, operands[0], primals, tangents);
  Values made;
  int next_forward = 0, next_linear = 0;
  for (const bool is_linear_result : linear_results)
    made.push_back(is_linear_result ? linear->result(next_linear++) : forward->result(next_forward++));
  return made;
}

// The forward cond, whose first results are those of the forward branches, and the linear one. `operands` and
// `tangents` are what the arguments of the branches stand for.
RegionDifferentiator::TwoConds RegionDifferentiator::two_conds(const CondOp& cond,
                                                               const std::vector<Branch>& branches,
                                                               Value* index, const Values& operands,
                                                               const Values& tangents) {
  const ops::Lanes& lanes = cond.lanes();
  // What the linear branches take besides tangents: which argument or result of the forward cond, or which
  // shared result, and what it is called in each branch.
  enum Kind { kArgument, kResult, kShared };
  std::map<std::pair<Kind, int>, Values> taken;
  SharedResults shared;
  std::vector<Values> kept(branches.size());  // in shared results
  std::vector<std::vector<int>> places;
  for (size_t b = 0; b < branches.size(); ++b) {
    const Branch& branch = branches[b];
    const auto results = branch.forward->results();
    const auto is_free = [&](const Value* value) {
      return value->region() != nullptr || std::find(results.begin(), results.end(), value) != results.end();
    };
    const std::vector<Residual> residuals =
        plan_residuals(*branch.linear, branch.inner->residuals(), is_free);
    for (const Residual& residual : residuals) {
      if (!is_free(residual.value)) kept[b].push_back(residual.value);
    }
    places.push_back(shared.places_for(kept[b]));
    size_t next = 0;
    for (const Residual& residual : residuals) {
      const Value* value = residual.value;
      std::pair<Kind, int> of;
      if (value->region() != nullptr) {
        const auto& own = branch.arguments;
        of = {kArgument, static_cast<int>(std::find(own.begin(), own.end(), value) - own.begin())};
      } else if (is_free(value)) {
        of = {kResult, static_cast<int>(std::find(results.begin(), results.end(), value) - results.begin())};
      } else {
        of = {kShared, places[b][next++]};
      }
      taken.try_emplace(of, branches.size(), nullptr).first->second[b] = residual.argument;
    }
  }

  std::vector<Region*> drafts;
  const int own_results = static_cast<int>(branches[0].forward->results().size());
  for (size_t b = 0; b < branches.size(); ++b) {
    const auto own = branches[b].forward->results();
    Values results(own.begin(), own.end());
    for (Value* value : shared.filled(kept[b], places[b], *branches[b].inner)) results.push_back(value);
    branches[b].forward->set_results(results);
    drafts.push_back(branches[b].forward.get());
  }
  RegionsBuilder forward_builder(drafts, lanes);
  forward_builder.index(index);
  for (int i = 0; i < cond.argument_count(); ++i) {
    if (Value* operand = operands[static_cast<size_t>(i)])
      forward_builder.argument(of_each(branches, &Branch::arguments, i), operand, lanes.is_mapped(i + 1));
  }
  RegionsBuilder::Result made = forward_builder.finish();
  TwoConds both;
  both.forward = emit_forward("cond", made.operands, made.of_cond(), std::move(made.regions));

  drafts.clear();
  for (const Branch& branch : branches) drafts.push_back(branch.linear.get());
  if (drafts[0]->results().empty()) return both;
  RegionsBuilder linear_builder(drafts, lanes);
  linear_builder.index(index);
  for (int i = 0; i < cond.argument_count(); ++i) {
    if (Value* operand = tangents[static_cast<size_t>(i)])
      linear_builder.argument(of_each(branches, &Branch::tangents, i), operand, lanes.is_mapped(i + 1));
  }
  for (const auto& [of, inside] : taken) {
    const auto [kind, i] = of;
    if (kind == kArgument)
      linear_builder.argument(inside, operands[static_cast<size_t>(i)], lanes.is_mapped(i + 1));
    else
      linear_builder.argument(inside, both.forward->result(kind == kResult ? i : own_results + i),
                              lanes.any());
  }
  made = linear_builder.finish();
  both.linear = emit_linear("cond", made.operands, made.of_cond(), std::move(made.regions));
  return both;
}

}  // namespace ingot::transform
