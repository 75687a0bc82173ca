// ingot kernels: what a program became. Its kernels, the plan that launches them, the graph between them, and
// the fusions that were not made.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "backend/backend.h"
#include "base/extents.h"
#include "base/source_lines.h"
#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "compiler/plan_builder.h"
#include "pass/runner.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/numbers.h"
#include "tools/plan_graph.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

struct KernelsOptions {
  ProgramOptions program;
  std::string dump_directory;
  bool ir = false, plan = false, graph = false, why = false, json = false;
};

// The loop nests of a program as they come from the passes, and with the schedule for this machine.
struct LoopNest {
  uint64_t hash;
  std::string before, after;
};

std::vector<LoopNest> loop_nests(ir::Module& module) {
  pass::PassContext context;
  pass::run_passes(module, compiler::pipeline(), context);
  const backend::Backend& backend = backend::chosen_backend();
  std::vector<LoopNest> nests;
  std::set<std::string> seen;  // by their canonical forms
  for (compiler::PlannedKernel& planned : compiler::plan_kernels(module, context.candidates())) {
    if (!seen.insert(planned.form).second) continue;
    std::string before = kernel::to_string(planned.kernel);
    nests.push_back({planned.hash, std::move(before),
                     kernel::to_string(backend.schedule(std::move(planned.kernel), backend.target()))});
  }
  return nests;
}

void print_nests(std::ostream& out, ir::Module& module) {
  for (const LoopNest& nest : loop_nests(module)) {
    out << "// " << show_hash(nest.hash) << " as it comes from the passes\n" << nest.before;
    out << "\n// " << show_hash(nest.hash) << " with its schedule for this machine\n" << nest.after << "\n";
  }
}

void print_kernels(std::ostream& out, const runtime::Executable& executable) {
  for (const auto& kernel : executable.kernels()) {
    out << "kernel " << kernel->name << " " << show_hash(kernel->hash) << " (" << kernel->kind << ")\n";
    for (const runtime::ParameterInfo& parameter : kernel->parameters) {
      out << (parameter.is_output ? "  out " : "  in  ") << type_text(parameter) << "\n";
    }
    const runtime::MovedBytes moved = moved_bytes(executable.plan(), *kernel);
    out << "  " << show_bytes(moved.read) << " read, " << show_bytes(moved.written) << " written, "
        << (kernel->counts_flops() ? show_count(kernel->flops) + " flops, " : "") << kernel->units
        << (kernel->units == 1 ? " unit" : " units");
    if (kernel->scratch_bytes > 0)
      out << ", " << show_bytes(static_cast<int64_t>(kernel->scratch_bytes)) << " scratch per thread";
    out << "\n";
    if (!kernel->source_lines.empty()) out << "  " << from_lines(kernel->source_lines) << "\n";
  }
}

// What is said of where a value comes from is said where it is written.
std::string names(const runtime::PlanFunction& function, const std::vector<int32_t>& values, bool brief) {
  std::string text;
  for (int32_t number : values) {
    const runtime::PlanValue& value = function.values[static_cast<size_t>(number)];
    const bool same_bytes = value.kind == runtime::PlanValue::Kind::kSameBytes;
    text += (text.empty() ? "" : ", ") + describe(value, function, brief && !same_bytes);
  }
  return text.empty() ? "nothing" : text;
}

void print_launches(std::ostream& out, const std::vector<FunctionGraph>& graph) {
  for (const FunctionGraph& one : graph) {
    const runtime::PlanFunction& function = *one.function;
    out << "launches of @" << function.name << "\n";
    for (size_t i = 0; i < one.steps.size(); ++i) {
      const GraphStep& step = one.steps[i];
      const runtime::StepValues& values = function.step_values[i];
      out << "  " << i << ": " << verb_of(step.kind) << step.what
          << (step.note.empty() ? "" : " (" + step.note + ")") << " reads "
          << names(function, values.reads, true) << "; writes " << names(function, values.writes, false)
          << (step.source_lines.empty() ? "" : "; " + from_lines(step.source_lines)) << "\n";
    }
  }
}

