// Names for parts of a program.
//
//   Array encode(Array x, const Weights& w) {
//     ingot::NamedScope scope("encoder");
//     ...                                  // reports say "model.cc:12 in encoder"
//   }
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>

namespace ingot {

// What is traced while it lives has its name, in reports (kernels, launches, profiles), in IR text, and in
// exported StableHLO as jax.named_scope puts it there. Scopes nest, "encoder/attention", within one traced
// function; where a function becomes part of its caller, its scopes stand behind those of the call.
// Derivatives and batches of what stands in a scope stand in it, too. Outside of a trace a scope does
// nothing.
//
// Error for a name that is empty or has control characters.
class NamedScope {
 public:
  explicit NamedScope(std::string_view name,
                      const std::source_location& where = std::source_location::current());
  ~NamedScope();
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;

 private:
  std::shared_ptr<std::string> path_;  // of the function that is being traced; null outside
  size_t outer_ = 0;                   // its length without this name
};

}  // namespace ingot
