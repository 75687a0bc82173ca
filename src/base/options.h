// The options that a process takes from its environment. They are read once, at the first question;
// afterwards a program may set them. One table in options.cc lists them all: a new option is a member here
// and a line there.
//
// A bad value is an Error at the first use of the library and again at every further one, until it is set
// right: the library never runs with other options than were asked for. A variable INGOT_* that names no
// option is told once on stderr; it is no Error, since the environment is shared with what Ingot does not
// know.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/threads.h"  // IWYU pragma: export

namespace ingot {

// What INGOT_LOG can name. The runtime's hot paths look at log_topics and nothing else.
enum class LogTopic : uint32_t {
  kKernels = 1,
  kCompile = 2,
  kPasses = 4,
  kObservers = 1u << 30,  // set by the runtime while launch observers are installed; has no name
};

class Options {
 public:
  static constexpr int64_t kMostThreads = 4096;

  static Options& global();  // reads the environment at the first call; throws Error for a bad value

  std::atomic<int64_t> num_threads{0};      // 0: as many as the process may use
  std::atomic<int64_t> memory_limit_mb{0};  // 0: most of the machine's memory
  std::atomic<int64_t> pool_retain_mb{0};   // 0: a quarter of the memory limit
  std::atomic<int64_t> cache_limit_mb{0};   // 0: 512

  // Passes that compilations leave out, by name; the switch of every rewrite.
  std::vector<std::string> skipped_passes() const;

  // The instructions that kernels may use: "sse4", "avx2" or "avx512"; empty: all that the machine has.
  std::string target() const;

  // The back end that programs are compiled for, by name; empty: the host's.
  std::string backend() const;

  // Sets one option by its name in the environment, from text. Throws Error for unknown names and bad values.
  void set(std::string_view name, std::string_view value);
  static std::string help();  // the table as text

 private:
  Options();
  mutable std::mutex mutex_;
  std::vector<std::string> skipped_passes_;
  std::string target_;
  std::string backend_;
};

// Who knows the names of passes says so, before options are read: the check throws an Error for others.
void check_skipped_passes(void (*check)(const std::vector<std::string>& names));
// The same of back ends.
void check_backend(void (*check)(const std::string& name));

// Bits of LogTopic; kLogUnread until the environment has been read.
inline constexpr uint32_t kLogUnread = 1u << 31;
inline constinit std::atomic<uint32_t> log_topics{kLogUnread};

// True where one of the topics (or'ed bits) is on. One relaxed load when all are off.
bool logs_slow(uint32_t topics);
inline bool logs(uint32_t topics) {
  if ((log_topics.load(std::memory_order_relaxed) & (topics | kLogUnread)) == 0) [[likely]]
    return false;
  return logs_slow(topics);
}
inline bool logs(LogTopic topic) {
  return logs(static_cast<uint32_t>(topic));
}

void set_log(std::string_view topics);  // "kernels,passes"; replaces what INGOT_LOG said
void set_log_topic(LogTopic topic, bool on);

// The bytes that buffers of compiled programs, and all tensors together, may take: INGOT_MEMORY_LIMIT_MB, or
// nine tenths of the machine's memory or of what the process's control groups allow, if that is less.
int64_t memory_limit_bytes();

}  // namespace ingot
