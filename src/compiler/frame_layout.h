// Places buffers in a function's frame: buffers that never live at the same time may share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingot::compiler {

class FrameLayout {
 public:
  struct Buffer {
    int64_t bytes = 0;
    int first = 0, last = 0;  // steps between which it lives, both included
    int64_t offset = -1;
  };

  // A buffer that lives from step `first` on; extend() tells when it is used again. Returns its number.
  int add(int64_t bytes, int first) {
    buffers_.push_back({bytes, first, first, -1});
    return static_cast<int>(buffers_.size()) - 1;
  }
  void extend(int buffer, int step) {
    Buffer& b = buffers_[static_cast<size_t>(buffer)];
    if (step > b.last) b.last = step;
  }
  // It lives from the first step to the last one.
  void keep(int buffer, int last) {
    Buffer& b = buffers_[static_cast<size_t>(buffer)];
    b.first = 0;
    b.last = last;
  }
  const Buffer& at(int buffer) const { return buffers_[static_cast<size_t>(buffer)]; }

  // Gives every buffer its offset; large ones choose first. Returns the size of the frame.
  int64_t place();

 private:
  std::vector<Buffer> buffers_;
};

}  // namespace ingot::compiler
