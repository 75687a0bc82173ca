// Memory that is shared with others.
#include "ingot/dlpack.h"

#include <algorithm>
#include <utility>

#include "frontend/node.h"

namespace ingot {
namespace {

using detail::fail;

constexpr uintptr_t kAlignment = 64;  // of the buffers of the pool, which kernels rely on

bool aligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
}

// Calls a function at the end of its life, unless that is handed over.
class Releaser {
 public:
  explicit Releaser(std::function<void()> release) : release_(std::move(release)) {}
  Releaser(const Releaser&) = delete;
  Releaser& operator=(const Releaser&) = delete;
  ~Releaser() {
    if (release_) release_();
  }
  std::function<void()> hand_over() { return std::exchange(release_, nullptr); }

 private:
  std::function<void()> release_;
};

const detail::ArrayType* type_of(DType dtype, const Shape& shape, const char* name,
                                 const std::source_location& where) {
  try {
    return detail::intern_type(dtype, shape);
  } catch (const Error& error) {
    fail(where, std::string(name) + ": " + error.what());
  }
}

Array shared(const detail::ArrayType* type, const void* data, Releaser& releaser,
             const std::source_location& where) {
  if (!aligned(data) || !detail::array_memory().of_host())
    return Array::from_bytes(type->dtype, type->shape, data, where);
  // Nobody writes there: buffers are written to where they are made, or donated, which those of others are
  // not.
  auto buffer = runtime::Buffer::of_others(const_cast<void*>(data), static_cast<size_t>(type->bytes),
                                           releaser.hand_over());
  return detail::make_concrete(type, std::move(buffer), detail::user_line(where));
}

}  // namespace

Array wrap_bytes(DType dtype, Shape shape, const void* data, std::function<void()> release,
                 const std::source_location& where) {
  Releaser releaser(std::move(release));
  const detail::ArrayType* type = type_of(dtype, shape, "wrap", where);
  if (type->bytes == 0) return Array::zeros(type->shape, dtype, where);
  if (data == nullptr) {
    fail(where, "wrap: the pointer is null, but should be to the " + std::to_string(type->bytes) +
                    " bytes of a " + detail::to_string(*type));
  }
  return shared(type, data, releaser, where);
}

// --- DLPack

namespace {

struct CodeOf {
  DType dtype;
  dlpack::Code code;
};
constexpr CodeOf kCodes[] = {{DType::kPred, dlpack::kBool},
                             {DType::kS8, dlpack::kInt},
                             {DType::kS16, dlpack::kInt},
                             {DType::kS32, dlpack::kInt},
                             {DType::kS64, dlpack::kInt},
                             {DType::kU8, dlpack::kUInt},
                             {DType::kU16, dlpack::kUInt},
                             {DType::kU32, dlpack::kUInt},
                             {DType::kU64, dlpack::kUInt},
                             {DType::kF16, dlpack::kFloat},
                             {DType::kBF16, dlpack::kBFloat},
                             {DType::kF32, dlpack::kFloat},
                             {DType::kF64, dlpack::kFloat},
                             {DType::kC64, dlpack::kComplex},
                             {DType::kC128, dlpack::kComplex},
                             {DType::kF8E4M3FN, dlpack::kFloat8E4M3FN},
                             {DType::kF8E5M2, dlpack::kFloat8E5M2},
                             {DType::kF8E4M3, dlpack::kFloat8E4M3},
                             {DType::kF8E4M3B11FNUZ, dlpack::kFloat8E4M3B11FNUZ},
                             {DType::kF8E4M3FNUZ, dlpack::kFloat8E4M3FNUZ},
                             {DType::kF8E5M2FNUZ, dlpack::kFloat8E5M2FNUZ},
                             {DType::kF8E3M4, dlpack::kFloat8E3M4},
                             {DType::kF8E8M0FNU, dlpack::kFloat8E8M0FNU}};

// What a tensor that is handed out points to.
struct Held {
  Array array;
  Shape shape, strides;
};

template <class Managed>
Managed* hand_out(const Array& array, const std::source_location& where) {
  const detail::ArrayNode& node = detail::checked_node(array, where);
  if (!node.concrete())
    fail(where, "to_dlpack: a " + array.type_string() + " without a value has no memory to be shared");
  auto held = std::make_unique<Held>();
  held->array = array;
  held->shape = array.shape();
  held->strides.assign(held->shape.size(), 1);
  for (size_t i = held->shape.size(); i-- > 1;)
    held->strides[i - 1] = held->strides[i] * std::max<int64_t>(1, held->shape[i]);
  const auto* code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                  [&](const CodeOf& c) { return c.dtype == array.dtype(); });
  if (code == std::end(kCodes))
    fail(where, "to_dlpack: elements of type " + std::string(name_of(array.dtype())) +
                    " take a byte each here, but fewer bits in DLPack; convert or bitcast them first");
  auto managed = std::make_unique<Managed>();
  managed->tensor = {.data = const_cast<void*>(node.host_data()),
                     .device = {dlpack::kCpu, 0},
                     .ndim = static_cast<int32_t>(held->shape.size()),
                     .dtype = {code->code, static_cast<uint8_t>(8 * byte_size(array.dtype())), 1},
                     .shape = held->shape.data(),
                     .strides = held->strides.data(),
                     .byte_offset = 0};
  managed->context = held.release();
  managed->deleter = [](Managed* self) {
    delete static_cast<Held*>(self->context);
    delete self;
  };
  return managed.release();
}

