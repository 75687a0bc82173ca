#include "base/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/options.h"

namespace ingot {
namespace {

std::atomic<int64_t> live_bytes{0};  // of all tensors

[[noreturn]] void out_of_memory(int64_t bytes, DType dtype, const Shape& shape, int64_t others) {
  throw OutOfMemory("out of memory: " + std::string(name_of(dtype)) + to_string(shape) + " takes " +
                    std::to_string(bytes) + " bytes, while other arrays hold " + std::to_string(others) +
                    ", but all together may take " + std::to_string(memory_limit_bytes()) +
                    " (INGOT_MEMORY_LIMIT_MB sets this limit)");
}

// Zeros, counted among the live bytes until they are freed.
std::shared_ptr<std::byte[]> zeros(DType dtype, const Shape& shape) {
  const int64_t bytes = element_count(shape) * static_cast<int64_t>(byte_size(dtype));
  // Scalars and the like lie beside their count of owners and are not counted: interpreters make millions of
  // them, one after the other.
  constexpr int64_t kScalar = 16;
  if (bytes <= kScalar) return std::make_shared<std::byte[]>(static_cast<size_t>(kScalar));
  const int64_t others = live_bytes.fetch_add(bytes, std::memory_order_relaxed);
  // At least one byte, so that raw() is never null: memcpy and the like want none, even for nothing.
  // Those up to a MiB are counted but never refused: one may be made before anything asks for the options.
  constexpr int64_t kSmall = int64_t{1} << 20;
  auto* data =
      bytes > kSmall && others + bytes > memory_limit_bytes()
          ? nullptr
          : static_cast<std::byte*>(std::calloc(static_cast<size_t>(std::max<int64_t>(bytes, 1)), 1));
  if (data == nullptr) {
    live_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    out_of_memory(bytes, dtype, shape, others);
  }
  return {data, [bytes](std::byte* start) {
            std::free(start);
            live_bytes.fetch_sub(bytes, std::memory_order_relaxed);
          }};
}

// Calls fn with a typed null pointer for the dtype, so that one lambda serves all element types.
template <class Fn>
auto dispatch(DType dtype, Fn fn) {
  switch (dtype) {
    case DType::kPred:
      return fn(static_cast<bool*>(nullptr));
    case DType::kS8:
      return fn(static_cast<int8_t*>(nullptr));
    case DType::kS16:
      return fn(static_cast<int16_t*>(nullptr));
    case DType::kS32:
      return fn(static_cast<int32_t*>(nullptr));
    case DType::kS64:
      return fn(static_cast<int64_t*>(nullptr));
    case DType::kU8:
      return fn(static_cast<uint8_t*>(nullptr));
    case DType::kU16:
      return fn(static_cast<uint16_t*>(nullptr));
    case DType::kU32:
      return fn(static_cast<uint32_t*>(nullptr));
    case DType::kU64:
      return fn(static_cast<uint64_t*>(nullptr));
    case DType::kF16:
      return fn(static_cast<float16*>(nullptr));
    case DType::kBF16:
      return fn(static_cast<bfloat16*>(nullptr));
    case DType::kF32:
      return fn(static_cast<float*>(nullptr));
    case DType::kF64:
      return fn(static_cast<double*>(nullptr));
    case DType::kC64:
      return fn(static_cast<std::complex<float>*>(nullptr));
    case DType::kC128:
      return fn(static_cast<std::complex<double>*>(nullptr));
  }
  throw InternalError("unknown dtype");
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(zeros(dtype, shape_)) {}

double Tensor::get_double(int64_t i) const {
  return get_complex(i).real();
}

int64_t Tensor::get_int(int64_t i) const {
  return dispatch(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T& element = reinterpret_cast<const T*>(raw())[i];
    if constexpr (is_complex(dtype_of<T>()))
      return static_cast<int64_t>(element.real());
    else
      return static_cast<int64_t>(element);
  });
}

std::complex<double> Tensor::get_complex(int64_t i) const {
  return dispatch(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T& element = reinterpret_cast<const T*>(raw())[i];
    if constexpr (is_complex(dtype_of<T>()))
      return std::complex<double>(element);
    else
      return std::complex<double>(static_cast<double>(element));
  });
}

void Tensor::set_complex(int64_t i, std::complex<double> value) {
  dispatch(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (is_complex(dtype_of<T>()))
      reinterpret_cast<T*>(raw())[i] = static_cast<T>(value);
    else
      reinterpret_cast<T*>(raw())[i] = static_cast<T>(value.real());
  });
}

void Tensor::set_double(int64_t i, double value) {
  dispatch(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    reinterpret_cast<T*>(raw())[i] = static_cast<T>(value);
  });
}

void Tensor::set_int(int64_t i, int64_t value) {
  dispatch(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    using Part = std::conditional_t<is_complex(dtype_of<T>()), double, T>;
    reinterpret_cast<T*>(raw())[i] = static_cast<T>(static_cast<Part>(value));
  });
}

bool Tensor::operator==(const Tensor& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ && std::memcmp(raw(), other.raw(), bytes()) == 0;
}

}  // namespace ingot
