// A length of several factors is transformed in passes (Cooley and Tukey, 1965): of n = r m, the elements m
// apart are transformed, r at a time, and multiplied with roots of unity; what is left are r transforms of m
// elements side by side, which stand behind each other, the results of one factor before those of the next
// (Stockham's order, as Cochran and others, 1967, have it), so that all lie in their order in the end. Lanes
// run along the m elements, and in the last pass along all that was done before.
//
// A pass is one kernel, which is written as such, a `fused`: slices of its operand, a small transform
// (small_dft.h), and a concatenation. Fusion would ask for ever larger kernels of several passes, each of
// which computes an element of the one before once for each of its own, and layout for orders that are those
// already, were there no reshapes between passes. Of a prime that is too large to be written out, a pass is a
// product with the matrix of its cosines and sines.
//
// A length with a larger prime becomes a convolution with a chirp (Bluestein, 1970). n real numbers, n even,
// are transformed as n / 2 complex ones; n odd: fft_odd.cc.
#include "pass/numbers/fft_program.h"

#include "base/unit_root.h"
#include "ops/control.h"
#include "ops/make.h"
#include "pass/numbers/fft_lengths.h"
#include "pass/numbers/small_dft.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Value;

}  // namespace

Parts FftProgram::parts_of(const ComplexArray& x, const Shape& shape) {
  if (x.pairs != nullptr) return w_.taken_apart(x.pairs, shape);
  return w_.each(x.parts, [&](Value* v) { return w_.reshape(v, shape); });
}

Value* FftProgram::pairs_of(const ComplexArray& x, const Shape& shape) {
  if (x.pairs != nullptr) return w_.reshape(x.pairs, FftWriter::in_pairs(shape));
  Shape apart = shape;
  apart.push_back(1);
  return w_.concatenate({w_.reshape(x.parts.re, apart), w_.reshape(x.parts.im, apart)},
                        static_cast<int64_t>(shape.size()));
}

Parts FftProgram::transformed(const Parts& x, double scale) {
  const Shape shape = x.re->shape();
  return parts_of(transform({x}, shape, scale, false), shape);
}

ComplexArray FftProgram::transform(const ComplexArray& given, const Shape& shape, double scale,
                                   bool to_pairs) {
  const int64_t n = shape[1];
  if (n == 1) return {w_.times(parts_of(given, shape), scale)};
  const std::vector<int64_t> radices = fft_radices(n);
  if (fits_one_kernel(shape, radices)) return in_one_kernel(given, shape, radices, scale);
  if (radices.empty()) return by_chirp(given, shape, scale);
  if (const auto parts = halves(shape, radices)) return in_two_kernels(given, *parts, scale);
  ComplexArray x = given;
  if (x.pairs == nullptr) x.parts = turned(x.parts);
  Step step{{shape[0], 1, 1, n, shape[2]}};
  for (const int64_t r : radices) {
    step.divide_by(r);
    const bool last = step.rest() == 1;
    if (last) step.scale = scale;
    step.to_pairs = last && to_pairs;
    if (r > kMostWrittenOut)
      x = {by_product(x.pairs ? turned(parts_of(x, step.shape)) : parts_of(x, step.shape), step)};
    else
      x = written_out(x, step);
  }
  if (x.pairs == nullptr) x.parts = turned(x.parts);
  return x;
}

// exp(-2 pi i k p / (r m)) of [k, p].
Parts FftProgram::roots(const Step& step) {
  return w_.roots(part_, step.radix(), step.rest());
}

// x[j m + p] to y[k][p], each k an array of its own.
std::vector<Parts> FftProgram::butterflies(FftWriter& w, const Parts& x, const Step& step,
                                           const Parts& table) {
  const Shape& shape = step.shape;
  const Shape part{shape[0], shape[1], shape[3], shape[4]};
  const int64_t r = step.radix(), m = step.rest();
  std::vector<Parts> y;
  for (int64_t j = 0; j < r; ++j)
    y.push_back(w.each(x, [&](Value* v) { return w.reshape(w.slice(v, 2, j, j + 1), part); }));
  y = small_dft(w, y);
  for (int64_t k = 0; k < r; ++k) {
    Parts& each = y[static_cast<size_t>(k)];
    if (m > 1 && k > 0) {
      each = w.mul(each, w.each(table, [&](Value* v) {
        return w.spread(w.slice(v, 0, k * m, (k + 1) * m), part, {2});
      }));
    }
    each = w.times(each, step.scale);
  }
  return y;
}

