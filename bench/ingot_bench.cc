// Ingot as a worker of the benchmark: the programs of examples/programs, compiled and run through the public
// header.
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../examples/programs/chain.h"
#include "../examples/programs/inner.h"
#include "../examples/programs/layer.h"
#include "../examples/programs/layout.h"
#include "../examples/programs/learn.h"
#include "../examples/programs/perm.h"
#include "../examples/programs/reduce.h"
#include "../examples/programs/tdma.h"
#include "ingot/stablehlo.h"
#include "program.h"
#include "worker.h"

namespace bench {
namespace {

const std::map<std::string, ingot::DType> kDTypes = {
    {"<f4", ingot::DType::kF32}, {"<f8", ingot::DType::kF64},
    {"<i4", ingot::DType::kS32}, {"<u4", ingot::DType::kU32},
    {"<i8", ingot::DType::kS64}, {"<V2", ingot::DType::kBF16},  // as ml_dtypes has it
    {"<f2", ingot::DType::kF16}, {"|b1", ingot::DType::kPred},
    {"<c8", ingot::DType::kC64}, {"<c16", ingot::DType::kC128},
    {"|i1", ingot::DType::kS8},  {"|u1", ingot::DType::kU8}};

Array import(const HostArray& host) {
  return Array::from_bytes(kDTypes.at(host.dtype), host.shape, host.bytes.data());
}

HostArray export_to_host(const Array& array) {
  HostArray host{"", array.shape(), Bytes(static_cast<size_t>(array.bytes()))};
  for (const auto& [name, dtype] : kDTypes) {
    if (dtype == array.dtype()) host.dtype = name;
  }
  array.to_host(host.bytes.data());
  return host;
}

// A program of JAX, from a file; reading it is a part of its compile time.
Program module(const std::string& file, const std::vector<Array>& arguments) {
  const auto start = Clock::now();
  const auto loaded = ingot::load(file);
  const double load_ms = milliseconds_since(start);
  Program program = bench::bind(  // not std::bind, which std::vector brings along
      "main", [=](const std::vector<Array>& x) { return loaded(x); }, arguments);
  program.compile_ms += load_ms;
  return program;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '-')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

size_t position(const std::string& word, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  throw std::invalid_argument("unknown variant '" + word + "'");
}

// The convolution, or its gradient in one operand: a function that is linear in it, transposed.
Program convolution(const std::vector<std::string>& parts, const std::vector<Array>& x) {
  ingot::ConvOptions options;
  ingot::Shape lhs, rhs;
  const bool first = parts.at(1) == "nchw";
  if (first) options.lhs_layout = "NCHW", options.rhs_layout = "OIHW";
  if (parts.at(0) == "3x3") {
    options.padding = {{1, 1}};
    lhs = first ? ingot::Shape{8, 64, 56, 56} : ingot::Shape{8, 56, 56, 64};
    rhs = first ? ingot::Shape{64, 64, 3, 3} : ingot::Shape{3, 3, 64, 64};
  } else if (parts.at(0) == "1x1") {
    lhs = {8, 56, 56, 64}, rhs = {1, 1, 64, 64};
  } else if (parts.at(0) == "7x7") {
    options.strides = {2};
    options.padding = {{3, 3}};
    lhs = {8, 224, 224, 3}, rhs = {7, 7, 3, 64};
  } else {
    options.padding = {{15, 0}};
    options.feature_groups = 512;
    lhs = {4, 1024, 512}, rhs = {16, 1, 512};
  }
  const auto forward = [=](Array a, Array w) { return ingot::conv_general(a, w, options); };
  const size_t which = position(parts.at(2), {"y", "dx", "dw"});
  if (which == 0) return bind("conv", forward, x.at(0), x.at(1));
  // The value of what it is linear in does not matter, and nothing of it is computed.
  if (which == 1) {
    return bind(
        "conv_dx",
        [=](Array w, Array dy) {
          const Array zero = Array::zeros(lhs, w.dtype());
          return ingot::grad([=](Array a) { return ingot::sum(forward(a, w) * dy); })(zero);
        },
        x.at(0), x.at(1));
  }
  return bind(
      "conv_dw",
      [=](Array a, Array dy) {
        const Array zero = Array::zeros(rhs, a.dtype());
        return ingot::grad([=](Array w) { return ingot::sum(forward(a, w) * dy); })(zero);
      },
      x.at(0), x.at(1));
}

// "labels@shapes+bias+activation+sum", without all behind the shapes if there is no third argument.
Program make_product(const std::string& variant, const std::vector<Array>& x) {
  const std::string labels = variant.substr(0, variant.find('@'));
  if (x.size() == 2)
    return bind(
        "product",
        [=](Array a, Array b) {
          return ingot::einsum(labels, {a, b});
        },
        x[0], x[1]);
  const bool gelu = variant.find("gelu") != std::string::npos, sums = variant.ends_with("sum");
  return bind(
      "product",
      [=](Array a, Array b, Array bias) {
        const Array y = ingot::einsum(labels, {a, b}) + bias;
        const Array z = gelu ? ingot::gelu(y) : ingot::silu(y);
        return sums ? ingot::sum(z, {0}) : z;
      },
      x.at(0), x.at(1), x.at(2));
}

// The sum of all states, or its gradient in the weights, in one array.
// What a step of `state` is given.
struct Write {
  Array v, at;
};
struct MaybeWrite {
  Array v, at, written;
};

Array written(Array x, Array v, Array at) {
  return ingot::dynamic_update_slice(x, ingot::reshape(v, {1}), {at});
}

Program state(const std::string& variant, const std::vector<Array>& x) {
  if (variant == "products")
    return bind(
        "products",
        [](Array a, Array w) {
          return ingot::fori_loop(
              0, 2000, [&](Array, Array y) { return ingot::dot(y, w); }, a);
        },
        x.at(0), x.at(1));
  if (variant == "ring")
    return bind(
        "ring",
        [](Array a, Array vs) {
          const int64_t n = a.shape(0);
          return ingot::scan(
                     [=](Array y, Array v) {
                       const Array rest = ingot::slice(y, {1}, {n});
                       return std::pair(ingot::concatenate({rest, ingot::reshape(v, {1})}, 0),
                                        std::tuple<>());
                     },
                     a, vs)
              .first;
        },
        x.at(0), x.at(1));
  if (variant == "cond")
    return bind(
        "cond",
        [](Array a, Array v, Array at, Array is_written) {
          return ingot::scan(
                     [](Array y, MaybeWrite p) {
                       const Array next = ingot::cond(
                           p.written > 0, written, [](Array same, Array, Array) { return same; }, y, p.v,
                           p.at);
                       return std::pair(next, std::tuple<>());
                     },
                     a, MaybeWrite{v, at, is_written})
              .first;
        },
        x.at(0), x.at(1), x.at(2), x.at(3));
  return bind(
      "writes",
      [](Array a, Array v, Array at) {
        return ingot::scan([](Array y, Write p) { return std::pair(written(y, p.v, p.at), std::tuple<>()); },
                           a, Write{v, at})
            .first;
      },
      x.at(0), x.at(1), x.at(2));
}

Program lstm(const std::string& variant, const std::vector<Array>& x) {
  const auto loss = [](Array xs, Array w, Array u, Array b) {
    return ingot::sum(programs::lstm(xs, w, u, b));
  };
  if (variant == "sum") return bind("lstm", loss, x.at(0), x.at(1), x.at(2), x.at(3));
  if (variant != "grad") throw std::invalid_argument("unknown variant '" + variant + "'");
  return bind(
      "lstm_grad",
      [=](Array xs, Array w, Array u, Array b) {
        const auto [dw, du, db] = ingot::grad<1, 2, 3>(loss)(xs, w, u, b);
        return programs::joined(std::vector<Array>{dw, du, db});
      },
      x.at(0), x.at(1), x.at(2), x.at(3));
}

// Programs whose arguments lie otherwise than their kernels want what they hand to each other.
Program layout(const std::string& variant, const std::vector<Array>& x) {
  if (variant == "convs-nchw")
    return bind("convs", programs::convolutions, x.at(0), x.at(1), x.at(2), x.at(3));
  if (variant == "convs-calls")
    return bind("convs", programs::convolution_calls, x.at(0), x.at(1), x.at(2), x.at(3));
  if (variant == "gru") return bind("gru", programs::gated, x.at(0), x.at(1), x.at(2));
  if (variant == "rnn-columns") return bind("columns", programs::columns, x.at(0), x.at(1));
  if (variant == "rnn-grad") {
    return bind(
        "rnn",
        [](Array xs, Array w, Array u, Array b, Array dy) {
          const auto loss = [=](Array w, Array u, Array b) {
            return ingot::sum(programs::recurrent(xs, w, u, b) * dy);
          };
          const auto [dw, du, db] = ingot::grad<0, 1, 2>(loss)(w, u, b);
          return programs::joined(std::vector<Array>{dw, du, db});
        },
        x.at(0), x.at(1), x.at(2), x.at(3), x.at(4));
  }
  return bind(
      "mlp",
      [](Array y, Array u, Array v, Array w) {
        const auto loss = [=](Array a, Array b, Array c) {
          return ingot::sum(ingot::dot(ingot::tanh(ingot::dot(ingot::tanh(ingot::dot(y, a)), b)), c));
        };
        const auto [a, b, c] = ingot::grad<0, 1, 2>(loss)(u, v, w);
        return programs::joined(std::vector<Array>{a, b, c});
      },
      x.at(0), x.at(1), x.at(2), x.at(3));
}

// Gradients in all arguments that are differentiated, in one array.
Program gradient(const std::string& variant, const std::vector<Array>& x) {
  using ingot::grad;
  if (variant == "cross_entropy") return bind(variant, grad(programs::cross_entropy), x.at(0), x.at(1));
  if (variant == "layer_norm")
    return bind(variant, grad([](Array a, Array dy) { return ingot::sum(programs::layer_norm(a) * dy); }),
                x.at(0), x.at(1));
  if (variant == "take") {
    const auto loss = [](Array a, Array rows, Array dy) { return ingot::sum(ingot::take(a, rows) * dy); };
    return bind(variant, grad(loss), x.at(0), x.at(1), x.at(2));
  }
  if (variant.starts_with("attention")) {
    const bool causal = variant.ends_with("causal"), again = variant.find("checkpoint") != std::string::npos;
    const auto attend = [=](Array q, Array k, Array v) {
      return ingot::attention(q, k, v, {.causal = causal});
    };
    return bind(
        "attention",
        [=](Array q, Array k, Array v, Array dy) {
          const auto loss = [=](Array a, Array b, Array c) {
            return ingot::sum((again ? ingot::checkpoint(attend)(a, b, c) : attend(a, b, c)) * dy);
          };
          const auto [dq, dk, dv] = grad<0, 1, 2>(loss)(q, k, v);
          return ingot::stack({dq, dk, dv});
        },
        x.at(0), x.at(1), x.at(2), x.at(3));
  }
  if (variant == "mixture_value") return bind(variant, programs::mixture, x.at(0), x.at(1), x.at(2), x.at(3));
  if (variant == "mixture") {
    return bind(
        variant,
        [](Array alphas, Array means, Array icf, Array points) {
          const auto [a, m, i] = grad<0, 1, 2>(programs::mixture)(alphas, means, icf, points);
          return programs::joined(std::vector<Array>{a, m, i});
        },
        x.at(0), x.at(1), x.at(2), x.at(3));
  }
  if (variant == "tdma") {
    return bind(
        variant,
        [](Array a, Array b, Array c, Array d, Array dy) {
          const auto loss = [=](Array p, Array q, Array r, Array s) {
            return ingot::sum(programs::tdma(p, q, r, s) * dy);
          };
          const auto [da, db, dc, dd] = grad<0, 1, 2, 3>(loss)(a, b, c, d);
          return ingot::stack({da, db, dc, dd});
        },
        x.at(0), x.at(1), x.at(2), x.at(3), x.at(4));
  }
  const auto loss = [](programs::Mlp p, Array a, Array y) { return programs::mlp_loss(p, a, y); };
  if (variant == "mlp_hvp") {
    return bind(
        variant,
        [=](Array w1, Array b1, Array w2, Array b2, Array a, Array y) {
          const programs::Mlp p{w1, b1, w2, b2};
          return programs::joined(ingot::hvp([=](programs::Mlp m) { return loss(m, a, y); }, p, p));
        },
        x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5));
  }
  if (variant == "mlp_hessian") {
    return bind(
        variant,
        [=](Array w1, Array b1, Array w2, Array b2, Array a, Array y) {
          return ingot::hessian([=](Array w) { return loss({w, b1, w2, b2}, a, y); })(w1);
        },
        x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5));
  }
  if (variant == "mlp_samples") {
    return bind(
        variant,
        [=](Array w1, Array b1, Array w2, Array b2, Array a, Array y) {
          const auto one = [=](Array xi, Array yi) {
            return programs::joined(grad(loss)(programs::Mlp{w1, b1, w2, b2}, xi, yi));
          };
          return ingot::vmap(one)(a, y);
        },
        x.at(0), x.at(1), x.at(2), x.at(3), x.at(4), x.at(5));
  }
  throw std::invalid_argument("unknown variant '" + variant + "'");
}

