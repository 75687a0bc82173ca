#include "ops/comparators.h"

#include <limits>
#include <string>

#include "ir/op_record.h"

namespace ingot::ops {
namespace {

using ir::Builder;
using ir::Value;

Value* filled_with(Builder& builder, const ir::TensorType& type, const Tensor& number) {
  Value* scalar = builder.constant(number);
  if (type.shape.empty()) return scalar;
  return builder.value("broadcast", {scalar}, {{"dims", ir::IntList{}}, {"shape", type.shape}});
}

Value* compared(Builder& builder, const char* direction, Value* a, Value* b) {
  return builder.value("compare", {a, b}, {{"direction", std::string(direction)}});
}

// -0 becomes +0, and NaN one of them.
Value* with_equal_zeros(Builder& builder, Value* x) {
  Tensor zero(x->dtype(), {}), nan(x->dtype(), {});
  nan.set_double(0, std::numeric_limits<double>::quiet_NaN());
  Value* none = builder.constant(zero);
  Value* equal = builder.value("select", {compared(builder, "eq", x, none), none, x});
  return builder.value("select", {compared(builder, "ne", x, x), builder.constant(nan), equal});
}

struct Pair {
  Value *first, *second;
};

}  // namespace

Value* total_order(Builder& builder, Value* x) {
  if (is_small_float(x->dtype())) {
    const bool one_nan = x->dtype() == DType::kF8E4M3FNUZ || x->dtype() == DType::kF8E5M2FNUZ ||
                         x->dtype() == DType::kF8E4M3B11FNUZ;
    x = builder.value("convert", {x}, {{"dtype", DType::kF32}});
    if (one_nan) {  // whose code has the bit of a sign
      Tensor nan(DType::kF32, {});
      nan.set_double(0, std::numeric_limits<double>::quiet_NaN());
      Value* spread = filled_with(builder, x->type(), nan);
      x = builder.value("select", {compared(builder, "ne", x, x), spread, x});
    }
  }
  const auto bytes = static_cast<int64_t>(byte_size(x->dtype()));
  const DType dtype = bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64;
  const auto number = [&](int64_t value) {
    Tensor tensor(dtype, {});
    tensor.set_int(0, value);
    return filled_with(builder, {dtype, x->shape()}, tensor);
  };
  Value* bits = builder.value("bitcast", {x}, {{"dtype", dtype}});
  Value* sign = builder.value("shift_right_arithmetic", {bits, number(8 * bytes - 1)});
  const int64_t all_but_sign = bytes == 2 ? INT16_MAX : bytes == 4 ? INT32_MAX : INT64_MAX;
  return builder.value("xor", {bits, builder.value("and", {sign, number(all_but_sign)})});
}

std::unique_ptr<ir::Region> comparator_by_keys(ir::Function& function, const std::vector<DType>& dtypes,
                                               const std::vector<KeyOrder>& orders,
                                               const ir::Provenance& provenance) {
  std::unique_ptr<ir::Region> region = function.make_region();
  std::vector<Pair> arguments;
  for (const DType dtype : dtypes) {
    Value* first = region->add_argument({dtype, {}}, "a");
    arguments.push_back({first, region->add_argument({dtype, {}}, "b")});
  }
  Builder builder(*region);
  builder.set_provenance(provenance);
  std::vector<std::pair<Pair, KeyOrder>> keys;
  const auto add = [&](Pair pair, KeyOrder order) {
    for (Value** side : {&pair.first, &pair.second}) {
      if (!is_float((*side)->dtype())) continue;
      if (order.by_value) *side = with_equal_zeros(builder, *side);
      *side = total_order(builder, *side);
    }
    keys.emplace_back(pair, order);
  };
  for (size_t k = 0; k < orders.size(); ++k) {
    const auto [first, second] = arguments[k];
    if (is_complex(dtypes[k])) {
      for (const char* part : {"real", "imag"})
        add({builder.value(part, {first}), builder.value(part, {second})}, orders[k]);
    } else {
      add(arguments[k], orders[k]);
    }
  }
  Value* less = nullptr;
  for (size_t k = keys.size(); k-- > 0;) {
    const auto& [pair, order] = keys[k];
    Value* own = compared(builder, order.descending ? "gt" : "lt", pair.first, pair.second);
    if (less != nullptr) {
      Value* equal = compared(builder, "eq", pair.first, pair.second);
      own = builder.value("or", {own, builder.value("and", {equal, less})});
    }
    less = own;
  }
  region->set_results({less});
  return region;
}

}  // namespace ingot::ops