// x[j m + p] to y[k][p].
ComplexArray FftProgram::written_out(const ComplexArray& given, const Step& step) {
  const Shape &shape = step.shape, joined{shape[0], 1, shape[1], shape[3], shape[4]};
  const int64_t m = step.rest();
  std::vector<Value*> operands;
  if (given.pairs != nullptr)
    operands = {w_.reshape(given.pairs, FftWriter::in_pairs(shape))};
  else
    operands = {w_.reshape(given.parts.re, shape), w_.reshape(given.parts.im, shape)};
  if (m > 1) {
    const Parts table = roots(step);
    operands.insert(operands.end(), {table.re, table.im});
  }
  auto region = w_.builder().make_region();
  for (const Value* operand : operands) region->add_argument(operand->type(), operand->name());
  ir::Builder inside(*region);
  inside.set_provenance(w_.builder().provenance());
  FftWriter w(inside);
  const Parts x = given.pairs != nullptr ? turned(w.taken_apart(region->argument(0), shape))
                                         : Parts{region->argument(0), region->argument(1)};
  const int count = region->argument_count();
  Parts table;
  if (m > 1) table = {region->argument(count - 2), region->argument(count - 1)};
  const std::vector<Parts> y = butterflies(w, x, step, table);
  std::vector<Value*> results;
  if (step.to_pairs) {
    Shape pair = joined;
    pair.push_back(1);
    std::vector<Value*> whole;
    for (const Parts& each : y) {
      const Parts both = w.each(turned(each), [&](Value* v) { return w.reshape(v, pair); });
      whole.push_back(w.concatenate({both.re, both.im}, 5));
    }
    results = {w.concatenate(whole, 1)};
  } else {
    std::vector<Value*> re, im;
    for (const Parts& each : y) {
      re.push_back(w.reshape(each.re, joined));
      im.push_back(w.reshape(each.im, joined));
    }
    results = {w.concatenate(re, 1), w.concatenate(im, 1)};
  }
  region->set_results(results);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  const std::string name = name_ + "_pass" + std::to_string(++kernels_);
  const ir::Op* made =
      w_.builder().make("fused", operands, ops::FusedOp::attributes(name), std::move(regions));
  if (step.to_pairs) return {{}, made->result(0)};
  return {{made->result(0), made->result(1)}};
}

// The same of a prime r: sums of what stands opposite to each other by a matrix of cosines, differences by
// one of sines.
Parts FftProgram::by_product(const Parts& x, const Step& step) {
  const Shape& shape = step.shape;
  const int64_t r = step.radix(), m = step.rest(), half = r / 2;
  const Parts matrix = w_.table(part_, {half + 1, half},
                                [&](int64_t i) { return unit_root<double>(i / half * (i % half + 1), r); });
  const auto product = [&](Value* a, Value* v) {  // [k, batch, done, m, columns]
    return make::dot_general(w_.builder(), {a, v}, {.contract = {{1}, {2}}});
  };
  const auto low = [&](Value* v) { return w_.slice(v, 2, 1, half + 1); };
  const auto high = [&](Value* v) { return w_.reverse(w_.slice(v, 2, half + 1, r), 2); };
  const Parts even = w_.each(x, [&](Value* v) {
    Value* first = w_.reshape(w_.slice(v, 2, 0, 1), {shape[0], shape[1], m, shape[4]});
    Value* sums = product(matrix.re, w_.add(low(v), high(v)));
    return w_.add(sums, w_.spread(first, sums->shape(), {1, 2, 3, 4}));
  });
  const Parts odd = w_.each(x, [&](Value* v) { return product(matrix.im, w_.sub(low(v), high(v))); });
  const Parts down{w_.add(even.re, odd.im), w_.sub(even.im, odd.re)},
      up{w_.sub(even.re, odd.im), w_.add(even.im, odd.re)};
  const auto joined = [&](Value* ahead, Value* behind) {
    return w_.concatenate({ahead, w_.reverse(w_.slice(behind, 0, 1, half + 1), 0)}, 0);
  };
  Parts y{joined(down.re, up.re), joined(down.im, up.im)};
  if (m > 1)
    y = w_.mul(y, w_.each(roots(step), [&](Value* v) {
      return w_.spread(w_.reshape(v, {r, m}), y.re->shape(), {0, 3});
    }));
  y = w_.times(y, step.scale);
  return w_.each(y, [&](Value* v) { return make::transpose(w_.builder(), v, IntList{1, 0, 2, 3, 4}); });
}

