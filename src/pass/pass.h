// What a pass is, and what it may ask of whoever runs it.
//
// Every rewrite asks the context for leave: may(rule, op). The context counts, logs and limits, so that a
// wrong program can be traced to the one rewrite that broke it. What a pass decides not to do is kept as a
// refusal, with its reason, for reports.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "kernel/candidates.h"
#include "pass/plant.h"

namespace ingot::pass {

// Something that a pass could have done with two operations, or one, and did not.
struct Refusal {
  std::string pass;
  std::string producer, consumer;  // "%name = op"; the consumer may be empty
  std::string reason;
  std::string source;  // where the producer comes from: "file:line by pass from op"
  // Of kernels that stay two: their names, and the value that goes from one to the other or that both read.
  std::string producer_kernel, consumer_kernel, value;
  int64_t bytes = 0;       // of the value that the producer writes, in its place; siblings: that both read
  int64_t bytes_read = 0;  // of it that the consumer reads
  bool siblings = false;   // both read it
  std::string
      read_as;  // the value's name where the consumer's kernel is launched, if that is another function
};

// One line, without its end.
std::string to_string(const Refusal& refusal);
// "400 bytes are written and read again", "400 bytes are written and 40 read again"
std::string bytes_at_stake(const Refusal& refusal);

// Two kernels that stay two.
struct KernelPair {
  const ir::Op &producer, &consumer;
  const ir::Value& value;
  bool siblings;  // both read it
  std::string producer_kernel, consumer_kernel;
  const ir::Value* read_as = nullptr;  // what the consumer knows the value as, if that is another function's
  std::string producer_label = {}, consumer_label = {};  // if not the operations' own
};

// Something that was decided about one operation or function, and that nothing else shows.
struct Note {
  std::string pass;  // or the part of the compiler behind the passes
  std::string about, text;
};

struct PassOptions {
  int64_t max_rewrites = -1;  // over all passes; -1: no limit
  int64_t max_required = -1;  // of those that must be made; a program that lacks some can only be interpreted
  std::map<std::string, int64_t, std::less<>> rule_limits;  // rule, or "pass.rule" -> most rewrites of it
  std::map<std::string, std::string, std::less<>> values;   // "pass.option" -> what the pass makes of it
  std::string plant;  // for tests: the rewrite that is made wrongly (plant.h)
  // Receives a line for every rewrite, besides the log on stderr that INGOT_LOG=passes turns on.
  std::function<void(const std::string&)> log;
};

using RewriteCounts = std::map<std::string, int64_t, std::less<>>;

class PassContext {
 public:
  // Without candidates it has some of its own.
  explicit PassContext(PassOptions options = {}, kernel::Candidates* candidates = nullptr);

  // Leave to apply the named rule. Ask once, when it is sure that the rule applies, and do it if the answer
  // is yes.
  bool may(std::string_view rule, const ir::Op& op);
  bool may(std::string_view rule, const ir::Function& function);

  // Counts and logs a rewrite that is not for discussion: the program could not be compiled without it. The
  // answer is no only where the program is not to be compiled (PassOptions::max_required).
  [[nodiscard]] bool must(std::string_view rule, const ir::Op& op);

  void refuse(const ir::Op& producer, const ir::Op* consumer, std::string reason);
  void refuse(const KernelPair& pair, std::string reason);
  void note(std::string about, std::string text);

  // The option "pass.name" of the pass that is running, or the fallback.
  int64_t option(std::string_view name, int64_t fallback) const;
  std::string option(std::string_view name, std::string_view fallback) const;

  // The kernels that groups of operations would become.
  kernel::Candidates& candidates() { return *candidates_; }

  const std::vector<Refusal>& refusals() const { return refusals_; }
  const std::vector<Note>& notes() const { return notes_; }
  int64_t total_rewrites() const { return total_; }  // those that must be made among them
  int64_t required_rewrites() const { return required_; }

  // For the runner: counts from zero under the new pass's name; returns the counts of the last one.
  RewriteCounts enter(std::string_view pass);
  // For the runner: the pass has ended.
  void leave(ir::Module& module);

 private:
  bool allow(std::string_view rule);
  void count(std::string_view rule);
  bool logs() const { return log_to_stderr_ || options_.log != nullptr; }
  void log(const std::string& line) const;
  const std::string* find_option(std::string_view name) const;

  PassOptions options_;
  std::unique_ptr<kernel::Candidates> own_candidates_;
  kernel::Candidates* candidates_;
  bool log_to_stderr_;
  std::string pass_;
  RewriteCounts counts_;
  RewriteCounts all_counts_;  // by "pass.rule" and by "rule", for the limits
  int64_t total_ = 0, required_ = 0;
  std::unique_ptr<Plant> plant_;  // null: all rewrites are made as they should be
  std::vector<Refusal> refusals_;
  std::vector<Note> notes_;
};

class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  // One sentence: what it does, and why it stands where it stands.
  virtual std::string_view why() const = 0;
  // Whether what follows relies on it, so that it is not left out where a user asks for that.
  virtual bool required() const { return false; }
  // Returns whether it changed anything. The runner verifies the module after every change.
  virtual bool run(ir::Module& module, PassContext& context) = 0;
};

using PassList = std::vector<std::unique_ptr<Pass>>;

// "%name = op", or "op" for operations without results: how reports name an operation.
std::string label(const ir::Op& op);

}  // namespace ingot::pass
