#include "interpreter/judge.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "base/visit_dtype.h"
#include "interpreter/in_f64.h"
#include "interpreter/interpreter.h"
#include "ir/op_record.h"
#include "ops/derivatives.h"
#include "ops/host_call.h"
#include "ops/kinds.h"

namespace ingot {
namespace {

using ir::Op;

constexpr double kMoves = 4;          // ulps that arithmetic in f32 and f64 is moved by
constexpr double kNarrowMoves = 1;    // of f16 and bf16, which are results of f32 rounded once
constexpr double kFactor = 3;         // room, in units of what evaluations are apart
constexpr double kLeast = 4;          // ulps of room in any case
constexpr int64_t kNeighbours = 2;    // on each side, whose spread counts too
constexpr int64_t kReach = 16;        // how far those may be of an element that moves, where others do not
constexpr int64_t kLongChain = 4096;  // terms; longer sums are cut
// Magnitudes of sums are kept from one evaluation for the next ones, up to so many bytes.
constexpr size_t kMagnitudes = size_t{256} << 20;

// The number rounded to a real dtype.
double rounded(double x, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_narrow_float(dtype_of<T>()))
      return static_cast<double>(static_cast<float>(T(static_cast<float>(x))));
    else
      return dtype == DType::kF32 ? static_cast<double>(static_cast<float>(x)) : x;
  });
}

int bits_of(DType dtype) {
  return significant_bits(real_dtype(dtype));
}

DType accumulator_of(DType dtype) {
  return is_narrow_float(dtype) ? DType::kF32 : real_dtype(dtype);
}

double least_normal(DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_float(dtype_of<T>()))
      return static_cast<double>(std::numeric_limits<T>::min());
    else
      return 0x1p-126;
  });
}

// What functions may take for zero. Arithmetic on f16 is that of f32, to which its numbers are none of these.
double flushed(DType dtype) {
  const DType real = real_dtype(dtype);
  return real == DType::kF16 || is_small_float(real) ? 0 : least_normal(real);
}

// The unit in the last place of a number of that size.
double ulp(double size, DType dtype) {
  const DType real = real_dtype(dtype);
  const int bits = bits_of(dtype);
  size = std::max(size, least_normal(real));
  if (!std::isfinite(size)) return 0;
  return std::ldexp(1.0, std::max(std::ilogb(size), -1021 + bits) - bits + 1);
}

// Whether a number is one of its dtype, so that no rounding has made it. In f64, where there is nothing wider
// to tell by, one that f32 would hold.
bool is_exact(double x, DType dtype) {
  return std::isnan(x) || rounded(x, dtype == DType::kF64 ? DType::kF32 : dtype) == x;
}

// Rounding to nearest may reach -1, 0 or 1 from either side, and does not cross them: an exponential of what
// is not positive is at most 1, and there may be a square root of the rest.
double without_crossing(double from, double to) {
  for (double mark : {-1.0, 0.0, 1.0}) {
    if ((from < mark && to > mark) || (from > mark && to < mark)) return mark;
  }
  return to;
}

// Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // In [-1, 1], and not in (-0.5, 0.5), so that moves do not cancel to nothing.
  double next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    const double size = 0.5 + static_cast<double>(z >> 12) * 0x1p-53;
    return (z & 1) != 0 ? size : -size;
  }

 private:
  uint64_t state_;
};

int parts_of(const Tensor& tensor) {
  return is_complex(tensor.dtype()) ? 2 : 1;
}

// The parts of all elements of a tensor of f64 or c128, side by side.
const double* parts(const Tensor& tensor) {
  return reinterpret_cast<const double*>(tensor.raw());
}
double* parts(Tensor& tensor) {
  return reinterpret_cast<double*>(tensor.raw());
}

double size_of(const double* element, int count) {
  return count == 1 ? std::abs(element[0]) : std::hypot(element[0], element[1]);
}

Tensor copy_of(const Tensor& tensor) {
  Tensor copy(tensor.dtype(), tensor.shape());
  std::memcpy(copy.raw(), tensor.raw(), tensor.bytes());
  return copy;
}

