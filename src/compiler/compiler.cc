#include "compiler/compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "base/float_environment.h"
#include "base/fork.h"
#include "base/options.h"
#include "base/stop.h"
#include "compiler/donations.h"
#include "compiler/dump.h"
#include "compiler/pipeline.h"
#include "compiler/plan_builder.h"
#include "ingot/error.h"
#include "ir/builder.h"
#include "ir/depth.h"
#include "ir/text.h"
#include "ir/text_cursor.h"
#include "ops/control.h"
#include "pass/call_graph.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::compiler {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Kernels are made by passes that cannot be left out.
bool can_be_skipped(const pass::PassEntry& entry) {
  return entry.name != "fuse" && entry.name != "forget_derivatives" && !entry.make()->required();
}

void want_passes_to_skip(const std::vector<std::string>& names) {
  const auto all = pass::all_passes();
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const pass::PassEntry& entry) { return entry.name == name; });
    if (found != all.end() && can_be_skipped(*found)) continue;
    if (found != all.end())
      throw Error("INGOT_SKIP_PASSES: '" + name + "' cannot be left out: kernels are made of what it leaves");
    std::vector<std::string_view> known;
    for (const pass::PassEntry& entry : all) {
      if (can_be_skipped(entry)) known.push_back(entry.name);
    }
    std::string message = "INGOT_SKIP_PASSES: there is no pass called '" + name + "'";
    const std::string_view near = ir::nearest_word(name, known);
    if (!near.empty()) throw Error(message + "; did you mean '" + std::string(near) + "'?");
    message += "; those that can be left out are";
    for (const std::string_view candidate : known) message += " " + std::string(candidate);
    throw Error(message);
  }
}

[[maybe_unused]] const bool checks_names = (check_skipped_passes(want_passes_to_skip), true);

// Those of the caller and those of the process.
std::vector<std::string> passes_to_skip(const Options& options) {
  std::vector<std::string> skipped = ingot::Options::global().skipped_passes();
  want_passes_to_skip(skipped);  // read before the check was there, maybe
  skipped.insert(skipped.end(), options.skip_passes.begin(), options.skip_passes.end());
  return skipped;
}

// What the entry calls must not depend on a batch that is not there, and must be known forwards.
void want_what_can_run(const ir::Module& module) {
  for (const ir::Value* result : module.entry()->body().results()) {
    if (result->op() == nullptr || !ops::stored_order(*result)) continue;
    ir::fail_at(*result->op(),
                Error("%" + result->name() + " has an order in memory, but is a result of @" +
                      module.entry()->name() +
                      ", and those are handed out row by row; transpose it, or leave the order out"));
  }
  for (ir::Function* function : pass::CallGraph(module).reachable_from(module.entry())) {
    ir::walk(function->body(), [](ir::Op& op) {
      if (const auto linear = ops::as<ops::LinearCallOp>(op)) linear->fail_forwards();
      if (!std::holds_alternative<ir::Collective>(*op.record().becomes)) return;
      ir::fail_at(op,
                  Error("there is no batch axis called '" + op.attributes().get<std::string>("axis_name") +
                        "' for %" + op.result()->name() + " of @" + op.function()->name() +
                        "; only a function that is mapped over one of that name can use it"));
    });
  }
}

void run_pipeline(ir::Module& module, const Options& options, kernel::Candidates& candidates, Dump& dump,
                  Compiled& compiled) {
  pass::PassOptions pass_options;
  pass_options.max_rewrites = options.max_rewrites;
  pass_options.plant = options.plant;
  pass::PassContext context(pass_options, &candidates);
  pass::RunnerOptions runner;
  runner.stop_after = options.stop_after_pass;
  runner.skip = passes_to_skip(options);
  if (dump.wanted()) {
    runner.dump = [&](int index, std::string_view name, const ir::Module& m) { dump.pass(index, name, m); };
  }
  for (const pass::PassResult& result : pass::run_passes(module, pipeline(), context, runner)) {
    compiled.passes.push_back({result.name, result.ms, result.changed, result.total_rewrites()});
  }
  for (const pass::Refusal& r : context.refusals()) {
    if (r.pass == "inline") continue;  // what is lost where a call stays, fuse tells of the kernels around it
    compiled.refusals.push_back(r);
  }
  compiled.notes = context.notes();
  compiled.fates = module.fates();
}

