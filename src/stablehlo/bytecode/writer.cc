// The same tables as the reader's, the other way round: several attributes of vhlo for one of StableHLO,
// defaults for what is not there, codes for names.
//
// Attributes, types and strings are numbered in the order in which they are first wanted, and each is kept
// once.
#include "stablehlo/bytecode/writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "ingot/error.h"
#include "stablehlo/bytecode/container.h"
#include "stablehlo/bytecode/names.h"

namespace ingot::stablehlo {
namespace {

constexpr std::string_view kProducer = "StableHLO_v1.9.0";  // the first version that has all that is written

// --- numbers

std::string varint(uint64_t value) {
  std::string bytes;
  if (value >> 56 != 0) {
    bytes += '\0';
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  }
  int more = 0;  // bytes behind the first one
  while (value >> (7 * (more + 1)) != 0) ++more;
  const uint64_t coded = (value << 1 | 1) << more;
  for (int i = 0; i <= more; ++i) bytes += static_cast<char>(coded >> (8 * i));
  return bytes;
}

std::string signed_varint(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return varint(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0));
}

std::string flagged(uint64_t value, bool flag) {
  return varint(value << 1 | (flag ? 1 : 0));
}

std::string blob(const std::string& bytes) {
  return varint(bytes.size()) + bytes;
}

// --- what is numbered

class Numbers {
 public:
  size_t of(const std::string& item) {
    const auto [found, added] = numbers_.emplace(item, items_.size());
    if (added) items_.push_back(&found->first);
    return found->second;
  }
  const std::vector<const std::string*>& items() const { return items_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<const std::string*> items_;
};

enum DialectNumber : size_t { kBuiltinDialect, kVhloDialect, kChloDialect };
constexpr std::string_view kDialects[] = {"builtin", "vhlo", "chlo"};

// The newest form of each operation that says no more than ours.
std::string vhlo_name(std::string_view name) {
  const std::string own(name.substr(name.find('.') + 1));
  const bool second = own == "gather" || own == "scatter";
  return own + (second ? "_v2" : "_v1");
}

class Writer {
 public:
  explicit Writer(const Module& module) : module_(module) {}

  std::string write() {
    const std::string ir = varint(1 << 1) + module();
    std::string file = "ML\xefR" + varint(Container::kNewest) + std::string(kProducer) + '\0';
    const std::string dialects = dialect_section();  // has strings to come
    file += section(0, string_section()) + section(1, dialects);
    std::string offsets, entries;
    for (const Numbers* list : {&attributes_, &types_}) offsets += varint(list->items().size());
    for (const Numbers* list : {&attributes_, &types_}) add_entries(*list, offsets, entries);
    file += section(2, entries) + section(3, offsets) + section(4, ir);
    std::string properties = varint(properties_.items().size());
    for (const std::string* one : properties_.items()) properties += blob(*one);
    return file + section(8, properties);
  }

 private:
  static std::string section(int id, const std::string& bytes) { return static_cast<char>(id) + blob(bytes); }

  std::string string_section() const {
    const auto& strings = strings_.items();
    std::string bytes = varint(strings.size());
    for (size_t i = strings.size(); i-- > 0;) bytes += varint(strings[i]->size() + 1);
    for (const std::string* string : strings) bytes += *string + '\0';
    return bytes;
  }

  std::string dialect_section() {
    std::string bytes = varint(std::size(kDialects));
    for (std::string_view dialect : kDialects) bytes += flagged(strings_.of(std::string(dialect)), false);
    const auto& operations = operations_.items();
    bytes += varint(operations.size());
    for (const std::string* operation : operations) {
      bytes += varint(static_cast<size_t>((*operation)[0])) + varint(1) +
               flagged(strings_.of(operation->substr(1)), true);
    }
    return bytes;
  }

  // Entries begin with their dialect, which stands before groups of them.
  static void add_entries(const Numbers& list, std::string& offsets, std::string& entries) {
    const auto& items = list.items();
    for (size_t i = 0; i < items.size();) {
      size_t end = i;
      while (end < items.size() && (*items[end])[0] == (*items[i])[0]) ++end;
      offsets += varint(static_cast<size_t>((*items[i])[0])) + varint(end - i);
      for (; i < end; ++i) {
        offsets += flagged(items[i]->size() - 1, true);
        entries += items[i]->substr(1);
      }
    }
  }

  // --- types

  size_t add_type(DialectNumber dialect, const std::string& bytes) {
    return types_.of(static_cast<char>(dialect) + bytes);
  }

