#include "frontend/apply.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>

#include "base/fork.h"
#include "frontend/eager_call.h"
#include "frontend/eager_moves.h"
#include "frontend/eager_pieces.h"
#include "frontend/program.h"
#include "ingot/jit.h"

namespace ingot::detail {
namespace {

JitState& eager_state(const char* name) {
  static std::mutex mutex;
  static auto& states = *new std::map<std::string_view, std::shared_ptr<JitState>>;
  const ShortLock lock(mutex);
  std::shared_ptr<JitState>& state = states[name];
  if (state == nullptr) state = make_jit_state({}, {.name = name}, std::source_location());
  return *state;
}

}  // namespace

void EagerCall::sign(Signature& signature) const {
  for (int64_t word : words_) signature.word(static_cast<uint64_t>(word));
  for (const Array& operand : operands_) signature.add_array(operand, {});
}

Description EagerCall::describe() const {
  Description description;
  for (size_t i = 0; i < operands_.size(); ++i) {
    const std::string name = "arg" + std::to_string(i);
    description.add_leaf(tree::Path{nullptr, name}, operands_[i].type_string());
  }
  std::string numbers;
  for (int64_t word : words_) numbers += (numbers.empty() ? "" : ",") + std::to_string(word);
  if (!numbers.empty()) description.add_fixed(tree::Path{nullptr, "shape and options"}, numbers);
  return description;
}

namespace {

// What a function of the library makes of numbers alone is a number, whatever is inside of the function.
Array kept_number(Array result, const std::vector<Array>& operands) {
  return made_of_numbers(result, operands) ? as_weak(result, true) : std::move(result);
}

}  // namespace

Array apply(const char* name, const std::vector<Array>& operands, const std::vector<int64_t>& attributes,
            const std::source_location& where, const ArrayBody& body) {
  if (tracing()) return kept_number(body(operands), operands);
  if (std::optional<Array> moved = move_eagerly(name, operands, attributes, where))
    return kept_number(std::move(*moved), operands);
  const EagerCall eager(operands, attributes, body);
  Signature signature;
  signature.where = where;
  eager.sign(signature);
  ResultArrays results;
  call(eager_state(name), signature, eager, results);
  return kept_number(std::move(results[0]), operands);
}

Array apply_elementwise(const char* name, const std::vector<Array>& operands, const Shape& shape,
                        const std::vector<int64_t>& attributes, const std::source_location& where,
                        const ArrayBody& body) {
  if (tracing()) return kept_number(body(operands), operands);
  const EagerCall eager(operands, attributes, body);
  Signature signature;
  signature.where = where;
  eager.sign(signature);
  JitState& state = eager_state(name);
  if (state.find(signature) == nullptr && is_rare(signature)) {
    if (std::optional<Array> done = apply_in_pieces(state, operands, shape, attributes, where, body))
      return kept_number(std::move(*done), operands);
  }
  ResultArrays results;
  call(state, signature, eager, results);
  return kept_number(std::move(results[0]), operands);
}

std::vector<Array> apply_all(const char* name, const std::vector<Array>& operands,
                             const std::source_location& where, const ArraysBody& body) {
  if (tracing()) return body(operands);
  std::vector<const ArrayType*> types;
  std::vector<std::string> names;
  for (const Array& operand : operands) {
    types.push_back(checked_node(operand, where).type);
    names.push_back("x" + std::to_string(names.size()));
  }
  const auto traced = trace_function(
      name, types, names,
      [&](const std::vector<Array>& arguments) {
        return Outputs{body(arguments), nullptr};
      },
      nullptr, where);
  return run_or_record(traced, operands, where);
}

Array apply_op(const char* op, const std::vector<Array>& operands, const ir::Attributes& attributes,
               const std::vector<int64_t>& words, const std::source_location& where) {
  return apply(op, operands, words, where,
               [&](const std::vector<Array>& arrays) { return emit(op, arrays, attributes, where); });
}

int64_t checked_axis(const char* name, int64_t axis, int64_t rank, const std::source_location& where) {
  const int64_t wanted = axis < 0 ? axis + rank : axis;
  if (wanted < 0 || wanted >= rank) {
    fail(where,
         std::string(name) + ": axis " + std::to_string(axis) + " is out of range for " +
             std::to_string(rank) + " dimension" + (rank == 1 ? "" : "s") +
             (rank == 0 ? "" : ", which are " + std::to_string(-rank) + " to " + std::to_string(rank - 1)));
  }
  return wanted;
}

std::vector<int64_t> checked_axes(const char* name, const Axes& axes, int64_t rank,
                                  const std::source_location& where) {
  std::vector<int64_t> result;
  if (!axes.get()) {
    for (int64_t i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (int64_t axis : *axes.get()) result.push_back(checked_axis(name, axis, rank, where));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    fail(where, std::string(name) + ": the axes " + ingot::to_string(*axes.get()) + " name one axis twice");
  }
  return result;
}

int64_t checked_choice(const char* name, const char* what, int64_t value, int64_t count,
                       const std::source_location& where) {
  if (value >= 0 && value < count) return value;
  fail(where, std::string(name) + ": " + what + " is " + std::to_string(value) +
                  ", but its type has the values 0 to " + std::to_string(count - 1) + " alone");
}

void check_inexact(const char* name, const Array& x, const std::source_location& where) {
  if (is_inexact(checked_node(x, where).type->dtype)) return;
  fail(where, std::string(name) + ": takes a floating array, but this is a " + x.type_string() +
                  "; convert it with .astype(ingot::DType::kF32)");
}

Shape broadcast_shape(const char* name, const std::vector<Array>& arrays, const std::source_location& where) {
  size_t rank = 0;
  for (const Array& array : arrays) rank = std::max(rank, array.shape().size());
  Shape result(rank, 1);
  for (const Array& array : arrays) {
    const size_t offset = rank - array.shape().size();
    for (size_t i = 0; i < array.shape().size(); ++i) {
      const int64_t extent = array.shape()[i];
      int64_t& wanted = result[offset + i];
      if (extent == wanted || extent == 1) continue;
      if (wanted != 1) {
        std::string shapes;
        for (const Array& a : arrays) shapes += (shapes.empty() ? "" : " and ") + a.type_string();
        fail(where, std::string(name) + ": " + shapes + " do not broadcast: axis " +
                        std::to_string(static_cast<int64_t>(offset + i) - static_cast<int64_t>(rank)) +
                        " has the extents " + std::to_string(wanted) + " and " + std::to_string(extent) +
                        ", which should be equal, or one of them 1");
      }
      wanted = extent;
    }
  }
  return result;
}

Array emit_broadcast(const Array& x, const Shape& shape, const std::source_location& where) {
  if (x.shape() == shape) return x;
  const size_t offset = shape.size() - x.shape().size();
  Shape kept;
  ir::IntList dims;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (x.shape()[i] != shape[offset + i]) continue;  // an extent of 1 that stretches
    kept.push_back(x.shape()[i]);
    dims.push_back(static_cast<int64_t>(offset + i));
  }
  Array source = x;
  if (kept.size() != x.shape().size()) source = emit("reshape", {x}, {{"shape", kept}}, where);
  return emit("broadcast", {source}, {{"shape", shape}, {"dims", dims}}, where);
}

namespace {

// What a number becomes beside an array, and what the array becomes (see array.h).
DType joint_dtype(DType array, const Literal& number) {
  if (is_complex(array)) return array;
  if (is_complex(number.dtype)) return array == DType::kF64 ? DType::kC128 : DType::kC64;
  if (is_float(array)) return array;
  if (is_float(number.dtype)) return DType::kF32;
  if (array == DType::kPred && number.dtype != DType::kPred) return DType::kS32;
  return array;
}

// The dtype of two arrays side by side, if one is an f16 or bf16, or complex (see array.h).
std::optional<DType> promoted(DType a, DType b) {
  if (a == b) return a;
  const auto is_small = [](DType dtype) { return is_small_float(dtype) || is_small_integer(dtype); };
  if (is_small(a) || is_small(b)) return std::nullopt;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = real_dtype(a) == DType::kF64 || real_dtype(b) == DType::kF64;
    return wide ? DType::kC128 : DType::kC64;
  }
  if (is_narrow_float(b)) std::swap(a, b);
  if (!is_narrow_float(a)) return std::nullopt;
  if (!is_float(b)) return a;
  return is_narrow_float(b) ? DType::kF32 : b;
}

// The one that loses least of the other's values.
DType wider(DType a, DType b) {
  const auto order = [](DType dtype) {
    const int kind = is_inexact(dtype) ? 2 : dtype == DType::kPred ? 0 : 1;
    return std::tuple(kind, bit_width(dtype), is_signed(dtype));
  };
  return order(a) < order(b) ? b : a;
}

}  // namespace

