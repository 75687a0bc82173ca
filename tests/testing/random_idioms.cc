// Patterns that real programs are made of, and that single random operations would hardly ever form.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/op_record.h"
#include "ops/comparators.h"
#include "testing/random_body.h"

namespace ingot::testing {
namespace {

double extent_product(const Shape& shape, const IntList& axes) {
  double n = 1;
  for (int64_t axis : axes) n *= static_cast<double>(shape[static_cast<size_t>(axis)]);
  return n;
}

}  // namespace

void RandomBody::idiom() {
  Value* x = pick();
  switch (below(6)) {
    case 0:
      return options_.reductions ? softmax(x) : unary();
    case 1:
      return options_.reductions ? normalize(x) : unary();
    case 2:
      return options_.contractions ? layer(x) : binary();
    case 3:
      return options_.views ? cut_up(x) : binary();
    case 4:
      return options_.views ? there_and_back(x) : binary();
    default:
      // Two loops in a row: pick() likes what the first one has made.
      if (!options_.loops) return binary();
      scan();
      if (chance(50)) unary();
      if (chance(30) && options_.views) shape_view(pick());
      return scan();
  }
}

Value* RandomBody::reduce_over(Value* x, const std::string& record, const IntList& axes, const Info& info) {
  const DType dtype = x->dtype();
  Tensor neutral = (*std::get<ir::ScalarRecipe>(*ir::find_record(record)->becomes).identity)(dtype);
  Value* start = builder_.constant(neutral);
  infos_[start] = {0, 0};  // not in the pool: it may be infinite
  auto region = builder_.make_region();
  Value* a = region->add_argument({dtype, {}}, "a");
  Value* b = region->add_argument({dtype, {}}, "b");
  region->set_results({ir::Builder(*region).value(record, {a, b})});
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  ir::Op* op = add("reduce", {x, start}, {{"axes", axes}}, info, std::move(regions));
  return op == nullptr ? nullptr : op->result();
}

Value* RandomBody::broadcast_back(Value* reduced, const Shape& shape, const IntList& axes) {
  IntList dims;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) dims.push_back(d);
  }
  return add_value("broadcast", {reduced}, {{"shape", shape}, {"dims", dims}}, info(reduced));
}

// exp(x - max(x)) / sum(exp(x - max(x))): the sum is at least 1.
void RandomBody::softmax(Value* x) {
  if (!is_float(x->dtype()) || x->type().elements() == 0) return;
  if (info(x).bound > 3) x = squashed(x);
  if (x == nullptr) return;
  IntList axes;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (chance(60)) axes.push_back(d);
  }
  const double n = extent_product(x->shape(), axes);
  const Info i = info(x);
  Value* m = reduce_over(x, "max", axes, i);
  Value* mb = m ? broadcast_back(m, x->shape(), axes) : nullptr;
  Value* d = mb ? add_value("sub", {x, mb}, {}, rounded(x->dtype(), 2 * i.bound, 2 * i.error)) : nullptr;
  Value* e = d ? add_value("exp", {d}, {}, rounded(x->dtype(), 1, 2 * info(d).error, 8)) : nullptr;
  Value* s = e ? reduce_over(e, "add", axes, rounded(x->dtype(), n, n * info(e).error, n + 1)) : nullptr;
  Value* sb = s ? broadcast_back(s, x->shape(), axes) : nullptr;
  if (sb != nullptr) add("div", {e, sb}, {}, rounded(x->dtype(), 1, info(e).error + info(s).error, 8));
}

