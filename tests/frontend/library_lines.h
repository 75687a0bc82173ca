// Lines of C++ beside those of JAX: golden/jax_library.py writes both down (library_lines_N.cc and
// golden/jax_library.txt).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ingot/ingot.h"

namespace ingot::testing {

struct Inputs {
  Array x, y, t, m, s, i, k, p, q, n, c, e, a, w, u;
};

using Results = std::vector<Array>;

struct Line {
  std::string text;
  std::function<Results(const Inputs&)> run;
};

// What a line gives, as its arrays.
template <class T>
Results results(const T& value) {
  Results list;
  static_cast<void>(tree::map(value, [&](const Array& array) {
    list.push_back(array);
    return array;
  }));
  return list;
}

std::vector<Line> library_lines_1();
std::vector<Line> library_lines_2();
std::vector<Line> library_lines_3();
std::vector<Line> library_lines_4();
std::vector<Line> library_lines_5();

}  // namespace ingot::testing