const char* kind_text(runtime::PlanValue::Kind kind) {
  using Kind = runtime::PlanValue::Kind;
  switch (kind) {
    case Kind::kOwn:
      return "of";
    case Kind::kInPlace:
      return "in_place_of";
    case Kind::kMayBeInPlace:
      return "in_place_of_donated";
    case Kind::kSameBytes:
      return "bytes_of";
    case Kind::kCopy:
      return "copy_of";
  }
  throw InternalError("unknown kind of value");
}

// Steps name values, and values buffers and each other, by number.
Json graph_json(const FunctionGraph& graph) {
  static constexpr const char* kStepKinds[] = {"launch", "copy", "call", "loop", "while", "branch"};
  const runtime::PlanFunction& function = *graph.function;
  Json json{{"name", function.name},
            {"frame_bytes", function.frame_bytes},
            {"buffers", Json::array()},
            {"values", Json::array()},
            {"steps", Json::array()}};
  for (const runtime::FrameBuffer& buffer : function.frame_buffers) {
    json["buffers"].push_back({{"purpose", buffer.purpose.empty() ? "values" : buffer.purpose},
                               {"offset", buffer.offset},
                               {"bytes", buffer.bytes},
                               {"first_step", buffer.first_step},
                               {"last_step", buffer.last_step}});
  }
  for (const runtime::PlanValue& value : function.values) {
    json["values"].push_back({{"name", value.name},
                              {"type", type_text(value.dtype, value.shape)},
                              {"bytes", value.bytes},
                              {"location", runtime::to_string(value.location)},
                              {"first_step", value.first_step},
                              {"last_step", value.last_step}});
    Json& entry = json["values"].back();
    if (!value.order.empty()) entry["order"] = value.order;
    if (value.buffer >= 0) entry["buffer"] = value.buffer;
    if (value.of >= 0) entry[kind_text(value.kind)] = value.of;
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const GraphStep& step = graph.steps[i];
    json["steps"].push_back({{"kind", kStepKinds[static_cast<int>(step.kind)]},
                             {"what", step.what},
                             {"note", step.note},
                             {"reads", function.step_values[i].reads},
                             {"writes", function.step_values[i].writes}});
    if (step.kind != GraphStep::Kind::kLaunch) continue;
    json["steps"].back()["source"] = step.source_lines;
    json["steps"].back()["bytes_read"] = step.moved.read;
    json["steps"].back()["bytes_written"] = step.moved.written;
  }
  return json;
}

void print_json(std::ostream& out, const compiler::Compiled& compiled,
                const std::vector<FunctionGraph>& graph, const std::vector<LoopNest>& nests) {
  const runtime::Executable& executable = *compiled.executable;
  Json report;
  report["kernels"] = tools::json_of(executable);
  report["peak_bytes"] = executable.peak_bytes();
  report["frame_bytes"] = executable.frame_bytes();
  report["launches"] = executable.launch_count();
  report["copies"] = executable.copy_count() + executable.copy_launch_count();  // in all
  report["copy_launches"] = executable.copy_launch_count();                     // of them, as kernels
  report["counts_are_least"] = executable.counts_are_least();
  report["refusals"] = tools::json_of(compiled.refusals);
  report["notes"] = tools::json_of(compiled.notes);
  for (const ir::Fate& fate : compiled.fates) {
    report["names"].push_back({{"function", fate.function},
                               {"name", fate.name},
                               {"replaced_by", fate.replaced_by},
                               {"pass", fate.pass}});
  }
  report["functions"] = Json::array();
  for (const FunctionGraph& function : graph) report["functions"].push_back(graph_json(function));
  for (const LoopNest& nest : nests) {
    report["loop_nests"].push_back(
        {{"hash", show_hash(nest.hash)}, {"before", nest.before}, {"after", nest.after}});
  }
  out << json_text(report) << "\n";
}

