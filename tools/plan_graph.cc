#include "tools/plan_graph.h"

#include <algorithm>
#include <map>

#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

using runtime::Location;

class FunctionGrapher {
 public:
  FunctionGrapher(const runtime::Plan& plan, const runtime::PlanFunction& function)
      : plan_(plan), function_(function) {}

  FunctionGraph run() {
    graph_.name = function_.name;
    for (const runtime::Step& step : function_.steps) {
      graph_.steps.emplace_back();
      std::visit(*this, step);
      ++step_;
    }
    return std::move(graph_);
  }

  void operator()(const runtime::LaunchStep& launch) {
    const runtime::CompiledKernel& kernel = *plan_.kernels[static_cast<size_t>(launch.kernel)];
    start(GraphStep::Kind::kLaunch, kernel.name);
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      kernel.parameters[i].is_output ? write(launch.buffers[i]) : read(launch.buffers[i]);
    }
  }
  void operator()(const runtime::CopyStep& copy) {
    start(GraphStep::Kind::kCopy, "copy", show_bytes(copy.bytes));
    read(copy.from);
    write(copy.to);
  }
  void operator()(const runtime::CallStep& call) {
    start(GraphStep::Kind::kCall, plan_.functions[static_cast<size_t>(call.function)].name);
    for (const Location& location : call.arguments) read(location);
    for (const Location& location : call.results) write(location);
  }
  void operator()(const runtime::LoopStep& loop) {
    start(GraphStep::Kind::kLoop, plan_.functions[static_cast<size_t>(loop.function)].name,
          std::to_string(loop.trip_count) + (loop.trip_count == 1 ? " time" : " times") +
              (loop.reverse ? ", reverse" : ""));
    for (const auto& carry : loop.carries) read(carry.initial);
    for (const auto& input : loop.inputs) read(input.location);
    for (const Location& location : loop.invariants) read(location);
    for (const auto& carry : loop.carries) write(carry.result);
    for (const auto& output : loop.outputs) write(output.location);
  }

 private:
  void start(GraphStep::Kind kind, const std::string& what, const std::string& note = "") {
    graph_.steps.back().kind = kind;
    graph_.steps.back().what = what;
    graph_.steps.back().note = note;
  }
  void read(const Location& location) { graph_.steps.back().reads.push_back(buffer(location, false)); }
  void write(const Location& location) { graph_.steps.back().writes.push_back(buffer(location, true)); }

  int buffer(const Location& location, bool written) {
    GraphBuffer buffer = describe(location, written);
    std::string key = std::to_string(static_cast<int>(buffer.kind)) + buffer.name;
    auto [it, fresh] = ids_.emplace(key, static_cast<int>(graph_.buffers.size()));
    if (fresh) graph_.buffers.push_back(std::move(buffer));
    return it->second;
  }

  GraphBuffer describe(const Location& location, bool written) const {
    const auto index = static_cast<size_t>(location.index);
    switch (location.kind) {
      case Location::Kind::kArgument:
        return of_info(GraphBuffer::Kind::kArgument, function_.arguments[index], "argument", index);
      case Location::Kind::kResult:
        return of_info(GraphBuffer::Kind::kResult, function_.results[index], "result", index);
      case Location::Kind::kConstant:
        return {GraphBuffer::Kind::kConstant, "constant " + plan_.constants[index].name, "",
                plan_.constants[index].bytes};
      case Location::Kind::kFrame:
        break;
    }
    if (const runtime::FrameBuffer* found = frame_buffer(location.offset, written)) {
      return {GraphBuffer::Kind::kFrame, "%" + found->name, "", found->bytes};
    }
    return {GraphBuffer::Kind::kFrame, "frame + " + std::to_string(location.offset), "", 0};
  }

  static GraphBuffer of_info(GraphBuffer::Kind kind, const runtime::BufferInfo& info, const char* what,
                             size_t index) {
    std::string name = std::string(what) + " " + std::to_string(index);
    if (!info.name.empty()) name += " %" + info.name;
    return {kind, name, type_text(info.dtype, info.shape), info.bytes()};
  }

  // Where a kernel works in place, what it reads ends and what it writes begins at the same step and offset.
  const runtime::FrameBuffer* frame_buffer(int64_t offset, bool written) const {
    const runtime::FrameBuffer* found = nullptr;
    for (const runtime::FrameBuffer& buffer : function_.frame_buffers) {
      if (offset < buffer.offset || offset >= buffer.offset + std::max<int64_t>(buffer.bytes, 1)) continue;
      if (step_ < buffer.first_step || step_ > buffer.last_step) continue;
      const bool better = found == nullptr || (written ? buffer.first_step > found->first_step
                                                       : buffer.first_step < found->first_step);
      if (better) found = &buffer;
    }
    return found;
  }

  const runtime::Plan& plan_;
  const runtime::PlanFunction& function_;
  FunctionGraph graph_;
  std::map<std::string, int> ids_;
  int step_ = 0;
};

