// Functions whose derivative the user gives: calls that carry the names of the rules.
#include "frontend/axis_names.h"
#include "frontend/derive.h"
#include "frontend/node.h"
#include "transform/batch_rules.h"

namespace ingot::detail {
namespace {

using Traced = std::shared_ptr<const TracedFunction>;

void check_captures(const std::string& what, const TracedFunction& traced,
                    const std::source_location& where) {
  if (traced.captures.empty()) return;
  fail(where, what + " uses an array from outside, a " + traced.captures[0].type_string() +
                  "; pass it as an argument, so that the rule says what becomes of it");
}

Traced trace_closed(const std::string& what, const LeafBody& body, const LeafArrays& arguments,
                    const std::source_location& where) {
  Traced traced = trace_leaves(body, arguments, where);
  check_captures(what, *traced, where);
  return traced;
}

Traced trace_closed(const std::string& what, LeafFunction& f, const LeafArrays& arguments,
                    const std::source_location& where) {
  return trace_closed(what, body_of(what, f, where), arguments, where);
}

// What a part of a rule returns must have the types of what it belongs to; derivatives have types only where
// that is floating.
void check_types(const std::string& what, bool derivatives, const std::vector<const ArrayType*>& given,
                 const std::vector<const ArrayType*>& wanted, const std::vector<std::string>& given_names,
                 const std::vector<std::string>& wanted_names, const std::source_location& where) {
  if (given.size() != wanted.size()) {
    fail(where, what + " returns " + std::to_string(given.size()) + " arrays, but must return " +
                    std::to_string(wanted.size()) + form_difference(given_names, wanted_names));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i]->tensor() == wanted[i]->tensor() || (derivatives && !is_inexact(wanted[i]->dtype))) continue;
    fail(where, what + " returns " + to_string(*given[i]) + " as " + given_names[i] + ", but must return " +
                    to_string(*wanted[i]) + ", the type of " + wanted_names[i]);
  }
}

// The tree that a part of a rule returns must be one of what it belongs to.
void check_returned(const std::string& what, const Structure& given, const Structure& wanted,
                    const std::source_location& where) {
  check_structure(what + " returns another tree:", given, wanted, where);
}

template <class T>
std::vector<T> part(const std::vector<T>& list, size_t begin, size_t end) {
  return {list.begin() + static_cast<std::ptrdiff_t>(std::min(begin, list.size())),
          list.begin() + static_cast<std::ptrdiff_t>(std::min(end, list.size()))};
}

// Stands for the arrays of these types in a trace.
LeafArrays abstract_leaves(const std::vector<const ArrayType*>& types, const std::string& name) {
  LeafArrays leaves;
  for (const ArrayType* type : types) {
    leaves.arrays.push_back(Array::abstract(type->dtype, type->shape));
    leaves.names.push_back(name);
  }
  return leaves;
}

void append(LeafArrays& to, const LeafArrays& from) {
  to.arrays.insert(to.arrays.end(), from.arrays.begin(), from.arrays.end());
  to.names.insert(to.names.end(), from.names.begin(), from.names.end());
}

std::vector<const ArrayType*> types_of(const LeafArrays& leaves) {
  std::vector<const ArrayType*> types;
  for (const Array& array : leaves.arrays) types.push_back(array.node()->type);
  return types;
}

// Those of the list that belong to floating types.
template <class T>
std::vector<T> floating(const std::vector<const ArrayType*>& types, const std::vector<T>& list) {
  std::vector<T> result;
  for (size_t i = 0; i < types.size(); ++i) {
    if (is_inexact(types[i]->dtype)) result.push_back(list[i]);
  }
  return result;
}

// One array per leaf: those given for floating ones, zeros for the others.
std::vector<Array> with_zeros(const std::vector<const ArrayType*>& types, const std::vector<Array>& given,
                              size_t& next, const std::source_location& where) {
  std::vector<Array> arrays;
  for (const ArrayType* type : types)
    arrays.push_back(is_inexact(type->dtype) ? given[next++] : zero_of(*type, where));
  return arrays;
}

// A call of a function with a rule for forward mode, without its arguments.
struct JvpCall {
  std::shared_ptr<JvpRule> rule;
  std::vector<const ArrayType*> types;  // of the arguments
  std::vector<std::string> names;
  std::vector<const ArrayType*> result_types;
  Structure returned;
  std::source_location where;

  Traced trace() const;
};

