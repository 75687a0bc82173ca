#include "ops/lanes.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/batching.h"

namespace ingot::ops {

// --- what they are

Lanes Lanes::of(const Attributes& attributes) {
  Lanes lanes;
  if (!attributes.has("lanes")) return lanes;
  lanes.extents = attributes.list("lanes");
  lanes.mapped = attributes.list("mapped");
  return lanes;
}

void Lanes::write(Attributes& attributes) const {
  if (any()) {
    attributes.set("lanes", extents);
    attributes.set("mapped", mapped);
  } else {
    attributes.erase("lanes");
    attributes.erase("mapped");
  }
}

TensorType Lanes::with(TensorType lane) const {
  lane.shape.insert(lane.shape.begin(), extents.begin(), extents.end());
  return lane;
}

TensorType Lanes::of_lane(TensorType type) const {
  type.shape.erase(type.shape.begin(), type.shape.begin() + rank());
  return type;
}

Types lane_types(const InferContext& context, int always, std::string_view what) {
  const Attributes& attributes = context.attributes;
  Types types(context.operands.begin(), context.operands.end());
  if (attributes.has("lanes") != attributes.has("mapped"))
    fail("'lanes' and 'mapped' belong together; one of them is missing");
  if (!attributes.has("lanes")) return types;
  const IntList &extents = attributes.list("lanes"), &mapped = attributes.list("mapped");
  if (extents.empty()) fail("'lanes' is empty; leave it and 'mapped' out where there are none");
  for (const int64_t extent : extents) {
    if (extent < 0) fail("'lanes' is ", List{extents}, ", but extents must not be negative");
  }
  want_extents(extents, "lanes");
  want_length(mapped, static_cast<int64_t>(types.size()), "mapped", "one per operand");
  const Lanes lanes = Lanes::of(attributes);
  for (size_t i = 0; i < types.size(); ++i) {
    if (mapped[i] != 0 && mapped[i] != 1) fail("'mapped' is ", List{mapped}, ", but has 0 and 1 only");
    if (mapped[i] == 0) {
      if (static_cast<int>(i) < always) fail("operand ", i, " must be mapped: each lane has its own ", what);
      continue;
    }
    const Shape& shape = types[i].shape;
    if (static_cast<int64_t>(shape.size()) < lanes.rank() ||
        !std::equal(extents.begin(), extents.end(), shape.begin()))
      fail("operand ", i, " is mapped, but is ", types[i], "; it must begin with the lanes ", List{extents});
    types[i] = lanes.of_lane(types[i]);
  }
  return types;
}

// --- what they mean

Tensors run_lanes(const Op& op, const Lanes& lanes, std::span<const Tensor> operands, const LaneFn& run) {
  if (!lanes.any()) return run(operands);
  Tensors results;
  for (const Value* result : op.results()) results.emplace_back(result->dtype(), result->shape());
  const int64_t count = element_count(lanes.extents);
  for (int64_t lane = 0; lane < count; ++lane) {
    Tensors of_lane;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Tensor& all = operands[i];
      if (!lanes.is_mapped(static_cast<int>(i))) {
        of_lane.push_back(all);
        continue;
      }
      Tensor slice(all.dtype(), lanes.of_lane({all.dtype(), all.shape()}).shape);
      for (int64_t k = 0; k < slice.size(); ++k) copy_element(slice, k, all, lane * slice.size() + k);
      of_lane.push_back(std::move(slice));
    }
    const Tensors made = run(of_lane);
    for (size_t i = 0; i < made.size(); ++i) {
      for (int64_t k = 0; k < made[i].size(); ++k)
        copy_element(results[i], lane * made[i].size() + k, made[i], k);
    }
  }
  return results;
}

// --- batching

namespace {

// An operand with the batch and all lanes in front.
Value* mapped_over_all(const ir::Batched& x, bool mapped, const Lanes& lanes, ir::Batcher& batcher) {
  Value* value = with_batch_at(batcher, x, 0);
  if (mapped || !lanes.any()) return value;
  Shape shape = value->shape();
  IntList dims = {0};
  for (int64_t d = 1; d < value->rank(); ++d) dims.push_back(d + lanes.rank());
  shape.insert(shape.begin() + 1, lanes.extents.begin(), lanes.extents.end());
  return batcher.make("broadcast", {value}, {{"shape", shape}, {"dims", dims}})->result();
}

}  // namespace

Batches batch_as_lanes(const Op& op, const Lanes& lanes, std::span<const ir::Batched> x, int always,
                       ir::Batcher& batcher) {
  if (batcher.names_axis(op)) {
    throw Error(
        ir::line_of(op.provenance()) + std::string(op.name()) +
        ": the elements of the batch go different ways here, but a step or branch speaks of all of them "
        "(psum, axis_index, ..); compute that before, or decide alike for all");
  }
  Lanes all = lanes;
  all.extents.insert(all.extents.begin(), batcher.size());
  all.mapped.assign(x.size(), 0);
  std::vector<Value*> operands;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool mapped = lanes.is_mapped(static_cast<int>(i));
    all.mapped[i] = static_cast<int>(i) < always || mapped || !x[i].shared();
    operands.push_back(all.mapped[i] != 0 ? mapped_over_all(x[i], mapped, lanes, batcher) : x[i].value);
  }
  std::vector<std::unique_ptr<ir::Region>> regions;
  for (int r = 0; r < op.region_count(); ++r) {
    const std::vector<int64_t> shared(op.region(r).arguments().size(), ir::Batched::kShared);
    regions.push_back(batcher.batch(op.region(r), shared).region);
  }
  Attributes attributes = op.attributes();
  all.write(attributes);
  Batches results;
  for (Value* result : batcher.make(op.name(), operands, attributes, std::move(regions))->results())
    results.push_back({result, 0});
  return results;
}

}  // namespace ingot::ops
