// Real numbers of odd length: half of the work of complex ones, as n even has by n / 2 complex numbers.
//
// n = a b, a small: of x[i b + j] the transforms along i are of real numbers, written out, so that (a + 1) /
// 2 results are enough, and so many rows are transformed along j as complex numbers. The rest of X[k + a l]
// is that of the others, conjugated: X[n - k].
//
// n prime, n - 1 = 2 h of small factors: with a generator g, x[g^-p] and X[g^q] are numbers of a circle, and
// the transform is a convolution along it (Rader, 1968). Around half of the circle the cosines repeat and the
// sines change their sign: so the real convolution with their sum (Hartley's transform) is all that is
// needed, and its halves' sums and differences are the real and the imaginary parts. It is made by transforms
// of n - 1 real numbers, there and back.
#include <algorithm>
#include <tuple>

#include "base/unit_root.h"
#include "ops/control.h"
#include "ops/make.h"
#include "pass/numbers/fft_lengths.h"
#include "pass/numbers/fft_program.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Value;

bool is_prime(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return false;
  }
  return n > 1;
}

int64_t sum_of_primes(int64_t n) {
  int64_t sum = 0;
  for (int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) sum += p;
  }
  return sum;
}

int64_t power(int64_t base, int64_t exponent, int64_t n) {
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % n) {
    if (exponent % 2 != 0) result = result * base % n;
  }
  return result;
}

// Whose powers are all numbers from 1 to n - 1, n prime.
int64_t generator_of(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t p = 2, rest = n - 1; rest > 1; ++p) {
    if (p * p > rest) p = rest;
    if (rest % p == 0) primes.push_back(p);
    while (rest % p == 0) rest /= p;
  }
  int64_t g = 2;
  while (std::ranges::any_of(primes, [&](int64_t p) { return power(g, (n - 1) / p, n) == 1; })) ++g;
  return g;
}

// The powers of g, and of what power a number is.
struct Circle {
  std::vector<int64_t> powers, logarithms;

  explicit Circle(int64_t n) : powers(static_cast<size_t>(n - 1)), logarithms(static_cast<size_t>(n)) {
    const int64_t g = generator_of(n);
    for (int64_t p = 0, x = 1; p < n - 1; ++p, x = x * g % n) {
      powers[static_cast<size_t>(p)] = x;
      logarithms[static_cast<size_t>(x)] = p;
    }
  }
};

}  // namespace

// The transform of numbers that are known, of any length: by a chirp.
FftProgram::ComplexRow FftProgram::transform_of_known(const ComplexRow& x) {
  const auto n = static_cast<int64_t>(x.size());
  const int64_t length = chirp_length(n);
  const auto [chirp, other] = FftProgram::chirps(n, length, DType::kF64);
  ComplexRow y(static_cast<size_t>(length));
  for (size_t j = 0; j < x.size(); ++j) y[j] = x[j] * chirp[j];
  transform_by_factors(y);
  for (size_t j = 0; j < y.size(); ++j) y[j] = std::conj(y[j] * other[j]);  // back again
  transform_by_factors(y);
  y.resize(x.size());
  for (size_t j = 0; j < x.size(); ++j) y[j] = std::conj(y[j]) / static_cast<double>(length) * chirp[j];
  return y;
}

// a of n = a b; 0 if there is none, n if all is written out. Of those whose rest is one kernel, the one with
// the fewest products: a / 2 for a real number, p for a complex one of each prime factor p of the rest.
int64_t FftProgram::real_factor(int64_t batch, int64_t n) const {
  if (n <= kMostInKernel) return n;
  int64_t best = 0;
  std::pair<bool, double> least;  // not in one kernel, and products
  for (int64_t a = 3; a <= kMostInKernel; a += 2) {
    if (n % a != 0) continue;
    const int64_t rest = n / a;
    const std::vector<int64_t> radices = fft_radices(rest);
    const bool one_kernel = !radices.empty() && (fits_one_kernel({batch * (a + 1) / 2, rest, 1}, radices) ||
                                                 (radices.size() == 1 && radices[0] <= kMostInKernel));
    const double products = static_cast<double>(a) / 2 + static_cast<double>(sum_of_primes(rest)) *
                                                             static_cast<double>(a + 1) /
                                                             static_cast<double>(2 * a);
    const std::pair price(!one_kernel, products);
    if (best == 0 || price < least) std::tie(best, least) = std::pair(a, price);
  }
  if (best > 0 && least.first && halves({batch, n, 1}, fft_radices(n))) return 0;
  return best;
}

bool FftProgram::on_a_circle(int64_t n) const {
  const std::vector<int64_t> radices = fft_radices((n - 1) / 2);
  return fft_radices(n).empty() && is_prime(n) && !radices.empty() &&
         *std::ranges::max_element(radices) <= kMostInKernel;
}

std::optional<Parts> FftProgram::half_of_odd(Value* x) {
  const Shape& shape = x->shape();
  const int64_t n = shape[1];
  if (const int64_t a = real_factor(shape[0], n); a > 0) return half_by_factor(x, a);
  if (on_a_circle(n)) return half_on_circle(x);
  return std::nullopt;
}

