#include "tools/plan_graph.h"

#include <algorithm>

#include "ingot/error.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

using runtime::Location;
using runtime::PlanValue;

struct StepDescriber {
  const runtime::Plan& plan;
  const runtime::PlanFunction& function;
  size_t step;

  GraphStep operator()(const runtime::LaunchStep& launch) const {
    const runtime::CompiledKernel& kernel = *plan.kernels[static_cast<size_t>(launch.kernel)];
    const runtime::MovedBytes moved = moved_bytes(plan, function, launch);
    std::string note;
    if (moved != moved_bytes(plan, kernel))
      note = "in place: " + show_bytes(moved.read) + " read, " + show_bytes(moved.written) + " written";
    if (const std::string parts = parts_text(plan, function, step); !parts.empty())
      note += (note.empty() ? "" : "; ") + parts;
    return {GraphStep::Kind::kLaunch, kernel.name, note, launch.source_lines, moved};
  }
  GraphStep operator()(const runtime::CopyStep& copy) const {
    return {GraphStep::Kind::kCopy, "copy",
            show_bytes(copy.bytes) + (copy.about.empty() ? "" : ", of " + copy.about), copy.source_lines};
  }
  GraphStep operator()(const runtime::CallStep& call) const {
    return {GraphStep::Kind::kCall, plan.functions[static_cast<size_t>(call.function)].name, ""};
  }
  GraphStep operator()(const runtime::LoopStep& loop) const {
    return {GraphStep::Kind::kLoop, plan.functions[static_cast<size_t>(loop.function)].name,
            std::to_string(loop.trip_count) + (loop.trip_count == 1 ? " time" : " times") +
                (loop.reverse ? ", reverse" : "")};
  }
  GraphStep operator()(const runtime::WhileStep& loop) const {
    std::string note =
        "while " + (loop.predicate >= 0 ? plan.functions[static_cast<size_t>(loop.predicate)].name
                                        : "%" + plan.functions[static_cast<size_t>(loop.body)]
                                                    .results[static_cast<size_t>(loop.predicate_carry)]
                                                    .name);
    note += runtime::how_often(loop);
    return {GraphStep::Kind::kWhile, plan.functions[static_cast<size_t>(loop.body)].name, std::move(note)};
  }
  GraphStep operator()(const runtime::CondStep& cond) const {
    std::string names;
    for (int32_t branch : cond.functions)
      names += (names.empty() ? "" : " or ") + plan.functions[static_cast<size_t>(branch)].name;
    return {GraphStep::Kind::kBranch, std::move(names), ""};
  }
};

void append_callees(const runtime::Plan& plan, int32_t index, std::vector<int32_t>& order) {
  if (std::find(order.begin(), order.end(), index) != order.end()) return;
  order.push_back(index);
  for (const runtime::Step& step : plan.functions[static_cast<size_t>(index)].steps) {
    for (int32_t callee : callees_of(step)) append_callees(plan, callee, order);
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out + "\"";
}

// Backslashes of \n between lines are ours; quoted() makes them from line ends.
std::string label(const PlanValue& value, const runtime::PlanFunction& function) {
  return describe(value, function) + "\n" + type_text(value.dtype, value.shape) + "\n" +
         show_bytes(value.bytes);
}

std::string label(const GraphStep& step, size_t number) {
  const std::string_view verb = step.kind == GraphStep::Kind::kLaunch ? "" : verb_of(step.kind);
  std::string text = std::to_string(number) + ": " + std::string(verb) + step.what;
  if (!step.note.empty()) text += "\n" + step.note;
  for (const std::string& line : step.source_lines) text += "\n" + line;
  return text;
}

const char* style(const PlanValue& value) {
  return value.location.kind == Location::Kind::kConstant ? ", style=dotted"
         : value.location.kind == Location::Kind::kFrame  ? ", style=dashed"
                                                          : "";
}

}  // namespace

std::string_view verb_of(GraphStep::Kind kind) {
  switch (kind) {
    case GraphStep::Kind::kLaunch:
      return "launch ";
    case GraphStep::Kind::kCopy:
      return "";
    case GraphStep::Kind::kCall:
      return "call ";
    case GraphStep::Kind::kLoop:
    case GraphStep::Kind::kWhile:
      return "loop ";
    case GraphStep::Kind::kBranch:
      return "branch to ";
  }
  throw InternalError("unknown kind of step");
}

std::vector<FunctionGraph> plan_graph(const runtime::Plan& plan) {
  std::vector<int32_t> order;
  append_callees(plan, plan.entry, order);
  std::vector<FunctionGraph> graph;
  for (int32_t index : order) {
    const runtime::PlanFunction& function = plan.functions[static_cast<size_t>(index)];
    graph.push_back({&function, {}});
    for (size_t step = 0; step < function.steps.size(); ++step)
      graph.back().steps.push_back(std::visit(StepDescriber{plan, function, step}, function.steps[step]));
  }
  return graph;
}

std::string to_dot(const std::vector<FunctionGraph>& graph, const std::string& name) {
  std::string text = "digraph " + quoted(name) + " {\n  node [fontname=\"monospace\", fontsize=10];\n";
  for (size_t f = 0; f < graph.size(); ++f) {
    const runtime::PlanFunction& function = *graph[f].function;
    const std::string prefix = "    f" + std::to_string(f), value = prefix + "v", box = prefix + "s";
    const auto arrow = [&](const std::string& from, const std::string& to, const char* attributes = "") {
      text += from + " -> " + to.substr(to.find('f')) + attributes + ";\n";
    };
    text +=
        "  subgraph cluster_" + std::to_string(f) + " {\n    label=" + quoted("@" + function.name) + ";\n";
    for (size_t v = 0; v < function.values.size(); ++v) {
      const PlanValue& one = function.values[v];
      text += value + std::to_string(v) + " [label=" + quoted(label(one, function)) + style(one) + "];\n";
      if (one.kind == PlanValue::Kind::kSameBytes)
        arrow(value + std::to_string(one.of), value + std::to_string(v), " [style=dashed]");
    }
    for (size_t s = 0; s < graph[f].steps.size(); ++s) {
      const std::string step = box + std::to_string(s);
      text += step + " [shape=box, label=" + quoted(label(graph[f].steps[s], s)) + "];\n";
      for (int32_t v : function.step_values[s].reads) arrow(value + std::to_string(v), step);
      for (int32_t v : function.step_values[s].writes) arrow(step, value + std::to_string(v));
    }
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace ingot::tools
