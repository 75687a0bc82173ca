// The Mandelbrot set: a while_loop for one point, and vmap makes a picture of it.
//
//   mandelbrot [picture.ppm [width height]]
#include <cmath>
#include <cstdio>
#include <fstream>

#include "programs/check.h"

namespace {

using ingot::Array;

struct Orbit {
  Array x, y, count;
};

// After how many steps of z = z^2 + c it is known that z grows without end; `most` where it is not.
Array escape(Array cx, Array cy, int most) {
  const auto goes_on = [&](Orbit o) { return (o.x * o.x + o.y * o.y <= 4) & (o.count < most); };
  const auto step = [&](Orbit o) {
    return Orbit{o.x * o.x - o.y * o.y + cx, 2 * o.x * o.y + cy, o.count + 1};
  };
  return ingot::while_loop(goes_on, step, Orbit{cx * 0, cy * 0, Array(0)}).count;
}

Array picture(int64_t width, int64_t height, int most) {
  const auto axis = [](int64_t n, double from, double to) {
    return from + (to - from) * (ingot::arange(n).astype(ingot::DType::kF64) + 0.5) / static_cast<double>(n);
  };
  const auto point = [=](Array x, Array y) { return escape(x, y, most); };
  const auto row = [=](Array xs, Array y) {
    return ingot::vmap(point, {.in_axes = {0, std::nullopt}})(xs, y);
  };
  const auto all = ingot::jit([=](Array xs, Array ys) {
    return ingot::vmap(row, {.in_axes = {std::nullopt, 0}})(xs, ys);
  });
  return all(axis(width, -2.2, 0.8), axis(height, -1.2, 1.2));
}

// Colours by the logarithm of the count; black inside.
void write_ppm(const std::string& path, const Array& counts, int most) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << counts.shape(1) << " " << counts.shape(0) << "\n255\n";
  for (const int count : counts.view<int>()) {
    const double t = std::log1p(count) / std::log1p(most);
    const auto shade = [&](double phase) {
      return count == most ? '\0' : static_cast<char>(127.5 * (1 + std::cos(6.2832 * (t + phase))));
    };
    file << shade(0.5) << shade(0.6) << shade(0.7);
  }
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const std::vector<std::string>& arguments = check.arguments();
  const int64_t width = arguments.size() > 2 ? std::stoll(arguments[1]) : check.wanted() ? 24 : 1200;
  const int64_t height = arguments.size() > 2 ? std::stoll(arguments[2]) : check.wanted() ? 16 : 960;
  const int most = check.wanted() ? 50 : 500;
  const Array counts = picture(width, height, most);
  const std::string path = arguments.empty() ? "mandelbrot.ppm" : arguments[0];
  if (!check.wanted() || !arguments.empty()) {
    write_ppm(path, counts, most);
    std::printf("%s: %lld x %lld points, %.1f steps in the mean\n", path.c_str(),
                static_cast<long long>(width), static_cast<long long>(height),
                mean(counts.astype(ingot::DType::kF64)).item<double>());
  }
  check.expect("mandelbrot", counts, 0);
  return check.result();
}
