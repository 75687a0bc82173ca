// The gradient of attention without its square.
//
// What follows from the weights p = exp(s - max(s)) of a softmax on the way back,
//
//   w = p / sum(p);  dv = w^T . dy;  dw = dy . v^T;  ds = ...(p, dw, sums of rows);  dq = ds . k;  dk = ds^T
//   . q
//
// has as many elements as there are pairs of queries and keys, but its rows do not know of each other, and it
// all ends in contractions that are small again. So it is computed for some rows of queries at a time: dq is
// put together from blocks, dk and dv are sums over them, and the scores are computed anew from q and k. No
// formula of the gradient is known here: the part of the program is found by walking from p to the
// contractions that end it (row_loop.h), and what these read that depends on others of them, as the way back
// reads what the way there has ended in, stays for a part of its own. Rounding differs by the order in which
// the blocks' sums are added, and by nothing else.
#include <algorithm>

#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "pass/attention/find_attention.h"
#include "pass/attention/row_loop.h"
#include "pass/call_graph.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

constexpr int64_t kLeastKeys = 256;

// exp(s - spread(max(s))), and s as large as the product of its rows and keys.
bool is_softmax_weight(const Op& op) {
  if (!ops::is<ops::ExpOp>(op) || op.result()->type().elements() < prices::kPastCaches) return false;
  const Op* shifted = ops::made_by<ops::SubOp>(op.operand(0));
  const Op* spread = shifted == nullptr ? nullptr : ops::made_by<ops::BroadcastOp>(shifted->operand(1));
  const Op* most = spread == nullptr ? nullptr : ops::made_by<ops::ReduceOp>(spread->operand(0));
  return most != nullptr && most->operand(0) == shifted->operand(0) &&
         ops::ReduceOp(*most).axes().size() == 1;
}

int64_t keys_axis(const Value* weights) {
  const Op* spread = weights->op()->operand(0)->op()->operand(1)->op();
  return ops::ReduceOp(*spread->operand(0)->op()).axes()[0];
}

class RowBlocks : public Pass {
 public:
  std::string_view name() const override { return "row_blocks"; }
  std::string_view why() const override {
    return "Computes the gradient of a softmax between contractions for blocks of rows, so that nothing of "
           "the size of its scores exists as a whole; it runs on the final form of the arithmetic, before "
           "online_softmax looks at what of the softmax is left.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = expand_checkpoints(module, context);
    const int64_t block = context.option("elements", 1 << 18);
    for (const auto& function : module.functions()) {
      std::vector<Value*> weights;
      walk(function->body(), [&](Op& op) {
        if (is_softmax_weight(op)) weights.push_back(op.result());
      });
      for (Value* value : weights) changed |= rewrite(value, block, context);
    }
    return changed;
  }

 private:
  // A checkpoint that hands out the weights of a softmax: the blocks compute them anew in any case.
  static bool expand_checkpoints(ir::Module& module, PassContext& context) {
    const std::vector<Op*> calls = find_ops(module, [](Op& op) {
      if (!ops::recomputes(op)) return false;
      const auto results = ops::callee_of(op)->body().results();
      return std::any_of(results.begin(), results.end(), [](const Value* result) {
        return result->op() != nullptr && is_softmax_weight(*result->op());
      });
    });
    bool changed = false;
    for (Op* call : calls) {
      if (!context.may("expand_checkpoint", *call)) continue;
      const ir::Region& body = ops::callee_of(*call)->body();
      ir::ValueMap map;
      for (int i = 0; i < body.argument_count(); ++i) map[body.argument(i)] = call->operand(i);
      replace_op(call, clone_ops(body, *call->parent(), map, call, expansion_prefix(*call)), {});
      changed = true;
    }
    return changed;
  }

  static bool rewrite(Value* weights, int64_t block, PassContext& context) {
    if (weights->shape()[static_cast<size_t>(keys_axis(weights))] < kLeastKeys) return false;
    bool changed = false;
    int64_t axis = next_axis(weights, -1);
    while (axis >= 0) {
      RowPart part(weights, axis);
      const int64_t rows = weights->shape()[static_cast<size_t>(axis)],
                    row = weights->type().elements() / rows;
      const int64_t after = next_axis(weights, axis);
      const int64_t wanted = after >= 0 && row >= block ? 1 : std::clamp<int64_t>(block / row, 1, rows);
      int64_t size = wanted;
      while (rows % size != 0) --size;
      if (!changed) {
        if (part.obstacle() != nullptr) {
          context.refuse(
              *weights->op(), part.obstacle(),
              "its gradient is not computed for blocks of rows: a large value is needed as a whole");
          return false;
        }
        part.keep_last_exits();
        // The way there is for online_softmax. And the scores should be much larger than what remains.
        if (is_forward(part) || block * 4 > weights->type().elements()) return false;
        if (size * 4 < std::min(wanted, rows)) {
          context.refuse(
              *weights->op(), nullptr,
              "its gradient is not computed for blocks of rows: their number has no divisor that fits");
          return false;
        }
        if (!context.may("row_blocks", *part.exits()[0])) return false;
      }
      if (size == rows) return changed;
      weights = part.loop(size, "row_blocks");
      changed = true;
      if (size > 1) return true;
      axis = after;
    }
    return changed;
  }

  static bool is_forward(const RowPart& part) {
    if (part.exits().size() != 1) return part.exits().empty();
    return find_attention(*part.exits()[0], 0) || find_attention(*part.exits()[0], 1);
  }

  // The next dimension of more than one row, from the left; the keys are none.
  static int64_t next_axis(const Value* weights, int64_t axis) {
    const int64_t keys = keys_axis(weights);
    for (++axis; axis < weights->rank(); ++axis) {
      if (axis != keys && weights->shape()[static_cast<size_t>(axis)] > 1) return axis;
    }
    return -1;
  }
};

}  // namespace

std::unique_ptr<Pass> make_row_blocks() {
  return std::make_unique<RowBlocks>();
}

}  // namespace ingot::pass
