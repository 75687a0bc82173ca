// The pool, and element-wise operations. Error bounds are first order, with room to spare.

#include "testing/random_body.h"

#include <algorithm>
#include <cmath>

#include "ingot/error.h"

namespace ingot::testing {
namespace {

constexpr double kMaxBound = 1000;     // of floats
constexpr double kMaxEpsilons = 2000;  // error of floats, in relative rounding errors
constexpr double kMaxError = 0.5;      // of floats of 16 bits, for which so many are too many
constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17};  // where a program leaves its own

std::string any_of(Random& random, std::initializer_list<const char*> names) {
  return names.begin()[random() % names.size()];
}

}  // namespace

double epsilon_of(DType dtype) {
  if (is_complex(dtype)) return 4 * epsilon_of(real_dtype(dtype));  // products are several operations
  if (is_small_float(dtype)) return std::ldexp(1.0, 1 - significant_bits(dtype));
  if (dtype == DType::kBF16) return 7.9e-3;
  if (dtype == DType::kF16) return 9.8e-4;
  if (dtype == DType::kF32) return 1.2e-7;
  return dtype == DType::kF64 ? 2.3e-16 : 0;
}

double largest(DType dtype) {
  return dtype == DType::kPred ? 1 : std::ldexp(1, bit_width(dtype));
}

Info merged(const Info& a, const Info& b) {
  return {std::max(a.bound, b.bound), std::max(a.error, b.error), std::max(a.values, b.values)};
}

Info argument_info(DType dtype, Values values) {
  if (values != Values::kOrdinary)
    return {is_inexact(dtype) ? 2 : largest(dtype), 0, is_inexact(dtype) ? values : Values::kOrdinary};
  if (is_complex(dtype)) return {3, 0};
  if (is_float(dtype)) return {2, 0};
  return {dtype == DType::kPred ? 1.0 : 16.0, 0};
}

Info RandomBody::rounded(DType dtype, double bound, double error, double ulps) const {
  // Never 0: the sign of a zero that was computed is open, a sum of products being one with and without a 0.
  if (is_inexact(dtype)) return {bound, error + ulps * epsilon_of(dtype) * std::max(bound, 1e-3)};
  return {std::min(bound, largest(dtype)), 0};
}

// --- the pool
// ---------------------------------------------------------------------------------------------------

void RandomBody::put(Value* value, Info info) {
  pool_.push_back(value);
  infos_[value] = info;
}

Value* RandomBody::pick() {
  if (pool_.empty()) return nullptr;
  if (chance(50)) {  // what nobody has used yet would be dead code
    std::vector<Value*> unused;
    for (Value* value : pool_) {
      if (!value->used() && (value->op() == nullptr || value->op()->name() != "constant"))
        unused.push_back(value);
    }
    if (!unused.empty()) return unused[below(unused.size())];
  }
  size_t from = chance(60) && pool_.size() > 6 ? pool_.size() - 6 : 0;
  return pool_[from + below(pool_.size() - from)];
}

ir::Op* RandomBody::add(std::string_view record, std::vector<Value*> operands, Attributes attributes,
                        const Info& ordinary, std::vector<std::unique_ptr<ir::Region>> regions) {
  if (std::count(operands.begin(), operands.end(), nullptr) > 0) return nullptr;
  builder_.set_provenance(chance(50) ? ir::Provenance{"random.cc", static_cast<int>(below(1000)), "", ""}
                                     : ir::Provenance());
  ir::Op* op = builder_.make(record, std::move(operands), std::move(attributes), std::move(regions));
  const std::optional<Info> known = with_special_values(*op, ordinary);
  const Info info = known.value_or(ordinary);
  bool good = known.has_value();
  for (const Value* result : op->results()) {
    good &= result->type().elements() <= options_.max_elements && result->rank() <= options_.max_rank + 1;
    if (is_inexact(result->dtype())) {
      good &= info.bound <= kMaxBound &&
              info.error <= std::min(kMaxEpsilons * epsilon_of(result->dtype()), kMaxError);
    }
  }
  if (!good) {
    op->erase();
    return nullptr;
  }
  for (Value* result : op->results()) put(result, info);
  return op;
}

Shape RandomBody::random_shape(int64_t max_elements) {
  Shape shape;
  int64_t elements = 1;
  for (size_t rank = below(static_cast<size_t>(options_.max_rank) + 1); shape.size() < rank;) {
    int64_t extent =
        chance(80) ? options_.extents[below(options_.extents.size())] : kExtents[below(std::size(kExtents))];
    if (chance(1)) extent = 0;
    if (elements * extent > max_elements) extent = 1;
    elements *= extent;
    shape.push_back(extent);
  }
  return shape;
}

