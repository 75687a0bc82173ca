// Constants in text: dense<...> with numbers, nested lists of them, or a string of bytes in hexadecimal. The
// type stands behind the numbers, so the numbers are passed over first. No memory is taken for a size that
// the text does not bear out.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "ingot/error.h"
#include "stablehlo/text_reader.h"

namespace ingot::stablehlo {
namespace {

// Sixteen hexadecimal digits at once. Whether all of them are digits.
inline bool decode_some(const char* from, uint8_t* to) {
  using Digits [[gnu::vector_size(16)]] = uint8_t;
  using Pairs [[gnu::vector_size(16)]] = uint16_t;
  using Bytes [[gnu::vector_size(8)]] = uint8_t;
  Digits text;
  std::memcpy(&text, from, sizeof(text));
  const Digits digit = text - '0', letter = (text | 0x20) - 'a';
  const Digits is_digit = digit <= 9, wrong = ~is_digit & (letter > 5);
  const Digits values = (digit & is_digit) | ((letter + 10) & ~is_digit);
  // Of two digits the first one, the lower half of a pair, is the upper half of their byte.
  static_assert(std::endian::native == std::endian::little);
  Pairs pairs;
  std::memcpy(&pairs, &values, sizeof(pairs));
  const auto bytes = __builtin_convertvector(pairs << 4 | pairs >> 8, Bytes);
  std::memcpy(to, &bytes, sizeof(bytes));
  uint64_t any[2];
  std::memcpy(any, &wrong, sizeof(any));
  return (any[0] | any[1]) == 0;
}

// The bytes behind "0x"; false if some are not hexadecimal.
bool decode(const char* from, uint8_t* to, int64_t bytes) {
  bool right = true;
  int64_t done = 0;
  for (; done + 8 <= bytes; done += 8) right &= decode_some(from + 2 * done, to + done);
  if (done == bytes) return right;
  const auto rest = static_cast<size_t>(bytes - done);
  char digits[] = "0000000000000000";
  uint8_t decoded[8];
  std::memcpy(digits, from + 2 * done, 2 * rest);
  right &= decode_some(digits, decoded);
  std::memcpy(to + done, decoded, rest);
  return right;
}

}  // namespace

Attribute TextReader::dense() {
  const size_t start = scanner_.position();
  scanner_.expect("<", "of the constant");
  const size_t body = scanner_.position();
  if (scanner_.peek() == '"') {
    scanner_.raw_string("the bytes");
    scanner_.expect(">", "after the bytes");
  } else {
    const size_t end = scanner_.text().find('>', body);
    if (end == std::string_view::npos) scanner_.fail(start, "the constant does not end: there is no '>'");
    scanner_.go_to(end + 1);
  }
  const size_t body_end = scanner_.from(0).size();
  scanner_.expect(":", "before the type of the constant");
  const size_t type_at = scanner_.position();
  const Type* constant_type = type();
  const size_t behind = scanner_.from(0).size();
  if (!constant_type->is_static()) {
    scanner_.fail(type_at, "the type of a constant is that of a tensor with known extents, not " +
                               to_string(*constant_type));
  }
  scanner_.go_to(body);
  Elements elements = elements_of(*constant_type, scanner_.text().substr(body, body_end - body), type_at);
  elements.type = constant_type;
  scanner_.expect(">", "after the elements of the constant");
  scanner_.go_to(behind);
  return Attribute::elements(std::move(elements));
}

Elements TextReader::elements_of(const Type& type, std::string_view body, size_t start) {
  Elements elements;
  elements.type = &type;
  int64_t count = 0;
  try {
    count = element_count(type.shape);
  } catch (const Error& error) {
    scanner_.fail(start, error.what());
  }
  const std::optional<DType> dtype = dtype_of(type);
  const size_t at = scanner_.position();
  if (scanner_.peek() == '"') {
    elements.values = from_bytes(type, at);
    elements.splat = elements.values.shape().empty() && !type.shape.empty();
    return elements;
  }
  if (!dtype) {  // what an operation makes of it is refused; the text is passed over
    elements.values = Tensor(DType::kU8, {0});
    scanner_.go_to(at + body.size() - 1);
    return elements;
  }
  if (scanner_.peek() == '>') {
    if (count != 0) scanner_.fail(at, "there are no elements, but " + to_string(type) + " has some");
    elements.values = Tensor(*dtype, type.shape);
    return elements;
  }
  if (scanner_.peek() != '[') {
    elements.values = Tensor(*dtype, {});
    elements.splat = !type.shape.empty();
    element(elements.values, 0);
    return elements;
  }
  if (count > static_cast<int64_t>(body.size())) {
    scanner_.fail(at, to_string(type) + " has more elements than there are numbers");
  }
  elements.values = Tensor(*dtype, type.shape);
  int64_t next = 0;
  fill(elements.values, type.shape, 0, next);
  return elements;
}

// The numbers of dimension `dim` and the ones within it.
void TextReader::fill(Tensor& tensor, const Shape& shape, size_t dim, int64_t& next) {
  if (dim == shape.size()) {
    element(tensor, next++);
    return;
  }
  const Level level(*this);
  const size_t at = scanner_.position();
  scanner_.expect("[", "before the elements of dimension " + std::to_string(dim));
  int64_t count = 0;
  if (!scanner_.accept("]")) {
    do {
      if (++count > shape[dim]) break;
      fill(tensor, shape, dim + 1, next);
    } while (scanner_.accept(","));
    if (count <= shape[dim]) scanner_.expect("]", "after the elements");
  }
  if (count != shape[dim]) {
    scanner_.fail(at, "expected " + std::to_string(shape[dim]) + " elements of dimension " +
                          std::to_string(dim) + " of " + ingot::to_string(shape) + ", found " +
                          (count > shape[dim] ? "more" : std::to_string(count)));
  }
}

void TextReader::element(Tensor& tensor, int64_t index) {
  const DType dtype = tensor.dtype();
  const size_t at = scanner_.position();
  if (is_complex(dtype)) {
    scanner_.expect("(", "before a complex number");
    const double re = real_number(real_dtype(dtype));
    scanner_.expect(",", "between the parts of a complex number");
    const double im = real_number(real_dtype(dtype));
    scanner_.expect(")", "after a complex number");
    tensor.set_complex(index, {re, im});
    return;
  }
  if (is_float(dtype)) return float_element(tensor, index, dtype);
  if (scanner_.accept_word("true")) return tensor.set_int(index, 1);
  if (scanner_.accept_word("false")) return tensor.set_int(index, 0);
  const int64_t value = scanner_.integer_bits("a whole number");
  if (dtype == DType::kPred) {
    if (value < -1 || value > 1) scanner_.fail(at, "an i1 is true or false");
    return tensor.set_int(index, value != 0);
  }
  const int bits = bit_width(dtype);
  const bool negative = scanner_.text()[at] == '-';
  // Of numbers without a sign the bits may be written: 255 is the -1 of an i8.
  const bool fits = negative ? is_signed(dtype) && (bits == 64 || value >= -(int64_t{1} << (bits - 1)))
                             : bits == 64 || (value >= 0 && value >> bits == 0);
  if (!fits) {
    const std::string lowest = is_signed(dtype) ? std::to_string(INT64_MIN >> (64 - bits)) : "0";
    const std::string highest = std::to_string(UINT64_MAX >> (64 - bits));
    scanner_.fail(at, "the number does not fit into " + std::string(name_of(dtype)) + ": it is to be from " +
                          lowest + " to " + highest);
  }
  tensor.set_int(index, value);
}

// Bits are kept as they are, those of a NaN too.
void TextReader::float_element(Tensor& tensor, int64_t index, DType dtype) {
  const size_t at = scanner_.position();
  const std::string_view token = scanner_.number();
  const size_t bytes = byte_size(dtype);
  if (token.starts_with("0x")) {
    uint64_t bits = 0;
    const auto result = std::from_chars(token.data() + 2, token.data() + token.size(), bits, 16);
    if (result.ec != std::errc() || (bytes < 8 && bits >> (8 * bytes) != 0)) {
      scanner_.fail(at, "the bits do not fit into " + std::string(name_of(dtype)));
    }
    std::memcpy(tensor.raw() + static_cast<size_t>(index) * bytes, &bits, bytes);
    return;
  }
  scanner_.go_to(at);
  tensor.set_double(index, real_number(dtype));
}

double TextReader::real_number(DType dtype) {
  const size_t at = scanner_.position();
  const std::string_view token = scanner_.number();
  if (token.empty()) scanner_.expected("a number");
  if (token.starts_with("0x")) {
    Tensor one(dtype, {});
    scanner_.go_to(at);
    float_element(one, 0, dtype);
    return one.get_double(0);
  }
  double value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec == std::errc::result_out_of_range) {  // value is left alone
    const size_t exponent = token.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && token.substr(exponent + 1).starts_with('-');
    value = tiny ? 0.0 : INFINITY;
    if (token[0] == '-') value = -value;
  }
  return value;
}

