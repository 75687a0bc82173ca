#include "ingot/dlpack.h"

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::line;

struct alignas(64) Memory {
  float values[64] = {};
};

TEST(DlpackTest, AlignedMemoryIsNotCopied) {
  int released = 0;
  Memory memory;
  memory.values[3] = 7;
  {
    const Array x = wrap(memory.values, {2, 4}, [&] { ++released; });
    EXPECT_EQ(x.view<float>().data(), memory.values);
    EXPECT_EQ(x[0][3].item<float>(), 7);
    const Array y = x + 1;
    EXPECT_EQ(y[0][3].item<float>(), 8);
    const Array copy = x;
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  // What is not aligned is copied, and let go of.
  const Array z = wrap(memory.values + 1, {3}, [&] { ++released; });
  EXPECT_EQ(released, 2);
  EXPECT_NE(z.view<float>().data(), memory.values + 1);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 0, 7}));
  EXPECT_EQ(wrap(memory.values, {0, 3}).type_string(), "f32[0,3]");
  EXPECT_EQ(error_of([] { wrap<float>(nullptr, {3}); }),
            line(__LINE__ - 1) + "wrap: the pointer is null, but should be to the 12 bytes of a f32[3]");
}

TEST(DlpackTest, SharedMemoryIsNeverWrittenTo) {
  Memory memory;
  const auto bump = jit([](Array x) { return x + 1; }, {.donate = {0}});
  Array x = wrap(memory.values, {64});
  const Array y = bump(x);
  EXPECT_EQ(y[0].item<float>(), 1);
  EXPECT_EQ(memory.values[0], 0);
}

TEST(DlpackTest, ArraysGoOutAndComeBack) {
  for (const DType dtype : kAllDTypes) {
    const Array x = testing::counting({2, 3}).astype(dtype);
    if (bit_width(dtype) < 8 && dtype != DType::kPred) {
      EXPECT_NE(error_of([&] { to_dlpack(x); }).find("take a byte each here, but fewer bits in DLPack"),
                std::string::npos)
          << name_of(dtype);
      continue;
    }
    dlpack::ManagedTensor* out = to_dlpack(x);
    EXPECT_EQ(out->tensor.ndim, 2);
    EXPECT_EQ(out->tensor.strides[0], 3);
    EXPECT_EQ(out->tensor.dtype.bits, 8 * byte_size(dtype));
    const void* memory = out->tensor.data;
    const Array y = from_dlpack(out);
    EXPECT_EQ(y.type_string(), x.type_string());
    dlpack::ManagedTensorVersioned* again = to_dlpack_versioned(y);
    EXPECT_EQ(again->tensor.data, memory);
    EXPECT_EQ(again->flags, dlpack::kReadOnly);
    const Array z = from_dlpack(again);
    EXPECT_EQ(z.type_string(), x.type_string());
    const auto raw = [](const Array& array) {  // which == could not compare where some are NaN
      std::string bytes(static_cast<size_t>(array.bytes()), '\0');
      array.to_host(bytes.data());
      return bytes;
    };
    EXPECT_EQ(raw(z), raw(x)) << name_of(dtype);
  }
  EXPECT_EQ(from_dlpack(to_dlpack(Array(2.5f))).item<float>(), 2.5f);
}

// A tensor of another library's, that counts its deletions.
struct Foreign {
  Memory memory;
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {1, 2};  // column-major
  int deleted = 0;
  dlpack::ManagedTensor managed;

  Foreign() {
    for (int i = 0; i < 6; ++i) memory.values[i] = static_cast<float>(i);
    managed = {{memory.values, {dlpack::kCpu, 0}, 2, {dlpack::kFloat, 32, 1}, shape, strides, 0},
               this,
               [](dlpack::ManagedTensor* self) { ++static_cast<Foreign*>(self->context)->deleted; }};
  }
};

TEST(DlpackTest, OrdersAndErrors) {
  Foreign columns;
  EXPECT_EQ(from_dlpack(&columns.managed).to_vector<float>(), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(columns.deleted, 1);
  Foreign rows;
  rows.managed.tensor.strides = nullptr;
  {
    const Array x = from_dlpack(&rows.managed);
    EXPECT_EQ(x.view<float>().data(), rows.memory.values);
    EXPECT_EQ(rows.deleted, 0);
  }
  EXPECT_EQ(rows.deleted, 1);
  Foreign far;
  far.managed.tensor.device.type = 2;
  const std::string error = error_of([&] { from_dlpack(&far.managed); });
  EXPECT_EQ(error, line(__LINE__ - 1) +
                       "from_dlpack: the tensor lies on a device of type 2, but should lie "
                       "in the memory of the CPU, 1; copy it there first");
  EXPECT_EQ(far.deleted, 1);
  Foreign odd;
  odd.managed.tensor.dtype = {dlpack::kFloat, 8, 1};
  EXPECT_EQ(error_of([&] { from_dlpack(&odd.managed); }),
            line(__LINE__ - 1) + "from_dlpack: there is no dtype for elements of code 2, 8 bits and 1 lanes");
  Foreign nothing;
  nothing.managed.tensor.data = nullptr;
  EXPECT_EQ(error_of([&] { from_dlpack(&nothing.managed); }),
            line(__LINE__ - 1) +
                "from_dlpack: the tensor's pointer is null, but should be to the 24 bytes of a f32[2,3]");
  Foreign shapeless;
  shapeless.managed.tensor.shape = nullptr;
  EXPECT_EQ(error_of([&] { from_dlpack(&shapeless.managed); }),
            line(__LINE__ - 1) + "from_dlpack: the tensor has 2 dimensions, but no shape");
  Foreign negative;
  negative.managed.tensor.ndim = -1;
  EXPECT_EQ(error_of([&] { from_dlpack(&negative.managed); }),
            line(__LINE__ - 1) + "from_dlpack: the tensor has -1 dimensions");
}

}  // namespace
}  // namespace ingot
