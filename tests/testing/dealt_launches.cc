#include "testing/dealt_launches.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"
#include "runtime/kernel.h"
#include "runtime/routine.h"

namespace ingot::testing {
namespace {

using runtime::CompiledKernel;

constexpr size_t kAlways = 64 << 10;  // bytes of scratch that are made garbage before each unit

struct Phase {
  const CompiledKernel* kernel = nullptr;
  void* const* buffers = nullptr;
  int64_t first = 0, end = 0;
};

// The threads wait between phases. Thread t of n runs each n-th unit, the calling thread being the last one:
// a single unit runs there.
class Dealer {
 public:
  explicit Dealer(const DealOptions& options) : options_(options) {
    for (int t = 0; t + 1 < options.threads; ++t) workers_.emplace_back([this, t] { work(t); });
  }

  ~Dealer() {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
    }
    begin_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void launch(const CompiledKernel& kernel, void* const* buffers) {
    if (kernel.units <= 0) return;
    ++launches;
    name_guarded_work(kernel.name.c_str());
    if (!options_.guard || kernel.kind == "copy" || kernel.kind == "fill") {  // its buffers are a description
      run(kernel, buffers);
    } else {
      run_guarded(kernel, buffers);
    }
    name_guarded_work(nullptr);
  }

  int64_t launches = 0, shared_launches = 0;
  std::string changed_input;

 private:
  // Bytes that parameters name; those that overlap are one.
  struct Piece {
    std::byte *begin, *end;
    bool written;
    size_t alignment;  // kernels ask for no more than that of elements
    std::shared_ptr<void> memory;
  };

  void run_guarded(const CompiledKernel& kernel, void* const* buffers) {
    std::vector<Piece> pieces, merged;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const runtime::ParameterInfo& p = kernel.parameters[i];
      const int64_t bytes = p.bytes();
      auto* begin = static_cast<std::byte*>(buffers[i]);
      if (bytes > 0) pieces.push_back({begin, begin + bytes, p.is_output, byte_size(p.dtype), nullptr});
    }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    for (const Piece& piece : pieces) {
      if (merged.empty() || piece.begin >= merged.back().end) {
        merged.push_back(piece);
      } else {
        merged.back().end = std::max(merged.back().end, piece.end);
        merged.back().written |= piece.written;
        merged.back().alignment = std::max(merged.back().alignment, piece.alignment);
      }
    }
    for (Piece& piece : merged) {
      const auto bytes = static_cast<size_t>(piece.end - piece.begin);
      piece.memory = guarded_memory(bytes, *options_.guard, piece.alignment, options_.poison);
      std::memcpy(piece.memory.get(), piece.begin, bytes);
    }
    const std::shared_ptr<void> nothing = guarded_memory(0, *options_.guard, 1, 0);
    std::vector<void*> moved;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      auto* begin = static_cast<std::byte*>(buffers[i]);
      void* to = nothing.get();
      for (const Piece& piece : merged) {
        if (piece.begin <= begin && begin < piece.end)
          to = static_cast<std::byte*>(piece.memory.get()) + (begin - piece.begin);
      }
      moved.push_back(element_count(kernel.parameters[i].shape) == 0 ? nothing.get() : to);
    }
    std::shared_ptr<void> shared;
    if (kernel.shared_bytes > 0) {
      shared = guarded_memory(static_cast<size_t>(kernel.shared_bytes), *options_.guard, 64, options_.poison);
      moved.push_back(shared.get());
    }
    run(kernel, moved.data());
    for (const Piece& piece : merged) {
      const auto bytes = static_cast<size_t>(piece.end - piece.begin);
      if (piece.written) {
        std::memcpy(piece.begin, piece.memory.get(), bytes);
      } else if (std::memcmp(piece.begin, piece.memory.get(), bytes) != 0) {
        changed_input = kernel.name;
      }
    }
  }

  void run(const CompiledKernel& kernel, void* const* buffers) {
    if (kernel.function == nullptr) {  // shares itself out
      runtime::run_program(kernel, buffers);
      return;
    }
    bool shared = false;
    int64_t first = 0;
    for (size_t i = 0; i <= kernel.barriers.size(); ++i) {
      const int64_t end = i < kernel.barriers.size() ? kernel.barriers[i] : kernel.units;
      shared |= run_phase({&kernel, buffers, first, end});
      first = end;
    }
    if (shared) ++shared_launches;
  }

  bool run_phase(const Phase& phase) {
    if (phase.end <= phase.first) return false;
    const bool shared = phase.end - phase.first > 1 && !workers_.empty();
    if (shared) {
      std::lock_guard lock(mutex_);
      phase_ = phase;
      ++number_;
      busy_ = workers_.size();
      begin_.notify_all();
    }
    run_share(phase, static_cast<int>(workers_.size()));
    if (shared) {
      std::unique_lock lock(mutex_);
      end_.wait(lock, [&] { return busy_ == 0; });
    }
    return shared;
  }

  void run_share(const Phase& phase, int thread) const {
    const CompiledKernel& kernel = *phase.kernel;
    const int64_t n = static_cast<int64_t>(workers_.size()) + 1, units = phase.end - phase.first;
    std::shared_ptr<void> scratch =
        guarded_memory(kernel.scratch_bytes, options_.guard.value_or(Guard::kBehind), 64, options_.poison);
    // The last unit is the calling thread's, so that a phase of one unit needs no other.
    for (int64_t turn = (units - 1) / n; turn >= 0; --turn) {
      const int64_t back = (options_.backwards ? (units - 1) / n - turn : turn) * n + (n - 1 - thread);
      if (back >= units) continue;
      if (kernel.scratch_bytes <= kAlways) std::memset(scratch.get(), options_.poison, kernel.scratch_bytes);
      const int64_t unit = phase.end - 1 - back;
      kernel.function(phase.buffers, unit, unit + 1, scratch.get());
    }
  }

  void work(int thread) {
    uint64_t done = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      begin_.wait(lock, [&] { return ends_ || number_ != done; });
      if (ends_) return;
      done = number_;
      const Phase phase = phase_;
      lock.unlock();
      run_share(phase, thread);
      lock.lock();
      if (--busy_ == 0) end_.notify_one();
    }
  }

  const DealOptions options_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  Phase phase_;
  uint64_t number_ = 0;
  size_t busy_ = 0;
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

Dealer* dealer = nullptr;

}  // namespace

DealtLaunches::DealtLaunches(const DealOptions& options) {
  check(dealer == nullptr, "launches are dealt out already");
  dealer = new Dealer(options);
  runtime::replace_launcher(
      [](const CompiledKernel& kernel, void* const* buffers) { dealer->launch(kernel, buffers); });
}

DealtLaunches::~DealtLaunches() {
  runtime::replace_launcher(nullptr);
  delete dealer;
  dealer = nullptr;
}

int64_t DealtLaunches::launches() const {
  return dealer->launches;
}
int64_t DealtLaunches::shared_launches() const {
  return dealer->shared_launches;
}
const char* DealtLaunches::changed_input() const {
  return dealer->changed_input.c_str();
}

}  // namespace ingot::testing
