// Whole programs through the interpreter, against plain loops that say what they should compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace ingot {
namespace {

Tensor random_f64(Shape shape, uint64_t seed, double low = -1, double high = 1) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Tensor tensor(DType::kF64, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set_double(i, uniform(engine));
  return tensor;
}

std::vector<Tensor> run(std::string_view text, std::vector<Tensor> arguments) {
  return interpret(*ir::parse(text), arguments);
}

void expect_near(const Tensor& got, const std::vector<double>& want, double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), static_cast<int64_t>(want.size()));
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.get_double(i), want[static_cast<size_t>(i)], tolerance) << "element " << i;
  }
}

// --- the tridiagonal solver
// ---------------------------------------------------------------------------------------

// `n` systems of `length` equations along axis 1.
std::string tdma_text(int64_t n, int64_t length) {
  const std::string all = "f64[" + std::to_string(n) + "," + std::to_string(length) + "]";
  const std::string row = "f64[" + std::to_string(n) + "]";
  const std::string shape = "[" + std::to_string(n) + "]", steps = std::to_string(length);
  const std::string args = "(%a: " + all + ", %b: " + all + ", %c: " + all + ", %d: " + all + ")";
  return "func @tdma" + args + " -> (" + all + ") {\n" +
         "  %zero = constant() {value = dense f64[]{0}} : f64[]\n"
         "  %z = broadcast(%zero) {dims = [], shape = " +
         shape + "} : " + row + "\n" +
         "  %one = constant() {value = dense f64[]{1}} : f64[]\n"
         "  %ones = broadcast(%one) {dims = [], shape = " +
         shape + "} : " + row + "\n" +
         "  %p0, %q0, %ps, %qs = scan(%z, %z, %a, %b, %c, %d, %ones) {carries = 2, length = " + steps +
         ", reverse = false, scanned = 4, xs_axes = [1,1,1,1], ys_axes = [1,1]} (%lc: " + row +
         ", %ld: " + row + ", %ai: " + row + ", %bi: " + row + ", %ci: " + row + ", %di: " + row +
         ", %o: " + row + ") {\n" + "    %ac = mul(%ai, %lc) : " + row +
         "\n    %den = sub(%bi, %ac) : " + row + "\n" + "    %n = div(%o, %den) : " + row +
         "\n    %p = mul(%ci, %n) : " + row + "\n" + "    %ad = mul(%ai, %ld) : " + row +
         "\n    %num = sub(%di, %ad) : " + row + "\n" + "    %q = mul(%num, %n) : " + row +
         "\n    return %p, %q, %p, %q\n  } : " + row + ", " + row + ", " + all + ", " + all + "\n" +
         "  %l0, %x = scan(%z, %ps, %qs) {carries = 1, length = " + steps +
         ", reverse = true, scanned = 2, xs_axes = [1,1], ys_axes = [1]} (%l: " + row + ", %pi: " + row +
         ", %qi: " + row + ") {\n" + "    %pl = mul(%pi, %l) : " + row + "\n    %s = sub(%qi, %pl) : " + row +
         "\n    return %s, %s\n  } : " + row + ", " + all + "\n" + "  return %x\n}\n";
}

TEST(ProgramsTest, TridiagonalSolver) {
  for (int64_t length : {0, 1, 2, 7, 100}) {
    const int64_t n = 5;
    const Tensor a = random_f64({n, length}, 1), c = random_f64({n, length}, 2),
                 d = random_f64({n, length}, 3);
    const Tensor b = random_f64({n, length}, 4, 3, 5);
    const Tensor x = run(tdma_text(n, length), {a, b, c, d})[0];
    ASSERT_EQ(x.shape(), (Shape{n, length}));
    // The solution solves the equations: a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i].
    for (int64_t s = 0; s < n; ++s) {
      for (int64_t i = 0; i < length; ++i) {
        const int64_t at = s * length + i;
        double sum = b.get_double(at) * x.get_double(at);
        if (i > 0) sum += a.get_double(at) * x.get_double(at - 1);
        if (i + 1 < length) sum += c.get_double(at) * x.get_double(at + 1);
        EXPECT_NEAR(sum, d.get_double(at), 1e-12);
      }
    }
  }
}

// --- softmax
// ------------------------------------------------------------------------------------------------------