Value* FftProgram::odd_of_half(const Parts& x, int64_t n, double scale) {
  const int64_t batch = x.re->shape()[0];
  if (const int64_t a = real_factor(batch, n); a > 0) return real_by_factor(x, n, a, scale);
  if (on_a_circle(n)) return real_on_circle(x, n, scale);
  return nullptr;
}

// A kernel of its own: what `body` makes of the operands.
std::vector<Value*> FftProgram::kernel_of(
    const std::vector<Value*>& operands,
    const std::function<std::vector<Value*>(FftWriter&, const std::vector<Value*>&)>& body) {
  auto region = w_.builder().make_region();
  for (const Value* operand : operands) region->add_argument(operand->type(), operand->name());
  ir::Builder inside(*region);
  inside.set_provenance(w_.builder().provenance());
  FftWriter w(inside);
  region->set_results(body(w, region->arguments()));
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  const std::string name = name_ + "_pass" + std::to_string(++kernels_);
  return w_.builder().make("fused", operands, ops::FusedOp::attributes(name), std::move(regions))->results();
}

// --- by a factor

Parts FftProgram::half_by_factor(Value* x, int64_t a) {
  const int64_t batch = x->shape()[0], n = x->shape()[1], b = n / a, half = a / 2;
  std::vector<Value*> operands{w_.reshape(x, {batch, a, b})};
  if (b > 1) {
    const Parts table = w_.roots(part_, a, b);
    operands.insert(operands.end(), {table.re, table.im});
  }
  const std::vector<Value*> rows = kernel_of(operands, [&](FftWriter& w, const std::vector<Value*>& given) {
    const auto piece = [&](int64_t i) { return w.slice(given[0], 1, i, i + 1); };  // [batch, 1, b]
    std::vector<Value*> sums, differences, re, im;
    for (int64_t i = 1; i <= half; ++i) {
      sums.push_back(w.add(piece(i), piece(a - i)));
      differences.push_back(w.sub(piece(a - i), piece(i)));
    }
    for (int64_t k = 0; k <= half; ++k) {
      Parts y{piece(0), nullptr};
      for (int64_t i = 1; i <= half; ++i) {
        const auto z = unit_root<double>(i * k, a);
        const auto at = static_cast<size_t>(i - 1);
        y.re = w.add(y.re, w.times(sums[at], z.real()));
        if (k == 0) continue;
        Value* term = w.times(differences[at], z.imag());
        y.im = y.im == nullptr ? term : w.add(y.im, term);
      }
      if (k == 0) y.im = ComplexMath(w.builder()).number(y.re, 0);
      if (k > 0 && b > 1) {
        y = w.mul(y, w.each({given[1], given[2]}, [&](Value* v) {
          return w.spread(w.slice(v, 0, k * b, (k + 1) * b), y.re->shape(), {2});
        }));
      }
      re.push_back(y.re);
      im.push_back(y.im);
    }
    return std::vector<Value*>{w.concatenate(re, 1), w.concatenate(im, 1)};
  });
  Parts y{rows[0], rows[1]};
  const Shape flat{batch * (half + 1), b, 1}, whole{batch, half + 1, b};
  y = w_.each(y, [&](Value* v) { return w_.reshape(v, flat); });
  y = w_.each(transformed(y, 1), [&](Value* v) { return w_.reshape(v, whole); });
  const Parts others = w_.conj(w_.each(y, [&](Value* v) {
    return make::reverse(w_.builder(), w_.slice(v, 1, 1, half + 1), IntList{1, 2});
  }));
  y = {w_.concatenate({y.re, others.re}, 1), w_.concatenate({y.im, others.im}, 1)};
  return w_.each(y, [&](Value* v) {
    v = make::transpose(w_.builder(), v, IntList{0, 2, 1});
    return w_.slice(w_.reshape(v, {batch, n, 1}), 1, 0, n / 2 + 1);
  });
}

