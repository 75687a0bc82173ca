// Which step of a launch plan reads and writes which buffer: the graph between the kernels of a program.
//
// A place in a frame may hold several buffers one after the other, so buffers are told apart by when they
// live.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan.h"

namespace ingot::tools {

struct GraphBuffer {
  enum class Kind { kArgument, kResult, kFrame, kConstant };
  Kind kind = Kind::kFrame;
  std::string name;  // "%x", "result 0", ...
  std::string type;  // "f32[4]"; empty for places in a frame
  int64_t bytes = 0;
};

struct GraphStep {
  enum class Kind { kLaunch, kCopy, kCall, kLoop };
  Kind kind = Kind::kLaunch;
  std::string what;                // the kernel's or the function's name; "copy"
  std::string note;                // "100 times, reverse"
  std::vector<int> reads, writes;  // buffers; in order of the kernel's parameters
};

struct FunctionGraph {
  std::string name;
  std::vector<GraphBuffer> buffers;
  std::vector<GraphStep> steps;
};

// One per function of the plan, the entry first, then callees in the order of their first use.
std::vector<FunctionGraph> plan_graph(const runtime::Plan& plan);

// The graph in Graphviz's language: boxes are steps, ellipses buffers, a cluster is a function.
std::string to_dot(const std::vector<FunctionGraph>& graph, const std::string& name);

}  // namespace ingot::tools