constexpr std::string_view kSoftmax = R"(
func @softmax(%x: f64[3,4]) -> (f64[3,4]) {
  %low = constant() {value = dense f64[]{-inf}} : f64[]
  %m = reduce(%x, %low) {axes = [1]} (%a: f64[], %b: f64[]) {
    %c = max(%a, %b) : f64[]
    return %c
  } : f64[3]
  %mb = broadcast(%m) {dims = [0], shape = [3,4]} : f64[3,4]
  %d = sub(%x, %mb) : f64[3,4]
  %e = exp(%d) : f64[3,4]
  %zero = constant() {value = dense f64[]{0}} : f64[]
  %s = reduce(%e, %zero) {axes = [1]} (%a2: f64[], %b2: f64[]) {
    %c2 = add(%a2, %b2) : f64[]
    return %c2
  } : f64[3]
  %sb = broadcast(%s) {dims = [0], shape = [3,4]} : f64[3,4]
  %y = div(%e, %sb) : f64[3,4]
  return %y
}
)";

TEST(ProgramsTest, Softmax) {
  const Tensor x = random_f64({3, 4}, 9, -5, 5);
  std::vector<double> want;
  for (int64_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < 4; ++k) sum += std::exp(x.get_double(i * 4 + k));
    for (int64_t k = 0; k < 4; ++k) want.push_back(std::exp(x.get_double(i * 4 + k)) / sum);
  }
  expect_near(run(kSoftmax, {x})[0], want);
}

// --- reductions of several arrays, by a region of more than one operation
// -----------------------------------------

TEST(ProgramsTest, ArgumentOfTheMaximum) {
  constexpr std::string_view text = R"(
func @argmax(%x: f64[2,5]) -> (f64[2], s32[2]) {
  %low = constant() {value = dense f64[]{-inf}} : f64[]
  %none = constant() {value = dense s32[]{0}} : s32[]
  %i = iota() {axis = 1, dtype = s32, shape = [2,5]} : s32[2,5]
  %v, %k = reduce(%x, %i, %low, %none) {axes = [1]} (%a: f64[], %ai: s32[], %b: f64[], %bi: s32[]) {
    %p = compare(%b, %a) {direction = "gt"} : pred[]
    %w = select(%p, %b, %a) : f64[]
    %wi = select(%p, %bi, %ai) : s32[]
    return %w, %wi
  } : f64[2], s32[2]
  return %v, %k
}
)";
  const Tensor x = Tensor::of<double>({2, 5}, {1, 5, 2, 5, 0, -3, -4, -1, -1.5, -2});
  const std::vector<Tensor> results = run(text, {x});
  expect_near(results[0], {5, -1});
  EXPECT_EQ(results[1], Tensor::of<int32_t>({2}, {1, 2}));
}

TEST(ProgramsTest, ReductionsKeepTheOrderOfTheOtherAxes) {
  for (const char* name : {"add", "max"}) {
    const std::string text =
        std::string("func @f(%x: f64[2,3,4,2]) -> (f64[3,2]) {\n") +
        "  %i = constant() {value = dense f64[]{" + (name[0] == 'a' ? "0" : "-inf") + "}} : f64[]\n" +
        "  %y = reduce(%x, %i) {axes = [0,2]} (%a: f64[], %b: f64[]) {\n    %c = " + name +
        "(%a, %b) : f64[]\n    return %c\n  } : f64[3,2]\n  return %y\n}\n";
    const Tensor x = random_f64({2, 3, 4, 2}, 11);
    std::vector<double> want;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t k = 0; k < 2; ++k) {
        double acc = name[0] == 'a' ? 0 : -2;
        for (int64_t p = 0; p < 2; ++p) {
          for (int64_t q = 0; q < 4; ++q) {
            const double value = x.get_double(((p * 3 + i) * 4 + q) * 2 + k);
            acc = name[0] == 'a' ? acc + value : std::max(acc, value);
          }
        }
        want.push_back(acc);
      }
    }
    expect_near(run(text, {x})[0], want);
  }
}

