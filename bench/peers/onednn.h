// Matrix products by oneDNN.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

// c[m,n] = a[m,k] x b[k,n], row by row, by oneDNN with its own threads. `element` is "<f4", or "bf16" for
// operands and results of bfloat16. The library packs what it wants to pack within each call. Empty if the
// library cannot do it on this machine.
std::function<void(const void* a, const void* b, void* c)> onednn_product(int64_t m, int64_t k, int64_t n,
                                                                          const std::string& element);

}  // namespace bench
