// Reads and writes the .npz files of the benchmark: uncompressed ZIP archives of arrays, as numpy.savez
// writes them. Independent of the library that is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bench {

// Bytes that start on a page, a huge one where they are many, and come from the system untouched, so that no
// peer gains or loses by alignment or by what its allocator happens to recycle.
class Bytes {
 public:
  explicit Bytes(size_t size);
  size_t size() const { return size_; }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }

 private:
  struct Free {
    void* mapping;
    size_t mapped;
    void operator()(char* start) const;
  };
  size_t size_;
  std::unique_ptr<char, Free> data_;
};

// A row-major array with NumPy's dtype string ("<f4", "<i4", "|b1", ...).
struct HostArray {
  std::string dtype;
  std::vector<int64_t> shape;
  Bytes bytes{0};

  int64_t elements() const;
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
};

std::map<std::string, HostArray> read_npz(const std::string& path);  // throws std::runtime_error
void write_npz(const std::string& path, const std::map<std::string, const HostArray*>& arrays);

}  // namespace bench