  size_t vhlo_scalar(const std::string& element) {
    if (element.starts_with("complex<"))
      return add_type(kVhloDialect, varint(1) + varint(vhlo_scalar(element.substr(8, element.size() - 9))));
    for (uint64_t code = 0; code < 64; ++code) {
      if (simple_vhlo_type(code) == element) return add_type(kVhloDialect, varint(code));
    }
    throw Error("vhlo has no type " + element);
  }

  size_t builtin_scalar(const std::string& element) {
    if (element.starts_with("complex<"))
      return add_type(kBuiltinDialect,
                      varint(9) + varint(builtin_scalar(element.substr(8, element.size() - 9))));
    for (uint64_t code = 0; code < 64; ++code) {
      if (simple_builtin_type(code) == element) return add_type(kBuiltinDialect, varint(code));
    }
    const size_t digits = element.find_first_of("0123456789");
    check(digits != std::string::npos, "no type of numbers: " + element);
    const uint64_t sign = element[0] == 'u' ? 2 : element[0] == 's' ? 1 : 0;
    return add_type(kBuiltinDialect, varint(0) + varint(std::stoull(element.substr(digits)) << 2 | sign));
  }

  std::string extents(const Shape& shape) {
    std::string bytes = varint(shape.size());
    for (int64_t extent : shape) bytes += signed_varint(extent);
    return bytes;
  }

  size_t type(const Type& type) {
    if (type.kind == Type::Kind::kScalar) return vhlo_scalar(type.element);
    if (type.kind == Type::Kind::kTensor && type.ranked)
      return add_type(kVhloDialect, varint(20) + extents(type.shape) + varint(vhlo_scalar(type.element)));
    throw Error("a " + to_string(type) + " cannot be written");
  }

  size_t builtin_type(const Type& type) {
    check(type.kind == Type::Kind::kTensor, "an operand of CHLO is no array");
    return add_type(kBuiltinDialect, varint(13) + extents(type.shape) + varint(builtin_scalar(type.element)));
  }

  std::string types_of(const std::vector<const Type*>& list) {
    std::string bytes = varint(list.size());
    for (const Type* one : list) bytes += varint(type(*one));
    return bytes;
  }

  // --- attributes

  size_t add_attribute(DialectNumber dialect, const std::string& bytes) {
    return attributes_.of(static_cast<char>(dialect) + bytes);
  }
  size_t builtin_text(const std::string& text) {
    return add_attribute(kBuiltinDialect, varint(2) + varint(strings_.of(text)));
  }
  size_t vhlo_text(const std::string& text) {
    return add_attribute(kVhloDialect, varint(14) + varint(strings_.of(text)));
  }

  size_t elements(const std::string& element, const Shape& shape, const std::string& bytes) {
    const size_t of = add_type(kVhloDialect, varint(20) + extents(shape) + varint(vhlo_scalar(element)));
    return add_attribute(kVhloDialect, varint(15) + varint(of) + blob(bytes));
  }

  // One byte is a splat of preds if it is none or all bits; else there are eight of them in it.
  static std::string packed(const std::vector<bool>& preds) {
    if (std::find(preds.begin(), preds.end(), !preds.empty() && !preds[0]) == preds.end() && !preds.empty())
      return preds[0] ? "\xff" : std::string(1, '\0');
    std::string bytes((preds.size() + 7) / 8, '\0');
    for (size_t i = 0; i < preds.size(); ++i) {
      if (preds[i])
        bytes[i / 8] = static_cast<char>(static_cast<unsigned char>(bytes[i / 8]) | 1u << (i % 8));
    }
    return bytes;
  }

  size_t elements(const Elements& constant) {
    const Tensor& values = constant.values;
    if (dtype_of(*constant.type) != values.dtype() && constant.type->element != "index")
      throw Error("constants of " + constant.type->element + " cannot be written");
    std::string bytes(reinterpret_cast<const char*>(values.raw()), values.bytes());
    if (values.dtype() == DType::kPred) {
      std::vector<bool> preds;
      for (char byte : bytes) preds.push_back(byte != 0);
      bytes = packed(preds);
    }
    return elements(constant.type->element, constant.type->shape, bytes);
  }

  size_t numbers(const Ints& list, bool truths) {
    const Shape shape{static_cast<int64_t>(list.size())};
    if (truths) return elements("i1", shape, packed({list.begin(), list.end()}));
    std::string bytes;
    for (int64_t number : list) {
      for (int i = 0; i < 8; ++i) bytes += static_cast<char>(static_cast<uint64_t>(number) >> (8 * i));
    }
    return elements("i64", shape, bytes);
  }

