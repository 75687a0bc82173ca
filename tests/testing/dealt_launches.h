// Launches as hard as their contract allows: every unit is a range of its own, units are dealt out to threads
// in turn, so that all threads take part in the smallest kernel; scratch and shared memory hold garbage; each
// buffer lies in memory of its own whose neighbours nobody may touch.
#pragma once

#include <cstdint>
#include <optional>

#include "testing/guarded_memory.h"

namespace ingot::testing {

struct DealOptions {
  int threads = 2;
  bool backwards = false;        // units of a phase in falling order
  unsigned char poison = 0xff;   // of scratch and shared memory; 0xff: NaN and -1
  std::optional<Guard> guard{};  // null: buffers stay where they are
};

// All launches of the process are dealt out while this lives; one at a time may.
class DealtLaunches {
 public:
  explicit DealtLaunches(const DealOptions& options);
  ~DealtLaunches();
  DealtLaunches(const DealtLaunches&) = delete;

  int64_t launches() const;         // so far
  int64_t shared_launches() const;  // in which several threads ran units
  // The kernel that changed one of its inputs; empty if none has.
  const char* changed_input() const;
};

}  // namespace ingot::testing
