// How far results may be from what the interpreter says, by the program's own condition.
//
// No single tolerance fits all programs: (x + 1e8) - 1e8 loses all digits, and a sum of ten numbers none. So
// the program is interpreted several times. Once in f64 (in_f64.h): that is what is expected. Once in its own
// dtypes, and some times in f64 with each value moved at random by a few units in the last place (ulps) of
// the dtype that it is meant to have: all of these are what rounding alone may make of the program. Each
// element has room for three times as much as they are apart, there or at its next neighbours (of an element
// that moves: the next ones that do, too), and for a few ulps in any case.
//
// The moves:
// - of an element of an argument, one ulp of its own dtype; whole numbers stay: they are counts, labels,
//   masks;
// - of the result of arithmetic, 4 ulps of f32 or f64, one of f16 and bf16, but not across -1, 0 or 1;
//   nothing where it is exact, as in sums of small whole numbers, and where it is one of the operands, as in
//   a maximum;
// - of a sum of n terms, 4 + 2 sqrt(n) ulps of the sum of the terms' magnitudes (n at most 4096: chains of
//   additions are cut there), in the dtype in which it is added up, f32 for narrow floats;
// - of a matrix algorithm and of a Fourier transform, the operands, each by what its algorithm is stable to;
// - what is too large or too small for its dtype becomes infinite or zero, as it would; numbers below the
//   least normal one of f32, bf16 and f64 become zero in one evaluation of two, and count as zero in results.
// Each evaluation has a twin that moves everything the other way. So where a comparison, a floor or the place
// of a maximum hangs on less than these moves, one of the two decides it otherwise, and the results that
// depend on it get room for both. Where integers differ, or evaluations without moves and with them are not
// finite alike, an element is undecided: any value will do. Where it is finite but for some of the moves, one
// that is not finite will do, too. Other elements do not lose by that.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"

namespace ingot {

struct Judgement {
  static constexpr double kUndecided = std::numeric_limits<double>::infinity();

  std::vector<Tensor> own;       // what the interpreter makes of the program as it stands
  std::vector<Tensor> expected;  // in f64, c128; integers and preds as they are
  // How far each element may be from the expected one: f64, and of a complex number each part by itself, in a
  // last dimension of 2. Zero or kUndecided for integers and preds. Negative where something that is not
  // finite will do as well.
  std::vector<Tensor> room;
  int64_t elements = 0, undecided = 0;  // of all results

  // The elements of a result, undecided ones not among them, whose room is as wide as they are: zero, and
  // the same with the other sign, would pass.
  int64_t wide(size_t result) const;
};

struct JudgeOptions {
  int twins = 2;                    // pairs of evaluations with moves
  std::function<bool()> more = {};  // asked before each pair but the first: whether there is time for it
};

// Throws ingot::Error if the arguments do not have the types of the entry function's.
Judgement judge(const ir::Module& module, std::span<const Tensor> arguments,
                const JudgeOptions& options = {});

// The element of some results that is farthest from what is expected.
struct Verdict {
  double error = 0;  // its distance from the expected value, absolute
  double room = 0;   // that it had
  double ratio = 0;  // of the two; beyond 1 it is wrong
  int64_t wrong = 0, elements = 0;
  size_t result = 0;  // where it is
  int64_t element = 0;

  bool good() const { return wrong == 0; }
};
Verdict compare(std::span<const Tensor> actual, const Judgement& judgement);

}  // namespace ingot
