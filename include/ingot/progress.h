// A line that tells how far a loop is, on a terminal:
//
//   for (int64_t step : ingot::progress(1000, "train")) { ... }
//   for (const Batch& batch : ingot::progress(batches, "batches")) { ... }
//
//   train  420/1000  42%  35.1/s  16 s left
//
// It goes to stderr, some ten times a second, and is not there at all where stderr is a file or a pipe.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
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
  void show(int64_t now);

  std::string name_;
  int64_t total_ = -1, done_ = 0;  // -1: unknown
  bool shown_ = false;             // on a terminal
  int64_t start_ = 0, next_ = 0;   // in nanoseconds of the steady clock
  size_t width_ = 0;               // of the line as it stands
};

}  // namespace detail

// The numbers 0 .. n-1.
template <std::integral N>
class Counting {
 public:
  class Iterator {
   public:
    explicit Iterator(N at) : at_(at) {}
    N operator*() const { return at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    N at_;
  };
  explicit Counting(N n) : n_(n < 0 ? 0 : n) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(n_); }
  size_t size() const { return static_cast<size_t>(n_); }

 private:
  N n_;
};

// The elements of a range, of anything that a for statement goes through; an lvalue is referred to.
template <class R>
class Progress {
 public:
  Progress(R&& range, std::string name)
      : range_(std::forward<R>(range)), line_(std::move(name), size_of(range_)) {}

  template <class At>
  class Iterator {
   public:
    Iterator(At at, detail::ProgressLine* line) : at_(std::move(at)), line_(line) {}
    decltype(auto) operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      line_->advance();
      return *this;
    }
    template <class End>
    bool operator!=(const End& end) const {
      return at_ != end;
    }

   private:
    At at_;
    detail::ProgressLine* line_;
  };
  auto begin() {
    using std::begin;
    return Iterator<decltype(begin(range_))>(begin(range_), &line_);
  }
  auto end() {
    using std::end;
    return end(range_);
  }

 private:
  static int64_t size_of(const std::remove_reference_t<R>& range) {
    if constexpr (requires { std::size(range); })
      return static_cast<int64_t>(std::size(range));
    else
      return -1;
  }

  R range_;
  detail::ProgressLine line_;
};

template <class R>
requires(!std::integral<std::remove_cvref_t<R>>) Progress<R> progress(R&& range, std::string name = "") {
  return Progress<R>(std::forward<R>(range), std::move(name));
}
template <std::integral N>
auto progress(N n, std::string name = "") {
  return Progress<Counting<N>>(Counting<N>(n), std::move(name));
}

}  // namespace ingot
