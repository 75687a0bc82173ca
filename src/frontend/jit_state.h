// The cache behind one jitted function: an entry for every key that it has been called with. Entries are
// never removed, so a call finds its entry without a lock; their programs may go (program_cache.h). Threads
// that want what one of them is making wait for it, and others do not.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/maker.h"
#include "frontend/program.h"
#include "frontend/program_cache.h"
#include "ingot/jit.h"

namespace ingot::detail {

struct CacheEntry {
  uint64_t hash = 0;
  std::vector<uint64_t> words;
  CacheEntry* next = nullptr;
  Description description;  // what the words mean
  std::vector<uint32_t> argument_starts;
  std::vector<const ArrayType*> types;  // of the leaves

  Maker maker;  // of what follows
  std::shared_ptr<const TracedFunction> traced;
  uint64_t traced_in = 0;  // TraceFrame::trace of the call; 0 outside of one
  // What the program was first made of: made again, it is the same.
  std::shared_ptr<const TracedFunction> compiled_from;
  ProgramSlot program;

  bool matches(const Signature& signature) const;
};

class JitState : public std::enable_shared_from_this<JitState> {
 public:
  JitState(std::string name, JitOptions options, const std::source_location& where, Retrace retrace)
      : name_(std::move(name)), options_(std::move(options)), where_(where), retrace_(retrace) {}
  ~JitState();

  CacheEntry* find(const Signature& signature) const;
  // The entry, made if there is none.
  CacheEntry& entry(const Signature& signature, const Callable& callable);

  // The traced function of an entry. `outer`: what it may capture from; null for a program of its own.
  // `where`: the line of the call; line 0 if unknown.
  std::shared_ptr<const TracedFunction> traced(CacheEntry& entry, const Callable& callable, TraceFrame* outer,
                                               const std::source_location& where);
  std::shared_ptr<const Program> program(CacheEntry& entry, const Callable& callable,
                                         const std::source_location& where);
  // The same without the user's function: for an entry that has been traced.
  std::shared_ptr<const Program> program(CacheEntry& entry, std::shared_ptr<const TracedFunction> traced);

  // A trace of its own, which no entry keeps.
  std::shared_ptr<const TracedFunction> trace_anew(const Signature& signature, const Callable& callable);
  // Tells once, on stderr, where traces of the same types have become many programs.
  void note_program(const KeptProgram* program);
  // Whether it is traced for each program that it is part of, and for each call outside of one.
  bool traces_each_call() const { return retrace_ == Retrace::kAtEachCall; }

  // The leaves that a call gives away. Throws where one is asked for that there is not.
  std::vector<int> donated_leaves(const CacheEntry& entry) const;

  const std::string& name() const { return name_; }
  // The line that made it, the first one of several; line 0 if unknown.
  const std::source_location& where() const { return where_; }
  int64_t trace_count() const { return traces_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<const TracedFunction> trace(const CacheEntry& entry, const Callable& callable,
                                              TraceFrame* outer);
  std::shared_ptr<const TracedFunction> traced_locked(CacheEntry& entry, const Callable& callable,
                                                      TraceFrame* outer);
  std::shared_ptr<const Program> program_locked(CacheEntry& entry,
                                                std::shared_ptr<const TracedFunction> traced);
  std::string why_missed(const CacheEntry& entry) const;
  // What to say of a function that has been traced so often, if a static value is the reason; empty
  // otherwise.
  std::string many_traces() const;

  static constexpr size_t kBuckets = 64;
  std::string name_;
  JitOptions options_;
  std::source_location where_;
  Retrace retrace_;
  std::array<std::atomic<CacheEntry*>, kBuckets> buckets_{};
  std::mutex mutex_;  // over adding entries
  std::vector<std::unique_ptr<CacheEntry>> entries_;
  // Under the mutex: the programs of traces that no entry keeps, until there are so many that it is told.
  std::set<const KeptProgram*> programs_;
  bool told_programs_ = false;
  std::atomic<int64_t> traces_{0};
};

}  // namespace ingot::detail
