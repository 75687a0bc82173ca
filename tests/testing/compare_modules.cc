#include "testing/compare_modules.h"

#include <algorithm>

#include "base/tensor.h"

namespace ingot::testing {
namespace {

using stablehlo::Attribute;
using stablehlo::Attributes;

Attributes canonical(const Attributes& attributes);

Attribute canonical(const Attribute& attribute) {
  if (const auto* number = attribute.as<stablehlo::Integer>()) {
    const bool usual = number->type && number->type->element == "i64";
    return Attribute(stablehlo::Integer{number->value, usual ? nullptr : number->type});
  }
  if (const auto* items = attribute.as<Attribute::Array>()) {
    Attribute::Array list;
    for (const Attribute& item : *items) list.push_back(canonical(item));
    return Attribute::array(std::move(list));
  }
  if (const auto* items = attribute.as<Attributes>()) return Attribute::dictionary(canonical(*items));
  if (const auto* record = attribute.as<stablehlo::Record>()) {
    Attributes fields = canonical(record->fields);
    std::erase_if(fields, [](const auto& field) {
      const auto* list = field.second.template as<stablehlo::Ints>();
      return list ? list->empty() : stablehlo::integer(field.second) == 0;
    });
    return Attribute::record(record->kind, std::move(fields));
  }
  if (const auto* elements = attribute.as<stablehlo::Elements>(); elements && !dtype_of(*elements->type)) {
    return Attribute(stablehlo::Opaque{"dense<> : " + to_string(*elements->type)});
  }
  return attribute;
}

Attributes canonical(const Attributes& attributes) {
  Attributes sorted;
  for (const auto& [name, attribute] : attributes) {
    const std::optional<stablehlo::Ints> pairs =
        name == "padding" ? stablehlo::ints(attribute) : std::nullopt;
    sorted.emplace_back(name, pairs ? Attribute(*pairs) : canonical(attribute));
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

void canonicalize(stablehlo::Region& region) {
  for (stablehlo::Operation& operation : region.operations) {
    operation.attributes = canonical(operation.attributes);
    for (stablehlo::Region& inner : operation.regions) canonicalize(inner);
  }
}

}  // namespace

std::string canonical_text(const stablehlo::Module& module, bool locations) {
  stablehlo::Module copy = module;  // types and locations stay those of the module
  copy.attributes = canonical(copy.attributes);
  for (stablehlo::Function& function : copy.functions) {
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

}  // namespace ingot::testing