Tensor magnitudes_of(const Tensor& tensor) {
  if (!is_inexact(tensor.dtype())) return tensor;
  Tensor result = copy_of(tensor);
  const int count = parts_of(tensor);
  double* out = parts(result);
  for (int64_t i = 0; i < tensor.size(); ++i, out += count) {
    out[0] = size_of(out, count);
    if (count == 2) out[1] = 0;
  }
  return result;
}

// What an operation does to the digits of its results.
enum class Rounding {
  kNone,     // it moves elements, or is regions that are looked at themselves
  kEach,     // arithmetic on elements
  kSum,      // adds up many terms
  kProduct,  // multiplies many
  kMatrix,   // is that of matrices a little away from its operands
  kFourier,  // is that of rows a little away from its operand's
};

template <class T>
bool becomes(const Op& op) {
  return std::holds_alternative<T>(*op.record().becomes);
}

Rounding rounding_of(const Op& op) {
  if (ops::is<ops::CustomCallOp>(op)) return Rounding::kNone;
  if (becomes<ir::ScalarRecipe>(op)) return Rounding::kEach;
  if (becomes<ir::Contraction>(op)) return Rounding::kSum;
  if (ops::is<ops::FftOp>(op)) return Rounding::kFourier;
  if (const auto* routine = std::get_if<ir::LibraryRoutine>(&*op.record().becomes))
    return *routine->computes ? Rounding::kMatrix : Rounding::kNone;
  std::string_view combiner;
  if (becomes<ir::Reduction>(op)) combiner = ops::combiner_of(op);
  if (becomes<ir::Scatter>(op)) combiner = ops::ScatterOp(op).combiner();
  return combiner == "add" ? Rounding::kSum : combiner == "mul" ? Rounding::kProduct : Rounding::kNone;
}

int64_t terms_of(const Op& op) {
  if (const auto* contraction = std::get_if<ir::Contraction>(&*op.record().becomes))
    return element_count((*contraction->summed)(op));
  if (becomes<ir::Scatter>(op)) return op.operand(2)->type().elements();
  if (rounding_of(op) == Rounding::kMatrix) return op.operand(0)->shape().back();
  return op.operand(0)->type().elements() / std::max<int64_t>(op.result()->type().elements(), 1);
}

class NoRegions : public ir::Evaluator {
 public:
  std::vector<Tensor> run(const ir::Region&, std::span<const Tensor>) override {
    throw InternalError("a sum is evaluated without its region");
  }
};

// The sums of the terms' magnitudes.
Tensor sum_of_magnitudes(const Op& op, std::span<const Tensor> operands) {
  std::vector<Tensor> sizes;
  for (const Tensor& operand : operands) sizes.push_back(magnitudes_of(operand));
  NoRegions none;
  return (*op.record().reference)(op, sizes, none)[0];
}

// Of sums, in the order of evaluation, which is the same every time.
struct Magnitudes {
  std::vector<Tensor> kept;
  size_t bytes = 0;
};

// Shows infinities where a dtype's range ends; nothing else, as what is expected comes without roundings.
class Range : public Interceptor {
 public:
  explicit Range(const InF64& program) : program_(program) {}

  void made(const Op& op, std::span<const Tensor>, std::vector<Tensor>& results) override {
    const auto origin = program_.origin.find(&op);
    if (origin == program_.origin.end() || rounding_of(op) == Rounding::kNone) return;
    for (size_t r = 0; r < results.size(); ++r) {
      const DType dtype = origin->second->result(static_cast<int>(r))->dtype();
      // Kernels may leave out roundings to narrow floats, and their range with them.
      if (!is_inexact(dtype) || accumulator_of(dtype) == DType::kF64) continue;
      const double* in = parts(results[r]);
      const int64_t count = results[r].size() * parts_of(results[r]);
      const bool over =
          std::any_of(in, in + count, [](double x) { return std::isfinite(x) && std::abs(x) > 3.4e38; });
      if (!over) continue;
      Tensor changed = copy_of(results[r]);
      double* out = parts(changed);
      for (int64_t i = 0; i < count; ++i) {
        if (std::isinf(rounded(out[i], DType::kF32))) out[i] = rounded(out[i], DType::kF32);
      }
      results[r] = changed;
    }
  }

