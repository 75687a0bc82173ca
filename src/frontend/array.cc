// Arrays: making them from host memory, asking for their types, reading their values.
#include "ingot/array.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

#include "backend/backend.h"
#include "base/array_size.h"
#include "base/fork.h"
#include "base/options.h"
#include "frontend/node.h"
#include "frontend/trace.h"
#include "ingot/functions.h"

namespace ingot {
namespace detail {

std::string to_string(const ArrayType& type) {
  return ir::to_string(type.tensor());
}

const ArrayType* intern_type(DType dtype, const Shape& shape, bool weak) {
  static std::mutex mutex;
  static auto& types = *new std::unordered_map<std::string, std::unique_ptr<ArrayType>>;
  std::string key = {static_cast<char>(dtype), weak ? '1' : '0'};
  key.append(reinterpret_cast<const char*>(shape.data()), shape.size() * sizeof(int64_t));
  const ShortLock lock(mutex);
  std::unique_ptr<ArrayType>& type = types[key];
  if (type == nullptr) {
    const int64_t elements = element_count(dtype, shape);
    type.reset(
        new ArrayType{dtype, shape, elements, elements * static_cast<int64_t>(byte_size(dtype)), weak});
  }
  return type.get();
}

namespace {

void want_options(const std::source_location& where) {
  try {
    Options::global();
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

}  // namespace

const runtime::DeviceMemory& choose_array_memory() {
  const runtime::DeviceMemory& memory = backend::chosen_backend().memory();
  chosen_memory.store(&memory, std::memory_order_relaxed);
  return memory;
}

const void* HostCopy::of(const runtime::Buffer& buffer, size_t bytes) const {
  std::byte* copy = bytes_.load(std::memory_order_acquire);
  if (copy != nullptr) return copy;
  auto made = std::make_unique<std::byte[]>(std::max<size_t>(bytes, 1));
  buffer.memory().read(made.get(), buffer.data(), bytes);
  // Whose copy comes first is everybody's.
  if (bytes_.compare_exchange_strong(copy, made.get(), std::memory_order_acq_rel)) return made.release();
  return copy;
}

std::shared_ptr<runtime::Buffer> allocate(const ArrayType* type, const char* label,
                                          const std::source_location& where) {
  try {
    return array_memory().allocate(static_cast<size_t>(type->bytes), label);
  } catch (const Error& error) {
    want_options(where);  // a wrong environment is no lack of memory
    fail(where, "there is no memory for " + to_string(*type) + ", which takes " +
                    std::to_string(type->bytes) + " bytes: " + error.what());
  }
}

Array make_concrete(const ArrayType* type, std::shared_ptr<runtime::Buffer> buffer,
                    const std::source_location& made) {
  auto node = std::make_shared<ArrayNode>();
  node->made = made;
  node->kind = ArrayNode::Kind::kBuffer;
  node->type = type;
  node->buffer = std::move(buffer);
  return Array(std::move(node));
}

Array make_literal(const Literal& literal, bool weak) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::kLiteral;
  node->type = intern_type(literal.dtype, {}, weak);
  node->bits = literal.bits;
  return Array(std::move(node));
}

Array as_weak(const Array& array, bool weak) {
  const ArrayNode& given = *array.node();
  if (given.type->weak == weak) return array;
  if (weak && given.kind == ArrayNode::Kind::kBuffer && given.type->shape.empty()) {
    Literal number{given.type->dtype, {}};
    std::memcpy(number.bits.data(), given.host_data(), static_cast<size_t>(given.type->bytes));
    return make_literal(number, true);
  }
  auto node = std::make_shared<ArrayNode>();
  node->made = given.made;
  node->kind = given.kind;
  node->type = intern_type(given.type->dtype, given.type->shape, weak);
  node->bits = given.bits;
  node->buffer = given.buffer;
  node->frame = given.frame;
  node->value = given.value;
  return Array(std::move(node));
}

Array make_traced(std::shared_ptr<TraceFrame> frame, ir::Value* value, const std::source_location& made) {
  auto node = std::make_shared<ArrayNode>();
  node->made = made;
  node->kind = ArrayNode::Kind::kTraced;
  node->type = intern_type(value->type());
  node->frame = std::move(frame);
  node->value = value;
  return Array(std::move(node));
}

const ArrayNode& checked_node(const Array& array, const std::source_location& where, std::string_view leaf) {
  const auto named = [&] { return leaf.empty() ? std::string() : std::string(leaf) + ": "; };
  if (array.node() == nullptr) {
    fail(where, named() + "this array is empty (default-constructed); give it a value before it is used");
  }
  const ArrayNode& node = *array.node();
  if (const char* taker = node.donated_to.load(std::memory_order_acquire)) {
    fail(where, named() + "this " + to_string(*node.type) + " was donated to a call of '" + taker +
                    "', which may have taken its memory; keep a result of that call instead, or do not "
                    "donate the argument");
  }
  return node;
}

std::vector<Array> checked_results(const std::string& function, std::vector<Array> results,
                                   const std::vector<std::string>& names, const std::source_location& where) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].empty())
      fail(where, function + " returned an empty array (default-constructed) as " + names[i]);
  }
  return results;
}

}  // namespace detail

