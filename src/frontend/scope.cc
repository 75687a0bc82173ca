#include "ingot/scope.h"

#include <algorithm>

#include "frontend/trace.h"

namespace ingot {

NamedScope::NamedScope(std::string_view name, const std::source_location& where) {
  const bool fine =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
  if (name.empty() || !fine) {
    detail::fail(where, "NamedScope: the name is " + std::string(name.empty() ? "empty" : "not printable") +
                            "; it should be a word, as it is to stand in reports");
  }
  if (!detail::tracing()) return;
  path_ = detail::current_frame()->state->scope;
  outer_ = path_->size();
  *path_ = ir::joined_scopes(*path_, std::string(name));
}

NamedScope::~NamedScope() {
  if (path_ != nullptr && outer_ < path_->size()) path_->resize(outer_);
}

}  // namespace ingot
