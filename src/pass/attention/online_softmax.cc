// Attention without its square: a softmax that is contracted right away is computed block by block.
//
//   p = exp(s - max(s)); y = (p / sum(p)) . v      becomes a loop over blocks of keys with three carries,
//   m' = max(m, max(s_block)); q = exp(m - m')     the maximum and the sum so far, and the unscaled result
//   p = exp(s_block - m')                          so far: whenever a block raises the maximum, the carries
//   l' = l * q + sum(p); y' = y * q + p . v_block  are scaled down to it.
//
// The scores s, of as many elements as there are pairs of queries and keys, are computed for one block of
// keys at a time, so that memory grows with the number of queries and keys and not with its square. What s is
// made of, masks and biases among it, is found by walking up from it (blocked.h). The rewrite changes the
// order of roundings and nothing else: rows without any finite score give NaN as they did.
//
// The loop is a scan over the whole batch that becomes one kernel. If the kernel layer cannot build that, it
// is a loop over the batch with that scan inside, of kernels that fit a cache. Keys that a mask by position
// hides need not be visited (seen_keys.h).

#include "kernel/cost/table.h"
#include "ops/kinds.h"
#include "pass/attention/seen_keys.h"
#include "pass/attention/softmax_loops.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// How many scores one step has to have at least, so that its kernels are worth starting on all threads.
constexpr int64_t kLeastScores = prices::kWorthThreads;

class OnlineSoftmax : public Pass {
 public:
  std::string_view name() const override { return "online_softmax"; }
  std::string_view why() const override {
    return "Computes a softmax that is contracted right away in blocks of keys, so that its scores never "
           "exist as a "
           "whole; it runs on the final form of the arithmetic, before fusion decides what becomes a kernel.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    const int64_t block = context.option("block", 256);
    for (const auto& function : module.functions()) {
      std::vector<Op*> contractions;
      walk(function->body(), [&](Op& op) {
        if (ops::is<ops::DotGeneralOp>(op)) contractions.push_back(&op);
      });
      for (Op* op : contractions) changed |= rewrite(*op, block, context);
    }
    return changed;
  }

 private:
  // Where a mask hides keys from rows, shorter blocks leave less at its edge that is computed for nothing.
  static int64_t keys_per_block(const Attention& found, int64_t block) {
    return seen_keys(found) ? block / 2 : block;
  }

  // One kernel, if the scan over blocks of keys can be one. Else a loop for each dimension of the batch while
  // a step has enough to do, and the loop over blocks of keys inside.
  static void split(const Attention& found, int64_t block, kernel::Candidates& candidates) {
    if (loop_over_keys(found, keys_per_block(found, block), &candidates)) return;
    const int64_t dim = found.batch_dim();
    const int64_t rows = found.scores->type().elements() / found.keys();
    if (dim >= 0 &&
        rows / found.contraction->result()->shape()[static_cast<size_t>(dim)] * block >= kLeastScores) {
      Op* step = loop_over_batch(found, dim);
      split(*find_attention(*step, found.side), block, candidates);
    } else {
      loop_over_keys(found, block, nullptr);
    }
  }

  static bool rewrite(Op& op, int64_t block, PassContext& context) {
    for (int side : {0, 1}) {
      const std::optional<Attention> found = find_attention(op, side);
      if (!found) continue;
      // Worth it where the scores are much larger than what remains.
      const int64_t linear = found->other()->type().elements() + op.result()->type().elements();
      if (found->keys() < 2 * block || found->scores->type().elements() < 4 * linear) return false;
      if (const Op* user = other_user(*found)) {
        context.refuse(*found->scores->op(), user,
                       "the softmax is not computed in blocks: something else reads a part of it");
        return false;
      }
      if (!context.may("online_softmax", op)) return false;
      split(*found, block, context.candidates());
      return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Pass> make_online_softmax() {
  return std::make_unique<OnlineSoftmax>();
}

}  // namespace ingot::pass
