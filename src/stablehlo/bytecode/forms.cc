// What vhlo's attributes are in StableHLO, by the tables in names.cc: defaults go, several become one, and
// lists and names take the form in which StableHLO has them.
#include <algorithm>

#include "stablehlo/bytecode/names.h"
#include "stablehlo/bytecode/reader.h"

namespace ingot::stablehlo {
namespace {

// A list of dimensions or of what belongs to them. Longer ones stay what they are: a splat of a few bytes may
// be a million numbers.
std::optional<Ints> short_list(const Attribute& attribute) {
  if (const auto* list = attribute.as<Ints>()) return *list;
  const auto* elements = attribute.as<Elements>();
  if (!elements || element_count(elements->type->shape) > kMostListed) return {};
  return ints(attribute);
}

bool all_are(const Attribute& attribute, int64_t value) {
  const std::optional<Ints> list = short_list(attribute);
  return list && !list->empty() &&
         std::all_of(list->begin(), list->end(), [&](int64_t i) { return i == value; });
}

bool is_empty(const Attribute& attribute) {
  if (const auto* text = attribute.as<std::string>()) return text->empty();
  if (const auto* items = attribute.as<Attribute::Array>()) return items->empty();
  if (const auto* items = attribute.as<Attributes>()) return items->empty();
  if (const auto* elements = attribute.as<Elements>()) return elements->values.size() == 0;
  return false;
}

bool is_default_accuracy(const Attribute& attribute) {
  const auto* record = attribute.as<Record>();
  return record && std::all_of(record->fields.begin(), record->fields.end(), [](const auto& field) {
           const auto* real = field.second.template as<Real>();
           const auto* mode = field.second.template as<Enum>();
           return real ? real->value == 0 : mode ? mode->value == "DEFAULT" : integer(field.second) == 0;
         });
}

bool is_value(const Attribute& attribute, std::string_view value) {
  if (value == "empty") return is_empty(attribute);
  if (value == "ones") return all_are(attribute, 1);
  if (value == "zeros") return all_are(attribute, 0);
  if (value == "default") return is_default_accuracy(attribute);
  if (value == "all DEFAULT") {
    const auto* items = attribute.as<Attribute::Array>();
    return items && std::all_of(items->begin(), items->end(),
                                [](const Attribute& item) { return word(item) == "DEFAULT"; });
  }
  if (const auto* flag = attribute.as<bool>()) return value == (*flag ? "true" : "false");
  if (const auto* number = attribute.as<Integer>()) return value == std::to_string(number->value);
  return word(attribute) == value;
}

bool is_none(const Attribute& attribute) {
  const auto* type = attribute.as<const Type*>();
  return type && (*type)->element == "none";
}

void group(const AttributeGroup& group, Attributes& attributes) {
  Attributes fields;
  bool none = false;
  std::string_view words = group.fields;
  while (!words.empty()) {
    const std::string_view field = next_word(words);
    const size_t colon = field.find(':');
    const std::string_view own = colon == std::string_view::npos ? field : field.substr(colon + 1);
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const auto& item) { return item.first == field.substr(0, colon); });
    if (found == attributes.end()) continue;  // older versions have fewer of them
    none = none || is_none(found->second);
    const std::optional<Ints> numbers = short_list(found->second);
    fields.emplace_back(std::string(own), numbers ? Attribute(*numbers) : std::move(found->second));
    attributes.erase(found);
  }
  if (!fields.empty() && !none) {
    attributes.emplace_back(std::string(group.attribute),
                            Attribute::record(std::string(group.kind), std::move(fields)));
  }
}

Attribute symbol_of(const Attribute& attribute) {
  const auto* name = attribute.as<std::string>();
  return name ? Attribute(Symbol{*name}) : attribute;
}

void put_into_form(std::string& name, Attribute& attribute, Form form) {
  switch (form) {
    case Form::kInts:
      if (const std::optional<Ints> list = short_list(attribute)) attribute = Attribute(*list);
      break;
    case Form::kSymbol:
      attribute = symbol_of(attribute);
      break;
    case Form::kSymbols:
      if (const auto* items = attribute.as<Attribute::Array>()) {
        Attribute::Array symbols;
        for (const Attribute& item : *items) symbols.push_back(symbol_of(item));
        attribute = Attribute::array(std::move(symbols));
      }
      break;
    case Form::kUnit:
      attribute = Attribute(Unit());
      break;
    case Form::kChannel:
      name = "channel_handle";
      attribute = Attribute::record(
          name, {{"handle", std::move(attribute)}, {"type", Attribute(Integer{0, nullptr})}});
      break;
  }
}

}  // namespace

std::string_view without_version(std::string_view operation) {
  const size_t end = operation.rfind("_v");
  if (end == std::string_view::npos || end + 2 == operation.size() ||
      operation.find_first_not_of("0123456789", end + 2) != std::string_view::npos) {
    return operation;
  }
  return operation.substr(0, end);
}

void to_stablehlo(std::string_view operation, Attributes& attributes) {
  const std::string_view name = without_version(operation);
  if (attributes.empty()) return;
  std::erase_if(attributes, [&](const auto& item) {
    const auto known = default_values();
    return std::any_of(known.begin(), known.end(), [&](const DefaultValue& usual) {
      return item.first == usual.attribute && has_word(usual.operations, name) &&
             is_value(item.second, usual.value);
    });
  });
  for (const AttributeGroup& known : attribute_groups()) {
    if (has_word(known.operations, name)) group(known, attributes);
  }
  for (auto& [own, attribute] : attributes) {
    if (const AttributeForm* form = form_of(own)) put_into_form(own, attribute, form->form);
  }
}

}  // namespace ingot::stablehlo
