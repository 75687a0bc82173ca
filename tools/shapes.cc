#include "tools/shapes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "ingot/error.h"

namespace ingot::tools {
namespace {

using stablehlo::ArgumentType;

constexpr int64_t kExample = 8;  // a size in what errors propose

[[noreturn]] void fail_shapes(const std::string& what) {
  throw Error("--shapes: " + what);
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

// What stands between commas outside of brackets.
std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  if (trimmed(text).empty()) return items;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    items.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return items;
}

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

struct Given {
  std::optional<DType> dtype;
  Shape shape;
};

// "f32[8,3]" or "[8,3]"
std::optional<Given> type_in(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  Given given;
  if (bracket > 0 && !(given.dtype = parse_dtype(text.substr(0, bracket)))) return std::nullopt;
  for (const std::string_view extent : items_of(text.substr(bracket + 1, text.size() - bracket - 2))) {
    const std::optional<int64_t> size = number_in(extent);
    if (!size) return std::nullopt;
    given.shape.push_back(*size);
  }
  return given;
}

std::string text_of(const Given& given) {
  const std::string text = ir::to_string(ir::TensorType{given.dtype.value_or(DType::kF32), given.shape});
  return given.dtype ? text : text.substr(text.find('['));
}

bool is_number(const std::string& extent) {
  return number_in(extent).has_value();
}

// "x=[8,3]": open extents of no size, and those that are computed from others, are examples.
std::string example_of(const ArgumentType& type, const stablehlo::Sizes& sizes) {
  std::string text;
  for (const std::string& extent : type.extents)
    text += (text.empty() ? "" : ",") + std::to_string(stablehlo::size_of(extent, sizes).value_or(kExample));
  return type.name + "=[" + text + "]";
}

class Shapes {
 public:
  explicit Shapes(const std::vector<ArgumentType>& arguments)
      : arguments_(arguments), given_(arguments.size()) {
    for (const ArgumentType& type : arguments) {
      for (const std::string& extent : type.extents)
        for (std::string& name : stablehlo::names_in(extent)) dimensions_.push_back(std::move(name));
    }
  }

  void read(const std::string& text) {
    size_t position = 0;
    for (const std::string_view item : items_of(text)) {
      const size_t equals = item.find('=');
      const std::string name(trimmed(item.substr(0, equals == std::string_view::npos ? 0 : equals)));
      const std::string_view value =
          trimmed(equals == std::string_view::npos ? item : item.substr(equals + 1));
      const std::optional<int64_t> size = number_in(value);
      const std::optional<Given> type = type_in(value);
      if ((!size && !type) || (size && name.empty()) || (equals != std::string_view::npos && name.empty())) {
        fail_shapes("'" + std::string(item) +
                    "' is no size of a dimension, as b=8 is one, and no shape of an argument, as f32[8,3], "
                    "[8,3] and x=[8,3] are; " +
                    takes());
      }
      if (size) {
        set_dimension(name, *size);
      } else if (name.empty()) {
        if (position == arguments_.size())
          fail_shapes("there is no argument for " + std::string(item) + "; " + takes());
        set_argument(position++, *type);
      } else {
        set_argument(argument(name, *type), *type);
      }
    }
  }

  std::vector<ir::TensorType> types() {
    take_sizes();
    std::vector<ir::TensorType> types;
    for (size_t i = 0; i < arguments_.size(); ++i) types.push_back(type_of(i));
    return types;
  }

 private:
  std::string takes() const {
    return arguments_.empty() ? "the program takes no arguments"
                              : "the program takes " + stablehlo::to_string(arguments_);
  }

  bool is_dimension(const std::string& name) const {
    return std::find(dimensions_.begin(), dimensions_.end(), name) != dimensions_.end();
  }

  std::optional<size_t> find_argument(const std::string& name) const {
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (arguments_[i].name == name) return i;
    for (size_t i = 0; i < arguments_.size(); ++i)  // as --args calls them
      if ("arg" + std::to_string(i) == name) return i;
    return std::nullopt;
  }

  void set_dimension(const std::string& name, int64_t size) {
    if (!is_dimension(name)) {
      const std::optional<size_t> found = find_argument(name);
      if (found)
        fail_shapes(argument_text(arguments_, *found) + ", has a shape, as in " +
                    example_of(arguments_[*found], {}) + ", and not the size " + std::to_string(size));
      fail_shapes("there is no dimension '" + name + "'; " + takes());
    }
    const auto [known, first] = sizes_.emplace(name, size);
    if (!first && known->second != size)
      fail_shapes(name + " is " + std::to_string(known->second) + " and " + std::to_string(size));
  }

  size_t argument(const std::string& name, const Given& type) const {
    if (const std::optional<size_t> found = find_argument(name)) return *found;
    if (is_dimension(name))
      fail_shapes(name + " is a dimension, whose size is a number, as in " + name + "=" +
                  std::to_string(kExample) + ", and no " + text_of(type) + "; " + takes());
    fail_shapes("there is no argument '" + name + "'; " + takes());
  }