// "0x...": the bytes of all elements in their order, or of one for all. Preds have a bit or a byte each.
Tensor TextReader::from_bytes(const Type& type, size_t start) {
  const std::string_view digits = scanner_.raw_string("the bytes");
  if (!digits.starts_with("0x") || digits.size() % 2 != 0) {
    scanner_.fail(start, "expected the bytes of the elements, \"0x...\" with two digits each");
  }
  const auto check_digits = [&] {
    const size_t wrong = digits.find_first_not_of("0123456789abcdefABCDEF", 2);
    if (wrong == std::string_view::npos) return;
    scanner_.fail(start, "digit " + std::to_string(wrong - 1) + " of the bytes, '" +
                             std::string(digits.substr(wrong, 1)) + "', is not hexadecimal");
  };
  const auto bytes = static_cast<int64_t>(digits.size() / 2 - 1);
  const std::optional<DType> dtype = dtype_of(type);
  const int64_t count = element_count(type.shape);
  const int64_t each = dtype ? static_cast<int64_t>(byte_size(*dtype)) : 1;
  const bool packed = dtype == DType::kPred && bytes == (count + 7) / 8 && bytes != count;
  const bool whole = bytes / each == count && bytes % each == 0;
  const bool one = bytes == each;
  if (dtype && !whole && !one && !packed) {
    check_digits();
    scanner_.fail(start, "there are " + std::to_string(bytes) + " bytes, but " + to_string(type) + " has " +
                             std::to_string(count) + " elements of " + std::to_string(each));
  }
  Tensor tensor = !dtype   ? Tensor(DType::kU8, {bytes})
                  : whole  ? Tensor(*dtype, type.shape)
                  : packed ? Tensor(*dtype, type.shape)
                           : Tensor(*dtype, {});
  auto* to = reinterpret_cast<uint8_t*>(tensor.raw());
  const char* from = digits.data() + 2;
  if (dtype != DType::kPred) {
    if (!decode(from, to, bytes)) check_digits();
    tensor.clear_spare_bits();
    return tensor;
  }
  std::vector<uint8_t> read(static_cast<size_t>(bytes));
  if (!decode(from, read.data(), bytes)) check_digits();
  for (int64_t i = 0; i < (packed ? count : bytes); ++i) {
    to[i] = packed ? read[static_cast<size_t>(i / 8)] >> (i % 8) & 1 : read[static_cast<size_t>(i)] != 0;
  }
  return tensor;
}

}  // namespace ingot::stablehlo
