#include "ops/make.h"

#include <utility>

namespace ingot::make {

using ir::IntList;
using ir::Value;

Value* Place::value(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
                    const std::string& name) const {
  if (builder_ != nullptr) return builder_->value(record, std::move(operands), std::move(attributes), name);
  return emitter_->make(record, std::move(operands), std::move(attributes));
}

Value* select(const Place& place, const Three& pred_yes_no, const std::string& name) {
  return place.value("select", {pred_yes_no.begin(), pred_yes_no.end()}, {}, name);
}

Value* compare(const Place& place, std::string_view direction, const Two& xs) {
  return place.value("compare", {xs[0], xs[1]}, {{"direction", std::string(direction)}}, {});
}

Value* convert(const Place& place, Value* x, DType dtype) {
  return place.value("convert", {x}, {{"dtype", dtype}}, {});
}

Value* bitcast(const Place& place, Value* x, DType dtype) {
  return place.value("bitcast", {x}, {{"dtype", dtype}}, {});
}

Value* broadcast(const Place& place, Value* x, Shape shape, IntList dims) {
  return place.value("broadcast", {x}, {{"shape", std::move(shape)}, {"dims", std::move(dims)}}, {});
}

Value* spread(const Place& place, Value* scalar, Shape shape) {
  return broadcast(place, scalar, std::move(shape), {});
}

Value* choose(const Place& place, Value* pred, const Two& yes_no) {
  const Shape& shape = yes_no[0]->shape();
  return select(place, {shape.empty() ? pred : spread(place, pred, shape), yes_no[0], yes_no[1]});
}

Value* reshape(const Place& place, Value* x, Shape shape) {
  return place.value("reshape", {x}, {{"shape", std::move(shape)}}, {});
}

Value* transpose(const Place& place, Value* x, IntList permutation) {
  return place.value("transpose", {x}, {{"permutation", std::move(permutation)}}, {});
}

Value* slice(const Place& place, Value* x, IntList starts, IntList limits, IntList strides) {
  return place.value(
      "slice", {x},
      {{"starts", std::move(starts)}, {"limits", std::move(limits)}, {"strides", std::move(strides)}}, {});
}

Value* reverse(const Place& place, Value* x, IntList axes) {
  return place.value("reverse", {x}, {{"axes", std::move(axes)}}, {});
}

Value* concatenate(const Place& place, std::vector<Value*> parts, int64_t axis) {
  return place.value("concatenate", std::move(parts), {{"axis", axis}}, {});
}

Value* pad(const Place& place, const Two& x_padding, IntList low, IntList high, IntList interior) {
  return place.value("pad", {x_padding[0], x_padding[1]},
                     {{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}},
                     {});
}

Value* reduce(ir::Builder& builder, Binary* combiner, const Two& x_initial, IntList axes) {
  std::unique_ptr<ir::Region> region = builder.make_region();
  const ir::TensorType type{x_initial[0]->dtype(), {}};
  Value *acc = region->add_argument(type, "acc"), *x = region->add_argument(type, "x");
  ir::Builder inside(*region);
  inside.set_provenance(builder.provenance());
  region->set_results({combiner(inside, {acc, x}, {})});
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  return builder
      .make("reduce", {x_initial[0], x_initial[1]}, {{"axes", std::move(axes)}}, std::move(regions))
      ->result();
}

Value* iota(const Place& place, DType dtype, Shape shape, int64_t axis) {
  return place.value("iota", {}, {{"dtype", dtype}, {"shape", std::move(shape)}, {"axis", axis}}, {});
}

Value* dot_general(const Place& place, const Two& sides, const ops::DotForm& form) {
  ir::Attributes attributes;
  form.write(attributes);
  return place.value("dot_general", {sides[0], sides[1]}, std::move(attributes), {});
}

Value* like(const Place& place, const ir::Op& op, std::vector<Value*> operands, const std::string& name) {
  return place.value(op.name(), std::move(operands), op.attributes(), name);
}

}  // namespace ingot::make