 private:
  const InF64& program_;
};

// Moves what operations make.
class Moves : public Interceptor {
 public:
  Moves(const InF64& program, Magnitudes& magnitudes, uint64_t seed, double sign)
      : program_(program), magnitudes_(magnitudes), random_(seed), sign_(sign) {}

  Tensor moved_argument(const Tensor& argument) {
    if (!is_inexact(argument.dtype())) return argument;
    Tensor result = converted(argument, widest(argument.dtype()));
    const int count = parts_of(result);
    double* out = parts(result);
    for (int64_t i = 0; i < result.size(); ++i, out += count) {
      const double unit = ulp(size_of(out, count), argument.dtype());
      for (int p = 0; p < count; ++p) {
        const double move = random_.next() * sign_ * unit;
        if (std::isfinite(out[p]) && out[p] != std::floor(out[p])) out[p] += move;
      }
    }
    return result;
  }

  void made(const Op& op, std::span<const Tensor> operands, std::vector<Tensor>& results) override {
    const auto origin = program_.origin.find(&op);
    if (origin == program_.origin.end()) return;
    const Rounding rounding = rounding_of(op);
    if (rounding == Rounding::kNone) return;
    if (rounding == Rounding::kMatrix) results = of_moved_matrices(*origin->second, op, operands);
    if (rounding == Rounding::kFourier) results = of_moved_rows(*origin->second, op, operands[0]);
    for (size_t r = 0; r < results.size(); ++r) {
      if (is_inexact(results[r].dtype()))
        results[r] = moved(*origin->second, op, rounding, operands, results[r], static_cast<int>(r));
    }
  }

 private:
  // `own` is the operation of the program that `op` stands for.
  Tensor moved(const Op& own, const Op& op, Rounding rounding, std::span<const Tensor> operands,
               const Tensor& result, int r) {
    const DType dtype = own.result(r)->dtype(), real = real_dtype(dtype);
    const int count = parts_of(result);
    Tensor sizes;
    double units = is_narrow_float(dtype) ? kNarrowMoves : kMoves, sum_units = 0;
    if (rounding == Rounding::kSum) {
      sizes = magnitudes(op, operands);
      sum_units = (kMoves + 2 * chain(op)) * std::ldexp(1.0, 1 - bits_of(accumulator_of(dtype)));
    } else if (rounding == Rounding::kProduct) {
      units += 2 * chain(op);
    }
    std::vector<const Tensor*> alike;  // operands that an element may have been taken from
    if (rounding != Rounding::kSum || becomes<ir::Scatter>(op)) {
      for (size_t k = 0; k < operands.size(); ++k) {
        const DType from = own.operand(static_cast<int>(k))->dtype();
        if (is_inexact(from) && operands[k].size() == result.size() && bits_of(from) <= bits_of(dtype))
          alike.push_back(&operands[k]);
      }
    }
    Tensor changed = copy_of(result);
    double* out = parts(changed);
    for (int64_t i = 0; i < result.size(); ++i, out += count) {
      const double size = size_of(out, count), unit = ulp(size, dtype) * units;
      const double sum = sum_units > 0 ? parts(sizes)[i * count] : 0;
      for (int p = 0; p < count; ++p) {
        const double u = random_.next() * sign_;
        // A partial sum may be infinite, whatever the whole one is.
        if (std::isfinite(out[p]) && !std::isfinite(rounded(sum, accumulator_of(dtype)))) {
          out[p] = std::numeric_limits<double>::quiet_NaN();
          continue;
        }
        if (is_exact(out[p], real) || is_taken(alike, i, out[p])) continue;
        if (std::isinf(rounded(out[p], real))) {
          out[p] = rounded(out[p], real);
          continue;
        }
        if (sign_ > 0 && std::abs(out[p]) <= flushed(dtype)) {
          out[p] = 0;
          continue;
        }
        out[p] = without_crossing(out[p], out[p] + u * (unit + sum_units * sum));
        const double stored = rounded(out[p], real);
        if (stored == 0 || std::isinf(stored)) out[p] = stored;
      }
    }
    return changed;
  }