Value* RandomBody::number(const TensorType& type, double value) {
  Tensor scalar(type.dtype, {});
  scalar.set_double(0, value);
  Info info{std::abs(value), 0};
  Value* result = add_value("constant", {}, {{"value", scalar}}, info);
  if (type.shape.empty()) return result;
  return add_value("broadcast", {result}, {{"shape", type.shape}, {"dims", IntList()}}, info);
}

Value* RandomBody::random_constant(const TensorType& type) {
  if (type.elements() > 24)
    return number(type, is_inexact(type.dtype) ? 0.25 * double(below(8)) : double(below(2)));
  Tensor tensor = random_tensor(random_, type.dtype, type.shape);
  for (int64_t i = 0; is_float(type.dtype) && i < tensor.size(); ++i) {
    tensor.set_double(i, 0.25 * static_cast<double>(random_integer(random_, -8, 8)));
  }
  return add_value("constant", {}, {{"value", tensor}}, argument_info(type.dtype));
}

Value* RandomBody::make(const TensorType& type) {
  std::vector<Value*> same, same_shape;
  for (Value* value : pool_) {
    if (value->type() == type) same.push_back(value);
    if (value->shape() == type.shape) same_shape.push_back(value);
  }
  if (!same.empty() && chance(70)) return same[below(same.size())];
  if (!same_shape.empty() && chance(40)) {
    Value* from = same_shape[below(same_shape.size())];
    bool exact = (info(from).error == 0 || is_inexact(type.dtype)) &&
                 (is_complex(type.dtype) || !is_complex(from->dtype()));
    double epsilon = epsilon_of(type.dtype);
    if (exact && (info(from).bound <= kMaxBound || !is_inexact(type.dtype)) && from->dtype() != type.dtype) {
      Info converted = is_inexact(type.dtype)
                           ? Info{info(from).bound, info(from).error + epsilon * info(from).bound}
                           : Info{largest(type.dtype), 0};
      if (Value* value = add_value("convert", {from}, {{"dtype", type.dtype}}, converted)) return value;
    }
  }
  // A broadcast of something smaller whose extents occur in the shape.
  if (chance(40)) {
    Value* from = pick();
    IntList dims;
    if (from != nullptr && from->dtype() == type.dtype && from->rank() < type.rank()) {
      for (int64_t d = 0; d < type.rank() && static_cast<int64_t>(dims.size()) < from->rank(); ++d) {
        if (from->shape()[dims.size()] == type.shape[static_cast<size_t>(d)]) dims.push_back(d);
      }
      if (static_cast<int64_t>(dims.size()) == from->rank()) {
        return add_value("broadcast", {from}, {{"shape", type.shape}, {"dims", dims}}, info(from));
      }
    }
  }
  return make_exact(type, argument_info(type.dtype));
}

Value* RandomBody::make_exact(const TensorType& type, const Info& limit) {
  std::vector<Value*> good;
  for (Value* value : pool_) {
    const Info& i = info(value);
    if (value->type() == type && i.error == 0 && i.bound <= limit.bound && i.values == Values::kOrdinary)
      good.push_back(value);
  }
  if (!good.empty() && chance(60)) return good[below(good.size())];
  if (grow_arguments_ && chance(60)) {
    Value* argument =
        builder_.region().add_argument(type, any_of(random_, {"x", "y", "weights", "odd name!"}));
    put(argument, argument_info(type.dtype));
    return argument;
  }
  bool numbers = type.dtype != DType::kPred && type.rank() > 0;
  int64_t axis = numbers ? static_cast<int64_t>(below(static_cast<size_t>(type.rank()))) : 0;
  if (numbers && chance(20) && static_cast<double>(type.shape[static_cast<size_t>(axis)]) <= limit.bound) {
    return add_value("iota", {}, {{"dtype", type.dtype}, {"shape", type.shape}, {"axis", axis}}, limit);
  }
  return random_constant(type);
}

std::vector<Value*> RandomBody::choose_results(int count) {
  std::vector<Value*> results;
  for (auto it = pool_.rbegin(); it != pool_.rend() && static_cast<int>(results.size()) < count; ++it) {
    if ((*it)->op() != nullptr && !(*it)->used()) results.push_back(*it);
  }
  if (results.empty() || chance(15)) results.push_back(pick());
  return results;
}

