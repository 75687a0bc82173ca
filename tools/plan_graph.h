// Which step of a launch plan reads and writes which value: the graph between the kernels of a program.
//
// It is made of values, not of the buffers that they lie in: what is written in the place of a value is
// another one. So every value has one step at most that writes it, and the graph has no cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan.h"

namespace ingot::tools {

struct GraphStep {
  enum class Kind { kLaunch, kCopy, kCall, kLoop, kWhile, kBranch };
  Kind kind = Kind::kLaunch;
  std::string what;  // the kernel's or the function's name, for a branch those of all; "copy"
  std::string note;  // "100 times, reverse", "while main_predicate", "in place: 8 B read, 8 B written;
                     // elements 2 to 3 of %x"
  std::vector<std::string> source_lines = {};
  runtime::MovedBytes moved = {};  // of a launch
};

struct FunctionGraph {
  const runtime::PlanFunction* function;  // its values, buffers, and what its steps read and write
  std::vector<GraphStep> steps;
};

// One per function of the plan, the entry first, then callees in the order of their first use. The plan has
// to outlive it.
std::vector<FunctionGraph> plan_graph(const runtime::Plan& plan);

// What reports say before the name of what a step runs: "launch ", "loop ", ...; nothing for a copy.
std::string_view verb_of(GraphStep::Kind kind);

// The graph in Graphviz's language: boxes are steps, ellipses values, a cluster is a function. Arrows go from
// steps to what they write, from values to who reads them, and, dashed, from a value to one with its bytes.
std::string to_dot(const std::vector<FunctionGraph>& graph, const std::string& name);

}  // namespace ingot::tools
