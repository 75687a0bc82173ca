// The discrete Fourier transform, over the last dimensions; all others are a batch.
//
// No kernel knows it: the pass expand_fft writes it as a program over arrays.
#include <algorithm>
#include <array>
#include <numeric>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/fft_reference.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

constexpr std::array<std::string_view, 4> kFftTypes{"fft", "ifft", "rfft", "irfft"};
constexpr size_t kMostFftLengths = 3;

// How many numbers say all of the transform of n real ones: the others are their conjugates.
int64_t half_length(int64_t n) {
  return n == 0 ? 0 : n / 2 + 1;
}

FftType checked_type(const Attributes& attributes) {
  const std::string& name = attributes.get<std::string>("fft_type");
  const auto found = std::find(kFftTypes.begin(), kFftTypes.end(), name);
  if (found == kFftTypes.end())
    fail("'fft_type' is \"", name, R"(", but must be "fft", "ifft", "rfft" or "irfft")");
  return static_cast<FftType>(found - kFftTypes.begin());
}

Types infer_fft(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const FftType type = checked_type(context.attributes);
  const IntList& lengths = context.attributes.list("fft_length");
  if (lengths.empty() || lengths.size() > kMostFftLengths)
    fail("'fft_length' is ", List{lengths}, ", but must have 1, 2 or 3 lengths, of the last dimensions");
  want_extents(lengths, "fft_length");
  if (std::any_of(lengths.begin(), lengths.end(), [](int64_t n) { return n < 0; }))
    fail("'fft_length' is ", List{lengths}, ", but no length may be negative");
  const bool from_real = type == FftType::kRfft;
  if (from_real ? x.dtype != DType::kF32 && x.dtype != DType::kF64 : !is_complex(x.dtype))
    fail("the operand is ", x, ", but \"", context.attributes.get<std::string>("fft_type"), "\" takes ",
         from_real ? "f32 or f64" : "complex numbers");
  Shape wanted = x.shape;
  if (x.shape.size() < lengths.size())
    fail("the operand is ", x, ", but must have a dimension for each of the lengths ", List{lengths});
  std::copy(lengths.begin(), lengths.end(), wanted.end() - static_cast<std::ptrdiff_t>(lengths.size()));
  Shape halved = wanted;
  halved.back() = half_length(wanted.back());
  const Shape& given = type == FftType::kIrfft ? halved : wanted;
  if (x.shape != given)
    fail("the operand is ", x, ", but for the lengths ", List{lengths}, " must be ",
         TensorType{x.dtype, given});
  switch (type) {
    case FftType::kRfft:
      return {{x.dtype == DType::kF32 ? DType::kC64 : DType::kC128, halved}};
    case FftType::kIrfft:
      return {{real_dtype(x.dtype), wanted}};
    default:
      return {x};
  }
}

// --- reference semantics

// One dimension after the other, over an array of complex numbers.
template <class Real>
struct Transformed {
  Shape shape;
  std::vector<std::complex<Real>> data;

  // Calls fn with a line along the axis, as it is, and puts back what it makes of it, of `length` elements.
  template <class Fn>
  void along(size_t axis, int64_t length, const Fn& fn) {
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const int64_t before = shape[axis];
    std::vector<std::complex<Real>> result(static_cast<size_t>(outer * length * inner)), line;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        line.resize(static_cast<size_t>(before));
        for (int64_t k = 0; k < before; ++k)
          line[static_cast<size_t>(k)] = data[static_cast<size_t>((o * before + k) * inner + i)];
        fn(line);
        for (int64_t k = 0; k < length; ++k)
          result[static_cast<size_t>((o * length + k) * inner + i)] = line[static_cast<size_t>(k)];
      }
    }
    data = std::move(result);
    shape[axis] = length;
  }
};

template <class Real>
void transform_all(Transformed<Real>& x, FftType type, const IntList& lengths) {
  using Line = std::vector<std::complex<Real>>;
  const size_t first = x.shape.size() - lengths.size(), last = x.shape.size() - 1;
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  const int64_t n = lengths.back();
  const auto plain = [&](Line& line) {
    transform_in_place<Real>(line, inverse);
    if (!inverse) return;
    for (auto& element : line) element /= static_cast<Real>(line.size());
  };
  if (type == FftType::kRfft) {
    x.along(last, half_length(n), [&](Line& line) {
      plain(line);
      line.resize(static_cast<size_t>(half_length(n)));
    });
  }
  const bool is_half = type == FftType::kRfft || type == FftType::kIrfft;
  for (size_t axis = first; axis < (is_half ? last : last + 1); ++axis) x.along(axis, x.shape[axis], plain);
  if (type == FftType::kIrfft) {
    x.along(last, n, [&](Line& line) {
      line.resize(static_cast<size_t>(n));
      if (n == 0) return;
      // What has no counterpart counts as real.
      line[0] = line[0].real();
      if (n % 2 == 0) line[static_cast<size_t>(n / 2)] = line[static_cast<size_t>(n / 2)].real();
      for (int64_t k = n / 2 + 1; k < n; ++k)
        line[static_cast<size_t>(k)] = std::conj(line[static_cast<size_t>(n - k)]);
      plain(line);
    });
  }
}

