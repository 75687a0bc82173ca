#include "pass/attention/seen_keys.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ops/identities.h"
#include "ops/kinds.h"
#include "pass/attention/blocked.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Op;
using ir::Value;
using ops::made_by;

// An integer that depends linearly on its place: constant + sum of factor * index.
struct Linear {
  int64_t constant = 0;
  std::map<int64_t, int64_t> factors;  // by dimension

  Linear operator+(const Linear& other) const {
    Linear sum = *this;
    sum.constant += other.constant;
    for (auto [dim, factor] : other.factors) sum.factors[dim] += factor;
    return sum;
  }
  Linear operator*(int64_t by) const {
    Linear product = *this;
    product.constant *= by;
    for (auto& [dim, factor] : product.factors) factor *= by;
    return product;
  }
};

constexpr int kMostAboveMask = 16;  // operations above a mask
// A score that low weighs nothing beside any other: the least numbers of f32 stand for -inf in masks. They do
// so for a row all of whose seen scores are -inf, too, which then gives NaN, and not the mean of what is
// hidden.
constexpr double kAsGoodAsNone = -1e38;

// What place means to the operand of a view that only moves dimensions: they get other numbers.
Linear moved(const Linear& inner, const IntList& places) {
  Linear outer;
  outer.constant = inner.constant;
  for (auto [dim, factor] : inner.factors) outer.factors[places[at(dim)]] = factor;
  return outer;
}

// The places of the operand's dimensions in a reshape that adds or drops only dimensions of extent 1.
std::optional<IntList> places_in_reshape(const Shape& from, const Shape& to) {
  IntList places(from.size(), 0);
  size_t d = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    while (d < to.size() && to[d] == 1) ++d;
    if (d == to.size() || to[d] != from[i]) return std::nullopt;
    places[i] = static_cast<int64_t>(d++);
  }
  return places;
}

// The places that a broadcast, a reshape or a transpose gives to the dimensions of its operand.
std::optional<IntList> places_in(const Op& view) {
  if (const auto broadcast = ops::as<ops::BroadcastOp>(view)) return broadcast->dims();
  const auto transpose = ops::as<ops::TransposeOp>(view);
  if (!transpose.has_value()) return places_in_reshape(view.operand(0)->shape(), view.result()->shape());
  const IntList& permutation = transpose->permutation();
  IntList places(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d) places[at(permutation[d])] = static_cast<int64_t>(d);
  return places;
}

std::optional<Linear> linear(const Value* value, int depth) {
  const Op* op = value->op();
  const bool wide = value->dtype() == DType::kS32 || value->dtype() == DType::kS64;  // nothing wraps around
  if (op == nullptr || depth > kMostAboveMask || !wide) return std::nullopt;
  const auto operand = [&](int i) { return linear(op->operand(i), depth + 1); };
  if (const auto constant = ops::as<ops::ConstantOp>(*op)) {
    const Tensor& number = constant->value();
    if (number.size() == 0) return std::nullopt;
    for (int64_t i = 1; i < number.size(); ++i) {
      if (number.get_int(i) != number.get_int(0)) return std::nullopt;
    }
    return Linear{number.get_int(0), {}};
  }
  if (const auto iota = ops::as<ops::IotaOp>(*op)) return Linear{0, {{iota->axis(), 1}}};
  if (ops::is<ops::ConvertOp>(*op)) return operand(0);
  if (ops::is_any<ops::BroadcastOp, ops::ReshapeOp, ops::TransposeOp>(*op)) {
    const std::optional<IntList> places = places_in(*op);
    const std::optional<Linear> inner = places ? operand(0) : std::nullopt;
    return inner ? std::optional(moved(*inner, *places)) : std::nullopt;
  }
  if (!ops::is_any<ops::AddOp, ops::SubOp, ops::MulOp>(*op)) return std::nullopt;
  const std::optional<Linear> a = operand(0), b = operand(1);
  if (!a || !b) return std::nullopt;
  if (ops::is<ops::AddOp>(*op)) return *a + *b;
  if (ops::is<ops::SubOp>(*op)) return *a + *b * -1;
  if (a->factors.empty()) return *b * a->constant;
  return b->factors.empty() ? std::optional(*a * b->constant) : std::nullopt;
}

