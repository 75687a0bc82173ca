// A dense row-major array in host memory: literals in the IR, and the values of the interpreter.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "ingot/dtype.h"
#include "ingot/error.h"

namespace ingot {

// What a tensor throws that finds no room.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// Copies share the bytes; whoever writes does so before it shares.
class Tensor {
 public:
  Tensor() : Tensor(DType::kF32, {}) {}
  // Zeros. Error that names the bytes, the shape and the limit where memory for them is not to be had:
  // tensors count together towards memory_limit_bytes() (base/options.h), as the buffers of compiled programs
  // do.
  Tensor(DType dtype, Shape shape);

  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values) {
    Tensor tensor(dtype_of<T>(), std::move(shape));
    check(static_cast<int64_t>(values.size()) == tensor.size(), "Tensor::of: wrong number of values");
    for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = values[i];
    return tensor;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return element_count(shape_); }
  size_t bytes() const { return static_cast<size_t>(size()) * byte_size(dtype_); }
  std::byte* raw() { return bytes_.get(); }
  const std::byte* raw() const { return bytes_.get(); }

  // A pred is read and written as bool (uint8_t in memory).
  template <class T>
  T* data() {
    check(dtype_of<T>() == dtype_, "Tensor::data: wrong element type");
    return reinterpret_cast<T*>(bytes_.get());
  }
  template <class T>
  const T* data() const {
    check(dtype_of<T>() == dtype_, "Tensor::data: wrong element type");
    return reinterpret_cast<const T*>(bytes_.get());
  }

  // Element i in row-major order, whatever the dtype. Integers beyond 2^53 need the integer form; of complex
  // numbers all but get_complex and set_complex know the real part alone (and set the other one to zero).
  double get_double(int64_t i) const;
  int64_t get_int(int64_t i) const;  // u64 values wrap into the sign bit
  std::complex<double> get_complex(int64_t i) const;
  void set_complex(int64_t i, std::complex<double> value);
  void set_double(int64_t i, double value);
  void set_int(int64_t i, int64_t value);

  // Of elements that take a byte and have fewer bits, the others are zero: makes those so that came from
  // elsewhere.
  void clear_spare_bits();

  bool operator==(const Tensor& other) const;  // same dtype, shape and bits

 private:
  DType dtype_;
  Shape shape_;
  std::shared_ptr<std::byte[]> bytes_;
};

void clear_spare_bits(DType dtype, std::byte* elements, size_t count);

}  // namespace ingot
