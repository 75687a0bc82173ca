#include "base/check.h"
#include "codegen/cpu/emitter.h"

namespace ingot::codegen {
using llvm::Value;
void Emitter::plan_runs(const kernel::Block&, kernel::VarId, int, Stretch&) {}
Value* Emitter::load_from_run(const kernel::Load&, const Coords&) {
  return nullptr;
}
void Emitter::flush_stores() {
  if (!stretch_) return;
  for (const PendingStore& s : stretch_->stores) {
    Offset o{s.uniform, s.constant, s.lane_stride, true};
    Value* base = address(s.buffer, o, {});
    const auto bytes = static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(s.buffer)].dtype));
    for (int lane = 0; lane < lanes_; ++lane) {
      Value* element =
          b_.CreateExtractElement(to_memory(s.value, kernel_.buffers[static_cast<size_t>(s.buffer)].dtype),
                                  static_cast<uint64_t>(lane));
      b_.CreateAlignedStore(
          element,
          b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(lane * s.lane_stride * bytes)),
          llvm::Align(static_cast<uint64_t>(bytes)));
    }
  }
  stretch_->stores.clear();
}
}  // namespace ingot::codegen