  // Algorithms on matrices are stable backwards: what they give is exact for operands that are moved by as
  // much as sums of their terms are. The solution of a triangle by that of each element (Higham, Accuracy and
  // Stability of Numerical Algorithms, theorem 8.5), a factor by that of the diagonal (10.3) or of the whole.
  std::vector<Tensor> of_moved_matrices(const Op& own, const Op& op, std::span<const Tensor> operands) {
    const double units = kMoves + 2 * chain(op);
    const bool factor = operands.size() == 1;
    std::vector<Tensor> moved;
    for (size_t k = 0; k < operands.size(); ++k) {
      const DType dtype = own.operand(static_cast<int>(k))->dtype();
      const double unit = units * std::ldexp(1.0, 1 - bits_of(accumulator_of(dtype)));
      moved.push_back(copy_of(operands[k]));
      const int count = parts_of(moved[k]);
      const auto rank = operands[k].shape().size();
      const int64_t rows = rank < 2 ? 1 : operands[k].shape()[rank - 2],
                    columns = operands[k].shape()[rank - 1];
      double* out = parts(moved[k]);
      for (int64_t first = 0; first < operands[k].size(); first += rows * columns) {
        const double* from = parts(operands[k]) + first * count;
        for (int64_t i = 0; i < rows * columns; ++i, out += count) {
          const int64_t row = i / columns, column = i % columns;
          double size = size_of(from + i * count, count);
          if (factor && row < columns && column < rows) {
            const double before = size_of(from + row * (columns + 1) * count, count),
                         below = size_of(from + column * (columns + 1) * count, count);
            size = std::max(size, std::sqrt(before) * std::sqrt(below));
          }
          for (int p = 0; p < count; ++p) {
            const double move = random_.next() * sign_ * unit * size;
            if (std::isfinite(move)) out[p] += move;
          }
        }
      }
    }
    NoRegions none;
    return (*op.record().reference)(op, moved, none);
  }

  // A Fourier transform is stable backwards by rows, whatever its algorithm: what it gives is exact for a row
  // that is moved by log2(n) roundings of its root mean square (Higham, theorem 24.2); a convolution, which
  // lengths of large primes become, is three transforms.
  std::vector<Tensor> of_moved_rows(const Op& own, const Op& op, const Tensor& operand) {
    const auto transformed = static_cast<std::ptrdiff_t>(ops::FftOp(op).lengths().size());
    const int64_t row = element_count(Shape(operand.shape().end() - transformed, operand.shape().end()));
    const double length = static_cast<double>(element_count(ops::FftOp(op).lengths()));
    const double units = kMoves + 2 * std::log2(std::max(length, 1.0));
    const double unit = units * std::ldexp(1.0, 1 - bits_of(own.operand(0)->dtype()));
    Tensor moved = copy_of(operand);
    const int64_t count = row * parts_of(moved);
    double* out = parts(moved);
    for (int64_t first = 0; first < operand.size(); first += row, out += count) {
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) squares += out[i] * out[i];
      const double move = unit * std::sqrt(squares / static_cast<double>(row));
      if (!std::isfinite(move)) continue;
      for (int64_t i = 0; i < count; ++i) out[i] += random_.next() * sign_ * move;
    }
    NoRegions none;
    return (*op.record().reference)(op, std::span(&moved, 1), none);
  }

  static double chain(const Op& op) {
    return std::sqrt(static_cast<double>(std::min(terms_of(op), kLongChain)));
  }

  static bool is_taken(const std::vector<const Tensor*>& operands, int64_t i, double x) {
    for (const Tensor* operand : operands) {
      const int count = parts_of(*operand);
      for (int p = 0; p < count; ++p) {
        if (std::abs(parts(*operand)[i * count + p]) == std::abs(x)) return true;
      }
    }
    return false;
  }

  Tensor magnitudes(const Op& op, std::span<const Tensor> operands) {
    const size_t number = sums_++;
    if (number < magnitudes_.kept.size()) return magnitudes_.kept[number];
    Tensor result = sum_of_magnitudes(op, operands);
    if (number == magnitudes_.kept.size() && magnitudes_.bytes + result.bytes() <= kMagnitudes) {
      magnitudes_.kept.push_back(result);
      magnitudes_.bytes += result.bytes();
    }
    return result;
  }

  const InF64& program_;
  Magnitudes& magnitudes_;
  Random random_;
  double sign_;
  size_t sums_ = 0;
};