std::optional<double> number_everywhere(const Value* value) {
  if (const Op* broadcast = made_by<ops::BroadcastOp>(value)) value = broadcast->operand(0);
  const auto constant = ops::as<ops::ConstantOp>(value);
  if (!constant.has_value() || value->rank() != 0) return std::nullopt;
  return constant->value().get_double(0);
}

// What is at least 0 exactly where the mask holds.
std::optional<Linear> holds(const Value* mask) {
  const Op* op = mask->op();
  if (op != nullptr && ops::is_any<ops::BroadcastOp, ops::ReshapeOp>(*op)) {
    const std::optional<IntList> places = places_in(*op);
    const std::optional<Linear> inner = places ? holds(op->operand(0)) : std::nullopt;
    return inner ? std::optional(moved(*inner, *places)) : std::nullopt;
  }
  // True where another one holds and false elsewhere, as jax.numpy.tril makes it.
  if (const Op* choice = made_by<ops::SelectOp>(mask)) {
    const bool same =
        number_everywhere(choice->operand(1)) == 1. && number_everywhere(choice->operand(2)) == 0.;
    return same && choice->operand(0)->shape() == mask->shape() ? holds(choice->operand(0)) : std::nullopt;
  }
  const Op* comparison = made_by<ops::CompareOp>(mask);
  if (comparison == nullptr) return std::nullopt;
  const std::optional<Linear> a = linear(comparison->operand(0), 0), b = linear(comparison->operand(1), 0);
  if (!a || !b) return std::nullopt;
  const auto& direction = ops::CompareOp(*comparison).direction();
  const Linear less_one{-1, {}};
  if (direction == "ge") return *a + *b * -1;
  if (direction == "gt") return *a + *b * -1 + less_one;
  if (direction == "le") return *b + *a * -1;
  if (direction == "lt") return *b + *a * -1 + less_one;
  return std::nullopt;
}

// Does every row see the first key? Then no step before one that is not active has seen nothing.
bool all_rows_begin(const Attention& found, const SeenKeys& keys) {
  const int64_t dim = keys.row_dim < found.axis ? keys.row_dim : keys.row_dim + 1;
  const int64_t last = found.scores->shape()[at(dim)] - 1;
  return keys.per_key < 0 && keys.constant + std::min<int64_t>(0, keys.per_row * last) >= 0;
}

}  // namespace

std::optional<SeenKeys> seen_keys(const Attention& found) {
  const Op* choice = made_by<ops::SelectOp>(found.scores);
  if (choice == nullptr || choice->operand(0)->shape() != found.scores->shape()) return std::nullopt;
  const std::optional<double> low = number_everywhere(choice->operand(2));
  if (!low || *low > kAsGoodAsNone) return std::nullopt;
  const std::optional<Linear> seen = holds(choice->operand(0));
  if (!seen) return std::nullopt;
  SeenKeys keys;
  keys.constant = seen->constant;
  bool have_row = false;
  for (auto [dim, factor] : seen->factors) {
    if (factor == 0 || found.scores->shape()[at(dim)] == 1) continue;
    if (dim == found.axis) {
      keys.per_key = factor;
      continue;
    }
    if (have_row) return std::nullopt;
    have_row = true;
    keys.row_dim = dim < found.axis ? dim : dim - 1;
    keys.per_row = factor;
  }
  if (!have_row || keys.per_key == 0) return std::nullopt;
  return std::isinf(*low) || all_rows_begin(found, keys) ? std::optional(keys) : std::nullopt;
}

}  // namespace ingot::pass
