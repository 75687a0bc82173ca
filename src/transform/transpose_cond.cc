// The transpose of a linear cond takes the same branch: from cotangents of its results to those of its linear
// arguments, which are zero where the branch does not use them. Lanes stay as they are. What all lanes share
// gets a cotangent of each of them, and these are summed.
//
// Of while loops only one is transposed: the one that may take no step (differentiate_while.cc), which hands
// on cotangents as it hands on tangents.
#include <algorithm>

#include "ops/control.h"
#include "ops/derivatives.h"
#include "transform/regions_builder.h"
#include "transform/transpose.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CondOp;
using ops::WhileOp;

void RegionTransposer::cond(const Op& op) {
  const CondOp cond(op);
  const std::vector<Value*> given = cotangents_of(op);
  struct Branch {
    std::unique_ptr<Region> draft;
    std::unique_ptr<RegionTransposer> inner;
    std::vector<Value*> cotangents;  // of the branch's results
  };
  std::vector<Branch> branches;
  std::vector<Region*> drafts;
  std::vector<bool> wanted(static_cast<size_t>(cond.argument_count()), false);
  for (int b = 0; b < cond.branch_count(); ++b) {
    const Region& source = cond.branch(b);
    Branch& branch = branches.emplace_back();
    branch.draft = target_.function()->make_region();
    branch.inner = std::make_unique<RegionTransposer>(shared_, source, *branch.draft, provenance_);
    for (int i = 0; i < op.result_count(); ++i) {
      const Value* result = source.results()[static_cast<size_t>(i)];
      branch.cotangents.push_back(given[static_cast<size_t>(i)] == nullptr
                                      ? nullptr
                                      : branch.draft->add_argument(result->type(), result->name() + "_ct"));
    }
    for (int i = 0; i < cond.argument_count(); ++i) {
      const Value* argument = source.argument(i);
      if (is_linear(i + 1))
        branch.inner->bind_linear(argument);
      else
        branch.inner->bind(argument, branch.draft->add_argument(argument->type(), argument->name()));
    }
    branch.inner->run(branch.cotangents);
    for (int i = 0; i < cond.argument_count(); ++i) {
      const auto k = static_cast<size_t>(i);
      wanted[k] = wanted[k] || branch.inner->cotangent(source.argument(i)) != nullptr;
    }
    drafts.push_back(branch.draft.get());
  }
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
  for (int b = 0; b < cond.branch_count(); ++b) {
    Branch& branch = branches[static_cast<size_t>(b)];
    std::vector<Value*> results;
    for (int i = 0; i < cond.argument_count(); ++i) {
      const Value* argument = cond.branch(b).argument(i);
      if (wanted[static_cast<size_t>(i)])
        results.push_back(branch.inner->or_zeros(branch.inner->cotangent(argument), argument->type()));
    }
    branch.draft->set_results(results);
  }

  RegionsBuilder builder(drafts, cond.lanes());
  builder.index(known(0));
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr) continue;
    std::vector<Value*> inside;
    for (const Branch& branch : branches) inside.push_back(branch.cotangents[i]);
    builder.argument(std::move(inside), given[i], cond.lanes().any());
  }
  for (int i = 0; i < cond.argument_count(); ++i) {
    if (is_linear(i + 1)) continue;
    std::vector<Value*> inside;
    bool used = false;
    for (int b = 0; b < cond.branch_count(); ++b) {
      inside.push_back(branches[static_cast<size_t>(b)].inner->known_value(cond.branch(b).argument(i)));
      used = used || inside.back()->used();
    }
    if (used) builder.argument(std::move(inside), known(i + 1), cond.lanes().is_mapped(i + 1));
  }
  RegionsBuilder::Result made = builder.finish();
  ir::Builder emitter(target_);
  emitter.set_provenance(provenance_);
  const Op* transposed = emitter.make("cond", made.operands, made.of_cond(), std::move(made.regions));
  ir::IntList all_lanes;
  for (int64_t axis = 0; axis < cond.lanes().rank(); ++axis) all_lanes.push_back(axis);
  int next = 0;
  for (int i = 0; i < cond.argument_count(); ++i) {
    if (!wanted[static_cast<size_t>(i)]) continue;
    Value* cotangent = transposed->result(next++);
    const bool shared = cond.lanes().any() && !cond.lanes().is_mapped(i + 1);
    add(i + 1, shared ? ops::sum_over(*this, cotangent, all_lanes) : cotangent);
  }
}

void RegionTransposer::while_of_no_steps(const Op& op) {
  const WhileOp loop(op);
  if (loop.form().max_steps != 0) {
    throw Error(
        ir::line_of(op.provenance()) +
        "while: reverse mode cannot go back through a loop over tangents whose number of steps is not "
        "known; a rule given to custom_jvp may hold a scan instead");
  }
  std::vector<Value*> carried = cotangents_of(op);
  for (int k = 0; k < loop.carry_count(); ++k) {
    if (!is_linear(k)) carried[static_cast<size_t>(k)] = nullptr;
  }
  if (std::all_of(carried.begin(), carried.end(), [](const Value* v) { return v == nullptr; })) return;
  RegionsBuilder::Result made =
      loop_of_no_steps(loop, *target_.function(), carried, [&](int i) { return known(i); });
  ir::Builder emitter(target_);
  emitter.set_provenance(provenance_);
  const Op* transposed =
      emitter.make("while", made.operands, made.of_while(loop.form()), std::move(made.regions));
  int next = 0;
  for (int k = 0; k < loop.carry_count(); ++k) {
    if (carried[static_cast<size_t>(k)] != nullptr) add(k, transposed->result(next++));
  }
}

}  // namespace ingot::transform
