// Loops of unknown length and branches. Each may have lanes (ops/lanes.h).
#include <algorithm>

#include "base/extents.h"
#include "ir/builder.h"
#include "ops/batching.h"
#include "ops/control.h"
#include "ops/lanes.h"
#include "ops/registry.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

// --- while

Types infer_while(const InferContext& context) {
  const int64_t carries = context.attributes.integer("carries");
  if (carries < 0 || carries > static_cast<int64_t>(context.operands.size())) {
    fail("'carries' is ", carries, ", but must be from 0 to ", context.operands.size(),
         ", the number of operands");
  }
  if (context.attributes.has("max_steps") && context.attributes.integer("max_steps") < 0)
    fail("'max_steps' is ", context.attributes.integer("max_steps"), ", but must not be negative");
  if (context.attributes.has("steps_before") && context.attributes.integer("steps_before") < 0)
    fail("'steps_before' is ", context.attributes.integer("steps_before"), ", but must not be negative");
  if (context.attributes.has("at_once") && context.attributes.integer("at_once") < 1)
    fail("'at_once' is ", context.attributes.integer("at_once"), ", but must be positive");
  const Types arguments = lane_types(context, static_cast<int>(carries), "carries");
  for (const ir::Region* region : context.regions)
    want_region_arguments(*region, arguments, "the carries of one lane, the invariants");
  const Types predicate = result_types(*context.regions[0]);
  if (predicate != Types{{DType::kPred, {}}}) {
    fail("the first region must return pred[], whether to take a step, but returns ",
         predicate.size() == 1 ? ir::to_string(predicate[0]) : std::to_string(predicate.size()) + " values");
  }
  const Types next = result_types(*context.regions[1]);
  if (static_cast<int64_t>(next.size()) != carries)
    fail("the second region returns ", next.size(), " values, but must return the ", carries, " carries");
  for (size_t k = 0; k < next.size(); ++k) {
    if (next[k] == arguments[k]) continue;
    fail("carry ", k, " starts as ", arguments[k], ", but the region returns ", next[k],
         " for the next step; they must be equal");
  }
  return {context.operands.begin(), context.operands.begin() + carries};
}

Tensors while_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  const WhileOp loop(op);
  const auto carries = static_cast<size_t>(loop.carry_count());
  return run_lanes(op, loop.lanes(), operands, [&](std::span<const Tensor> of_lane) {
    Tensors arguments(of_lane.begin(), of_lane.end());
    for (int64_t step = 0; evaluator.run(loop.predicate(), arguments)[0].get_int(0) != 0; ++step) {
      if (step == loop.form().max_steps) {
        throw Error(ir::place_of(op) + "the loop goes on after " +
                    std::to_string(
                        add_extents(multiply_extents(step, loop.form().at_once), loop.form().steps_before)) +
                    " steps, the bound 'max_steps'; a larger one, or a loop that ends by then, would do");
      }
      Tensors next = evaluator.run(loop.body(), arguments);
      std::move(next.begin(), next.end(), arguments.begin());
    }
    arguments.resize(carries);
    return arguments;
  });
}

// Carries that a step makes batched are batched from the start. Where the predicate comes out batched, each
// element ends at its own step: these are lanes.
Batches batch_while(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const WhileOp loop(op);
  const auto carries = static_cast<size_t>(loop.carry_count());
  if (loop.lanes().any()) return batch_as_lanes(op, loop.lanes(), x, static_cast<int>(carries), batcher);
  std::vector<int64_t> axes = axes_of(x);
  Batcher::BatchedRegion body = batcher.batch_steps(loop.body(), carries, axes);
  Batcher::BatchedRegion predicate = batcher.batch(loop.predicate(), axes);
  if (predicate.axes[0] != Batched::kShared)
    return batch_as_lanes(op, {}, x, static_cast<int>(carries), batcher);
  std::vector<Value*> operands;
  for (size_t k = 0; k < x.size(); ++k) {
    const bool carry = k < carries && axes[k] != Batched::kShared;
    operands.push_back(carry ? with_batch_at(batcher, x[k], axes[k]) : x[k].value);
  }
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(predicate.region));
  regions.push_back(std::move(body.region));
  const Op* made = batcher.make("while", operands, op.attributes(), std::move(regions));
  Batches results;
  for (size_t k = 0; k < carries; ++k) results.push_back({made->result(static_cast<int>(k)), axes[k]});
  return results;
}