namespace {

using detail::ArrayNode;
using detail::fail;

// For questions about types, which every array but an empty one can answer.
const ArrayNode& typed_node(const Array& array, const std::source_location& where) {
  if (array.node() == nullptr) {
    fail(where, "this array is empty (default-constructed): it has neither dtype nor shape");
  }
  return *array.node();
}

std::string why_unreadable(const ArrayNode& node) {
  const std::string type = to_string(*node.type);
  if (node.kind == ArrayNode::Kind::kAbstract) return "an abstract " + type + " has no value";
  if (!node.frame->open)
    return "this " + type +
           " was traced in a function or loop body whose trace has ended, and has no value: what is kept in "
           "a "
           "variable outside stands for the values of all calls. Return it from the function, and read what "
           "the call gives";
  return "the value of a traced " + type +
         " cannot be read: while a function is traced, its arrays stand for all the values that it will be "
         "called "
         "with. Use ingot::where(condition, a, b) or ingot::cond instead of if and ?:, &, | and ~ instead of "
         "&&, || and !, ingot::while_loop instead of a loop that depends on values, or pass the value as "
         "ingot::Static{...} if it is known when the function is traced";
}

const ArrayNode& readable(const Array& array, const std::source_location& where) {
  const ArrayNode& node = detail::checked_node(array, where);
  if (!node.concrete()) fail(where, why_unreadable(node));
  return node;
}

detail::Literal element(const ArrayNode& node) {
  detail::Literal literal{node.type->dtype, {}};
  std::memcpy(literal.bits.data(), node.host_data(), byte_size(node.type->dtype));
  return literal;
}

}  // namespace

// --- making

namespace {

// The type of that shape; an Error at the user's line where no array can have it.
const detail::ArrayType* checked_type(const char* name, DType dtype, const Shape& shape,
                                      const std::source_location& where) {
  try {
    return detail::intern_type(dtype, shape);
  } catch (const Error& error) {
    fail(where, std::string(name) + ": " + error.what());
  }
}

Array filled(const char* name, Shape shape, const Operand& value, DType dtype) {
  const CallerScope caller(value.where());
  const detail::ArrayType* type = checked_type(name, dtype, shape, value.where());
  if (!value.is_literal()) return broadcast_to(ingot::astype(value, dtype), std::move(shape));
  const detail::Literal literal = detail::value_of(name, value.literal(), dtype, value.where(),
                                                   "; give another dtype, or convert the number first");
  if (detail::tracing()) return broadcast_to(Operand(Array(literal), value.where()), std::move(shape));
  // Outside of a program there is nothing to fuse this with: fill the memory.
  auto buffer = detail::allocate(type, "a constant array", value.where());
  detail::fill_buffer(*buffer, static_cast<size_t>(type->bytes), [&](std::byte* bytes) {
    const size_t width = byte_size(dtype);
    if ((literal.bits[0] | literal.bits[1]) == 0 || width == 1) {
      std::memset(bytes, static_cast<int>(literal.bits[0] & 0xff), static_cast<size_t>(type->bytes));
    } else {
      for (int64_t i = 0; i < type->elements; ++i)
        std::memcpy(bytes + static_cast<size_t>(i) * width, literal.bits.data(), width);
    }
  });
  return detail::make_concrete(type, std::move(buffer), detail::user_line(value.where()));
}

}  // namespace

namespace {

void check_pointer(const char* name, const void* bytes, const detail::ArrayType& type,
                   const std::source_location& where) {
  if (bytes != nullptr) return;
  fail(where, std::string(name) + ": the pointer is null, but should be to the " +
                  std::to_string(type.bytes) + " bytes of a " + detail::to_string(type));
}

}  // namespace

Array::Array(const detail::Literal& literal, bool weak) : Array(detail::make_literal(literal, weak)) {}

Array Array::from_bytes(DType dtype, Shape shape, const void* bytes, Where where) {
  const detail::ArrayType* type = checked_type("Array::from", dtype, shape, where);
  auto buffer = detail::allocate(type, "an array from the host", where);
  if (type->bytes > 0) {
    check_pointer("Array::from_bytes", bytes, *type, where);
    buffer->memory().write(buffer->data(), bytes, static_cast<size_t>(type->bytes));
  }
  return detail::make_concrete(type, std::move(buffer), detail::user_line(where));
}

