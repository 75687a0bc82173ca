// Whether this process runs under a sanitizer: these tests, built without, run with a library that is built
// with the address sanitizer (tests/CMakeLists.txt).
#pragma once

#include <dlfcn.h>

namespace ingot::testing {

inline bool under_sanitizer() {
  static const bool is =
      dlsym(RTLD_DEFAULT, "__asan_init") != nullptr || dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
  return is;
}

}  // namespace ingot::testing
