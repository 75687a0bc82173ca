// Fourier transforms: the operation of ops/fft.cc along any axes, of any lengths.
#include "ingot/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "frontend/compose.h"
#include "ops/kinds.h"

namespace ingot::fft {
namespace {

using detail::emit;
using detail::fail;
using ir::IntList;
using ops::FftType;

constexpr size_t kMostAtOnce = 3;  // dimensions of one operation

// What a function does: the operation, and whether it is that of the conjugate, which has the other sign.
struct Kind {
  const char* name;
  FftType type;
  bool conjugate = false;

  bool from_real() const { return type == FftType::kRfft; }
  bool to_real() const { return type == FftType::kIrfft; }
  // By its name, whatever it is made of: hfft is irfft of the conjugate.
  bool is_inverse() const { return (type == FftType::kIfft || type == FftType::kIrfft) != conjugate; }
};

struct Transform {
  Kind kind;
  std::vector<int64_t> axes;     // of the array, the halved one last
  std::vector<int64_t> lengths;  // of what is transformed
  Norm norm;

  // Of the axis in the operand.
  int64_t given(size_t i) const {
    return kind.to_real() && i + 1 == axes.size() ? lengths[i] / 2 + 1 : lengths[i];
  }
};

const char* type_name(FftType type) {
  switch (type) {
    case FftType::kFft:
      return "fft";
    case FftType::kIfft:
      return "ifft";
    case FftType::kRfft:
      return "rfft";
    default:
      return "irfft";
  }
}

// The array with that extent: its first elements, or zeros behind them.
Array emit_resized(const Array& x, int64_t axis, int64_t extent, const std::source_location& where) {
  const auto at = static_cast<size_t>(axis);
  const size_t rank = x.shape().size();
  const int64_t before = x.shape()[at];
  if (before == extent) return x;
  if (before > extent) {
    IntList limits = x.shape();
    limits[at] = extent;
    return emit("slice", {x},
                {{"starts", IntList(rank, 0)}, {"limits", limits}, {"strides", IntList(rank, 1)}}, where);
  }
  IntList high(rank, 0);
  high[at] = extent - before;
  return emit("pad", {x, detail::number(x.dtype(), 0)},
              {{"low", IntList(rank, 0)}, {"high", high}, {"interior", IntList(rank, 0)}}, where);
}

Array emit_complex(const Array& x, const std::source_location& where) {
  if (is_complex(x.dtype())) return x;
  const DType to = x.dtype() == DType::kF64 ? DType::kC128 : DType::kC64;
  return emit("convert", {x}, {{"dtype", to}}, where);
}

// One operation over up to three of the axes, which come last for it.
Array emit_over(const Array& x, FftType type, const std::vector<int64_t>& axes, const IntList& lengths,
                const std::source_location& where) {
  const int64_t rank = x.rank();
  IntList order, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const auto turned = [&](const Array& array, const IntList& permutation) {
    return std::is_sorted(order.begin(), order.end())
               ? array
               : emit("transpose", {array}, {{"permutation", permutation}}, where);
  };
  const Array y = emit("fft", {turned(x, order)},
                       {{"fft_type", std::string(type_name(type))}, {"fft_length", lengths}}, where);
  return turned(y, back);
}

// The factor that the norm wants and the operation does not have.
double factor_of(const Transform& t) {
  double count = 1;
  for (const int64_t length : t.lengths) count *= static_cast<double>(length);
  const bool scaled = t.kind.type == FftType::kIfft || t.kind.type == FftType::kIrfft;
  const double has = scaled ? 1 / count : 1;
  const double wanted = t.norm == Norm::kOrtho                               ? 1 / std::sqrt(count)
                        : (t.norm == Norm::kBackward) == t.kind.is_inverse() ? 1 / count
                                                                             : 1;
  return wanted == has ? 1 : wanted / has;
}

Array emit_transform(const Array& given, const Transform& t, const std::source_location& where) {
  Array x = detail::in_f32(given);
  if (!t.kind.from_real()) x = emit_complex(x, where);
  for (size_t i = 0; i < t.axes.size(); ++i) x = emit_resized(x, t.axes[i], t.given(i), where);
  if (t.kind.conjugate && !t.kind.from_real()) x = emit("conj", {x}, {}, where);
  // Those next to the halved one go with it.
  const size_t count = t.axes.size(), whole = count > kMostAtOnce ? count - kMostAtOnce : 0;
  const auto over = [&](FftType type, size_t begin, size_t end) {
    const auto b = static_cast<std::ptrdiff_t>(begin), e = static_cast<std::ptrdiff_t>(end);
    x = emit_over(x, type, {t.axes.begin() + b, t.axes.begin() + e},
                  IntList(t.lengths.begin() + b, t.lengths.begin() + e), where);
  };
  const auto others = [&] {
    const FftType type = t.kind.to_real() ? FftType::kIfft : t.kind.from_real() ? FftType::kFft : t.kind.type;
    for (size_t begin = 0; begin < whole; begin += kMostAtOnce)
      over(type, begin, std::min(begin + kMostAtOnce, whole));
  };
  if (t.kind.to_real()) others();
  over(t.kind.type, whole, count);
  if (!t.kind.to_real()) others();
  if (t.kind.conjugate && t.kind.from_real()) x = emit("conj", {x}, {}, where);
  const double factor = factor_of(t);
  if (factor == 1) return x;
  const auto scaled = [&](const Array& array) { return array * Operand(factor, where); };
  if (!is_complex(x.dtype())) return scaled(x);
  return emit("complex", {scaled(emit("real", {x}, {}, where)), scaled(emit("imag", {x}, {}, where))}, {},
              where);
}

// --- arguments

Array checked_operand(const Kind& kind, const Operand& x) {
  const std::source_location& where = x.where();
  const Array array = detail::floating(detail::checked_array(x));
  if (kind.from_real() && is_complex(array.dtype()))
    fail(where, std::string(kind.name) + ": takes real numbers, but this is a " + array.type_string() +
                    "; take its real() part, or use fft");
  return array;
}

int64_t checked_length(const Kind& kind, const Array& x, int64_t axis, Optional<int64_t> wanted, bool halved,
                       const std::source_location& where) {
  const int64_t extent = x.shape(axis);
  const int64_t n = wanted ? *wanted : halved ? 2 * (extent - 1) : extent;
  const std::string name = kind.name;
  if (wanted && n < 1) fail(where, name + ": the length " + std::to_string(n) + " should be positive");
  if (n < 1)
    fail(where, name + ": axis " + std::to_string(axis) + " of " + x.type_string() +
                    (halved && extent == 1 ? " has one element, which says no length; give n"
                                           : " has no element, and a transform needs one"));
  return n;
}

Array run(const Array& x, const Transform& t, const std::source_location& where) {
  std::vector<int64_t> words{static_cast<int64_t>(t.norm)};
  words.insert(words.end(), t.axes.begin(), t.axes.end());
  words.insert(words.end(), t.lengths.begin(), t.lengths.end());
  return detail::apply(t.kind.name, {x}, words, where,
                       [&](const std::vector<Array>& given) { return emit_transform(given[0], t, where); });
}

Norm checked_norm(const Kind& kind, Norm norm, const std::source_location& where) {
  detail::checked_choice(kind.name, "norm", static_cast<int64_t>(norm), 3, where);
  return norm;
}

Array along_one(const Kind& kind, const Operand& x, const Options& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, kind.name);
  const Array array = checked_operand(kind, x);
  const int64_t axis = detail::checked_axis(kind.name, options.axis, array.rank(), where);
  const int64_t n = checked_length(kind, array, axis, options.n, kind.to_real(), where);
  return run(array, {kind, {axis}, {n}, checked_norm(kind, options.norm, where)}, where);
}

Array along_many(const Kind& kind, const Operand& x, const ManyOptions& options, bool last_two) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, kind.name);
  const Array array = checked_operand(kind, x);
  const std::string name = kind.name;
  const Optional<std::vector<int64_t>>& lengths = options.s.get();
  std::vector<int64_t> axes;
  if (options.axes.get()) {
    axes = *options.axes.get();
  } else if (last_two) {
    axes = {-2, -1};
  } else {
    axes.resize(lengths ? lengths->size() : static_cast<size_t>(array.rank()));
    std::iota(axes.begin(), axes.end(), -static_cast<int64_t>(axes.size()));
  }
  if (lengths && lengths->size() != axes.size())
    fail(where, name + ": there are " + std::to_string(lengths->size()) + " lengths for " +
                    std::to_string(axes.size()) + " axes; there should be one for each");
  for (int64_t& axis : axes) axis = detail::checked_axis(kind.name, axis, array.rank(), where);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(i))
      fail(where, name + ": axis " + std::to_string(axes[i]) + " is named twice");
  }
  if (axes.empty()) {
    if (kind.from_real() || kind.to_real())
      fail(where, name + ": there is no axis to transform; it takes one or more");
    const bool wide = array.dtype() == DType::kF64 || array.dtype() == DType::kC128;
    return astype(Operand(array, where), wide ? DType::kC128 : DType::kC64);
  }
  Transform t{kind, axes, {}, checked_norm(kind, options.norm, where)};
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto wanted = lengths ? std::optional((*lengths)[i]) : std::nullopt;
    t.lengths.push_back(
        checked_length(kind, array, axes[i], wanted, kind.to_real() && i + 1 == axes.size(), where));
  }
  return run(array, t, where);
}