  size_t enumeration(const Enum& value) {
    for (uint64_t code = 0; code < 64; ++code) {
      const EnumNames* names = vhlo_enum(code);
      if (!names || names->kind != value.kind) continue;
      std::string_view words = names->values;
      for (uint64_t number = names->first; !words.empty(); ++number) {
        if (next_word(words) == value.value)
          return add_attribute(kVhloDialect, varint(code) + varint(number));
      }
    }
    throw Error("vhlo has no " + value.kind + " " + value.value);
  }

  // The bits of a number of that type and no others: up to eight are a byte, more a number with a sign.
  static std::string scalar_bits(uint64_t value, const std::string& element) {
    Type type;
    type.kind = Type::Kind::kScalar;
    type.element = element;
    const std::optional<DType> dtype = dtype_of(type);
    const int bits = dtype ? static_cast<int>(bit_width(*dtype)) : 64;
    if (bits < 64) value &= (uint64_t{1} << bits) - 1;
    return bits <= 8 ? std::string(1, static_cast<char>(value)) : signed_varint(static_cast<int64_t>(value));
  }

  size_t attribute(const std::string& name, const Attribute& attribute) {
    if (const auto* flag = attribute.as<bool>())
      return add_attribute(kVhloDialect, varint(2) + varint(*flag ? 1 : 0));
    if (const auto* number = attribute.as<Integer>()) {
      const std::string element = number->type ? number->type->element : "i64";
      return add_attribute(kVhloDialect, varint(9) + varint(vhlo_scalar(element)) +
                                             scalar_bits(static_cast<uint64_t>(number->value), element));
    }
    if (const auto* number = attribute.as<Real>()) {
      const std::string element = number->type ? number->type->element : "f64";
      const std::optional<DType> dtype = number->type ? dtype_of(*number->type) : DType::kF64;
      if (!dtype) throw Error("numbers of " + element + " cannot be written");
      Tensor one(*dtype, {});
      one.set_double(0, number->value);
      uint64_t bits = 0;
      std::memcpy(&bits, one.raw(), one.bytes());
      return add_attribute(kVhloDialect,
                           varint(8) + varint(vhlo_scalar(element)) + scalar_bits(bits, element));
    }
    if (const auto* type = attribute.as<const Type*>())
      return add_attribute(kVhloDialect, varint(17) + varint(this->type(**type)));
    if (const auto* text = attribute.as<std::string>()) return vhlo_text(*text);
    if (const auto* symbol = attribute.as<Symbol>()) return vhlo_text(symbol->name);
    if (const auto* value = attribute.as<Enum>()) return enumeration(*value);
    if (const auto* list = attribute.as<Ints>()) return numbers(*list, name == "window_reversal");
    if (const auto* constant = attribute.as<Elements>()) return elements(*constant);
    if (const auto* items = attribute.as<Attribute::Array>()) {
      std::string bytes = varint(items->size());
      for (const Attribute& item : *items) bytes += varint(this->attribute(name, item));
      return add_attribute(kVhloDialect, varint(1) + bytes);
    }
    if (const auto* items = attribute.as<Attributes>()) {
      std::string bytes = varint(items->size());
      for (const auto& [own, value] : *items) {
        bytes += varint(vhlo_text(own));
        bytes += varint(this->attribute(own, value));
      }
      return add_attribute(kVhloDialect, varint(6) + bytes);
    }
    throw Error("the attribute " + name + " cannot be written");
  }

  // --- locations

  // Locations share their parts: each is written once.
  size_t location(const Location* place) {
    if (const auto known = locations_.find(place); known != locations_.end()) return known->second;
    const size_t number = new_location(place);
    locations_.emplace(place, number);
    return number;
  }

  size_t new_location(const Location* place) {
    if (!place) return add_attribute(kBuiltinDialect, varint(15));
    switch (place->kind) {
      case Location::Kind::kFile:
        return add_attribute(kBuiltinDialect, varint(11) + varint(builtin_text(place->name)) +
                                                  varint(static_cast<uint64_t>(place->line)) +
                                                  varint(static_cast<uint64_t>(place->column)));
      case Location::Kind::kName:
        return add_attribute(kBuiltinDialect,
                             varint(14) + varint(builtin_text(place->name)) +
                                 varint(location(place->parts.empty() ? nullptr : place->parts[0])));
      case Location::Kind::kCallSite:
      case Location::Kind::kFused: {
        const bool fused = place->kind == Location::Kind::kFused;
        std::string bytes = fused ? varint(12) + varint(place->parts.size()) : varint(10);
        for (const Location* part : place->parts) bytes += varint(location(part));
        return add_attribute(kBuiltinDialect, bytes);
      }
      case Location::Kind::kUnknown:
        break;
    }
    return location(nullptr);
  }

