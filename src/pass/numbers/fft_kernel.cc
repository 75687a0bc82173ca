// Many transforms of a length that caches hold are one kernel. One after the other, its passes would be as
// many trips through memory, and what lies side by side behind a factor is too short for lanes: of 1000 =
// 10 10 10 it is 10 in the second one. So lanes run across the batch, or along the columns; one point of the
// band has a whole transform, whose passes are stages (`hold`) that lie in the caches of a core, with all
// lanes of an element side by side. Real and imaginary parts are apart in between. Only the first stage reads
// and only the last one writes memory.
//
// So does the convolution with a chirp, with both of its transforms: there are stages for the product with
// the chirp, and zeros behind it, and for the product at the end. Real numbers have a stage more, which takes
// the transforms of even and odd elements apart, or puts them together.
//
// One transform of a length n = a b that takes many passes is two such kernels: of x[i b + j] those along i,
// the columns j side by side, times roots of unity, and those along j, the rows side by side, so that results
// a apart are stored by one lane and rows of them by all.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "kernel/cost/table.h"
#include "ops/control.h"
#include "pass/numbers/fft_lengths.h"
#include "pass/numbers/fft_program.h"
#include "pass/numbers/small_dft.h"

namespace ingot::pass {
namespace {

using ir::Value;

// Two stages of all lanes in the second-level cache, at 64 bytes a vector: 512 KiB.
constexpr int64_t kLongestStage = 2100;
constexpr int64_t kLeastSideBySide = 16;  // transforms, for lanes

}  // namespace

// One kernel that is being written.
class FftKernel {
 public:
  enum class Part { kWhole, kFirstHalf, kSecondHalf };

  FftKernel(FftProgram& program, const ComplexArray& given, const Shape& shape, Part part = Part::kWhole)
      : program_(program),
        part_(part),
        outside_(program.w_),
        shape_(shape),
        region_(outside_.builder().make_region()),
        builder_(*region_),
        w_(builder_) {
    builder_.set_provenance(outside_.builder().provenance());
    if (given.pairs != nullptr) {
      x_ = w_.taken_apart(argument(outside_.reshape(given.pairs, FftWriter::in_pairs(shape))), shape);
    } else {
      x_.re = argument(outside_.reshape(given.parts.re, shape));
      x_.im = argument(outside_.reshape(given.parts.im, shape));
    }
  }

  ComplexArray by_factors(const std::vector<int64_t>& radices, double scale) {
    const int64_t n = shape_[1], columns = shape_[2];
    Parts x = part_ == Part::kSecondHalf ? x_ : program_.turned(x_);
    if (rows_collide()) x = near({x});
    if (part_ == Part::kFirstHalf) {
      const Parts table = argument(outside_.roots(program_.part_, n, columns));
      return made(all_stages(x, n, radices, scale, true, [&](const Parts& y, int64_t first, int64_t count) {
                    return w_.mul(y, w_.each(table, [&](Value* v) {
                      Value* rows = w_.slice(v, 0, first * columns, (first + count) * columns);
                      return w_.spread(w_.reshape(rows, {count, columns}), y.re->shape(), {1, 3});
                    }));
                  }).pairs);
    }
    if (part_ == Part::kWhole && rows_collide())
      return in_pairs({program_.turned(all_stages(x, n, radices, scale, false).parts)});
    Value* y = all_stages(x, n, radices, scale, true).pairs;
    if (part_ == Part::kSecondHalf)
      y = make::transpose(builder_, w_.reshape(y, {shape_[0], n, 2}), {1, 0, 2});
    return made(y);
  }

  ComplexArray by_chirp(double scale) {
    const int64_t n = shape_[1], length = chirp_length(n);
    const auto [chirp, other] = FftProgram::chirps(n, length, program_.part_);
    const Parts factors = table(chirp, 1);
    const Parts first = times_row(program_.turned(x_), factors);
    Shape rest = shape_;
    rest[1] = length - n;
    const ir::Value* like = first.re;
    Value* zeros = w_.spread(builder_.constant(Tensor(like->dtype(), {})), rest, {});
    Value* padded = w_.hold(w_.concatenate({first.re, zeros, first.im, zeros}, 1), {1});
    Parts y{w_.slice(padded, 1, 0, length), w_.slice(padded, 1, length, 2 * length)};
    const std::vector<int64_t> radices = fft_radices(length);
    const Parts row = table(other, scale / static_cast<double>(length));
    const auto times_other = [&](const Parts& each, int64_t first, int64_t count) {
      return w_.mul(each, w_.each(row, [&](Value* v) {
        return w_.spread(w_.slice(v, 0, first, first + count), each.re->shape(), {1});
      }));
    };
    y = all_stages(y, length, radices, 1, false, times_other).parts;
    y = all_stages({y.im, y.re}, length, radices, 1, false).parts;  // back again
    y = {y.im, y.re};
    y = times_row(w_.each(y, [&](Value* v) { return w_.slice(v, 1, 0, n); }), factors);
    return in_pairs({program_.turned(y)});
  }

