// A job is cut into chunks, and a chunk belongs to whoever takes it from the job's ticket: one 64-bit word
// that holds the job's epoch and the number of chunks not yet taken. A compare-and-swap on it that succeeds
// proves that the job read before is still the one that is open, so a worker may come as late as it likes: it
// finds nothing to take, or another job, and in either case has touched nothing but the pool's own memory.
// The caller waits for taken chunks only.
#include "runtime/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/float_environment.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/options.h"

namespace ingot::runtime {
namespace {

thread_local constinit bool inside_range = false;

// A waiting thread spins, then also yields (on a busy machine the thread that it waits for may want its
// processor), then sleeps.
constexpr auto kSpinAloneTime = std::chrono::microseconds(10);
constexpr auto kSpinTime = std::chrono::microseconds(50);
constexpr int kPausesPerClockRead = 32;
constexpr int64_t kMostChunks = int64_t{1} << 29;

// Spins until done() or the spin time is over; the last value of done().
template <class Done>
bool spin_until(Done&& done) {
  auto start = std::chrono::steady_clock::now();
  for (;;) {
    for (int i = 0; i < kPausesPerClockRead; ++i) {
      if (done()) return true;
      spin_pause();
    }
    auto waited = std::chrono::steady_clock::now() - start;
    if (waited > kSpinTime) return done();
    if (waited > kSpinAloneTime) std::this_thread::yield();
  }
}

struct Work {
  RangeFunction fn = nullptr;
  void* context = nullptr;
  int64_t units = 0;
  Grain grain{1};
  uint32_t whole_chunks = 0, chunks = 0;

  int64_t begin_of(int64_t chunk) const {
    const int64_t whole = std::min<int64_t>(chunk, whole_chunks);
    return std::min(units, whole * grain.whole + (chunk - whole) * grain.least);
  }
};

Work cut(int64_t units, Grain grain, int64_t threads) {
  grain.least = std::max({grain.least, int64_t{1}, (units - 1) / kMostChunks + 1});
  grain.whole = (std::max(grain.whole, grain.least) - 1 + grain.least) / grain.least * grain.least;
  const int64_t chunks = (units - 1) / grain.whole + 1;
  const int64_t whole = grain.whole == grain.least ? 0 : std::max<int64_t>(0, chunks - 2 * threads);
  const int64_t rest = units - whole * grain.whole;
  Work work;
  work.units = units;
  work.grain = grain;
  work.whole_chunks = static_cast<uint32_t>(whole);
  work.chunks = static_cast<uint32_t>(whole + (rest - 1) / grain.least + 1);
  return work;
}

class Job {
 public:
  bool try_own() {
    return !owned_.load(std::memory_order_relaxed) && !owned_.exchange(true, std::memory_order_acquire);
  }
  void disown() { owned_.store(false, std::memory_order_release); }

  // The owner opens the job. No chunk of the last job is left, so nobody else writes now, and a reader that
  // sees half of the new description fails at the ticket.
  void open(const Work& work) {
    fn_.store(work.fn, std::memory_order_relaxed);
    context_.store(work.context, std::memory_order_relaxed);
    units_.store(work.units, std::memory_order_relaxed);
    whole_grain_.store(work.grain.whole, std::memory_order_relaxed);
    least_grain_.store(work.grain.least, std::memory_order_relaxed);
    whole_chunks_.store(work.whole_chunks, std::memory_order_relaxed);
    chunks_.store(work.chunks, std::memory_order_relaxed);
    finished_.store(0, std::memory_order_relaxed);
    uint64_t epoch = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    ticket_.store(epoch << 32 | (work.chunks - 1), std::memory_order_release);
  }

  bool is_open() const { return static_cast<uint32_t>(ticket_.load(std::memory_order_relaxed)) != 0; }

  uint32_t run_first(const Work& work) { return run_chunk(work, 0); }