// How far evaluations are from the expected result, element by element.
class Spread {
 public:
  explicit Spread(const Tensor& expected, DType dtype)
      : expected_(expected), dtype_(dtype), count_(expected.size() * parts_of(expected)) {
    far_.assign(static_cast<size_t>(count_), 0);
    mixed_.assign(static_cast<size_t>(count_), false);
    near_.assign(static_cast<size_t>(count_), false);
  }

  void add(const Tensor& other, bool moved) {
    for (int64_t i = 0; i < count_; ++i) {
      const auto k = static_cast<size_t>(i);
      if (!is_inexact(dtype_)) {
        if (expected_.get_int(i) != other.get_int(i)) far_[k] = Judgement::kUndecided;
        continue;
      }
      const double e = parts(expected_)[i], x = parts(other)[i];
      const double nearest = rounded(e, real_dtype(dtype_));
      if (std::isfinite(nearest) != std::isfinite(x)) {
        mixed_[k] = true;
      } else if (!std::isfinite(x)) {
        mixed_[k] = mixed_[k] || !(nearest == x || (std::isnan(nearest) && std::isnan(x)));
      } else {
        if (moved) near_[k] = true;
        if (nearest != x) far_[k] = std::max(far_[k], std::abs(x - e));
      }
    }
  }

  Tensor room() const {
    Shape shape = expected_.shape();
    const int count = parts_of(expected_);
    if (count == 2) shape.push_back(2);
    Tensor result(DType::kF64, shape);
    double* out = result.data<double>();
    for (int64_t i = 0; i < count_; ++i) {
      const auto at = static_cast<size_t>(i);
      if (!is_inexact(dtype_)) {
        out[i] = far_[at];
        continue;
      }
      const bool finite = std::isfinite(rounded(parts(expected_)[i], real_dtype(dtype_)));
      if (mixed_[at] && !(finite && near_[at])) {
        out[i] = Judgement::kUndecided;
        continue;
      }
      const double far = std::max({far_[at], far_beside(i, count), far_beside(i, -count)});
      const double size = size_of(parts(expected_) + i / count * count, count);
      out[i] = kFactor * far + kLeast * ulp(size, dtype_) + flushed(dtype_);
      if (mixed_[at]) out[i] = -out[i];
    }
    return result;
  }

 private:
  // The farthest of the neighbours on one side. Of an element that moves those count that do, too: where a
  // threshold holds its neighbours, as in relu, they tell nothing, and few evaluations may move it by chance
  // but little.
  double far_beside(int64_t i, int64_t step) const {
    const int64_t parts = std::abs(step), side = step / parts;
    const bool moves = far_[static_cast<size_t>(i)] > 0;
    double far = 0;
    int64_t left = kNeighbours * parts;
    for (int64_t k = 1; k <= (moves ? kReach : kNeighbours) * parts && left > 0; ++k) {
      const int64_t at = i + side * k;
      if (at < 0 || at >= count_) break;
      const double other = far_[static_cast<size_t>(at)];
      far = std::max(far, other);
      if (other > 0) --left;
    }
    return far;
  }

  const Tensor& expected_;
  DType dtype_;
  int64_t count_;
  std::vector<double> far_;  // of what is finite
  std::vector<bool> mixed_;  // some evaluations are finite and others not, or infinite in several ways
  std::vector<bool> near_;   // one with moves is finite
};

}  // namespace

