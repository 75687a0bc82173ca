#include "streams.h"

#include <cstring>

namespace bench {
namespace {

void add_plainly(const std::vector<const float*>& inputs, float* output, int64_t begin, int64_t end) {
  if (inputs.size() == 1) {
    std::memcpy(output + begin, inputs[0] + begin, static_cast<size_t>(end - begin) * sizeof(float));
    return;
  }
  constexpr int64_t kPiece = 64;  // a compiler turns this into vector code
  for (int64_t i = begin; i < end; i += kPiece) {
    float sum[kPiece] = {};
    for (const float* input : inputs) {
      for (int64_t j = 0; j < kPiece; ++j) sum[j] += input[i + j];
    }
    std::memcpy(output + i, sum, sizeof sum);
  }
}

void read_plainly(const std::vector<const float*>& inputs, float* output, int64_t begin, int64_t end) {
  constexpr int64_t kPiece = 64;
  float sum[kPiece] = {};
  for (int64_t i = begin; i < end; i += kPiece) {
    for (int64_t j = 0; j < kPiece; ++j) sum[j] += inputs[0][i + j];
  }
  std::memcpy(output + begin, sum, sizeof sum);
}

void write_plainly(const std::vector<const float*>&, float* output, int64_t begin, int64_t end) {
  std::memset(output + begin, 1, static_cast<size_t>(end - begin) * sizeof(float));
}

}  // namespace

std::vector<Stream> reads() {
#if defined(BENCH_X86)
  if (__builtin_cpu_supports("avx2")) return avx2::reads();  // never slower, and a choice may go wrong
#endif
  return {read_plainly};
}

std::vector<Stream> writes() {
  std::vector<Stream> all{write_plainly};
#if defined(BENCH_X86)
  if (__builtin_cpu_supports("avx2")) {
    for (Stream stream : avx2::writes()) all.push_back(stream);
  }
#endif
  return all;
}

std::vector<Stream> streams() {
  std::vector<Stream> all{add_plainly};
#if defined(BENCH_X86)
  if (__builtin_cpu_supports("avx2")) {
    for (Stream stream : avx2::streams()) all.push_back(stream);
  }
#endif
  return all;
}

}  // namespace bench
