// A program in wider arithmetic than it asks for: what it would give if nothing were rounded.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/tensor.h"
#include "ir/ir.h"

namespace ingot {

// f64 for floats, c128 for complex numbers, itself for all others.
DType widest(DType dtype);
// The same numbers in another dtype of their kind, rounded to nearest.
Tensor converted(const Tensor& tensor, DType to);

struct InF64 {
  std::unique_ptr<ir::Module> module;
  const ir::Function* entry = nullptr;
  // For each operation that stands for one of the program, that one: its types are those that are meant.
  std::unordered_map<const ir::Op*, const ir::Op*> origin;
};

// The entry function and what it calls, with all floats f64 and all complex numbers c128. Constants keep
// their values, integers and preds their arithmetic. What reads the bits of a float rounds it first, since
// bits are those of a width. Conversions between floats round no more.
InF64 in_f64(const ir::Module& module);

}  // namespace ingot
