// What the memory of this machine can do: several inputs are read once and one output is written once, with
// no work worth mentioning in between. The best of ordinary and of non-temporal stores is the limit that the
// table compares with.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

// Elements [begin, end) of the output, each the sum of all inputs; begin and end are multiples of 64.
using Stream = void (*)(const std::vector<const float*>& inputs, float* output, int64_t begin, int64_t end);

std::vector<Stream> streams();  // the versions that this machine can run
// The same without an output to speak of: the first input is only read, and added up.
std::vector<Stream> reads();
// The same without inputs: the output is only written.
std::vector<Stream> writes();

namespace avx2 {
std::vector<Stream> streams();
std::vector<Stream> reads();
std::vector<Stream> writes();
}  // namespace avx2

}  // namespace bench
