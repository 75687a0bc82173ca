#include "ingot/scan.h"

#include <algorithm>

#include "frontend/apply.h"
#include "frontend/program.h"
#include "frontend/regions.h"
#include "frontend/scan_chunks.h"
#include "frontend/structure.h"
#include "ingot/control_flow.h"
#include "ops/control.h"

namespace ingot {

ScanAxes::ScanAxes(Axis axis) : axes_{axis} {}
ScanAxes::ScanAxes(std::initializer_list<int64_t> axes) : axes_(axes) {}
ScanAxes::ScanAxes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

}  // namespace ingot

namespace ingot::detail {
namespace {

// Entry i of the axes, which may be one for all.
int64_t axis_of(const ScanAxes& axes, size_t i) {
  return axes.axes().size() == 1 ? axes.axes()[0] : axes.axes()[i];
}

void check_axis_count(const char* name, const char* what, const ScanAxes& axes, size_t leaves,
                      const std::source_location& where) {
  const size_t count = axes.axes().size();
  if (count == 1 || count == leaves) return;
  fail(where, std::string(name) + ": " + what + " names " + std::to_string(count) + " axes for " +
                  std::to_string(leaves) + " arrays; give one for all, or one for each");
}

ScanLoop resolve(const std::vector<Array>& xs, const std::vector<std::string>& names,
                 const ScanOptions& options, const std::source_location& where) {
  ScanLoop loop{.name = options.name, .reverse = options.reverse};
  check_axis_count(options.name, "axis", options.axis, xs.size(), where);
  loop.length = options.length;
  std::string first = "the option length";
  for (size_t i = 0; i < xs.size(); ++i) {
    checked_node(xs[i], where, names[i]);
    const int64_t axis = checked_axis((options.name + (": " + names[i])).c_str(), axis_of(options.axis, i),
                                      xs[i].rank(), where);
    const int64_t extent = xs[i].shape(axis);
    if (loop.length == -1) {
      loop.length = extent;
      first = names[i];
    }
    if (extent != loop.length) {
      fail(where, options.name + (": " + names[i]) + ", a " + xs[i].type_string() + ", has " +
                      std::to_string(extent) + " steps along axis " + std::to_string(axis) + ", but " +
                      first + " has " + std::to_string(loop.length));
    }
    loop.xs_axes.push_back(axis);
  }
  if (loop.length < 0)
    fail(where, std::string(options.name) +
                    ": there are no xs, so the option length must say how many steps to take, 0 or more");
  loop.asked_ys_axis = options.ys_axis ? *options.ys_axis : ScanAxes(axis_of(options.axis, 0));
  return loop;
}

// A scan as one trace of its body has it.
struct TracedStep {
  std::unique_ptr<ir::Region> region;
  std::vector<Array> results, captures;
};

TracedStep trace_step(ScanBody& body, const ScanState& state, const ScanLoop& loop,
                      const std::source_location& where) {
  TraceFrame& frame = *current_frame();
  TracedStep step{frame.region->function()->make_region(), {}, {}};
  FrameScope inside(frame.state, step.region.get(), &frame, where);
  inside->loop = loop.name;
  inside->carries = state.carry_structure.names;
  std::vector<Array> carry, slices;
  for (size_t i = 0; i < state.init.size(); ++i) {
    const std::string& name = state.carry_structure.names[i];
    carry.push_back(inside->argument(checked_node(state.init[i], where, name).type, "carry"));
  }
  for (size_t i = 0; i < state.xs.size(); ++i) {
    Shape shape = state.xs[i].shape();
    shape.erase(shape.begin() + loop.xs_axes[i]);
    slices.push_back(inside->argument(intern_type(state.xs[i].dtype(), shape, is_weak(state.xs[i])), "x"));
  }
  step.results = checked_results(loop.name + std::string(": a step"), body.step(carry, slices),
                                 body.result_names, where);
  std::vector<ir::Value*> values;
  for (const Array& result : step.results) values.push_back(inside->value_of(result, where));
  step.region->set_results(std::move(values));
  step.captures = inside->captures;
  return step;
}

ScanResult traced_scan(ScanBody& body, const std::vector<Array>& init, const Structure& carry_structure,
                       const std::vector<Array>& xs, const std::vector<std::string>& x_names,
                       const ScanOptions& options, const std::source_location& where) {
  ScanLoop loop = resolve(xs, x_names, options, where);
  ScanState state{init, xs, carry_structure, x_names};
  if (options.unroll == 1 && !options.checkpoints.has_value())
    return record_scan(body, state, loop, loop.length, where);
  // Chunks hand the carry on from one to the next: its types are settled ahead.
  const auto is_number = [](const Array& array) { return is_weak(array); };
  while (std::any_of(state.init.begin(), state.init.end(), is_number) &&
         settle_carry(loop.name, state.init, trace_step(body, state, loop, where).results, where)) {
  }
  return scan_in_chunks(body, state, loop, options, where);
}

// A scan outside of a program is one of its own. Its body has no identity to cache by, so the body is traced
// at every call, and what it became is the key.
ScanResult eager_scan(ScanBody& body, const LeafArrays& init, const LeafArrays& xs,
                      const ScanOptions& options, const std::source_location& where) {
  std::vector<const ArrayType*> types;
  std::vector<std::string> names;
  for (const LeafArrays* leaves : {&init, &xs}) {
    for (size_t i = 0; i < leaves->arrays.size(); ++i) {
      types.push_back(checked_node(leaves->arrays[i], where, leaves->names[i]).type);
      names.push_back(leaves == &init ? "init" : "x");
    }
  }
  const auto split = static_cast<std::ptrdiff_t>(init.arrays.size());
  const auto traced = trace_function(
      "scan", types, names,
      [&](const std::vector<Array>& arguments) {
        ScanResult result =
            traced_scan(body, {arguments.begin(), arguments.begin() + split}, init,
                        {arguments.begin() + split, arguments.end()}, xs.names, options, where);
        result.carry.insert(result.carry.end(), result.ys.begin(), result.ys.end());
        return Outputs{std::move(result.carry), nullptr};
      },
      nullptr, where);

  std::vector<Array> arguments = init.arrays;
  arguments.insert(arguments.end(), xs.arrays.begin(), xs.arrays.end());
  const std::vector<Array> results = run_or_record(traced, arguments, where);
  return {{results.begin(), results.begin() + split}, {results.begin() + split, results.end()}};
}

}  // namespace

void check_step(const ScanBody& body, const ScanState& state, ScanLoop& loop,
                const std::vector<Array>& results, const std::source_location& where) {
  const size_t carries = state.init.size(), ys = results.size() - carries;
  check_carry_structure(loop.name, state.carry_structure, body.next_carry, where);
  check_next_carry(loop.name, state.init,
                   {results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carries)},
                   state.carry_structure.names, where);
  if (loop.ys_axes.has_value()) return;
  check_axis_count(loop.name, "ys_axis", loop.asked_ys_axis, ys, where);
  loop.ys_axes.emplace();
  for (size_t i = 0; i < ys; ++i) {
    const std::string name = loop.name + std::string(": y number ") + std::to_string(i);
    loop.ys_axes->push_back(
        checked_axis(name.c_str(), axis_of(loop.asked_ys_axis, i), results[carries + i].rank() + 1, where));
  }
}

