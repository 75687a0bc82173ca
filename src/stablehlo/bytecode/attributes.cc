// Attributes: those of vhlo by its own codes, those of MLIR's builtin dialect by theirs, and of other
// dialects their text.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ingot/error.h"
#include "stablehlo/bytecode/names.h"
#include "stablehlo/bytecode/reader.h"

namespace ingot::stablehlo {
namespace {

// i32 32, ui8 8, index 64; f32 32, f8E4M3FN 8, bf16 16; 0 of what is no number.
int bits_of(std::string_view element) {
  if (element == "index") return 64;
  if (element == "tf32") return 19;
  const size_t digits = element.find_first_of("0123456789");
  if (digits == std::string_view::npos || element.starts_with("complex")) return 0;
  int bits = 0;
  for (char c : element.substr(digits)) {
    if (c < '0' || c > '9' || bits > 1000) break;
    bits = bits * 10 + (c - '0');
  }
  return bits;
}

bool is_whole(std::string_view element) {
  return element == "index" || element.starts_with("i") || element.starts_with("ui") ||
         element.starts_with("si");
}

uint64_t low_bits(uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t sign_extended(uint64_t value, int bits) {
  if (bits >= 64 || bits <= 0) return static_cast<int64_t>(value);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int64_t>((low_bits(value, bits) ^ sign) - sign);
}

// As they were written: a byte, a number of up to 64 bits, or several.
uint64_t read_bits(Bytes& bytes, int bits) {
  if (bits <= 8) return bytes.byte("a number");
  if (bits <= 64) return static_cast<uint64_t>(bytes.signed_varint("a number"));
  uint64_t lowest = 0;
  const size_t words = bytes.count("the number of words of a number");
  for (size_t i = 0; i < words; ++i) {
    const auto word = static_cast<uint64_t>(bytes.signed_varint("a word of a number"));
    if (i == 0) lowest = word;
  }
  return lowest;
}

}  // namespace

void BytecodeReader::pay(const Bytes& bytes, const Cost& cost) {
  if (reading_ > 0) {
    cost_.depth = std::max(cost_.depth, cost.depth);
    cost_.parts = std::min(cost_.parts + cost.parts, kMostParts + 1);
    if (cost_.parts > kMostParts) bytes.fail("what refers to this has too many parts");
  }
}

Attribute BytecodeReader::attribute(Bytes& bytes, std::string_view what) {
  return attribute_at(bytes.index(attributes_.size(), what));
}

// An operation that takes an attribute copies it, so a reference of a byte may cost much; `budget_` is what a
// file of this size may cost.
Attribute BytecodeReader::attribute_at(size_t index) {
  Entry& found = entry(attributes_, index, "attribute",
                       [&](Entry& read) { read.attribute = read_attribute(*read.place); });
  if (reading_ == 0) {
    paid_ += found.cost.parts;
    if (paid_ > budget_) found.place->bytes.fail("this attribute is used too often for its size");
  }
  return found.attribute;
}

Attribute BytecodeReader::read_attribute(const Container::Entry& place) {
  Bytes bytes = place.bytes;
  if (!place.encoded) {
    const std::string_view text = bytes.text_to_nul("the text of an attribute");
    bytes.expect_end("the attribute");
    cost_.parts += text.size() / kBytesPerPart;
    return Attribute(Opaque{std::string(text)});
  }
  const std::string& dialect = container_.dialects[place.dialect];
  if (!has_codes(
          dialect)) {  // shardings, which mean nothing on one device; who needs to know more refuses it
    cost_.parts += dialect.size() / kBytesPerPart;
    return Attribute(Opaque{"#" + dialect + "<...>"});
  }
  Attribute read = dialect == "vhlo" ? vhlo_attribute(bytes) : builtin_attribute(bytes);
  bytes.expect_end("the attribute");
  return read;
}

Attribute BytecodeReader::vhlo_attribute(Bytes& bytes) {
  const Bytes at = bytes;
  const uint64_t code = bytes.varint("the code of an attribute");
  if (vhlo_enum(code)) return enumeration(bytes, code);
  switch (code) {
    case 1:
      return array(bytes);
    case 2:
      return Attribute(bytes.index(2, "truth value") == 1);
    case 6:
      return dictionary(bytes);
    case 8:
      return real(bytes);
    case 9:
      return integer(bytes);
    case 10:
      return alias(bytes);
    case 14:
      return Attribute(text(bytes));
    case 15:
      return elements(bytes);
    case 17:
      return Attribute(type(bytes));
    case 18:
      return Attribute(signed_list(bytes, "the bounds of a type"));
    case 20:
      return accuracy(bytes);
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
      return mesh(bytes, code);
    default:
      at.fail("there is no attribute with the code " + std::to_string(code) + " in vhlo");
  }
}

Attribute BytecodeReader::builtin_attribute(Bytes& bytes) {
  const Bytes at = bytes;
  const uint64_t code = bytes.varint("the code of an attribute");
  switch (code) {
    case 0:
      return array(bytes);
    case 1:
      return dictionary(bytes);
    case 2:
      return Attribute(text(bytes));
    case 3: {
      Attribute read(text(bytes));
      type(bytes);
      return read;
    }
    case 4:
    case 5:
      return symbol(bytes, code == 5);
    case 6:
      return Attribute(type(bytes));
    case 7:
      return Attribute(Unit());
    case 8:
      return integer(bytes);
    case 9:
      return real(bytes);
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 22:  // a location, which is of no use here
      bytes = Bytes();
      return Attribute(Opaque{"loc(unknown)"});
    case 17:
      return dense_array(bytes);
    case 18:
      return elements(bytes);
    default:
      at.fail("the builtin attribute with the code " + std::to_string(code) +
              " is none of a StableHLO program");
  }
}

std::string BytecodeReader::text(Bytes& bytes) {
  const std::string_view string = container_.string(bytes, "string");
  cost_.parts += string.size() / 64;
  return std::string(string);
}

std::string BytecodeReader::text_attribute(Bytes& bytes) {
  const Bytes at = bytes;
  const Attribute read = attribute(bytes);
  const auto* text = read.as<std::string>();
  if (!text) at.fail("expected the number of an attribute that is a string");
  return *text;
}

Attribute BytecodeReader::array(Bytes& bytes) {
  const size_t count = bytes.count("the length of an array");
  Attribute::Array items;
  items.reserve(count);
  for (size_t i = 0; i < count; ++i) items.push_back(attribute(bytes));
  return Attribute::array(std::move(items));
}

Attribute BytecodeReader::dictionary(Bytes& bytes) {
  const size_t count = bytes.count("the size of a dictionary");
  Attributes items;
  items.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    std::string name = text_attribute(bytes);
    items.emplace_back(std::move(name), attribute(bytes));
  }
  std::vector<std::string_view> names;
  for (const auto& [name, value] : items) names.push_back(name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) bytes.fail("a dictionary has the name " + std::string(*twice) + " twice");
  return Attribute::dictionary(std::move(items));
}

Attribute BytecodeReader::integer(Bytes& bytes) {
  const Bytes at = bytes;
  const Type* kind = type(bytes);
  const int bits = kind->kind == Type::Kind::kScalar && is_whole(kind->element) ? bits_of(kind->element) : 0;
  if (bits == 0) at.fail("expected the type of a whole number, found " + to_string(*kind));
  const uint64_t value = read_bits(bytes, bits);
  if (kind->element == "i1") return Attribute((value & 1) != 0);
  const bool unsigned_kind = kind->element.starts_with("ui");
  const int64_t extended =
      unsigned_kind ? static_cast<int64_t>(low_bits(value, bits)) : sign_extended(value, bits);
  return Attribute(Integer{extended, kind->element == "i64" ? nullptr : kind});
}

Attribute BytecodeReader::real(Bytes& bytes) {
  const Type* kind = type(bytes);
  return Attribute(Real{real_number(bytes, *kind), kind});
}

double BytecodeReader::real_number(Bytes& bytes, const Type& type) {
  const int bits = type.kind == Type::Kind::kScalar && !is_whole(type.element) ? bits_of(type.element) : 0;
  if (bits == 0) bytes.fail("expected the type of a real number, found " + to_string(type));
  const uint64_t value = read_bits(bytes, bits);
  const std::optional<DType> dtype = dtype_of(type);
  if (!dtype) return 0;  // of a type without numbers of ours, which is refused where it is used
  Tensor one(*dtype, {});
  std::memcpy(one.raw(), &value, one.bytes());
  return one.get_double(0);
}

Attribute BytecodeReader::symbol(Bytes& bytes, bool nested) {
  std::string name = text_attribute(bytes);
  const size_t count = nested ? bytes.count("the number of nested symbols") : 0;
  for (size_t i = 0; i < count; ++i) {
    const Bytes at = bytes;
    const Attribute part = attribute(bytes);
    const auto* symbol = part.as<Symbol>();
    if (!symbol) at.fail("expected the number of an attribute that is a symbol");
    name += "::" + symbol->name;
  }
  return Attribute(Symbol{std::move(name)});
}

Attribute BytecodeReader::enumeration(Bytes& bytes, uint64_t code) {
  const EnumNames& names = *vhlo_enum(code);
  const Bytes at = bytes;
  const uint64_t value = bytes.varint("the value of an enumeration");
  std::string_view values = names.values, word;
  for (uint64_t i = names.first; i <= value; ++i) {
    if (values.empty()) {
      at.fail("there is no value " + std::to_string(value) + " among " + std::string(names.values));
    }
    word = next_word(values);
  }
  if (word.empty())
    at.fail("there is no value " + std::to_string(value) + " among " + std::string(names.values));
  if (names.kind.empty()) return Attribute(Integer{static_cast<int64_t>(value), scalar("i32")});
  return Attribute(Enum{std::string(names.kind), std::string(word)});
}

// Preds are packed, eight in a byte, or a byte each in old artifacts; one of any type may stand for all.
Attribute BytecodeReader::elements(Bytes& bytes) {
  const Bytes at = bytes;
  Elements elements;
  elements.type = type(bytes);
  const Type& type = *elements.type;
  if (!type.is_static()) {
    at.fail("the type of a constant is that of a tensor with known extents, not " + to_string(type));
  }
  const Bytes blob_at = bytes;
  const std::string_view blob = bytes.blob("the elements of a constant").rest();
  int64_t count = 0;
  try {
    count = element_count(type.shape);
  } catch (const Error& error) {
    at.fail(error.what());
  }
  const std::optional<DType> dtype = dtype_of(type);
  if (!dtype) {  // what an operation makes of it is refused
    elements.values = Tensor(DType::kU8, {static_cast<int64_t>(blob.size())});
    std::memcpy(elements.values.raw(), blob.data(), blob.size());
    return Attribute::elements(std::move(elements));
  }
  const auto size = static_cast<int64_t>(blob.size()), each = static_cast<int64_t>(byte_size(*dtype));
  const auto first = blob.empty() ? 0 : static_cast<uint8_t>(blob[0]);
  const bool pred = *dtype == DType::kPred;
  const bool whole = size / each == count && size % each == 0;
  const bool same = !whole && (pred ? size == 1 && (first == 0 || first == 0xff || count > 8) : size == each);
  const bool packed = pred && !whole && !same && size == count / 8 + (count % 8 != 0);
  if (!whole && !same && !packed) {
    blob_at.fail("there are " + std::to_string(size) + " bytes, but " + to_string(type) + " has " +
                 std::to_string(count) + " elements");
  }
  cost_.parts += static_cast<uint64_t>(std::min(count, kMostListed)) / 8;  // it may become a list
  elements.splat = same;
  elements.values = Tensor(*dtype, same ? Shape() : type.shape);
  auto* to = reinterpret_cast<uint8_t*>(elements.values.raw());
  if (packed) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = static_cast<uint8_t>(static_cast<uint8_t>(blob[static_cast<size_t>(i / 8)]) >> (i % 8) & 1);
    }
  } else if (pred) {
    for (int64_t i = 0; i < size; ++i) to[i] = blob[static_cast<size_t>(i)] != 0;
  } else if (size > 0) {
    std::memcpy(to, blob.data(), blob.size());
    elements.values.clear_spare_bits();
  }
  return Attribute::elements(std::move(elements));
}