// A chirp, and the transform of its conjugate on both sides of 0.
std::pair<FftProgram::ComplexRow, FftProgram::ComplexRow> FftProgram::chirps(int64_t n, int64_t length,
                                                                             DType part) {
  ComplexRow chirp(static_cast<size_t>(n)), other(static_cast<size_t>(length));
  const UnitRoots roots(2 * n, part);
  for (int64_t j = 0, square = 0; j < n; ++j) {  // square = j^2 mod 2n
    chirp[static_cast<size_t>(j)] = roots.of(square);
    other[static_cast<size_t>(j)] = other[static_cast<size_t>((length - j) % length)] =
        std::conj(chirp[static_cast<size_t>(j)]);
    square = (square + 2 * j + 1) % (2 * n);
  }
  transform_by_factors(other);
  return {chirp, other};
}

// j k = (j^2 + k^2 - (k - j)^2) / 2: x times a chirp, convolved with its conjugate, times the chirp.
ComplexArray FftProgram::by_chirp(const ComplexArray& given, const Shape& shape, double scale) {
  const int64_t n = shape[1], length = chirp_length(n);
  const auto [chirp, other] = chirps(n, length, part_);
  const auto times_row = [&](const Parts& x, const ComplexRow& row, double factor) {
    const Parts table = w_.table(part_, {static_cast<int64_t>(row.size())},
                                 [&](int64_t i) { return row[static_cast<size_t>(i)] * factor; });
    return w_.mul(x, w_.each(table, [&](Value* v) { return w_.spread(v, x.re->shape(), {1}); }));
  };
  const Shape padded{shape[0], length, shape[2]};
  Parts y = w_.each(times_row(turned(parts_of(given, shape)), chirp, 1),
                    [&](Value* v) { return w_.zeros_behind(v, 1, length); });
  y = FftProgram(w_, part_, false, name_ + "_ahead").transformed(y, 1);
  y = times_row(y, other, scale / static_cast<double>(length));
  y = FftProgram(w_, part_, true, name_ + "_back").transformed(y, 1);
  return {turned(times_row(w_.each(y, [&](Value* v) { return w_.slice(v, 1, 0, n); }), chirp, 1))};
}

// (ahead + behind) + (ahead - behind) factors, in the ranges of dimension 1 where `behind` is a view.
Parts FftProgram::of_even_and_odd(FftWriter& w, const Parts& ahead, const Parts& behind, const Parts& factors,
                                  int64_t first) {
  const Shape& shape = ahead.re->shape();
  const Parts row =
      w.each(factors, [&](Value* v) { return w.spread(w.slice(v, 0, first, first + shape[1]), shape, {1}); });
  return w.add(w.add(ahead, behind), w.mul(w.sub(ahead, behind), row));
}

// Z, the transform of z[j] = x[2j] + i x[2j + 1], has that of the even elements, E[k], as
// (Z[k] + conj Z[h - k]) / 2, and that of the odd ones, O[k], as (Z[k] - conj Z[h - k]) / 2i.
// X[k] = E[k] + w^k O[k], w = exp(-2 pi i / n). Z comes halved: sums of what is representable are, too.
std::vector<Parts> FftProgram::parted(FftWriter& w, const Parts& z, const Parts& factors) {
  const int64_t half = z.re->shape()[1];
  const auto range = [&](int64_t from, int64_t to) {
    return w.each(z, [&](Value* v) { return w.slice(v, 1, from, to); });
  };
  const Parts first = range(0, 1);
  std::vector<Parts> x{of_even_and_odd(w, first, w.conj(first), factors, 0)};
  if (half > 1) {
    const Parts ahead = range(1, half);
    const Parts behind = w.conj(w.each(ahead, [&](Value* v) { return w.reverse(v, 1); }));
    x.push_back(of_even_and_odd(w, ahead, behind, factors, 1));
  }
  x.push_back(of_even_and_odd(w, first, w.conj(first), factors, half));
  return x;
}