// Steps of the plan that copy, and launches of kernels that do nothing else.
std::string copies_text(const runtime::Executable& executable) {
  const int64_t steps = executable.copy_count(), launches = executable.copy_launch_count();
  const int64_t copies = add_extents(steps, launches);
  std::string text = std::to_string(copies) + (copies == 1 ? " copy" : " copies");
  if (launches == 0) return text;
  std::string kernels;
  for (const auto& kernel : executable.kernels()) {
    if (kernel->kind == "copy") kernels += (kernels.empty() ? "" : ", ") + kernel->name;
  }
  return text + " (" + std::to_string(launches) + (launches == 1 ? " launch of " : " launches of ") +
         kernels + (steps > 0 ? ", " + std::to_string(steps) + " by the plan" : "") + ")";
}

void show_kernels(const KernelsOptions& options, const Streams& streams) {
  if (options.json && options.graph)
    throw Error("kernels: --json and --graph exclude each other; the JSON holds the graph");
  if (options.graph && (options.ir || options.why || options.plan))
    throw Error("kernels: --graph prints a file for Graphviz, which --ir, --why and --plan would spoil");
  Program program = read_program(options.program, streams.in);
  std::unique_ptr<ir::Module> again;  // compile() consumes the module
  if (options.ir) again = ir::clone(*program.module);
  const std::string name = program.module->entry()->name();
  compiler::Options compile_options;
  compile_options.dump_directory = options.dump_directory;
  const compiler::Compiled compiled = compiler::compile(std::move(program.module), compile_options);
  const runtime::Executable& executable = *compiled.executable;
  const std::vector<FunctionGraph> graph = plan_graph(executable.plan());
  if (options.json) {
    print_json(streams.out, compiled, graph, options.ir ? loop_nests(*again) : std::vector<LoopNest>());
    return;
  }
  if (options.graph) {
    streams.out << to_dot(graph, name);
    return;
  }
  if (options.ir) print_nests(streams.out, *again);
  if (options.why) show_why(streams.out, compiled);
  if ((options.ir || options.why) && !options.plan) return;
  print_kernels(streams.out, executable);
  print_launches(streams.out, graph);
  if (options.plan) streams.out << runtime::to_string(executable);
  const bool scratch = std::any_of(executable.kernels().begin(), executable.kernels().end(),
                                   [](const auto& kernel) { return kernel->scratch_bytes > 0; });
  const auto counted = [](int64_t count, const std::string& what, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? what : many);
  };
  streams.out << counted(static_cast<int64_t>(executable.kernels().size()), "kernel", "kernels") << ", "
              << (executable.counts_are_least() ? "at least " : "")
              << counted(executable.launch_count(), "launch", "launches") << ", " << copies_text(executable)
              << ", " << show_bytes(executable.peak_bytes()) << " in all"
              << (scratch ? ", with the scratch of one thread, " : ", ")
              << counted(static_cast<int64_t>(compiled.refusals.size()), "refused fusion", "refused fusions")
              << " (--why)\n";
}

}  // namespace

void add_kernels(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<KernelsOptions>();
  CLI::App* command =
      app.add_subcommand("kernels", "show the kernels of a program and how they are launched");
  add_program_options(*command, options->program)->required();
  command->add_flag("--ir", options->ir, "print the loop nests, before and after their schedule");
  command->add_flag("--plan", options->plan, "print the whole plan too: offsets and lifetimes of buffers");
  command->add_flag("--graph", options->graph, "print what reads and writes what, as a Graphviz graph");
  command->add_flag("--why", options->why,
                    "print the fusions that were not made, and why, and what passes decided");
  command->add_flag("--json", options->json, "print all of it as one JSON object; loop nests with --ir");
  command
      ->add_option("--dump", options->dump_directory,
                   "write every pass, kernel, LLVM IR and assembly into this folder, with an index.md")
      ->check(path_given());
  command->callback([options, &streams] { show_kernels(*options, streams); });
}

}  // namespace ingot::tools
