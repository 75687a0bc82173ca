// Functions of one element that StableHLO does not have: composites, decomposed the way their recipes say.
//
// A recipe is written against ScalarBuilder for one element; here each of its instructions becomes an
// operation on whole arrays. f16 and bf16 are computed in f32 and rounded, as everywhere.
#include <cmath>
#include <cstring>

#include "ingot/error.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

using ir::Comparison;
using ir::Scalar;

// The handle of a Scalar is the number of the array that stands for it.
class ArrayBuilder final : public ir::ScalarBuilder {
 public:
  ArrayBuilder(OpMaker& make, const Shape& shape) : make_(make), shape_(shape) {}

  Scalar scalar(ValueId id) const {
    return {reinterpret_cast<void*>(static_cast<intptr_t>(id)), make_.type(id).dtype};
  }
  static ValueId id(Scalar scalar) { return static_cast<ValueId>(reinterpret_cast<intptr_t>(scalar.handle)); }

  Scalar constant(DType dtype, double value) override {
    return scalar(make_.filled_double({dtype, shape_}, value));
  }
  Scalar integer(DType dtype, int64_t value) override {
    return scalar(make_.filled_int({dtype, shape_}, value));
  }
  Scalar float_bits(DType dtype, uint64_t bits) override {
    Tensor one(dtype, {});
    std::memcpy(one.raw(), &bits, one.bytes());
    return scalar(make_.filled({dtype, shape_}, one));
  }

  Scalar add(Scalar a, Scalar b) override { return same("add", a, b); }
  Scalar sub(Scalar a, Scalar b) override { return same("subtract", a, b); }
  Scalar mul(Scalar a, Scalar b) override { return same("multiply", a, b); }
  Scalar div(Scalar a, Scalar b) override { return same("divide", a, b); }
  Scalar rem(Scalar a, Scalar b) override { return same("remainder", a, b); }
  Scalar fma(Scalar a, Scalar b, Scalar c) override { return add(mul(a, b), c); }
  Scalar neg(Scalar a) override { return same("negate", a); }
  Scalar abs(Scalar a) override { return same("abs", a); }
  Scalar min(Scalar a, Scalar b) override { return same("minimum", a, b); }
  Scalar max(Scalar a, Scalar b) override { return same("maximum", a, b); }
  Scalar sqrt(Scalar a) override { return same("sqrt", a); }
  Scalar floor(Scalar a) override { return same("floor", a); }
  Scalar ceil(Scalar a) override { return same("ceil", a); }
  Scalar trunc(Scalar a) override { return copy_sign(floor(abs(a)), a); }
  Scalar round_even(Scalar a) override { return same("round_nearest_even", a); }
  Scalar copy_sign(Scalar magnitude, Scalar sign) override {
    const DType whole = byte_size(sign.dtype) == 8 ? DType::kU64 : DType::kU32;
    const uint64_t first = byte_size(sign.dtype) == 8 ? uint64_t{1} << 63 : uint64_t{1} << 31;
    Scalar mask = integer(whole, static_cast<int64_t>(first));
    Scalar rest = integer(whole, static_cast<int64_t>(first - 1));
    return bitcast(bit_or(bit_and(bitcast(magnitude, whole), rest), bit_and(bitcast(sign, whole), mask)),
                   sign.dtype);
  }
  Scalar scale_by_power(Scalar, Scalar) override {
    throw InternalError("scale_by_power, which no array has");
  }
  bool scales_by_powers(DType) const override { return false; }

  Scalar bit_and(Scalar a, Scalar b) override { return same("and", a, b); }
  Scalar bit_or(Scalar a, Scalar b) override { return same("or", a, b); }
  Scalar bit_xor(Scalar a, Scalar b) override { return same("xor", a, b); }
  Scalar bit_not(Scalar a) override { return same("not", a); }
  Scalar shift_left(Scalar a, Scalar n) override { return same("shift_left", a, n); }
  Scalar shift_right_logical(Scalar a, Scalar n) override { return same("shift_right_logical", a, n); }
  Scalar shift_right_arithmetic(Scalar a, Scalar n) override { return same("shift_right_arithmetic", a, n); }

  Scalar compare(Comparison comparison, Scalar a, Scalar b) override {
    constexpr const char* kDirections[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    return scalar(make_.compare(kDirections[static_cast<size_t>(comparison)], id(a), id(b)));
  }
  Scalar select(Scalar pred, Scalar a, Scalar b) override {
    return scalar(make_.select(id(pred), id(a), id(b)));
  }
  Scalar convert(Scalar a, DType to) override { return scalar(make_.convert(id(a), to)); }
  Scalar bitcast(Scalar a, DType to) override {
    return a.dtype == to ? a : scalar(make_.make("stablehlo.bitcast_convert", {id(a)}, {to, shape_}));
  }
  Scalar patch_rare(Scalar, Scalar, const ir::RareFunction& function, Scalar) override {
    throw Error("its recipe calls " + std::string(function.symbol) + " for rare arguments");
  }

 private:
  Scalar same(const char* name, Scalar a) {
    return scalar(make_.same("stablehlo." + std::string(name), {id(a)}));
  }
  Scalar same(const char* name, Scalar a, Scalar b) {
    return scalar(make_.same("stablehlo." + std::string(name), {id(a), id(b)}));
  }

  OpMaker& make_;
  const Shape& shape_;
};

}  // namespace

void export_recipe(OpExport& op) {
  const ir::OpRecord& record = op.op().record();
  const auto& recipe = std::get<ir::ScalarRecipe>(*record.becomes);
  const ir::TensorType result = op.result_type();
  op.set(op.composite(
      *record.name, op.operands(), result, [&](OpMaker& make, const std::vector<ValueId>& arguments) {
        const bool narrow = is_narrow_float(result.dtype);
        ArrayBuilder builder(make, result.shape);
        std::vector<Scalar> operands;
        for (ValueId argument : arguments) {
          const bool widen = is_narrow_float(make.type(argument).dtype);
          operands.push_back(builder.scalar(widen ? make.convert(argument, DType::kF32) : argument));
        }
        const Scalar made =
            (*recipe.emit)(builder, {narrow ? DType::kF32 : result.dtype, op.attributes()}, operands);
        return make.convert(ArrayBuilder::id(made), result.dtype);
      }));
}

}  // namespace ingot::stablehlo
