// A line that tells how far a loop is, on a terminal:
//
//   for (int64_t step : ingot::progress(1000, "train")) { ... }
//   for (const Batch& batch : ingot::progress(batches, "batches")) { ... }
//
//   train  420/1000  42%  35.1/s  16 s left
//
// It goes to stderr, some ten times a second, and is not there at all where stderr is a file or a pipe.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

namespace ingot {

namespace detail {

// "train  420/1000  42%  35.1/s  16 s left"; without a total "train  420  35.1/s".
std::string progress_text(const std::string& name, int64_t done, int64_t total, double seconds);

class ProgressLine {
 public:
  ProgressLine(std::string name, int64_t total);
  ~ProgressLine();  // ends the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void advance();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  std::string name_;
  int64_t total_ = -1, done_ = 0;  // -1: unknown
  bool shown_ = false;             // on a terminal
  Clock::time_point start_, next_;
  size_t width_ = 0;  // of the line as it stands
};

}  // namespace detail

// The elements of a range; an lvalue is referred to, as a for statement does it.
template <std::ranges::input_range R>
class Progress {
 public:
  Progress(R&& range, std::string name)
      : range_(std::forward<R>(range)), line_(std::move(name), size_of(range_)) {}

  class Iterator {
   public:
    Iterator(std::ranges::iterator_t<std::remove_reference_t<R>> at, detail::ProgressLine* line)
        : at_(std::move(at)), line_(line) {}
    decltype(auto) operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      line_->advance();
      return *this;
    }
    bool operator!=(const std::ranges::sentinel_t<std::remove_reference_t<R>>& end) const {
      return at_ != end;
    }

   private:
    std::ranges::iterator_t<std::remove_reference_t<R>> at_;
    detail::ProgressLine* line_;
  };
  Iterator begin() { return {std::ranges::begin(range_), &line_}; }
  auto end() { return std::ranges::end(range_); }

 private:
  static int64_t size_of(const std::remove_reference_t<R>& range) {
    if constexpr (std::ranges::sized_range<const std::remove_reference_t<R>>)
      return static_cast<int64_t>(std::ranges::size(range));
    else
      return -1;
  }

  R range_;
  detail::ProgressLine line_;
};

template <std::ranges::input_range R>
Progress<R> progress(R&& range, std::string name = "") {
  return Progress<R>(std::forward<R>(range), std::move(name));
}
// The numbers 0 .. n-1.
template <std::integral N>
auto progress(N n, std::string name = "") {
  using Numbers = std::ranges::iota_view<N, N>;
  return Progress<Numbers>(Numbers(0, n < 0 ? 0 : n), std::move(name));
}

}  // namespace ingot
