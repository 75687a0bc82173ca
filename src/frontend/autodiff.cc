// jvp, linearize and vjp as a user calls them: the function is traced, the transforms differentiate what it
// became, and the results run or are recorded as calls like any other function.
#include "ingot/autodiff.h"

#include "frontend/apply.h"
#include "frontend/derive.h"
#include "frontend/program.h"
#include "ops/control.h"

namespace ingot {
namespace detail {

using transform::Mask;

Array zero_of(const ArrayType& type, const std::source_location& where) {
  if (!tracing()) return Array::zeros(type.shape, type.dtype, where);
  return emit_broadcast(Array(convert(Literal::of(0), type.dtype)), type.shape, where);
}

namespace {

// What the user gives for values of these types in a tree must fit to them.
void check_same_trees(const std::string& what, const LeafArrays& given,
                      const std::vector<const ArrayType*>& types, const Structure& wanted,
                      const std::source_location& where) {
  const std::vector<std::string>& names = wanted.names;
  check_structure(what + ":", given, wanted, where);
  if (given.arrays.size() != types.size()) {
    fail(where, what + ": there are " + std::to_string(given.arrays.size()) + " arrays, but must be " +
                    std::to_string(types.size()) + form_difference(given.names, names));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!is_inexact(types[i]->dtype)) continue;
    const ArrayNode& node = checked_node(given.arrays[i], where, given.names[i]);
    if (node.type->tensor() == types[i]->tensor()) continue;
    fail(where, what + ": " + given.names[i] + " is " + to_string(*node.type) + ", but must be " +
                    to_string(*types[i]) + ", the type of " + names[i]);
  }
}

}  // namespace

std::vector<const ArrayType*> types_of(const std::vector<Array>& arrays) {
  std::vector<const ArrayType*> types;
  for (const Array& array : arrays) types.push_back(array.node()->type);
  return types;
}

std::vector<bool> differentiable(const std::string& what, const LeafArrays& arguments,
                                 std::vector<bool> active, const std::source_location& where) {
  bool any = false;
  std::string integers;
  for (size_t i = 0; i < active.size(); ++i) {
    const bool floating = is_inexact(arguments.arrays[i].dtype());
    if (active[i] && !floating)
      integers +=
          (integers.empty() ? "" : ", ") + arguments.names[i] + " is " + arguments.arrays[i].type_string();
    active[i] = active[i] && floating;
    any = any || active[i];
  }
  if (!any) {
    fail(where, what + ": there is nothing to differentiate, since the argument" +
                    (integers.empty() ? " holds no array" : " holds no floating array: " + integers) +
                    "; derivatives exist for floats and complex numbers");
  }
  return active;
}

Linearized linearize(const char* what, LeafFunction& f, const LeafArrays& arguments,
                     const std::vector<bool>& active, int wanted, const std::source_location& where) {
  auto data = std::make_shared<LinearizedData>();
  data->what = what;
  data->leaves = arguments;
  data->function = DerivedFunction::of(std::string(what) + ": the function", f, arguments, where);
  const TracedFunction& traced = data->function->traced();
  data->arguments = arguments.arrays;
  data->arguments.insert(data->arguments.end(), traced.captures.begin(), traced.captures.end());
  data->result_types = traced.result_types;
  data->returned = f.returned;
  data->active = differentiable(what, arguments, active, where);
  Mask mask = data->active, wanted_results;
  mask.resize(data->arguments.size(), false);
  if (wanted >= 0) {
    for (size_t i = 0; i < traced.result_types.size(); ++i)
      wanted_results.push_back(i < static_cast<size_t>(wanted));
  }
  data->made = &data->function->linearize(mask, wanted_results);
  data->outputs = run_or_record(data->function->callable(data->made->forward), data->arguments, where);
  Linearized result;
  for (size_t i = 0; i < traced.result_types.size(); ++i)
    result.results.push_back(as_weak(data->outputs[i], traced.result_types[i]->weak));
  result.data = std::move(data);
  return result;
}

std::vector<Array> pull_back(const Linearized& at, const LeafArrays& cotangents,
                             const std::source_location& where) {
  check_same_trees(at.data->what, cotangents, at.data->result_types, at.data->returned, where);
  return pull_arrays_back(at, cotangents.arrays, where);
}

std::vector<Array> pull_arrays_back(const Linearized& at, const std::vector<Array>& cotangents,
                                    const std::source_location& where) {
  const LinearizedData& data = *at.data;
  const ir::Region& body = data.made->linear->body();
  Mask linear(static_cast<size_t>(body.argument_count()), true);
  const size_t tangents = linear.size() - data.made->residuals.size();
  std::fill(linear.begin() + static_cast<std::ptrdiff_t>(tangents), linear.end(), false);

  std::vector<Array> operands;
  for (size_t i = 0; i < data.result_types.size(); ++i) {
    if (data.made->result_tangents[i]) operands.push_back(cotangents[i]);
  }
  const transform::Transposed& transposed = data.function->transpose(*data.made, linear);
  for (int i : transposed.known) operands.push_back(data.residual(static_cast<size_t>(i) - tangents));
  const std::vector<Array> made =
      run_or_record(data.function->callable(transposed.function), operands, where);

  std::vector<Array> result(data.active.size());
  size_t next = 0;
  int tangent = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const ArrayType& type = *data.leaves.arrays[i].node()->type;
    const bool given = data.active[i] && next < made.size() && transposed.arguments[next] == tangent;
    // The derivative with regard to a number is one.
    result[i] = as_weak(given ? made[next++] : zero_of(type, where), type.weak);
    tangent += data.active[i] ? 1 : 0;
  }
  return result;
}

