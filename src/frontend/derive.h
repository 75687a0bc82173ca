// What the files of autodiff share: tracing a function of leaves, and making a derived function callable.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/link.h"
#include "frontend/structure.h"
#include "frontend/trace.h"
#include "ingot/detail/derive.h"
#include "transform/derivatives.h"

namespace ingot::detail {

using LeafBody = std::function<std::vector<Array>(const std::vector<Array>&)>;

// The user's function as a body, which `what` calls in errors.
LeafBody body_of(const std::string& what, LeafFunction& f, const std::source_location& where);
// The function for arguments of these types; it may capture what the innermost frame may.
std::shared_ptr<const TracedFunction> trace_leaves(const LeafBody& body, const LeafArrays& arguments,
                                                   const std::source_location& where);
std::string value_name(std::string path);  // of a leaf, as a value of the IR

// A function that a transform has made, to be called as if it had been traced. `pending`: what is declared in
// its module.
std::shared_ptr<const TracedFunction> function_of(const ir::Function& function,
                                                  const PendingFunctions& pending);

Array zero_of(const ArrayType& type, const std::source_location& where);
std::vector<const ArrayType*> types_of(const std::vector<Array>& arrays);

// The active leaves that are floating; Error if there is none.
std::vector<bool> differentiable(const std::string& what, const LeafArrays& arguments,
                                 std::vector<bool> active, const std::source_location& where);

// Without a look at trees: an array for each result, or for each leaf of the arguments.
std::vector<Array> pull_arrays_back(const Linearized& at, const std::vector<Array>& cotangents,
                                    const std::source_location& where);
std::vector<Array> push_arrays_forward(const Linearized& at, const std::vector<Array>& tangents,
                                       const std::source_location& where);

// How a tree of the given leaves differs from one of the wanted ones: "; there is none for x.w".
std::string form_difference(const std::vector<std::string>& given, const std::vector<std::string>& wanted);

// A function of the user's, traced, with the derivatives that have been taken of it. Functions without state
// that are derived outside of programs are kept by their types, so that they are traced once.
class DerivedFunction {
 public:
  // Traces f, which errors call `what`, or finds it, and leaves the tree of its result with it.
  static std::shared_ptr<DerivedFunction> of(const std::string& what, LeafFunction& f,
                                             const LeafArrays& arguments, const std::source_location& where);

  const TracedFunction& traced() const { return *traced_; }
  const transform::Linearized& linearize(const transform::Mask& active, const transform::Mask& wanted);
  const transform::Jvp& jvp(const transform::Mask& active);
  const transform::Transposed& transpose(const transform::Linearized& made, const transform::Mask& linear);
  // One of its functions, to be called.
  std::shared_ptr<const TracedFunction> callable(const ir::Function* function);

 private:
  DerivedFunction(const std::string& what, LeafFunction& f, const LeafArrays& arguments,
                  const std::source_location& where);
  template <class Make>
  const auto& derived(Make make);
  void define(ir::Function& declared);  // a rule that is declared in the module

  std::shared_ptr<const TracedFunction> traced_;
  Structure returned_;
  std::shared_ptr<const void> prototype_;
  std::unique_ptr<ir::Module> module_;
  Linker linker_;
  std::unique_ptr<transform::Derivatives> derivatives_;
  std::map<const ir::Function*, std::shared_ptr<const TracedFunction>> callables_;
  std::mutex mutex_;  // over what has been made of it
};

// The function at a point.
struct LinearizedData {
  std::shared_ptr<DerivedFunction> function;
  const transform::Linearized* made = nullptr;
  std::vector<Array> arguments;  // captured ones behind
  std::vector<Array> outputs;    // of the forward function
  LeafArrays leaves;             // the arguments with their names
  std::vector<const ArrayType*> result_types;
  Structure returned;      // the tree of the results
  transform::Mask active;  // of the leaves, those that have a tangent
  std::string what;

  Array residual(size_t i) const {
    const transform::Linearized::Residual& residual = made->residuals[i];
    return (residual.is_argument ? arguments : outputs)[static_cast<size_t>(residual.index)];
  }
};

}  // namespace ingot::detail
