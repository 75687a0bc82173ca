// What an Array is a handle of, and the types of arrays, each of which exists once.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "ingot/array.h"
#include "ir/ir.h"
#include "runtime/buffer_pool.h"

namespace ingot::detail {

struct TraceFrame;

// The memory that arrays lie in: of the back end that programs are compiled for. Each call and each new array
// asks, so that all but the first question are one load.
inline constinit std::atomic<const runtime::DeviceMemory*> chosen_memory{nullptr};
const runtime::DeviceMemory& choose_array_memory();
inline const runtime::DeviceMemory& array_memory() {
  const runtime::DeviceMemory* memory = chosen_memory.load(std::memory_order_relaxed);
  return memory != nullptr ? *memory : choose_array_memory();
}

// The bytes of a buffer that the host cannot read, once it has asked for them.
class HostCopy {
 public:
  HostCopy() = default;
  ~HostCopy() {
    if (const std::byte* bytes = bytes_.load(std::memory_order_relaxed)) delete[] bytes;
  }
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;
  const void* of(const runtime::Buffer& buffer, size_t bytes) const;

 private:
  mutable std::atomic<std::byte*> bytes_{nullptr};
};

// Lets `fill` write the first bytes of a new buffer, there or from memory of the host.
template <class Fill>
void fill_buffer(runtime::Buffer& buffer, size_t bytes, const Fill& fill) {
  if (buffer.memory().of_host()) return fill(static_cast<std::byte*>(buffer.data()));
  const auto staged = std::make_unique<std::byte[]>(bytes);
  fill(staged.get());
  buffer.memory().write(buffer.data(), staged.get(), bytes);
}

// A dtype and a shape, and whether the dtype is a number's. Equal types are one object, so that types compare
// and hash by address; none is ever freed.
struct ArrayType {
  DType dtype;
  Shape shape;
  int64_t elements;
  int64_t bytes;
  // Of a C++ number, and of what is made of such alone: it takes the dtype of the arrays beside it. A trace
  // knows this of each value, and a program of each of its results.
  bool weak;

  ir::TensorType tensor() const { return {dtype, shape}; }
};
const ArrayType* intern_type(DType dtype, const Shape& shape, bool weak = false);
inline const ArrayType* intern_type(const ir::TensorType& type) {
  return intern_type(type.dtype, type.shape);
}
std::string to_string(const ArrayType& type);

struct ArrayNode {
  enum class Kind : uint8_t {
    kBuffer,    // concrete elements
    kLiteral,   // a C++ number; a constant of the programs that use it
    kTraced,    // a value of a function that is being traced
    kAbstract,  // a type and nothing else
  };

  Kind kind = Kind::kAbstract;
  // Set when a call has taken the memory: the name of the function that did.
  mutable std::atomic<const char*> donated_to{nullptr};
  const ArrayType* type = nullptr;
  std::array<uint64_t, 2> bits{};                   // kLiteral
  mutable std::shared_ptr<runtime::Buffer> buffer;  // kBuffer; given away by a donation
  std::shared_ptr<TraceFrame> frame;                // kTraced
  ir::Value* value = nullptr;                       // kTraced
  // The user's line that made it; of arguments of a trace that of the call of jit, scan or the like. It
  // outlives the trace. Numbers have none.
  std::source_location made = {};

  HostCopy copy = {};  // kBuffer

  // The elements as the host reads them, of kBuffer and kLiteral.
  const void* host_data() const {
    if (kind == Kind::kLiteral) return bits.data();
    return buffer->memory().of_host() ? buffer->data() : copy.of(*buffer, static_cast<size_t>(type->bytes));
  }
  bool concrete() const { return kind == Kind::kBuffer || kind == Kind::kLiteral; }
};

// Memory for an array of that type; an Error at the user's line names the type where there is none.
std::shared_ptr<runtime::Buffer> allocate(const ArrayType* type, const char* label,
                                          const std::source_location& where);

Array make_concrete(const ArrayType* type, std::shared_ptr<runtime::Buffer> buffer,
                    const std::source_location& made);
Array make_literal(const Literal& literal, bool weak = false);
inline bool is_weak(const Array& array) {
  return array.node() != nullptr && array.node()->type->weak;
}
// Whether this is a number of the user's, or made of such (array.h).
inline bool is_number(const Operand& x) {
  return x.is_literal() || is_weak(x.array());
}
// The same array, weak or not.
Array as_weak(const Array& array, bool weak);
Array make_traced(std::shared_ptr<TraceFrame> frame, ir::Value* value, const std::source_location& made);

// The node, or an Error that says what is wrong with the array: empty, donated; with the name of the leaf
// that it is of a tree, if given.
const ArrayNode& checked_node(const Array& array, const std::source_location& where,
                              std::string_view leaf = {});
// What a function of the user's has returned; an Error names the first leaf that is empty.
std::vector<Array> checked_results(const std::string& function, std::vector<Array> results,
                                   const std::vector<std::string>& names, const std::source_location& where);

// --- numbers ---

double as_double(const Literal& literal);
std::complex<double> as_complex(const Literal& literal);
int64_t as_int(const Literal& literal);  // floats truncate; u64 wraps
// The number as another dtype, by value.
Literal convert(const Literal& literal, DType dtype);
// What is above or below all floats of the dtype: an infinity, or the greatest one where there is none.
Literal farthest_float(DType dtype, bool high);
// The same where a user has written the number for `name`: an Error at the line, which names the dtype's
// range and ends with the cure, if the dtype has no such value. Of floats that is one too large for it;
// floats round.
Literal value_of(const char* name, const Literal& literal, DType dtype, const std::source_location& where,
                 const std::string& cure);
std::string text_of(const Literal& literal);  // "300", "2.5", with the fewest digits that tell it

// --- the user's line ---

// "file:line: " of the outermost CallerScope, or else of `where`.
const std::source_location& user_line(const std::source_location& where);
std::string at(const std::source_location& where);
[[noreturn]] void fail(const std::source_location& where, const std::string& message);

void give_unused_memory_back();
void renew_reserve() noexcept;
// `what` was not possible with the function: "compile". Needs no memory.
[[noreturn]] void fail_without_memory(const std::source_location& where, const char* what,
                                      const std::string& function);
// What `make` returns, which traces or compiles a function. Where memory ends it is asked once more, without
// the buffers that nobody uses; then there is an Error at the user's line.
template <class Make>
decltype(auto) with_memory(const std::source_location& where, const std::string& function, const Make& make) {
  renew_reserve();
  try {
    return make();
  } catch (const std::bad_alloc&) {
    give_unused_memory_back();
  }
  try {
    return make();
  } catch (const std::bad_alloc&) {
    fail_without_memory(where, "compile", function);
  }
}

}  // namespace ingot::detail
