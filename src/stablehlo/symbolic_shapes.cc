#include "stablehlo/symbolic_shapes.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "stablehlo/import.h"

namespace ingot::stablehlo {
namespace {

bool may_begin_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::string_view kNoName = "?";  // of an open extent that is not named yet

// The name that the text begins with, or nothing.
std::string_view name_at(std::string_view text) {
  if (text.empty() || !may_begin_name(text.front())) return {};
  const auto end = std::find_if_not(text.begin(), text.end(),
                                    [](char c) { return may_begin_name(c) || is_decimal(c) || c == '.'; });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// Evaluates an extent by recursive descent. What cannot be read or computed is nothing,
// all the way up.
class Extent {
 public:
  using Lookup = std::function<std::optional<int64_t>(std::string_view name)>;
  Extent(std::string_view text, Lookup lookup) : rest_(text), lookup_(std::move(lookup)) {}

  std::optional<int64_t> value() {
    const std::optional<int64_t> found = sum();
    skip_spaces();
    return rest_.empty() ? found : std::nullopt;
  }

 private:
  using Number = std::optional<int64_t>;
  static constexpr int kMostNestedCalls = 64;

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  static Number product_of(Number a, Number b) {
    int64_t result = 0;
    if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return std::nullopt;
    return result;
  }

  Number sum() {
    int64_t total = 0;
    for (bool first = true;; first = false) {
      const bool minus = take('-');
      if (!minus && !take('+') && !first) return total;
      const Number term = product();
      if (!term || (minus ? __builtin_sub_overflow(total, *term, &total)
                          : __builtin_add_overflow(total, *term, &total)))
        return std::nullopt;
    }
  }

  Number product() {
    Number result = power();
    while (result && take('*')) result = product_of(result, power());
    return result;
  }

  Number power() {
    const Number base = factor();
    if (!base || !take('^')) return base;
    const Number exponent = factor();
    if (!exponent || *exponent < 0 || *exponent > 63) return std::nullopt;
    Number result = 1;
    for (int64_t i = 0; i < *exponent; ++i) result = product_of(result, base);
    return result;
  }

  Number factor() {
    skip_spaces();
    if (rest_.empty()) return std::nullopt;
    if (is_decimal(rest_.front())) {
      int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc()) return std::nullopt;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      return value;
    }
    const std::string_view name = name_at(rest_);
    if (name.empty()) return std::nullopt;
    rest_.remove_prefix(name.size());
    return take('(') ? call(name) : lookup_(name);
  }

  Number call(std::string_view name) {
    if (++nested_ > kMostNestedCalls) return std::nullopt;
    const Number a = sum();
    const Number b = take(',') ? sum() : std::nullopt;
    if (!a || !b || !take(')')) return std::nullopt;
    --nested_;
    if (name == "max") return std::max(*a, *b);
    if (name == "min") return std::min(*a, *b);
    if ((name != "floordiv" && name != "mod") || *b == 0 || *b == -1) return std::nullopt;
    const int64_t down = *a % *b != 0 && (*a < 0) != (*b < 0) ? 1 : 0;
    const int64_t quotient = *a / *b - down;
    return name == "mod" ? *a - quotient * *b : quotient;
  }

  std::string_view rest_;
  Lookup lookup_;
  int nested_ = 0;
};

// "(a, (b), c)": what stands between commas of the outermost parentheses, which `text` begins with; an empty
// list where they do not end.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0) {
      if (parts.back().empty()) parts.pop_back();  // of (b,) and ()
      return parts;
    }
    if (depth == 1 && c == ',')
      parts.emplace_back();
    else if ((depth > 1 || c != '(') && (c != ' ' || !parts.back().empty()))
      parts.back() += c;
  }
  return {};
}

// The shapes that a condition of jax.export's names, of the arguments that have open extents, in their order.
std::vector<std::vector<std::string>> shapes_in(std::string_view condition) {
  constexpr std::string_view kShapes = "polymorphic shapes specifications: ", kShape = ".shape = ",
                             kEnd = ". Obtained";
  std::vector<std::vector<std::string>> shapes;
  const size_t begin = condition.find(kShapes);
  if (begin == std::string_view::npos) return shapes;
  condition = condition.substr(begin + kShapes.size());
  condition = condition.substr(0, condition.find(kEnd));
  for (size_t at; (at = condition.find(kShape)) != std::string_view::npos;) {
    condition.remove_prefix(at + kShape.size());
    shapes.push_back(parts_of(condition));
  }
  return shapes;
}

bool is_open(const ArgumentType& type) {
  return std::find(type.extents.begin(), type.extents.end(), kNoName) != type.extents.end();
}

