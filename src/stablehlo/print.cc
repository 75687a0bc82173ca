// A module in MLIR's generic text form (module.h).
#include <algorithm>
#include <unordered_set>

#include "stablehlo/module.h"
#include "stablehlo/print_real.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

std::string in_quotes(std::string_view text) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '"' || byte < ' ' || byte >= 0x7f) {
      result += '\\';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string print(const Attributes& attributes);

template <class T, class Print>
std::string listed(const T& items, const Print& print_one) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + print_one(item);
  return text;
}

std::string numbers(const Ints& list) {
  return listed(list, [](int64_t value) { return std::to_string(value); });
}

std::string print_element(const Tensor& values, int64_t i) {
  const DType dtype = values.dtype();
  if (dtype == DType::kPred) return values.get_int(i) != 0 ? "true" : "false";
  const auto bytes = static_cast<std::ptrdiff_t>(byte_size(dtype));
  const std::byte* bits = values.raw() + i * bytes;
  if (is_complex(dtype)) {
    const std::complex<double> value = values.get_complex(i);
    return "(" + print_real(value.real(), real_dtype(dtype), bits) + "," +
           print_real(value.imag(), real_dtype(dtype), bits + bytes / 2) + ")";
  }
  if (is_float(dtype)) return print_real(values.get_double(i), dtype, bits);
  const int64_t value = values.get_int(i);
  return dtype == DType::kU64 ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
}

std::string print_nested(const Tensor& values, size_t dim, int64_t& next) {
  if (dim == values.shape().size()) return print_element(values, next++);
  std::string text = "[";
  for (int64_t i = 0; i < values.shape()[dim]; ++i)
    text += (i == 0 ? "" : ", ") + print_nested(values, dim + 1, next);
  return text + "]";
}

constexpr int64_t kMostWritten = 64;  // elements of a constant that are written one by one

std::string print(const Elements& elements) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  const Tensor& values = elements.values;
  const bool known = values.size() > 0 && dtype_of(*elements.type) == values.dtype();
  // Those of a pred always: versions of MLIR differ in whether its bytes hold one of them or eight.
  if (known && (values.size() <= kMostWritten || values.dtype() == DType::kPred)) {
    int64_t next = 0;
    return "dense<" + (values.size() == 1 ? print_element(values, 0) : print_nested(values, 0, next)) +
           "> : " + to_string(*elements.type);
  }
  std::string text = "dense<";
  if (values.bytes() > 0) {
    text += "\"0x";
    for (size_t i = 0; i < values.bytes(); ++i) {
      auto byte = static_cast<unsigned char>(values.raw()[i]);
      // Where a byte per pred could be read as bits, it would be: all set or none is right either way.
      if (values.dtype() == DType::kPred && values.bytes() == 1) byte = byte ? 0xff : 0;
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    text += "\"";
  }
  return text + "> : " + to_string(*elements.type);
}

// What stands without quotes as the name of an attribute or symbol.
std::string bare_or_quoted(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool bare = !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '$';
  });
  return bare ? std::string(name) : in_quotes(name);
}

std::string typed(std::string number, const Type* type, const char* usual, bool in_array) {
  const std::string name = type ? to_string(*type) : usual;
  return in_array && name == usual ? number : number + " : " + name;
}

std::string print(const Integer& number, bool in_array) {
  const bool no_sign = number.type && dtype_of(*number.type) == DType::kU64;
  return typed(no_sign ? std::to_string(static_cast<uint64_t>(number.value)) : std::to_string(number.value),
               number.type, "i64", in_array);
}

std::string print(const Real& number, bool in_array) {
  const DType dtype = number.type ? dtype_of(*number.type).value_or(DType::kF64) : DType::kF64;
  Tensor one(dtype, {});
  one.set_double(0, number.value);
  return typed(print_real(number.value, dtype, one.raw()), number.type, "f64", in_array);
}