// (x - mean) * rsqrt(1 + variance).
void RandomBody::normalize(Value* x) {
  if (!is_float(x->dtype()) || x->type().elements() == 0 || x->rank() == 0) return;
  if (info(x).bound > 8) x = squashed(x);
  if (x == nullptr) return;
  const IntList axes = {static_cast<int64_t>(below(static_cast<size_t>(x->rank())))};
  const double n = extent_product(x->shape(), axes);
  const DType dtype = x->dtype();
  const Info i = info(x);
  auto mean = [&](Value* v) -> Value* {
    const Info before = info(v);
    Value* sum = reduce_over(v, "add", axes, rounded(dtype, n * before.bound, n * before.error, n + 1));
    if (sum == nullptr) return nullptr;
    Value* scaled = add_value("mul", {sum, number(sum->type(), 1 / n)}, {},
                              rounded(dtype, before.bound, info(sum).error / n, 4));
    return scaled ? broadcast_back(scaled, x->shape(), axes) : nullptr;
  };
  Value* m = mean(x);
  Value* d = m ? add_value("sub", {x, m}, {}, rounded(dtype, 2 * i.bound, i.error + info(m).error)) : nullptr;
  if (d == nullptr) return;
  const Info di = info(d);
  Value* sq = add_value("mul", {d, d}, {}, rounded(dtype, di.bound * di.bound, 2 * di.bound * di.error));
  Value* v = sq ? mean(sq) : nullptr;
  Value* positive =
      v ? add_value("add", {v, number(v->type(), 1)}, {}, rounded(dtype, info(v).bound + 1, info(v).error))
        : nullptr;
  Value* r =
      positive ? add_value("rsqrt", {positive}, {}, rounded(dtype, 1, info(positive).error, 16)) : nullptr;
  if (r != nullptr) {
    add("mul", {d, r}, {}, rounded(dtype, di.bound, di.error + di.bound * info(r).error));
  }
}

// A product with weights, a bias, an activation, and sometimes the input again.
void RandomBody::layer(Value* x) {
  if (!is_float(x->dtype()) || x->rank() == 0) return;
  if (info(x).bound > 4) x = squashed(x);
  if (x == nullptr) return;
  const DType dtype = x->dtype();
  const int64_t axis = static_cast<int64_t>(below(static_cast<size_t>(x->rank())));
  const int64_t k = x->shape()[static_cast<size_t>(axis)];
  const int64_t features = chance(50) ? k : options_.extents[below(options_.extents.size())];
  const bool swapped = chance(30), weights_first = chance(30);
  Value* w = make_exact({dtype, swapped ? Shape{features, k} : Shape{k, features}}, argument_info(dtype));
  if (w == nullptr) return;
  const Info a = info(x), b = info(w);
  const double n = static_cast<double>(k);
  const IntList x_contract = {axis}, w_contract = {swapped ? 1 : 0};
  Value* y =
      add_value("dot_general", {weights_first ? w : x, weights_first ? x : w},
                {{"lhs_batch", IntList()},
                 {"rhs_batch", IntList()},
                 {"lhs_contract", weights_first ? w_contract : x_contract},
                 {"rhs_contract", weights_first ? x_contract : w_contract}},
                rounded(dtype, n * a.bound * b.bound, n * (a.bound * b.error + b.bound * a.error), n + 1));
  if (y == nullptr) return;
  if (chance(60)) {
    const int64_t feature_axis = weights_first ? 0 : y->rank() - 1;
    if (Value* bias = make_exact({dtype, {features}}, argument_info(dtype))) {
      Value* wide = add_value("broadcast", {bias}, {{"shape", y->shape()}, {"dims", IntList{feature_axis}}},
                              info(bias));
      if (wide == nullptr) return;
      y = add_value("add", {y, wide}, {}, rounded(dtype, info(y).bound + 2, info(y).error));
      if (y == nullptr) return;
    }
  }
  if (chance(60)) {
    y = add_value(chance(50) ? "tanh" : "logistic", {y}, {}, rounded(dtype, 1, info(y).error, 16));
    if (y == nullptr) return;
  }
  if (y->type() == x->type() && chance(60)) {
    add("add", {y, x}, {}, rounded(dtype, info(y).bound + a.bound, info(y).error + a.error));
  }
}

