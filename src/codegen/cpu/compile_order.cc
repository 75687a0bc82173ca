#include "codegen/cpu/compile_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernel/ir/blocks.h"
#include "kernel/ir/varying.h"

namespace ingot::codegen {
namespace {

// What any kernel takes, and what the least of all does besides what LLVM makes once, in the instructions of
// others (AMD EPYC: 3 and 4 to 5 ms, where 500 instructions of a Fourier transform take 35).
constexpr double kEach = 30, kLeast = 60;

// About how many instructions become of a kernel: a scalar is written once for all points that run side by
// side and differ in it, a loop once for each step that it takes at a time.
class Length {
 public:
  explicit Length(const kernel::Kernel& kernel)
      : kernel_(kernel), varying_(kernel::varying(kernel)), side_by_side_(kernel::kMaxDims, 1) {}

  double all() { return kEach + of(kernel_.body); }

 private:
  double of(const kernel::Block& block) {
    double length = 0;
    for (const kernel::Stmt& stmt : block.stmts) {
      const auto* loop = std::get_if<kernel::Loop>(&stmt.node);
      length += loop != nullptr ? of(*loop) : copies(stmt);
    }
    return length;
  }

  double of(const kernel::Loop& loop) {
    const auto known = varying_.loops.find(&loop);
    const int dim = known == varying_.loops.end() ? -1 : known->second.dim;
    if (dim >= 0) {
      const bool tile = loop.style == kernel::LoopStyle::kTile;
      side_by_side_[static_cast<size_t>(dim)] =
          tile ? static_cast<double>(loop.extent) : static_cast<double>(loop.widths.vectors);
    }
    const double length = of(loop.body) * loop.widths.unroll + of(loop.combiner.body);
    if (dim >= 0) side_by_side_[static_cast<size_t>(dim)] = 1;
    return length;
  }

  double copies(const kernel::Stmt& stmt) const {
    kernel::DimMask mask = 0;
    for (const kernel::ScalarId id : kernel::uses(kernel_, stmt))
      mask |= varying_.scalars[static_cast<size_t>(id)];
    for (const kernel::ScalarId id : kernel::results(stmt)) mask |= varying_.scalars[static_cast<size_t>(id)];
    double copies = 1;
    for (size_t dim = 0; dim < side_by_side_.size(); ++dim) {
      if ((mask >> dim & 1U) != 0) copies *= side_by_side_[dim];
    }
    return copies;
  }

  const kernel::Kernel& kernel_;
  const kernel::Varying varying_;
  std::vector<double> side_by_side_;  // vectors or points, by dimension
};

// How long threads take together, the longest kernels first.
double length_for(int64_t threads, std::span<const double> longest_first) {
  std::vector<double> ends(static_cast<size_t>(threads), 0);
  for (const double length : longest_first) *std::min_element(ends.begin(), ends.end()) += length;
  return *std::max_element(ends.begin(), ends.end());
}

}  // namespace

double expected_length(const kernel::Kernel& kernel) {
  return Length(kernel).all();
}

CompileOrder compile_order(std::span<const double> lengths, int64_t threads, bool first_of_process) {
  CompileOrder result;
  std::vector<size_t>& order = result.kernels;
  order.resize(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  if (lengths.size() < 2 || threads == 1) return result;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  if (!first_of_process) return result;
  std::vector<double> sorted;
  for (const size_t kernel : order) sorted.push_back(lengths[kernel]);
  const double shortest = sorted.back(), all = length_for(threads, sorted);
  sorted.pop_back();
  result.least_first = kLeast + all < shortest + length_for(threads, sorted);
  if (result.least_first) return result;
  std::rotate(order.begin(), order.end() - 1, order.end());
  // Helpers that wait for its end have taken one each, and make a machine first: the longest is left to the
  // caller, who has one.
  const auto to_caller = order.begin() + 1 + threads;
  if (order.size() > static_cast<size_t>(threads))
    std::rotate(order.begin() + 1, order.begin() + 2, to_caller);
  return result;
}

}  // namespace ingot::codegen
