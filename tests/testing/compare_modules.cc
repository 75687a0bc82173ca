#include "testing/compare_modules.h"

#include <algorithm>

#include "base/tensor.h"

namespace ingot::stablehlo {
namespace {

Attributes canonical(const Attributes& attributes);

Attribute canonical(const Attribute& attribute) {
  if (const auto* number = attribute.as<Integer>()) {
    const bool usual = number->type && number->type->element == "i64";
    return Attribute(Integer{number->value, usual ? nullptr : number->type});
  }
  if (const auto* items = attribute.as<Attribute::Array>()) {
    Attribute::Array list;
    for (const Attribute& item : *items) list.push_back(canonical(item));
    return Attribute::array(std::move(list));
  }
  if (const auto* items = attribute.as<Attributes>()) return Attribute::dictionary(canonical(*items));
  if (const auto* record = attribute.as<Record>()) {
    Attributes fields = canonical(record->fields);
    std::erase_if(fields, [](const auto& field) {
      const auto* list = field.second.template as<Ints>();
      return list ? list->empty() : integer(field.second) == 0;
    });
    return Attribute::record(record->kind, std::move(fields));
  }
  if (const auto* elements = attribute.as<Elements>(); elements && !dtype_of(*elements->type)) {
    return Attribute(Opaque{"dense<> : " + to_string(*elements->type)});
  }
  if (const auto* text = attribute.as<Opaque>(); text && text->text.starts_with("#sdy")) {
    return Attribute(Opaque{"#sdy<...>"});
  }
  return attribute;
}

Attributes canonical(const Attributes& attributes) {
  Attributes sorted;
  for (const auto& [name, attribute] : attributes) {
    const std::optional<Ints> pairs = name == "padding" ? ints(attribute) : std::nullopt;
    sorted.emplace_back(name, pairs ? Attribute(*pairs) : canonical(attribute));
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

void canonicalize(Region& region) {
  for (Operation& operation : region.operations) {
    operation.attributes = canonical(operation.attributes);
    for (Region& inner : operation.regions) canonicalize(inner);
  }
}

}  // namespace

std::string canonical_text(const Module& module, bool locations) {
  Module copy = module;  // types and locations stay those of the module
  copy.attributes = canonical(copy.attributes);
  for (Function& function : copy.functions) {
    function.attributes = canonical(function.attributes);
    for (Attributes& attributes : function.argument_attributes) attributes = canonical(attributes);
    for (Attributes& attributes : function.result_attributes) attributes = canonical(attributes);
    canonicalize(function.body);
  }
  std::string text = to_string(copy, locations);
  constexpr std::string_view kUnknown = " loc(unknown)";
  for (size_t at = text.find(kUnknown); at != std::string::npos; at = text.find(kUnknown, at)) {
    text.erase(at, kUnknown.size());
  }
  return text;
}

}  // namespace ingot::stablehlo