  // What is given are the even and the odd ones of real numbers (half_of_real).
  ComplexArray of_real(const std::vector<int64_t>& radices) {
    const Parts z = all_stages(rows_collide() ? near({x_}) : x_, shape_[1], radices, 0.5, false).parts;
    return in_pairs(FftProgram::parted(w_, z, argument(program_.factors_of_real(shape_[1]))));
  }

  // What is given is half of the transform of real numbers (real_of_half).
  ComplexArray to_real(const std::vector<int64_t>& radices, double scale) {
    const int64_t half = shape_[1] - 1;
    std::vector<Parts> z = FftProgram::united(w_, near({x_}), argument(program_.factors_to_real(half)));
    for (Parts& piece : z) piece = program_.turned(piece);
    return in_pairs({program_.turned(all_stages(near(z), half, radices, scale, false).parts)});
  }

 private:
  // A stage of those pieces of dimension 1, real before imaginary parts.
  Parts near(const std::vector<Parts>& pieces) {
    std::vector<Value*> planes;
    for (const Parts& piece : pieces) planes.push_back(piece.re);
    for (const Parts& piece : pieces) planes.push_back(piece.im);
    Value* held = w_.hold(w_.concatenate(planes, 1), {1});
    const int64_t n = held->shape()[1] / 2;
    return {w_.slice(held, 1, 0, n), w_.slice(held, 1, n, 2 * n)};
  }
  // The last stage, of those pieces of dimension 1.
  ComplexArray in_pairs(const std::vector<Parts>& pieces) {
    std::vector<Value*> pairs;
    for (const Parts& piece : pieces) {
      Shape apart = piece.re->shape();
      apart.push_back(1);
      const Parts both = w_.each(piece, [&](Value* v) { return w_.reshape(v, apart); });
      pairs.push_back(w_.concatenate({both.re, both.im}, 3));
    }
    return made(w_.hold(w_.concatenate(pairs, 1), {1, 3}));
  }

  // Where rows are a multiple of 4096 bytes apart, their elements share a few places of the first-level
  // cache: what a line has besides is gone when a butterfly further along wants it. Stages of their own that
  // copy the rows, there and back, take lines as they come.
  bool rows_collide() const {
    const auto bytes = 2 * shape_[1] * static_cast<int64_t>(byte_size(program_.part_));
    return shape_[2] == 1 && bytes % prices::kCollisionPeriod == 0;
  }

  Value* argument(Value* outside) {
    operands_.push_back(outside);
    return region_->add_argument(outside->type(), outside->name());
  }
  Parts argument(const Parts& outside) { return {argument(outside.re), argument(outside.im)}; }

  Parts table(const FftProgram::ComplexRow& row, double factor) {
    return argument(outside_.table(program_.part_, {static_cast<int64_t>(row.size())},
                                   [&](int64_t i) { return row[static_cast<size_t>(i)] * factor; }));
  }
  // Both transforms of a convolution have the same.
  Parts roots_of(const FftProgram::Step& step) {
    const auto [known, fresh] = roots_.try_emplace({step.radix(), step.rest()});
    if (fresh) known->second = argument(program_.roots(step));
    return known->second;
  }
  Parts times_row(const Parts& x, const Parts& row) {
    return w_.mul(x, w_.each(row, [&](Value* v) { return w_.spread(v, x.re->shape(), {1}); }));
  }

  // What `count` results from the `first` on become, as [batch, count, 1, columns].
  using Finish = std::function<Parts(const Parts& y, int64_t first, int64_t count)>;

