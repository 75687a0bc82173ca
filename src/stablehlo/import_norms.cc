// Normalisation over a batch, as formulas over arrays; and functions of elements that a region holds.
#include "ingot/functions.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

// What the three have in common: arrays with one extent for each feature, along one dimension of x.
struct Norm {
  // Of so many arrays; the first, those before `features` with one element each, and others like the first.
  Norm(OpImport& op, size_t arrays, size_t features)
      : shape(op.operand(0)->shape()), epsilon(op.real("epsilon")) {
    feature = op.integer("feature_index");
    const auto rank = static_cast<int64_t>(shape.size());
    if (feature < 0 || feature >= rank)
      op.fail("there is no dimension " + std::to_string(feature) + " of features");
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis == feature) continue;
      others.push_back(axis);
      count *= static_cast<double>(shape[static_cast<size_t>(axis)]);
    }
    if (op.operand_count() != arrays) op.fail("takes " + std::to_string(arrays) + " arrays");
    const Shape row{shape[static_cast<size_t>(feature)]};
    for (size_t i = 1; i < arrays; ++i) {
      if (op.operand(i)->shape() != (i < features ? row : shape)) {
        op.fail("operand " + std::to_string(i) + " has not one element for each " +
                (i < features ? "feature" : "one of the first"));
      }
    }
  }

  // Along the features, the same everywhere else.
  Array spread(const Array& of_features) const {
    Shape row(shape.size(), 1);
    row[static_cast<size_t>(feature)] = shape[static_cast<size_t>(feature)];
    return broadcast_to(reshape(of_features, row), shape);
  }
  Array total(const Array& x) const { return sum(x, others); }
  Array normal(const Array& x, const Array& scale, const Array& offset, const Array& mean,
               const Array& variance) const {
    return spread(scale) * ((x - spread(mean)) / spread(sqrt(variance + epsilon))) + spread(offset);
  }

  Shape shape;
  std::vector<int64_t> others;
  int64_t feature = 0;
  double epsilon = 0, count = 1;  // elements of x for each feature
};

using Arrays = std::vector<Array>;

void import_norm_inference(OpImport& op) {
  const Norm norm(op, 5, 5);
  op.set(op.make_by_library(op.operands(), [&](const Arrays& a, const auto&) {
    return norm.normal(a[0], a[1], a[2], a[3], a[4]);
  }));
}

void import_norm_training(OpImport& op) {
  const Norm norm(op, 3, 3);
  ir::Value* x = op.operand(0);
  ir::Value* mean =
      op.make_by_library({x}, [&](const Arrays& a, const auto&) { return norm.total(a[0]) / norm.count; });
  ir::Value* variance = op.make_by_library({x, mean}, [&](const Arrays& a, const auto&) {
    const Array centred = a[0] - norm.spread(a[1]);
    return norm.total(centred * centred) / norm.count;
  });
  ir::Value* result = op.make_by_library(
      {x, op.operand(1), op.operand(2), mean, variance},
      [&](const Arrays& a, const auto&) { return norm.normal(a[0], a[1], a[2], a[3], a[4]); });
  op.set_all({result, mean, variance});
}

// Of x, scale, mean, variance and the gradient of the result: those of x, of the scale and of the offset.
void import_norm_grad(OpImport& op) {
  const Norm norm(op, 5, 4);
  const std::vector<ir::Value*> operands = op.operands();
  const auto centred = [&](const Arrays& a) { return a[0] - norm.spread(a[2]); };
  ir::Value* of_x = op.make_by_library(operands, [&](const Arrays& a, const auto&) {
    const Array &dy = a[4], variance = a[3] + norm.epsilon, c = centred(a);
    const Array along = norm.spread(norm.total(dy * c) / variance) * c;
    return norm.spread(a[1] / sqrt(variance) / norm.count) *
           (dy * norm.count - norm.spread(norm.total(dy)) - along);
  });
  ir::Value* of_scale = op.make_by_library(operands, [&](const Arrays& a, const auto&) {
    return norm.total(a[4] * (centred(a) / norm.spread(sqrt(a[3] + norm.epsilon))));
  });
  ir::Value* of_offset =
      op.make_by_library({operands[4]}, [&](const Arrays& a, const auto&) { return norm.total(a[0]); });
  op.set_all({of_x, of_scale, of_offset});
}

// The region's operations, each for all elements at once.
void import_map(OpImport& op) {
  if (op.op().regions.size() != 1) op.fail("has no region");
  op.want_regions_of_scalars();
  const Shape shape = op.operand_count() > 0 ? op.operand(0)->shape() : op.result_type().shape;
  for (const ir::Value* operand : op.operands()) {
    if (operand->shape() != shape) op.fail("operands and result have other shapes");
  }
  op.set_all(op.apply(op.op().regions.front(), op.operands(), shape));
}

constexpr NamedRule kNorms[] = {
    {"stablehlo.batch_norm_grad", import_norm_grad},
    {"stablehlo.batch_norm_inference", import_norm_inference},
    {"stablehlo.batch_norm_training", import_norm_training},
    {"stablehlo.map", import_map},
};

}  // namespace

Rules norm_rules() {
  return kNorms;
}

}  // namespace ingot::stablehlo
