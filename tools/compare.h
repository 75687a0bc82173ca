// How far two runs of one program are apart.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/tensor.h"
#include "interpreter/judge.h"
#include "ir/ir.h"

namespace ingot::tools {

// The place where the error is largest. The error of floats is |actual - expected| / (1 + |expected|); equal
// infinities and two NaNs have none. Other elements have the error 0 or infinity.
struct Difference {
  double error = 0;
  DType dtype = DType::kF32;  // where it is
  std::string where;          // "out0[3,4]: 1.5 instead of 1.25"; empty if all is equal

  bool beyond(double tolerance) const { return error > tolerance; }
};

Difference largest_difference(std::span<const Tensor> actual, std::span<const Tensor> expected);

// Whether results are what a program should give: by judge.h's measure, or, where the user has given a
// tolerance, within that of what the interpreter makes of the program as it stands.
class Measure {
 public:
  Measure(Judgement judgement, double tolerance)  // -1: none given
      : judgement_(std::move(judgement)), tolerance_(tolerance) {}

  // Empty if they are right; else "out0[3,4]: 1.5 instead of 1.25, 80 times what rounding may make of it".
  std::string wrong(std::span<const Tensor> results) const;
  // How many numbers, two of a complex element, are others than the interpreter's; all NaN are one.
  int64_t different(std::span<const Tensor> results) const;
  // Of right ones: the largest error, in words.
  std::string largest(std::span<const Tensor> results) const;
  // What passes whatever is computed, a line each: "3 of 100 elements are undecided: ...". Often empty.
  std::string unseen() const;

  const Judgement& judgement() const { return judgement_; }

 private:
  Judgement judgement_;
  double tolerance_;
};

// Judges in a process of its own, so that the interpreter's crashes end there. Nothing, and why, if it fails.
struct Judged {
  std::optional<Measure> measure;
  std::string failure;
};
Judged judge_apart(const ir::Module& module, std::span<const Tensor> arguments, double tolerance,
                   double seconds);

}  // namespace ingot::tools