// array<i64: 1, 2>: a list of numbers, or of real ones an array of them.
Attribute BytecodeReader::dense_array(Bytes& bytes) {
  const Bytes at = bytes;
  const Type* kind = type(bytes);
  const uint64_t count = bytes.varint("the length of an array");
  const std::string_view blob = bytes.blob("the numbers of an array").rest();
  const std::optional<DType> dtype = dtype_of(*kind);
  if (!dtype || kind->kind != Type::Kind::kScalar || is_complex(*dtype) ||
      blob.size() / byte_size(*dtype) != count || blob.size() % byte_size(*dtype) != 0) {
    at.fail(std::to_string(blob.size()) + " bytes are no array of " + std::to_string(count) +
            " numbers of type " + to_string(*kind));
  }
  Tensor numbers(*dtype, {static_cast<int64_t>(count)});
  if (!blob.empty()) std::memcpy(numbers.raw(), blob.data(), blob.size());
  numbers.clear_spare_bits();
  cost_.parts += count / 8;
  if (is_float(*dtype)) {
    cost_.parts += count;
    Attribute::Array items;
    for (int64_t i = 0; i < numbers.size(); ++i)
      items.push_back(Attribute(Real{numbers.get_double(i), kind}));
    return Attribute::array(std::move(items));
  }
  Ints list;
  for (int64_t i = 0; i < numbers.size(); ++i) {
    list.push_back(*dtype == DType::kPred ? static_cast<int64_t>(blob[static_cast<size_t>(i)] != 0)
                                          : numbers.get_int(i));
  }
  return Attribute(std::move(list));
}

