// The lines `loops`: examples/programs/loops.h, and gradients of it.
#include <stdexcept>

#include "../examples/programs/learn.h"
#include "../examples/programs/loops.h"
#include "program.h"

namespace bench {
namespace {

// The value of a function of parameters and data, and its gradient in the parameters, in one row. The leaves
// of the parameters come first in x, the data last.
template <class Parameters, class F>
Program value_and_gradient(const std::string& name, F value, const std::vector<Array>& x) {
  return bench::bind(  // not std::bind, which std::vector brings along
      name,
      [=](const std::vector<Array>& leaves, Array data) {
        const auto parameters = ingot::tree::unflatten(Parameters(), leaves);
        const auto [result, gradient] = ingot::value_and_grad(value)(parameters, data);
        std::vector<Array> all = {result};
        for (const Array& leaf : ingot::tree::leaves(gradient)) all.push_back(leaf);
        return programs::joined(all);
      },
      std::vector<Array>(x.begin(), x.end() - 1), x.back());
}

// The same of the mean square of what a block makes of the data.
template <class Parameters, class F>
Program block_gradient(const std::string& name, F block, const std::vector<Array>& x) {
  return value_and_gradient<Parameters>(
      name, [=](Parameters p, Array data) { return ingot::mean(ingot::square(block(p, data))); }, x);
}

}  // namespace

Program loops(const std::string& variant, const std::vector<Array>& x) {
  if (variant == "wave") return bind("wave", programs::wave, x.at(0));
  if (variant.starts_with("heat")) return bind("heat", programs::heat, x.at(0));
  if (variant == "leaves") return bind("leaves", programs::leaves, x.at(0), x.at(1), x.at(2));
  if (variant == "leaves-grad") {
    return bind(
        "leaves_grad",
        [](Array start, Array p, Array put_in) {
          return ingot::grad([=](Array q) { return ingot::sum(programs::leaves(start, q, put_in)); })(p);
        },
        x.at(0), x.at(1), x.at(2));
  }
  if (variant == "logistic") return bind("logistic", programs::logistic_map, x.at(0), x.at(1));
  if (variant == "viterbi") return bind("viterbi", programs::viterbi, x.at(0), x.at(1));
  if (variant == "kalman") {
    return bind(
        "kalman",
        [](Array a, Array q, Array r, Array series) {
          return programs::kalman({a, q, r}, series);
        },
        x.at(0), x.at(1), x.at(2), x.at(3));
  }
  if (variant == "kalman-grad")
    return value_and_gradient<programs::Filter>("kalman_grad", programs::kalman, x);
  if (variant == "transformer-grad")
    return block_gradient<programs::Transformer>("transformer", programs::transformer, x);
  if (variant == "residual-grad")
    return block_gradient<programs::Residual>("residual", programs::residual, x);
  if (variant.starts_with("griffin")) {
    const bool associative = variant == "griffin-associative";
    return block_gradient<programs::Griffin>(
        "griffin",
        [=](const programs::Griffin& p, Array data) { return programs::griffin(p, data, associative); }, x);
  }
  if (variant.starts_with("checkpoints")) {
    std::optional<ingot::ScanCheckpoints> checkpoints;
    if (variant == "checkpoints") checkpoints = ingot::ScanCheckpoints::levels(1);
    return bind(
        "recurrence",
        [=](Array start, Array w) {
          return ingot::grad([=](Array v) { return programs::long_recurrence(start, v, checkpoints); })(w);
        },
        x.at(0), x.at(1));
  }
  throw std::invalid_argument("unknown variant '" + variant + "'");
}

}  // namespace bench
