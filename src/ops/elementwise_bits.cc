// What is read from the bits of integers and floats, and roundings.
#include <bit>

#include "ops/derivatives.h"
#include "ops/elementwise.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

using ir::Comparison;
using ir::ScalarRecipe;

int64_t bits_of(DType dtype) {
  return 8 * static_cast<int64_t>(byte_size(dtype));
}

// In parallel (Warren, Hacker's Delight, 5-1): sums of neighbours, of pairs, of fours, then bytes.
Scalar count_bits(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const auto all = [&](uint64_t pattern) {
    const auto spare = 64 - bits_of(dtype);
    return b.integer(dtype, static_cast<int64_t>(pattern << spare) >> spare);
  };
  const auto right = [&](Scalar v, int64_t by) { return b.shift_right_logical(v, b.integer(dtype, by)); };
  x = b.sub(x, b.bit_and(right(x, 1), all(0x5555555555555555)));
  x = b.add(b.bit_and(x, all(0x3333333333333333)), b.bit_and(right(x, 2), all(0x3333333333333333)));
  x = b.bit_and(b.add(x, right(x, 4)), all(0x0f0f0f0f0f0f0f0f));
  for (int64_t by = 8; by < bits_of(dtype); by *= 2) x = b.add(x, right(x, by));
  return b.bit_and(x, b.integer(dtype, 0x7f));
}

Scalar emit_popcnt(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  return count_bits(b, x[0]);
}

// With all bits below the highest one set, those that are not.
Scalar emit_clz(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  Scalar v = x[0];
  for (int64_t by = 1; by < bits_of(v.dtype); by *= 2)
    v = b.bit_or(v, b.shift_right_logical(v, b.integer(v.dtype, by)));
  return count_bits(b, b.bit_not(v));
}

// The difference from what is below is exact; x + 1/2 would round.
Scalar emit_round_away(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  const DType dtype = x[0].dtype;
  Scalar size = b.abs(x[0]), low = b.floor(size);
  Scalar up = b.compare(Comparison::kGe, b.sub(size, low), b.constant(dtype, 0.5));
  return b.copy_sign(b.select(up, b.add(low, b.constant(dtype, 1)), low), x[0]);
}

// Of each element its bits, as many as it has, and their number.
template <auto kFn>
Tensors bits_reference(const Op&, std::span<const Tensor> operands, Evaluator&) {
  const Tensor& x = operands[0];
  Tensor result(x.dtype(), x.shape());
  const int width = bit_width(x.dtype());
  for (int64_t i = 0; i < x.size(); ++i)
    result.set_int(i, kFn(static_cast<uint64_t>(x.get_int(i)) & (~uint64_t{0} >> (64 - width)), width));
  return {result};
}

constinit const OpRecord popcnt{
    .name = "popcnt",
    .doc = "How many bits of x are set.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kIntegers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_popcnt, .cost = 17, .identity = nullptr},
    .reference = bits_reference<[](uint64_t x, int) { return std::popcount(x); }>,
    .identities = nullptr,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.popcnt",
};

constinit const OpRecord clz{
    .name = "clz",
    .doc = "How many bits of x are zero above the highest that is set; all of them for 0.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kIntegers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_clz, .cost = 28, .identity = nullptr},
    .reference = bits_reference<[](uint64_t x, int width) { return std::countl_zero(x) - (64 - width); }>,
    .identities = nullptr,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.count_leading_zeros",
};

constinit const OpRecord round_away{
    .name = "round_away",
    .doc = "The nearest whole number, the one away from zero of two that are equally near.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_round_away, .cost = 9, .identity = nullptr},
    .reference = unary_reference<kFloats, [](auto x) { return std::round(x); }>,
    .identities = nullptr,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.round_nearest_afz",
};

// --- floats of fewer bits

Types infer_reduce_precision(const InferContext& context) {
  want_dtype(context.operands[0], kFloats);
  const auto want = [&](const char* name, int64_t least, int64_t most) {
    const int64_t bits = context.attributes.get<int64_t>(name);
    if (bits < least || bits > most) fail(name, " is ", bits, ", but must be ", least, " to ", most);
  };
  want("exponent_bits", 1, 62);
  want("mantissa_bits", 0, 62);
  return {context.operands[0]};
}

// The bits of a format inside of those of f32 or f64: to nearest, ties to even, by half of the last place
// that is kept, or just less. What is then too large is infinite, what is below its normal numbers is zero.
struct Reduction {
  int64_t lost;  // bits of the mantissa
  bool narrow;   // the exponent has fewer bits
  uint64_t sign, exponent, most, least;