namespace {

// A complex result has a gradient if it is said to be holomorphic; then all must be complex.
void check_complex(const LinearizedData& data, bool holomorphic, const std::source_location& where) {
  const DType result = data.result_types[0]->dtype;
  if (!holomorphic) {
    if (!is_complex(result)) return;
    fail(where, data.what + ": the function must return a real scalar, but returns " +
                    to_string(*data.result_types[0]) +
                    "; pass ingot::kHolomorphic if it is holomorphic, or take real, imag or abs, or use vjp");
  }
  for (size_t i = 0; i < data.active.size(); ++i) {
    if (!data.active[i] || is_complex(data.leaves.arrays[i].dtype())) continue;
    fail(where, data.what + ": with ingot::kHolomorphic all arguments must be complex, but " +
                    data.leaves.names[i] + " is " + data.leaves.arrays[i].type_string());
  }
  if (!is_complex(result)) {
    fail(where, data.what +
                    ": with ingot::kHolomorphic the function must return a complex scalar, but returns " +
                    to_string(*data.result_types[0]));
  }
}

}  // namespace

std::vector<Array> gradient(const Linearized& at, bool has_aux, bool holomorphic,
                            const std::source_location& where) {
  const LinearizedData& data = *at.data;
  const size_t results = data.result_types.size();
  const auto describe = [&] {
    if (results == 0) return std::string("nothing");
    return to_string(*data.result_types[0]) + (results > 1 ? " and more" : "");
  };
  if (results == 0 || (!has_aux && results > 1) || !data.result_types[0]->shape.empty() ||
      !is_inexact(data.result_types[0]->dtype)) {
    fail(where, data.what + ": the function must return a floating scalar, such as f32[], but returns " +
                    describe() +
                    (results > 1 && !has_aux ? "; pass ingot::kHasAux if the rest is not to be differentiated"
                                             : "; reduce it with sum or mean, or use vjp or jacrev"));
  }
  check_complex(data, holomorphic, where);
  std::vector<Array> cotangents = at.results;
  cotangents[0] = Array(convert(Literal::of(1), data.result_types[0]->dtype));
  return pull_arrays_back(at, cotangents, where);
}

std::vector<Array> push_forward(const Linearized& at, const LeafArrays& tangents,
                                const std::source_location& where) {
  const LinearizedData& data = *at.data;
  check_same_trees(data.what, tangents, types_of(data.leaves.arrays), data.leaves, where);
  return push_arrays_forward(at, tangents.arrays, where);
}

std::vector<Array> push_arrays_forward(const Linearized& at, const std::vector<Array>& tangents,
                                       const std::source_location& where) {
  const LinearizedData& data = *at.data;
  const auto function = data.function->callable(data.made->linear);
  for (const auto& part : function->module().functions()) {
    ir::walk(part->body(), [&](const ir::Op& op) {
      if (ops::is<ops::LinearCallOp>(op)) {
        fail(where, data.what +
                        ": a custom_vjp function has a rule for reverse mode alone; give it a custom_jvp "
                        "rule to push tangents forward");
      }
    });
  }
  std::vector<Array> operands;
  for (size_t i = 0; i < data.active.size(); ++i) {
    if (data.active[i]) operands.push_back(tangents[i]);
  }
  for (size_t i = 0; i < data.made->residuals.size(); ++i) operands.push_back(data.residual(i));
  const std::vector<Array> made = run_or_record(function, operands, where);
  std::vector<Array> result;
  size_t next = 0;
  for (size_t i = 0; i < data.result_types.size(); ++i) {
    const ArrayType& type = *data.result_types[i];
    result.push_back(as_weak(data.made->result_tangents[i] ? made[next++] : zero_of(type, where), type.weak));
  }
  return result;
}

DirectionalDerivative jvp(const char* what, LeafFunction& f, const LeafArrays& arguments,
                          const LeafArrays& tangents, const std::source_location& where) {
  const std::shared_ptr<DerivedFunction> function =
      DerivedFunction::of(what + std::string(": the function"), f, arguments, where);
  const TracedFunction& traced = function->traced();
  check_same_trees(what, tangents, types_of(arguments.arrays), arguments, where);
  std::vector<Array> operands = arguments.arrays;
  operands.insert(operands.end(), traced.captures.begin(), traced.captures.end());
  Mask active(operands.size(), false);
  for (size_t i = 0; i < arguments.arrays.size(); ++i) {
    active[i] = is_inexact(arguments.arrays[i].dtype());
    if (active[i]) operands.push_back(tangents.arrays[i]);
  }
  const transform::Jvp& made = function->jvp(active);
  const std::vector<Array> outputs = run_or_record(function->callable(made.function), operands, where);
  DirectionalDerivative result;
  size_t next = traced.result_types.size();
  for (size_t i = 0; i < traced.result_types.size(); ++i) {
    const ArrayType& type = *traced.result_types[i];
    result.results.push_back(as_weak(outputs[i], type.weak));
    result.tangents.push_back(
        as_weak(made.result_tangents[i] ? outputs[next++] : zero_of(type, where), type.weak));
  }
  return result;
}

std::vector<Array> result_types(LeafFunction& f, const LeafArrays& arguments) {
  const std::source_location where;
  const auto traced = trace_leaves(body_of("eval_shape: the function", f, where), arguments, where);
  std::vector<Array> results;
  for (const ArrayType* type : traced->result_types)
    results.push_back(Array::abstract(type->dtype, type->shape));
  return results;
}

}  // namespace detail

Array stop_gradient(const Operand& x) {
  if (x.is_literal()) return x.array();
  return detail::apply_op("stop_gradient", {x.array()}, {}, {}, x.where());
}

}  // namespace ingot
