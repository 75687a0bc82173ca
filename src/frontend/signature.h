// The key and the leaves of one call, and the user's function as the tracer sees it. Everything on the way of
// a call that hits the cache stays on the stack.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/detail/call.h"
#include "ingot/jit.h"

namespace ingot::detail {

// A leaf of the arguments: an array, or a number.
struct Leaf {
  const Array* array = nullptr;
  Literal literal;
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

// The leaves of a call's arguments, and the key of the cache: words for the C++ types, the shape of the tree,
// the types of the leaves and the static values.
struct Signature final : tree::Visitor {
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
  void text(std::string_view text);
  void add(const Invocation& invocation);  // its types and arguments

  void array(Array& array, const tree::Path& path) override { add_array(array, path); }
  void add_array(const Array& array, const tree::Path& path) {
    leaves.push_back({&array, {}});
    word(type_word(array, where, argument_starts.size(), path));
  }
  void number(const Literal& value, const tree::Path&) override {
    leaves.push_back({nullptr, value});
    word(type_word(value.dtype));
  }
  void extent(tree::Extent, size_t n, const tree::Path&) override { word(n); }
  void fixed(const Literal& value, const tree::Path&) override {
    word(value.bits[0]);
    if (is_complex(value.dtype)) word(value.bits[1]);
  }
  void fixed(std::string_view value, const tree::Path&) override { text(value); }
};

// The steps from the root of a tree to a leaf: {"arg0", ".layers", "[2]", ".w"}.
using LeafPath = std::vector<std::string>;
LeafPath leaf_path(const tree::Path& path);
// The first `steps` of them as the user would write them; "the result" where there are none.
std::string text_of(const LeafPath& path, size_t steps);

// One line for each leaf and each static value, "x.w: f32[3]" or "config.layers = 3".
struct Description : tree::Visitor {
  std::vector<std::string> lines;  // of everything that the key depends on
  std::vector<std::string> names;  // of the leaves alone
  std::vector<LeafPath> paths;     // the same, step by step

  void add_leaf(const tree::Path& path, const std::string& type);
  void add_fixed(const tree::Path& path, const std::string& value);

  void array(Array& array, const tree::Path& path) override { add_leaf(path, array.type_string()); }
  void number(const Literal& value, const tree::Path& path) override {
    add_leaf(path, std::string(name_of(value.dtype)) + "[]");
  }
  void extent(tree::Extent, size_t n, const tree::Path& path) override {
    add_fixed(path, "<" + std::to_string(n) + ">");
  }
  void fixed(const Literal& value, const tree::Path& path) override;
  void fixed(std::string_view text, const tree::Path& path) override { add_fixed(path, value_text(text)); }
};

// What a trace yields besides the program: the result with its arrays emptied, to be copied by every call.
struct Outputs {
  std::vector<Array> leaves;
  std::shared_ptr<const void> prototype;
  std::vector<LeafPath> paths = {};  // of the leaves in the result
};

// The user's function together with the arguments of one call. Used only where the cache has no entry.
class Callable {
 public:
  virtual Outputs trace(const std::vector<Array>& leaves) const = 0;
  virtual Description describe() const = 0;

 protected:
  ~Callable() = default;
};

class InvocationCall final : public Callable {
 public:
  explicit InvocationCall(const Invocation& invocation) : invocation_(invocation) {}
  Outputs trace(const std::vector<Array>& leaves) const override;
  Description describe() const override;

 private:
  const Invocation& invocation_;
};

// Runs the function (or records a call of it, while a trace is going on) and returns the prototype of its
// result.
const void* call(JitState& state, Signature& signature, const Callable& callable, ResultArrays& results);

}  // namespace ingot::detail