// Kernels of equal structure are one, which has the name of the first; and those of functions that have
// become others are gone.
void name_kernels(std::vector<pass::Refusal>& refusals, const std::vector<PlannedKernel>& planned,
                  const std::vector<std::shared_ptr<const CachedKernel>>& compiled,
                  const runtime::Plan& plan) {
  std::map<const void*, std::string> by_code;  // a hash may be that of two kernels
  for (const auto& kernel : plan.kernels) by_code.emplace(kernel->code.get(), kernel->name);
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < planned.size(); ++i) {
    if (const auto it = by_code.find(compiled[i]->code.memory.get()); it != by_code.end())
      names.emplace(kernel_name(*planned[i].op), it->second);
  }
  std::erase_if(refusals, [&](pass::Refusal& refusal) {
    for (std::string* name : {&refusal.producer_kernel, &refusal.consumer_kernel}) {
      if (name->empty()) continue;
      const auto it = names.find(*name);
      if (it == names.end()) return true;
      *name = it->second;
    }
    return false;
  });
}

// What launches load or store of values, by the names of kernels and values; of several launches of one name
// what the first one does.
class MovedByName {
 public:
  explicit MovedByName(const runtime::Plan& plan) {
    for (const runtime::PlanFunction& function : plan.functions) {
      for (size_t s = 0; s < function.steps.size(); ++s) {
        const auto* launch = std::get_if<runtime::LaunchStep>(&function.steps[s]);
        if (launch == nullptr) continue;
        const runtime::CompiledKernel& kernel = *plan.kernels[static_cast<size_t>(launch->kernel)];
        const runtime::StepValues& at = function.step_values[s];
        for (size_t i = 0; i < at.reads.size(); ++i) add(function, *launch, kernel, at.reads[i], i, false);
        for (size_t i = 0; i < at.writes.size(); ++i)
          add(function, *launch, kernel, at.writes[i], at.reads.size() + i, true);
      }
    }
  }

  // `value` with its %; nothing if no launch has such a parameter.
  std::optional<int64_t> of(const std::string& kernel, const std::string& value, bool written) const {
    const auto found = bytes_.find(key(kernel, value, written));
    return found == bytes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::string key(const std::string& kernel, const std::string& value, bool written) {
    return kernel + (written ? " writes " : " reads ") + value;
  }

  void add(const runtime::PlanFunction& function, const runtime::LaunchStep& launch,
           const runtime::CompiledKernel& kernel, int32_t value, size_t parameter, bool written) {
    if (parameter >= kernel.parameters.size()) return;
    int64_t bytes = kernel.parameters[parameter].moved_bytes;
    for (const runtime::CopiedOutput& copied : kernel.copied_first) {
      if ((written ? copied.output : copied.input) == static_cast<int32_t>(parameter) &&
          in_place(copied, function, launch))
        bytes -= written ? copied.bytes_written : copied.bytes_read;
    }
    bytes_.emplace(key(kernel.name, "%" + function.values[static_cast<size_t>(value)].name, written), bytes);
  }

  std::unordered_map<std::string, int64_t> bytes_;
};

// At stake is what kernels load and store, not what a value holds.
void count_bytes(std::vector<pass::Refusal>& refusals, const runtime::Plan& plan) {
  if (refusals.empty()) return;
  const MovedByName moved(plan);
  for (pass::Refusal& refusal : refusals) {
    if (refusal.value.empty()) continue;
    const auto first = moved.of(refusal.producer_kernel, refusal.value, !refusal.siblings);
    const auto second = moved.of(refusal.consumer_kernel, refusal.read_as, false);
    if (first) refusal.bytes = *first;
    if (second) refusal.bytes_read = *second;
    if (refusal.siblings) refusal.bytes = refusal.bytes_read = std::min(refusal.bytes, refusal.bytes_read);
  }
}

void log_times(const Compiled& c) {
  std::fprintf(
      stderr,
      "ingot: %s: compiled in %.2f ms (passes %.2f, kernels %.2f, codegen %.2f): %zu kernel(s), %d of "
      "them new, %lld group(s) lowered\n",
      c.executable->name().c_str(), c.total_ms, c.passes_ms, c.kernels_ms, c.codegen_ms,
      c.executable->kernels().size(), c.kernels_compiled, static_cast<long long>(c.lowerings));
  for (const pass::Note& note : c.notes) {
    if (note.pass == "donation")
      std::fprintf(stderr, "ingot: %s: %s %s\n", c.executable->name().c_str(), note.about.c_str(),
                   note.text.c_str());
  }
}

}  // namespace