Array shifted(const char* name, const Operand& x, const Axes& axes, bool back) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, name);
  Array array = x.array();
  detail::checked_node(array, where);
  for (const int64_t axis : detail::checked_axes(name, axes, array.rank(), where)) {
    const int64_t half = array.shape(axis) / 2;
    array = roll(Operand(array, where), back ? -half : half, axis);
  }
  return array;
}

// places[i] / (n d).
Array frequencies(const char* name, int64_t n, double d, DType dtype, bool half,
                  const std::source_location& where) {
  const CallerScope caller(where, name);
  if (n < 1) fail(where, std::string(name) + ": n is " + std::to_string(n) + ", and should be positive");
  if (!is_inexact(dtype) || is_complex(dtype))
    fail(where, std::string(name) + ": frequencies are floats, and no " + std::string(name_of(dtype)));
  const int64_t count = half ? n / 2 + 1 : n;
  detail::checked_shape(name, {count}, where);
  Tensor values;
  try {
    values = Tensor(dtype, {count});
  } catch (const Error& error) {  // there is no memory for it
    fail(where, std::string(name) + ": " + error.what());
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = !half && i > (n - 1) / 2 ? i - n : i;
    values.set_double(i, static_cast<double>(place) / (static_cast<double>(n) * d));
  }
  return detail::apply(name, {}, {n, std::bit_cast<int64_t>(d), static_cast<int64_t>(dtype)}, where,
                       [&](const std::vector<Array>&) {
                         return emit("constant", {}, {{"value", values}}, where);
                       });
}

