// What a newcomer tried in a first afternoon, and what came out otherwise than numpy and JAX have it.
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using V = std::vector<float>;

TEST(FirstAfternoonTest, ArangeOfFloats) {
  EXPECT_EQ(arange(0.5, 3.5, 1.0).to_vector<float>(), (V{0.5f, 1.5f, 2.5f}));
  EXPECT_EQ(arange(2.7).to_vector<float>(), (V{0, 1, 2}));
  EXPECT_EQ(arange(0, 1, 0.25).to_vector<float>(), (V{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(arange(1.0, 0.0, -0.5).to_vector<float>(), (V{1, 0.5f}));
  EXPECT_EQ(arange(1.0, 0.0).size(), 0);
  EXPECT_EQ(arange(0.0, 1.0, 0.1, DType::kF64).size(), 10);
  EXPECT_EQ(arange(3).dtype(), DType::kS32);
  EXPECT_EQ(jit([] { return arange(0.5, 2.5); })().to_vector<float>(), (V{0.5f, 1.5f}));
  EXPECT_NE(error_of([] { arange(0.0, 1.0, 0.0); }).find("the step finite and not 0"), std::string::npos);
  EXPECT_NE(error_of([] { arange(0.0, 1e300, 1.0); }).find("2^48"), std::string::npos);
  EXPECT_NE(error_of([] { arange(0.5, 2.5, 1, DType::kS32); }).find("astype"), std::string::npos);
}

TEST(FirstAfternoonTest, SumsOfNarrowIntegersAreWide) {
  const Array u8 = Array::from({1000}, std::vector<uint8_t>(1000, 200));
  EXPECT_EQ(sum(u8).dtype(), DType::kU32);
  EXPECT_EQ(sum(u8).item<uint32_t>(), 200000u);
  EXPECT_EQ(sum(Array::from<int8_t>({100, 100})).item<int32_t>(), 200);
  EXPECT_EQ(prod(Array::from<int16_t>({300, 300})).item<int32_t>(), 90000);
  EXPECT_EQ(sum(Array::from<int64_t>({1, 2})).dtype(), DType::kS64);
}

TEST(FirstAfternoonTest, ComplexNumbers) {
  using C = std::complex<float>;
  const Array z = Array::from<C>({C(1, 2), C(-1, 0)});
  EXPECT_EQ(vdot(z, z).item<C>(), C(6, 0));
  EXPECT_EQ(outer(z, z)[0][0].item<C>(), C(-3, 4));
  EXPECT_EQ(pow(z, 2).to_vector<C>(), (std::vector<C>{C(-3, 4), C(1, 0)}));
  EXPECT_EQ(pow(z, 3.0).to_vector<C>(), (std::vector<C>{C(-11, -2), C(-1, 0)}));
  EXPECT_EQ(pow(z, -2)[1].item<C>(), C(1, 0));
}

TEST(FirstAfternoonTest, MistakesAreToldByTheNameThatWasWritten) {
  const Array x = Array::ones({3});
  const std::string told = error_of([&] { x.slice({0, 1, 0}); });
  EXPECT_NE(told.find("slice: the step is 0"), std::string::npos) << told;
}

}  // namespace
}  // namespace ingot
