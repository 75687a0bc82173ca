// Carries of scans that steps change in part, as x.at(i).set(y) does: a kernel changes them where they lie.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/ir.h"
#include "ops/control.h"

namespace ingot::kernel {

// A carry whose next value is a scatter into it, or the last of several updates, each of the one before. A
// scan that carries it, and changes it in part itself, is one too.
struct UpdatedCarry {
  struct Update {
    ir::Op* op;                // a scatter or a scan
    const ir::Value* version;  // after it
  };
  ops::ScanOp::Carry carry;
  std::vector<Update> updates;  // in the order of the step

  // What update number `u` changes; after the last one, the next value.
  const ir::Value* version(size_t u) const { return u == 0 ? carry.argument : updates[u - 1].version; }
};

// Nothing if the carry is none, or a version of it leaves the body in another way as well.
std::optional<UpdatedCarry> updated_carry(const ops::ScanOp::Carry& carry);

// What a step reads of that version, before update number `u` changes it: values of at most `most` elements
// (by `elements`), seen through views and element-wise operations of more. Throws NotFusible if it reads
// more.
std::vector<const ir::Value*> readings(const UpdatedCarry& updated, size_t u, int64_t most,
                                       const std::function<int64_t(const ir::Value*)>& elements);

}  // namespace ingot::kernel