void RandomBody::step() {
  if (pool_.empty() || chance(4)) {
    make_exact({random_dtype(), random_shape(options_.max_elements / 4)}, {16, 0});
    return;
  }
  if (options_.updates && grow_arguments_ && chance(50)) return updates();
  if (options_.idioms && chance(15)) return idiom();
  switch (below(20)) {
    case 0:
    case 1:
    case 2:
      return unary();
    case 3:
    case 4:
    case 5:
    case 6:
      return binary();
    case 7:
      return compare_and_select();
    case 8:
      return convert();
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      return options_.views ? view() : unary();
    case 14:
    case 15:
      return options_.reductions ? reduce() : binary();
    case 16:
      if (!options_.contractions) return binary();
      return chance(70) ? dot() : chance(50) ? convolve() : chance(60) ? matrices() : transforms();
    case 17:
      if (!options_.loops) return unary();
      if (!options_.choices) return scan();
      return chance(50) ? scan() : chance(50) ? loop() : branch();
    case 18:
      if (callees_.empty()) return options_.reductions ? sort() : binary();
      [[fallthrough]];
    default:
      return callees_.empty() ? binary() : call();
  }
}

// --- element-wise
// -----------------------------------------------------------------------------------------------

Value* RandomBody::away_from_zero(Value* x) {
  Value* magnitude = add_value("abs", {x}, {}, info(x));
  if (magnitude == nullptr) return nullptr;
  return add_value("add", {magnitude, number(x->type(), 1)}, {},
                   rounded(x->dtype(), info(x).bound + 1, info(x).error));
}

Value* RandomBody::squashed(Value* x) {
  if (info(x).bound <= 1 && info(x).values != Values::kExtreme) return x;
  if (is_complex(x->dtype())) {
    const double factor = 1 / info(x).bound;
    return add_value("mul", {x, number(x->type(), factor)}, {},
                     rounded(x->dtype(), 1, info(x).error * factor, 2));
  }
  return add_value("tanh", {x}, {}, rounded(x->dtype(), 1, info(x).error, 16));
}

void RandomBody::unary() {
  Value* x = pick();
  if (is_float(x->dtype())) return unary_float(x);
  if (is_complex(x->dtype())) return unary_complex(x);
  if (x->dtype() == DType::kPred) {
    add("not", {x}, {}, info(x));
    return;
  }
  std::string name = any_of(random_, {"neg", "abs", "sign", "not", "popcnt", "clz"});
  if (name == "popcnt" || name == "clz") {
    add(name, {x}, {}, {64, 0});
    return;
  }
  add(name, {x}, {}, {name == "abs" || is_signed(x->dtype()) ? info(x).bound + 1 : largest(x->dtype()), 0});
}

// Functions without poles, and those with cuts of what two compilers agree on to the last bit.
void RandomBody::unary_complex(Value* x) {
  const Info i = info(x);
  const DType dtype = x->dtype(), part = real_dtype(dtype);
  std::string name = any_of(
      random_, {"neg", "conj", "real", "imag", "abs", "exp", "sin", "cos", "log", "sqrt", "angle", "swap"});
  if (name == "swap" || name == "angle") {
    Value *re = add_value("real", {x}, {}, i), *im = add_value("imag", {x}, {}, i);
    if (re == nullptr || im == nullptr) return;
    if (name == "swap")
      add("complex", {im, re}, {}, i);
    else if (i.error == 0 && x->op() == nullptr)
      add("atan2", {im, re}, {}, rounded(part, 4, 0, 16));
  } else if (name == "neg" || name == "conj" || name == "real" || name == "imag") {
    add(name, {x}, {}, i);
  } else if (name == "abs") {
    add(name, {x}, {}, {i.bound, i.error + 4 * epsilon_of(part) * i.bound});
  } else if (name == "log" || name == "sqrt") {
    if (i.error == 0 && x->op() == nullptr) add(name, {x}, {}, rounded(dtype, 20, 0, 16));
  } else {
    if (i.bound > 4) x = squashed(x);
    if (x == nullptr) return;
    const double bound = std::exp(std::min(i.bound, 4.0));
    add(name, {x}, {}, rounded(dtype, bound, 2 * bound * info(x).error, 16));
  }
}

