#include "onednn.h"

#include <dnnl.hpp>

namespace bench {

std::function<void(const void*, const void*, void*)> onednn_product(int64_t m, int64_t k, int64_t n,
                                                                    const std::string& element) {
  using dnnl::memory;
  const auto type = element == "bf16" ? memory::data_type::bf16 : memory::data_type::f32;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc a({m, k}, type, memory::format_tag::ab), b({k, n}, type, memory::format_tag::ab),
      c({m, n}, type, memory::format_tag::ab);
  try {
#if DNNL_VERSION_MAJOR >= 3
    dnnl::matmul product(dnnl::matmul::primitive_desc(engine, a, b, c));
#else
    dnnl::matmul product(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), engine));
#endif
    dnnl::stream stream(engine);
    return [=](const void* lhs, const void* rhs, void* result) mutable {
      product.execute(stream, {{DNNL_ARG_SRC, memory(a, engine, const_cast<void*>(lhs))},
                               {DNNL_ARG_WEIGHTS, memory(b, engine, const_cast<void*>(rhs))},
                               {DNNL_ARG_DST, memory(c, engine, result)}});
      stream.wait();
    };
  } catch (const dnnl::error&) {
    return {};
  }
}

}  // namespace bench