Traced JvpCall::trace() const {
  std::vector<std::string> made_names;
  LeafArrays both = abstract_leaves(types, "x");
  for (size_t i = 0; i < types.size(); ++i) both.arrays[i] = as_weak(both.arrays[i], types[i]->weak);
  both.names = names;
  append(both, abstract_leaves(floating(types, types), "tangent"));
  const auto body = [&](const std::vector<Array>& leaves) {
    std::vector<Array> inputs(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(types.size()));
    size_t next = types.size();
    for (Array& tangent : with_zeros(types, leaves, next, where)) inputs.push_back(std::move(tangent));
    const std::vector<Array> outputs = body_of("custom_jvp: the rule", *rule, where)(inputs);
    // Integers have no tangent in the program.
    const size_t results = rule->result.names.size();
    std::vector<Array> kept = part(outputs, 0, results);
    made_names = rule->result.names;
    for (size_t i = results; i < outputs.size(); ++i) {
      const size_t result = i - results;
      if (result < results && !is_inexact(outputs[result].dtype())) continue;
      kept.push_back(outputs[i]);
      made_names.push_back(rule->tangent.names[result]);
    }
    return kept;
  };
  Traced traced = trace_closed("custom_jvp: the rule", body, both, where);
  check_returned("custom_jvp: the rule", rule->result, returned, where);
  check_returned("custom_jvp: as the tangent, the rule", rule->tangent, returned, where);
  const size_t results = rule->result.names.size();
  const std::vector<const ArrayType*>& made = traced->result_types;
  check_types("custom_jvp: the rule", false, part(made, 0, results), result_types,
              part(made_names, 0, results), returned.names, where);
  check_types("custom_jvp: as the tangent, the rule", true, part(made, results, made.size()),
              floating(result_types, result_types), part(made_names, results, made_names.size()),
              floating(result_types, returned.names), where);
  return traced;
}

}  // namespace

// A rule that may outlive the call is traced when a derivative asks for it, as most never do; but among named
// axes, which are known here alone, at once.
std::vector<Array> call_custom_jvp(LeafFunction& f, std::shared_ptr<JvpRule> rule,
                                   const LeafArrays& arguments, const std::source_location& where) {
  const Traced function = trace_closed("custom_jvp: the function", f, arguments, where);
  const bool waits = rule->may_outlive_the_call() && !in_named_axes();
  const JvpCall call{std::move(rule),        types_of(arguments), arguments.names,
                     function->result_types, f.returned,          where};
  if (!waits) return emit_call(function, arguments.arrays, where, {.jvp = import_function(call.trace())});
  const auto joined = [](std::vector<const ArrayType*> types) {
    const std::vector<const ArrayType*> tangents = floating(types, types);
    types.insert(types.end(), tangents.begin(), tangents.end());
    return types;
  };
  const auto later = std::make_shared<const PendingFunction>("the rule of a custom_jvp function",
                                                             [call, caller = Caller::now()] {
                                                               const CallerAgain again(caller);
                                                               return call.trace();
                                                             });
  const std::string name =
      declare_pending(later, "function_jvp", joined(call.types), joined(call.result_types));
  return emit_call(function, arguments.arrays, where, {.jvp = name});
}

std::vector<Array> call_custom_vjp(LeafFunction& f, VjpRule& rule, const LeafArrays& arguments,
                                   const std::source_location& where) {
  const Traced function = trace_closed("custom_vjp: the function", f, arguments, where);
  const Traced forward = trace_closed(
      "custom_vjp: the forward function",
      [&](const std::vector<Array>& leaves) {
        std::vector<Array> results = rule.forward(leaves);
        return checked_results("custom_vjp: the forward function", std::move(results), rule.result_names,
                               where);
      },
      arguments, where);
  check_returned("custom_vjp: the forward function", rule.result, f.returned, where);
  const size_t results = rule.result.names.size();
  check_types("custom_vjp: the forward function", false, part(forward->result_types, 0, results),
              function->result_types, rule.result.names, f.returned.names, where);

  const std::vector<const ArrayType*> residuals =
      part(forward->result_types, results, forward->result_types.size());
  const std::vector<const ArrayType*> types = types_of(arguments);
  LeafArrays inputs = abstract_leaves(residuals, "residual");
  append(inputs, abstract_leaves(floating(function->result_types, function->result_types), "cotangent"));
  const auto body = [&](const std::vector<Array>& leaves) {
    std::vector<Array> all(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(residuals.size()));
    size_t next = residuals.size();
    for (Array& cotangent : with_zeros(function->result_types, leaves, next, where))
      all.push_back(std::move(cotangent));
    const LeafArrays cotangents = rule.backward(all);
    checked_results("custom_vjp: the backward function", cotangents.arrays, cotangents.names, where);
    check_returned("custom_vjp: the backward function", cotangents, arguments, where);
    std::vector<const ArrayType*> given;
    for (const Array& array : cotangents.arrays) given.push_back(checked_node(array, where).type);
    check_types("custom_vjp: the backward function", true, given, types, cotangents.names, arguments.names,
                where);
    std::vector<Array> kept;
    for (size_t i = 0; i < types.size(); ++i) {
      if (is_inexact(types[i]->dtype)) kept.push_back(cotangents.arrays[i]);
    }
    return kept;
  };
  const Traced backward = trace_closed("custom_vjp: the backward function", body, inputs, where);
  return emit_call(function, arguments.arrays, where,
                   {.vjp_forward = import_function(forward), .vjp_backward = import_function(backward)});
}

