// Types in text. What is spelled alike is one object, found by its text before it is read.
#include <algorithm>
#include <optional>

#include "base/array_size.h"
#include "stablehlo/text_reader.h"

namespace ingot::stablehlo {
namespace {

// Where the text of a type that begins at `start` ends, if it is one with brackets: tensor<...>.
size_t end_of_bracketed(std::string_view text, size_t start) {
  int depth = 0;
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) return i + 1;
    if (c == '"' || c == '(' || c == '-' || c == '\n') break;  // nothing that is looked up
  }
  return std::string_view::npos;
}

// Nothing if it is far beyond what an array may have; what is a little too large is told where the array is
// made.
std::optional<int64_t> extent_of(std::string_view digits) {
  int64_t extent = 0;
  constexpr int64_t kFar = INT64_MAX / 20;
  for (char c : digits) {
    if (extent > kFar) return std::nullopt;
    extent = extent * 10 + (c - '0');
  }
  return extent;
}

}  // namespace

const Type* TextReader::type() {
  const size_t start = scanner_.position();
  std::string_view key;
  if (scanner_.sees_word("tensor")) {
    const size_t end = end_of_bracketed(scanner_.text(), start);
    if (end != std::string_view::npos) {
      key = scanner_.text().substr(start, end - start);
      if (const auto known = types_.find(key); known != types_.end()) {
        scanner_.go_to(end);
        return known->second;
      }
    }
  }
  const Type* read = parse_type();
  if (!key.empty() && scanner_.from(start) == key) types_.emplace(key, read);
  return read;
}

const Type* TextReader::parse_type() {
  const Level level(*this);
  const size_t start = scanner_.position();
  pay({0, 1}, start);
  if (scanner_.peek() == '(') return function_type(signature());
  if (scanner_.peek() == '!') {
    const std::string_view name = scanner_.name('!', "a type");
    if (const auto alias = type_aliases_.find(name); alias != type_aliases_.end()) {
      pay(alias->second.extent, start);
      return alias->second.value;
    }
    Type other;
    if (name == "stablehlo.token") {
      other.kind = Type::Kind::kToken;
    } else if (name.find('.') == std::string_view::npos) {
      scanner_.fail(start, "there is no type alias !" + std::string(name) + " up to here");
    } else {
      if (scanner_.accept_now('<')) scanner_.balanced('>', "the type");
      other.element = std::string(scanner_.from(start));
    }
    return module_->add(std::move(other));
  }
  if (scanner_.accept_word("tensor")) return tensor_type();
  if (scanner_.accept_word("tuple")) {
    Type tuple;
    tuple.kind = Type::Kind::kTuple;
    scanner_.expect("<", "of the tuple type");
    if (!scanner_.accept(">")) {
      tuple.parts = type_list();
      scanner_.expect(">", "after the types of the tuple");
    }
    return module_->add(std::move(tuple));
  }
  if (scanner_.sees_word("memref") || scanner_.sees_word("vector")) {
    scanner_.word("a type");
    scanner_.expect("<", "of the type");
    scanner_.balanced('>', "the type");
    Type other;
    other.element = std::string(scanner_.from(start));
    return module_->add(std::move(other));
  }
  return scalar_type(element_type());
}

const Type* TextReader::scalar_type(std::string element) {
  Type scalar;
  scalar.kind = Type::Kind::kScalar;
  scalar.element = std::move(element);
  return module_->add(std::move(scalar));
}

// f32, i1, ui8, index, complex<f32>, f8E4M3FN, !quant.uniform<...>
std::string TextReader::element_type() {
  const Level level(*this);
  const size_t start = scanner_.position();
  if (scanner_.peek() == '!') {
    scanner_.name('!', "an element type");
    if (scanner_.accept_now('<')) scanner_.balanced('>', "the element type");
    return std::string(scanner_.from(start));
  }
  std::string name(scanner_.word("a type such as tensor<2x3xf32>"));
  if (name == "complex") {
    scanner_.expect("<", "of the complex type");
    name += "<" + element_type() + ">";
    scanner_.expect(">", "after the type of the parts");
    return name;
  }
  const bool numbered = name.find_first_of("0123456789") != std::string::npos;
  if (!numbered && name != "index" && name != "none") {
    scanner_.fail(start, "expected a type such as tensor<2x3xf32>, found '" + name + "'");
  }
  return name;
}

// <2x3xf32, encoding> behind its word
const Type* TextReader::tensor_type() {
  Type tensor;
  tensor.kind = Type::Kind::kTensor;
  scanner_.expect("<", "of the tensor type");
  if (scanner_.accept("*")) {
    tensor.ranked = false;
    if (!scanner_.accept_now('x')) scanner_.expected("'x' after the '*' of a tensor without a rank");
  }
  while (tensor.ranked) {
    const char next = scanner_.peek();
    if (next == '?') {
      scanner_.accept("?");
      tensor.shape.push_back(Type::kDynamic);
    } else if (next >= '0' && next <= '9') {
      const size_t at = scanner_.position();
      const std::string_view digits = scanner_.digits();
      const std::optional<int64_t> extent = extent_of(digits);
      if (!extent)
        scanner_.fail(at, "the extent " + std::string(digits) + " is more than the " +
                              std::to_string(kMostElements) + " (2^48) elements that an array may have");
      tensor.shape.push_back(*extent);
    } else {
      break;
    }
    if (tensor.shape.size() > kMostDimensions)
      scanner_.expected("the element type: an array has at most " + std::to_string(kMostDimensions) +
                        " dimensions");
    if (!scanner_.accept_now('x')) scanner_.expected("'x' after the extent");
  }
  tensor.element = element_type();
  if (scanner_.accept(",")) {  // an encoding: bounds and layouts, which static programs do without
    scanner_.balanced('>', "the tensor type");
  } else {
    scanner_.expect(">", "after the element type");
  }
  return module_->add(std::move(tensor));
}

std::vector<const Type*> TextReader::type_list() {
  std::vector<const Type*> types;
  do {
    types.push_back(type());
  } while (scanner_.accept(","));
  return types;
}

std::vector<const Type*> TextReader::types_in_brackets() {
  scanner_.expect("(", "before the types");
  if (scanner_.accept(")")) return {};
  std::vector<const Type*> types = type_list();
  scanner_.expect(")", "after the types");
  return types;
}

std::vector<const Type*> TextReader::result_types() {
  if (scanner_.peek() == '(') return types_in_brackets();
  return {type()};
}

TextReader::Signature TextReader::signature() {
  const Level level(*this);
  Signature signature;
  signature.from = types_in_brackets();
  scanner_.expect("->", "after the types of the operands");
  signature.to = result_types();
  return signature;
}

const Type* TextReader::function_type(Signature signature) {
  Type function;
  function.kind = Type::Kind::kFunction;
  function.parts = std::move(signature.from);
  function.results = std::move(signature.to);
  return module_->add(std::move(function));
}

}  // namespace ingot::stablehlo