TEST(ProgramsTest, ReductionOverNothingIsTheInitialValue) {
  constexpr std::string_view text = R"(
func @f(%x: f64[2,0]) -> (f64[2]) {
  %one = constant() {value = dense f64[]{1}} : f64[]
  %y = reduce(%x, %one) {axes = [1]} (%a: f64[], %b: f64[]) {
    %c = mul(%a, %b) : f64[]
    return %c
  } : f64[2]
  return %y
}
)";
  expect_near(run(text, {Tensor(DType::kF64, {2, 0})})[0], {1, 1});
}

// --- contractions
// -------------------------------------------------------------------------------------------------

struct Dims {
  ir::IntList lhs_batch, rhs_batch, lhs_contract, rhs_contract;
};

// The definition: for all assignments of the four groups of indices.
std::vector<double> contract_by_definition(const Tensor& lhs, const Tensor& rhs, const Dims& dims) {
  auto free = [](const Tensor& x, const ir::IntList& batch, const ir::IntList& contract) {
    ir::IntList rest;
    for (int64_t d = 0; d < static_cast<int64_t>(x.shape().size()); ++d) {
      if (std::find(batch.begin(), batch.end(), d) == batch.end() &&
          std::find(contract.begin(), contract.end(), d) == contract.end())
        rest.push_back(d);
    }
    return rest;
  };
  const ir::IntList lhs_free = free(lhs, dims.lhs_batch, dims.lhs_contract),
                    rhs_free = free(rhs, dims.rhs_batch, dims.rhs_contract);
  std::vector<double> out;
  std::vector<int64_t> l(lhs.shape().size()), r(rhs.shape().size());
  auto at = [](const Tensor& x, const std::vector<int64_t>& index) {
    int64_t linear = 0;
    for (size_t i = 0; i < index.size(); ++i) linear = linear * x.shape()[i] + index[i];
    return x.get_double(linear);
  };
  auto sum = [&](auto&& self, size_t k) -> double {
    if (k == dims.lhs_contract.size()) return at(lhs, l) * at(rhs, r);
    double total = 0;
    for (int64_t i = 0; i < lhs.shape()[static_cast<size_t>(dims.lhs_contract[k])]; ++i) {
      l[static_cast<size_t>(dims.lhs_contract[k])] = r[static_cast<size_t>(dims.rhs_contract[k])] = i;
      total += self(self, k + 1);
    }
    return total;
  };
  auto loop = [&](auto&& self, size_t k) -> void {
    const size_t nb = dims.lhs_batch.size(), nl = lhs_free.size(), nr = rhs_free.size();
    if (k == nb + nl + nr) return out.push_back(sum(sum, 0));
    const bool batch = k < nb, left = k < nb + nl;
    const size_t ld = static_cast<size_t>(batch ? dims.lhs_batch[k] : left ? lhs_free[k - nb] : 0);
    const size_t rd = static_cast<size_t>(batch ? dims.rhs_batch[k] : left ? 0 : rhs_free[k - nb - nl]);
    const int64_t extent = left ? lhs.shape()[ld] : rhs.shape()[rd];
    for (int64_t i = 0; i < extent; ++i) {
      if (left) l[ld] = i;
      if (batch || !left) r[rd] = i;
      self(self, k + 1);
    }
  };
  loop(loop, 0);
  return out;
}

TEST(ProgramsTest, WithoutResultsNothingIsWalkedOver) {
  const std::vector<Tensor> results =
      run("func @f(%x: f64[0,4294967296]) -> (f64[0]) {\n"
          "  %low = constant() {value = dense f64[]{-inf}} : f64[]\n"
          "  %s = reduce(%x, %low) {axes = [1]} (%a: f64[], %b: f64[]) {\n"
          "    %c = max(%a, %b) : f64[]\n    return %c\n  } : f64[0]\n  return %s\n}\n",
          {Tensor(DType::kF64, {0, int64_t{1} << 32})});
  EXPECT_EQ(results.at(0).shape(), Shape{0});
}