// The types i64 and f64 of numbers go without saying in an array.
std::string print(const Attribute& attribute, bool in_array = false) {
  if (attribute.as<Unit>()) return "unit";
  if (const auto* flag = attribute.as<bool>()) return *flag ? "true" : "false";
  if (const auto* number = attribute.as<Integer>()) return print(*number, in_array);
  if (const auto* number = attribute.as<Real>()) return print(*number, in_array);
  if (const auto* text = attribute.as<std::string>()) return in_quotes(*text);
  if (const auto* symbol = attribute.as<Symbol>()) return "@" + bare_or_quoted(symbol->name);
  if (const auto* type = attribute.as<const Type*>()) return to_string(**type);
  if (const auto* value = attribute.as<Enum>()) return "#stablehlo<" + value->kind + " " + value->value + ">";
  if (const auto* list = attribute.as<Ints>())
    return "array<i64" + (list->empty() ? "" : ": " + numbers(*list)) + ">";
  if (const auto* array = attribute.as<Attribute::Array>()) {
    return "[" + listed(*array, [](const Attribute& item) { return print(item, true); }) + "]";
  }
  if (const auto* items = attribute.as<Attributes>()) return dictionary_text(*items);
  if (const auto* record = attribute.as<Record>()) {
    const auto field = [](const std::pair<std::string, Attribute>& item) {
      const auto* list = item.second.as<Ints>();
      return item.first + " = " + (list ? "[" + numbers(*list) + "]" : print(item.second, true));
    };
    return "#stablehlo." + record->kind + "<" + (record->kind == "conv" ? "raw " : "") +
           listed(record->fields, field) + ">";
  }
  if (const auto* elements = attribute.as<Elements>()) return print(*elements);
  return attribute.as<Opaque>()->text;
}

// The one list of Ints that holds truths.
std::string print_truths(const Ints& list) {
  return std::string("array<i1") + (list.empty() ? "" : ": ") +
         listed(list, [](int64_t value) -> std::string { return value != 0 ? "true" : "false"; }) + ">";
}

std::string print(const Attributes& attributes) {
  return "{" +
         listed(attributes,
                [](const auto& item) {
                  const auto* list = item.second.template as<Ints>();
                  if (list && item.first == "window_reversal")
                    return bare_or_quoted(item.first) + " = " + print_truths(*list);
                  return bare_or_quoted(item.first) +
                         (item.second.template as<Unit>() ? "" : " = " + print(item.second));
                }) +
         "}";
}

// Locations share their parts: what one says is cut where a reader would have lost the thread long ago.
constexpr int kMostSaid = 1000;

std::string print(const Location& location, int& left) {
  if (--left < 0) return "unknown";
  switch (location.kind) {
    case Location::Kind::kUnknown:
      break;
    case Location::Kind::kFile:
      return in_quotes(location.name) + ":" + std::to_string(location.line) + ":" +
             std::to_string(location.column);
    case Location::Kind::kName:
      return in_quotes(location.name) +
             (location.parts.empty() ? "" : "(" + print(*location.parts[0], left) + ")");
    case Location::Kind::kCallSite: {
      const std::string callee = print(*location.parts[0], left);
      return "callsite(" + callee + " at " + print(*location.parts[1], left) + ")";
    }
    case Location::Kind::kFused:
      if (location.parts.size() == 1) return print(*location.parts[0], left);
      return "fused[" + listed(location.parts, [&](const Location* part) { return print(*part, left); }) +
             "]";
  }
  return "unknown";
}

std::string print(const Location& location) {
  int left = kMostSaid;
  return print(location, left);
}

// Letters, digits and a few signs; what begins with a digit is a number.
bool is_plain_name(std::string_view name) {
  constexpr size_t kLongest = 200;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || name.size() > kLongest || !letter(name[0])) return false;
  for (char c : name) {
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '$' && c != '-') return false;
  }
  return true;
}