std::optional<DType> dtype_of(const dlpack::DataType& type) {
  for (const CodeOf& one : kCodes) {
    if (type.lanes == 1 && one.code == type.code && 8 * byte_size(one.dtype) == type.bits) return one.dtype;
  }
  return std::nullopt;
}

bool row_major(const dlpack::Tensor& tensor) {
  int64_t wanted = 1;
  for (int32_t i = tensor.ndim; tensor.strides != nullptr && i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != wanted) return false;
    wanted *= tensor.shape[i];
  }
  return true;
}

// Error where an element would lie further away than any address does.
void check_strides(const detail::ArrayType* type, const int64_t* strides, const std::source_location& where) {
  constexpr int64_t kMostBytes = int64_t{1} << 48;  // what a pointer can tell apart
  int64_t reach = 0;
  for (size_t d = 0; d < type->shape.size(); ++d) {
    int64_t far = 0;
    const auto width = static_cast<int64_t>(byte_size(type->dtype));
    const bool beyond = __builtin_mul_overflow(type->shape[d] - 1, strides[d], &far) ||
                        __builtin_mul_overflow(far, width, &far) || far >= kMostBytes || far <= -kMostBytes;
    reach += beyond ? kMostBytes : std::abs(far);
    if (reach < kMostBytes) continue;
    fail(where, "from_dlpack: the stride " + std::to_string(strides[d]) + " of axis " + std::to_string(d) +
                    ", which has " + std::to_string(type->shape[d]) +
                    " elements, leads to where there is no memory");
  }
}

Array copied(const detail::ArrayType* type, const char* data, const int64_t* strides,
             const std::source_location& where) {
  auto buffer = detail::allocate(type, "an array from the host", where);
  detail::fill_buffer(*buffer, static_cast<size_t>(type->bytes), [&](std::byte* to) {
    const size_t width = byte_size(type->dtype);
    Shape index(type->shape.size(), 0);
    for (int64_t i = 0; i < type->elements; ++i) {
      int64_t from = 0;
      for (size_t d = 0; d < index.size(); ++d) from += index[d] * strides[d];
      std::memcpy(to + static_cast<size_t>(i) * width, data + from * static_cast<int64_t>(width), width);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < type->shape[d]) break;
        index[d] = 0;
      }
    }
  });
  return detail::make_concrete(type, std::move(buffer), detail::user_line(where));
}

Array taken(const dlpack::Tensor& tensor, Releaser& releaser, const std::source_location& where) {
  if (tensor.device.type != dlpack::kCpu) {
    fail(where, "from_dlpack: the tensor lies on a device of type " + std::to_string(tensor.device.type) +
                    ", but should lie in the memory of the CPU, 1; copy it there first");
  }
  const std::optional<DType> dtype = dtype_of(tensor.dtype);
  if (!dtype) {
    fail(where, "from_dlpack: there is no dtype for elements of code " + std::to_string(tensor.dtype.code) +
                    ", " + std::to_string(tensor.dtype.bits) + " bits and " +
                    std::to_string(tensor.dtype.lanes) + " lanes");
  }
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr)) {
    fail(where, "from_dlpack: the tensor has " + std::to_string(tensor.ndim) + " dimensions" +
                    (tensor.ndim < 0 ? "" : ", but no shape"));
  }
  const Shape shape(tensor.shape, tensor.shape + tensor.ndim);
  const detail::ArrayType* type = type_of(*dtype, shape, "from_dlpack", where);
  if (type->bytes == 0) return Array::zeros(shape, *dtype, where);
  if (tensor.data == nullptr) {
    fail(where, "from_dlpack: the tensor's pointer is null, but should be to the " +
                    std::to_string(type->bytes) + " bytes of a " + detail::to_string(*type));
  }
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (!row_major(tensor)) {
    check_strides(type, tensor.strides, where);
    return copied(type, data, tensor.strides, where);
  }
  return shared(type, data, releaser, where);
}

}  // namespace

dlpack::ManagedTensor* to_dlpack(const Array& array, const std::source_location& where) {
  return hand_out<dlpack::ManagedTensor>(array, where);
}

dlpack::ManagedTensorVersioned* to_dlpack_versioned(const Array& array, const std::source_location& where) {
  auto* managed = hand_out<dlpack::ManagedTensorVersioned>(array, where);
  managed->version = {1, 0};
  managed->flags = dlpack::kReadOnly;
  return managed;
}

Array from_dlpack(dlpack::ManagedTensor* tensor, const std::source_location& where) {
  if (tensor == nullptr) fail(where, "from_dlpack: the pointer is null");
  Releaser releaser([tensor] {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  });
  return taken(tensor->tensor, releaser, where);
}

Array from_dlpack(dlpack::ManagedTensorVersioned* tensor, const std::source_location& where) {
  if (tensor == nullptr) fail(where, "from_dlpack: the pointer is null");
  Releaser releaser([tensor] {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  });
  if (tensor->version.major != 1) {
    fail(where, "from_dlpack: the tensor is of version " + std::to_string(tensor->version.major) +
                    " of DLPack, but should be of 1");
  }
  return taken(tensor->tensor, releaser, where);
}

}  // namespace ingot