TEST(ProgramsTest, ContractionsInEveryOrder) {
  struct Case {
    Shape lhs, rhs;
    Dims dims;
  };
  const Case cases[] = {
      {{3, 4}, {4, 5}, {{}, {}, {1}, {0}}},
      {{4, 3}, {5, 4}, {{}, {}, {0}, {1}}},
      {{2, 3, 4}, {2, 4, 5}, {{0}, {0}, {2}, {1}}},
      {{3, 2, 4}, {4, 5, 2}, {{1}, {2}, {2}, {0}}},
      {{2, 3, 4, 5}, {5, 3, 6, 2, 4}, {{1, 0}, {1, 3}, {3, 2}, {0, 4}}},
      {{3}, {3}, {{}, {}, {0}, {0}}},
      {{3}, {4}, {{}, {}, {}, {}}},
      {{3, 0}, {0, 2}, {{}, {}, {1}, {0}}},
      {{0, 3}, {3, 2}, {{}, {}, {1}, {0}}},
      {{2, 3}, {2, 3}, {{0, 1}, {0, 1}, {}, {}}},
  };
  for (const Case& c : cases) {
    ir::Module module;
    ir::Function* f = module.add_function("f");
    ir::Value* lhs = f->body().add_argument({DType::kF64, c.lhs});
    ir::Value* rhs = f->body().add_argument({DType::kF64, c.rhs});
    ir::Value* y = ir::Builder(f->body()).value("dot_general", {lhs, rhs},
                                                {{"lhs_batch", c.dims.lhs_batch},
                                                 {"rhs_batch", c.dims.rhs_batch},
                                                 {"lhs_contract", c.dims.lhs_contract},
                                                 {"rhs_contract", c.dims.rhs_contract}});
    f->body().set_results({y});
    const std::vector<Tensor> arguments = {random_f64(c.lhs, 1), random_f64(c.rhs, 2)};
    expect_near(interpret(module, arguments)[0], contract_by_definition(arguments[0], arguments[1], c.dims));
  }
}

// --- permutations, calls, loops
// -----------------------------------------------------------------------------------

TEST(ProgramsTest, ThreeWaysToPermute) {
  constexpr std::string_view text = R"(
func @perm(%m: s32[4,4]) -> (s32[4,4], s32[4,4]) {
  %f = reshape(%m) {shape = [16]} : s32[16]
  %t = take(%f) {axis = 0, indices = [0,1,2,3,5,6,7,4,10,11,8,9,15,12,13,14]} : s32[16]
  %r = reshape(%t) {shape = [4,4]} : s32[4,4]
  %a = slice(%m) {limits = [1,4], starts = [0,0], strides = [1,1]} : s32[1,4]
  %b0 = slice(%m) {limits = [2,4], starts = [1,1], strides = [1,1]} : s32[1,3]
  %b1 = slice(%m) {limits = [2,1], starts = [1,0], strides = [1,1]} : s32[1,1]
  %b = concatenate(%b0, %b1) {axis = 1} : s32[1,4]
  %c0 = slice(%m) {limits = [3,4], starts = [2,2], strides = [1,1]} : s32[1,2]
  %c1 = slice(%m) {limits = [3,2], starts = [2,0], strides = [1,1]} : s32[1,2]
  %c = concatenate(%c0, %c1) {axis = 1} : s32[1,4]
  %d0 = slice(%m) {limits = [4,4], starts = [3,3], strides = [1,1]} : s32[1,1]
  %d1 = slice(%m) {limits = [4,3], starts = [3,0], strides = [1,1]} : s32[1,3]
  %d = concatenate(%d0, %d1) {axis = 1} : s32[1,4]
  %s = concatenate(%a, %b, %c, %d) {axis = 0} : s32[4,4]
  return %r, %s
}
)";
  std::vector<int32_t> numbers(16);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<Tensor> results = run(text, {Tensor::of({4, 4}, numbers)});
  EXPECT_EQ(results[0], Tensor::of<int32_t>({4, 4}, {0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14}));
  EXPECT_EQ(results[0], results[1]);
}

TEST(ProgramsTest, CallsAndFusedGroups) {
  constexpr std::string_view text = R"(
func @main(%x: s32[3]) -> (s32[3], s32[3]) {
  %a, %b = call(%x) {callee = @twice} : s32[3], s32[3]
  %c = fused(%a, %b) {kernel = "k"} (%p: s32[3], %q: s32[3]) {
    %r = mul(%p, %q) : s32[3]
    return %r
  } : s32[3]
  return %b, %c
}

func @twice(%x: s32[3]) -> (s32[3], s32[3]) {
  %y = add(%x, %x) : s32[3]
  return %x, %y
}
)";
  const std::vector<Tensor> results = run(text, {Tensor::of<int32_t>({3}, {1, 2, 3})});
  EXPECT_EQ(results[0], Tensor::of<int32_t>({3}, {2, 4, 6}));
  EXPECT_EQ(results[1], Tensor::of<int32_t>({3}, {2, 8, 18}));
}