  // Takes a chunk and runs it. Returns how many chunks that finished: 0 where none was left, more than 1
  // where the chunk threw and the rest was dropped.
  uint32_t run_one() {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    for (;;) {
      uint32_t left = static_cast<uint32_t>(ticket);
      if (left == 0) return 0;
      Work work{fn_.load(std::memory_order_relaxed),
                context_.load(std::memory_order_relaxed),
                units_.load(std::memory_order_relaxed),
                {whole_grain_.load(std::memory_order_relaxed), least_grain_.load(std::memory_order_relaxed)},
                whole_chunks_.load(std::memory_order_relaxed),
                chunks_.load(std::memory_order_relaxed)};
      // acq_rel keeps the loads above before the swap, on which their validity rests.
      if (ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire))
        return run_chunk(work, work.chunks - left);
    }
  }

  // A worker reports chunks; the owner counts its own and does not.
  void report(uint32_t chunks) {
    finished_.fetch_add(chunks, std::memory_order_seq_cst);
    if (owner_sleeps_.load(std::memory_order_seq_cst)) wake_sleepers(finished_, 1);
  }

  // The owner waits until workers have reported `chunks`.
  void wait(uint32_t chunks) {
    if (spin_until([&] { return finished_.load(std::memory_order_acquire) == chunks; })) return;
    owner_sleeps_.store(true, std::memory_order_seq_cst);
    uint32_t now;
    while ((now = finished_.load(std::memory_order_seq_cst)) != chunks) sleep_while_equal(finished_, now);
    owner_sleeps_.store(false, std::memory_order_relaxed);
  }

  std::exception_ptr take_error() {
    if (!failed_.load(std::memory_order_relaxed)) return nullptr;
    failed_.store(false, std::memory_order_relaxed);
    return std::exchange(error_, nullptr);
  }

 private:
  uint32_t run_chunk(const Work& work, int64_t chunk) {
    int64_t begin = work.begin_of(chunk), end = work.begin_of(chunk + 1);
    bool outer = std::exchange(inside_range, true);
    uint32_t finished = 1;
    try {
      work.fn(work.context, begin, end);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
      finished += drop_rest();
    }
    inside_range = outer;
    return finished;
  }

  // Takes all chunks that are left, for a thread with an unfinished chunk: this job is still the open one.
  uint32_t drop_rest() {
    uint64_t ticket = ticket_.load(std::memory_order_relaxed);
    while (!ticket_.compare_exchange_weak(ticket, ticket >> 32 << 32, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
    }
    return static_cast<uint32_t>(ticket);
  }

  alignas(64) std::atomic<uint64_t> ticket_{0};  // epoch << 32 | chunks not yet taken
  std::atomic<RangeFunction> fn_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<int64_t> units_{0};
  std::atomic<int64_t> whole_grain_{1}, least_grain_{1};
  std::atomic<uint32_t> whole_chunks_{0}, chunks_{0};
  alignas(64) std::atomic<uint32_t> finished_{0};  // by workers
  std::atomic<bool> owner_sleeps_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by whoever sets failed_, read after its chunk is finished
  alignas(64) std::atomic<bool> owned_{false};
};

class Pool {
 public:
  void run(const Work& work) {
    for (Job& job : jobs_) {
      if (!job.try_own()) continue;
      run(job, work);
      return;
    }
    work.fn(work.context, 0, work.units);  // enough others are at it
  }

  // Starts or ends workers so that `threads` take part in a job, the caller being one of them.
  void resize(int64_t threads) {
    if (threads == threads_.load(std::memory_order_acquire)) return;
    std::lock_guard lock(mutex_);
    if (threads == threads_.load(std::memory_order_relaxed)) return;
    size_t workers = static_cast<size_t>(threads - 1);
    if (workers < workers_.size()) end_workers(workers);
    wanted_workers_.store(workers, std::memory_order_relaxed);
    try {
      while (workers_.size() < workers) workers_.emplace_back(&Pool::work, this, workers_.size());
    } catch (const std::system_error&) {
      // The system gives no more threads; fewer do as well.
      wanted_workers_.store(workers_.size(), std::memory_order_relaxed);
    }
    threads_.store(threads, std::memory_order_release);
  }

  void shut_down() {
    std::lock_guard lock(mutex_);
    end_workers(0);
    threads_.store(1, std::memory_order_release);
  }

