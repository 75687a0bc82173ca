// What a function of the host is called with (custom_call.h).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ingot/dtype.h"

namespace ingot {

// The type of a result.
struct ResultType {
  DType dtype;
  Shape shape;
};

// What a function is called with.
class CustomCall {
 public:
  struct Buffer {
    DType dtype;
    Shape shape;
    void* data;  // row-major
  };

  CustomCall(std::string name, std::string config, std::vector<Buffer> inputs, std::vector<Buffer> outputs);
  CustomCall(const CustomCall& other);
  CustomCall& operator=(const CustomCall& other);
  ~CustomCall();

  const std::string& name() const { return name_; }
  // What CustomCallOptions says, or of StableHLO the backend_config, as text.
  const std::string& config() const { return config_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const Buffer& input_buffer(size_t i) const;
  const Buffer& output_buffer(size_t i) const;
  const Shape& input_shape(size_t i) const { return input_buffer(i).shape; }
  const Shape& output_shape(size_t i) const { return output_buffer(i).shape; }
  // All elements, row-major. Error unless T is their type (a pred is a bool).
  template <class T>
  std::span<const T> input(size_t i) const {
    return {static_cast<const T*>(checked(input_buffer(i), dtype_of<T>())), count(input_buffer(i))};
  }
  template <class T>
  std::span<T> output(size_t i) const {
    return {static_cast<T*>(checked(output_buffer(i), dtype_of<T>())), count(output_buffer(i))};
  }

 private:
  static void* checked(const Buffer& buffer, DType dtype);
  static size_t count(const Buffer& buffer) { return static_cast<size_t>(element_count(buffer.shape)); }

  std::string name_, config_;
  std::vector<Buffer> inputs_, outputs_;
};

using HostFunction = std::function<void(const CustomCall&)>;

}  // namespace ingot
