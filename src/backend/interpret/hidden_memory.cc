#include "backend/interpret/hidden_memory.h"

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <string>

#include "base/fork.h"
#include "ingot/error.h"
#include "runtime/buffer_pool.h"

namespace ingot::backend {
namespace {

// Of the address space, twice: what is not touched takes no memory. For programs of tests this is plenty.
constexpr size_t kArenaBytes = size_t{16} << 30;
constexpr size_t kAlignment = 64;
// Two buffers do not touch: what runs behind one reads bytes of nobody.
constexpr size_t kGap = 64;
// From here on a buffer's pages go back to the system with it.
constexpr size_t kReturnedBytes = size_t{1} << 20;
constexpr size_t kPage = 4096;

// Free pieces of the arena by where they begin. Never destroyed.
class Arena {
 public:
  static Arena& instance() {
    static Arena& arena = *new Arena;
    return arena;
  }

  std::byte* take(size_t bytes) {
    const size_t wanted = rounded(bytes);
    const ShortLock lock(mutex_);
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second < wanted) continue;
      const size_t begin = at->first, left = at->second - wanted;
      free_.erase(at);
      if (left > 0) free_.emplace(begin + wanted, left);
      return handles_ + begin;
    }
    return nullptr;
  }

  void give(std::byte* handle, size_t bytes) {
    const size_t size = rounded(bytes), begin = static_cast<size_t>(handle - handles_);
    if (size >= kReturnedBytes) {
      const size_t first = (begin + kPage - 1) / kPage * kPage, end = (begin + size) / kPage * kPage;
      madvise(bytes_ + first, end - first, MADV_DONTNEED);
    }
    const ShortLock lock(mutex_);
    auto at = free_.emplace(begin, size).first;
    if (const auto next = std::next(at); next != free_.end() && next->first == begin + size) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at != free_.begin()) {
      const auto before = std::prev(at);
      if (before->first + before->second == begin) {
        before->second += at->second;
        free_.erase(at);
      }
    }
  }

  std::byte* behind(const void* handle) const {
    return bytes_ + (static_cast<const std::byte*>(handle) - handles_);
  }

 private:
  Arena() : handles_(map(PROT_NONE)), bytes_(map(PROT_READ | PROT_WRITE)) { free_.emplace(0, kArenaBytes); }

  static std::byte* map(int protection) {
    void* memory = mmap(nullptr, kArenaBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Error("the back end 'interpret' finds no room in the address space");
    return static_cast<std::byte*>(memory);
  }
  static size_t rounded(size_t bytes) { return (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment; }

  std::byte* const handles_;
  std::byte* const bytes_;
  std::mutex mutex_;
  std::map<size_t, size_t> free_;
};

class HiddenMemory final : public runtime::DeviceMemory {
 public:
  constexpr HiddenMemory() : DeviceMemory({"interpret"}, runtime::MemorySpace::kDevice) {}

  std::shared_ptr<runtime::Buffer> allocate(size_t bytes, const char* label) const override {
    std::byte* handle = bytes < kArenaBytes ? Arena::instance().take(bytes) : nullptr;
    if (handle == nullptr) {
      throw Error("out of memory: a buffer of " + std::to_string(bytes) + " bytes" +
                  (label != nullptr ? " (" + std::string(label) + ")" : "") +
                  " was asked for, which the back end 'interpret' has not left");
    }
    return runtime::Buffer::of_device(*this, handle, bytes,
                                      [handle, bytes] { Arena::instance().give(handle, bytes); });
  }

  void copy_pieces(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t pieces,
                   int64_t piece_bytes) const override {
    std::byte* target = Arena::instance().behind(to);
    const std::byte* source = Arena::instance().behind(from);
    for (int64_t i = 0; i < pieces; ++i) {
      std::memcpy(target + i * to_stride, source + i * from_stride, static_cast<size_t>(piece_bytes));
    }
  }

 private:
  void read_device(void* host, const void* from, size_t bytes) const override {
    if (bytes > 0) std::memcpy(host, Arena::instance().behind(from), bytes);
  }
  void write_device(void* to, const void* host, size_t bytes) const override {
    if (bytes > 0) std::memcpy(Arena::instance().behind(to), host, bytes);
  }
};

constexpr HiddenMemory kHiddenMemory;

}  // namespace

const runtime::DeviceMemory& hidden_memory() {
  return kHiddenMemory;
}

void* bytes_behind(const void* handle) {
  return Arena::instance().behind(handle);
}

}  // namespace ingot::backend
