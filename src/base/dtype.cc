#include "ingot/dtype.h"

#include <algorithm>

#include "base/array_size.h"
#include "base/check.h"
#include "ingot/error.h"

namespace ingot {
namespace {

struct Info {
  DType dtype;
  std::string_view name;
  size_t bytes;
  int bits, significant;  // of a float: integers of so many bits have exact counterparts
};

constexpr Info kInfos[] = {
    {DType::kPred, "pred", 1, 8, 8},
    {DType::kS8, "s8", 1, 8, 8},
    {DType::kS16, "s16", 2, 16, 8},
    {DType::kS32, "s32", 4, 32, 8},
    {DType::kS64, "s64", 8, 64, 8},
    {DType::kU8, "u8", 1, 8, 8},
    {DType::kU16, "u16", 2, 16, 8},
    {DType::kU32, "u32", 4, 32, 8},
    {DType::kU64, "u64", 8, 64, 8},
    {DType::kF16, "f16", 2, 16, 11},
    {DType::kBF16, "bf16", 2, 16, 8},
    {DType::kF32, "f32", 4, 32, 24},
    {DType::kF64, "f64", 8, 64, 53},
    {DType::kC64, "c64", 8, 64, 8},
    {DType::kC128, "c128", 16, 128, 8},
    {DType::kF8E4M3FN, "f8e4m3fn", 1, 8, 4},
    {DType::kF8E5M2, "f8e5m2", 1, 8, 3},
    {DType::kF8E4M3, "f8e4m3", 1, 8, 4},
    {DType::kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 1, 8, 4},
    {DType::kF8E4M3FNUZ, "f8e4m3fnuz", 1, 8, 4},
    {DType::kF8E5M2FNUZ, "f8e5m2fnuz", 1, 8, 3},
    {DType::kF8E3M4, "f8e3m4", 1, 8, 5},
    {DType::kF8E8M0FNU, "f8e8m0fnu", 1, 8, 1},
    {DType::kF6E2M3FN, "f6e2m3fn", 1, 6, 4},
    {DType::kF6E3M2FN, "f6e3m2fn", 1, 6, 3},
    {DType::kF4E2M1FN, "f4e2m1fn", 1, 4, 2},
    {DType::kS4, "s4", 1, 4, 8},
    {DType::kU4, "u4", 1, 4, 8},
    {DType::kS2, "s2", 1, 2, 8},
    {DType::kU2, "u2", 1, 2, 8},
};

const Info& info(DType dtype) {
  if (static_cast<size_t>(dtype) >= std::size(kInfos))
    throw Error("DType(" + std::to_string(static_cast<int>(dtype)) + ") is none of the dtypes");
  return kInfos[static_cast<size_t>(dtype)];
}

}  // namespace

size_t byte_size(DType dtype) {
  return info(dtype).bytes;
}

int bit_width(DType dtype) {
  return info(dtype).bits;
}

std::string_view name_of(DType dtype) {
  return info(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Info& entry : kInfos) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

int significant_bits(DType dtype) {
  return info(dtype).significant;
}

int64_t element_count(const Shape& shape) {
  int64_t room = 1;  // taken by all extents but those that are 0: strides are products of some of them
  bool none = false;
  if (shape.size() > kMostDimensions) {
    throw Error("the shape has " + std::to_string(shape.size()) + " dimensions, and an array has at most " +
                std::to_string(kMostDimensions));
  }
  for (int64_t extent : shape) {
    if (extent < 0) throw Error("the shape " + to_string(shape) + " has a negative extent");
    none = none || extent == 0;
    if (extent > 0 && (__builtin_mul_overflow(room, extent, &room) || room > kMostElements)) {
      const std::string most = std::to_string(kMostElements) + " (2^48)";
      const bool zero = std::find(shape.begin(), shape.end(), 0) != shape.end();
      throw Error("the shape " + to_string(shape) + " has more elements than an array may have, " + most +
                  (zero ? "; extents other than 0 count, since strides are their products" : ""));
    }
  }
  return none ? 0 : room;
}

int64_t element_count(DType dtype, const Shape& shape) {
  const int64_t count = element_count(shape);
  if (!is_complex(dtype)) return count;
  int64_t room = 1;
  for (int64_t extent : shape) room *= extent > 0 ? extent : 1;
  if (room > kMostElements / 2) {
    throw Error("the shape " + to_string(shape) + " has more elements than an array of " +
                std::string(name_of(dtype)) + " may have, " + std::to_string(kMostElements / 2) + " (2^47)");
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace ingot
