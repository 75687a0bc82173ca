// A user's program: sees only the installed headers and library.
#include <ingot/dtype.h>

#include <cstdio>

int main() {
  const ingot::Shape shape{3, 4};
  std::printf("f32%s has %lld elements of %zu bytes\n", ingot::to_string(shape).c_str(),
              static_cast<long long>(ingot::element_count(shape)), ingot::byte_size(ingot::DType::kF32));
  return ingot::element_count(shape) == 12 ? 0 : 1;
}
