// vmap as a user calls it: axes are found for every leaf, the function is traced for one element, batched as
// IR, and called where the trace stands.
#include "ingot/vmap.h"

#include "frontend/apply.h"
#include "frontend/axis_names.h"
#include "frontend/jit_state.h"
#include "frontend/signature.h"
#include "transform/batch.h"

namespace ingot {

BatchAxes::BatchAxes(std::initializer_list<BatchAxes> parts) : is_list_(true), parts_(parts) {}
BatchAxes::BatchAxes(std::vector<BatchAxes> parts) : is_list_(true), parts_(std::move(parts)) {}
BatchAxes::BatchAxes(const BatchAxes& other) = default;
BatchAxes& BatchAxes::operator=(const BatchAxes& other) = default;
BatchAxes::~BatchAxes() = default;

}  // namespace ingot

namespace ingot::detail {

std::shared_ptr<const VmapOptions> keep_options(const VmapOptions& options) {
  return std::make_shared<const VmapOptions>(options);
}
namespace {

using ir::Batched;
using LeafAxes = std::vector<std::optional<int64_t>>;

void sign(Signature& signature, const BatchAxes& axes) {
  signature.word(axes.is_list() ? 2 : axes.axis() ? 1 : 0);
  if (axes.axis()) signature.word(static_cast<uint64_t>(*axes.axis()));
  if (!axes.is_list()) return;
  signature.word(axes.parts().size());
  for (const BatchAxes& part : axes.parts()) sign(signature, part);
}

[[noreturn]] void fail_count(const char* what, const std::string& tree, size_t entries, size_t parts,
                             const std::source_location& where) {
  const std::string list =
      std::string("vmap: ") + what + " has a list of " + std::to_string(entries) + " for " + tree;
  if (parts == 0) fail(where, list + ", which has no parts; give the axis without braces");
  fail(where, list + ", which has " + std::to_string(parts) + (parts == 1 ? " part" : " parts") +
                  " with arrays; give one entry for each, or one axis for all");
}

// Gives the leaves from `begin` to `end`, which have their first `depth` steps in common, their axes.
void assign(const char* what, const BatchAxes& axes, const std::vector<LeafPath>& paths, size_t begin,
            size_t end, size_t depth, const std::source_location& where, LeafAxes& result) {
  if (!axes.is_list()) {
    for (size_t i = begin; i < end; ++i) result[i] = axes.axis();
    return;
  }
  const std::string tree = begin == end ? "a tree" : text_of(paths[begin], depth);
  std::vector<size_t> starts;
  for (size_t i = begin; i < end; ++i) {
    if (paths[i].size() == depth) fail_count(what, tree + ", an array", axes.parts().size(), 0, where);
    if (i == begin || paths[i][depth] != paths[i - 1][depth]) starts.push_back(i);
  }
  if (starts.size() != axes.parts().size()) fail_count(what, tree, axes.parts().size(), starts.size(), where);
  starts.push_back(end);
  for (size_t k = 0; k + 1 < starts.size(); ++k)
    assign(what, axes.parts()[k], paths, starts[k], starts[k + 1], depth + 1, where, result);
}

LeafAxes argument_axes(const BatchAxes& axes, const std::vector<LeafPath>& paths, const Signature& signature,
                       const std::source_location& where) {
  LeafAxes result(paths.size());
  if (!axes.is_list()) {
    assign("in_axes", axes, paths, 0, paths.size(), 0, where, result);
    return result;
  }
  const size_t count = signature.argument_starts.size();
  if (axes.parts().size() != count) {
    fail(where, "vmap: in_axes has " + std::to_string(axes.parts().size()) + " entries for " +
                    std::to_string(count) + (count == 1 ? " argument" : " arguments") +
                    "; give one for each, or one axis for all");
  }
  for (size_t k = 0; k < count; ++k) {
    const size_t end = k + 1 < count ? signature.argument_starts[k + 1] : paths.size();
    assign("in_axes", axes.parts()[k], paths, signature.argument_starts[k], end, 1, where, result);
  }
  return result;
}

// The axes in range, and the size of the batch on which all agree.
struct BatchedArguments {
  std::vector<int64_t> axes;
  int64_t size = -1;
};

BatchedArguments batched_arguments(const std::vector<Array>& leaves, const std::vector<std::string>& names,
                                   const LeafAxes& axes, const VmapOptions& options,
                                   const std::source_location& where) {
  BatchedArguments batch;
  if (options.axis_size) {
    batch.size = *options.axis_size;
    const std::string is = "vmap: the option axis_size is " + std::to_string(batch.size) + ", but ";
    if (batch.size < 0) fail(where, is + "a batch has 0 elements or more");
    if (batch.size > kMostElements)
      fail(where, is + "an array has at most " + std::to_string(kMostElements) + " (2^48) elements");
  }
  std::string first = "the option axis_size", others;
  for (size_t i = 0; i < leaves.size(); ++i) {
    batch.axes.push_back(Batched::kShared);
    if (!axes[i]) continue;
    const std::string leaf = names[i] + ", a " + leaves[i].type_string() + ",";
    const int64_t rank = leaves[i].rank(), axis = *axes[i] < 0 ? *axes[i] + rank : *axes[i];
    if (axis < 0 || axis >= rank) {
      fail(where,
           "vmap: " + leaf + " has no axis " + std::to_string(*axes[i]) +
               " that a batch could stand along; name another one in in_axes, or std::nullopt where all "
               "elements share the array");
    }
    batch.axes.back() = axis;
    const int64_t extent = leaves[i].shape(axis);
    const std::string here = leaf + " has " + std::to_string(extent) + " along axis " + std::to_string(axis);
    if (batch.size == -1) {
      batch.size = extent;
      first = here;
    } else if (extent != batch.size) {
      others += (others.empty() ? ", but " : " and ") + here;
    }
  }
  if (!others.empty()) {
    fail(where, "vmap: the sizes of the batch disagree: " + first +
                    (first.ends_with("axis_size") ? " is " + std::to_string(batch.size) : "") + others);
  }
  if (batch.size < 0)
    fail(where, "vmap: no argument is batched, so the option axis_size must say how large the batch is");
  return batch;
}

const ArrayType* element_type(const Array& leaf, int64_t axis) {
  Shape shape = leaf.shape();
  if (axis != Batched::kShared) shape.erase(shape.begin() + axis);
  return intern_type(leaf.dtype(), shape, is_weak(leaf));
}

// Where the batch is to stand in each result; kShared where it must not be.
std::vector<int64_t> plan_results(const TracedFunction& traced, const std::vector<LeafPath>& paths,
                                  const BatchAxes& out_axes, const std::source_location& where) {
  LeafAxes axes(paths.size());
  assign("out_axes", out_axes, paths, 0, paths.size(), 1, where, axes);
  std::vector<int64_t> result;
  for (size_t i = 0; i < paths.size(); ++i) {
    const int64_t rank = static_cast<int64_t>(traced.result_types[i]->shape.size()) + 1;
    const std::string name = "vmap: out_axes of " + text_of(paths[i], paths[i].size());
    result.push_back(axes[i] ? checked_axis(name.c_str(), *axes[i], rank, where) : Batched::kShared);
  }
  return result;
}

struct BatchedTrace {
  std::shared_ptr<TracedFunction> function;
  std::vector<int64_t> result_axes;
};

// Rules that are pending stay so: they are batched when they are asked for.
BatchedTrace batched_trace(const TracedFunction& traced, const transform::Batch& batch,
                           std::vector<int64_t> axes, const std::vector<int64_t>& wanted) {
  ir::Module module;
  Linker linker(module, Rules::kDeclared);
  linker.add(traced);
  const ir::Function& from = *module.functions().front();
  axes.resize(static_cast<size_t>(from.body().argument_count()), Batched::kShared);  // captures
  auto batched = std::make_shared<TracedFunction>();
  batched->own = std::make_unique<ir::Module>();
  const transform::BatchedFunction made = transform::batch(from, *batched->own, batch, axes, wanted);
  for (const transform::BatchedFunction::Declared& declared : made.declared) {
    const auto& base = linker.pending().at(declared.from);
    if (declared.result_axes.empty()) {
      batched->pending.emplace(declared.name, base);
      continue;
    }
    const auto later = [=, arguments = declared.argument_axes, results = declared.result_axes] {
      return batched_trace(*base->traced(), batch, arguments, results).function;
    };
    batched->pending.emplace(declared.name,
                             std::make_shared<const PendingFunction>("a rule of a batch", later));
  }
  for (const ir::Value* argument : made.function->body().arguments())
    batched->argument_types.push_back(intern_type(argument->type()));
  for (const ir::Value* result : made.function->body().results())
    batched->result_types.push_back(intern_type(result->type()));
  batched->captures = traced.captures;
  batched->rules = made.rules;
  return {std::move(batched), made.result_axes};
}

std::shared_ptr<const TracedFunction> batched_function(const TracedFunction& traced,
                                                       const BatchedArguments& batch,
                                                       const std::string& axis_name,
                                                       const std::vector<LeafPath>& result_paths,
                                                       const std::vector<int64_t>& wanted,
                                                       const std::source_location& where) {
  BatchedTrace made = batched_trace(traced, {batch.size, axis_name, ir::Provenance::at(user_line(where))},
                                    batch.axes, wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == made.result_axes[i]) continue;
    fail(where, "vmap: out_axes says that " + text_of(result_paths[i], result_paths[i].size()) + ", a " +
                    to_string(*traced.result_types[i]) +
                    ", does not depend on the batch, but it does; name an axis for it, or reduce it over the "
                    "batch (psum and the like)");
  }
  return std::move(made.function);
}

}  // namespace