  // --- operations

  enum Has : int { kResults = 2, kOperands = 4, kRegions = 16, kProperties = 64 };

  std::string operation_name(DialectNumber dialect, const std::string& name) {
    return varint(operations_.of(static_cast<char>(dialect) + name));
  }

  // The attributes of vhlo that are one of StableHLO, each by its name.
  static Attributes taken_apart(std::string_view own, const Attributes& attributes) {
    Attributes all = attributes;
    for (const AttributeGroup& group : attribute_groups()) {
      if (!has_word(group.operations, own)) continue;
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const auto& item) { return item.first == group.attribute; });
      const Record* record = found == all.end() ? nullptr : found->second.as<Record>();
      if (!record) continue;
      const Attributes fields = record->fields;
      all.erase(found);
      std::string_view words = group.fields;
      while (!words.empty()) {
        const std::string name(next_word(words));
        const Attribute* field = find(fields, name);
        all.emplace_back(name, field ? *field : Attribute(Ints()));
      }
    }
    return all;
  }

  // What an attribute is where the operation does not say so.
  size_t usual(std::string_view own, const std::string& name) {
    for (const DefaultValue& known : default_values()) {
      if (known.attribute != name || !has_word(known.operations, own)) continue;
      if (known.value == "false") return attribute(name, Attribute(false));
      if (known.value == "all DEFAULT") {
        const Attribute one(Enum{"precision", "DEFAULT"});
        return attribute(name, Attribute::array({one, one}));
      }
      if (known.value == "NOTYPE") return attribute(name, Attribute(Enum{"comparison_type", "NOTYPE"}));
      // Those of a call, rows first; other attributes that may be empty are always given.
      if (known.value == "empty" && name.ends_with("_layouts")) return attribute(name, Attribute::array({}));
    }
    throw Error("there is to be an attribute " + name);
  }

  std::string property_list(const std::string& name, const Attributes& attributes) {
    const std::string_view own = std::string_view(name).substr(0, name.rfind("_v"));
    const std::string_view* wanted = properties_of("vhlo." + name);
    if (!wanted) {
      if (!attributes.empty()) throw Error("vhlo." + name + " has no attribute " + attributes[0].first);
      return {};
    }
    const Attributes all = taken_apart(own, attributes);
    std::string bytes;
    std::string_view words = *wanted;
    while (!words.empty()) {
      const std::string property(next_word(words));
      const Attribute* given = find(all, property);
      bytes += varint(given ? attribute(property, *given) : usual(own, property));
    }
    return bytes;
  }

  // An operation in its raw form; what its regions hold follows.
  std::string header(const std::string& name, const Location* place, const std::string& properties,
                     const std::vector<size_t>& results, const std::vector<size_t>& operands,
                     size_t regions) {
    int mask = 0;
    std::string bytes;
    const auto list = [&](const std::vector<size_t>& numbers) {
      bytes += varint(numbers.size());
      for (size_t number : numbers) bytes += varint(number);
    };
    if (!properties.empty()) bytes += varint(properties_.of(properties));
    if (!results.empty()) list(results);
    if (!operands.empty()) list(operands);
    if (regions > 0) bytes += flagged(regions, false);
    mask = (properties.empty() ? 0 : kProperties) | (results.empty() ? 0 : kResults) |
           (operands.empty() ? 0 : kOperands) | (regions == 0 ? 0 : kRegions);
    return name + static_cast<char>(mask) + varint(location(place)) + bytes;
  }

  struct Scope {
    size_t next, end;
  };

  static bool is_of_chlo(const Operation& operation) { return operation.name.starts_with("chlo."); }
  static size_t values_of(const Operation& operation) {
    const size_t results = operation.results.size();
    return is_of_chlo(operation) ? operation.operands.size() + 2 * results : results;
  }

  std::vector<size_t> numbers_of(const std::vector<ValueId>& ids) const {
    std::vector<size_t> numbers;
    for (ValueId id : ids) numbers.push_back(values_.at(id));
    return numbers;
  }

  std::string operation(const Function& function, const Operation& operation, Scope& scope) {
    if (is_of_chlo(operation)) return operation_of_chlo(function, operation, scope);
    const std::string own = vhlo_name(operation.name);
    std::vector<size_t> results;
    for (ValueId id : operation.results) results.push_back(type(function.type_of(id)));
    std::string bytes = header(operation_name(kVhloDialect, own), operation.location,
                               property_list(own, operation.attributes), results,
                               numbers_of(operation.operands), operation.regions.size());
    for (const Region& inner : operation.regions) bytes += region(function, inner, scope.end);
    for (ValueId id : operation.results) values_[id] = scope.next++;
    return bytes;
  }

