// Equality and hash of programs up to names and locations.
//
// Two regions are equal if they hold the same operations in the same order on the same operands. Callees are
// compared by what they are, not by what they are called. Equal things have equal hashes, in every process:
// kernels and functions are kept by them.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace ingot::ir {

// Hashes of functions, where many are asked for: each is taken once. What takes the place of a callee must be
// equal to it.
class StructuralHashes {
 public:
  StructuralHashes();
  ~StructuralHashes();
  uint64_t of(const Function& function);

 private:
  std::unique_ptr<class StructuralHasher> hasher_;
};

uint64_t structural_hash(const Attributes& attributes);  // symbols count by name
uint64_t structural_hash(const Region& region);
uint64_t structural_hash(const Function& function);  // with its donated arguments

bool structurally_equal(const Attributes& a, const Attributes& b);  // floats by their bits; symbols by name
bool structurally_equal(const Region& a, const Region& b);
bool structurally_equal(const Function& a, const Function& b);

}  // namespace ingot::ir
