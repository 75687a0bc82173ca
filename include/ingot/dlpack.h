// Arrays that share their memory with other libraries: memory of theirs as an Array, and DLPack both ways.
//
//   Array x = ingot::wrap(image.data(), {480, 640, 3}, [image] {});    // no copy, if it is aligned
//   ingot::dlpack::ManagedTensor* t = ingot::to_dlpack(x);             // e.g. for a capsule "dltensor"
//   Array y = ingot::from_dlpack(t);
//
// Kernels want arrays at multiples of 64 bytes, row-major. What lies otherwise is copied, and let go of at
// once. Arrays never change: whoever shares memory with one must not write to it.
#pragma once

#include <cstdint>
#include <functional>

#include "ingot/array.h"

namespace ingot {

// The elements at `data`, which stay there until `release` is called, when nobody uses the array any more.
// `release` may be empty; it is called in any thread. A bool is a byte, 0 or 1. Error for a null pointer.
Array wrap_bytes(DType dtype, Shape shape, const void* data, std::function<void()> release = {},
                 const std::source_location& where = std::source_location::current());
template <Number T>
Array wrap(const T* data, Shape shape, std::function<void()> release = {},
           const std::source_location& where = std::source_location::current()) {
  return wrap_bytes(detail::dtype_for<T>(), std::move(shape), data, std::move(release), where);
}

// The structs of DLPack 1, https://dmlc.github.io/dlpack, whose layout is fixed: a pointer to one of these is
// one to the struct of the same role of dlpack.h (DLManagedTensor, DLManagedTensorVersioned).
namespace dlpack {

enum Code : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBFloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E3M4 = 7,
  kFloat8E4M3 = 8,
  kFloat8E4M3B11FNUZ = 9,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
  kFloat8E8M0FNU = 14
};
inline constexpr int32_t kCpu = 1;

struct Device {
  int32_t type;
  int32_t id;
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
struct Version {
  uint32_t major, minor;
};
inline constexpr uint64_t kReadOnly = 1;
struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace dlpack

// The array, which lives until the deleter is called. Its elements must not be written to, which the
// versioned struct says (kReadOnly). Error for a traced array.
dlpack::ManagedTensor* to_dlpack(const Array& array,
                                 const std::source_location& where = std::source_location::current());
dlpack::ManagedTensorVersioned* to_dlpack_versioned(
    const Array& array, const std::source_location& where = std::source_location::current());

// Takes the tensor over: its deleter is called when nobody uses the array any more, or before an Error.
// Error for memory of another device, and for dtypes that there are not.
Array from_dlpack(dlpack::ManagedTensor* tensor,
                  const std::source_location& where = std::source_location::current());
Array from_dlpack(dlpack::ManagedTensorVersioned* tensor,
                  const std::source_location& where = std::source_location::current());

}  // namespace ingot
