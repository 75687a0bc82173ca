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
};

constexpr Info kInfos[] = {
    {DType::kPred, "pred", 1}, {DType::kS8, "s8", 1},   {DType::kS16, "s16", 2},    {DType::kS32, "s32", 4},
    {DType::kS64, "s64", 8},   {DType::kU8, "u8", 1},   {DType::kU16, "u16", 2},    {DType::kU32, "u32", 4},
    {DType::kU64, "u64", 8},   {DType::kF16, "f16", 2}, {DType::kBF16, "bf16", 2},  {DType::kF32, "f32", 4},
    {DType::kF64, "f64", 8},   {DType::kC64, "c64", 8}, {DType::kC128, "c128", 16},
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

std::string_view name_of(DType dtype) {
  return info(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Info& entry : kInfos) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

bool is_integer(DType dtype) {
  return dtype != DType::kPred && !is_inexact(dtype);
}

bool is_signed(DType dtype) {
  return is_inexact(dtype) || dtype == DType::kS8 || dtype == DType::kS16 || dtype == DType::kS32 ||
         dtype == DType::kS64;
}

int significant_bits(DType dtype) {
  return dtype == DType::kF64 ? 53 : dtype == DType::kF32 ? 24 : dtype == DType::kF16 ? 11 : 8;
}

int64_t element_count(const Shape& shape) {
  int64_t room = 1;  // taken by all extents but those that are 0: strides are products of some of them
  bool none = false;
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