namespace {

// The carry of a loop's step that the array is made of, without a change of its dtype; empty if it is none.
std::string carry_of(const Array& array) {
  const ArrayNode& node = *array.node();
  if (node.kind != ArrayNode::Kind::kTraced || node.frame->loop.empty()) return "";
  std::vector<const ir::Value*> open = {node.value};
  std::set<const ir::Value*> seen;
  while (!open.empty()) {
    const ir::Value* value = open.back();
    open.pop_back();
    if (!seen.insert(value).second || value->dtype() != array.dtype()) continue;
    if (value->op() != nullptr) {
      open.insert(open.end(), value->op()->operands().begin(), value->op()->operands().end());
    } else if (static_cast<size_t>(value->index()) < node.frame->carries.size()) {
      std::string line = at(node.frame->where);  // "file:7: "
      if (!line.empty()) line = " at " + line.substr(0, line.size() - 2);
      return node.frame->carries[static_cast<size_t>(value->index())] + ", which comes into a step of " +
             node.frame->loop + line + " as " + to_string(*intern_type(value->dtype(), value->shape()));
    }
  }
  return "";
}

[[noreturn]] void fail_dtypes(const char* name, const Array& first, const Array& other,
                              const std::source_location& where) {
  const DType dtype = wider(first.dtype(), other.dtype());
  std::string wanted(name_of(dtype));
  const size_t letters = wanted == "pred" ? 1 : wanted.size();  // as the enumerators are called
  for (size_t i = 0; i < letters; ++i) {
    if (wanted[i] >= 'a' && wanted[i] <= 'z') wanted[i] = static_cast<char>(wanted[i] - 'a' + 'A');
  }
  // What is made of C++ numbers with fractions is f64, which is seldom meant beside a narrower float.
  const bool of_numbers = wanted == "F64" && is_float(first.dtype()) && is_float(other.dtype());
  std::string carries;
  for (const Array* one : {&first, &other}) {
    const std::string carry = one->dtype() == dtype ? "" : carry_of(*one);
    if (carry.empty()) continue;
    carries += std::string(". The ") + (one == &first ? "first" : "other") + " is made of " + carry +
               " and has to leave it so: if it should become " + std::string(name_of(dtype)) +
               ", begin with that";
  }
  fail(where, std::string(name) + ": the operands " + first.type_string() + " and " + other.type_string() +
                  " have different dtypes; convert one with .astype(ingot::DType::k" + wanted +
                  ") or the like" + carries +
                  (of_numbers ? ", or make it of floats: Array({1.0f, 2.0f}), Array(1.0f)" : ""));
}

// Numbers as such, too, where they are arrays beside others that are none.
std::vector<Operand> numbers_apart(const std::vector<Operand>& operands) {
  std::vector<Operand> result = operands;
  for (Operand& operand : result) {
    if (operand.is_literal()) continue;
    const Array array = operand.array();
    const ArrayNode& node = *array.node();
    if (!is_weak(array) || !node.concrete() || !node.type->shape.empty()) continue;
    Literal literal{array.dtype(), {}};
    std::memcpy(literal.bits.data(), node.host_data(), static_cast<size_t>(node.type->bytes));
    operand = Operand(literal, operand.where());
  }
  return result;
}

}  // namespace

