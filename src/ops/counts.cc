#include "ops/counts.h"

#include <algorithm>

#include "ops/identities.h"
#include "ops/kinds.h"

namespace ingot::ops {
namespace {

// Operations above a value that are looked at: the place of an element of an array of rank 4 in row-major
// order is a sum of sums of products of broadcasts. (The tree is walked as a tree, so that it must stay
// small.)
constexpr int kDepth = 8;

std::optional<int64_t> greatest(const ir::Value* value, int depth) {
  const ir::Op* op = value->op();
  if (op == nullptr || depth == 0 || !is_integer(value->dtype()) || bit_width(value->dtype()) < 8)
    return std::nullopt;
  if (const auto constant = splat(value)) {
    const int64_t number = constant->get_int(0);
    return number < 0 ? std::nullopt : std::optional(number);
  }
  std::optional<int64_t> most;
  if (is<IotaOp>(*op)) {
    most =
        std::max<int64_t>(value->type().shape[static_cast<size_t>(op->attributes().integer("axis"))] - 1, 0);
  } else if (is_any<BroadcastOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp>(*op)) {
    most = greatest(op->operand(0), depth - 1);
  } else if (is_any<AddOp, MulOp>(*op)) {
    const auto a = greatest(op->operand(0), depth - 1);
    const auto b = a ? greatest(op->operand(1), depth - 1) : std::nullopt;
    int64_t joined = 0;
    const bool fits = b && !(is<AddOp>(*op) ? __builtin_add_overflow(*a, *b, &joined)
                                            : __builtin_mul_overflow(*a, *b, &joined));
    if (fits) most = joined;
  }
  const int bits = bit_width(value->dtype()) - (is_signed(value->dtype()) ? 1 : 0);
  if (most && bits < 63 && *most >> bits != 0) return std::nullopt;
  return most;
}

}  // namespace

std::optional<int64_t> greatest_count(const ir::Value* value) {
  return greatest(value, kDepth);
}

}  // namespace ingot::ops
