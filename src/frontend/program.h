// A traced function made ready to run: its module compiled, its results allocated and its donations done by
// run().
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/maker.h"
#include "compiler/compiler.h"
#include "frontend/link.h"
#include "frontend/program_cache.h"
#include "frontend/signature.h"
#include "frontend/trace.h"
#include "ingot/jit.h"

namespace ingot::detail {

// A copy of the function's module, with these arguments donated: what is compiled or, with all rules,
// printed.
std::unique_ptr<ir::Module> donating_module(const TracedFunction& traced, const std::vector<int>& donated,
                                            Rules rules = Rules::kLeftOut);

class Program {
 public:
  // `donated` holds the positions of donated arguments. With `interpret` nothing is compiled.
  Program(std::shared_ptr<const TracedFunction> traced, const std::vector<int>& donated, bool interpret);

  // Runs it for these arguments and the given captured arrays. `where` is the line of the call.
  void run(std::span<const Leaf> arguments, std::span<const Array> captures,
           const std::source_location& where, ResultArrays& results) const;
  void run(std::span<const Leaf> arguments, const std::source_location& where, ResultArrays& results) const {
    run(arguments, traced_->captures, where, results);
  }

  // The same in memory of the caller's: elements of the arguments, captured ones behind them, and of the
  // results, at addresses that are multiples of 64.
  void run_at(std::span<const void* const> arguments, std::span<void* const> results,
              const std::source_location& where) const;

  const TracedFunction& traced() const { return *traced_; }
  const compiler::Compiled& compiled() const { return compiled_; }
  const std::vector<int>& donated() const { return donated_; }
  int64_t bytes() const;  // that it takes, about, without its kernels and its trace

 private:
  void execute(std::span<const void* const> arguments, std::span<void* const> results) const;
  [[noreturn]] void rethrow(const std::source_location& where) const;
  void interpret(std::span<const void* const> arguments, std::span<void* const> results) const;
  void check_donations(std::span<const Leaf> arguments, std::span<const Array> captures,
                       const std::source_location& where) const;
  std::shared_ptr<runtime::Buffer> result_buffer(size_t result, std::span<const Leaf> arguments,
                                                 const std::source_location& where) const;
  void finish_donations(std::span<const Leaf> arguments) const;

  std::shared_ptr<const TracedFunction> traced_;
  compiler::Compiled compiled_;
  std::vector<int> donated_;
  std::vector<int> alias_;  // of each result: the argument whose memory it may take, or -1
  const char* name_;        // of the function, to be kept by donated arrays
  const char* label_;       // of result buffers, in out-of-memory errors
};

// What a program is as it was traced, with donations, and with captured arrays as constants: a program of its
// own.
struct ProgramAccess {
  static std::unique_ptr<ir::Module> module(const Lowered& lowered);
  static std::unique_ptr<ir::Module> module(const Compiled& compiled);
};

// Runs a traced function for these arguments, or records a call of it where a trace is going on. For
// functions without an identity to cache by: what the function became is the key.
std::vector<Array> run_or_record(const std::shared_ptr<const TracedFunction>& traced,
                                 const std::vector<Array>& arguments, const std::source_location& where);

// The same for a function that can be made again at any time, since it comes from a file and not from the
// user's lambda, which might find other values. The cache of programs keeps it: where its program goes the
// function goes too, unless others that call it hold it, and both are made again by the next call. With this
// object all of it goes.
class RemadeFunction {
 public:
  // Whether somebody holds the function beside the cache: its bytes are then not among those that the program
  // takes there.
  explicit RemadeFunction(bool held = false) : held_(held) {}
  using Make = std::function<std::shared_ptr<const TracedFunction>()>;
  std::vector<Array> run_or_record(const Make& make, const std::vector<Array>& arguments,
                                   const std::source_location& where);
  bool gone() const;  // nobody holds it

 private:
  std::shared_ptr<const TracedFunction> traced(const Make& make);  // under the maker

  bool held_;
  Maker maker_;
  mutable std::mutex mutex_;
  std::weak_ptr<const TracedFunction> traced_;  // under the mutex
  ProgramSlot slot_;
};

}  // namespace ingot::detail
