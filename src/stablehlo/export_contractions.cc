// dot_general and convolution.
#include "ops/convolution.h"
#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_dot_general(OpExport& op) {
  const ops::DotForm form = ops::DotForm::of(op.attributes());
  op.set_made("stablehlo.dot_general", op.operands(),
              {{"dot_dimension_numbers",
                Attribute::record("dot", {{"lhs_batching_dimensions", form.batch[0]},
                                          {"rhs_batching_dimensions", form.batch[1]},
                                          {"lhs_contracting_dimensions", form.contract[0]},
                                          {"rhs_contracting_dimensions", form.contract[1]}})}});
}

Attribute place(int64_t dimension) {
  return Attribute(Integer{dimension});
}

Ints spatial(const ir::IntList& dims) {
  return {dims.begin() + 2, dims.end()};
}

void export_convolution(OpExport& op) {
  const ir::IntList &lhs = op.list("lhs_dims"), &rhs = op.list("rhs_dims"), &out = op.list("out_dims");
  const ir::IntList &low = op.list("low"), &high = op.list("high");
  Tensor padding(DType::kS64, {static_cast<int64_t>(low.size()), 2});
  for (size_t i = 0; i < low.size(); ++i) {
    padding.set_int(2 * static_cast<int64_t>(i), low[i]);
    padding.set_int(2 * static_cast<int64_t>(i) + 1, high[i]);
  }
  const Type* pairs = op.exporter().type({DType::kS64, padding.shape()});
  op.set_made(
      "stablehlo.convolution", op.operands(),
      {{"batch_group_count", place(op.attributes().integer("batch_groups"))},
       {"dimension_numbers", Attribute::record("conv", {{"input_batch_dimension", place(lhs[0])},
                                                        {"input_feature_dimension", place(lhs[1])},
                                                        {"input_spatial_dimensions", spatial(lhs)},
                                                        {"kernel_input_feature_dimension", place(rhs[1])},
                                                        {"kernel_output_feature_dimension", place(rhs[0])},
                                                        {"kernel_spatial_dimensions", spatial(rhs)},
                                                        {"output_batch_dimension", place(out[0])},
                                                        {"output_feature_dimension", place(out[1])},
                                                        {"output_spatial_dimensions", spatial(out)}})},
       {"feature_group_count", place(op.attributes().integer("feature_groups"))},
       {"lhs_dilation", op.list("lhs_dilation")},
       {"padding", Attribute::elements({pairs, padding, false})},
       {"rhs_dilation", op.list("rhs_dilation")},
       {"window_reversal", op.list("reverse")},
       {"window_strides", op.list("strides")}});
}

constexpr NamedExport kContractionExports[] = {
    {"convolution", export_convolution},
    {"dot_general", export_dot_general},
};

}  // namespace

ExportRules contraction_exports() {
  return kContractionExports;
}

}  // namespace ingot::stablehlo
