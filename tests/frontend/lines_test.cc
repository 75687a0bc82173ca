// Every operation of a program has a line of the user's, which errors, kernels() and the log tell: what the
// library's functions record inside has the line that called them. A public function that is called neither
// here nor in lines_library_test.cc is an error of the last test.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "frontend/lines.h"

namespace ingot {
namespace {

using testing::counting;
using testing::f32;
using testing::s32;

const auto strangers = [](const auto& f, const auto&... args) {
  return testing::strangers_to(std::source_location::current(), f, args...);
};

TEST(LinesTest, ElementwiseFunctions) {
  const auto f = [](Array x, Array y) {
    Array z = exp(x) + log(x) + expm1(x) + log1p(x) + erf(x) + sin(x) + cos(x) + tanh(x) + logistic(x);
    z += sqrt(x) * rsqrt(x) / floor(x) - ceil(x) + round(x) + abs(x) + sign(x) + neg(x);
    z -= select(is_finite(x), x, y) + where(logical_not(x > 0), -x, y) + select(x == y, 1.0f, y);
    z *= pow(x, y) + atan2(x, y) + maximum(x, y) + minimum(x, 2) + x % y;
    z /= select(compare(Compare::kLt, x, y) & (x <= y) & (x >= y) & ((x != y) | (x > y) | (x < y)), x, 1);
    return z + silu(x) + gelu(x) + relu(x) + square(x) + clip(x, 0, 1) + clip(x, y, 1);
  };
  EXPECT_EQ(strangers(f, f32({4, 6}), f32({6})), "");
  const auto more = [](Array x, Array y) {
    Array z = tan(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) + asinh(x) + acosh(x) + atanh(x);
    z += exp2(x) + log2(x) + cbrt(x) + round_away(x) + reduce_precision(x, 5, 2) + nextafter(x, y) +
         floor_divide(x, y) + mod(x, y);
    z += erfc(x) + erf_inv(x) + lgamma(x) + digamma(x) + zeta(x, y) + polygamma(x, y) + bessel_i0e(x);
    z += bessel_i1e(x) + hypot(x, y) + xlogy(x, y) + xlog1py(x, y) + logaddexp(x, y) + logit(x);
    return z + softplus(x);
  };
  EXPECT_EQ(strangers(more, f32({4, 6}), f32({6})), "");
  const auto integers = [](Array n) {
    const Array m = population_count(n) + clz(n) + shift_right_logical(n, 2) + shift_right_arithmetic(n, 1) +
                    (n << 3) + (n >> 1) + rotl(n, 3);
    return (~n & m) | (n ^ m) | bitcast(bitcast(n, DType::kF32), DType::kS32) |
           astype(n.astype(DType::kF32), DType::kS32);
  };
  EXPECT_EQ(strangers(integers, s32({4})), "");
  const auto complex_ones = [](Array x) {
    const Array z = complex(x, x * 2);
    return real(z) + imag(z) + angle(z) + abs(conj(z)) + imag(x) + angle(x) + real(conj(x));
  };
  EXPECT_EQ(strangers(complex_ones, f32({4})), "");
  const auto narrow = [](Array h, Array x) {
    return softmax(h) + cumsum(h) + mean(h) + var(h) + h * x + logsumexp(h) + gelu(h) + cummax(h);
  };
  EXPECT_EQ(strangers(narrow, Array::abstract(DType::kBF16, {6}), f32({6})), "");
}

TEST(LinesTest, Views) {
  const auto f = [](Array x) {  // f32[4,6]
    std::vector<Array> all = {transpose(x), x.T(), swapaxes(x, 0, 1), reshape(x, {3, -1}), x.reshape({-1})};
    for (const Array& a :
         {broadcast_to(x, {2, 4, 6}), expand_dims(x, {0, 2}), squeeze(expand_dims(x, 0)), flip(x),
          slice(x, {0, 1}, {2, 4}), slice_axis(x, 1, 0, 6, 2), slice_axis(x, 0, {.step = -1}),
          index_axis(x, 0, 1), x[-1], x.row(0), x.slice({0, 2}), x.slices({{0, 2}, {.step = -2}}),
          concatenate({x, x}, 1), stack({x, x}, 1), stack(std::vector<Array>{x, x}), pad(x, {1, -1}, {0, 2}),
          roll(x, 2, 1), take(x, {0, -1}, 1)}) {
      all.push_back(a);
    }
    all.push_back(Array::zeros({3}) + Array::ones({3}) + Array::full({3}, 2.5f) + Array::full({3}, x[0][0]));
    all.push_back(iota(DType::kS32, {2, 3}, 1) + arange(3) + arange(1, 7, 2) + arange(3, 0, -1));
    return all;
  };
  EXPECT_EQ(strangers(f, f32({4, 6})), "");
}

TEST(LinesTest, IndicesOfRunTime) {
  const auto f = [](Array x, Array n) {  // f32[4,6], s32[4]
    const Array start = n[0];
    const Array near = take_along_axis(x, n.reshape({4, 1}), 1) + take_at(x, n, 0, IndexMode::kClip)[0][0];
    return std::tuple(take(x, n, 1), near, dynamic_slice(x, {start, 0}, {2, 3}),
                      dynamic_update_slice(x, x.slice({0, 2}), {start, start}),
                      scatter(Scatter::kMax, x, n, 2), scatter_add(x, n, x), segment_sum(x, n, 3),
                      dynamic_slice(x[0][0], {}, {}));
  };
  EXPECT_EQ(strangers(f, f32({4, 6}), s32({4})), "");
}

// Small ones, and those that are gone through in blocks.
TEST(LinesTest, Reductions) {
  const auto f = [](Array x) {
    const Array sums =
        sum(x, 0) + prod(x, 0) + max(x, 0) + min(x, 0) + mean(x, 0) + var(x, 0) + std_(x, 0, 1);
    const Array more = argmax(x, 0) + argmin(x, 0) + sum(x > 0, 0);
    return std::tuple(sums, logsumexp(x, 0), any(x > 0, 0), all(x > 0, 0), more, softmax(x, 0),
                      log_softmax(x), argmax(x, 1, kKeepDims), mean(x, 1, kKeepDims));
  };
  EXPECT_EQ(strangers(f, f32({4, 6})), "");
  const auto large = [](Array x) { return var(x) + logsumexp(x) + std_(x) + sum(softmax(x)); };
  EXPECT_EQ(strangers(large, f32({32768})), "");
  EXPECT_EQ(strangers(grad(large), f32({32768})), "");
  const auto pred = [](Array p) { return argmax(p, 0) + argmin(p, 0); };
  EXPECT_EQ(strangers(pred, Array::abstract(DType::kPred, {5})), "");
}

TEST(LinesTest, Sorts) {
  const auto f = [](Array x) {
    return std::tuple(sort(x) + top_k(x, 6).values, argsort(x, 0) + lexsort({x, x * 2}, 0),
                      sort_by_keys({x}, {x, x * 2})[1], quantile(x, 0.3), median(x, 0));
  };
  EXPECT_EQ(strangers(f, f32({4, 6})), "");
}

TEST(LinesTest, Matrices) {
  const auto f = [](Array x) {
    const Array l = cholesky(x), u = cholesky(x, {.lower = false, .symmetrize = false});
    const Array more = solve(x, x) + inv(x) + lu_solve(lu(x), x) + sum(det(x)) + sum(slogdet(x).log);
    return more + l + cho_solve(l, x) + triangular_solve(u, x, {.left_side = false, .lower = false});
  };
  EXPECT_EQ(strangers(f, f32({4, 6, 6})), "");
  const auto total = [f](Array x) { return sum(f(x)); };
  EXPECT_EQ(strangers(grad(total), f32({6, 6})), "");
  EXPECT_EQ(strangers(hessian(total), f32({3, 3})), "");
}

TEST(LinesTest, Transforms) {
  const auto f = [](Array x) {
    const Array y = fft::fft(x, {.n = 7, .axis = 0, .norm = fft::Norm::kOrtho}), z = fft::rfft2(x);
    return sum(abs(y)) + sum(fft::irfft2(z) * x) + sum(abs(fft::ifftn(fft::fftshift(z)))) +
           sum(fft::hfft(fft::ihfft(x)) * x) + sum(fft::fftfreq(5));
  };
  EXPECT_EQ(strangers(f, f32({4, 6})), "");
  EXPECT_EQ(strangers(grad(f), f32({4, 6})), "");
  const auto others = [](Array x) {
    const Array z = fft::fft2(x) + fft::fftn(x) + fft::ifft2(x);
    return std::tuple(fft::ifftshift(fft::ifft(z)), fft::irfft(fft::rfft(x)), fft::irfftn(fft::rfftn(x)),
                      fft::rfftfreq(6) + sum(abs(z)));
  };
  EXPECT_EQ(strangers(others, f32({4, 6})), "");
}

TEST(LinesTest, Decompositions) {
  const auto f = [](Array x) {
    const Qr factors = qr(x, {.mode = QrMode::kComplete});
    const Eigh of_values = eigh(x);
    const Svd parts = svd(x, {.full_matrices = false});
    const Array more = pinv(x) + matrix_power(x, -3) + multi_dot({x[0], x[1]}) + parts.u + of_values.vectors;
    const Array numbers =
        norm(x, {.order = 3, .axes = 0})[0] + cond(x[0], 1) + svdvals(x)[0] + eigvalsh(x)[0];
    return std::tuple(factors.q + factors.r + more, numbers, lstsq(x[0], x[1]).x,
                      norm(x, {.order = NormOrder::nuclear(), .axes = {1, 2}}), abs(eigvals(x)));
  };
  EXPECT_EQ(strangers(f, f32({4, 4, 4})), "");
  const auto others = [](Array x) {
    return std::tuple(matrix_rank(x), schur(x).t, real(eig(x).vectors), det(x));
  };
  EXPECT_EQ(strangers(others, f32({4, 4, 4})), "");
  const auto total = [](Array x) { return sum(pinv(x)) + det(x) + sum(qr(x).r) + norm(x) + sum(svd(x).u); };
  EXPECT_EQ(strangers(grad(total), f32({4, 4})), "");
}

TEST(LinesTest, RunningTotals) {
  const auto f = [](Array x) {
    return cumsum(x) + cumprod(x, 1) + cummax(x, 0) + cummin(x, 1, true) + cumlogsumexp(x) +
           cumsum(x > 0).astype(DType::kF32);
  };
  EXPECT_EQ(strangers(f, f32({4, 6})), "");
  const auto total = [f](Array x) { return sum(f(x)); };
  EXPECT_EQ(strangers(grad(total), f32({4, 6})), "");
  EXPECT_EQ(strangers(hessian(total), f32({4, 6})), "");
  for (const bool reverse : {false, true}) {
    const auto combined = [reverse](Array x) {
      return associative_scan([](Array a, Array b) { return a * b + a; }, x, 1, reverse);
    };
    EXPECT_EQ(strangers(combined, f32({4, 6})), "");
    const auto jitted = [reverse](Array x) {
      return associative_scan(jit([](Array a, Array b) { return a * b + a; }), x, 0, reverse);
    };
    EXPECT_EQ(strangers(jitted, f32({4, 6})), "");
  }
}

TEST(LinesTest, Contractions) {
  const auto f = [](Array x, Array y) {  // f32[4,6], f32[6,5]
    const DotDims dims{.lhs_contract = {1}, .rhs_contract = {0}};
    return std::tuple(dot(x, y) + matmul(x, y) + dot_general(x, y, dims),
                      einsum("ij,jk,kl->li", {x, y, y.T()}), einsum("ii", {y.slice({0, 5})}),
                      tensordot(x, y, 1), tensordot(x, y, {1}, {0}), outer(x, y), vdot(x, x),
                      dot(x, y, DType::kF64));
  };
  EXPECT_EQ(strangers(f, f32({4, 6}), f32({6, 5})), "");
  const auto attend = [](Array q, Array b) {
    return attention(q, q, q) + attention(q, q, q, {.causal = true, .bias = b});
  };
  EXPECT_EQ(strangers(attend, f32({2, 8, 4}), f32({8, 8})), "");
  EXPECT_EQ(strangers(attend, f32({2, 3000, 4}), f32({3000, 3000})), "");
  const auto loss = [](Array q) { return sum(attention(q, q, q, {.causal = true})); };
  EXPECT_EQ(strangers(grad(loss), f32({2, 3000, 4})), "");
}

TEST(LinesTest, Windows) {
  const auto f = [](Array x, Array w) {  // f32[2,8,8,3], f32[3,3,3,4]
    const Array same =
        conv2d(x, w, {.padding = ConvPadding::kSame}) + conv_general(x, w, {.padding = {{1, 1}, {1, 1}}});
    const auto add = [](Array a, Array b) { return a + b; };
    const Array single = w.slices({{}, {}, {0, 1}, {0, 3}});
    return std::tuple(same, conv_transpose(x, w, {.strides = {2, 2}}), depthwise_conv(x, single),
                      reduce_window(add, x, 0, {1, 2, 2, 1}), max_pool(x, {2, 2}) + min_pool(x, {2, 2}),
                      sum_pool(x, {2, 2}) + avg_pool(x, {2, 2}));
  };
  EXPECT_EQ(strangers(f, f32({2, 8, 8, 3}), f32({3, 3, 3, 4})), "");
  const auto lines = [](Array x, Array w) { return conv1d(x, w); };
  EXPECT_EQ(strangers(lines, f32({2, 8, 3}), f32({3, 3, 4})), "");
  const auto volumes = [](Array x, Array w) { return conv3d(x, w); };
  EXPECT_EQ(strangers(volumes, f32({2, 4, 4, 4, 3}), f32({2, 2, 2, 3, 4})), "");
}

// Functions of functions, given a plain one and a jitted one.
template <class F>
void expect_no_strangers_around(const F& f) {  // of an f32[6]
  const auto total = [f](Array x) { return sum(f(x)); };
  const Array vector = f32({6}), matrix = f32({9, 6});
  EXPECT_EQ(strangers(f, vector), "");
  EXPECT_EQ(strangers([f](Array x) { return vmap(f)(x); }, matrix), "");
  EXPECT_EQ(strangers([f](Array x) { return map(f, x); }, matrix), "");
  EXPECT_EQ(strangers([f](Array x) { return map(f, x, 0, 0, 4); }, matrix), "");
  EXPECT_EQ(strangers([f](Array x) { return map(f, x, 0, -1, 3); }, matrix), "");
  EXPECT_EQ(strangers(
                [f](Array x) {
                  const auto step = [f](Array carry, Array row) { return std::pair(f(carry), row); };
                  return scan(step, x[0], x).second;
                },
                matrix),
            "");
  EXPECT_EQ(strangers([f](Array x) { return jvp(f, x, x); }, vector), "");
  EXPECT_EQ(strangers(
                [f](Array x) {
                  auto [y, pull] = vjp(f, x);
                  auto [z, push] = linearize(f, x);
                  return pull(y) + push(x);
                },
                vector),
            "");
  EXPECT_EQ(strangers([f](Array x) { return jacfwd(f)(x) + jacrev(f)(x); }, vector), "");
  EXPECT_EQ(
      strangers([f](Array x) { return checkpoint(f)(checkpoint_name(stop_gradient(x), "x") + x); }, vector),
      "");
  const auto wrapped = jit(total);
  EXPECT_EQ(strangers([total](Array x) { return grad(total)(x); }, vector), "");
  EXPECT_EQ(strangers([wrapped](Array x) { return grad(wrapped)(x); }, vector), "");
  EXPECT_EQ(strangers([wrapped](Array x) { return value_and_grad(wrapped)(x); }, vector), "");
  EXPECT_EQ(strangers([wrapped](Array x) { return hessian(wrapped)(x); }, vector), "");
  EXPECT_EQ(strangers([total](Array x) { return hessian(total)(x); }, vector), "");
  EXPECT_EQ(strangers([wrapped](Array x) { return hvp(wrapped, x, x); }, vector), "");
  EXPECT_EQ(strangers([total](Array x) { return hvp(total, x, x); }, vector), "");
  EXPECT_EQ(
      strangers([f](Array x) { return grad([f](Array y) { return sum(checkpoint(f)(y)); })(x); }, vector),
      "");
}

TEST(LinesTest, FunctionsOfFunctions) {
  const auto f = [](Array x) { return tanh(x) * x; };
  expect_no_strangers_around(f);
  expect_no_strangers_around(jit(f));
  expect_no_strangers_around(checkpoint(f));
  const auto scanned = [](Array x) {
    return scan(jit([](Array a, Array b) { return std::pair(a * b, a); }), Array(1.0f), x).second;
  };
  EXPECT_EQ(strangers(scanned, f32({6})), "");
}

TEST(LinesTest, RulesOfTheUser) {
  const auto f = [](Array x) { return exp(x); };
  const auto jvp_rule = jit([](std::tuple<Array> x, std::tuple<Array> t) {
    return std::pair(exp(std::get<0>(x)), exp(std::get<0>(x)) * std::get<0>(t));
  });
  const auto with_jvp = [=](Array x) { return sum(custom_jvp(f, jvp_rule)(x)); };
  EXPECT_EQ(strangers(with_jvp, f32({6})), "");
  EXPECT_EQ(strangers(grad(with_jvp), f32({6})), "");
  const auto with_vjp = [=](Array x) {
    const auto forward = jit([](Array a) { return std::pair(exp(a), a); });
    const auto backward = jit([](Array a, Array t) { return std::tuple(exp(a) * t); });
    return sum(custom_vjp(f, forward, backward)(x));
  };
  EXPECT_EQ(strangers(grad(with_vjp), f32({6})), "");
  const auto twice = [](Array factor, Array x) { return factor * x; };
  const auto with_transpose = [=](Array x) {
    return sum(custom_transpose(twice, jit(twice))(stop_gradient(x), x));
  };
  EXPECT_EQ(strangers(grad(with_transpose), f32({6})), "");
  const auto with_batch = [=](Array x) {
    const auto rule = [](int64_t, const std::vector<bool>&, Array a) { return exp(a) + 0; };
    return vmap(custom_vmap(f, rule))(x);
  };
  EXPECT_EQ(strangers(with_batch, f32({3, 6})), "");
  const auto named = [](Array x) {
    const auto each = [](Array row) {
      return psum(row, "rows") + pmean(row, "rows") + pmax(row, "rows") + pmin(row, "rows") +
             (axis_index("rows") * axis_size("rows")).astype(DType::kF32);
    };
    return vmap(each, {.axis_name = "rows"})(x);
  };
  EXPECT_EQ(strangers(named, f32({3, 6})), "");
}

// What derivatives and batches make for no operation of the function: zeros, sums of cotangents, transposes.
TEST(LinesTest, WhatTransformsMakeOfNothing) {
  const auto constant = [](Array) { return Array::ones({2}); };
  const auto twice = [](Array x) { return std::pair(x, x); };
  const auto one_of_two = [](Array x, Array y) { return std::pair(exp(x), y * 0.5f); };
  const auto step = [](std::pair<Array, Array> c, Array x) {
    return std::pair(std::pair(c.second, Array(0.0f) * c.first), x + c.second);
  };
  const Array vector = f32({2}), matrix = f32({4, 2});
  EXPECT_EQ(strangers([=](Array x) { return jvp(constant, x, x).second; }, vector), "");
  const auto called = [](Array x) {
    return custom_call("none", {x.dtype(), x.shape()}, [](const CustomCall&) {}, {x});
  };
  EXPECT_EQ(strangers(called, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return vjp(constant, x).second(x); }, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return vjp(twice, x).second(std::pair(x, x)); }, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return vjp(jit(twice), x).second(std::pair(x, x)); }, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return vmap(twice, {.out_axes = 1})(x); }, matrix), "");
  EXPECT_EQ(strangers([=](Array x) { return jacrev(one_of_two)(x, x); }, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return jacfwd<1>(one_of_two)(x, x); }, vector), "");
  const auto loop = [=](Array x) {
    const std::pair<Array, Array> start(Array(1.0f), Array(2.0f));
    return sum(scan(step, start, x).second);
  };
  EXPECT_EQ(strangers(grad(loop), vector), "");
  EXPECT_EQ(strangers([=](Array x) { return jvp(loop, x, x); }, vector), "");
  EXPECT_EQ(strangers(hessian(loop), vector), "");
  const auto rule = [](int64_t, const std::vector<bool>&, Array a) { return std::pair(a, a); };
  const auto ruled = [=](Array x) {
    const auto [a, b] = vmap(custom_vmap(twice, rule))(x);
    return sum(a);
  };
  EXPECT_EQ(strangers(grad(ruled), matrix), "");
  EXPECT_EQ(strangers(
                [=](Array x) {
                  return vmap(grad([=](Array y) { return sum(custom_vmap(twice, rule)(y).first); }))(x);
                },
                matrix),
            "");
}

