#include "base/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/options.h"
#include "base/visit_dtype.h"

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

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(zeros(dtype, shape_)) {}

double Tensor::get_double(int64_t i) const {
  return get_complex(i).real();
}

int64_t Tensor::get_int(int64_t i) const {
  return visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    const T& element = reinterpret_cast<const T*>(raw())[i];
    if constexpr (is_complex(dtype_of<T>()))
      return static_cast<int64_t>(element.real());
    else
      return static_cast<int64_t>(element);
  });
}

std::complex<double> Tensor::get_complex(int64_t i) const {
  return visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    const T& element = reinterpret_cast<const T*>(raw())[i];
    if constexpr (is_complex(dtype_of<T>()))
      return std::complex<double>(element);
    else
      return std::complex<double>(static_cast<double>(element));
  });
}

void Tensor::set_complex(int64_t i, std::complex<double> value) {
  visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex(dtype_of<T>()))
      reinterpret_cast<T*>(raw())[i] = static_cast<T>(value);
    else
      reinterpret_cast<T*>(raw())[i] = static_cast<T>(value.real());
  });
}

void Tensor::set_double(int64_t i, double value) {
  visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    reinterpret_cast<T*>(raw())[i] = static_cast<T>(value);
  });
}

void Tensor::set_int(int64_t i, int64_t value) {
  visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    using Part = std::conditional_t<is_complex(dtype_of<T>()), double, T>;
    reinterpret_cast<T*>(raw())[i] = static_cast<T>(static_cast<Part>(value));
  });
}

void Tensor::clear_spare_bits() {
  ingot::clear_spare_bits(dtype_, raw(), bytes());
}

void clear_spare_bits(DType dtype, std::byte* elements, size_t count) {
  if (bit_width(dtype) >= 8) return;
  const auto mask = static_cast<std::byte>((1 << bit_width(dtype)) - 1);
  for (size_t i = 0; i < count; ++i) elements[i] &= mask;
}

bool Tensor::operator==(const Tensor& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ && std::memcmp(raw(), other.raw(), bytes()) == 0;
}

}  // namespace ingot
