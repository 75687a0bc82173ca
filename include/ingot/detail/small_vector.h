// A vector whose first N elements need no allocation: the keys and argument lists of calls.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ingot::detail {

template <class T, size_t N>
class SmallVector {
 public:
  SmallVector() {}  // leaves numbers unset: what is not pushed is not read
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  void push_back(T value) {
    if (size_ < N) [[likely]] {
      inline_[size_] = std::move(value);
    } else {
      if (size_ == N)
        spilled_.assign(std::make_move_iterator(inline_.begin()), std::make_move_iterator(inline_.end()));
      spilled_.push_back(std::move(value));
    }
    ++size_;
  }
  void resize(size_t size) {
    while (size_ < size) push_back(T());
  }
  size_t size() const { return size_; }
  T* data() { return size_ <= N ? inline_.data() : spilled_.data(); }
  const T* data() const { return size_ <= N ? inline_.data() : spilled_.data(); }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  size_t size_ = 0;
  std::array<T, N> inline_;
  std::vector<T> spilled_;
};

}  // namespace ingot::detail
