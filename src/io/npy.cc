#include "io/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/array_size.h"
#include "ingot/error.h"
#include "io/names.h"
#include "io/safetensors.h"

namespace ingot::io {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in the file");

struct NumpyName {
  DType dtype;
  std::string_view code;  // without the byte order
};

constexpr NumpyName kNames[] = {
    {DType::kPred, "b1"},
    {DType::kS8, "i1"},
    {DType::kS16, "i2"},
    {DType::kS32, "i4"},
    {DType::kS64, "i8"},
    {DType::kU8, "u1"},
    {DType::kU16, "u2"},
    {DType::kU32, "u4"},
    {DType::kU64, "u8"},
    {DType::kF16, "f2"},
    {DType::kF32, "f4"},
    {DType::kF64, "f8"},
    {DType::kC64, "c8"},
    {DType::kC128, "c16"},
    {DType::kBF16, "V2"},  // what np.save makes of
                           // ml_dtypes.bfloat16; NumPy reads it
                           // back as raw bytes
    // What np.save makes of ml_dtypes.float8_e5m2, alone among those of a byte. NumPy itself does not read
    // it back, so that it is read here, but not written.
    {DType::kF8E5M2, "f1"},
};

constexpr size_t kMostHeader = 1 << 20;  // bytes: NumPy writes some hundred, and reads 10000 unless told

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  DType dtype = DType::kF32;
  bool fortran_order = false, big_endian = false;
  Shape shape;
};

// The header is a Python dictionary of three keys, each of which stands there once, and nothing behind it but
// spaces. What NumPy refuses is refused, with the place in the header.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name, int major)
      : text_(text), name_(name), major_(major) {}

  Header read() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{', "the header is a dictionary, {'descr': ..}");
    while (!accept('}')) {
      skip();
      const size_t start = at_;
      const std::string key(quoted("a key"));
      bool* const seen = key == "descr"           ? &descr
                         : key == "fortran_order" ? &order
                         : key == "shape"         ? &shape
                                                  : nullptr;
      if (seen == nullptr)
        damaged("there is no key '" + key + "'; they are 'descr', 'fortran_order' and 'shape'", start);
      if (*seen) damaged("the key '" + key + "' stands there twice", start);
      *seen = true;
      expect(':', "':' must stand behind '" + key + "'");
      if (seen == &descr) header.dtype = dtype();
      if (seen == &order) header.fortran_order = flag();
      if (seen == &shape) header.shape = extents();
      if (accept(',')) continue;
      expect('}', "',' or '}' must stand behind the value of '" + key + "'");
      break;
    }
    for (const auto& [seen, key] : {std::pair{descr, "descr"}, {order, "fortran_order"}, {shape, "shape"}})
      if (!seen) damaged(std::string("the key '") + key + "' is missing", at_);
    skip();
    if (at_ != text_.size()) damaged("something stands behind the dictionary", at_);
    header.big_endian = big_endian_;
    return header;
  }

 private:
  [[noreturn]] void damaged(const std::string& what, size_t at) const {
    constexpr size_t kShown = 200;
    std::string shown;
    for (const char c : text_.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
    while (shown.ends_with(' ') || shown.ends_with('?')) shown.pop_back();
    if (text_.size() > kShown) shown += "...";
    throw Error(name_ + ": damaged .npy header: " + what + " (byte " + std::to_string(at) + " of " + shown +
                ")");
  }

  void skip() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const std::string& otherwise) {
    if (!accept(c)) damaged(otherwise, at_);
  }
  std::string_view quoted(const std::string& what) {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') damaged(what + " must stand here, in quotes", at_);
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) damaged("a quote is not closed", at_);
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    if (word.find('\\') != std::string_view::npos) damaged("a backslash stands in quotes", at_);
    at_ = end + 1;
    return word;
  }

  bool flag() {
    skip();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    damaged("'fortran_order' must be True or False", at_);
  }

  DType dtype() {
    skip();
    const size_t start = at_;
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '{' || text_[at_] == '('))
      throw Error(name_ + ": arrays of records are not supported");
    const std::string_view code = quoted("the element type, as in '<f4',");
    const bool ordered = !code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos;
    const std::string_view plain = code.substr(ordered ? 1 : 0);
    if (plain == "O")
      throw Error(name_ + ": arrays of Python objects ('" + std::string(code) + "') are not supported");
    if (plain == "V1")
      throw Error(
          name_ + ": its elements are '" + std::string(code) +
          "', which np.save writes for all floats of a byte and integers of 4 and 2 bits of ml_dtypes, "
          "without saying which; save array.view(np.uint8), which the command takes for a float of a byte "
          "and "
          "ingot::bitcast makes one, or save a .safetensors file");
    for (const NumpyName& entry : kNames) {
      if (entry.code != plain) continue;
      big_endian_ = code[0] == '>';
      return entry.dtype;
    }
    if (code.size() > 16) damaged("the element type has " + std::to_string(code.size()) + " letters", start);
    throw Error(
        name_ + ": there is no element type for NumPy's '" + std::string(code) +
        "'; there are bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128 "
        "and of ml_dtypes bfloat16 ('V2') and float8_e5m2 ('f1')");
  }

  // A tuple: (), (3,), (3, 4).
  Shape extents() {
    expect('(', "'shape' must be a tuple, as in (3, 4)");
    Shape shape;
    bool comma = false;
    while (!accept(')')) {
      skip();
      const size_t start = at_;
      if (!shape.empty() && !comma) damaged("',' must stand between extents", start);
      if (at_ < text_.size() && text_[at_] == '-') damaged("an extent is negative", start);
      int64_t extent = 0;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (__builtin_mul_overflow(extent, int64_t{10}, &extent) ||
            __builtin_add_overflow(extent, int64_t{text_[at_] - '0'}, &extent))
          damaged("an extent is beyond 64 bits", start);
      }
      if (at_ == start) damaged("an extent must stand here", start);
      // As for NumPy, whose headers are Python: 03 is no number there, and 3L one of Python 2, which wrote
      // versions 1 and 2.
      if (text_[start] == '0' && text_.substr(start, at_ - start).find_first_not_of('0') != std::string::npos)
        damaged("an extent begins with 0", start);
      if (at_ < text_.size() && text_[at_] == 'L') {
        if (major_ > 2) damaged("an extent ends in L, as in versions 1 and 2 alone", at_);
        ++at_;
      }
      if (shape.size() == kMostDimensions)
        damaged("there are more than " + std::to_string(kMostDimensions) + " dimensions", start);
      shape.push_back(extent);
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) damaged("'shape' is a number and no tuple; one extent is (3,)", at_);
    return shape;
  }

  std::string_view text_;
  const std::string& name_;
  int major_;  // the version of the format
  size_t at_ = 0;
  bool big_endian_ = false;
};