  void set_argument(size_t i, const Given& type) {
    if (given_[i]) {
      fail_shapes(argument_text(arguments_, i) + ", is given twice, as " + text_of(*given_[i]) + " and as " +
                  text_of(type));
    }
    const ArgumentType& wanted = arguments_[i];
    const bool other_type = type.dtype && wanted.dtype && *type.dtype != *wanted.dtype;
    if (other_type || (wanted.ranked && type.shape.size() != wanted.extents.size())) is_not(i, type, "");
    given_[i] = type;
  }

  [[noreturn]] void is_not(size_t i, const Given& type, const std::string& why) const {
    fail_shapes(argument_text(arguments_, i) + ", cannot be " + text_of(type) + why);
  }

  // Dimensions that have a name have the sizes of arguments that are given.
  void take_sizes() {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      for (size_t d = 0; given_[i] && d < arguments_[i].extents.size(); ++d)
        if (is_dimension(arguments_[i].extents[d]))
          sizes_.emplace(arguments_[i].extents[d], given_[i]->shape[d]);
    }
  }

  // " with b = 3", for what is computed from it.
  std::string with_sizes(const std::string& extent) const {
    std::string text;
    for (const std::string& name : stablehlo::names_in(extent))
      text += (text.empty() ? " with " : ", ") + name + " = " + std::to_string(sizes_.at(name));
    return text;
  }

  ir::TensorType type_of(size_t i) const {
    const ArgumentType& wanted = arguments_[i];
    const std::optional<Given>& given = given_[i];
    if (!wanted.dtype)
      throw Error(argument_text(arguments_, i) + ": Ingot has no elements of type " + wanted.element);
    ir::TensorType type{*wanted.dtype, given ? given->shape : Shape()};
    if (!given && !wanted.ranked) missing(i, "it has any number of dimensions");
    for (size_t d = 0; d < wanted.extents.size(); ++d) {
      const std::string& extent = wanted.extents[d];
      const std::optional<int64_t> size = stablehlo::size_of(extent, sizes_);
      if (given) {
        if (size && *size != given->shape[d]) {
          is_not(i, *given,
                 ": its dimension " + std::to_string(d) + (is_number(extent) ? "" : ", " + extent + ",") +
                     " is " + std::to_string(*size) + (is_dimension(extent) ? "" : with_sizes(extent)));
        }
        continue;
      }
      if (!size) missing(i, what_is_missing(extent));
      if (*size < 0)
        fail_shapes(argument_text(arguments_, i) + ", would have an extent of " + std::to_string(*size) +
                    with_sizes(extent));
      type.shape.push_back(*size);
    }
    return type;
  }

  std::string what_is_missing(const std::string& extent) const {
    std::string names;
    for (const std::string& name : stablehlo::names_in(extent))
      if (!sizes_.contains(name)) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "its extent " + extent + " cannot be computed"
                         : "the size of " + names + " is missing";
  }

  [[noreturn]] void missing(size_t i, const std::string& what) const {
    const ArgumentType& type = arguments_[i];
    std::string how;
    for (const std::string& extent : type.extents)
      for (const std::string& name : stablehlo::names_in(extent))
        if (!sizes_.contains(name) && how.find(name + "=") == std::string::npos)
          how += (how.empty() ? "" : ",") + name + "=" + std::to_string(kExample);
    if (!how.empty()) how += " or ";
    fail_shapes(argument_text(arguments_, i) + ": " + what + "; add " + how + example_of(type, sizes_));
  }

  const std::vector<ArgumentType>& arguments_;
  std::vector<std::string> dimensions_;      // the names of all
  stablehlo::Sizes sizes_;                   // of dimensions
  std::vector<std::optional<Given>> given_;  // of arguments
};

}  // namespace

std::vector<ir::TensorType> given_shapes(const std::vector<ArgumentType>& arguments,
                                         const std::string& text) {
  Shapes shapes(arguments);
  shapes.read(text);
  return shapes.types();
}

std::string example_of_shapes(const std::vector<ArgumentType>& arguments) {
  std::vector<std::string> items;
  for (const ArgumentType& type : arguments) {
    std::vector<std::string> names;
    for (const std::string& extent : type.extents)
      for (const std::string& name : stablehlo::names_in(extent))
        names.push_back(name + "=" + std::to_string(kExample));
    if (!type.ranked) names = {example_of(type, {})};
    for (std::string& name : names)
      if (std::find(items.begin(), items.end(), name) == items.end()) items.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

std::string argument_text(const std::vector<ArgumentType>& arguments, size_t i) {
  return "argument " + std::to_string(i) + ", " + arguments[i].name + ": " +
         stablehlo::to_string(arguments[i]);
}

}  // namespace ingot::tools
