#include "tools/npy.h"

#include <bit>
#include <cstring>

#include "ingot/error.h"

namespace ingot::tools {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in the file");

struct NumpyName {
  DType dtype;
  std::string_view code;  // without the byte order
};

constexpr NumpyName kNames[] = {
    {DType::kPred, "b1"}, {DType::kS8, "i1"},    {DType::kS16, "i2"},  {DType::kS32, "i4"},
    {DType::kS64, "i8"},  {DType::kU8, "u1"},    {DType::kU16, "u2"},  {DType::kU32, "u4"},
    {DType::kU64, "u8"},  {DType::kF16, "f2"},   {DType::kF32, "f4"},  {DType::kF64, "f8"},
    {DType::kC64, "c8"},  {DType::kC128, "c16"}, {DType::kBF16, "V2"},  // what np.save makes of
                                                                        // ml_dtypes.bfloat16; NumPy reads it
                                                                        // back as raw bytes
};

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  DType dtype = DType::kF32;
  bool fortran_order = false;
  Shape shape;
};

// The header is a Python dictionary of three known keys; values are found by their keys.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header read() const {
    Header header;
    header.dtype = dtype();
    std::string_view order = value("fortran_order");
    header.fortran_order = order.starts_with("True");
    if (!header.fortran_order && !order.starts_with("False")) damaged();
    header.shape = shape();
    return header;
  }

 private:
  [[noreturn]] void damaged() const { throw Error(name_ + ": damaged .npy header: " + std::string(text_)); }

  // What stands behind `'key':`.
  std::string_view value(std::string_view key) const {
    size_t at = text_.find("'" + std::string(key) + "'");
    if (at == std::string_view::npos) damaged();
    at = text_.find_first_not_of(" :", at + key.size() + 2);
    if (at == std::string_view::npos) damaged();
    return text_.substr(at);
  }

  DType dtype() const {
    std::string_view rest = value("descr");
    if (rest.starts_with("[")) throw Error(name_ + ": arrays of records are not supported");
    size_t end = rest.find('\'', 1);
    if (!rest.starts_with("'") || end == std::string_view::npos) damaged();
    std::string_view code = rest.substr(1, end - 1);
    std::string_view plain = code.substr(code.empty() ? 0 : 1);
    for (const NumpyName& entry : kNames) {
      if (entry.code != plain) continue;
      if (code[0] == '>' && byte_size(entry.dtype) > 1) {
        throw Error(name_ + ": the array is big endian ('" + std::string(code) +
                    "'); save array.astype(array.dtype.newbyteorder('<'))");
      }
      return entry.dtype;
    }
    throw Error(
        name_ + ": there is no element type for NumPy's '" + std::string(code) +
        "'; there are bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128 "
        "and ml_dtypes.bfloat16 ('V2')");
  }

  Shape shape() const {
    std::string_view rest = value("shape");
    if (!rest.starts_with("(")) damaged();
    Shape shape;
    int64_t extent = -1;
    for (char c : rest.substr(1)) {
      if (c >= '0' && c <= '9') {
        if (extent > (INT64_MAX - 9) / 10) damaged();
        extent = (extent < 0 ? 0 : extent * 10) + (c - '0');
      } else if (c == ',' || c == ')') {
        if (extent >= 0) shape.push_back(extent);
        extent = -1;
        if (c == ')') return shape;
      } else if (c != ' ' && c != 'L') {
        damaged();
      }
    }
    damaged();
  }

  std::string_view text_;
  const std::string& name_;
};

int64_t checked_bytes(const Header& header, const std::string& name) {
  try {
    return element_count(header.shape) * static_cast<int64_t>(byte_size(header.dtype));
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
  if (major < 1 || major > 3) {
    throw Error(name + ": version " + std::to_string(major) + " of .npy is not known; there are 1, 2 and 3");
  }
  const size_t width = major == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width && 8 + i < bytes.size(); ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  const size_t start = 8 + width + length;
  if (start > bytes.size()) throw Error(name + ": the .npy header is cut off");
  if (bytes.substr(8 + width, length).find('\0') != std::string_view::npos)
    throw Error(name + ": damaged .npy header: there is a NUL in it");
  Header header = HeaderReader(bytes.substr(8 + width, length), name).read();
  const int64_t wanted = checked_bytes(header, name);
  const size_t there = bytes.size() - start;
  if (static_cast<size_t>(wanted) > there) {
    throw Error(name + ": the array " + std::string(name_of(header.dtype)) + to_string(header.shape) +
                " is cut off: the file holds " + std::to_string(there) + " bytes of it");
  }
  Tensor tensor(header.dtype, header.shape);
  if (header.fortran_order && header.shape.size() > 1) {
    copy_from_fortran(bytes.data() + start, tensor);
  } else {
    std::memcpy(tensor.raw(), bytes.data() + start, static_cast<size_t>(wanted));
  }
  if (header.dtype == DType::kPred) {
    for (int64_t i = 0; i < wanted; ++i) tensor.raw()[i] = std::byte(tensor.raw()[i] != std::byte(0));
  }
  return tensor;
}

std::string write_npy(const Tensor& tensor) {
  std::string descr;
  for (const NumpyName& entry : kNames) {
    if (entry.dtype == tensor.dtype()) {
      descr = (byte_size(entry.dtype) == 1 ? "|" : "<") + std::string(entry.code);
    }
  }
  std::string shape;
  for (int64_t extent : tensor.shape()) shape += std::to_string(extent) + ", ";
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape().size() == 1) shape.resize(shape.size() - 1);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements start at a multiple of 64, after a line end.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  check(header.size() < 65536, "write_npy: the header is too long for version 1");
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
  return bytes;
}

}  // namespace ingot::tools