// Cuts along an axis, does something to the pieces, puts them together in another order.
void RandomBody::cut_up(Value* x) {
  if (x->rank() == 0) return;
  const int64_t axis = static_cast<int64_t>(below(static_cast<size_t>(x->rank())));
  const int64_t extent = x->shape()[static_cast<size_t>(axis)];
  if (extent < 2 || extent > 17) return;
  std::vector<Value*> pieces;
  Info all = info(x);
  for (int64_t at = 0; at < extent;) {
    const int64_t end = chance(50) ? at + 1 : random_integer(random_, at + 1, extent);
    IntList starts(x->shape().size(), 0), limits = x->shape(), strides(x->shape().size(), 1);
    starts[static_cast<size_t>(axis)] = at;
    limits[static_cast<size_t>(axis)] = end;
    Value* piece =
        add_value("slice", {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}}, info(x));
    if (piece == nullptr) return;
    if (chance(30) && is_inexact(x->dtype())) {
      piece = add_value("neg", {piece}, {}, info(x));
    } else if (chance(30) && is_integer(x->dtype())) {
      const Info more = {largest(x->dtype()), 0};
      piece = add_value("add", {piece, piece}, {}, more);
      all = more;
    }
    if (piece == nullptr) return;
    pieces.push_back(piece);
    at = end;
  }
  for (size_t i = pieces.size(); i > 1 && chance(80); --i) std::swap(pieces[i - 1], pieces[below(i)]);
  add("concatenate", pieces, {{"axis", axis}}, all);
}

// A view, some work, the view's inverse, and the original again.
void RandomBody::there_and_back(Value* x) {
  if (x->dtype() == DType::kPred) return;
  Value* y = nullptr;
  const int kind = static_cast<int>(below(3));
  IntList permutation(x->shape().size()), inverse(x->shape().size()), axes;
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[below(i)]);
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (chance(50)) axes.push_back(d);
  }
  const Shape flat = {element_count(x->shape())};
  if (kind == 0) y = add_value("transpose", {x}, {{"permutation", permutation}}, info(x));
  if (kind == 1) y = add_value("reshape", {x}, {{"shape", flat}}, info(x));
  if (kind == 2) y = add_value("reverse", {x}, {{"axes", axes}}, info(x));
  if (y == nullptr) return;
  Value* z = is_float(x->dtype())     ? add_value("sin", {y}, {}, rounded(x->dtype(), 1, info(y).error, 16))
             : is_complex(x->dtype()) ? add_value("conj", {y}, {}, info(y))
                                      : add_value("mul", {y, y}, {}, {largest(x->dtype()), 0});
  if (z == nullptr) return;
  if (kind == 0) z = add_value("transpose", {z}, {{"permutation", inverse}}, info(z));
  if (kind == 1) z = add_value("reshape", {z}, {{"shape", x->shape()}}, info(z));
  if (kind == 2) z = add_value("reverse", {z}, {{"axes", axes}}, info(z));
  if (z == nullptr) return;
  const Info sum = is_inexact(x->dtype())
                       ? rounded(x->dtype(), info(x).bound + info(z).bound, info(x).error + info(z).error)
                       : Info{largest(x->dtype()), 0};
  add("add", {x, z}, {}, sum);
}

void RandomBody::sort() {
  Value* key = pick();
  if (key == nullptr || key->rank() == 0 || is_inexact(key->dtype())) return;
  Value* carried = make({random_dtype(), key->shape()});
  if (carried == nullptr) return;
  const bool as_key = chance(70);
  std::unique_ptr<ir::Region> region;
  if (as_key) {
    region = ops::comparator_by_keys(*builder_.region().function(), {key->dtype(), carried->dtype()},
                                     {{.descending = chance(50)}}, {});
  } else {  // the same, and no comparison of keys
    region = builder_.make_region();
    Value* a = region->add_argument({key->dtype(), {}}, "a");
    Value* b = region->add_argument({key->dtype(), {}}, "b");
    for (int i = 0; i < 2; ++i) region->add_argument({carried->dtype(), {}});
    ir::Builder inner(*region);
    Value* not_less = inner.value("compare", {a, b}, {{"direction", std::string("ge")}});
    region->set_results({inner.value("not", {not_less})});
  }
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  const auto axis = static_cast<int64_t>(below(static_cast<size_t>(key->rank())));
  const ir::Op* op =
      builder_.make("sort", {key, carried}, {{"axis", axis}, {"stable", true}}, std::move(regions));
  put(op->result(0), info(key));
  put(op->result(1), info(carried));
}

