#include "runtime/buffer_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "base/fork.h"
#include "base/options.h"
#include "ingot/error.h"
#include "runtime/system_memory.h"
#include "runtime/thread_pool.h"

namespace ingot::runtime {

// A buffer together with all that is recycled with it. Blocks are created by the slow path only and stay
// registered in the pool until their memory goes back to the system.
struct Block {
  Buffer buffer;
  Block* next = nullptr;  // in a free list
  int size_class = 0;
  size_t registry_index = 0;
  std::atomic<size_t> live_bytes{0};  // 0 while free; read by reports of other threads
  std::atomic<const char*> label{nullptr};
  alignas(std::max_align_t) std::byte control[64];  // the shared_ptr's control block

  void* data() const { return buffer.data_; }
  void set_memory(void* data, size_t capacity) {
    buffer.data_ = data;
    buffer.capacity_ = capacity;
  }
  void set_bytes(size_t bytes) { buffer.bytes_ = bytes; }
};

struct OthersBlock {
  Buffer buffer;
  std::function<void()> release;

  OthersBlock(void* data, size_t bytes, std::function<void()> r) : release(std::move(r)) {
    buffer.data_ = data;
    buffer.bytes_ = bytes;
  }
  void belong_to(const DeviceMemory& memory) {
    buffer.memory_ = &memory;
    buffer.capacity_ = std::max<size_t>(buffer.bytes_, 1);
  }
  ~OthersBlock() {
    if (release) release();
  }
};

std::shared_ptr<Buffer> Buffer::of_others(void* data, size_t bytes, std::function<void()> release) {
  const auto block = std::make_shared<OthersBlock>(data, bytes, std::move(release));
  return {block, &block->buffer};
}

std::shared_ptr<Buffer> Buffer::of_device(const DeviceMemory& memory, void* handle, size_t bytes,
                                          std::function<void()> release) {
  const auto block = std::make_shared<OthersBlock>(handle, bytes, std::move(release));
  block->belong_to(memory);
  return {block, &block->buffer};
}

namespace {

// ---- Size classes: multiples of 64 up to 256 bytes, then four to each doubling; whole huge pages from
// kWholePagesFrom on, so that no buffer has a tail of small ones.

constexpr size_t kLargestBytes = size_t{1} << 46;
constexpr int kClasses = 4 + 4 * (46 - 8);
constexpr size_t kWholePagesFrom = kHugePage / 2;

int class_of(size_t bytes) {
  if (bytes <= 256) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / 64);
  int exponent = std::bit_width(bytes - 1) - 1;  // bytes is in (2^exponent, 2^(exponent + 1)]
  size_t quarter = (bytes - 1 - (size_t{1} << exponent)) >> (exponent - 2);
  return 4 + 4 * (exponent - 8) + static_cast<int>(quarter);
}

size_t class_bytes(int size_class) {
  if (size_class < 4) return 64 * static_cast<size_t>(size_class + 1);
  int exponent = 8 + (size_class - 4) / 4;
  size_t quarter = static_cast<size_t>((size_class - 4) % 4) + 1;
  size_t bytes = (size_t{1} << exponent) + (quarter << (exponent - 2));
  return bytes > kWholePagesFrom ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
}

// ---- The pool proper. Never destroyed.

struct Blocks {
  std::mutex mutex;
  std::array<Block*, kClasses> free{};  // under mutex
  std::vector<Block*> registry;         // under mutex: every block, live or free
  std::set<std::string> labels;         // under mutex

