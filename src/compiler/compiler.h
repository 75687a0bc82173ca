// The driver: an IR module in, an executable and the story of its making out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ir/ir.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
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

// Something that a pass could have done with one or two operations and did not. Where it is two kernels that
// stay two: their names as in the list of kernels, and the value that travels between them.
struct FusionRefusal {
  std::string pass;
  std::string producer, consumer;  // "%name = op"
  std::string producer_kernel, consumer_kernel, value;
  int64_t bytes = 0;       // of the value that the producer writes, in its place; siblings: that both read
  int64_t bytes_read = 0;  // of it that the consumer reads
  bool siblings = false;   // both read it
  std::string reason;
  std::string source;        // the producer's line
  std::string read_as = {};  // what the value is called where the consumer's kernel is launched
};
// One line, without its end.
std::string to_string(const FusionRefusal& refusal);
// "400 bytes are written and read again", "400 bytes are written and 40 read again"
std::string bytes_at_stake(const FusionRefusal& refusal);

// Something that a pass, or the plan, has decided and that nothing else shows.
struct PassNote {
  std::string pass, about, text;
};

struct Compiled {
  std::shared_ptr<const runtime::Executable> executable;
  std::string ir_text;  // the program after all passes
  std::vector<PassReport> passes;
  std::vector<FusionRefusal> refusals;
  std::vector<PassNote> notes;
  std::vector<ir::Fate> fates;  // of names that passes took out of the program
  double passes_ms = 0, kernels_ms = 0, codegen_ms = 0, total_ms = 0;
  int kernels_compiled = 0;  // the rest was found in the cache of this process
  int64_t lowerings = 0;     // groups of operations that were lowered: passes ask what they would become
};

// Compiles the entry function. The module is consumed.
Compiled compile(std::unique_ptr<ir::Module> module, const Options& options = {});

}  // namespace ingot::compiler