Attribute BytecodeReader::alias(Bytes& bytes) {
  Ints output = signed_list(bytes, "the indices of an alias");
  const int64_t operand = bytes.signed_varint("the operand of an alias");
  Ints indices = signed_list(bytes, "the indices of an alias");
  return Attribute::record("output_operand_alias",
                           {{"output_tuple_indices", Attribute(std::move(output))},
                            {"operand_index", Attribute(Integer{operand, nullptr})},
                            {"operand_tuple_indices", Attribute(std::move(indices))}});
}

Attribute BytecodeReader::accuracy(Bytes& bytes) {
  const auto real = [&] {
    return Attribute(Real{std::bit_cast<double>(bytes.signed_varint("a tolerance")), nullptr});
  };
  Attribute atol = real(), rtol = real();
  const int64_t ulps = bytes.signed_varint("a tolerance in units of the last place");
  return Attribute::record("result_accuracy", {{"atol", std::move(atol)},
                                               {"rtol", std::move(rtol)},
                                               {"ulps", Attribute(Integer{ulps, nullptr})},
                                               {"mode", attribute(bytes)}});
}

// What says which devices take part means nothing on one.
Attribute BytecodeReader::mesh(Bytes& bytes, uint64_t code) {
  switch (code) {
    case 21:  // a part of an axis
      bytes.signed_varint("the size before an axis");
      bytes.signed_varint("the size of an axis");
      break;
    case 22:  // an axis by its name, and perhaps a part of it
      attribute(bytes);
      if (bytes.index(2, "truth value") == 1) attribute(bytes);
      break;
    case 23:  // a mesh and axes of it
      attribute(bytes);
      attribute(bytes);
      break;
    case 24:  // an axis and its size
      attribute(bytes);
      bytes.signed_varint("the size of an axis");
      break;
    default: {  // a mesh: its axes, and perhaps its devices
      attribute(bytes);
      const Bytes at = bytes;
      const auto [index, there] = bytes.flagged("the devices of a mesh");
      if (there) attribute_at(at.checked_index(index, attributes_.size(), "attribute"));
      break;
    }
  }
  constexpr std::string_view kNames[] = {"sub_axis_info", "axis_ref", "replica_group_mesh_axes", "mesh_axis",
                                         "mesh"};
  return Attribute(Opaque{"#stablehlo." + std::string(kNames[code - 21]) + "<...>"});
}

}  // namespace ingot::stablehlo