// Writes the names into open extents, if they fit the types.
void name_extents(std::vector<ArgumentType>& types, const std::vector<std::vector<std::string>>& shapes) {
  std::vector<ArgumentType*> open;
  for (ArgumentType& type : types)
    if (is_open(type)) open.push_back(&type);
  if (open.size() != shapes.size()) return;
  for (size_t i = 0; i < open.size(); ++i) {
    const std::vector<std::string>& has = open[i]->extents;
    const bool fits =
        std::equal(has.begin(), has.end(), shapes[i].begin(), shapes[i].end(),
                   [](const auto& extent, const auto& name) { return extent == kNoName || extent == name; });
    if (!fits) return;
  }
  for (size_t i = 0; i < open.size(); ++i) {
    for (size_t d = 0; d < shapes[i].size(); ++d)
      if (!names_in(shapes[i][d]).empty()) open[i]->extents[d] = shapes[i][d];
  }
}

// The names of sizes that the entry function reads from its arguments and hands to the function inside.
void name_by_sizes(const Module& module, const Function& entry, const std::map<ValueId, size_t>& places,
                   std::vector<ArgumentType>& types) {
  std::map<ValueId, std::string*> sizes;  // to the extents that they are of
  for (const Operation& operation : entry.body.operations) {
    if (operation.name == "stablehlo.get_dimension_size" && operation.operands.size() == 1 &&
        operation.results.size() == 1) {
      const auto argument = places.find(operation.operands[0]);
      const Attribute* dimension = find(operation.attributes, "dimension");
      const int64_t d = dimension ? integer(*dimension).value_or(-1) : -1;
      if (argument == places.end() || d < 0) continue;
      std::vector<std::string>& extents = types[argument->second].extents;
      if (static_cast<size_t>(d) < extents.size())
        sizes[operation.results[0]] = &extents[static_cast<size_t>(d)];
      continue;
    }
    const Attribute* callee = find(operation.attributes, "callee");
    const Function* inside = callee ? module.find(word(*callee).value_or("")) : nullptr;
    if (inside == nullptr) continue;
    const size_t count = std::min(operation.operands.size(), inside->argument_attributes.size());
    for (size_t i = 0; i < count; ++i) {
      const auto size = sizes.find(operation.operands[i]);
      const Attribute* name = find(inside->argument_attributes[i], "jax.global_constant");
      if (size == sizes.end() || name == nullptr || *size->second != kNoName) continue;
      const std::string text(word(*name).value_or(""));
      if (!text.empty() && name_at(text) == text) *size->second = text;
    }
  }
}

void add_types(const Type& type, const std::string& name, std::vector<ArgumentType>& types) {
  for (size_t i = 0; i < type.parts.size(); ++i)
    add_types(*type.parts[i], name + "_" + std::to_string(i), types);
  if (!type.is_tensor()) return;
  ArgumentType made{name, dtype_of(type), type.element, {}, type.ranked};
  if (made.dtype) made.element = name_of(*made.dtype);
  for (const int64_t extent : type.shape)
    made.extents.push_back(extent == Type::kDynamic ? std::string(kNoName) : std::to_string(extent));
  types.push_back(std::move(made));
}

}  // namespace

std::string to_string(const ArgumentType& type) {
  std::string text = type.element + "[" + (type.ranked ? "" : "*");
  for (size_t d = 0; d < type.extents.size(); ++d) text += (d == 0 ? "" : ",") + type.extents[d];
  return text + "]";
}

std::string to_string(const std::vector<ArgumentType>& all) {
  std::string text;
  for (const ArgumentType& type : all)
    text += (text.empty() ? "" : ", ") + type.name + ": " + to_string(type);
  return "(" + text + ")";
}

std::vector<ArgumentType> argument_types(const Module& module, bool first) {
  const Function& entry = entry_of(module, first);
  std::vector<ArgumentType> types;
  std::map<ValueId, size_t> places;
  for (size_t i = 0; i < entry.body.arguments.size(); ++i) {
    const ValueId argument = entry.body.arguments[i];
    if (entry.type_of(argument).is_tensor()) places[argument] = types.size();
    add_types(entry.type_of(argument), argument_name(module, entry, i), types);
  }
  for (const Operation& operation : entry.body.operations) {
    const Attribute* message = find(operation.attributes, "error_message");
    const auto shapes = message ? shapes_in(word(*message).value_or("")) : shapes_in("");
    if (shapes.empty()) continue;
    name_extents(types, shapes);
    break;
  }
  name_by_sizes(module, entry, places, types);
  for (ArgumentType& type : types) {
    for (size_t d = 0; d < type.extents.size(); ++d)
      if (type.extents[d] == kNoName) type.extents[d] = type.name + "." + std::to_string(d);
  }
  return types;
}

std::vector<std::string> names_in(std::string_view extent) {
  std::vector<std::string> names;
  while (!extent.empty()) {
    const std::string_view name = name_at(extent);
    extent.remove_prefix(std::max<size_t>(name.size(), 1));
    if (name.empty() || extent.starts_with('(')) continue;  // of a function
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

std::optional<int64_t> size_of(std::string_view extent, const Sizes& sizes) {
  return Extent(extent,
                [&](std::string_view name) -> std::optional<int64_t> {
                  const auto found = sizes.find(name);
                  return found == sizes.end() ? std::nullopt : std::optional(found->second);
                })
      .value();
}

}  // namespace ingot::stablehlo