// With no types of parameters to tell where the line ends and arguments begin.
TEST(LinesTest, CallsWithManyArguments) {
  const auto add = [](const auto&... all) { return (all + ...); };
  const Array x = counting({2}), y = counting({3});
  int here = __LINE__ + 1;
  const auto f = jit(add), g = jit(add);
  here = __LINE__ + 1;
  EXPECT_EQ(testing::error_of([&] { f(x, x, x, x, x, x, Array()); }).find(testing::line(here) + "arg6: "),
            0u);
  here = __LINE__ + 1;
  EXPECT_EQ(testing::error_of([&] {
              f(x, x, x, x, x, x, x, x, x, x, x, Array());
            }).find(testing::line(here) + "arg11: "),
            0u);
  here = __LINE__ + 1;
  const auto many = vmap(add);
  const std::string message =
      testing::error_of([&] { jit(many)(x, x, x, x, x, x, x, x, x, x, x, x, x, Array()); });
  EXPECT_EQ(message.find(__FILE__), 0u) << message;
  EXPECT_NE(message.find("arg13: "), std::string::npos) << message;
}

TEST(LinesTest, LoopsAndBranches) {
  const Array vector = f32({6}), count = s32({});
  const auto doubled = [](Array x) { return x * 2; };
  const auto halved = [](Array x) { return x / 2; };
  const auto loop = [=](Array x) {
    return while_loop([](Array y) { return sum(y) < 100; }, doubled, x, {.max_steps = 9});
  };
  const auto branch = [=](Array x) { return cond(sum(x) > 0, doubled, halved, x); };
  const auto times = [](Array i, Array x) { return x * i.astype(DType::kF32); };
  EXPECT_EQ(strangers(loop, vector), "");
  EXPECT_EQ(strangers([=](Array x) { return fori_loop(1, 5, times, x); }, vector), "");
  EXPECT_EQ(strangers([=](Array x, Array n) { return fori_loop(0, n, times, x); }, vector, count), "");
  EXPECT_EQ(strangers(branch, vector), "");
  EXPECT_EQ(strangers([=](Array x, Array i) { return switch_(i, std::tuple(doubled, halved, doubled), x); },
                      vector, count),
            "");
}