// Where they are smooth, at most a few times as steep as a line.
void RandomBody::special_float(Value* x) {
  const DType dtype = x->dtype();
  const std::string name = any_of(random_, {"tan",        "asin",
                                            "acos",       "atan",
                                            "sinh",       "cosh",
                                            "asinh",      "acosh",
                                            "atanh",      "exp2",
                                            "log2",       "cbrt",
                                            "erfc",       "erf_inv",
                                            "lgamma",     "digamma",
                                            "zeta",       "polygamma",
                                            "bessel_i0e", "bessel_i1e",
                                            "round_away", "reduce_precision"});
  if (name == "reduce_precision") {
    const ir::Attributes format = {{"exponent_bits", int64_t{8}}, {"mantissa_bits", int64_t{3}}};
    const double bound = 1.25 * info(x).bound + 1;
    if (info(x).error != 0 || bound >= 1e30) return;
    // Tangents are rounded on their way there, cotangents on their way back: modes would differ.
    Value* fixed = add_value("stop_gradient", {x}, {}, info(x));
    if (fixed != nullptr) add(name, {fixed}, format, {bound, 0});
    return;
  }
  if (name == "round_away") {
    if (info(x).error == 0) add(name, {x}, {}, {info(x).bound + 1, 0});
    return;
  }
  Value* small = squashed(x);
  if (small == nullptr) return;
  if (name == "asin" || name == "acos" || name == "atanh" || name == "erf_inv") {
    small =
        add_value("mul", {small, number(small->type(), 0.5)}, {}, rounded(dtype, 0.5, info(small).error / 2));
  } else if (name == "log2" || name == "cbrt" || name == "lgamma" || name == "digamma" || name == "acosh" ||
             name == "zeta" || name == "polygamma") {
    small = away_from_zero(small);
    if (small != nullptr && name != "log2" && name != "cbrt")
      small =
          add_value("add", {small, number(small->type(), 0.5)}, {}, rounded(dtype, 2.5, info(small).error));
  }
  if (small == nullptr) return;
  std::vector<Value*> operands{small};
  // Both have no derivative in their first operand.
  if (name == "zeta") operands.insert(operands.begin(), number(small->type(), 2.5));
  if (name == "polygamma") operands.insert(operands.begin(), number(small->type(), 1));
  add(name, operands, {}, rounded(dtype, 8, 8 * info(small).error, 32));
}

void RandomBody::unary_float(Value* x) {
  if (chance(8)) return special_float(x);
  const Info i = info(x);
  const DType dtype = x->dtype();
  std::string name = any_of(random_, {"neg",   "abs",   "exp",       "log",           "sin",
                                      "cos",   "tanh",  "logistic",  "sqrt",          "rsqrt",
                                      "sign",  "floor", "ceil",      "round_even",    "expm1",
                                      "log1p", "erf",   "is_finite", "stop_gradient", "checkpoint_name"});
  if (name == "checkpoint_name") {
    add(name, {x}, {{"name", std::string("x")}}, i);
  } else if (name == "neg" || name == "abs" || name == "stop_gradient") {
    add(name, {x}, {}, i);
  } else if (name == "is_finite") {
    add(name, {x}, {}, {1, 0});
  } else if (name == "sign" || name == "floor" || name == "ceil" || name == "round_even") {
    if (i.error == 0) add(name, {x}, {}, {i.bound + 1, 0});
  } else if (name == "exp" || name == "expm1") {
    if (i.bound > 6) x = squashed(x);
    if (x == nullptr) return;
    double bound = std::exp(std::min(i.bound, 6.0));
    add(name, {x}, {}, rounded(dtype, bound, 2 * bound * i.error, 16));
  } else if (name == "log" || name == "log1p" || name == "sqrt" || name == "rsqrt") {
    Value* y = away_from_zero(x);
    if (y == nullptr) return;
    double bound = name.starts_with("log") ? std::log(i.bound + 2) + 1 : std::sqrt(i.bound + 1);
    add(name, {y}, {}, rounded(dtype, bound, info(y).error, 16));
  } else {
    add(name, {x}, {}, rounded(dtype, 1, 2 * i.error, 16));
  }
}

void RandomBody::binary() {
  Value* x = pick();
  Value* y = make(x->type());
  if (y == nullptr) return;
  if (chance(50)) std::swap(x, y);
  if (is_float(x->dtype())) return binary_float(x, y);
  if (is_complex(x->dtype())) return binary_complex(x, y);
  if (x->dtype() != DType::kPred) return binary_integer(x, y);
  add(any_of(random_, {"and", "or", "xor"}), {x, y}, {}, {1, 0});
}

