// Compiled programs are kept until they take more memory than the limit, then those go that were called least
// recently. What stays of a function is its trace, since tracing it again might find other values; it is
// compiled again when it is called.
//
// A call finds its program without a lock and without writing to memory that other threads write to: it tells
// in a word of its own thread since when it runs. A program that is taken out of its slot is freed only when
// all calls that may have found it there have ended. Time is the number of changes of the cache so far; it is
// also what tells which programs were used last, so a call notes its use once between two compilations.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace ingot::detail {

class Program;

// The clock, and what each thread tells. A reader belongs to one thread at a time and is never freed.
struct alignas(64) Reader {
  std::atomic<uint64_t> since{0};  // when the outermost call that is running began; 0: none is
  std::atomic<int64_t> hits{0};    // written by the thread alone
  int depth = 0;                   // of calls inside of calls, by observers of launches
  std::atomic<bool> taken{false};
  Reader* next = nullptr;
};
inline constinit std::atomic<uint64_t> program_clock{1};
inline constinit thread_local Reader* own_reader = nullptr;
Reader& take_reader();  // the thread's first

// Where a program stands while it is kept.
class ProgramSlot {
 public:
  ProgramSlot() = default;
  ~ProgramSlot();  // no call may be looking at it
  ProgramSlot(const ProgramSlot&) = delete;
  ProgramSlot& operator=(const ProgramSlot&) = delete;

  // The program for as long as the caller wants it; null if there is none.
  std::shared_ptr<const Program> share();
  // Puts a program where there was none, and others out if they are too many now. `more_bytes`: of what goes
  // with the program.
  void install(std::shared_ptr<const Program> program, int64_t more_bytes = 0);

 private:
  friend class RunningCall;
  friend struct ProgramCache;
  std::atomic<const Program*> ready_{nullptr};
  std::atomic<uint64_t> last_used_{0};
  // Under the mutex of the cache.
  std::shared_ptr<const Program> owner_;
  int64_t bytes_ = 0;
  size_t place_ = 0;
};

// While it lives, no program that it has found is freed.
class RunningCall {
 public:
  RunningCall() : reader_(own_reader != nullptr ? *own_reader : take_reader()) {
    // Sequentially consistent: whoever takes a program out of its slot sees this, or is seen to have done so.
    if (reader_.depth++ == 0) reader_.since.store(program_clock.load(std::memory_order_acquire));
  }
  ~RunningCall() {
    if (--reader_.depth == 0) reader_.since.store(0, std::memory_order_release);
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  const Program* find(ProgramSlot& slot) const {
    const Program* program = slot.ready_.load();
    if (program == nullptr) return nullptr;
    const uint64_t now = program_clock.load(std::memory_order_relaxed);
    if (slot.last_used_.load(std::memory_order_relaxed) != now)
      slot.last_used_.store(now, std::memory_order_relaxed);
    reader_.hits.store(reader_.hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return program;
  }

 private:
  Reader& reader_;
};

}  // namespace ingot::detail