std::vector<Array> call_custom_transpose(LeafFunction& f, LeafFunction& transpose,
                                         const LeafArrays& arguments, size_t residuals,
                                         const std::source_location& where) {
  const Traced function = trace_closed("custom_transpose: the function", f, arguments, where);
  const std::vector<const ArrayType*> types = types_of(arguments);
  const auto check_floating = [&](const ArrayType& type, const std::string& name) {
    if (is_inexact(type.dtype)) return;
    fail(where, "custom_transpose: " + name + " is " + to_string(type) +
                    ", but only floating arrays can be linear in each other");
  };
  for (size_t i = residuals; i < types.size(); ++i) check_floating(*types[i], arguments.names[i]);
  for (size_t i = 0; i < f.returned.names.size(); ++i)
    check_floating(*function->result_types[i], f.returned.names[i]);

  LeafArrays inputs;
  inputs.arrays = part(arguments.arrays, 0, residuals);
  inputs.names = part(arguments.names, 0, residuals);
  append(inputs, abstract_leaves(function->result_types, "cotangent"));
  const Traced traced = trace_closed("custom_transpose: the transpose", transpose, inputs, where);
  Structure x;  // the second argument
  x.names = part(arguments.names, residuals, types.size());
  for (Structure::Node node : arguments.nodes) {
    if (!node.path.starts_with("arg1")) continue;
    node.leaf -= residuals;
    x.nodes.push_back(std::move(node));
  }
  check_returned("custom_transpose: the transpose", transpose.returned, x, where);
  check_types("custom_transpose: the transpose", true, traced->result_types,
              part(types, residuals, types.size()), transpose.returned.names, x.names, where);
  return emit_call(function, arguments.arrays, where,
                   {.transpose = import_function(traced), .residuals = static_cast<int>(residuals)});
}

namespace {

// A rule of the user's for calls with these arguments and results.
class TracedBatchRule final : public transform::BatchRule {
 public:
  TracedBatchRule(std::shared_ptr<detail::BatchRule> rule, std::vector<const ArrayType*> arguments,
                  std::vector<const ArrayType*> results, Structure returned,
                  const std::source_location& where)
      : rule_(std::move(rule)),
        arguments_(std::move(arguments)),
        results_(std::move(results)),
        returned_(std::move(returned)),
        where_(where) {}

  transform::RuleForBatch of(int64_t size, const std::vector<bool>& batched) const override {
    struct Made {
      Traced traced;  // has the rules of its calls
      std::unique_ptr<ir::Module> module;
    };
    const Traced traced = trace(size, batched);
    const auto made = std::make_shared<const Made>(Made{traced, linked(*traced, Rules::kTraced)});
    transform::RuleForBatch rule{
        made, made->module->functions().front().get(), {}, batched, {}, ir::Provenance::at(where_)};
    for (size_t i = 0; i < arguments_.size(); ++i) rule.operands.push_back(static_cast<int>(i));
    for (size_t i = 0; i < results_.size(); ++i) rule.results.push_back(static_cast<int>(i));
    return rule;
  }

 private:
  Traced trace(int64_t size, const std::vector<bool>& batched) const {
    const auto in_front = [&](const ArrayType& type) {
      Shape shape = type.shape;
      shape.insert(shape.begin(), size);
      return intern_type(type.dtype, shape);
    };
    std::vector<const ArrayType*> types, wanted;
    for (size_t i = 0; i < arguments_.size(); ++i)
      types.push_back(batched[i] ? in_front(*arguments_[i]) : arguments_[i]);
    for (const ArrayType* result : results_) wanted.push_back(in_front(*result));
    Structure given;
    Traced traced = trace_function(
        "custom_vmap", types, std::vector<std::string>(types.size(), "x"),
        [&](const std::vector<Array>& leaves) {
          LeafArrays made = rule_->run(size, batched, leaves);
          given = made;
          return Outputs{
              checked_results("custom_vmap: the rule", std::move(made.arrays), given.names, where_), nullptr};
        },
        nullptr, where_);
    check_captures("custom_vmap: the rule", *traced, where_);
    const std::string what = "custom_vmap: for a batch of " + std::to_string(size) + ", the rule";
    check_returned(what, given, returned_, where_);
    check_types(what, false, traced->result_types, wanted, given.names, returned_.names, where_);
    return traced;
  }

  std::shared_ptr<detail::BatchRule> rule_;
  std::vector<const ArrayType*> arguments_, results_;
  Structure returned_;
  std::source_location where_;
};

}  // namespace

std::vector<Array> call_custom_vmap(LeafFunction& f, std::shared_ptr<BatchRule> rule,
                                    const LeafArrays& arguments, const std::source_location& where) {
  const Traced function = trace_closed("custom_vmap: the function", f, arguments, where);
  auto registered = transform::registered(std::make_shared<TracedBatchRule>(
      std::move(rule), types_of(arguments), function->result_types, f.returned, where));
  const int64_t number = registered->number();
  current_frame()->state->rules.push_back(std::move(registered));
  return emit_call(function, arguments.arrays, where, {.batch_rule = number});
}

}  // namespace ingot::detail
