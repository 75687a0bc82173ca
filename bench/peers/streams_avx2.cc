#include <immintrin.h>

#include "streams.h"

namespace bench::avx2 {
namespace {

template <int kInputs, bool kNonTemporal>
void add_fixed(const float* const* inputs, float* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i += 8) {
    __m256 sum = _mm256_load_ps(inputs[0] + i);
    for (int k = 1; k < kInputs; ++k) sum = _mm256_add_ps(sum, _mm256_load_ps(inputs[k] + i));
    if constexpr (kNonTemporal) {
      _mm256_stream_ps(output + i, sum);
    } else {
      _mm256_store_ps(output + i, sum);
    }
  }
  if constexpr (kNonTemporal) _mm_sfence();
}

template <bool kNonTemporal>
void add(const std::vector<const float*>& inputs, float* output, int64_t begin, int64_t end) {
  const float* pointers[4] = {};
  for (size_t k = 0; k < inputs.size() && k < 4; ++k) pointers[k] = inputs[k];
  switch (inputs.size()) {
    case 1:
      return add_fixed<1, kNonTemporal>(pointers, output, begin, end);
    case 2:
      return add_fixed<2, kNonTemporal>(pointers, output, begin, end);
    case 3:
      return add_fixed<3, kNonTemporal>(pointers, output, begin, end);
    default:
      return add_fixed<4, kNonTemporal>(pointers, output, begin, end);
  }
}

void read(const std::vector<const float*>& inputs, float* output, int64_t begin, int64_t end) {
  constexpr int kSums = 8;
  __m256 sums[kSums] = {};
  for (int64_t i = begin; i < end; i += 8 * kSums) {
    for (int k = 0; k < kSums; ++k) sums[k] = _mm256_add_ps(sums[k], _mm256_load_ps(inputs[0] + i + 8 * k));
  }
  for (int k = 0; k < kSums; ++k) _mm256_store_ps(output + begin + 8 * k, sums[k]);
}

template <bool kNonTemporal>
void write(const std::vector<const float*>&, float* output, int64_t begin, int64_t end) {
  const __m256 value = _mm256_set1_ps(0.5f);
  for (int64_t i = begin; i < end; i += 8) {
    if constexpr (kNonTemporal) {
      _mm256_stream_ps(output + i, value);
    } else {
      _mm256_store_ps(output + i, value);
    }
  }
  if constexpr (kNonTemporal) _mm_sfence();
}

}  // namespace

std::vector<Stream> reads() {
  return {read};
}

std::vector<Stream> writes() {
  return {write<false>, write<true>};
}

std::vector<Stream> streams() {
  return {add<false>, add<true>};
}

}  // namespace bench::avx2
