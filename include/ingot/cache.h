// What compiled programs and their kernels take, and how much they may.
#pragma once

#include <cstdint>
#include <source_location>

namespace ingot {

struct CacheUse {
  int64_t entries = 0;
  int64_t bytes = 0;      // about; machine code counts by whole pages
  int64_t hits = 0;       // questions that were answered from the cache
  int64_t misses = 0;     // what had to be compiled
  int64_t evictions = 0;  // what was dropped to stay below the limit
};

struct CacheInfo {
  CacheUse programs;        // of jitted functions (and all else that runs), one for each signature
  CacheUse kernels;         // which programs share
  int64_t limit_bytes = 0;  // of both together
};

// The state of the caches of this process. Hits of other threads are those of a moment ago.
CacheInfo cache_info();

// Programs and kernels together take at most so many bytes, by the same count as cache_info(); 0: what
// INGOT_CACHE_LIMIT_MB says, or else 512 MiB. Those that were called least recently go first. A program that
// is running is not disturbed, and one that was just compiled stays, even if it alone is larger, until the
// next one is or a limit is set. A function whose program has gone is compiled again when it is called, from
// its old trace, and gives the same bits. Traces stay; they are not counted. Error for a negative number.
void set_cache_limit(int64_t bytes, const std::source_location& where = std::source_location::current());

}  // namespace ingot
