#include "tools/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "interpreter/in_f64.h"
#include "tools/show.h"
#include "tools/trial.h"

namespace ingot::tools {
namespace {

double error_of(const Tensor& actual, const Tensor& expected, int64_t i) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (!is_inexact(actual.dtype())) return actual.get_int(i) == expected.get_int(i) ? 0 : kWrong;
  const std::complex<double> a = actual.get_complex(i), e = expected.get_complex(i);
  const double size = std::abs(e);
  double error = 0;
  for (auto [x, y] : {std::pair(a.real(), e.real()), std::pair(a.imag(), e.imag())}) {
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return kWrong;
    error = std::max(error, std::abs(x - y) / (1 + size));
  }
  return error;
}

std::string element_text(const Tensor& tensor, int64_t i) {
  Tensor one(tensor.dtype(), {1});
  if (is_inexact(tensor.dtype())) {
    one.set_complex(0, tensor.get_complex(i));
  } else {
    one.set_int(0, tensor.get_int(i));
  }
  std::string text = show_tensor(one);  // "f32[1] [0.5]"
  const size_t open = text.find(" [") + 2;
  return text.substr(open, text.size() - open - 1);
}

std::string index_text(const Shape& shape, int64_t i) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) {
    text = std::to_string(i % shape[d]) + (text.empty() ? "" : ",") + text;
  }
  return "[" + text + "]";
}

}  // namespace

Difference largest_difference(std::span<const Tensor> actual, std::span<const Tensor> expected) {
  check(actual.size() == expected.size(), "largest_difference: different numbers of results");
  Difference found;
  for (size_t r = 0; r < actual.size(); ++r) {
    const Tensor &a = actual[r], &e = expected[r];
    check(a.dtype() == e.dtype() && a.shape() == e.shape(), "largest_difference: results of different types");
    for (int64_t i = 0; i < a.size(); ++i) {
      const double error = error_of(a, e, i);
      if (error <= found.error) continue;
      found.error = error;
      found.dtype = a.dtype();
      found.where = "out" + std::to_string(r) + index_text(a.shape(), i) + ": " + element_text(a, i) +
                    " instead of " + element_text(e, i);
    }
  }
  return found;
}

namespace {

// "1.5 instead of 1.25" at an element that is wrong or farthest off.
std::string place(const Verdict& verdict, std::span<const Tensor> results, const Judgement& judgement) {
  const Tensor &a = results[verdict.result], &own = judgement.own[verdict.result];
  Tensor expected = own;
  if (is_inexact(own.dtype())) expected = converted(judgement.expected[verdict.result], own.dtype());
  return "out" + std::to_string(verdict.result) + index_text(a.shape(), verdict.element) + ": " +
         element_text(a, verdict.element) + " instead of " + element_text(expected, verdict.element);
}

std::string times(double ratio) {
  return std::isfinite(ratio) ? show_number(ratio) + " times what rounding may make of it"
                              : "which no rounding makes of it";
}

}  // namespace

std::string Measure::wrong(std::span<const Tensor> results) const {
  if (tolerance_ >= 0) {
    const Difference difference = largest_difference(results, judgement_.own);
    if (!difference.beyond(tolerance_)) return "";
    return "error " + show_number(difference.error) + " at " + difference.where;
  }
  const Verdict verdict = ingot::compare(results, judgement_);
  if (verdict.good()) return "";
  return place(verdict, results, judgement_) + ", " + times(verdict.ratio) + "; " +
         std::to_string(verdict.wrong) + " of " + std::to_string(verdict.elements) + " elements are wrong";
}

int64_t Measure::different(std::span<const Tensor> results) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  int64_t different = 0;
  for (size_t r = 0; r < results.size(); ++r) {
    const Tensor &a = results[r], &own = judgement_.own[r];
    for (int64_t i = 0; i < a.size(); ++i) {
      if (!is_inexact(a.dtype())) {
        different += a.get_int(i) == own.get_int(i) ? 0 : 1;
        continue;
      }
      const std::complex<double> x = a.get_complex(i), y = own.get_complex(i);
      different += same(x.real(), y.real()) ? 0 : 1;
      if (is_complex(a.dtype())) different += same(x.imag(), y.imag()) ? 0 : 1;
    }
  }
  return different;
}

