// Types: those of vhlo by its own codes, those of MLIR's builtin dialect by theirs, and of other dialects
// their text.
#include <bit>

#include "base/array_size.h"
#include "stablehlo/bytecode/names.h"
#include "stablehlo/bytecode/reader.h"

namespace ingot::stablehlo {

bool BytecodeReader::has_codes(std::string_view dialect) {
  return dialect == "vhlo" || dialect == "builtin";
}

const Type* BytecodeReader::type(Bytes& bytes, std::string_view what) {
  return type_at(bytes.index(types_.size(), what));
}

const Type* BytecodeReader::type_at(size_t index) {
  return entry(types_, index, "type", [&](Entry& read) { read.type = read_type(*read.place); }).type;
}

const Type* BytecodeReader::read_type(const Container::Entry& place) {
  Bytes bytes = place.bytes;
  if (!place.encoded) return text_type(bytes);
  const std::string& dialect = container_.dialects[place.dialect];
  if (!has_codes(dialect)) {
    cost_.parts += dialect.size() / 64;
    Type other;
    other.element = "!" + dialect + "<...>";
    return module_->add(std::move(other));
  }
  const Type* read = dialect == "vhlo" ? vhlo_type(bytes) : builtin_type(bytes);
  bytes.expect_end("the type");
  return read;
}

const Type* BytecodeReader::text_type(Bytes& bytes) {
  const std::string_view text = bytes.text_to_nul("the text of a type");
  bytes.expect_end("the type");
  cost_.parts += text.size() / 64;
  Type other;
  if (text.find_first_of("<!(") == std::string_view::npos) other.kind = Type::Kind::kScalar;
  other.element = std::string(text);
  return module_->add(std::move(other));
}

const Type* BytecodeReader::vhlo_type(Bytes& bytes) {
  const Bytes at = bytes;
  const uint64_t code = bytes.varint("the code of a type");
  if (const std::string_view simple = simple_vhlo_type(code); !simple.empty()) return scalar(simple);
  switch (code) {
    case 1:
      return complex(bytes);
    case 8:
      return function_type(bytes);
    case 21:  // with an encoding: bounds, which static programs do without
      attribute(bytes);
      return tensor(bytes);
    case 20:
      return tensor(bytes);
    case 22: {
      Type token;
      token.kind = Type::Kind::kToken;
      return module_->add(std::move(token));
    }
    case 23:
      return tuple(bytes);
    case 24:
      return quantized(bytes, false);
    case 25: {
      Type unranked = *scalar(type(bytes)->element);
      unranked.kind = Type::Kind::kTensor;
      unranked.ranked = false;
      return module_->add(std::move(unranked));
    }
    case 30:
      return quantized(bytes, true);
    case 26:
    case 41:
    case 42: {
      Type other;  // of shape computations, buffers and asynchronous operations, which are refused
      other.element = code == 26   ? "!shape.witness"
                      : code == 41 ? to_string(*tensor(bytes))
                                   : "!stablehlo.future";
      if (code == 41) other.element.replace(0, 6, "memref");
      if (code == 42) types(bytes);
      return module_->add(std::move(other));
    }
    default:
      at.fail("there is no type with the code " + std::to_string(code) + " in vhlo");
  }
}

const Type* BytecodeReader::builtin_type(Bytes& bytes) {
  const Bytes at = bytes;
  const uint64_t code = bytes.varint("the code of a type");
  if (const std::string_view simple = simple_builtin_type(code); !simple.empty()) return scalar(simple);
  switch (code) {
    case 0: {
      const uint64_t width = bytes.varint("the width of an integer type");
      constexpr std::string_view kPrefix[] = {"i", "si", "ui"};
      if ((width & 3) == 3 || width >> 2 > (1 << 24)) at.fail("there is no such integer type");
      return scalar(std::string(kPrefix[width & 3]) + std::to_string(width >> 2));
    }
    case 2:
      return function_type(bytes);
    case 9:
      return complex(bytes);
    case 14:
      attribute(bytes);
      return tensor(bytes);
    case 13:
      return tensor(bytes);
    case 15:
      return tuple(bytes);
    case 18: {
      Type unranked = *scalar(type(bytes)->element);
      unranked.kind = Type::Kind::kTensor;
      unranked.ranked = false;
      return module_->add(std::move(unranked));
    }
    default:
      at.fail("the builtin type with the code " + std::to_string(code) + " is none of a StableHLO program");
  }
}

const Type* BytecodeReader::scalar(std::string_view element) {
  Type type;
  type.kind = Type::Kind::kScalar;
  type.element = std::string(element);
  return module_->add(std::move(type));
}

const Type* BytecodeReader::tensor(Bytes& bytes) {
  Type tensor;
  tensor.kind = Type::Kind::kTensor;
  const Bytes at = bytes;
  tensor.shape = signed_list(bytes, "the extents of a tensor type");
  if (tensor.shape.size() > kMostDimensions)
    at.fail("a tensor type has " + std::to_string(tensor.shape.size()) +
            " dimensions, and an array has at most " + std::to_string(kMostDimensions));
  for (int64_t& extent : tensor.shape) {
    if (extent >= 0) continue;
    if (extent != INT64_MIN && extent != -1) at.fail("an extent is " + std::to_string(extent));
    extent = Type::kDynamic;
  }
  const Bytes element_at = bytes;
  const Type& element = *type(bytes);
  if (element.kind != Type::Kind::kScalar && element.kind != Type::Kind::kOther) {
    element_at.fail("the elements of a tensor type are numbers, not " + to_string(element));
  }
  tensor.element = element.element;
  cost_.parts += tensor.element.size() / 64 + tensor.shape.size() / 8;
  return module_->add(std::move(tensor));
}

const Type* BytecodeReader::tuple(Bytes& bytes) {
  Type tuple;
  tuple.kind = Type::Kind::kTuple;
  tuple.parts = types(bytes);
  return module_->add(std::move(tuple));
}

const Type* BytecodeReader::function_type(Bytes& bytes) {
  Type function;
  function.kind = Type::Kind::kFunction;
  function.parts = types(bytes);
  function.results = types(bytes);
  return module_->add(std::move(function));
}

const Type* BytecodeReader::complex(Bytes& bytes) {
  const Bytes at = bytes;
  const Type& part = *type(bytes);
  if (part.kind != Type::Kind::kScalar || part.element.starts_with("complex")) {
    at.fail("the parts of a complex type are numbers, not " + to_string(part));
  }
  return scalar("complex<" + part.element + ">");
}

const Type* BytecodeReader::quantized(Bytes& bytes, bool per_axis) {
  bytes.varint("the flags of a quantized type");
  const Type &storage = *type(bytes), &expressed = *type(bytes);
  const auto real = [&] {
    return std::to_string(std::bit_cast<double>(bytes.signed_varint("the scale of a quantized type")));
  };
  std::string text = "!quant.uniform<" + storage.element + ":" + expressed.element;
  if (!per_axis) {
    text += ", " + real();
    text += ":" + std::to_string(bytes.signed_varint("the zero point of a quantized type"));
  } else {
    text += ":" + std::to_string(bytes.varint("the dimension of a quantized type"));
  }
  bytes.signed_varint("the least value of a quantized type");
  bytes.signed_varint("the greatest value of a quantized type");
  if (per_axis) {
    std::string scales;
    const size_t count = bytes.count("the number of scales");
    for (size_t i = 0; i < count; ++i) scales += (i == 0 ? "" : ",") + real();
    const Ints zeros = signed_list(bytes, "the zero points of a quantized type");
    text += ", {" + scales + "}";
  }
  Type other;
  other.element = text + ">";
  cost_.parts += other.element.size() / 64;
  return module_->add(std::move(other));
}

std::vector<const Type*> BytecodeReader::types(Bytes& bytes) {
  const size_t count = bytes.count("the number of types");
  std::vector<const Type*> list;
  list.reserve(count);
  for (size_t i = 0; i < count; ++i) list.push_back(type(bytes));
  return list;
}

Ints BytecodeReader::signed_list(Bytes& bytes, std::string_view what) {
  const size_t count = bytes.count(what);
  Ints list;
  list.reserve(count);
  for (size_t i = 0; i < count; ++i) list.push_back(bytes.signed_varint(what));
  cost_.parts += count / 8;
  return list;
}

}  // namespace ingot::stablehlo