// The bytes of each number, of each part of a complex one, in the other order.
void swap_bytes(Tensor& tensor) {
  const auto width = static_cast<std::ptrdiff_t>(byte_size(real_dtype(tensor.dtype())));
  std::byte* const end = tensor.raw() + tensor.bytes();
  for (std::byte* at = tensor.raw(); width > 1 && at != end; at += width) std::reverse(at, at + width);
}

int64_t checked_bytes(const Header& header, const std::string& name) {
  try {
    return element_count(header.dtype, header.shape) * static_cast<int64_t>(byte_size(header.dtype));
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

// Copies from column-major (first index fastest) to row-major order.
void copy_from_fortran(const char* from, Tensor& to) {
  const Shape& shape = to.shape();
  const size_t size = byte_size(to.dtype());
  std::vector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  char* out = reinterpret_cast<char*>(to.raw());
  for (int64_t i = 0; i < to.size(); ++i) {
    int64_t source = 0;
    for (size_t d = 0; d < shape.size(); ++d) source += index[d] * stride[d];
    std::memcpy(out + static_cast<size_t>(i) * size, from + static_cast<size_t>(source) * size, size);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

Tensor read_npy(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) {
    throw Error(name + ": not a .npy file (it does not start with NumPy's magic bytes)");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(name + ": version " + std::to_string(major) +
                (minor == 0 ? "" : "." + std::to_string(minor)) +
                " of .npy is not known; there are 1, 2 and 3");
  }
  const size_t width = major == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width && 8 + i < bytes.size(); ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  const size_t start = 8 + width + length;
  if (8 + width > bytes.size() || start > bytes.size())
    throw Error(name + ": the .npy header is cut off: it has " + std::to_string(length) +
                " bytes, of which the file holds " +
                std::to_string(bytes.size() - std::min(bytes.size(), 8 + width)));
  if (length > kMostHeader)
    throw Error(name + ": the .npy header has " + std::to_string(length) + " bytes, but may have " +
                std::to_string(kMostHeader) + " at most");
  if (bytes.substr(8 + width, length).find('\0') != std::string_view::npos)
    throw Error(name + ": damaged .npy header: there is a NUL in it");
  Header header = HeaderReader(bytes.substr(8 + width, length), name, major).read();
  const int64_t wanted = checked_bytes(header, name);
  const size_t there = bytes.size() - start;
  if (static_cast<size_t>(wanted) > there) {
    throw Error(name + ": the array " + std::string(name_of(header.dtype)) + to_string(header.shape) +
                " is cut off: the file holds " + std::to_string(there) + " bytes of it");
  }
  if (static_cast<size_t>(wanted) < there) {
    throw Error(name + ": behind the array " + std::string(name_of(header.dtype)) + to_string(header.shape) +
                " there are " + std::to_string(there - static_cast<size_t>(wanted)) + " more bytes");
  }
  Tensor tensor(header.dtype, header.shape);
  if (header.fortran_order && header.shape.size() > 1) {
    copy_from_fortran(bytes.data() + start, tensor);
  } else {
    std::memcpy(tensor.raw(), bytes.data() + start, static_cast<size_t>(wanted));
  }
  if (header.big_endian) swap_bytes(tensor);
  if (header.dtype == DType::kPred) {
    for (int64_t i = 0; i < wanted; ++i) tensor.raw()[i] = std::byte(tensor.raw()[i] != std::byte(0));
  }
  return tensor;
}

std::string write_npy(const Tensor& tensor) {
  std::string descr;
  for (const NumpyName& entry : kNames) {
    if (entry.dtype == tensor.dtype() && entry.dtype != DType::kF8E5M2) {
      descr = (byte_size(entry.dtype) == 1 ? "|" : "<") + std::string(entry.code);
    }
  }
  if (descr.empty()) {
    throw Error(
        "a .npy file has no name for elements of type " + std::string(name_of(tensor.dtype())) + "; " +
        (has_safetensors_name(tensor.dtype()) ? "save a .safetensors file" : as_wider(tensor.dtype())));
  }
  if (const size_t rank = tensor.shape().size(); rank > kMostDimensions)
    throw Error("a .npy file has at most " + std::to_string(kMostDimensions) + " dimensions, not " +
                std::to_string(rank) + "; reshape the array first");
  std::string shape;
  for (int64_t extent : tensor.shape()) shape += std::to_string(extent) + ", ";
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape().size() == 1) shape.resize(shape.size() - 1);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements start at a multiple of 64, after a line end.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
  return bytes;
}

}  // namespace ingot::io
