// padding: rows of values between kernels lie a little further apart where they would collide in a cache.
//
// Rows that are a multiple of 4096 bytes apart fall on the same few lines of a first-level cache. What is
// read across them is transposed a line at a time, but a kernel that stores across them, as a scan along rows
// does whose lanes are rows, throws out the lines that its next step would write to. So such a value gets a
// pitch (an attribute of the operation that makes it): as many elements more from row to row as a line has.
// Only kernels may touch it; everything else takes values to lie without gaps.
#include <algorithm>

#include "kernel/candidates.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "pass/layout/layout_classes.h"
#include "pass/layout/layout_region.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool collides(const Value& value) {
  const ir::TensorType& type = value.type();
  if (type.bytes() < prices::kSmallCache) return false;  // too few rows to collide, or next to no work
  return kernel::rows_collide(type.shape.back() * static_cast<int64_t>(byte_size(type.dtype)));
}

bool only_kernels_touch(const Value& value) {
  return value.used() && std::all_of(value.uses().begin(), value.uses().end(),
                                     [](const ir::Use& use) { return ops::is<ops::FusedOp>(*use.op); });
}

// Whether points that run side by side are stored a multiple of the period apart.
bool stores_across(const kernel::Kernel& kernel, const kernel::Block& block, kernel::BufferId buffer,
                   kernel::VarId lanes) {
  for (const kernel::Stmt& stmt : block.stmts) {
    if (const auto* loop = std::get_if<kernel::Loop>(&stmt.node)) {
      const bool here = loop->style == kernel::LoopStyle::kLanes;
      if (stores_across(kernel, loop->body, buffer, here ? loop->var : lanes)) return true;
    }
    const auto* store = std::get_if<kernel::Store>(&stmt.node);
    if (store == nullptr || store->buffer != buffer || lanes == kernel::kNone) continue;
    const auto bytes = static_cast<int64_t>(byte_size(kernel.buffers[static_cast<size_t>(buffer)].dtype));
    const int64_t distance = store->offset.coefficient(lanes) * bytes;
    if (distance != 0 && kernel::rows_collide(distance)) return true;
  }
  return false;
}

class Padding : public Pass {
 public:
  std::string_view name() const override { return "padding"; }
  std::string_view why() const override {
    return "Moves rows apart that kernels store across and that would collide in a cache; it follows layout, "
           "which says what a row is.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    // For tests: all values that may have a pitch get one, by so many elements.
    const int64_t always = context.option("always", 0);
    for (auto& function : module.functions()) {
      walk(function->body(), [&](Op& op) {
        if (ops::is<ops::FusedOp>(op)) changed |= pad(op, always, context);
      });
    }
    return changed;
  }

 private:
  static bool pad(Op& op, int64_t always, PassContext& context) {
    std::vector<Value*> candidates = op.results();
    std::erase_if(candidates, [&](const Value* value) {
      return value->rank() < 2 || !only_kernels_touch(*value) || !(always > 0 || collides(*value));
    });
    if (candidates.empty()) return false;
    if (always == 0) {
      const kernel::Kernel kernel = context.candidates().of(kernel::group_of(op)).scheduled();
      std::erase_if(candidates, [&](const Value* value) {
        const kernel::BufferId buffer = kernel.input_count + value->index();
        return !stores_across(kernel, kernel.body, buffer, kernel::kNone);
      });
    }
    bool changed = false;
    for (const Value* value : candidates) {
      if (!context.may("pitch", op)) continue;
      const int64_t more =
          always > 0 ? always : prices::kLineBytes / static_cast<int64_t>(byte_size(value->dtype()));
      const int64_t pitch = value->shape().back() + more;
      ops::set_stored_pitch(op.attributes(), value->index(), pitch);
      context.note("%" + value->name(),
                   "has rows " + std::to_string(pitch) +
                       " elements apart, since what is stored across them would collide");
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_padding() {
  return std::make_unique<Padding>();
}

}  // namespace ingot::pass