  Reduction(DType dtype, const ir::Attributes& attributes) {
    const int64_t own_mantissa = significant_bits(dtype) - 1,
                  own_exponent = bits_of(dtype) - 1 - own_mantissa,
                  bits = attributes.get<int64_t>("exponent_bits");
    lost = std::max<int64_t>(0, own_mantissa - attributes.get<int64_t>("mantissa_bits"));
    narrow = bits < own_exponent;
    sign = uint64_t{1} << (own_mantissa + own_exponent);
    exponent = ((uint64_t{1} << own_exponent) - 1) << own_mantissa;
    const uint64_t bias = (uint64_t{1} << (own_exponent - 1)) - 1,
                   reach = (uint64_t{1} << (narrow ? bits - 1 : 0)) - 1;
    most = (bias + reach) << own_mantissa;
    least = (bias - reach) << own_mantissa;
  }
};

Scalar emit_reduce_precision(ScalarBuilder& b, const ScalarContext& context, Scalars x) {
  const DType dtype = x[0].dtype, whole = byte_size(dtype) == 4 ? DType::kU32 : DType::kU64;
  const Reduction r(dtype, context.attributes);
  if (r.lost == 0 && !r.narrow) return b.bitcast(x[0], dtype);  // no product is fused with a sum
  const auto all = [&](uint64_t pattern) { return b.integer(whole, static_cast<int64_t>(pattern)); };
  const Scalar original = b.bitcast(x[0], whole);
  Scalar bits = original;
  if (r.lost > 0) {
    const uint64_t last = uint64_t{1} << r.lost;
    const Scalar odd = b.shift_right_logical(b.bit_and(bits, all(last)), all(static_cast<uint64_t>(r.lost)));
    bits = b.bit_and(b.add(bits, b.add(odd, all((last >> 1) - 1))), all(~(last - 1)));
  }
  if (r.narrow) {
    const Scalar own = b.bit_and(bits, all(r.exponent)), sign = b.bit_and(original, all(r.sign));
    const Scalar over = b.compare(Comparison::kGt, own, all(r.most)),
                 under = b.compare(Comparison::kLe, own, all(r.least));
    bits = b.select(over, b.bit_or(sign, all(r.exponent)), bits);
    bits = b.select(under, sign, bits);
  }
  return b.select(b.compare(Comparison::kNe, x[0], x[0]), x[0], b.bitcast(bits, dtype));
}

Tensors reduce_precision_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[0].dtype(), x[0].shape());
  visit_dtype(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (contains(kFloats, dtype_of<T>())) {
      using Wide = Computed<T>;  // the bits of f16 and bf16 are looked at in f32
      using Bits = std::conditional_t<sizeof(Wide) == 4, uint32_t, uint64_t>;
      const Reduction r(dtype_of<Wide>(), op.attributes());
      for (int64_t i = 0; i < x[0].size(); ++i) {
        const auto value = static_cast<Wide>(x[0].data<T>()[i]);
        auto bits = std::bit_cast<Bits>(value);
        const Bits sign = bits & static_cast<Bits>(r.sign), last = static_cast<Bits>(Bits{1} << r.lost);
        if (r.lost > 0) {
          const Bits odd = (bits & last) >> r.lost;
          bits = (bits + odd + (last >> 1) - 1) & static_cast<Bits>(~(last - 1));
        }
        const Bits own = bits & static_cast<Bits>(r.exponent);
        if (r.narrow && own > r.most) bits = sign | static_cast<Bits>(r.exponent);
        if (r.narrow && own <= r.least) bits = sign;
        result.data<T>()[i] = static_cast<T>(std::isnan(value) ? value : std::bit_cast<Wide>(bits));
      }
    }
  });
  return {result};
}

void reduce_precision_transpose(const Op& op, Value* ct, Transposition& t) {
  t.add(0, t.make("reduce_precision", {ct}, op.attributes()));
}

constinit const OpRecord reduce_precision{
    .name = "reduce_precision",
    .doc =
        "The nearest number with `exponent_bits` and `mantissa_bits`, ties to even, in the same dtype: "
        "beyond "
        "the greatest infinite, below the least normal one zero; NaN stays. The bits of f16 and bf16 are "
        "those "
        "of the same number in f32. For derivatives it is linear, as a conversion is.",
    .operands = kUnary,
    .regions = 0,
    .attributes =
        AttributeList{ir::attribute::integer("exponent_bits"), ir::attribute::integer("mantissa_bits")},
    .infer = infer_reduce_precision,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_reduce_precision, .cost = 12, .identity = nullptr},
    .reference = reduce_precision_reference,
    .identities = nullptr,
    .jvp = ir::Linear{.first = 0},
    .transpose = reduce_precision_transpose,
    .stablehlo = "stablehlo.reduce_precision",
};

constexpr const OpRecord* kBitsRecords[] = {&popcnt, &clz, &round_away, &reduce_precision};

}  // namespace

Records bits_records() {
  return kBitsRecords;
}

const OpRecord& PopcntOp::record() {
  return popcnt;
}
const OpRecord& ClzOp::record() {
  return clz;
}

}  // namespace ingot::ops
