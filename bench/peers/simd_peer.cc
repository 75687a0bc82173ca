// The C++ peers: by hand with intrinsics (`simd_peer`), as plain threaded loops (`simd_peer plain`), and the
// measures of the machine (programs `stream`, `copy`, `gemm` and `pace`) that the limit column is made of.
//
// Where there are several ways (instruction sets, kinds of stores, BLAS threads), prepare tries each and
// keeps the fastest: a yardstick should be as good as it can be here.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "../worker.h"
#ifdef BENCH_ONEDNN
#include "onednn.h"
#endif
#include "permute.h"
#include "streams.h"
#include "tdma.h"
#include "threads.h"

extern "C" void openblas_set_num_threads(int);

namespace bench {
namespace {

// Numbers in a variant such as "4096x256x512" or "4:1:200000000".
std::vector<int64_t> numbers_in(std::string text) {
  for (char& c : text) {
    if (c < '0' || c > '9') c = ' ';
  }
  std::istringstream stream(text);
  std::vector<int64_t> numbers;
  for (int64_t number; stream >> number;) numbers.push_back(number);
  return numbers;
}

// m, k and n of the plain matrix product that is as large as "LABELS,LABELS->LABELS@EXTENTS,EXTENTS".
std::vector<int64_t> extents_of_product(const std::string& variant) {
  const std::vector<int64_t> extents = numbers_in(variant.substr(variant.find('@')));
  const size_t comma = variant.find(','), arrow = variant.find("->");
  const std::string left = variant.substr(0, comma), right = variant.substr(comma + 1, arrow - comma - 1);
  const std::string result = variant.substr(arrow + 2, variant.find('@') - arrow - 2);
  const auto in = [](const std::string& labels, char label) {
    return labels.find(label) != std::string::npos;
  };
  int64_t m = 1, k = 1, n = 1;
  for (size_t i = 0; i < left.size(); ++i) (in(result, left[i]) ? m : k) *= extents.at(i);
  for (size_t i = 0; i < right.size(); ++i) {
    if (in(result, right[i])) n *= extents.at(left.size() + i);
  }
  return {m, k, n};
}

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class Peer : public Worker {
 public:
  explicit Peer(bool plain) : plain_(plain) {}

  void prepare(const std::string& program, const std::string& variant,
               std::vector<HostArray> arguments) override {
    arguments_ = std::move(arguments);
    ways_.clear();
    output_ = HostArray{};
    if (program == "tdma") {
      arguments_.at(0).dtype == "<f8" ? prepare_tdma<double>() : prepare_tdma<float>();
    } else if (program == "perm") {
      prepare_perm(variant);
    } else if (program == "layer") {
      prepare_gemm(4096, 256, 512);
    } else if (program == "product") {
      const std::vector<int64_t> extents = extents_of_product(variant);
      arguments_.clear();
      variant.ends_with(":bf16") ? prepare_bf16(extents.at(0), extents.at(1), extents.at(2))
                                 : prepare_gemm(extents.at(0), extents.at(1), extents.at(2));
    } else if (program == "gemm") {
      const std::vector<int64_t> extents = numbers_in(variant);
      prepare_gemm(extents.at(0), extents.at(1), extents.at(2));
    } else if (program == "copy" || program == "stream") {
      prepare_stream(program == "copy" ? "1:1:" + variant : variant);
    } else if (program == "state") {
      prepare_state(variant);
    } else if (program == "pace") {
      prepare_pace();
    } else {
      throw std::invalid_argument("no C++ version of " + program);
    }
    keep_fastest();
  }

  double run(bool fresh) override {
    if (fresh) output_.bytes = Bytes(0);
    return milliseconds([&] {
      if (output_.bytes.size() == 0) output_.bytes = Bytes(output_bytes_);
      ways_[0].second(output_.bytes.data());
    });
  }

  std::vector<HostArray> results() override {
    run(true);
    HostArray copy{output_.dtype, output_.shape, Bytes(output_.bytes.size())};
    std::memcpy(copy.bytes.data(), output_.bytes.data(), copy.bytes.size());
    std::vector<HostArray> all;
    all.push_back(std::move(copy));
    return all;
  }

  nlohmann::json info() override { return {{"way", ways_.at(0).first}, {"threads", threads_.count()}}; }

 private:
  using Way = std::pair<std::string, std::function<void(char* output)>>;

  // Two rounds over all ways, then six more over those that come near the fastest.
  void keep_fastest() {
    Bytes output(output_bytes_);
    std::vector<double> best(ways_.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round < 8; ++round) {
      const double fastest = *std::min_element(best.begin(), best.end());
      for (size_t i = 0; i < ways_.size() && ways_.size() > 1; ++i) {
        if (round >= 2 && best[i] > 1.3 * fastest) continue;
        best[i] = std::min(best[i], milliseconds([&] { ways_[i].second(output.data()); }));
      }
    }
    std::swap(ways_[0],
              ways_[static_cast<size_t>(std::min_element(best.begin(), best.end()) - best.begin())]);
    ways_.resize(1);
  }

  void describe_output(const HostArray& like) {
    output_.dtype = like.dtype;
    output_.shape = like.shape;
    output_bytes_ = like.bytes.size();
  }

  template <class T>
  void prepare_tdma() {
    describe_output(arguments_[0]);
    Systems<T> systems{
        arguments_[0].as<T>(), arguments_[1].as<T>(), arguments_[2].as<T>(), arguments_[3].as<T>(), nullptr,
        output_.shape.at(0),   output_.shape.at(1)};
    std::vector<Solver<T>> solvers = simd_solvers<T>();
    if (plain_) solvers = {solve_plain<T>};
    if (solvers.empty()) throw std::runtime_error("no SIMD version for this machine");
    // Pieces of whole groups of rows, several per thread so that a late thread costs little.
    const int64_t grain = std::max<int64_t>(16, systems.rows / (threads_.count() * 16) / 16 * 16);
    for (Solver<T> solver : solvers) {
      ways_.emplace_back(plain_                 ? "plain"
                         : solver == solvers[0] ? "avx2"
                                                : "avx512",
                         [=, this](char* out) {
                           Systems<T> s = systems;
                           s.x = reinterpret_cast<T*>(out);
                           threads_.split(s.rows, grain,
                                          [&](int64_t begin, int64_t end) { solver(s, begin, end); });
                         });
    }
  }

  void prepare_perm(const std::string& variant) {
    describe_output(arguments_.at(0));
    const Permute permute =
        plain_permute(variant.substr(variant.find('-') + 1, variant.rfind('-') - variant.find('-') - 1));
    const uint32_t* from = arguments_[0].as<uint32_t>();
    ways_.emplace_back("plain", [=, this](char* out) {
      uint32_t* to = reinterpret_cast<uint32_t*>(out);
      threads_.split(arguments_[0].elements() / 16, 2048, [&](int64_t begin, int64_t end) {
        permute(from + begin * 16, to + begin * 16, end - begin);
      });
    });
  }

  // The product alone, [m,k] x [k,n], by OpenBLAS, with its threads or with ours over strips of rows, or by
  // oneDNN.
  void prepare_gemm(int64_t m, int64_t k, int64_t n) {
    if (arguments_.empty()) {
      arguments_.push_back(filled({m, k}));
      arguments_.push_back(filled({k, n}));
    }
    output_.dtype = "<f4";
    output_.shape = {m, n};
    output_bytes_ = static_cast<size_t>(m * n) * sizeof(float);
    const float *x = arguments_[0].as<float>(), *w = arguments_[1].as<float>();
    auto multiply = [=](char* out, int64_t begin, int64_t end) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(end - begin),
                  static_cast<int>(n), static_cast<int>(k), 1, x + begin * k, static_cast<int>(k), w,
                  static_cast<int>(n), 0, reinterpret_cast<float*>(out) + begin * n, static_cast<int>(n));
    };
    ways_.emplace_back("OpenBLAS with its own threads", [=, this](char* out) {
      openblas_set_num_threads(threads_.count());
      multiply(out, 0, m);
    });
    for (int64_t strip : {m / threads_.count(), int64_t{1024}, int64_t{512}, int64_t{256}}) {
      ways_.emplace_back("OpenBLAS over strips of " + std::to_string(strip) + " rows", [=, this](char* out) {
        openblas_set_num_threads(1);
        threads_.split(m, strip, [&](int64_t begin, int64_t end) { multiply(out, begin, end); });
      });
    }
#ifdef BENCH_ONEDNN
    if (auto product = onednn_product(m, k, n, "<f4"))
      ways_.emplace_back("oneDNN", [=](char* out) mutable { product(x, w, out); });
#endif
  }

