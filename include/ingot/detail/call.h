// What stands between the templates of jit.h and the library: the key and leaves of one call, the user's
// function as the tracer sees it. Everything on the way of a call that hits the cache stays on the stack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/array.h"
#include "ingot/detail/checks.h"
#include "ingot/detail/small_vector.h"
#include "ingot/detail/structure.h"
#include "ingot/tree.h"

namespace ingot::detail {

// A leaf of the arguments: an array, or a number.
struct Leaf {
  const Array* array = nullptr;
  Literal literal;
};

// An argument where the function's parameter is an Array: an array or a number, with the line of the call.
struct ArrayArgument {
  const Array* array = nullptr;
  Literal literal;
  std::source_location where;

  ArrayArgument(const Array& a, std::source_location w = std::source_location::current())  // NOLINT
      : array(&a), where(w) {}
  template <Number T>
  ArrayArgument(T number, std::source_location w = std::source_location::current())  // NOLINT
      : literal(Literal::of(number)), where(w) {}
};

// One word that is equal for arrays of equal dtype and shape that are both numbers, or both none. Error if
// the array is empty or donated.
uint64_t type_word(const Array& array, const std::source_location& where);
uint64_t type_word(DType dtype);  // of a number

// The same for a leaf of a call; the Error names the leaf.
uint64_t type_word(const Array& array, const std::source_location& where, size_t argument,
                   const tree::Path& path);

extern template class SmallVector<Leaf, 12>;
extern template class SmallVector<uint64_t, 32>;
extern template class SmallVector<uint32_t, 8>;
extern template class SmallVector<Array, 4>;

// The leaves of a call's arguments, and the key of the cache: words for the C++ types, the shape of the tree,
// the types of the leaves and the static values. Also a visitor of trees, which fills it.
struct Signature {
  SmallVector<Leaf, 12> leaves;
  SmallVector<uint64_t, 32> words;
  SmallVector<uint32_t, 8> argument_starts;  // the first leaf of each argument
  uint64_t hash = 0;
  std::source_location where = {};  // of the call; line 0 if unknown

  void word(uint64_t w) {
    words.push_back(w);
    hash = (hash ^ w) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  template <class Name>
  void begin_argument(const Name&) {
    argument_starts.push_back(static_cast<uint32_t>(leaves.size()));
  }

  void array(const Array& array, const tree::Path& path) {
    leaves.push_back({&array, {}});
    word(type_word(array, where, argument_starts.size(), path));
  }
  void argument(const ArrayArgument& a, const tree::Path& path) {
    if (a.array != nullptr) return array(*a.array, path);
    leaves.push_back({nullptr, a.literal});
    word(type_word(a.literal.dtype));
  }
  template <Number T>
  void number(const T& value, const tree::Path&) {
    leaves.push_back({nullptr, Literal::of(value)});
    word(type_word(dtype_for<T>()));
  }
  void extent(tree::Extent, size_t n, const tree::Path&) { word(n); }
  template <class T>
  void key(const T& value, const tree::Path& path) {
    fixed(value, path);
  }
  template <class T>
  void fixed(const T& value, const tree::Path&) {
    if constexpr (std::is_enum_v<T>) {
      word(static_cast<uint64_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      word(Literal::of(value).bits[0]);
    } else {
      const std::string_view text = value;
      word(text.size());
      for (size_t i = 0; i < text.size(); i += 8) {
        uint64_t chunk = 0;
        __builtin_memcpy(&chunk, text.data() + i, text.size() - i < 8 ? text.size() - i : 8);
        word(chunk);
      }
    }
  }
};

// The steps from the root of a tree to a leaf: {"arg0", ".layers", "[2]", ".w"}.
using LeafPath = std::vector<std::string>;
LeafPath leaf_path(const tree::Path& path);
// The first `steps` of them as the user would write them; "the result" where there are none.
std::string text_of(const LeafPath& path, size_t steps);

// One line for each leaf and each static value, "x.w: f32[3]" or "config.layers = 3"; a visitor of trees.
struct Description {
  std::vector<std::string> lines;  // of everything that the key depends on
  std::vector<std::string> names;  // of the leaves alone
  std::vector<LeafPath> paths;     // the same, step by step

  void add_leaf(const tree::Path& path, const std::string& type);
  void add_fixed(const tree::Path& path, const std::string& value);

  void array(const Array& array, const tree::Path& path) { add_leaf(path, array.type_string()); }
  void argument(const ArrayArgument& a, const tree::Path& path) {
    if (a.array != nullptr) return array(*a.array, path);
    add_leaf(path, std::string(name_of(a.literal.dtype)) + "[]");
  }
  template <Number T>
  void number(const T&, const tree::Path& path) {
    add_leaf(path, std::string(name_of(dtype_for<T>())) + "[]");
  }
  void extent(tree::Extent, size_t n, const tree::Path& path) {
    add_fixed(path, "<" + std::to_string(n) + ">");
  }
  template <class T>
  void fixed(const T& value, const tree::Path& path) {
    add_fixed(path, text_of_value(value));
  }
  template <class T>
  void key(const T& value, const tree::Path& path) {
    fixed(value, path);
  }
};

// An argument where the function's parameter is a tree that is passed as it stands, with the line of the
// call.
template <class T>
struct TreeArgument {
  const T& value;
  std::source_location where;

  TreeArgument(const T& v, std::source_location w = std::source_location::current())  // NOLINT
      : value(v), where(w) {}
};

// What a trace yields besides the program: the result with its arrays emptied, to be copied by every call.
struct Outputs {
  std::vector<Array> leaves;
  std::shared_ptr<const void> prototype;
  std::vector<LeafPath> paths = {};  // of the leaves in the result
};

// The user's line that has the innermost function traced.
const std::source_location& traced_line();

// What the library makes and users call, such as jitted functions: call(where, args...) is told the line.
struct TakesLine {};

// A null pointer to a function, or a std::function that holds none.
template <class F>
bool is_null(const F& f) {
  if constexpr (std::is_constructible_v<F, std::nullptr_t> && requires { f == nullptr; })
    return f == nullptr;
  else
    return false;
}
[[noreturn]] void fail_null_function();  // an Error at traced_line()

// f(args...) in a trace, f being what the user gave to the library: the call stands in no line of the user's,
// so that what takes one is told where the trace was asked for.
template <class F, class... Args>
decltype(auto) call_traced(F&& f, Args&&... args) {
  if (is_null(f)) fail_null_function();
  if constexpr (std::is_base_of_v<TakesLine, std::remove_cvref_t<F>>) {
    return f.call(traced_line(), args...);
  } else {
    if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>)
      return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    else
      return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

// The user's function together with the arguments of one call. Used only where the cache has no entry.
class Callable {
 public:
  virtual Outputs trace(const std::vector<Array>& leaves) const = 0;
  virtual Description describe() const = 0;

 protected:
  ~Callable() = default;
};

}  // namespace ingot::detail