const backend::Backend& backend_of(const Options& options) {
  return options.backend != nullptr ? *options.backend : backend::chosen_backend();
}

kernel::Target target_of(const Options& options) {
  if (options.target) return *options.target;
  const ForkSection section;  // asks the system, the first time
  return backend_of(options).target();
}

Compiled compile(std::unique_ptr<ir::Module> module, const Options& options) {
  const FloatEnvironment environment;  // constants are folded; threads that help begin with this one's
  const WithoutStop unending;
  const Clock::time_point start = Clock::now();
  check(module->entry() != nullptr, "compile: the module has no function");
  ir::want_stack(*module);
  want_what_can_run(*module);
  Compiled compiled;
  Dump dump(options.dump_directory);
  kernel::Candidates candidates;
  run_pipeline(*module, options, candidates, dump, compiled);
  compiled.passes_ms = ms_since(start);
  compiled.ir_text = ir::DeferredText(*module);
  if (options.stop_after_pass >= 0) {
    compiled.total_ms = ms_since(start);
    return compiled;
  }

  const Clock::time_point kernels_start = Clock::now();
  std::vector<PlannedKernel> planned = plan_kernels(*module, candidates);
  std::vector<KernelRequest> requests;
  std::vector<kernel::Kernel> unscheduled;  // for the dump
  std::unordered_map<const ir::Op*, Implementation> implementations;
  for (PlannedKernel& kernel : planned) {
    implementations[kernel.op].input_starts = kernel.kernel.input_starts;
    if (dump.wanted()) unscheduled.push_back(kernel.kernel);
    requests.push_back({kernel.hash, std::move(kernel.form), std::move(kernel.kernel)});
  }
  compiled.lowerings = candidates.lowerings();
  const double lowering_ms = ms_since(kernels_start);
  CacheAnswer answer =
      find_or_compile(std::move(requests), backend_of(options), target_of(options),
                      {.fma_contraction = options.fma_contraction, .keep_text = dump.wanted()});
  compiled.kernels_ms = lowering_ms + answer.schedule_ms;
  compiled.codegen_ms = answer.codegen_ms;
  compiled.kernels_compiled = answer.compiled;
  const PlannedRoutines routines = plan_routines(*module, options);
  for (size_t i = 0; i < planned.size(); ++i) {
    implementations[planned[i].op].kernel = answer.kernels[i];
    if (dump.wanted()) dump.kernel(unscheduled[i], *answer.kernels[i]);
  }
  {
    const ForkSection section;
    std::vector<pass::Note> notes;
    compiled.executable = std::make_shared<runtime::Executable>(
        build_plan(*module, implementations, routines, backend_of(options), &notes));
    compiled.notes.insert(compiled.notes.end(), notes.begin(), notes.end());
  }
  name_kernels(compiled.refusals, planned, answer.kernels, compiled.executable->plan());
  count_bytes(compiled.refusals, compiled.executable->plan());
  compiled.total_ms = ms_since(start);
  if (logs(LogTopic::kCompile)) log_times(compiled);
  dump.finish(compiled);
  return compiled;
}

}  // namespace ingot::compiler