  void prepare_bf16([[maybe_unused]] int64_t m, [[maybe_unused]] int64_t k, [[maybe_unused]] int64_t n) {
#ifdef BENCH_ONEDNN
    arguments_.push_back(filled({m, k / 2}));  // two elements in the place of each float
    arguments_.push_back(filled({k / 2, n}));
    output_.dtype = "<V2";
    output_.shape = {m, n};
    output_bytes_ = static_cast<size_t>(m * n) * 2;
    const float *x = arguments_[0].as<float>(), *w = arguments_[1].as<float>();
    if (auto product = onednn_product(m, k, n, "bf16"))
      ways_.emplace_back("oneDNN", [=](char* out) mutable { product(x, w, out); });
#endif
    if (ways_.empty()) throw std::invalid_argument("bf16 needs oneDNN");
  }

  // "READS:WRITES:BYTES": so many inputs and one output, or none of either, share the bytes.
  void prepare_stream(const std::string& variant) {
    const std::vector<int64_t> numbers = numbers_in(variant);
    const bool writing = numbers.at(1) > 0;
    const int64_t inputs = writing ? std::clamp<int64_t>(numbers.at(0), 0, 4) : 1;
    const int64_t elements =
        std::max<int64_t>(64, numbers.at(2) / (inputs + (writing ? 1 : 0)) / 4 / 64 * 64);
    std::vector<const float*> pointers;
    for (int64_t i = 0; i < inputs; ++i) arguments_.push_back(filled({elements}));
    for (const HostArray& argument : arguments_) pointers.push_back(argument.as<float>());
    describe_output(filled({elements}));
    const int64_t grain = std::max<int64_t>(64, elements / (threads_.count() * 4) / 64 * 64);
    for (Stream stream : !writing ? reads() : inputs == 0 ? writes() : streams()) {
      ways_.emplace_back("stream " + std::to_string(ways_.size()), [=, this](char* out) {
        threads_.split(elements, grain, [&](int64_t begin, int64_t end) {
          stream(pointers, reinterpret_cast<float*>(out), begin, end);
        });
      });
    }
  }