std::vector<Array> same_dtype(const char* name, const std::vector<Operand>& given,
                              const std::source_location& where) {
  bool strong = false;
  for (const Operand& operand : given) {
    if (operand.is_literal()) continue;
    checked_node(operand.array(), where);
    strong = strong || !is_weak(operand.array());
  }
  const std::vector<Operand> operands = strong ? numbers_apart(given) : given;
  const auto counts = [&](const Operand& operand) {
    return !operand.is_literal() && !(strong && is_weak(operand.array()));
  };
  const Operand* first = nullptr;
  DType dtype = operands[0].is_literal() ? operands[0].literal().dtype : DType::kF32;
  for (const Operand& operand : operands) {
    if (!counts(operand)) continue;
    const Array array = operand.array();
    if (first == nullptr) {
      first = &operand;
      dtype = array.dtype();
    }
    if (const auto joint = promoted(dtype, array.dtype()))
      dtype = *joint;
    else if (!strong)
      dtype = wider(dtype, array.dtype());
    else
      fail_dtypes(name, first->array(), array, where);
  }
  for (const Operand& operand : operands) {
    if (operand.is_literal())
      dtype = joint_dtype(dtype, operand.literal());
    else if (!counts(operand))
      dtype = joint_dtype(dtype, Literal{operand.array().dtype(), {}});
  }
  std::vector<Array> arrays;
  for (const Operand& operand : operands) {
    if (operand.is_literal()) {
      const std::string cure = first == nullptr ? ""
                                                : "; it stands beside a " + first->array().type_string() +
                                                      ", which .astype converts";
      arrays.emplace_back(value_of(name, operand.literal(), dtype, where, cure));
    } else if (operand.array().dtype() != dtype) {
      arrays.push_back(ingot::astype(Operand(operand.array(), where), dtype));
    } else {
      arrays.push_back(operand.array());
    }
    arrays.back() = as_weak(arrays.back(), !strong);
  }
  return arrays;
}

DType beside(DType array, DType number) {
  return joint_dtype(array, Literal{number, {}});
}

Array in_f32(const Array& x) {
  return is_narrow_float(x.dtype()) ? x.astype(DType::kF32) : x;
}

Operand countable(const Operand& x) {
  const Array array = x.array();
  if (array.empty() || array.dtype() != DType::kPred) return x;
  return Operand(astype(x, DType::kS32), x.where());
}

Array number(DType dtype, int value) {
  return Array(convert(Literal::of(value), dtype));
}

}  // namespace ingot::detail