void RandomBody::binary_complex(Value* x, Value* y) {
  const Info a = info(x), b = info(y);
  const DType dtype = x->dtype();
  std::string name = any_of(random_, {"add", "sub", "mul", "mul", "div"});
  if (name == "mul") {
    add(name, {x, y}, {}, rounded(dtype, a.bound * b.bound, 2 * (a.bound * b.error + b.bound * a.error)));
  } else if (name == "div") {
    Value* divisor = number(x->type(), 1.5);
    add(name, {x, divisor}, {}, rounded(dtype, a.bound, a.error, 4));
  } else {
    add(name, {x, y}, {}, rounded(dtype, a.bound + b.bound, a.error + b.error));
  }
}

void RandomBody::binary_float(Value* x, Value* y) {
  const Info a = info(x), b = info(y);
  const DType dtype = x->dtype();
  std::string name = any_of(random_, {"add", "add", "sub", "mul", "mul", "div", "max", "min", "rem", "pow"});
  if (name == "add" || name == "sub") {
    add(name, {x, y}, {}, rounded(dtype, a.bound + b.bound, a.error + b.error));
  } else if (name == "mul") {
    double error = a.bound * b.error + b.bound * a.error;
    add(name, {x, y}, {}, rounded(dtype, a.bound * b.bound, 2 * error));
  } else if (name == "div") {
    Value* divisor = away_from_zero(y);
    if (divisor != nullptr) {
      add(name, {x, divisor}, {}, rounded(dtype, a.bound, a.error + a.bound * info(divisor).error, 4));
    }
  } else if (name == "max" || name == "min") {
    add(name, {x, y}, {}, merged(a, b));
  } else if (name == "pow") {
    // A base of 1 to 3 and an exponent of -1 to 1.
    Value *base = squashed(x), *exponent = squashed(y);
    base = base == nullptr ? nullptr : away_from_zero(base);
    if (base == nullptr || exponent == nullptr) return;
    add(name, {base, exponent}, {}, rounded(dtype, 3, 3 * (info(base).error + 2 * info(exponent).error), 4));
  } else if (a.error == 0) {
    add(name, {x, number(x->type(), 0.75)}, {}, {1, 0});
  }
}

void RandomBody::binary_integer(Value* x, Value* y) {
  const Info a = info(x), b = info(y);
  const DType dtype = x->dtype();
  std::string name = any_of(random_, {"add", "sub", "mul", "div", "rem", "max", "min", "and", "or", "xor",
                                      "shift_left", "shift_right_logical", "shift_right_arithmetic"});
  double bound = largest(dtype);
  if (name == "add") bound = a.bound + b.bound;
  if (name == "sub" && is_signed(dtype)) bound = a.bound + b.bound;
  if (name == "mul") bound = a.bound * b.bound;
  if (name == "max" || name == "min") bound = std::max(a.bound, b.bound);
  if (bound >= largest(dtype) / 2) bound = largest(dtype);  // it may wrap
  add(name, {x, y}, {}, {bound, 0});
}

void RandomBody::compare_and_select() {
  Value* x = pick();
  Value* y = make(x->type());
  if (y == nullptr) return;
  if (info(x).error == 0 && info(y).error == 0 && chance(70)) {
    const bool ordered = !is_complex(x->dtype());
    const std::string direction =
        ordered ? any_of(random_, {"eq", "ne", "lt", "le", "gt", "ge"}) : any_of(random_, {"eq", "ne"});
    add("compare", {x, y}, {{"direction", direction}}, {1, 0});
  } else if (Value* condition = make_exact({DType::kPred, x->shape()}, {1, 0})) {
    add("select", {condition, x, y}, {}, merged(info(x), info(y)));
  }
}

void RandomBody::convert() {
  Value* x = pick();
  DType to = random_dtype();
  const Info i = info(x);
  if (is_complex(x->dtype()) && !is_complex(to)) return;
  bool bits = x->dtype() != to && !is_inexact(x->dtype()) && !is_inexact(to) && x->dtype() != DType::kPred &&
              to != DType::kPred && byte_size(x->dtype()) == byte_size(to);
  if (bits) {
    add("bitcast", {x}, {{"dtype", to}}, {largest(to), 0});
  } else if (is_inexact(to)) {
    add("convert", {x}, {{"dtype", to}}, rounded(to, i.bound, i.error));
  } else if (i.error == 0) {
    add("convert", {x}, {{"dtype", to}}, {largest(to), 0});
  }
}

}  // namespace ingot::testing