  // Of [batch, n, columns], ahead.
  ComplexArray all_stages(Parts x, int64_t n, const std::vector<int64_t>& radices, double scale,
                          bool to_pairs, const Finish& finish = {}) {
    const Shape whole{shape_[0], n, shape_[2]};
    FftProgram::Step step{{shape_[0], 1, 1, n, shape_[2]}};
    for (const int64_t r : radices) {
      step.divide_by(r);
      const bool last = step.rest() == 1;
      if (last) step.scale = scale;
      Parts roots;
      if (!last) roots = roots_of(step);
      x = w_.each(x, [&](Value* v) { return w_.reshape(v, step.shape); });
      std::vector<Parts> y = program_.butterflies(w_, x, step, roots);
      for (int64_t k = 0; last && finish && k < r; ++k) {
        Parts& each = y[static_cast<size_t>(k)];
        each = finish(each, k * (n / r), n / r);
      }
      const Shape part{shape_[0], 1, step.shape[1], step.shape[3], shape_[2]};
      if (last && to_pairs) {
        Shape apart = part;
        apart.push_back(1);
        std::vector<Value*> pairs;
        for (const Parts& each : y) {
          const Parts turned = part_ == Part::kFirstHalf ? each : program_.turned(each);
          const Parts both = w_.each(turned, [&](Value* v) { return w_.reshape(v, apart); });
          pairs.push_back(w_.concatenate({both.re, both.im}, 5));
        }
        return {{}, w_.hold(w_.concatenate(pairs, 1), {1, 2, 3, 5})};
      }
      std::vector<Value*> planes;
      for (const Parts& each : y) planes.push_back(w_.reshape(each.re, part));
      for (const Parts& each : y) planes.push_back(w_.reshape(each.im, part));
      Value* held = w_.hold(w_.concatenate(planes, 1), {1, 2, 3});
      x = {w_.reshape(w_.slice(held, 1, 0, r), whole), w_.reshape(w_.slice(held, 1, r, 2 * r), whole)};
    }
    return {x};
  }

  ComplexArray made(Value* held) {
    region_->set_results({held});
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(region_));
    const std::string name = program_.name_ + "_transform" + std::to_string(++program_.kernels_);
    return {{},
            outside_.builder()
                .make("fused", operands_, ops::FusedOp::attributes(name), std::move(regions))
                ->result(0)};
  }

  FftProgram& program_;
  const Part part_;
  FftWriter& outside_;
  const Shape shape_;
  std::unique_ptr<ir::Region> region_;
  ir::Builder builder_;
  FftWriter w_;
  std::vector<Value*> operands_;
  std::map<std::pair<int64_t, int64_t>, Parts> roots_;  // by radix and rest
  Parts x_;
};

bool FftProgram::fits_one_kernel(const Shape& shape, const std::vector<int64_t>& radices) const {
  const int64_t n = shape[1];
  if (shape[0] * shape[2] < kLeastSideBySide) return false;
  if (radices.empty()) return chirp_length(n) <= kLongestStage;
  return radices.size() > 1 && n <= kLongestStage &&
         *std::max_element(radices.begin(), radices.end()) <= kMostInKernel;
}

// The two halves of a length that takes four passes or more through memory, where both fit a kernel, as near
// to each other as can be; none where there are columns or a batch, which have lanes of their own.
std::optional<std::pair<int64_t, int64_t>> FftProgram::halves(const Shape& shape,
                                                              const std::vector<int64_t>& radices) const {
  constexpr size_t kManyPasses = 4;
  if (shape[0] != 1 || shape[2] != 1 || radices.size() < kManyPasses ||
      *std::max_element(radices.begin(), radices.end()) > kMostWrittenOut)
    return std::nullopt;
  const int64_t n = shape[1];
  auto first = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % first != 0) --first;
  if (n / first > kLongestStage || first < kLeastSideBySide) return std::nullopt;
  return std::pair(first, n / first);
}

ComplexArray FftProgram::in_two_kernels(const ComplexArray& x, std::pair<int64_t, int64_t> halves,
                                        double scale) {
  const auto [a, b] = halves;
  FftKernel first(*this, x, {1, a, b}, FftKernel::Part::kFirstHalf);
  const ComplexArray y = first.by_factors(fft_radices(a), 1);
  FftKernel second(*this, y, {a, b, 1}, FftKernel::Part::kSecondHalf);
  return second.by_factors(fft_radices(b), scale);
}

ComplexArray FftProgram::of_real_in_one_kernel(Value* pairs, const Shape& shape,
                                               const std::vector<int64_t>& radices) {
  return FftKernel(*this, {{}, pairs}, shape).of_real(radices);
}

ComplexArray FftProgram::to_real_in_one_kernel(const ComplexArray& x, const Shape& shape,
                                               const std::vector<int64_t>& radices, double scale) {
  return FftKernel(*this, x, shape).to_real(radices, scale);
}

ComplexArray FftProgram::in_one_kernel(const ComplexArray& x, const Shape& shape,
                                       const std::vector<int64_t>& radices, double scale) {
  FftKernel kernel(*this, x, shape);
  return radices.empty() ? kernel.by_chirp(scale) : kernel.by_factors(radices, scale);
}

}  // namespace ingot::pass