void append_callees(const runtime::Plan& plan, int32_t index, std::vector<int32_t>& order) {
  if (std::find(order.begin(), order.end(), index) != order.end()) return;
  order.push_back(index);
  for (const runtime::Step& step : plan.functions[static_cast<size_t>(index)].steps) {
    if (const auto* call = std::get_if<runtime::CallStep>(&step)) append_callees(plan, call->function, order);
    if (const auto* loop = std::get_if<runtime::LoopStep>(&step)) append_callees(plan, loop->function, order);
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
std::string label(const GraphBuffer& buffer) {
  std::string text = buffer.name;
  if (!buffer.type.empty()) text += "\n" + buffer.type;
  if (buffer.bytes > 0) text += "\n" + show_bytes(buffer.bytes);
  return text;
}

std::string label(const GraphStep& step, size_t number) {
  const char* verb = step.kind == GraphStep::Kind::kCall   ? "call "
                     : step.kind == GraphStep::Kind::kLoop ? "loop "
                                                           : "";
  std::string text = std::to_string(number) + ": " + verb + step.what;
  if (!step.note.empty()) text += "\n" + step.note;
  return text;
}

}  // namespace

std::vector<FunctionGraph> plan_graph(const runtime::Plan& plan) {
  std::vector<int32_t> order;
  append_callees(plan, plan.entry, order);
  std::vector<FunctionGraph> graph;
  for (int32_t index : order) {
    graph.push_back(FunctionGrapher(plan, plan.functions[static_cast<size_t>(index)]).run());
  }
  return graph;
}

std::string to_dot(const std::vector<FunctionGraph>& graph, const std::string& name) {
  std::string text = "digraph " + quoted(name) + " {\n  node [fontname=\"monospace\", fontsize=10];\n";
  for (size_t f = 0; f < graph.size(); ++f) {
    const FunctionGraph& function = graph[f];
    const std::string prefix = "f" + std::to_string(f);
    text +=
        "  subgraph cluster_" + std::to_string(f) + " {\n    label=" + quoted("@" + function.name) + ";\n";
    for (size_t b = 0; b < function.buffers.size(); ++b) {
      const bool constant = function.buffers[b].kind == GraphBuffer::Kind::kConstant;
      text += "    " + prefix + "b" + std::to_string(b) + " [label=" + quoted(label(function.buffers[b])) +
              (constant                                                ? ", style=dotted"
               : function.buffers[b].kind == GraphBuffer::Kind::kFrame ? ", style=dashed"
                                                                       : "") +
              "];\n";
    }
    for (size_t s = 0; s < function.steps.size(); ++s) {
      const std::string step = prefix + "s" + std::to_string(s);
      text += "    " + step + " [shape=box, label=" + quoted(label(function.steps[s], s)) + "];\n";
      for (int b : function.steps[s].reads)
        text += "    " + prefix + "b" + std::to_string(b) + " -> " + step + ";\n";
      for (int b : function.steps[s].writes)
        text += "    " + step + " -> " + prefix + "b" + std::to_string(b) + ";\n";
    }
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace ingot::tools