Array Array::copy_from(DType dtype, Shape shape, const void* values, size_t count, Where where) {
  const int64_t elements = checked_type("Array::from", dtype, shape, where)->elements;
  if (elements != static_cast<int64_t>(count)) {
    fail(where, "Array::from: the shape " + ingot::to_string(shape) + " holds " + std::to_string(elements) +
                    " elements, but " + std::to_string(count) + " values were given");
  }
  return from_bytes(dtype, std::move(shape), values, where);
}

void Array::fail_rows(size_t wanted, size_t given, Where where) {
  fail(where, "Array: there is a row of " + std::to_string(given) + " numbers beside one of " +
                  std::to_string(wanted) + "; all should have one length");
}

Array Array::abstract(DType dtype, Shape shape, Where where) {
  auto node = std::make_shared<ArrayNode>();
  node->type = checked_type("Array::abstract", dtype, shape, where);
  node->made = detail::user_line(where);
  return Array(std::move(node));
}

Array Array::zeros(Shape shape, DType dtype, Where where) {
  return filled("Array::zeros", std::move(shape), Operand(0, where), dtype);
}

Array Array::ones(Shape shape, DType dtype, Where where) {
  return filled("Array::ones", std::move(shape), Operand(1, where), dtype);
}

Array Array::full(Shape shape, const Operand& value) {
  if (!value.is_literal() && detail::is_weak(value.array())) return broadcast_to(value, std::move(shape));
  DType dtype = value.is_literal() ? value.literal().dtype : value.array().dtype(value.where());
  if (value.is_literal() && dtype == DType::kF64) dtype = DType::kF32;
  if (value.is_literal() && dtype == DType::kC128) dtype = DType::kC64;
  return full(std::move(shape), value, dtype);
}
Array Array::full(Shape shape, const Operand& value, DType dtype) {
  return filled("Array::full", std::move(shape), value, dtype);
}

// --- types

bool Array::is_traced() const {
  return node_ != nullptr && node_->kind == ArrayNode::Kind::kTraced;
}
DType Array::dtype(Where where) const {
  return typed_node(*this, where).type->dtype;
}
const Shape& Array::shape(Where where) const {
  return typed_node(*this, where).type->shape;
}
int64_t Array::size(Where where) const {
  return typed_node(*this, where).type->elements;
}
int64_t Array::bytes(Where where) const {
  return typed_node(*this, where).type->bytes;
}
std::string Array::type_string() const {
  return node_ == nullptr ? "(empty)" : detail::to_string(*node_->type);
}

int64_t Array::shape(Axis axis, Where where) const {
  if (empty()) fail(where, "shape: this array is empty (default-constructed) and has no axes");
  const int64_t given = axis, wanted = given < 0 ? given + rank() : given;
  if (wanted < 0 || wanted >= rank()) {
    fail(where, "shape: axis " + std::to_string(axis) + " is out of range for " + type_string());
  }
  return shape()[static_cast<size_t>(wanted)];
}

// --- values

const void* Array::read(DType dtype, Where where) const {
  const ArrayNode& node = readable(*this, where);
  if (dtype != node.type->dtype) {
    fail(where, "the elements of a " + detail::to_string(*node.type) + " cannot be read as " +
                    std::string(name_of(dtype)) + "; ask for the C++ type of " +
                    std::string(name_of(node.type->dtype)) + ", or convert with .astype first");
  }
  return node.host_data();
}

void Array::to_host(void* bytes, Where where) const {
  const ArrayNode& node = readable(*this, where);
  if (node.type->bytes == 0) return;
  check_pointer("to_host", bytes, *node.type, where);
  std::memcpy(bytes, node.host_data(), static_cast<size_t>(node.type->bytes));
}

detail::Literal Array::item_as(DType dtype, Where where) const {
  const ArrayNode& node = readable(*this, where);
  if (node.type->elements != 1)
    fail(where, "item: a " + detail::to_string(*node.type) + " has not exactly one element");
  if (is_complex(node.type->dtype) && !is_complex(dtype))
    fail(where, "item: a " + detail::to_string(*node.type) + " is no " +
                    (is_float(dtype) ? "real number" : "integer") +
                    "; read a std::complex, or take real or imag");
  return detail::convert(element(node), dtype);
}

// A conversion learns no line of its own, but an array knows where it was made: in `if (a == b)` that is the
// line of the `if`.
Array::operator bool() const {
  if (empty())
    throw Error("this array is empty (default-constructed), so it has no truth; give it a value first");
  const ArrayNode& node = detail::checked_node(*this, this->node()->made);
  if (!node.concrete()) fail(node.made, why_unreadable(node));
  if (node.type->elements != 1) {
    fail(node.made,
         "the truth of a " + detail::to_string(*node.type) +
             " that was made here is not clear; reduce it with ingot::any or ingot::all, or write &, "
             "| and ~ in place of &&, || and ! to go element by element");
  }
  return detail::as_complex(element(node)) != 0.0;
}

}  // namespace ingot

template class std::vector<ingot::Array>;
