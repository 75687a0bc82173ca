// Lanes: one operation with regions that stands for many independent runs of itself.
//
// They are how a batch meets a predicate that differs from element to element. The regions are those of one
// lane. A mapped operand has the lanes as its leading dimensions; one that is not is the same for all lanes.
// Results have the lanes in front. The meaning is: take the slices of a lane, run, put the results in place.
// So a lane that has ended keeps what it carries, and a branch that a lane does not take cannot reach its
// results, whatever is done to the program.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/op_record.h"
#include "ops/support.h"

namespace ingot::ops {

struct Lanes {
  IntList extents;  // of the lanes' dimensions, outermost first; empty: no lanes
  IntList mapped;   // per operand 1 if it is mapped, else 0; empty where there are no lanes

  static Lanes of(const Attributes& attributes);  // `lanes` and `mapped`; none where they are absent
  void write(Attributes& attributes) const;       // leaves alone what else stands there

  bool any() const { return !extents.empty(); }
  bool is_mapped(int operand) const { return any() && mapped[static_cast<size_t>(operand)] != 0; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }

  TensorType with(TensorType lane) const;  // the type of a result, from that of a lane
  // The type that a region sees of a mapped operand: without the lanes.
  TensorType of_lane(TensorType type) const;

  bool operator==(const Lanes&) const = default;
};

// The attributes of an operation that may have lanes.
inline constexpr ir::AttributeSpec kLanesAttribute = attribute::list("lanes").optional();
inline constexpr ir::AttributeSpec kMappedAttribute = attribute::list("mapped").optional();

// The types of the regions' arguments. Throws the user's Error where `lanes` and `mapped` do not fit the
// operands, of which the first `always` must be mapped, since `what` goes its own way in each lane.
Types lane_types(const InferContext& context, int always, std::string_view what);

// Runs one lane after the other: the operands of a lane to its results.
using LaneFn = std::function<Tensors(std::span<const Tensor> operands)>;
Tensors run_lanes(const Op& op, const Lanes& lanes, std::span<const Tensor> operands, const LaneFn& run);

// The operation for a batch of which each element goes its own way: the batch becomes the first dimension of
// the lanes, the regions stay what they are. The first `always` operands become mapped. Throws the user's
// Error where a region speaks of the whole batch.
std::vector<ir::Batched> batch_as_lanes(const Op& op, const Lanes& lanes, std::span<const ir::Batched> x,
                                        int always, ir::Batcher& batcher);

}  // namespace ingot::ops