class Printer {
 public:
  Printer(const Function& function, bool locations, bool names) : function_(function), locations_(locations) {
    if (!names) return;
    std::unordered_set<std::string_view> taken;
    names_.resize(function.values.size());
    for (size_t i = 0; i < function.values.size(); ++i) {
      const std::string& own = function.values[i].name;
      if (is_plain_name(own) && taken.insert(own).second) names_[i] = own;
    }
    int64_t number = 0;  // of those without one
    for (std::string& name : names_) {
      if (name.empty()) name = std::to_string(number++);
    }
  }

  std::string body() {
    print(function_.body, 2);
    return std::move(text_);
  }
  std::string name(ValueId id) const {
    return "%" + (names_.empty() ? "v" + std::to_string(id) : names_[static_cast<size_t>(id)]);
  }
  std::string location(const Location* place) const {
    return locations_ && place ? " loc(" + stablehlo::print(*place) + ")" : "";
  }

 private:
  std::string type(ValueId id) const { return to_string(function_.type_of(id)); }
  std::string types(const std::vector<ValueId>& ids) const {
    return "(" + listed(ids, [&](ValueId id) { return type(id); }) + ")";
  }

  void print(const Region& region, size_t indent) {
    for (const Operation& operation : region.operations) print(operation, indent);
  }

  void print(const Operation& operation, size_t indent) {
    text_ += std::string(indent, ' ') + listed(operation.results, [&](ValueId id) { return name(id); }) +
             (operation.results.empty() ? "" : " = ") + in_quotes(operation.name) + "(" +
             listed(operation.operands, [&](ValueId id) { return name(id); }) + ")";
    if (!operation.attributes.empty()) text_ += " <" + stablehlo::print(operation.attributes) + ">";
    for (size_t i = 0; i < operation.regions.size(); ++i) {
      const Region& region = operation.regions[i];
      text_ += i == 0 ? " ({\n" : ", {\n";
      if (!region.arguments.empty()) {
        text_ += std::string(indent, ' ') + "^bb0(" +
                 listed(region.arguments, [&](ValueId id) { return name(id) + ": " + type(id); }) + "):\n";
      }
      print(region, indent + 2);
      text_ += std::string(indent, ' ') + "}";
    }
    text_ += operation.regions.empty() ? "" : ")";
    text_ += " : " + types(operation.operands) + " -> " + types(operation.results) +
             location(operation.location) + "\n";
  }

  const Function& function_;
  bool locations_;
  std::vector<std::string> names_;  // by ValueId; none: they are numbered
  std::string text_;
};

}  // namespace

std::string dictionary_text(const Attributes& attributes) {
  Attributes sorted = attributes;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return print(sorted);
}

std::string to_string(const Module& module, bool locations, bool names) {
  std::string text = "module";
  if (!module.name.empty()) text += " @" + in_quotes(module.name);
  if (!module.attributes.empty()) text += " attributes " + print(module.attributes);
  text += " {\n";
  for (const Function& function : module.functions) {
    Printer printer(function, locations, names);
    text += std::string("func.func ") + (function.is_private ? "private" : "public") + " @" +
            in_quotes(function.name) + "(";
    for (size_t i = 0; i < function.body.arguments.size(); ++i) {
      const Value& argument = function.values[static_cast<size_t>(function.body.arguments[i])];
      text +=
          (i == 0 ? "" : ", ") + printer.name(function.body.arguments[i]) + ": " + to_string(*argument.type);
      if (i < function.argument_attributes.size() && !function.argument_attributes[i].empty()) {
        text += " " + print(function.argument_attributes[i]);
      }
      text += printer.location(argument.location);
    }
    text += ") -> (";
    for (size_t i = 0; i < function.result_types.size(); ++i) {
      text += (i == 0 ? "" : ", ") + to_string(*function.result_types[i]);
      if (i < function.result_attributes.size() && !function.result_attributes[i].empty()) {
        text += " " + print(function.result_attributes[i]);
      }
    }
    text += ")";
    if (!function.attributes.empty()) text += " attributes " + print(function.attributes);
    if (!function.body.operations.empty()) text += " {\n" + printer.body() + "}";
    text += printer.location(function.location) + "\n";
  }
  return text + "}\n";
}

}  // namespace ingot::stablehlo