  // Plain loops, on a copy of the initial state.
  void prepare_state(const std::string& variant) {
    const HostArray& start = arguments_.at(0);
    output_.dtype = start.dtype;
    output_.shape = start.shape;
    output_bytes_ = start.bytes.size();
    ways_.emplace_back("a plain loop", [variant, this](char* out) {
      const HostArray& start = arguments_.at(0);
      std::memcpy(out, start.bytes.data(), output_bytes_);
      auto* x = reinterpret_cast<float*>(out);
      const int64_t n = start.elements(), steps = arguments_.at(1).elements();
      const float* v = arguments_.at(1).as<float>();
      if (variant == "products")
        return multiply_by(reinterpret_cast<double*>(out), arguments_.at(1).as<double>());
      if (variant == "ring") {
        for (int64_t k = 0; k < steps; ++k) {
          std::memmove(x, x + 1, static_cast<size_t>(n - 1) * sizeof(float));
          x[n - 1] = v[k];
        }
        return;
      }
      const int32_t* at = arguments_.at(2).as<int32_t>();
      const int32_t* written = variant == "cond" ? arguments_.at(3).as<int32_t>() : nullptr;
      for (int64_t k = 0; k < steps; ++k) {
        if (written == nullptr || written[k] > 0) x[std::clamp<int64_t>(at[k], 0, n - 1)] = v[k];
      }
    });
  }

  static void multiply_by(double* x, const double* w) {
    for (int step = 0; step < 2000; ++step) {
      double y[9] = {};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          for (int k = 0; k < 3; ++k) y[3 * i + j] += x[3 * i + k] * w[3 * k + j];
        }
      }
      std::copy(y, y + 9, x);
    }
  }

  // The same arithmetic on every thread at once, which touches no memory: it takes longer only where
  // something else has a share of the processors.
  void prepare_pace() {
    describe_output(filled({threads_.count()}));
    ways_.emplace_back("pace", [this](char* out) {
      threads_.split(threads_.count(), 1, [&](int64_t begin, int64_t) {
        float values[64] = {};  // enough that none waits for itself
        for (int round = 0; round < 5'000; ++round) {
          for (float& value : values) value = value * 0.999f + 1.0f;
        }
        reinterpret_cast<float*>(out)[begin] = std::accumulate(std::begin(values), std::end(values), 0.0f);
      });
    });
  }

  static HostArray filled(std::vector<int64_t> shape) {
    HostArray array{"<f4", std::move(shape), Bytes(0)};
    array.bytes = Bytes(static_cast<size_t>(array.elements()) * sizeof(float));
    std::fill_n(reinterpret_cast<float*>(array.bytes.data()), array.elements(), 0.5f);
    return array;
  }

  bool plain_;
  Threads threads_;
  std::vector<HostArray> arguments_;
  HostArray output_;
  size_t output_bytes_ = 0;
  std::vector<Way> ways_;  // after prepare: the fastest alone
};

}  // namespace
}  // namespace bench

int main(int count, char** arguments) {
  bench::Peer peer(count > 1 && std::string(arguments[1]) == "plain");
  return bench::serve(peer);
}