// Of matrices whose diagonal outweighs all else, so that rounding is not magnified: with elements of at most
// 1 / n beside 2 on the diagonal neither a factor nor a solution is larger than what it is of, times 2.
void RandomBody::matrices() {
  const DType dtype = random_dtype();
  if (!is_inexact(dtype)) return;
  const int64_t n = random_integer(random_, 1, 9);
  Shape batch;
  if (chance(40)) batch.push_back(random_integer(random_, 1, 3));
  TensorType type{dtype, batch};
  type.shape.insert(type.shape.end(), 2, n);
  if (type.elements() > options_.max_elements) return;
  Value* x = make(type);
  if (x == nullptr || info(x).values != Values::kOrdinary || (x = squashed(x)) == nullptr) return;
  const auto size = static_cast<double>(n);
  x = add_value("mul", {x, number(type, 1 / size)}, {}, rounded(dtype, 1 / size, info(x).error / size));
  if (x == nullptr) return;
  Tensor diagonal(dtype, type.shape);
  for (int64_t i = 0; i < diagonal.size(); ++i) diagonal.set_complex(i, i % (n * n) % (n + 1) == 0 ? 2 : 0);
  Value* two = builder_.constant(diagonal);
  infos_[two] = {2, 0};
  x = add_value("add", {x, two}, {}, rounded(dtype, 3, info(x).error));
  if (x == nullptr) return;
  const double error = info(x).error;
  if (chance(50)) {
    add("cholesky", {x}, {{"lower", chance(50)}}, rounded(dtype, 2, 2 * size * error, 4 * size));
    return;
  }
  if (chance(25)) {
    add("qr", {x}, {{"full_matrices", chance(50)}},
        rounded(dtype, 3 * size, 4 * size * size * error, 8 * size));
    return;
  }
  const bool left = chance(50);
  TensorType sides{dtype, batch};
  sides.shape.insert(sides.shape.end(), {n, random_integer(random_, 1, 5)});
  if (!left) std::swap(sides.shape[batch.size()], sides.shape[batch.size() + 1]);
  Value* b = make(sides);
  if (b == nullptr || info(b).values != Values::kOrdinary) return;
  const double bound = 2 * info(b).bound;
  constexpr const char* kTransposes[] = {"no", "transpose", "adjoint"};
  add("triangular_solve", {x, b},
      {{"left_side", left},
       {"lower", chance(50)},
       {"unit_diagonal", false},
       {"transpose_a", std::string(kTransposes[below(3)])}},
      rounded(dtype, bound, 2 * info(b).error + 2 * size * error * bound, 4 * size));
}

// Sums of n terms, of sizes up to the operand's, forwards; backwards no larger than it is.
void RandomBody::transforms() {
  const DType dtype = random_dtype();
  if (!is_inexact(dtype) || is_narrow_float(dtype)) return;
  const bool is_real = !is_complex(dtype), back = chance(50);
  IntList lengths;
  for (int64_t i = random_integer(random_, 1, 2); i > 0; --i)
    lengths.push_back(random_integer(random_, 1, 24));
  TensorType type{is_real && back ? (dtype == DType::kF32 ? DType::kC64 : DType::kC128) : dtype, {}};
  if (chance(40)) type.shape.push_back(random_integer(random_, 1, 3));
  type.shape.insert(type.shape.end(), lengths.begin(), lengths.end());
  if (type.elements() > options_.max_elements) return;
  if (is_real && back) type.shape.back() = lengths.back() / 2 + 1;
  Value* x = make(type);
  if (x == nullptr || info(x).values != Values::kOrdinary || (x = squashed(x)) == nullptr) return;
  double count = 1;
  for (const int64_t n : lengths) count *= static_cast<double>(n);
  // Parts that are thrown away count, too.
  const double bound = 2 * info(x).bound * (back ? 2 : count), error = 2 * info(x).error * (back ? 2 : count);
  add("fft", {x},
      {{"fft_type", std::string(is_real ? back ? "irfft" : "rfft"
                                : back  ? "ifft"
                                        : "fft")},
       {"fft_length", lengths}},
      rounded(dtype, bound, error, 16));
}

}  // namespace ingot::testing
