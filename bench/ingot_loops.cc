// The lines `loops`: examples/programs/loops.h, and gradients of it.
#include <stdexcept>

#include "../examples/programs/learn.h"
#include "../examples/programs/loops.h"
#include "program.h"

namespace bench {
namespace {

// The value and its gradient, in one row.
Array joined_all(const Array& value, const std::vector<Array>& gradients) {
  std::vector<Array> all = {value};
  all.insert(all.end(), gradients.begin(), gradients.end());
  return programs::joined(all);
}

Program likelihood(const std::string& variant, const std::vector<Array>& x) {
  const auto value = [](Array a, Array q, Array r, Array series) {
    return programs::kalman({a, q, r}, series);
  };
  if (variant == "kalman") return bind("kalman", value, x.at(0), x.at(1), x.at(2), x.at(3));
  return bind(
      "kalman_grad",
      [](Array a, Array q, Array r, Array series) {
        const auto [loss, d] = ingot::value_and_grad(programs::kalman)(programs::Filter{a, q, r}, series);
        return joined_all(loss, {d.a, d.q, d.r});
      },
      x.at(0), x.at(1), x.at(2), x.at(3));
}

Program transformer_gradient(const std::vector<Array>& x) {
  const auto loss = [](programs::Transformer p, Array a) {
    return ingot::mean(ingot::square(programs::transformer(p, a)));
  };
  return bind(
      "transformer",
      [=](Array norm1, Array norm2, Array qkv, Array out, Array up, Array down, Array a) {
        const programs::Transformer p{norm1, norm2, qkv, out, up, down};
        const auto [value, d] = ingot::value_and_grad(loss)(p, a);
        return joined_all(value, {d.norm1, d.norm2, d.qkv, d.out, d.up, d.down});
      },
      x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5), x.at(6));
}

Program residual_gradient(const std::vector<Array>& x) {
  const auto loss = [](programs::Residual p, Array a) {
    return ingot::mean(ingot::square(programs::residual(p, a)));
  };
  return bind(
      "residual",
      [=](Array conv1, Array scale1, Array shift1, Array conv2, Array scale2, Array shift2, Array a) {
        const programs::Residual p{conv1, scale1, shift1, conv2, scale2, shift2};
        const auto [value, d] = ingot::value_and_grad(loss)(p, a);
        return joined_all(value, {d.conv1, d.scale1, d.shift1, d.conv2, d.scale2, d.shift2});
      },
      x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5), x.at(6));
}

Program griffin_gradient(bool associative, const std::vector<Array>& x) {
  const auto loss = [=](programs::Griffin p, Array a) {
    return ingot::mean(ingot::square(programs::griffin(p, a, associative)));
  };
  return bench::bind(  // not std::bind, which std::vector brings along
      "griffin",
      [=](const std::vector<Array>& w, Array a) {
        const programs::Griffin p{w.at(0), w.at(1), w.at(2), w.at(3), w.at(4),
                                  w.at(5), w.at(6), w.at(7), w.at(8)};
        const auto [value, d] = ingot::value_and_grad(loss)(p, a);
        return joined_all(value, {d.w_gate, d.w_in, d.conv, d.w_a, d.b_a, d.w_i, d.b_i, d.lambda, d.w_out});
      },
      std::vector<Array>(x.begin(), x.end() - 1), x.back());
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
  if (variant.starts_with("kalman")) return likelihood(variant, x);
  if (variant == "transformer-grad") return transformer_gradient(x);
  if (variant == "residual-grad") return residual_gradient(x);
  if (variant.starts_with("griffin")) return griffin_gradient(variant == "griffin-associative", x);
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