std::string Measure::largest(std::span<const Tensor> results) const {
  const Verdict verdict = ingot::compare(results, judgement_);
  if (verdict.ratio == 0) return "no error";
  return "largest error " + show_number(verdict.error) + ", " + times(verdict.ratio) + ", at " +
         place(verdict, results, judgement_);
}

std::string Measure::unseen() const {
  std::string text;
  const auto add = [&](int64_t count, const std::string& what) {
    if (count == 0) return;
    text +=
        std::to_string(count) + " of " + std::to_string(judgement_.elements) + " elements are " + what + "\n";
  };
  if (tolerance_ < 0) {
    add(judgement_.undecided, "undecided: what they are hangs on roundings, so that any value passes");
    int64_t wide = 0;
    std::string which;
    for (size_t r = 0; r < judgement_.own.size(); ++r) {
      const int64_t here = judgement_.wide(r);
      wide += here;
      if (here > 0)
        which += (which.empty() ? "" : ", ") + ("out" + std::to_string(r) + ": ") + std::to_string(here);
    }
    add(wide, "compared with a tolerance as wide as they are, which says nothing of them (" + which + ")");
  }
  int64_t not_finite = 0;
  for (const Tensor& result : judgement_.own) {
    for (int64_t i = 0; is_inexact(result.dtype()) && i < result.size(); ++i) {
      const std::complex<double> element = result.get_complex(i);
      not_finite += std::isfinite(element.real()) ? 0 : 1;
      if (is_complex(result.dtype())) not_finite += std::isfinite(element.imag()) ? 0 : 1;
    }
  }
  add(not_finite,
      "not finite: what is wrong on the way to them may not be seen; other arguments would show it");
  return text;
}

Judged judge_apart(const ir::Module& module, std::span<const Tensor> arguments, double tolerance,
                   double seconds) {
  const Deadline deadline(seconds);
  const auto all = [](Judgement& judgement, const auto& visit) {
    for (std::vector<Tensor>* list : {&judgement.own, &judgement.expected, &judgement.room}) {
      for (Tensor& tensor : *list) visit(tensor);
    }
  };
  const Answer answer = ask_apart(
      [&](const Say& say) {
        JudgeOptions options;
        // The second pair of evaluations is for sharper judgement only.
        options.more = [&] { return deadline.elapsed() < 0.4 * seconds; };
        Judgement judgement = judge(module, arguments, options);
        say(std::string(reinterpret_cast<const char*>(&judgement.elements), sizeof(int64_t)) +
            std::string(reinterpret_cast<const char*>(&judgement.undecided), sizeof(int64_t)));
        all(judgement, [&](Tensor& tensor) {
          say(std::string(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes()));
        });
      },
      seconds);
  if (!answer.failure.empty()) return {std::nullopt, answer.failure};
  Judgement judgement;
  for (const ir::Value* result : module.entry()->body().results()) {
    const DType wide = widest(result->dtype());
    judgement.own.emplace_back(result->dtype(), result->shape());
    judgement.expected.emplace_back(wide, result->shape());
    Shape shape = result->shape();
    if (is_complex(wide)) shape.push_back(2);
    judgement.room.emplace_back(DType::kF64, shape);
  }
  const char* at = answer.said.data();
  const auto take = [&](void* to, size_t bytes) {
    check(at + bytes <= answer.said.data() + answer.said.size(), "judge_apart: bytes are missing");
    std::memcpy(to, at, bytes);
    at += bytes;
  };
  take(&judgement.elements, sizeof(int64_t));
  take(&judgement.undecided, sizeof(int64_t));
  all(judgement, [&](Tensor& tensor) { take(tensor.raw(), tensor.bytes()); });
  return {Measure(std::move(judgement), tolerance), ""};
}

}  // namespace ingot::tools
