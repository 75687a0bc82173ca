// The driver: an IR module in, an executable and the story of its making out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ir/deferred_text.h"
#include "ir/ir.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "pass/pass.h"
#include "runtime/executable.h"

namespace ingot::compiler {

struct Options {
  int stop_after_pass = -1;              // run only the first n passes; no executable is made
  int64_t max_rewrites = -1;             // stop rewriting after n rewrites in total (to bisect)
  std::vector<std::string> skip_passes;  // by name
  std::string plant;                     // for tests: a rewrite that is made wrongly (pass/plant.h)
  std::string dump_directory;            // every pass, kernel IR, LLVM IR, assembly, with an index; "" : none
  bool fma_contraction = true;           // may a * b + c round once?
  const backend::Backend* backend = nullptr;  // null: the process's (INGOT_BACKEND)
  std::optional<kernel::Target> target;       // one of the back end's; nothing: its own choice
};

const backend::Backend& backend_of(const Options& options);
kernel::Target target_of(const Options& options);

struct PassReport {
  std::string name;
  double ms = 0;
  bool changed = false;
  int64_t rewrites = 0;
};

struct Compiled {
  std::shared_ptr<const runtime::Executable> executable;
  ir::DeferredText ir_text;  // the program after all passes
  std::vector<PassReport> passes;
  // What passes could have done and did not; of kernels, their names are those in the executable.
  std::vector<pass::Refusal> refusals;
  std::vector<pass::Note> notes;  // of passes, and of the plan
  std::vector<ir::Fate> fates;    // of names that passes took out of the program
  double passes_ms = 0, kernels_ms = 0, codegen_ms = 0, total_ms = 0;
  int kernels_compiled = 0;  // the rest was found in the cache of this process
  int64_t lowerings = 0;     // groups of operations that were lowered: passes ask what they would become
};

// Compiles the entry function. The module is consumed.
Compiled compile(std::unique_ptr<ir::Module> module, const Options& options = {});

}  // namespace ingot::compiler