// The names of the functions over arrays that a header declares for users.
std::set<std::string> public_functions(const std::filesystem::path& header) {
  std::ifstream file(header);
  std::set<std::string> names;
  const std::regex declaration(
      R"(^(?:\[\[nodiscard\]\] )?(?:requires.* )?(?:Array|auto|tree::traced_t<\w+>) (\w+)\()");
  std::string end;  // of a namespace for internal names; a short one says no name there
  for (std::string line; std::getline(file, line);) {
    if (line == "namespace detail {") end = "}  // namespace detail";
    if (line == "namespace ingot::detail {") end = "}";
    if (line == end) end.clear();
    std::smatch match;
    if (end.empty() && std::regex_search(line, match, declaration)) names.insert(match[1]);
  }
  return names;
}

// The names that stand before a bracket, outside of comments.
void add_called(const std::string& line, std::set<std::string>& names) {
  const std::string code = line.substr(0, line.find("//"));
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = code.find('('); at != std::string::npos; at = code.find('(', at + 1)) {
    size_t begin = at;
    while (begin > 0 && in_name(code[begin - 1])) --begin;
    if (begin < at) names.insert(code.substr(begin, at - begin));
  }
}

TEST(LinesTest, AllPublicFunctionsAreCalledHere) {
  const std::filesystem::path root = std::filesystem::path(INGOT_TEST_DIR).parent_path().parent_path();
  std::set<std::string> called;
  // Those of lines 1 to 5 are asked for their line in library_golden_test.cc.
  for (const char* name :
       {"/lines_test.cc", "/lines_library_test.cc", "/library_lines_1.cc", "/library_lines_2.cc",
        "/library_lines_3.cc", "/library_lines_4.cc", "/library_lines_5.cc"}) {
    std::ifstream file(std::string(INGOT_TEST_DIR) + name);
    for (std::string line; std::getline(file, line);) add_called(line, called);
  }
  // These give types or take memory, and record nothing.
  const std::set<std::string> silent = {"eval_shape", "from_dlpack", "load",
                                        "progress",   "wrap",        "wrap_bytes"};
  size_t count = 0;
  for (const auto& header : std::filesystem::directory_iterator(root / "include/ingot")) {
    if (header.path().extension() != ".h") continue;
    for (const std::string& name : public_functions(header.path())) {
      ++count;
      EXPECT_TRUE(silent.contains(name) || called.contains(name))
          << name << " of " << header.path() << " is not called in a test of these files";
    }
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace ingot