template <class T>
auto wide_complex(T x) {
  if constexpr (requires { x.imag(); })
    return std::complex(static_cast<Wide<typename T::value_type>>(x.real()),
                        static_cast<Wide<typename T::value_type>>(x.imag()));
  else
    return std::complex(static_cast<Wide<T>>(x));
}

Tensors fft_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(op.result()->dtype(), op.result()->shape());
  const bool is_double = real_dtype(result.dtype()) == DType::kF64;
  const auto run = [&]<class Real>(std::type_identity<Real>) {
    Transformed<Wide<Real>> all{x[0].shape(), {}};
    all.data.resize(static_cast<size_t>(x[0].size()));
    for (size_t i = 0; i < all.data.size(); ++i)
      all.data[i] = is_complex(x[0].dtype()) ? wide_complex(x[0].data<std::complex<Real>>()[i])
                                             : wide_complex(x[0].data<Real>()[i]);
    if (result.size() > 0) transform_all(all, FftOp(op).type(), FftOp(op).lengths());
    for (int64_t i = 0; i < result.size(); ++i) {
      const auto& element = all.data[static_cast<size_t>(i)];
      if (is_complex(result.dtype()))
        result.data<std::complex<Real>>()[i] = {static_cast<Real>(element.real()),
                                                static_cast<Real>(element.imag())};
      else
        result.data<Real>()[i] = static_cast<Real>(element.real());
    }
  };
  if (is_double)
    run(std::type_identity<double>());
  else
    run(std::type_identity<float>());
  return {result};
}

// --- batching

// The batch stays before the dimensions that are transformed.
Batches batch_fft(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t batch = op.operand(0)->rank() - static_cast<int64_t>(FftOp(op).lengths().size());
  const int64_t axis = !x[0].shared() && x[0].axis <= batch ? x[0].axis : 0;
  Value* operand = with_batch_at(batcher, x[0], axis);
  return {{batcher.make(op.name(), {operand}, op.attributes())->result(), axis}};
}

constinit const OpRecord fft{
    .name = "fft",
    .doc =
        "The discrete Fourier transform over as many of the last dimensions as `fft_length` has lengths, 1 "
        "to 3. `fft_type` says which: fft, y[k] = sum of x[j] exp(-2 pi i j k / n); ifft, its inverse, with "
        "1/n; rfft, of real numbers, which leaves out of the last dimension what is the conjugate of the "
        "rest, so that n / 2 + 1 are left; irfft, back from there to n real numbers, where the imaginary "
        "part of what is its own conjugate does not count.",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::text("fft_type"), attribute::list("fft_length")},
    .infer = infer_fft,
    .batch = batch_fft,
    .becomes = ir::Expanded{},
    .reference = fft_reference,
    .identities = nullptr,
    .jvp = ir::Linear{.first = 0},
    .transpose = fft_transpose,
    .stablehlo = "stablehlo.fft",
};

constexpr const OpRecord* kFftRecords[] = {&fft};

}  // namespace

Records fft_records() {
  return kFftRecords;
}

const OpRecord& FftOp::record() {
  return fft;
}

FftType FftOp::type(const ir::Attributes& attributes) {
  return checked_type(attributes);
}

// The matrix of a transform is symmetric. That of rfft is the whole one's first columns, of real numbers:
// zeros for what was left out, and the real part of what comes back. That of irfft counts each number but
// the ones that are their own conjugates twice (those of JAX).
void fft_transpose(const Op& op, Value* ct, Transposition& t) {
  const FftType type = FftOp(op).type();
  const IntList& lengths = FftOp(op).lengths();
  const auto transform = [&](Value* x, std::string_view name) {
    return t.make("fft", {x}, {{"fft_type", std::string(name)}, {"fft_length", lengths}});
  };
  const size_t rank = ct->shape().size();
  if (type == FftType::kFft || type == FftType::kIfft)
    return t.add(0, transform(ct, kFftTypes[static_cast<size_t>(type)]));
  const int64_t n = lengths.back();
  if (type == FftType::kRfft) {
    IntList high(rank, 0);
    high.back() = n - ct->shape().back();
    Value* whole = t.make("pad", {ct, zeros(t, {ct->dtype(), {}})},
                          {{"low", IntList(rank, 0)}, {"high", high}, {"interior", IntList(rank, 0)}});
    return t.add(0, t.make("real", {transform(whole, "fft")}));
  }
  Value* half = t.make("conj", {transform(ct, "rfft")});
  double count = 1;
  for (const int64_t length : lengths) count *= static_cast<double>(length);
  Tensor weights(half->dtype(), {half->shape().back()});
  for (int64_t k = 0; k < weights.size(); ++k) weights.set_double(k, (k == 0 || 2 * k == n ? 1 : 2) / count);
  Value* row = t.make("constant", {}, {{"value", weights}});
  Value* all = t.make("broadcast", {row},
                      {{"shape", half->shape()}, {"dims", IntList{static_cast<int64_t>(rank) - 1}}});
  t.add(0, t.make("mul", {half, all}));
}

}  // namespace ingot::ops