std::vector<int64_t> numbers_in(std::string text) {
  for (char& c : text) c = c == ',' || c == 'x' ? ' ' : c;
  std::istringstream stream(text);
  std::vector<int64_t> numbers;
  for (int64_t number; stream >> number;) numbers.push_back(number);
  return numbers;
}

Program make(const std::string& program, const std::string& variant, const std::vector<Array>& x) {
  const std::vector<std::string> parts = split(variant);
  if (program == "layer") return bind("layer", programs::layer, x.at(0), x.at(1), x.at(2));
  if (program == "product" || program == "orders") return make_product(variant, x);
  if (program == "fft") {
    const std::string name = variant.substr(0, variant.find('@'));
    return bind(
        name,
        [=](Array a) {
          return name == "fft"    ? ingot::fft::fft(a)
                 : name == "fft2" ? ingot::fft::fft2(a)
                 : name == "rfft" ? ingot::fft::rfft(a)
                                  : ingot::fft::irfft(a);
        },
        x.at(0));
  }
  if (program == "transpose") {
    const std::vector<int64_t> order = numbers_in(variant.substr(0, variant.find('@')));
    const bool more = variant.ends_with("+1");
    return bind(
        "transpose",
        [=](Array a) {
          const Array t = ingot::transpose(a, order);
          return more ? t + 1 : t;
        },
        x.at(0));
  }
  if (program == "conv") return convolution(parts, x);
  if (program == "reduce") return bind("reduce", programs::reductions().at(variant), x.at(0));
  if (program == "tdma") {
    const bool reporter = parts.at(1) == "reporter";
    return bind("tdma", reporter ? programs::tdma_transposed : programs::tdma, x.at(0), x.at(1), x.at(2),
                x.at(3));
  }
  if (program == "perm") {
    const auto way = static_cast<programs::Permute>(position(parts.at(0), {"gather", "take", "slices"}));
    const auto columns = static_cast<programs::Columns>(position(parts.at(1), {"shift3", "abc", "rotl"}));
    return bind(
        "perm", [=](Array m) { return programs::perm(m, columns, way); }, x.at(0));
  }
  if (program == "attention") {
    const bool causal = variant == "causal";
    return bind(
        "attention", [=](Array q, Array k, Array v) { return ingot::attention(q, k, v, {.causal = causal}); },
        x.at(0), x.at(1), x.at(2));
  }
  if (program == "gradient") return gradient(variant, x);
  if (program == "layout") return layout(variant, x);
  if (program == "lstm") return lstm(variant, x);
  if (program == "state") return state(variant, x);
  if (program == "loops") return loops(variant, x);
  if (program == "inner" && parts.at(0) == "grad") {
    const int calls = std::stoi(parts.at(1));
    return bind("outer_grad",
                ingot::grad([=](Array a, Array w) { return ingot::sum(programs::blocks(a, w, calls)); }),
                x.at(0), x.at(1));
  }
  if (program == "inner") {
    const int calls = std::stoi(variant);
    return bind(
        "outer", [=](Array a, Array w) { return programs::blocks(a, w, calls); }, x.at(0), x.at(1));
  }
  if (program == "chain") {
    const int length = std::stoi(parts.at(1));
    if (parts.at(0) == "sine")
      return bind(
          "sines", [=](Array v) { return programs::sine_chain(v, length); }, x.at(0));
    return bind(
        "maxadds", [=](Array v, Array y) { return programs::max_chain(v, y, length); }, x.at(0), x.at(1));
  }
  if (program == "module") return module(variant, x);
  if (program == "call" || program == "small")
    return bind(
        "affine", [](Array v) { return v * 2 + 1; }, x.at(0));
  throw std::invalid_argument("unknown program '" + program + "'");
}