// The same backwards. The first and the last one are real, whatever they say.
std::vector<Parts> FftProgram::united(FftWriter& w, const Parts& x, const Parts& factors) {
  const int64_t half = x.re->shape()[1] - 1;
  const auto range = [&](int64_t from, int64_t to) {
    return w.each(x, [&](Value* v) { return w.slice(v, 1, from, to); });
  };
  const auto real = [&](int64_t k) {
    Value* re = w.slice(x.re, 1, k, k + 1);
    return Parts{re, ComplexMath(w.builder()).number(re, 0)};
  };
  std::vector<Parts> z{of_even_and_odd(w, real(0), real(half), factors, 0)};
  if (half > 1) {
    const Parts ahead = range(1, half);
    const Parts behind = w.conj(w.each(ahead, [&](Value* v) { return w.reverse(v, 1); }));
    z.push_back(of_even_and_odd(w, ahead, behind, factors, 1));
  }
  return z;
}

// w^k / i.
Parts FftProgram::factors_of_real(int64_t half) {
  const UnitRoots roots(2 * half, part_);
  return w_.table(part_, {half + 1}, [&](int64_t k) {
    const auto z = roots.of(k);
    return std::complex(z.imag(), -z.real());
  });
}

// i w^-k.
Parts FftProgram::factors_to_real(int64_t half) {
  const UnitRoots roots(2 * half, part_);
  return w_.table(part_, {half}, [&](int64_t k) {
    const auto z = std::conj(roots.of(k));
    return std::complex(-z.imag(), z.real());
  });
}

Parts FftProgram::joined(const std::vector<Parts>& pieces) {
  std::vector<Value*> re, im;
  for (const Parts& piece : pieces) {
    re.push_back(piece.re);
    im.push_back(piece.im);
  }
  return {w_.concatenate(re, 1), w_.concatenate(im, 1)};
}

ComplexArray FftProgram::half_of_real(Value* x) {
  const Shape& shape = x->shape();
  const int64_t n = shape[1], half = n / 2;
  if (n % 2 != 0) {
    if (const std::optional<Parts> y = half_of_odd(x)) return {*y};
    const Parts y = transformed({x, ComplexMath(w_.builder()).number(x, 0)}, 1);
    return {w_.each(y, [&](Value* v) { return w_.slice(v, 1, 0, half + 1); })};
  }
  const Shape halved{shape[0], half, 1};
  Value* pairs = w_.reshape(x, FftWriter::in_pairs(halved));
  const std::vector<int64_t> radices = fft_radices(half);
  if (!radices.empty() && fits_one_kernel(halved, radices))
    return of_real_in_one_kernel(pairs, halved, radices);
  const Parts z = parts_of(transform({{}, pairs}, halved, 0.5, false), halved);
  return {joined(parted(w_, z, factors_of_real(half)))};
}

Value* FftProgram::real_of_half(const ComplexArray& given, const Shape& shape, int64_t n, double scale) {
  const int64_t half = n / 2;
  if (n % 2 != 0) {
    const Parts x = parts_of(given, {shape[0], half + 1, 1});
    if (Value* real = odd_of_half(x, n, scale)) return real;
    Value* first = w_.slice(x.re, 1, 0, 1);
    const Parts ahead = w_.each(x, [&](Value* v) { return w_.slice(v, 1, 1, half + 1); });
    const Parts behind = w_.conj(w_.each(ahead, [&](Value* v) { return w_.reverse(v, 1); }));
    const Parts real{first, ComplexMath(w_.builder()).number(first, 0)};
    return transformed(joined({real, ahead, behind}), scale).re;
  }
  const Shape halved{shape[0], half, 1}, whole{shape[0], n, 1};
  const std::vector<int64_t> radices = fft_radices(half);
  if (!radices.empty() && fits_one_kernel(halved, radices))
    return w_.reshape(to_real_in_one_kernel(given, shape, radices, scale).pairs, whole);
  const Parts z = joined(united(w_, parts_of(given, shape), factors_to_real(half)));
  const ComplexArray pairs{{}, pairs_of({z}, halved)};
  return w_.reshape(pairs_of(transform(pairs, halved, scale, true), halved), whole);
}

}  // namespace ingot::pass