  std::string cast(const Location* place, size_t from, size_t to_type) {
    return header(operation_name(kBuiltinDialect, "unrealized_conversion_cast"), place, {}, {to_type}, {from},
                  0);
  }

  std::string operation_of_chlo(const Function& function, const Operation& operation, Scope& scope) {
    if (!operation.attributes.empty() || !operation.regions.empty())
      throw Error(operation.name + " with attributes cannot be written");
    std::string bytes;
    std::vector<size_t> operands, results;
    for (ValueId id : operation.operands) {
      bytes += cast(operation.location, values_.at(id), builtin_type(function.type_of(id)));
      operands.push_back(scope.next++);
    }
    for (ValueId id : operation.results) results.push_back(builtin_type(function.type_of(id)));
    bytes += header(operation_name(kChloDialect, operation.name.substr(5)), operation.location, {}, results,
                    operands, 0);
    const size_t first = scope.next;
    scope.next += results.size();
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId id = operation.results[i];
      bytes += cast(operation.location, first + i, type(function.type_of(id)));
      values_[id] = scope.next++;
    }
    return bytes;
  }

  // One block. Its values are numbered from `first` on, behind all of those around it.
  std::string region(const Function& function, const Region& region, size_t first) {
    size_t count = region.arguments.size(), operations = region.operations.size();
    for (const Operation& inner : region.operations) {
      count += values_of(inner);
      if (is_of_chlo(inner)) operations += inner.operands.size() + inner.results.size();  // casts
    }
    Scope scope{first, first + count};
    std::string bytes = varint(1) + varint(count) + flagged(operations, !region.arguments.empty());
    if (!region.arguments.empty()) {
      bytes += varint(region.arguments.size());
      for (ValueId id : region.arguments) {
        const Value& value = function.values[static_cast<size_t>(id)];
        bytes += flagged(type(*value.type), true) + varint(location(value.location));
        values_[id] = scope.next++;
      }
      bytes += '\0';  // no order of uses
    }
    for (const Operation& inner : region.operations) bytes += operation(function, inner, scope);
    check(scope.next == scope.end, "a region has other values than were counted");
    return bytes;
  }

  std::string function(const Function& function) {
    std::vector<const Type*> parts;
    for (ValueId id : function.body.arguments) parts.push_back(&function.type_of(id));
    const size_t signature =
        add_type(kVhloDialect, varint(8) + types_of(parts) + types_of(function.result_types));
    const auto lists = [&](const std::vector<Attributes>& list) {
      Attribute::Array items;
      const bool none =
          std::all_of(list.begin(), list.end(), [](const Attributes& one) { return one.empty(); });
      for (const Attributes& one : list) {
        if (!none) items.push_back(Attribute::dictionary(one));
      }
      return attribute("arg_attrs", Attribute::array(std::move(items)));
    };
    // arg_attrs function_type res_attrs sym_name sym_visibility
    const std::string properties = varint(lists(function.argument_attributes)) +
                                   varint(add_attribute(kVhloDialect, varint(17) + varint(signature))) +
                                   varint(lists(function.result_attributes)) +
                                   varint(vhlo_text(function.name)) +
                                   varint(vhlo_text(function.is_private ? "private" : "public"));
    values_.clear();
    return header(operation_name(kVhloDialect, "func_v1"), function.location, properties, {}, {}, 1) +
           region(function, function.body, 0);
  }

  std::string module() {
    std::string bytes;
    if (!module_.attributes.empty() || !module_.others.empty())
      throw Error("a module with attributes or operations of its own cannot be written");
    for (const Function& one : module_.functions) bytes += function(one);
    // sym_name, and no sym_visibility
    const std::string properties = flagged(builtin_text(module_.name), true) + flagged(0, false);
    return header(operation_name(kBuiltinDialect, "module"), nullptr, properties, {}, {}, 1) + varint(1) +
           varint(0) + flagged(module_.functions.size(), false) + bytes;
  }

  const Module& module_;
  Numbers strings_, operations_, attributes_, types_, properties_;
  std::unordered_map<const Location*, size_t> locations_;
  std::unordered_map<ValueId, size_t> values_;  // of the function that is being written
};

}  // namespace

std::string write_bytecode(const Module& module) {
  return Writer(module).write();
}

}  // namespace ingot::stablehlo