class IngotWorker : public Worker {
 public:
  void prepare(const std::string& program, const std::string& variant,
               std::vector<HostArray> arguments) override {
    std::vector<Array> arrays;
    for (const HostArray& argument : arguments) arrays.push_back(import(argument));
    program_.emplace(make(program, variant, arrays));
    repeats_ = program == "call" ? 1000 : 1;
    result_ = program_->run();
  }

  // The memory of the result before is what the pool hands out next; `fresh` gives it back to the system
  // first.
  double run(bool fresh) override {
    result_.clear();
    if (fresh) ingot::trim_memory();
    const auto start = Clock::now();
    for (int i = 0; i < repeats_; ++i) result_ = program_->run();
    return milliseconds_since(start) / repeats_;
  }

  std::vector<HostArray> results() override {
    std::vector<HostArray> all;
    for (const Array& result : program_->run()) all.push_back(export_to_host(result));
    return all;
  }

  std::string text() override { return program_->lowered.text(false); }

  nlohmann::json info() override {
    nlohmann::json hashes = nlohmann::json::array();
    int64_t bytes = 0, launches = 0;
    for (const ingot::KernelInfo& kernel : program_->compiled.kernels()) {
      char hash[20];
      std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(kernel.hash));
      hashes.push_back(kernel.launches == 1 ? std::string(hash)
                                            : std::string(hash) + "*" + std::to_string(kernel.launches));
      launches += kernel.launches;
      bytes += kernel.launches * (kernel.bytes_read + kernel.bytes_written);
    }
    const ingot::Compiled& compiled = program_->compiled;
    return {{"compile_ms",
             {{"trace", compiled.trace_ms()},
              {"passes", compiled.passes_ms()},
              {"kernels", compiled.kernels_ms()},
              {"codegen", compiled.codegen_ms()},
              {"total", program_->compile_ms}}},
            {"kernels", launches},
            {"hashes", hashes},
            {"bytes", bytes}};
  }

 private:
  std::optional<Program> program_;
  std::vector<Array> result_;
  int repeats_ = 1;
};

}  // namespace
}  // namespace bench

int main() {
  bench::IngotWorker worker;
  return bench::serve(worker);
}