constinit const OpRecord while_record{
    .name = "while",
    .doc =
        "A loop of unknown length. Operands: `carries` initial values, then invariants; both regions have "
        "these as arguments. While the first region returns true, the second one is run for the next "
        "carries. Results: the last carries. If the first region still returns true after `max_steps` "
        "steps, that is an error at run time, which speaks of `steps_before` more, where this loop ends "
        "another one; unless no result needs any of the last carries, since what no result needs is not run. "
        "With `at_once` a step stands for so many of the user's, the last one for some of them: reports say "
        "so. "
        "With `lanes`, a list of extents, it is one loop per lane: "
        "operands whose entry in `mapped` is 1, all carries among them, have the lanes as leading "
        "dimensions, the others are the same for all; the regions are those of one lane; results have the "
        "lanes in front.",
    .operands = Arity{0, Arity::kAny},
    .regions = 2,
    .attributes = AttributeList{attribute::integer("carries"), attribute::integer("max_steps").optional(),
                                attribute::integer("steps_before").optional(),
                                attribute::integer("at_once").optional(), kLanesAttribute, kMappedAttribute},
    .infer = infer_while,
    .batch = batch_while,
    .becomes = ir::RegionControl{},
    .reference = while_reference,
    .identities = nullptr,
    .jvp = ir::Structural{},
    .transpose = ir::Structural{},
    .stablehlo = "stablehlo.while",
};

// --- cond

Types infer_cond(const InferContext& context) {
  if (context.operands.empty()) fail("needs an index, which says which region to take");
  const Types types = lane_types(context, 1, "index");
  if (types[0] != TensorType{DType::kS32, {}})
    fail("the first operand, the index of a region, must be s32[], but is ", types[0]);
  const Types arguments(types.begin() + 1, types.end());
  for (const ir::Region* region : context.regions)
    want_region_arguments(*region, arguments, "the operands behind the index");
  Types results = result_types(*context.regions[0]);
  for (size_t b = 1; b < context.regions.size(); ++b) {
    const Types other = result_types(*context.regions[b]);
    if (other.size() != results.size())
      fail("region 0 returns ", results.size(), " values, but region ", b, " returns ", other.size());
    for (size_t k = 0; k < results.size(); ++k) {
      if (other[k] == results[k]) continue;
      fail("result ", k, " is ", results[k], " from region 0, but ", other[k], " from region ", b,
           "; all regions must return the same types");
    }
  }
  const Lanes lanes = Lanes::of(context.attributes);
  if (lanes.any()) {
    for (TensorType& result : results) result = lanes.with(result);
  }
  return results;
}

Tensors cond_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  const CondOp cond(op);
  return run_lanes(op, cond.lanes(), operands, [&](std::span<const Tensor> of_lane) {
    const auto index = of_lane[0].get_int(0);
    const int64_t last = cond.branch_count() - 1;
    const ir::Region& branch = cond.branch(static_cast<int>(std::clamp<int64_t>(index, 0, last)));
    return evaluator.run(branch, of_lane.subspan(1));
  });
}

// A shared index stays one branch for all of the batch. A result that one branch makes batched is batched
// from all.
Batches batch_cond(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const CondOp cond(op);
  if (cond.lanes().any() || !x[0].shared()) return batch_as_lanes(op, cond.lanes(), x, 1, batcher);
  const std::vector<int64_t> axes = axes_of(x.subspan(1));
  std::vector<int64_t> wanted(static_cast<size_t>(op.result_count()), Batched::kShared);
  for (int b = 0; b < cond.branch_count(); ++b) {
    const Batcher::BatchedRegion branch = batcher.batch(cond.branch(b), axes, wanted);
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (wanted[k] == Batched::kShared) wanted[k] = branch.axes[k];
    }
  }
  std::vector<std::unique_ptr<ir::Region>> regions;
  for (int b = 0; b < cond.branch_count(); ++b)
    regions.push_back(batcher.batch(cond.branch(b), axes, wanted).region);
  std::vector<Value*> operands;
  for (const Batched& operand : x) operands.push_back(operand.value);
  const Op* made = batcher.make("cond", operands, op.attributes(), std::move(regions));
  Batches results;
  for (int i = 0; i < made->result_count(); ++i)
    results.push_back({made->result(i), wanted[static_cast<size_t>(i)]});
  return results;
}

constinit const OpRecord cond_record{
    .name = "cond",
    .doc =
        "One of several regions. Operands: an index, clamped to the regions that there are, then their "
        "arguments. Results: those of the region that the index names; the others do not run. With "
        "`lanes`, a list of extents, each lane has an index of its own: operands whose entry in `mapped` "
        "is 1, the index among them, have the lanes as leading dimensions, the others are the same for "
        "all; the regions are those of one lane; results have the lanes in front.",
    .operands = Arity{1, Arity::kAny},
    .regions = OpRecord::kSomeRegions,
    .attributes = AttributeList{kLanesAttribute, kMappedAttribute},
    .infer = infer_cond,
    .batch = batch_cond,
    .becomes = ir::RegionControl{},
    .reference = cond_reference,
    .identities = nullptr,
    .jvp = ir::Structural{},
    .transpose = ir::Structural{},
    .stablehlo = "",
};

constexpr const OpRecord* kBranchingRecords[] = {&while_record, &cond_record};

}  // namespace

Records branching_records() {
  return kBranchingRecords;
}

const OpRecord& WhileOp::record() {
  return while_record;
}
const OpRecord& CondOp::record() {
  return cond_record;
}

}  // namespace ingot::ops
