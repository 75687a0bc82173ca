#include "ir/attribute.h"

namespace ingot::ir {

void Attributes::erase(std::string_view name) {
  if (auto it = items_.find(name); it != items_.end()) items_.erase(it);
}

const Attribute* Attributes::find(std::string_view name) const {
  auto it = items_.find(name);
  return it == items_.end() ? nullptr : &it->second;
}

void Attributes::missing(std::string_view name) const {
  throw Error("the attribute '" + std::string(name) + "' is " +
              (has(name) ? "of the wrong kind" : "missing"));
}

}  // namespace ingot::ir