constexpr Kind kFft{"fft", FftType::kFft}, kIfft{"ifft", FftType::kIfft}, kRfft{"rfft", FftType::kRfft},
    kIrfft{"irfft", FftType::kIrfft}, kHfft{"hfft", FftType::kIrfft, true},
    kIhfft{"ihfft", FftType::kRfft, true}, kFft2{"fft2", FftType::kFft}, kIfft2{"ifft2", FftType::kIfft},
    kRfft2{"rfft2", FftType::kRfft}, kIrfft2{"irfft2", FftType::kIrfft}, kFftn{"fftn", FftType::kFft},
    kIfftn{"ifftn", FftType::kIfft}, kRfftn{"rfftn", FftType::kRfft}, kIrfftn{"irfftn", FftType::kIrfft};

}  // namespace

Array fft(const Operand& x, const Options& options) {
  return along_one(kFft, x, options);
}
Array ifft(const Operand& x, const Options& options) {
  return along_one(kIfft, x, options);
}
Array rfft(const Operand& x, const Options& options) {
  return along_one(kRfft, x, options);
}
Array irfft(const Operand& x, const Options& options) {
  return along_one(kIrfft, x, options);
}
Array hfft(const Operand& x, const Options& options) {
  return along_one(kHfft, x, options);
}
Array ihfft(const Operand& x, const Options& options) {
  return along_one(kIhfft, x, options);
}
Array fft2(const Operand& x, const ManyOptions& options) {
  return along_many(kFft2, x, options, true);
}
Array ifft2(const Operand& x, const ManyOptions& options) {
  return along_many(kIfft2, x, options, true);
}
Array rfft2(const Operand& x, const ManyOptions& options) {
  return along_many(kRfft2, x, options, true);
}
Array irfft2(const Operand& x, const ManyOptions& options) {
  return along_many(kIrfft2, x, options, true);
}
Array fftn(const Operand& x, const ManyOptions& options) {
  return along_many(kFftn, x, options, false);
}
Array ifftn(const Operand& x, const ManyOptions& options) {
  return along_many(kIfftn, x, options, false);
}
Array rfftn(const Operand& x, const ManyOptions& options) {
  return along_many(kRfftn, x, options, false);
}
Array irfftn(const Operand& x, const ManyOptions& options) {
  return along_many(kIrfftn, x, options, false);
}

Array fftfreq(int64_t n, double d, DType dtype, Where where) {
  return frequencies("fftfreq", n, d, dtype, false, where);
}
Array rfftfreq(int64_t n, double d, DType dtype, Where where) {
  return frequencies("rfftfreq", n, d, dtype, true, where);
}

Array fftshift(const Operand& x, const Axes& axes) {
  return shifted("fftshift", x, axes, false);
}
Array ifftshift(const Operand& x, const Axes& axes) {
  return shifted("ifftshift", x, axes, true);
}

}  // namespace ingot::fft
