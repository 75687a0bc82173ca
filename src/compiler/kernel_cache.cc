// A slot belongs to the thread that has put it into the table, until its kernel is ready or has failed; then
// it is removed, if it failed. A thread compiles all slots of its own before it waits for those of others, so
// two threads never wait for each other.
#include "compiler/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <exception>
#include <map>
#include <mutex>

#include "base/fork.h"
#include "ingot/error.h"

namespace ingot::compiler {
namespace {

// All that the code depends on besides the machine. Of each back end there is one object.
struct Key {
  uint64_t hash;  // first: it tells nearly all of them apart
  const backend::Backend* backend;
  kernel::Target target;
  bool fma_contraction, keep_text;
  std::string form;
  auto operator<=>(const Key&) const = default;
};

struct Slot {
  enum State : uint32_t { kMaking, kReady, kFailed };
  std::atomic<uint32_t> state{kMaking};
  std::shared_ptr<const CachedKernel> kernel;  // written before the state
  std::exception_ptr error;                    // written before the state
  // Under the mutex of the cache.
  int64_t bytes = 0;
  uint64_t last_asked = 0;  // by the count of questions

  void wait() const {
    while (state.load(std::memory_order_acquire) == kMaking) state.wait(kMaking, std::memory_order_acquire);
  }
};

using Table = std::map<Key, std::shared_ptr<Slot>>;

struct Cache {
  std::mutex mutex;
  Table slots;
  KernelCacheUse use;
  uint64_t questions = 0;
};

Cache& cache() {
  // Machine code may run until the very end of the process, on threads that outlive statics.
  static Cache* instance = new Cache;
  return *instance;
}

// A child of fork() has none of the threads that were compiling.
[[maybe_unused]] const bool drops_orphans = (cache(), on_fork({.child = [] {
                                               std::erase_if(cache().slots, [](const auto& entry) {
                                                 return entry.second->state.load() == Slot::kMaking;
                                               });
                                             }}));

// A kernel in memory, about: its machine code, and its loop nest for the plans that launch it.
int64_t bytes_of(const kernel::Block& block) {
  int64_t bytes = 0;
  for (const kernel::Stmt& stmt : block.stmts) {
    bytes += static_cast<int64_t>(sizeof(kernel::Stmt)) + 64;  // operands, terms of an index
    if (const auto* loop = std::get_if<kernel::Loop>(&stmt.node))
      bytes += bytes_of(loop->body) + bytes_of(loop->combiner.body);
  }
  return bytes;
}
int64_t bytes_of(const Key& key, const CachedKernel& kernel) {
  const backend::Code& code = kernel.code;
  size_t texts = 0;
  for (const backend::CodeText& text : code.texts) texts += text.text.size();
  return static_cast<int64_t>(sizeof(Key) + sizeof(Slot) + sizeof(CachedKernel) + key.form.size() +
                              code.code_bytes + texts + kernel.scheduled.scalars.size() * sizeof(DType)) +
         bytes_of(kernel.scheduled.body);
}

double ms_spent(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The slots that this thread has put into the table. Whatever happens, none is left without an end.
class OwnSlots {
 public:
  ~OwnSlots() {
    if (std::all_of(made_.begin(), made_.end(), [](const Made& made) { return made.finished; })) return;
    std::exception_ptr error;
    try {
      error = std::make_exception_ptr(InternalError("the kernel's maker was interrupted"));
    } catch (...) {  // no memory for the text
      error = std::current_exception();
    }
    fail_rest(error);
  }

  void reserve(size_t slots) { made_.reserve(slots); }
  // Throws nothing, if there is room.
  void add(Table::iterator place, std::shared_ptr<CachedKernel> kernel) {
    made_.push_back({place, place->second, std::move(kernel), nullptr});
  }
  size_t size() const { return made_.size(); }

  void schedule(const backend::Backend& backend, const kernel::Target& target) {
    for (Made& made : made_) {
      try {
        const ForkSection section;
        made.kernel->scheduled = backend.schedule(std::move(made.kernel->scheduled), target);
      } catch (...) {
        made.error = std::current_exception();
      }
    }
  }

  void compile(const backend::Backend& backend, const kernel::Target& target, const CodeOptions& options) {
    std::vector<Made*> sound;
    std::vector<const kernel::Kernel*> kernels;
    for (Made& made : made_) {
      if (made.error) continue;
      sound.push_back(&made);
      kernels.push_back(&made.kernel->scheduled);
    }
    std::vector<backend::Outcome> outcomes = backend.compile(kernels, target, options);
    for (size_t i = 0; i < sound.size(); ++i) {
      sound[i]->kernel->code = std::move(outcomes[i].code);
      sound[i]->error = outcomes[i].error;
    }
  }

  void publish() {
    const ShortLock lock(cache().mutex);
    for (Made& made : made_) {
      if (made.error)
        fail(made, made.error);
      else
        finish(made, Slot::kReady);
    }
  }

 private:
  struct Made {
    Table::iterator place;  // valid while the slot is in the table, where only its end removes it
    std::shared_ptr<Slot> slot;
    std::shared_ptr<CachedKernel> kernel;
    std::exception_ptr error;
    bool finished = false;
  };

  static void finish(Made& made, Slot::State state) {
    if (state == Slot::kReady) {
      made.slot->kernel = made.kernel;
      made.slot->bytes = bytes_of(made.place->first, *made.kernel);
      cache().use.bytes += made.slot->bytes;
      ++cache().use.entries;
    }
    made.finished = true;
    made.slot->state.store(state, std::memory_order_release);
    made.slot->state.notify_all();
  }
  static void fail(Made& made, std::exception_ptr error) {
    cache().slots.erase(made.place);
    made.slot->error = std::move(error);
    finish(made, Slot::kFailed);
  }
  void fail_rest(const std::exception_ptr& error) {
    const ShortLock lock(cache().mutex);
    for (Made& made : made_) {
      if (!made.finished) fail(made, error);
    }
  }

  std::vector<Made> made_;
};

}  // namespace

CacheAnswer find_or_compile(std::vector<KernelRequest> requests, const backend::Backend& backend,
                            const kernel::Target& target, const CodeOptions& options) {
  CacheAnswer answer;
  std::vector<std::shared_ptr<Slot>> slots;
  {
    OwnSlots own;  // fails what is left if anything throws
    {
      const ShortLock lock(cache().mutex);
      own.reserve(requests.size());  // memory may end at any allocation, but at none between slot and owner
      slots.reserve(requests.size());
      for (KernelRequest& request : requests) {
        auto kernel = std::make_shared<CachedKernel>();
        kernel->hash = request.hash;
        kernel->scheduled = std::move(request.kernel);
        auto [place, fresh] =
            cache().slots.try_emplace(Key{request.hash, &backend, target, options.fma_contraction,
                                          options.keep_text, std::move(request.form)},
                                      std::make_shared<Slot>());
        if (fresh) own.add(place, std::move(kernel));
        ++(fresh ? cache().use.misses : cache().use.hits);
        place->second->last_asked = ++cache().questions;
        slots.push_back(place->second);
      }
    }
    if (own.size() > 0) {
      auto start = std::chrono::steady_clock::now();
      own.schedule(backend, target);
      answer.schedule_ms = ms_spent(start);
      start = std::chrono::steady_clock::now();
      own.compile(backend, target, options);
      own.publish();
      answer.codegen_ms = ms_spent(start);
      answer.compiled = static_cast<int>(own.size());
    }
  }
  for (const std::shared_ptr<Slot>& slot : slots) {
    slot->wait();
    if (slot->error) std::rethrow_exception(slot->error);
    answer.kernels.push_back(slot->kernel);
  }
  return answer;
}

KernelCacheUse kernel_cache_use() {
  const ShortLock lock(cache().mutex);
  return cache().use;
}

int64_t trim_kernels(int64_t bytes) {
  std::vector<std::shared_ptr<Slot>> dropped;  // freed last, without the mutex
  const ShortLock lock(cache().mutex);
  KernelCacheUse& use = cache().use;
  if (use.bytes <= bytes) return use.bytes;
  std::vector<Table::iterator> unused;
  for (auto at = cache().slots.begin(); at != cache().slots.end(); ++at) {
    const Slot& slot = *at->second;
    // New owners would come through this table.
    if (slot.state.load(std::memory_order_acquire) == Slot::kReady && at->second.use_count() == 1 &&
        slot.kernel.use_count() == 1 && slot.kernel->code.memory.use_count() == 1)
      unused.push_back(at);
  }
  std::sort(unused.begin(), unused.end(), [](const Table::iterator& a, const Table::iterator& b) {
    return a->second->last_asked < b->second->last_asked;
  });
  for (size_t i = 0; i < unused.size() && use.bytes > bytes; ++i) {
    use.bytes -= unused[i]->second->bytes;
    --use.entries;
    ++use.evictions;
    dropped.push_back(std::move(unused[i]->second));
    cache().slots.erase(unused[i]);
  }
  return use.bytes;
}

}  // namespace ingot::compiler
