// What the updates of all optimisers share.
#include <string>
#include <vector>

#include "frontend/apply.h"
#include "frontend/node.h"
#include "ingot/optim.h"

namespace ingot::optim::detail {
namespace {

using ingot::detail::fail;

// The leaves of a tree, with names behind that of the tree: ".w".
struct Leaves {
  Leaves(tree::Ref tree, std::string root)
      : root(std::move(root)), arrays(tree::flatten(tree)), names(tree::leaf_paths(tree, "")) {}
  std::string name(size_t leaf) const {
    return root + (names[leaf].empty() || names[leaf].starts_with('[') ? "" : ".") + names[leaf];
  }
  std::string root;
  std::vector<Array> arrays;
  std::vector<std::string> names;
};

void check_leaf(const Leaves& given, size_t i, const Leaves& params, size_t leaf,
                const std::source_location& where) {
  const Array &one = given.arrays[i], &param = params.arrays[leaf];
  const bool numbers = ingot::detail::is_weak(one) || ingot::detail::is_weak(param);
  const bool fits =
      one.dtype() == param.dtype() || !is_inexact(param.dtype()) || (numbers && is_inexact(one.dtype()));
  if (one.shape() == param.shape() && fits) return;
  fail(where, given.name(i) + " is " + one.type_string() + ", but " + params.name(leaf) +
                  ", to which it belongs, is " + param.type_string());
}

}  // namespace

UpdateScope::UpdateScope(const std::source_location& where, tree::Ref gradients, tree::Ref state,
                         tree::Ref params)
    : scope_(where, "optim::update", {{gradients, "gradients"}, {state, "state"}, {params, "params"}}) {
  const Leaves slopes(gradients, "gradients"), kept(state, "state"), wanted(params, "params");
  const size_t count = wanted.arrays.size();
  if (slopes.names != wanted.names) {
    fail(where, "the gradients are a tree of " + std::to_string(slopes.arrays.size()) +
                    " arrays with other names than the " + std::to_string(count) + " of the parameters");
  }
  for (size_t i = 0; i < count; ++i) check_leaf(slopes, i, wanted, i, where);
  if (kept.arrays[0].rank() != 0)
    fail(where, kept.name(0) + " is " + kept.arrays[0].type_string() + ", but should be one number");
  if (count != 0 && (kept.arrays.size() - 1) % count != 0) {
    fail(where, "the state has " + std::to_string(kept.arrays.size() - 1) +
                    " arrays behind its step, which are none of " + std::to_string(count) + " parameters");
  }
  for (size_t i = 1; i < kept.arrays.size(); ++i) check_leaf(kept, i, wanted, (i - 1) % count, where);
}

}  // namespace ingot::optim::detail
