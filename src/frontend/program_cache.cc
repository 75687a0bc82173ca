#include "frontend/program_cache.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/fork.h"
#include "base/options.h"
#include "compiler/kernel_cache.h"
#include "frontend/program.h"
#include "ingot/cache.h"
#include "ingot/error.h"

namespace ingot {
namespace detail {

using Programs = std::vector<std::shared_ptr<const Program>>;

struct ProgramCache {
  std::mutex mutex;
  std::vector<ProgramSlot*> slots;  // that hold a program
  CacheUse use;
  // Taken out, but calls that began at that time or before may run them.
  std::vector<std::pair<uint64_t, std::shared_ptr<const Program>>> retired;

  static ProgramCache& global() {
    static ProgramCache& only = *new ProgramCache;  // slots may be destroyed late
    return only;
  }

  // --- under the mutex

  void take_out(ProgramSlot& slot) {
    slots[slot.place_] = slots.back();
    slots[slot.place_]->place_ = slot.place_;
    slots.pop_back();
    use.bytes -= slot.bytes_;
    slot.ready_.store(nullptr);
    retired.emplace_back(program_clock.fetch_add(1), std::move(slot.owner_));
    slot.owner_ = nullptr;
  }

  // Programs that nobody runs any more, to be freed without the mutex.
  Programs collect();
  ProgramSlot* least_recent(const ProgramSlot* except) const;
  // Takes one more program out, if that helps. False if all is well, or as well as it can be.
  bool make_room(const ProgramSlot* newest);
};

namespace {

// Measured by cache_info(), kernels included: a softmax takes 18 KiB, a dense layer 25, attention 70, the
// gradient of two layers 105. So this is enough for several thousand programs, and little beside the arrays
// of a process that has as many.
constexpr int64_t kDefaultLimit = int64_t{512} << 20;

std::atomic<Reader*> readers{nullptr};
std::atomic<int64_t> set_limit{0};  // 0: what the environment says

int64_t limit_bytes() {
  if (const int64_t set = set_limit.load(std::memory_order_relaxed); set > 0) return set;
  const int64_t megabytes = Options::global().cache_limit_mb.load(std::memory_order_relaxed);
  return megabytes > 0 ? megabytes << 20 : kDefaultLimit;
}

// Gives the reader back when its thread ends. A call after that, from another destructor, takes one for good.
struct ReaderCloser {
  ~ReaderCloser() {
    own_reader->taken.store(false, std::memory_order_release);
    own_reader = nullptr;
  }
};

// The calls of other threads do not run in a child of fork().
[[maybe_unused]] const bool forgets_other_threads =
    (ProgramCache::global(), on_fork({.child = [] {
       for (Reader* reader = readers.load(); reader != nullptr; reader = reader->next) {
         if (reader == own_reader) continue;
         reader->since.store(0);
         reader->depth = 0;
         reader->taken.store(false);
       }
     }}));

}  // namespace

Reader& take_reader() {
  Reader* reader = readers.load(std::memory_order_acquire);
  while (reader != nullptr && reader->taken.exchange(true, std::memory_order_acquire)) reader = reader->next;
  if (reader == nullptr) {
    reader = new Reader;
    reader->taken.store(true);
    reader->next = readers.load(std::memory_order_relaxed);
    while (!readers.compare_exchange_weak(reader->next, reader, std::memory_order_release)) {
    }
  }
  own_reader = reader;
  static thread_local ReaderCloser closer;
  (void)closer;
  return *reader;
}

Programs ProgramCache::collect() {
  uint64_t oldest = ~uint64_t{0};
  for (Reader* reader = readers.load(); reader != nullptr; reader = reader->next) {
    if (const uint64_t since = reader->since.load(); since != 0) oldest = std::min(oldest, since);
  }
  Programs dead;
  std::erase_if(retired, [&](auto& entry) {
    if (entry.first >= oldest) return false;
    dead.push_back(std::move(entry.second));
    return true;
  });
  return dead;
}

ProgramSlot* ProgramCache::least_recent(const ProgramSlot* except) const {
  ProgramSlot* least = nullptr;
  uint64_t when = 0;
  for (ProgramSlot* slot : slots) {
    const uint64_t used = slot->last_used_.load(std::memory_order_relaxed);
    if (slot == except || (least != nullptr && used >= when)) continue;
    least = slot;
    when = used;
  }
  return least;
}

bool ProgramCache::make_room(const ProgramSlot* newest) {
  Programs dead;  // freed last, without the mutex
  const ShortLock lock(mutex);
  const int64_t limit = limit_bytes();
  if (use.bytes + compiler::kernel_cache_use().bytes <= limit) return false;
  // Kernels that no program has; of others nothing would be freed.
  if (use.bytes + compiler::trim_kernels(std::max<int64_t>(0, limit - use.bytes)) <= limit) return false;
  ProgramSlot* slot = least_recent(newest);
  if (slot == nullptr) return false;
  take_out(*slot);
  ++use.evictions;
  dead = collect();
  // Where a call keeps a program alive, its kernels go later: others need not go instead.
  return retired.empty();
}

ProgramSlot::~ProgramSlot() {
  Programs dead;
  ProgramCache& cache = ProgramCache::global();
  const ShortLock lock(cache.mutex);
  if (owner_ == nullptr) return;
  cache.take_out(*this);
  dead = cache.collect();
}

std::shared_ptr<const Program> ProgramSlot::share() {
  const ShortLock lock(ProgramCache::global().mutex);
  return owner_;
}

void ProgramSlot::install(std::shared_ptr<const Program> program, int64_t more_bytes) {
  ProgramCache& cache = ProgramCache::global();
  Programs dead;
  {
    const ShortLock lock(cache.mutex);
    owner_ = std::move(program);
    bytes_ = owner_->bytes() + more_bytes;
    place_ = cache.slots.size();
    cache.slots.push_back(this);
    cache.use.bytes += bytes_;
    ++cache.use.misses;
    last_used_.store(program_clock.fetch_add(1) + 1, std::memory_order_relaxed);
    ready_.store(owner_.get());
    dead = cache.collect();
  }
  dead.clear();
  while (cache.make_room(this)) {
  }
}

}  // namespace detail

CacheInfo cache_info() {
  detail::ProgramCache& cache = detail::ProgramCache::global();
  CacheInfo info;
  {
    const ShortLock lock(cache.mutex);
    info.programs = cache.use;
    info.programs.entries = static_cast<int64_t>(cache.slots.size());
  }
  for (detail::Reader* reader = detail::readers.load(); reader != nullptr; reader = reader->next)
    info.programs.hits += reader->hits.load(std::memory_order_relaxed);
  const compiler::KernelCacheUse kernels = compiler::kernel_cache_use();
  info.kernels = {kernels.entries, kernels.bytes, kernels.hits, kernels.misses, kernels.evictions};
  info.limit_bytes = detail::limit_bytes();
  return info;
}

void set_cache_limit(int64_t bytes, const std::source_location& where) {
  if (bytes < 0)
    detail::fail(where, "set_cache_limit: the limit is 0 (the default) or a number of bytes, not " +
                            std::to_string(bytes));
  detail::set_limit.store(bytes);
  while (detail::ProgramCache::global().make_room(nullptr)) {
  }
}

}  // namespace ingot