  std::atomic<int64_t> system_bytes{0};  // capacity of all blocks
  std::atomic<int64_t> live_bytes{0};
  std::atomic<int64_t> peak_bytes{0};
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> fresh_allocations{0};
};

Blocks& shared_blocks() {
  static Blocks& instance = *new Blocks;
  return instance;
}

// A child of fork() finds the lists in order. What other threads held or had in their caches is lost there.
[[maybe_unused]] const bool held_by_fork =
    (shared_blocks(), on_fork({.prepare = [] { shared_blocks().mutex.lock(); },
                               .parent = [] { shared_blocks().mutex.unlock(); },
                               .child = [] { shared_blocks().mutex.unlock(); }}));

int64_t retain_limit() {
  int64_t megabytes = Options::global().pool_retain_mb.load(std::memory_order_relaxed);
  return megabytes > 0 ? megabytes << 20 : memory_limit_bytes() / 4;
}

void destroy_block(Blocks& pool, Block* block) {  // under the mutex
  pool.registry[block->registry_index] = pool.registry.back();
  pool.registry[block->registry_index]->registry_index = block->registry_index;
  pool.registry.pop_back();
  size_t capacity = class_bytes(block->size_class);
  pool.system_bytes.fetch_sub(static_cast<int64_t>(capacity), std::memory_order_relaxed);
  release_system_memory(block->data(), capacity);
  delete block;
}

void trim_locked(Blocks& pool, int64_t retain_bytes) {
  for (int c = kClasses - 1; c >= 0; --c) {
    while (pool.free[c] != nullptr) {
      int64_t retained =
          pool.system_bytes.load(std::memory_order_relaxed) - pool.live_bytes.load(std::memory_order_relaxed);
      if (retained <= retain_bytes) return;
      Block* block = pool.free[c];
      pool.free[c] = block->next;
      destroy_block(pool, block);
    }
  }
}

// ---- Out of memory.

std::string megabytes(size_t bytes) {
  size_t tenths = (bytes * 10) >> 20;
  if (tenths == 0) return std::to_string(bytes) + " bytes";
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

enum class Limit { kPool, kSystem };  // of which there is no more

std::string out_of_memory_text(Blocks& pool, size_t bytes, const char* label,
                               Limit limit) {  // under the mutex
  struct Live {
    size_t bytes;
    const char* label;
  };
  std::vector<Live> live;
  for (Block* block : pool.registry) {
    size_t size = block->live_bytes.load(std::memory_order_acquire);
    if (size > 0) live.push_back({size, block->label.load(std::memory_order_relaxed)});
  }
  std::sort(live.begin(), live.end(), [](const Live& a, const Live& b) { return a.bytes > b.bytes; });
  std::string text = "out of memory: a buffer of " + megabytes(bytes) +
                     (label != nullptr ? " (" + std::string(label) + ")" : "") + " was asked for while " +
                     std::to_string(live.size()) + " live buffers hold " +
                     megabytes(static_cast<size_t>(pool.live_bytes.load(std::memory_order_relaxed)));
  text += limit == Limit::kPool
              ? " of the " + megabytes(static_cast<size_t>(memory_limit_bytes())) +
                    " that the pool may take (INGOT_MEMORY_LIMIT_MB sets this limit)"
              : "; the system gives this process no more, as under a limit of its address space (ulimit -v)";
  text += "; all unused buffers have been given back.";
  constexpr size_t kShown = 10;
  if (!live.empty()) text += " The largest live buffers:";
  for (size_t i = 0; i < std::min(kShown, live.size()); ++i) {
    text +=
        "\n  " + megabytes(live[i].bytes) + "  " + (live[i].label != nullptr ? live[i].label : "(no label)");
  }
  return text;
}

// The system clears a page when it is first written. Threads that meet in one huge page clear it each, so the
// pages are shared out among them here.
void touch_huge_pages(void* data, size_t bytes) {
  if (data == nullptr || bytes < 2 * kHugePage) return;
  auto* const bytes_of = static_cast<volatile char*>(data);
  parallel_for(static_cast<int64_t>(bytes / kHugePage), 1, [&](int64_t begin, int64_t end) {
    for (int64_t page = begin; page < end; ++page) bytes_of[static_cast<size_t>(page) * kHugePage] = 0;
  });
}

// ---- The slow path: lists under the lock, then the system.

Block* create_block(Blocks& pool, int size_class, size_t bytes, const char* label) {
  size_t capacity = class_bytes(size_class);
  {
    std::lock_guard lock(pool.mutex);
    int64_t limit = memory_limit_bytes();
    int64_t wanted = static_cast<int64_t>(capacity);
    if (pool.system_bytes.load(std::memory_order_relaxed) + wanted > limit) {
      int64_t live = pool.live_bytes.load(std::memory_order_relaxed);
      trim_locked(pool, std::max<int64_t>(0, limit - live - wanted));
      if (pool.system_bytes.load(std::memory_order_relaxed) + wanted > limit)
        throw Error(out_of_memory_text(pool, bytes, label, Limit::kPool));
    }
    pool.system_bytes.fetch_add(wanted, std::memory_order_relaxed);
  }
  void* data = take_system_memory(capacity);  // outside of the lock: the system may take long
  if (data == nullptr) {
    BufferPool::global().trim();
    data = take_system_memory(capacity);
  }
  touch_huge_pages(data, capacity);
  if (data != nullptr) poison_memory(data, capacity);
  std::lock_guard lock(pool.mutex);
  if (data == nullptr) {
    pool.system_bytes.fetch_sub(static_cast<int64_t>(capacity), std::memory_order_relaxed);
    throw Error(out_of_memory_text(pool, bytes, label, Limit::kSystem));
  }
  Block* block = new Block;
  block->set_memory(data, capacity);
  block->size_class = size_class;
  block->registry_index = pool.registry.size();
  pool.registry.push_back(block);
  pool.fresh_allocations.fetch_add(1, std::memory_order_relaxed);
  return block;
}

// Where a class has no free block, a big buffer takes one of up to half as much again: cheaper than new
// pages.
constexpr int kBorrowFromClass = 4 + 4 * (16 - 8);

Block* take_shared(Blocks& pool, int size_class) {
  int last = size_class >= kBorrowFromClass ? std::min(size_class + 2, kClasses - 1) : size_class;
  std::lock_guard lock(pool.mutex);
  for (int c = size_class; c <= last; ++c) {
    if (Block* block = pool.free[c]) {
      pool.free[c] = block->next;
      return block;
    }
  }
  return nullptr;
}

void give_shared(Blocks& pool, Block* block) {
  std::lock_guard lock(pool.mutex);
  block->next = pool.free[block->size_class];
  pool.free[block->size_class] = block;
  int64_t retained =
      pool.system_bytes.load(std::memory_order_relaxed) - pool.live_bytes.load(std::memory_order_relaxed);
  if (int64_t limit = retain_limit(); retained > limit) trim_locked(pool, limit);
}

// ---- The cache of a thread: a few free blocks of each small class.

constexpr int kCachedClasses = 4 + 4 * (15 - 8);  // up to 32 KiB
constexpr uint8_t kCachedBlocks = 16;             // per class

struct ThreadCache {
  enum class State : uint8_t { kNew, kInUse, kClosed };
  State state = State::kNew;
  std::array<uint8_t, kCachedClasses> count{};
  std::array<Block*, kCachedClasses> free{};
};

// Trivially destructible, so that it can be used while a thread (or the process) goes down.
thread_local constinit ThreadCache thread_cache;

void flush_class(ThreadCache& cache, int size_class, uint8_t keep) {
  while (cache.count[size_class] > keep) {
    Block* block = cache.free[size_class];
    cache.free[size_class] = block->next;
    --cache.count[size_class];
    give_shared(shared_blocks(), block);
  }
}

struct ThreadCacheCloser {
  ~ThreadCacheCloser() {
    thread_cache.state = ThreadCache::State::kClosed;
    for (int c = 0; c < kCachedClasses; ++c) flush_class(thread_cache, c, 0);
  }
};

bool open_thread_cache(ThreadCache& cache) {
  if (cache.state == ThreadCache::State::kClosed) return false;
  static thread_local ThreadCacheCloser closer;
  (void)closer;
  cache.state = ThreadCache::State::kInUse;
  return true;
}

void recycle(Block* block) {
  Blocks& shared = shared_blocks();
  block->live_bytes.store(0, std::memory_order_relaxed);
  shared.live_bytes.fetch_sub(static_cast<int64_t>(class_bytes(block->size_class)),
                              std::memory_order_relaxed);
  poison_memory(block->data(), class_bytes(block->size_class));
  ThreadCache& cache = thread_cache;
  int c = block->size_class;
  if (c >= kCachedClasses || (cache.state != ThreadCache::State::kInUse && !open_thread_cache(cache))) {
    give_shared(shared, block);
    return;
  }
  if (cache.count[c] == kCachedBlocks) flush_class(cache, c, kCachedBlocks / 2);
  block->next = cache.free[c];
  cache.free[c] = block;
  ++cache.count[c];
}

// Puts the shared_ptr's control block into the Block, and takes the end of the control block (no strong or
// weak reference is left) as the moment to recycle.
template <class T>
struct ControlAllocator {
  using value_type = T;
  Block* block;

  explicit ControlAllocator(Block* b) : block(b) {}
  template <class U>
  ControlAllocator(const ControlAllocator<U>& other) : block(other.block) {}

  T* allocate(size_t) {
    static_assert(sizeof(T) <= sizeof(Block::control) && alignof(T) <= alignof(std::max_align_t));
    return reinterpret_cast<T*>(block->control);
  }
  void deallocate(T*, size_t) { recycle(block); }
  template <class U>
  bool operator==(const ControlAllocator<U>& other) const {
    return block == other.block;
  }
};

struct KeepBuffer {
  void operator()(Buffer*) const {}
};

}  // namespace

BufferPool& BufferPool::global() {
  static BufferPool& instance = *new BufferPool;
  return instance;
}

std::shared_ptr<Buffer> BufferPool::allocate(size_t bytes, const char* label) {
  Blocks& shared = shared_blocks();
  if (bytes > kLargestBytes) {
    std::lock_guard lock(shared.mutex);
    throw Error(out_of_memory_text(shared, bytes, label, Limit::kPool));
  }
  int size_class = class_of(bytes);
  Block* block = nullptr;
  ThreadCache& cache = thread_cache;
  if (size_class < kCachedClasses && cache.free[size_class] != nullptr) {
    block = cache.free[size_class];
    cache.free[size_class] = block->next;
    --cache.count[size_class];
  } else {
    block = take_shared(shared, size_class);
    if (block == nullptr) block = create_block(shared, size_class, bytes, label);
  }
  block->set_bytes(bytes);
  block->label.store(label, std::memory_order_relaxed);
  block->live_bytes.store(std::max<size_t>(bytes, 1), std::memory_order_release);
  unpoison_memory(block->data(), bytes);

  int64_t capacity = static_cast<int64_t>(block->buffer.capacity());
  shared.allocations.fetch_add(1, std::memory_order_relaxed);
  int64_t live = shared.live_bytes.fetch_add(capacity, std::memory_order_relaxed) + capacity;
  int64_t peak = shared.peak_bytes.load(std::memory_order_relaxed);
  while (live > peak && !shared.peak_bytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return std::shared_ptr<Buffer>(&block->buffer, KeepBuffer{}, ControlAllocator<Block>(block));
}

void BufferPool::trim(size_t retain_bytes) {
  for (int c = 0; c < kCachedClasses; ++c) flush_class(thread_cache, c, 0);
  Blocks& shared = shared_blocks();
  std::lock_guard lock(shared.mutex);
  trim_locked(shared, static_cast<int64_t>(std::min(retain_bytes, kLargestBytes)));
}

PoolStatistics BufferPool::statistics() const {
  Blocks& shared = shared_blocks();
  std::lock_guard lock(shared.mutex);
  PoolStatistics result;
  result.live_bytes = shared.live_bytes.load();
  result.peak_bytes = shared.peak_bytes.load();
  result.retained_bytes = std::max<int64_t>(0, shared.system_bytes.load() - result.live_bytes);
  result.allocations = shared.allocations.load();
  result.fresh_allocations = shared.fresh_allocations.load();
  for (Block* block : shared.registry) result.live_buffers += block->live_bytes.load() > 0;
  return result;
}

void BufferPool::reset_peak() {
  shared_blocks().peak_bytes.store(shared_blocks().live_bytes.load());
}

const char* BufferPool::intern(std::string_view text) {
  Blocks& shared = shared_blocks();
  std::lock_guard lock(shared.mutex);
  return shared.labels.emplace(text).first->c_str();
}

}  // namespace ingot::runtime
