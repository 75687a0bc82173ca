// Programs that must not compile, one for each number in MISTAKE; CMakeLists.txt holds what the compiler must
// say of each. Without a number all of it is right, and compiles.
#include "ingot/ingot.h"

using ingot::Array;

int main() {
  const Array x = Array::ones({3});
#if MISTAKE == 1
  ingot::scan([](Array carry, Array y) { return carry + y; }, x, x);
#elif MISTAKE == 2
  ingot::jit([](Array a, int n) { return a * n; })(x, 3);
#elif MISTAKE == 3
  ingot::jit([](Array a, float n) { return a * n; })(x, 3.0f);
#elif MISTAKE == 4
  ingot::jit([](Array& a) { return a += 1; })(x);
#elif MISTAKE == 5
  ingot::custom_jvp([](Array a) { return a; }, [](Array a, Array) { return a; })(x);
#elif MISTAKE == 6
  ingot::custom_vjp([](Array a) { return a; }, [](Array a) { return a; },
                    [](Array a, Array) { return std::tuple(a); })(x);
#elif MISTAKE == 7
  ingot::vmap([](Array a, int n) { return a * n; })(x, x);
#elif MISTAKE == 8
  ingot::custom_vmap([](Array a) { return a; }, [](Array a) { return a; })(x);
#else
  ingot::scan([](Array carry, Array y) { return std::pair(carry + y, y); }, Array(0.0f), x);
  ingot::jit([](Array a, Array n) { return a * n; })(x, 3);
#endif
}