// A cumulative sum in both directions, along the middle axis in and the last axis out.
TEST(ProgramsTest, ScanOverAnyAxisInBothDirections) {
  for (const bool reverse : {false, true}) {
    const std::string text = std::string(R"(
func @f(%x: s64[2,3,2]) -> (s64[2,2], s64[2,2,3]) {
  %zero = constant() {value = dense s64[2,2]{0, 0, 0, 0}} : s64[2,2]
  %c, %y = scan(%zero, %x) {carries = 1, length = 3, reverse = )") +
                             (reverse ? "true" : "false") +
                             R"(, scanned = 1, xs_axes = [1], ys_axes = [2]} (%s: s64[2,2], %e: s64[2,2]) {
    %n = add(%s, %e) : s64[2,2]
    return %n, %n
  } : s64[2,2], s64[2,2,3]
  return %c, %y
}
)";
    std::vector<int64_t> numbers(12);
    std::iota(numbers.begin(), numbers.end(), 1);
    const std::vector<Tensor> results = run(text, {Tensor::of({2, 3, 2}, numbers)});
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t k = 0; k < 2; ++k) {
        int64_t sum = 0;
        for (int64_t s = 0; s < 3; ++s) {
          const int64_t t = reverse ? 2 - s : s;
          sum += numbers[static_cast<size_t>((i * 3 + t) * 2 + k)];
          EXPECT_EQ(results[1].get_int((i * 2 + k) * 3 + t), sum);
        }
        EXPECT_EQ(results[0].get_int(i * 2 + k), sum);
      }
    }
  }
}

// Reductions and scatters find the same larger and smaller ones as max and min do: +0 is above -0.
TEST(ProgramsTest, ExtremesOfZerosHaveSigns) {
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    for (const bool largest : {true, false}) {
      const std::string t = dtype, op = largest ? "max" : "min", start = largest ? "-inf" : "inf";
      const std::vector<Tensor> results =
          run("func @f() -> (" + t + "[2], " + t + "[2]) {\n  %x = constant() {value = dense " + t +
                  "[2,2]{0, -0, -0, 0}} : " + t + "[2,2]\n  %n = constant() {value = dense " + t + "[]{" +
                  start + "}} : " + t + "[]\n  %r = reduce(%x, %n) {axes = [1]} (%a: " + t + "[], %b: " + t +
                  "[]) {\n    %c = " + op + "(%a, %b) : " + t + "[]\n    return %c\n  } : " + t +
                  "[2]\n  %y = constant() {value = dense " + t + "[2]{0, -0}} : " + t +
                  "[2]\n  %u = constant() {value = dense " + t + "[2]{-0, 0}} : " + t +
                  "[2]\n  %i = constant() {value = dense s32[2]{0, 1}} : s32[2]\n  %s = scatter(%y, %i, %u) "
                  "{collapsed_slice_dims = [0], combiner = \"" +
                  op +
                  "\", index_vector_dim = 1, mode = \"clip\", offset_dims = [], operand_batching_dims = [], "
                  "slice_sizes = [1], start_index_map = [0], start_indices_batching_dims = []} : " +
                  t + "[2]\n  return %r, %s\n}\n",
              {});
      for (const Tensor& result : results) {
        for (int64_t i = 0; i < 2; ++i)
          EXPECT_EQ(std::signbit(result.get_double(i)), !largest) << t << op << i;
      }
    }
  }
}

// --- errors
// -------------------------------------------------------------------------------------------------------

TEST(ProgramsTest, WrongArgumentsAreTheUsersError) {
  auto error = [](std::vector<Tensor> arguments) -> std::string {
    try {
      run("func @f(%x: f64[2]) -> (f64[2]) {\n  return %x\n}\n", std::move(arguments));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({}), "@f takes 1 arguments, but is given 0");
  EXPECT_EQ(error({Tensor(DType::kF32, {2})}), "argument 0 of @f, %x, is f64[2], but is given f32[2]");
  EXPECT_EQ(error({Tensor(DType::kF64, {2})}), "no error");
}

}  // namespace
}  // namespace ingot