Judgement judge(const ir::Module& module, std::span<const Tensor> arguments, const JudgeOptions& options) {
  Judgement judgement;
  judgement.own = interpret(module, arguments);
  const InF64 wide = in_f64(module);
  std::vector<Tensor> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(converted(argument, widest(argument.dtype())));
  Range range(wide);
  judgement.expected = interpret(*wide.entry, inputs, range);
  std::vector<Spread> spreads;
  const auto add = [&](const std::vector<Tensor>& results, bool moved) {
    for (size_t r = 0; r < results.size(); ++r)
      spreads[r].add(converted(results[r], widest(results[r].dtype())), moved);
  };
  for (size_t r = 0; r < judgement.own.size(); ++r)
    spreads.emplace_back(judgement.expected[r], judgement.own[r].dtype());
  add(judgement.own, false);
  Magnitudes magnitudes;
  for (int twin = 0; twin < options.twins; ++twin) {
    if (twin > 0 && options.more && !options.more()) break;
    for (double sign : {1.0, -1.0}) {
      Moves moves(wide, magnitudes, 0x5eed + static_cast<uint64_t>(twin) * 0x100000001b3, sign);
      std::vector<Tensor> moved;
      for (const Tensor& argument : arguments) moved.push_back(moves.moved_argument(argument));
      add(interpret(*wide.entry, moved, moves), true);
    }
  }
  for (const Spread& spread : spreads) {
    judgement.room.push_back(spread.room());
    const Tensor& room = judgement.room.back();
    judgement.elements += room.size();
    judgement.undecided +=
        std::count(room.data<double>(), room.data<double>() + room.size(), Judgement::kUndecided);
  }
  return judgement;
}

int64_t Judgement::wide(size_t result) const {
  if (!is_inexact(own[result].dtype())) return 0;
  const double* of = parts(expected[result]);
  const double* rooms = room[result].data<double>();
  int64_t count = 0;
  for (int64_t i = 0; i < room[result].size(); ++i) {
    const bool decided = std::isfinite(rooms[i]) && std::isfinite(of[i]);
    count += decided && of[i] != 0 && std::abs(rooms[i]) >= std::abs(of[i]) ? 1 : 0;
  }
  return count;
}

Verdict compare(std::span<const Tensor> actual, const Judgement& judgement) {
  check(actual.size() == judgement.expected.size(), "compare: different numbers of results");
  Verdict verdict;
  for (size_t r = 0; r < actual.size(); ++r) {
    const Tensor& expected = judgement.expected[r];
    const double* room = judgement.room[r].data<double>();
    check(actual[r].shape() == expected.shape() && widest(actual[r].dtype()) == expected.dtype(),
          "compare: results of different types");
    const Tensor given = converted(actual[r], expected.dtype());
    const DType dtype = actual[r].dtype(), real = real_dtype(dtype);
    const int count = parts_of(expected);
    for (int64_t i = 0; i < judgement.room[r].size(); ++i) {
      ++verdict.elements;
      if (room[i] == Judgement::kUndecided) continue;
      const double here = std::abs(room[i]);
      double error = 0;
      if (!is_inexact(dtype)) {
        error = given.get_int(i) == expected.get_int(i) ? 0 : Judgement::kUndecided;
      } else {
        const double e = parts(expected)[i], a = parts(given)[i];
        const double nearest = rounded(e, real);
        if (a == nearest || (std::isnan(a) && std::isnan(e))) continue;
        if (room[i] < 0 && !std::isfinite(a)) continue;
        // What infinities make of complex numbers is a matter of formulas.
        if (count == 2 && !std::isfinite(a) && !std::isfinite(nearest)) continue;
        const bool over = std::isinf(a) && std::isinf(rounded(e + std::copysign(here, a), real));
        if (over && std::signbit(a) == std::signbit(e)) continue;
        error = std::isfinite(a) && std::isfinite(nearest) ? std::abs(a - e) : Judgement::kUndecided;
      }
      if (error == 0) continue;
      const double ratio = here > 0 ? error / here : Judgement::kUndecided;
      verdict.wrong += ratio > 1 ? 1 : 0;
      if (ratio <= verdict.ratio) continue;
      verdict.error = error;
      verdict.room = here;
      verdict.ratio = ratio;
      verdict.result = r;
      verdict.element = i / count;
    }
  }
  return verdict;
}

}  // namespace ingot