int64_t mapped_length(const LeafArrays& xs, int64_t axis, int64_t batch_size,
                      const std::source_location& where) {
  if (batch_size < 1) {
    fail(where, "map: 'batch_size' is " + std::to_string(batch_size) + ", but should be 1 or more");
  }
  if (xs.arrays.empty()) fail(where, "map: xs holds no array, so there is nothing to map over");
  int64_t length = 0;
  for (size_t i = 0; i < xs.arrays.size(); ++i) {
    const int64_t rank =
        static_cast<int64_t>(checked_node(xs.arrays[i], where, xs.names[i]).type->shape.size());
    const int64_t a = checked_axis(("map: " + xs.names[i]).c_str(), axis, rank, where);
    const int64_t extent = xs.arrays[i].shape(a);
    if (i == 0) length = extent;
    if (extent == length) continue;
    fail(where, "map: " + xs.names[i] + ", a " + xs.arrays[i].type_string() + ", has " +
                    std::to_string(extent) + " slices along axis " + std::to_string(a) + ", but " +
                    xs.names[0] + ", a " + xs.arrays[0].type_string() + ", has " + std::to_string(length));
  }
  return length;
}

void check_out_axis(const LeafArrays& result, int64_t out_axis, const std::source_location& where) {
  for (size_t i = 0; i < result.arrays.size(); ++i) {
    if (result.arrays[i].empty()) continue;  // told elsewhere
    checked_axis(("map: 'out_axis' of " + result.names[i]).c_str(), out_axis, result.arrays[i].rank() + 1,
                 where);
  }
}

