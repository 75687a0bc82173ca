// dot_general, dot and convolution.
#include "ingot/functions.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

bool same_kind(DType a, DType b) {
  return (is_float(a) && is_float(b)) || (is_complex(a) && is_complex(b)) ||
         (is_integer(a) && is_integer(b) && is_signed(a) == is_signed(b));
}

// Operands of one dtype, and the dtype of products and sums if it is a wider one of that kind.
struct Factors {
  ir::Value *lhs, *rhs;
  std::optional<DType> wider;
};

Factors factors_of(OpImport& op) {
  ir::Value *lhs = op.operand(0), *rhs = op.operand(1);
  const DType result = op.result_dtype();
  if (lhs->dtype() != rhs->dtype() || !same_kind(lhs->dtype(), result) ||
      byte_size(lhs->dtype()) > byte_size(result)) {
    if (lhs->dtype() != result || rhs->dtype() != result) {
      lhs = op.convert(lhs, result);
      rhs = op.convert(rhs, result);
    }
  }
  return {lhs, rhs, lhs->dtype() == result ? std::nullopt : std::optional(result)};
}

void multiply(OpImport& op, const Ints& lhs_batch, const Ints& rhs_batch, const Ints& lhs_contract,
              const Ints& rhs_contract) {
  if (op.operand(0)->dtype() == DType::kPred && op.operand(1)->dtype() == DType::kPred) {
    // Whether any product is true: how many are.
    const ir::Attributes dims = {{"lhs_batch", lhs_batch},
                                 {"rhs_batch", rhs_batch},
                                 {"lhs_contract", lhs_contract},
                                 {"rhs_contract", rhs_contract}};
    ir::Value* count =
        op.make("dot_general",
                {op.convert(op.operand(0), DType::kS32), op.convert(op.operand(1), DType::kS32)}, dims);
    return op.set(
        op.make("compare", {count, op.filled_int(count->type(), 0)}, {{"direction", std::string("ne")}}));
  }
  const Factors factors = factors_of(op);
  ir::Attributes attributes = {{"lhs_batch", lhs_batch},
                               {"rhs_batch", rhs_batch},
                               {"lhs_contract", lhs_contract},
                               {"rhs_contract", rhs_contract}};
  if (factors.wider) attributes.set("dtype", *factors.wider);
  op.set(op.make("dot_general", {factors.lhs, factors.rhs}, std::move(attributes)));
}

void import_dot_general(OpImport& op) {
  const Record* dims = op.record("dot_dimension_numbers");
  multiply(op, op.field(dims, "lhs_batching_dimensions"), op.field(dims, "rhs_batching_dimensions"),
           op.field(dims, "lhs_contracting_dimensions"), op.field(dims, "rhs_contracting_dimensions"));
}

// The last dimension of the one with the first of the other.
void import_dot(OpImport& op) {
  if (op.operand(0)->rank() == 0 || op.operand(1)->rank() == 0) op.fail("dot takes vectors and matrices");
  multiply(op, {}, {}, {op.operand(0)->rank() - 1}, {0});
}

Ints places(OpImport& op, const Record* dims, const std::string& first, const std::string& second,
            const std::string& spatial) {
  Ints list{op.field(dims, first, -1), op.field(dims, second, -1)};
  for (int64_t place : op.field(dims, spatial)) list.push_back(place);
  return list;
}

}  // namespace

ir::Value* convolved(OpImport& op, const Ints& padding) {
  const Record* dims = op.record("dimension_numbers");
  const size_t spatial = op.field(dims, "input_spatial_dimensions").size();
  if (padding.size() != 2 * spatial) op.fail("padding has one pair per spatial dimension");
  Ints low, high;
  for (size_t i = 0; i < spatial; ++i) {
    low.push_back(padding[2 * i]);
    high.push_back(padding[2 * i + 1]);
  }
  Factors factors = factors_of(op);
  if (factors.wider) {
    factors.lhs = op.convert(factors.lhs, *factors.wider);
    factors.rhs = op.convert(factors.rhs, *factors.wider);
  }
  const Ints ones(spatial, 1);
  return op.make("convolution", {factors.lhs, factors.rhs},
                 {{"lhs_dims", places(op, dims, "input_batch_dimension", "input_feature_dimension",
                                      "input_spatial_dimensions")},
                  {"rhs_dims", places(op, dims, "kernel_output_feature_dimension",
                                      "kernel_input_feature_dimension", "kernel_spatial_dimensions")},
                  {"out_dims", places(op, dims, "output_batch_dimension", "output_feature_dimension",
                                      "output_spatial_dimensions")},
                  {"strides", op.ints("window_strides", ones)},
                  {"low", low},
                  {"high", high},
                  {"lhs_dilation", op.ints("lhs_dilation", ones)},
                  {"rhs_dilation", op.ints("rhs_dilation", ones)},
                  {"reverse", op.ints("window_reversal", Ints(spatial, 0))},
                  {"feature_groups", op.integer("feature_group_count", 1)},
                  {"batch_groups", op.integer("batch_group_count", 1)}});
}

namespace {

void import_convolution(OpImport& op) {
  const size_t spatial = op.field(op.record("dimension_numbers"), "input_spatial_dimensions").size();
  op.set(convolved(op, op.ints("padding", Ints(2 * spatial, 0))));
}

void import_einsum(OpImport& op) {
  const std::string config = op.word("einsum_config");
  const std::vector<ir::Value*> operands = op.operands();
  const DType dtype = op.result_dtype();
  op.set(op.make_by_library(operands, [&](const std::vector<Array>& arrays, const auto&) {
    return arrays.size() == 1 ? einsum(config, {arrays[0]}, dtype)
                              : einsum(config, {arrays[0], arrays[1]}, dtype);
  }));
}

constexpr NamedRule kContractions[] = {
    {"stablehlo.convolution", import_convolution}, {"stablehlo.dot", import_dot},
    {"stablehlo.dot_general", import_dot_general}, {"stablehlo.einsum", import_einsum},
    {"stablehlo.unary_einsum", import_einsum},
};

}  // namespace

Rules contraction_rules() {
  return kContractions;
}

}  // namespace ingot::stablehlo
