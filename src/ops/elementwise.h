// What the records of element-wise operations are made of: type rules and recipes of one builder call.
#pragma once

#include "ops/batching.h"

namespace ingot::ops {

inline constexpr Arity kUnary{1, 1};
inline constexpr Arity kBinary{2, 2};

template <unsigned kSet>
Types infer_unary(const InferContext& context) {
  want_dtype(context.operands[0], kSet);
  return {context.operands[0]};
}

template <unsigned kSet>
Types infer_binary(const InferContext& context) {
  want_same_type(context.operands[0], context.operands[1]);
  want_dtype(context.operands[0], kSet, "an operand");
  return {context.operands[0]};
}

using Scalars = std::span<const Scalar>;

template <Scalar (ScalarBuilder::*kMethod)(Scalar)>
Scalar emit_unary(ScalarBuilder& builder, const ScalarContext&, Scalars x) {
  return (builder.*kMethod)(x[0]);
}

template <Scalar (ScalarBuilder::*kMethod)(Scalar, Scalar)>
Scalar emit_binary(ScalarBuilder& builder, const ScalarContext&, Scalars x) {
  return (builder.*kMethod)(x[0], x[1]);
}

template <Scalar (*kRecipe)(ScalarBuilder&, Scalar)>
Scalar emit_recipe(ScalarBuilder& builder, const ScalarContext&, Scalars x) {
  return kRecipe(builder, x[0]);
}

template <Scalar (*kRecipe)(ScalarBuilder&, Scalar, Scalar)>
Scalar emit_recipe2(ScalarBuilder& builder, const ScalarContext&, Scalars x) {
  return kRecipe(builder, x[0], x[1]);
}

// The record of a function of analysis: of one array, with a recipe and a term.
template <unsigned kSet>
constexpr OpRecord function_of_one(std::string_view name, std::string_view doc, ir::ScalarRecipeFn emit,
                                   int cost, ir::ReferenceFn reference, ir::Jvp jvp,
                                   std::string_view stablehlo) {
  return {
      .name = name,
      .doc = doc,
      .operands = kUnary,
      .regions = 0,
      .attributes = ir::kNoAttributes,
      .infer = infer_unary<kSet>,
      .batch = batch_elementwise,
      .becomes = ir::ScalarRecipe{.emit = emit, .cost = cost, .identity = nullptr},
      .reference = reference,
      .identities = nullptr,
      .jvp = jvp,
      .transpose = ir::NotLinear{},
      .stablehlo = stablehlo,
  };
}

}  // namespace ingot::ops
