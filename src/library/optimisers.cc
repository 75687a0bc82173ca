// What the updates of all optimisers share.
#include <string>
#include <vector>

#include "frontend/apply.h"
#include "ingot/optim.h"

namespace ingot::optim::detail {

UpdateScope::UpdateScope(const std::source_location& where, tree::Ref gradients, tree::Ref state,
                         tree::Ref params)
    : scope_(where, "optim::update", {{gradients, "gradients"}, {state, "state"}, {params, "params"}}) {
  const std::vector<Array> wanted = tree::flatten(params);
  const std::vector<std::string> names = tree::leaf_paths(params, "params");
  const auto check = [&](const Array& given, const std::string& name, size_t leaf) {
    const Array& param = wanted[leaf];
    if (given.shape() == param.shape()) return;
    ingot::detail::fail(where, name + " is " + given.type_string() + ", but " + names[leaf] +
                                   ", to which it belongs, is " + param.type_string());
  };
  const std::vector<Array> slopes = tree::flatten(gradients);
  const std::vector<Array> kept = tree::flatten(state);
  const std::vector<std::string> slope_names = tree::leaf_paths(gradients, "gradients");
  const std::vector<std::string> kept_names = tree::leaf_paths(state, "state");
  if (slopes.size() == wanted.size())  // else tree::map says where they differ
    for (size_t i = 0; i < wanted.size(); ++i) check(slopes[i], slope_names[i], i);
  if (!wanted.empty() && kept.size() % wanted.size() == 1 % wanted.size())
    for (size_t i = 1; i < kept.size(); ++i) check(kept[i], kept_names[i], (i - 1) % wanted.size());
}

}  // namespace ingot::optim::detail