Value* FftProgram::real_by_factor(const Parts& x, int64_t n, int64_t a, double scale) {
  const int64_t batch = x.re->shape()[0], b = n / a, half = a / 2;
  // X[k + a l] of k to half of a.
  const Parts others =
      w_.conj(w_.each(x, [&](Value* v) { return w_.reverse(w_.slice(v, 1, 1, n / 2 + 1), 1); }));
  Parts y = joined({x, others});
  y = w_.each(y, [&](Value* v) {
    v = w_.slice(w_.reshape(v, {batch, b, a}), 2, 0, half + 1);
    return w_.reshape(make::transpose(w_.builder(), v, IntList{0, 2, 1}), {batch * (half + 1), b, 1});
  });
  y = w_.each(transformed(y, 1), [&](Value* v) { return w_.reshape(v, {batch, half + 1, b}); });
  std::vector<Value*> operands{y.re, y.im};
  if (b > 1) {
    const Parts table = w_.roots(part_, a, b);
    operands.insert(operands.end(), {table.re, table.im});
  }
  Value* made = kernel_of(operands, [&](FftWriter& w, const std::vector<Value*>& given) {
    const Parts rows{given[0], given[1]};
    // The first one is real; the others count twice.
    std::vector<Parts> z;
    for (int64_t k = 0; k <= half; ++k) {
      Parts each = w.each(rows, [&](Value* v) { return w.slice(v, 1, k, k + 1); });
      if (k > 0 && b > 1) {
        each = w.mul(each, w.conj(w.each({given[2], given[3]}, [&](Value* v) {
          return w.spread(w.slice(v, 0, k * b, (k + 1) * b), each.re->shape(), {2});
        })));
      }
      z.push_back(w.times(each, k == 0 ? scale : 2 * scale));
    }
    std::vector<Value*> pieces(static_cast<size_t>(a));
    for (int64_t i = 0; i <= half; ++i) {
      Value *even = z[0].re, *odd = nullptr;
      for (int64_t k = 1; k <= half; ++k) {
        const auto root = unit_root<double>(i * k, a);
        const Parts& each = z[static_cast<size_t>(k)];
        even = w.add(even, w.times(each.re, root.real()));
        if (i == 0) continue;
        Value* term = w.times(each.im, root.imag());
        odd = odd == nullptr ? term : w.add(odd, term);
      }
      pieces[static_cast<size_t>(i)] = i == 0 ? even : w.sub(even, odd);
      if (i > 0) pieces[static_cast<size_t>(a - i)] = w.add(even, odd);
    }
    return std::vector<Value*>{w.concatenate(pieces, 1)};
  })[0];
  return w_.reshape(made, {batch, n, 1});
}

// --- on a circle

// u convolved with cosines and sines of g^m, times `scale`; and the sum of u.
std::pair<Value*, Value*> FftProgram::hartley_on_circle(Value* u, const std::vector<int64_t>& powers,
                                                        double scale) {
  const int64_t batch = u->shape()[0], count = u->shape()[1], half = count / 2, n = count + 1;
  ComplexRow row;
  for (const int64_t power : powers) {
    const auto z = unit_root<double>(power, n);
    row.emplace_back(z.real() + z.imag());
  }
  row = transform_of_known(row);
  const double factor = scale / static_cast<double>(count);
  const Parts table =
      w_.table(part_, {half + 1}, [&](int64_t m) { return row[static_cast<size_t>(m)] * factor; });
  const Shape shape{batch, half + 1, 1};
  FftProgram ahead(w_, part_, false, name_ + "_ahead"), back(w_, part_, true, name_ + "_back");
  const Parts y = parts_of(ahead.half_of_real(u), shape);
  const Parts product = w_.mul(y, w_.each(table, [&](Value* v) { return w_.spread(v, shape, {1}); }));
  return {back.real_of_half({product}, shape, count, 1), w_.slice(y.re, 1, 0, 1)};
}

Parts FftProgram::half_on_circle(Value* x) {
  const int64_t n = x->shape()[1], half = n / 2;
  const Circle circle(n);
  IntList given, same, opposite;
  for (int64_t p = 0; p < n - 1; ++p)
    given.push_back(circle.powers[static_cast<size_t>((n - 1 - p) % (n - 1))]);
  for (int64_t k = 1; k <= half; ++k) {
    same.push_back(circle.logarithms[static_cast<size_t>(k)]);
    opposite.push_back(circle.logarithms[static_cast<size_t>(n - k)]);
  }
  Value* first = w_.slice(x, 1, 0, 1);
  const auto [turns, sum] = hartley_on_circle(w_.take(x, 1, given), circle.powers, 0.5);
  Value *here = w_.take(turns, 1, same), *there = w_.take(turns, 1, opposite);
  Value* re = w_.add(w_.add(here, there), w_.spread(w_.reshape(first, {x->shape()[0]}), here->shape(), {0}));
  Value* zeroth = w_.add(first, sum);
  return joined({{zeroth, ComplexMath(w_.builder()).number(zeroth, 0)}, {re, w_.sub(there, here)}});
}

Value* FftProgram::real_on_circle(const Parts& x, int64_t n, double scale) {
  const Circle circle(n);
  Value* first = w_.slice(x.re, 1, 0, 1);
  const Parts rest = w_.each(x, [&](Value* v) { return w_.slice(v, 1, 1, n / 2 + 1); });
  Value* u = w_.concatenate({w_.sub(rest.re, rest.im), w_.reverse(w_.add(rest.re, rest.im), 1)}, 1);
  IntList given, wanted;  // u[k - 1] is of X[k]
  for (int64_t p = 0; p < n - 1; ++p)
    given.push_back(circle.powers[static_cast<size_t>((n - 1 - p) % (n - 1))] - 1);
  for (int64_t j = 1; j < n; ++j) wanted.push_back(circle.logarithms[static_cast<size_t>(j)]);
  const auto [turns, sum] = hartley_on_circle(w_.take(u, 1, given), circle.powers, scale);
  Value* others = w_.take(turns, 1, wanted);
  Value* start = w_.spread(w_.reshape(w_.times(first, scale), {x.re->shape()[0]}), others->shape(), {0});
  return w_.concatenate({w_.times(w_.add(first, sum), scale), w_.add(others, start)}, 1);
}

}  // namespace ingot::pass