 private:
  void run(Job& job, const Work& work) {
    job.open(work);
    call_workers(work.chunks - 1);
    uint32_t own = job.run_first(work);
    while (uint32_t finished = job.run_one()) own += finished;
    if (own != work.chunks) job.wait(work.chunks - own);
    std::exception_ptr error = job.take_error();
    job.disown();
    if (error) std::rethrow_exception(error);
  }

  void call_workers(uint32_t useful) {
    signal_.fetch_add(1, std::memory_order_seq_cst);
    uint32_t asleep = sleepers_.load(std::memory_order_seq_cst);
    if (asleep == 0) return;
    uint32_t awake = static_cast<uint32_t>(wanted_workers_.load(std::memory_order_relaxed)) - asleep;
    if (static_cast<int32_t>(useful - awake) > 0) wake_sleepers(signal_, static_cast<int>(useful - awake));
  }

  void work(size_t index) {
    inside_range = true;
    FloatEnvironment::set(FloatEnvironment::kStandard);  // not that of the thread that has started this one
    for (;;) {
      // The signal comes first: whatever it announced, a job or the end, is then seen below, and whatever
      // comes later changes it.
      uint32_t signal = signal_.load(std::memory_order_acquire);
      if (ends(index)) return;
      if (help()) continue;
      // Spinning looks at the jobs themselves, which saves the time that the signal would take to travel.
      if (spin_until([&] { return any_open() || ends(index); })) continue;
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      while (signal_.load(std::memory_order_seq_cst) == signal) sleep_while_equal(signal_, signal);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  bool ends(size_t index) const { return index >= wanted_workers_.load(std::memory_order_relaxed); }

  bool any_open() const {
    return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.is_open(); });
  }

  bool help() {
    bool helped = false;
    for (Job& job : jobs_) {
      while (uint32_t finished = job.run_one()) {
        job.report(finished);
        helped = true;
      }
    }
    return helped;
  }

  void end_workers(size_t keep) {  // under the mutex
    wanted_workers_.store(keep, std::memory_order_relaxed);
    signal_.fetch_add(1, std::memory_order_seq_cst);
    wake_sleepers(signal_, static_cast<int>(workers_.size()));
    for (size_t i = keep; i < workers_.size(); ++i) workers_[i].join();
    workers_.resize(keep);
  }

  static constexpr size_t kJobs = 4;  // user threads that get help at the same time
  std::array<Job, kJobs> jobs_;
  alignas(64) std::atomic<uint32_t> signal_{0};  // changes with each job
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<size_t> wanted_workers_{0};
  std::atomic<int64_t> threads_{1};
  std::mutex mutex_;  // of workers_
  std::vector<std::thread> workers_;
};

// The pool is never destroyed, since late workers and static destructors of users may still look at it; its
// workers are ended when the process exits. A forked child has no workers and starts a pool of its own.
std::atomic<Pool*> current_pool{nullptr};
std::atomic<bool> process_exits{false};
[[maybe_unused]] const bool leaves_pool_to_parent = on_fork({.child = [] { current_pool.store(nullptr); }});

struct EndWorkersAtExit {
  ~EndWorkersAtExit() {
    process_exits.store(true);
    if (Pool* pool = current_pool.load()) pool->shut_down();
  }
};

Pool& create_pool() {
  static std::mutex mutex;
  static EndWorkersAtExit end_workers;
  const ShortLock lock(mutex);
  if (Pool* pool = current_pool.load()) return *pool;
  Pool* pool = new Pool;
  current_pool.store(pool, std::memory_order_release);
  return *pool;
}

}  // namespace

bool in_parallel_range() {
  return inside_range;
}

void parallel_for(int64_t units, Grain grain, RangeFunction fn, void* context) {
  if (units <= 0) return;
  const int64_t threads = inside_range ? 1 : num_threads();
  Work work = cut(units, grain, threads);
  if (threads == 1 || work.chunks == 1 || process_exits.load(std::memory_order_relaxed)) {
    fn(context, 0, units);
    return;
  }
  Pool* pool = current_pool.load(std::memory_order_acquire);
  if (pool == nullptr) pool = &create_pool();
  pool->resize(threads);
  work.fn = fn;
  work.context = context;
  pool->run(work);
}

}  // namespace ingot::runtime
