// Checkpoints: less memory between a function and its derivative, for more work.
//
// Reverse mode keeps what the way back needs of each value of the way there. Around a checkpointed function
// it keeps the arguments of the call alone, and computes the rest again, when the way back gets there; a
// policy says what else is worth keeping.
//
//   using namespace ingot::checkpoint_policies;
//   const auto layer = [](Params p, Array x) {
//     const Array h = checkpoint_name(dot(x, p.w), "hidden");
//     return dot(tanh(h + p.b), p.v);
//   };
//   auto a = checkpoint(layer);                                                  // keeps p and x
//   auto b = checkpoint(layer, {.policy = dots_saveable});                       // and both products
//   auto c = checkpoint(layer, {.policy = save_only_these_names({"hidden"})});   // and h
//   std::cout << saved_residuals(c, p, x);                                       // says so
//
// In the body of a scan a checkpoint is one of each step. Checkpoints nest: what the inner one keeps lives
// only while the outer one is on its way back. A policy goes into the functions and loops that the
// checkpointed one calls.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "ingot/detail/derive.h"
#include "ingot/jit.h"

namespace ingot {

// Which values of a checkpointed function are kept.
class CheckpointPolicy {
 public:
  // By name, as messages and the IR have it: "dots_saveable". Made by checkpoint_policies.
  explicit CheckpointPolicy(std::string text);
  CheckpointPolicy(const CheckpointPolicy& other);
  CheckpointPolicy& operator=(const CheckpointPolicy& other);
  ~CheckpointPolicy();
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

namespace checkpoint_policies {

// The arguments alone.
extern const CheckpointPolicy& nothing_saveable;
// All that the derivative needs, as without a checkpoint.
extern const CheckpointPolicy& everything_saveable;
// The results of contractions and convolutions, so that none is computed twice.
extern const CheckpointPolicy& dots_saveable;
// The same for contractions without batch dimensions: products with weights, but not attention's scores.
extern const CheckpointPolicy& dots_with_no_batch_dims_saveable;
// The values that checkpoint_name() has given one of these names.
CheckpointPolicy save_only_these_names(const std::vector<std::string>& names);
// The values that have another name than these.
CheckpointPolicy save_any_names_but_these(const std::vector<std::string>& names);
// All that the derivative needs, with a name or without, but for what has one of these.
CheckpointPolicy save_anything_except_these_names(const std::vector<std::string>& names);
// What either of them keeps.
CheckpointPolicy save_from_both_policies(const CheckpointPolicy& a, const CheckpointPolicy& b);

}  // namespace checkpoint_policies

// x itself, under a name by which policies know it; of every array of a tree. It costs nothing. Error if the
// name holds anything but letters, digits and _ . - /
Array checkpoint_name(const Operand& x, const std::string& name);
template <class T>
requires(!std::is_convertible_v<const T&, Operand>) T
    checkpoint_name(const T& tree, const std::string& name) {
  return tree::map(tree, [&](const Array& array) { return checkpoint_name(array, name); });
}

struct CheckpointOptions {
  detail::ByName by_name = detail::ByName();
  CheckpointPolicy policy = checkpoint_policies::nothing_saveable;
};

namespace detail {

// The identity with a variant of its own for each text.
Identity identity_with(Identity identity, const std::string& text);

template <class F>
struct Checkpoint {
  using Inner = F;
  F f;
  CheckpointOptions options;
  std::source_location where;

  Identity identity() const {
    return identity_with(identity_around<Checkpoint>(identity_of(f)), options.policy.text());
  }
  template <class... Args>
  static constexpr bool check() {
    return check_call<F, true, true, Args...>();
  }
  template <class... Args>
  auto operator()(const Args&... args) const {
    LeafCall<F, Args...> call(f, args...);
    return call.result(call_checkpoint(call, call.arguments(), options.policy.text(), where));
  }
};

}  // namespace detail

// f, but a derivative in reverse mode keeps only the arguments of a call, and what the policy says, and
// computes the rest once more on the way back.
template <class F>
auto checkpoint(F&& f, const CheckpointOptions& options = {},
                const std::source_location& where = std::source_location::current()) {
  return detail::wrapped(detail::Checkpoint<std::decay_t<F>>{std::forward<F>(f), options, where}, where);
}

// --- what is kept

struct SavedResidual {
  std::string type;    // "f32[8,16]"
  std::string origin;  // "the argument arg0.w", "tanh", "dot_general, in each of 50 steps", "'hidden'"
  std::string source;  // "model.cc:12", of the operation; empty for arguments
  int64_t bytes = 0;
};

struct SavedResiduals {
  std::vector<SavedResidual> list;

  int64_t bytes() const;     // of all, arguments among them
  std::string text() const;  // a line for each
};
std::ostream& operator<<(std::ostream& out, const SavedResiduals& residuals);

namespace detail {

SavedResiduals saved_residuals(LeafFunction& f, const LeafArrays& arguments,
                               const std::source_location& where);

}  // namespace detail

// What a derivative of f at arguments of these types keeps between the way there and the way back. Nothing is
// computed; abstract arrays will do. What a program keeps that holds both ways follows from this list, except
// where a kernel computes both.
template <class F, class... Args>
SavedResiduals saved_residuals(const F& f, const Args&... args) {
  detail::LeafCall<F, Args...> call(f, args...);
  return detail::saved_residuals(call, call.arguments(), std::source_location());
}

}  // namespace ingot