ScanResult record_scan(ScanBody& body, const ScanState& given, ScanLoop& loop, int64_t length,
                       const std::source_location& where) {
  ScanState state = given;
  TracedStep step = trace_step(body, state, loop, where);
  while (settle_carry(loop.name, state.init, step.results, where))
    step = trace_step(body, state, loop, where);
  check_step(body, state, loop, step.results, where);
  std::vector<Array> operands = state.init;
  operands.insert(operands.end(), state.xs.begin(), state.xs.end());
  operands.insert(operands.end(), step.captures.begin(), step.captures.end());
  const ops::ScanForm form{.carries = static_cast<int>(state.init.size()),
                           .length = length,
                           .reverse = loop.reverse,
                           .xs_axes = loop.xs_axes,
                           .ys_axes = *loop.ys_axes};
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(step.region));
  std::vector<Array> results = emit_all("scan", operands, form.attributes(), where, std::move(regions));
  mark_carry(results, state.init, step.results);
  for (size_t i = state.init.size(); i < results.size(); ++i)
    results[i] = as_weak(results[i], is_weak(step.results[i]));
  const auto split = results.begin() + static_cast<std::ptrdiff_t>(state.init.size());
  return {{results.begin(), split}, {split, results.end()}};
}

ScanResult scan(ScanBody& body, const LeafArrays& init, const LeafArrays& xs, const ScanOptions& options,
                const std::source_location& where) {
  if (options.name == nullptr) fail(where, "scan: the option name is null; leave it out, or name the loop");
  if (!tracing()) return eager_scan(body, init, xs, options, where);
  return traced_scan(body, init.arrays, init, xs.arrays, xs.names, options, where);
}

// The indices are made inside of the program, where nobody needs memory for them.
std::vector<Array> counted_loop(ScanBody& body, const LeafArrays& init, const LoopRange& range,
                                const WhileOptions& options, const std::source_location& where) {
  const ScanOptions scan_options{.name = options.name};
  const auto record = [&](const std::vector<Array>& initial) {
    const Array indices = arange(range.start, range.start + range.steps, 1, range.dtype, where);
    return traced_scan(body, initial, init, {indices}, {"the indices"}, scan_options, where).carry;
  };
  if (tracing()) return record(init.arrays);
  std::vector<const ArrayType*> types;
  for (size_t i = 0; i < init.arrays.size(); ++i)
    types.push_back(checked_node(init.arrays[i], where, init.names[i]).type);
  const auto traced = trace_function(
      options.name, types, std::vector<std::string>(types.size(), "init"),
      [&](const std::vector<Array>& initial) {
        return Outputs{record(initial), nullptr};
      },
      nullptr, where);
  return run_or_record(traced, init.arrays, where);
}

}  // namespace ingot::detail