Array whole_steps(const Array& x, int64_t axis, int64_t size, const std::source_location& where) {
  const int64_t a = checked_axis("map", axis, x.rank(), where), steps = x.shape(a) / size;
  Shape shape = x.shape();
  shape[static_cast<size_t>(a)] = size;
  shape.insert(shape.begin() + a, steps);
  return slice_axis(Operand(x, where), a, 0, steps * size).reshape(shape, where);
}

Array left_over(const Array& x, int64_t axis, int64_t size, const std::source_location& where) {
  const int64_t a = checked_axis("map", axis, x.rank(), where), extent = x.shape(a);
  return slice_axis(Operand(x, where), a, extent / size * size, extent);
}

Array joined_steps(const Array& steps, const Array& rest, int64_t axis, const std::source_location& where) {
  const int64_t a = axis < 0 ? axis + rest.rank() : axis;
  Shape shape = steps.shape();
  shape[static_cast<size_t>(a)] *= shape[static_cast<size_t>(a) + 1];
  shape.erase(shape.begin() + a + 1);
  return concatenate({Operand(steps.reshape(shape, where), where), Operand(rest, where)}, a);
}

namespace {

// A call of a function for a batch, as jit's cache and tracer see it: its arguments are whole batches.
class VmapCall final : public Callable {
 public:
  VmapCall(const Callable& function, const VmapOptions& options, const Signature& signature,
           const std::source_location& where)
      : function_(function), options_(options), signature_(signature), where_(where) {}

  Outputs trace(const std::vector<Array>& leaves) const override;
  Description describe() const override { return function_.describe(); }

 private:
  const Callable& function_;
  const VmapOptions& options_;
  const Signature& signature_;
  std::source_location where_;
};

Outputs VmapCall::trace(const std::vector<Array>& leaves) const {
  const Description description = function_.describe();
  const LeafAxes in_axes = argument_axes(options_.in_axes, description.paths, signature_, where_);
  const BatchedArguments batch = batched_arguments(leaves, description.names, in_axes, options_, where_);
  std::vector<const ArrayType*> types;
  for (size_t i = 0; i < leaves.size(); ++i) types.push_back(element_type(leaves[i], batch.axes[i]));
  std::vector<LeafPath> result_paths;
  const auto traced = trace_function(
      current_frame()->region->function()->name(), types, argument_names(description),
      [&](const std::vector<Array>& arguments) {
        const AxisScope scope(options_.axis_name, batch.size);
        Outputs outputs = function_.trace(arguments);
        result_paths = outputs.paths;
        return outputs;
      },
      current_frame(), where_);
  const std::vector<int64_t> wanted = plan_results(*traced, result_paths, options_.out_axes, where_);
  const auto batched = batched_function(*traced, batch, options_.axis_name, result_paths, wanted, where_);
  std::vector<Array> results = emit_call(batched, leaves, where_);
  for (size_t i = 0; i < results.size(); ++i) results[i] = as_weak(results[i], traced->result_types[i]->weak);
  return {std::move(results), traced->prototype, std::move(result_paths)};
}

}  // namespace

CallResults::CallResults(JitState& state, const Invocation& invocation, const void* type,
                         const VmapOptions& options, const std::source_location& where) {
  Signature signature;
  signature.where = where;
  signature.word(reinterpret_cast<uintptr_t>(type));
  sign(signature, options.in_axes);
  sign(signature, options.out_axes);
  signature.word(options.axis_size ? static_cast<uint64_t>(*options.axis_size) : UINT64_MAX);
  signature.text(options.axis_name);
  signature.add(invocation);
  const InvocationCall function(invocation);
  run(state, signature, VmapCall(function, options, signature, where));
}

}  // namespace ingot::detail
