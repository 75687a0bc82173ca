// Attributes: the constants that belong to an operation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "ingot/dtype.h"

namespace ingot::ir {

// The name of a function of the same module, written @name.
struct Symbol {
  std::string name;
  bool operator==(const Symbol&) const = default;
};

using IntList = std::vector<int64_t>;

// Text forms: true | 3 | 0.5 | "text" | f32 | [1,2] | @f | dense f32[2]{1, 2}
using Attribute = std::variant<bool, int64_t, double, std::string, DType, IntList, Symbol, Tensor>;

// Sorted by name, so that equal operations print and hash alike.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> items) : items_(items) {}

  bool has(std::string_view name) const { return items_.find(name) != items_.end(); }
  void set(std::string_view name, Attribute value) {
    items_.insert_or_assign(std::string(name), std::move(value));
  }
  void erase(std::string_view name);

  // The attribute of that name and type. Throws ingot::Error if it is missing or of another type, since
  // attributes come from users' text too.
  template <class T>
  const T& get(std::string_view name) const {
    if (const Attribute* found = find(name)) {
      if (const T* value = std::get_if<T>(found)) return *value;
    }
    missing(name);
  }
  int64_t integer(std::string_view name) const { return get<int64_t>(name); }
  bool flag(std::string_view name) const { return get<bool>(name); }
  const IntList& list(std::string_view name) const { return get<IntList>(name); }

  const std::map<std::string, Attribute, std::less<>>& items() const { return items_; }
  // Keeps alive, with each copy, what an attribute names by a number. It says nothing itself.
  void keep(std::shared_ptr<const void> named) { kept_ = std::move(named); }
  const std::shared_ptr<const void>& kept() const { return kept_; }
  bool operator==(const Attributes& other) const { return items_ == other.items_; }

 private:
  const Attribute* find(std::string_view name) const;
  [[noreturn]] void missing(std::string_view name) const;
  std::map<std::string, Attribute, std::less<>> items_;
  std::shared_ptr<const void> kept_;
};

}  // namespace ingot::ir
