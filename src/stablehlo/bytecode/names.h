// What the codes and names of vhlo mean, as tables: nothing else knows an operation or an enumeration of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ingot::stablehlo {

// Codes of types without parts, by their names in MLIR; empty where a code is none of these.
std::string_view simple_vhlo_type(uint64_t code);
std::string_view simple_builtin_type(uint64_t code);

struct EnumNames {
  uint64_t code;            // of the attribute
  std::string_view kind;    // empty: the number is the value
  std::string_view values;  // with spaces between them
  uint64_t first = 0;       // the number of the first value
};
const EnumNames* vhlo_enum(uint64_t code);

// The properties of an operation in the order in which they are written (that of their names), with spaces
// between them and ? behind those that may be absent. Null where it is not known.
const std::string_view* properties_of(std::string_view operation);

// vhlo has all attributes of an operation; StableHLO does without those that say what is so anyway.
struct DefaultValue {
  std::string_view operations;  // with spaces between them; * any
  std::string_view attribute;
  // A word or number; `empty`, `ones`, `zeros` of lists, `all DEFAULT` of precisions, `default` of an
  // accuracy.
  std::string_view value;
};
std::span<const DefaultValue> default_values();

// Attributes of vhlo that are one attribute of StableHLO.
struct AttributeGroup {
  std::string_view operations, attribute, kind;
  std::string_view fields;  // in order; vhlo:own where the names differ
};
std::span<const AttributeGroup> attribute_groups();

enum class Form { kInts, kSymbol, kSymbols, kUnit, kChannel };
struct AttributeForm {
  std::string_view attribute;
  Form form;
};
const AttributeForm* form_of(std::string_view attribute);

bool has_word(std::string_view words, std::string_view word);
std::string_view next_word(std::string_view& words);

}  // namespace ingot::stablehlo
