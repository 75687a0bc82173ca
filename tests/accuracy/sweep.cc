// A sweep goes through the floats by their bits, in blocks that threads take in turn. The reference of each
// is a value in double, of the C library or, where that has no such function, of the operation's own kernel
// in double; it is off by less than a millionth of a float's last place, which MPFR vouches for at every
// 2^14-th float and at the worst one.
#include "accuracy/sweep.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "compiler/compiler.h"
#include "ir/text.h"

namespace ingot::accuracy {
namespace {

constexpr int64_t kBlock = 1 << 18;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOver = 0x1p128;  // what stands for an infinite float

template <class T>
class Block {
 public:
  explicit Block(int64_t size)
      : memory_(static_cast<T*>(std::aligned_alloc(64, static_cast<size_t>(size) * sizeof(T)))) {}
  T* data() const { return memory_.get(); }
  T& operator[](int64_t i) const { return memory_.get()[i]; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
};

// Of a finite float's last place; what is below the normal numbers has that of the smallest of them.
double last_place(double right) {
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  const auto bits_of = [](double power) { return std::bit_cast<uint64_t>(power); };
  const uint64_t exponent = std::clamp(bits_of(right) & kExponent, bits_of(0x1p-126), bits_of(0x1p127));
  return std::bit_cast<double>(exponent - (uint64_t{23} << 52));
}

// As error_in_ulps(), of a float beside its value in double.
double fast_error(float got, double right) {
  if (std::isnan(got) || std::isnan(right)) return std::isnan(got) && std::isnan(right) ? 0 : kInfinity;
  if (got == 0 && right == 0) return std::signbit(got) == std::signbit(right) ? 0 : kInfinity;
  const double value = std::isinf(got) ? std::copysign(kOver, got) : got;
  if (std::fabs(right) > kOver) right = std::copysign(kOver, right);
  return std::fabs(value - right) / last_place(right);
}

bool is_below_normal(double right, DType dtype) {
  const double least =
      dtype == DType::kF32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return std::fabs(right) < least;
}

// Near a zero of the function the bound is one of the distance.
double allowed_error(const Function& function, DType dtype, double error, double got, double right) {
  if (!function.crosses_zero || std::fabs(right) >= 1 || !std::isfinite(error)) return error;
  const double epsilon = dtype == DType::kF32 ? 0x1p-23 : 0x1p-52;
  const double bound = dtype == DType::kF32 ? function.bound_f32 : function.bound_f64;
  return std::fabs(got - right) <= function.epsilons * epsilon ? std::fmin(error, bound) : error;
}

void add(Result& total, const Result& part) {
  if (part.worst.ulps > total.worst.ulps) total.worst = part.worst;
  total.values += part.values;
  total.correctly_rounded += part.correctly_rounded;
  total.flushes |= part.flushes;
  total.reference_error = std::fmax(total.reference_error, part.reference_error);
}

class Sweeper {
 public:
  Sweeper(const Function& function, uint64_t stride)
      : function_(function), stride_(stride), single_(function, DType::kF32, kBlock) {
    if (function.in_double == nullptr) twice_.emplace(function, DType::kF64, kBlock);
  }

  // Of the floats whose bits are `first`, `first + stride`, ..
  Result block(uint64_t first) {
    thread_local Block<float> x(kBlock), y(kBlock);
    thread_local Block<double> wide(kBlock), right(kBlock);
    for (int64_t i = 0; i < kBlock; ++i) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + static_cast<uint64_t>(i) * stride_));
      wide[i] = x[i];
    }
    single_.run(x.data(), nullptr, y.data());
    if (twice_) {
      twice_->run(wide.data(), nullptr, right.data());
    } else {
      for (int64_t i = 0; i < kBlock; ++i) right[i] = function_.in_double(wide[i]);
    }
    Result result;
    result.values = kBlock;
    for (int64_t i = 0; i < kBlock; ++i) {
      const float got = y[i], nearest = static_cast<float>(right[i]);
      if (std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(nearest) ||
          (std::isnan(got) && std::isnan(nearest))) {
        ++result.correctly_rounded;  // half of the last place off, at most
        continue;
      }
      const double error = fast_error(got, right[i]);
      if (error > 0.5 && got == 0 && is_below_normal(right[i], DType::kF32)) {
        result.flushes |= error > 1;
        continue;
      }
      result.worst.take(allowed_error(function_, DType::kF32, error, got, right[i]), wide[i], 0, got);
    }
    for (int64_t i = 0; i < kBlock; i += 1 << 14) {
      const double off = std::fabs(error_in_ulps(function_, DType::kF32, right[i], wide[i]));
      const bool tiny = std::fabs(right[i]) > kOver && std::isinf(static_cast<float>(right[i]));
      if (!tiny) result.reference_error = std::fmax(result.reference_error, off);
    }
    return result;
  }

