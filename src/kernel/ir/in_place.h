// May a kernel write an output into the memory of one of its inputs?
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Points that run side by side in a vector, at most, whatever the machine: 64 bytes of lanes of 4 bytes.
inline constexpr int64_t kMostLanes = 16;

// Of a kernel as it runs, whose statements are looked at once: pairs of thousands of inputs and outputs may
// be asked about. Valid as long as the kernel.
class InPlace {
 public:
  explicit InPlace(const Kernel& scheduled);
  // Empty only if every element of the input is read where, and before, the same element of the output is
  // written, by the same point, and no point runs twice. Else what forbids it, and what would not, as the end
  // of a sentence about the kernel.
  std::string why_not(int input, int output) const;
  // How many statements that took so far.
  int64_t looked_at() const { return looked_at_; }

 private:
  struct Place {
    const Block* block = nullptr;
    size_t position = 0;
    const Index* offset = nullptr;
  };
  struct Stores {  // to one buffer
    int count = 0;
    Place last;
    int64_t points = 0;  // at which that runs
    std::unordered_map<const Block*, size_t> first_in;
  };
  void collect(const Block& block, int64_t times);
  bool reads_elsewhere(BufferId input, const Stores& stores) const;
  std::string why_twice(const Stores& stores, const Buffer& out) const;

  const Kernel& kernel_;
  mutable int64_t looked_at_ = 0;
  std::vector<const Loop*> loops_;
  std::unordered_set<BufferId> copied_;
  std::unordered_map<BufferId, std::vector<Place>> loads_;
  std::unordered_map<BufferId, Stores> stores_;
};

// Marks what copies an array that is then updated, so that it may run in place: where input and output are
// one, the copy does nothing.
void mark_copies(Kernel& kernel);

// True if the output begins as a copy of the input, which is left out where both are the same memory, and
// what else is read of the input is read before an update overwrites it there.
bool is_copied_first(const Kernel& scheduled, BufferId input, BufferId output);

// Which outputs begin as copies of inputs that are then updated, by what mark_copies has marked.
struct CopiedPair {
  BufferId input, output;
};
std::vector<CopiedPair> copied_pairs(const Kernel& scheduled);

// The store of a nest that does nothing but copy an input to the same places of an output; else null.
const Store* copying_store(const Kernel& kernel, const Loop& loop, BufferId& input);

}  // namespace ingot::kernel