 private:
  const Function& function_;
  uint64_t stride_;
  Operation single_;
  std::optional<Operation> twice_;
};

template <class T>
Result sample_of(const Function& function, int64_t count, uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr DType kDType = sizeof(T) == 4 ? DType::kF32 : DType::kF64;
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> dense(function.low, function.high);
  const auto draw = [&] {
    switch (random() % 4) {
      case 0:
      case 1:
        return std::bit_cast<T>(static_cast<Bits>(random()));
      case 2:
        return static_cast<T>(dense(random));
      default:
        return static_cast<T>(dense(random) / 64);
    }
  };
  Block<T> x(count), second(count), y(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = draw();
    second[i] = draw();
    // Powers that are numbers: the logarithm of the result lies within the range.
    if (function.operands == 2 && i % 2 == 0 && x[i] > 0 && std::isfinite(x[i]) && x[i] != 1 &&
        std::strcmp(function.name, "pow") == 0) {
      const double most = std::log(static_cast<double>(Limits::max()));
      second[i] = static_cast<T>(std::uniform_real_distribution<double>(-most, most)(random) /
                                 std::log(static_cast<double>(x[i])));
    }
  }
  const T special[] = {T(0),
                       -T(0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::min(),
                       Limits::max(),
                       -Limits::max(),
                       Limits::denorm_min(),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(2),
                       T(-0.5)};
  int64_t at = 0;
  for (T a : special) {
    for (T b : special) {
      if (at >= count) break;
      x[at] = a, second[at++] = b;
      if (function.operands == 1) break;
    }
  }
  const Operation operation(function, kDType, count);
  operation.run(x.data(), second.data(), y.data());
  Result result;
  result.values = count;
  for (int64_t i = 0; i < count; ++i) {
    const double right = rounded(function, kDType, x[i], second[i]);
    if (y[i] == right || (std::isnan(y[i]) && std::isnan(right))) ++result.correctly_rounded;
    const double error = error_in_ulps(function, kDType, y[i], x[i], second[i]);
    if (error > 0.5 && y[i] == 0 && is_below_normal(right, kDType)) {
      result.flushes |= error > 1;
      continue;
    }
    result.worst.take(allowed_error(function, kDType, error, y[i], right), x[i], second[i], y[i]);
  }
  return result;
}

}  // namespace

Operation::Operation(const Function& function, DType dtype, int64_t length)
    : operands_(function.operands), length_(length) {
  const std::string type = std::string(name_of(dtype)) + "[" + std::to_string(length) + "]";
  const std::string parameters = operands_ == 1 ? "%x: " + type : "%x: " + type + ", %z: " + type;
  const std::string text = "func @main(" + parameters + ") -> (" + type + ") {\n  %y = " + function.name +
                           (operands_ == 1 ? "(%x) : " : "(%x, %z) : ") + type + "\n  return %y\n}\n";
  executable_ = compiler::compile(ir::parse(text, function.name)).executable;
}

void Operation::run(const void* x, const void* second, void* y) const {
  const void* in[] = {x, second};
  executable_->run(in, &y);
}

Result sweep(const Function& function, int threads, uint64_t stride,
             const std::function<void(double, const Worst&)>& progress) {
  Sweeper sweeper(function, stride);
  const uint64_t blocks = (uint64_t{1} << 32) / (stride * kBlock);
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  Result total;
  uint64_t done = 0;
  const auto work = [&] {
    for (uint64_t block; (block = next++) < blocks;) {
      const Result part = sweeper.block(block * stride * kBlock);
      const std::lock_guard lock(mutex);
      add(total, part);
      progress(static_cast<double>(++done) / static_cast<double>(blocks), total.worst);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  if (total.worst.ulps == 0) total.worst.ulps = 0.5;  // all are the right ones, rounded
  // The worst one's error is MPFR's.
  const double exact = error_in_ulps(function, DType::kF32, total.worst.got, total.worst.x);
  if (total.worst.ulps > 0.5)
    total.reference_error = std::fmax(total.reference_error, std::fabs(exact - total.worst.ulps));
  return total;
}

Result sample(const Function& function, DType dtype, int64_t count, uint64_t seed) {
  return dtype == DType::kF32 ? sample_of<float>(function, count, seed)
                              : sample_of<double>(function, count, seed);
}

}  // namespace ingot::accuracy
