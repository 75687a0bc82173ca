// As lines_test.cc, for random numbers, layers and losses.
#include "frontend/lines.h"
#include "ingot/nn.h"

namespace ingot {
namespace {

using testing::f32;
using testing::s32;

const auto strangers = [](const auto& f, const auto&... args) {
  return testing::strangers_to(std::source_location::current(), f, args...);
};

const Array& a_key() {
  static const Array key = Array::abstract(DType::kU32, {2});
  return key;
}

TEST(LinesLibraryTest, RandomNumbers) {
  using namespace random;  // NOLINT
  const auto keys = [](Array k, Array n) {
    const auto [a, b] = random::split<2>(k);
    return random::split(k, 3)[0] + random::fold_in(a, n) + random::key(n) + random::bits(b, {2});
  };
  EXPECT_EQ(strangers(keys, a_key(), s32({})), "");
  const auto plain = [](Array k, Array x) {
    const Shape s = x.shape();
    return random::uniform(k, s) + random::normal(k, s) + random::exponential(k, s) + random::gumbel(k, s) +
           random::laplace(k, s) + random::logistic(k, s) + random::cauchy(k, s) + random::maxwell(k, s) +
           random::rademacher(k, s, DType::kF32) + random::generalized_normal(k, 3, s);
  };
  EXPECT_EQ(strangers(plain, a_key(), f32({4})), "");
  const auto of = [](Array k, Array x) {
    return random::truncated_normal(k, x, 2) + random::gamma(k, x) + random::loggamma(k, x) +
           random::beta(k, x, x) + random::chisquare(k, x) + random::f(k, x, x) + random::t(k, x) +
           random::pareto(k, x) + random::rayleigh(k, x) + random::weibull_min(k, x, x) + random::wald(k, x) +
           random::triangular(k, x, x, x) + random::lognormal(k, x) + random::binomial(k, x, x) +
           random::dirichlet(k, x);
  };
  EXPECT_EQ(strangers(of, a_key(), f32({4})), "");
  const auto counts = [](Array k, Array x, Array n) {
    return random::randint(k, {4}, n, 5) + random::poisson(k, x) + random::geometric(k, x) +
           random::bernoulli(k, x).astype(DType::kS32) + random::categorical(k, x, {.shape = {4}}) +
           random::permutation(k, n) + random::choice(k, n, {4}) + random::choice(k, 4, {4}, {.p = x});
  };
  EXPECT_EQ(strangers(counts, a_key(), f32({4}), s32({4})), "");
  const auto vectors = [](Array k, Array mean, Array cov) {
    return random::multivariate_normal(k, mean, cov) + random::ball(k, 3) + random::orthogonal(k, 3)[0];
  };
  EXPECT_EQ(strangers(vectors, a_key(), f32({3}), f32({3, 3})), "");
}

TEST(LinesLibraryTest, Initialisers) {
  const auto f = [](Array k) {
    const Shape s = {4, 6};
    Array x = nn::glorot_normal(k, s) + nn::glorot_uniform(k, s) + nn::xavier_normal(k, s);
    x += nn::xavier_uniform(k, s) + nn::he_normal(k, s) + nn::he_uniform(k, s) + nn::kaiming_normal(k, s);
    x += nn::kaiming_uniform(k, s) + nn::lecun_normal(k, s) + nn::lecun_uniform(k, s);
    return x + nn::ones(k, s) + nn::zeros(k, s);
  };
  EXPECT_EQ(strangers(f, a_key()), "");
}

TEST(LinesLibraryTest, LayersAndLosses) {
  const nn::Norm norm{f32({6}), f32({6})};
  const auto f = [](Array x, Array k, nn::Dense d, nn::Conv c, nn::Norm n, nn::Embedding e) {
    Array y = nn::dense(d, x) + nn::conv(c, x) + nn::layer_norm(n, x) + nn::rms_norm(n.scale, x);
    y += nn::group_norm(n, x, 2) + nn::batch_norm(n, {n.bias, n.scale}, x);
    y += nn::batch_norm_train(n, {n.bias, n.scale}, x).first + nn::dropout(k, x, 0.5);
    return y + nn::embed(e, iota(DType::kS32, {2, 5}, 1));
  };
  EXPECT_EQ(strangers(f, f32({2, 5, 6}), a_key(), nn::Dense{f32({6, 6}), f32({6})},
                      nn::Conv{f32({3, 6, 6}), f32({6})}, norm, nn::Embedding{f32({9, 6})}),
            "");
  const nn::Dense six{f32({6, 6}), f32({6})};
  const auto cells = [](Array x, nn::MultiHeadAttention m, nn::Rnn r, nn::Gru g, nn::Lstm l) {
    const Array h = nn::rnn(r, x, x) + nn::gru(g, x, x) + nn::lstm(l, {x, x}, x).h;
    return nn::multi_head_attention(m, h);
  };
  const nn::Rnn rnn{f32({6, 6}), f32({6, 6}), f32({6})};
  const nn::Gru gru{f32({6, 18}), f32({6, 18}), f32({18}), f32({6})};
  const nn::Lstm lstm{f32({6, 24}), f32({6, 24}), f32({24})};
  EXPECT_EQ(strangers(cells, f32({5, 6}), nn::MultiHeadAttention{six, six, six, six, 2}, rnn, gru, lstm), "");
  const auto losses = [](Array x, Array y, Array n) {
    const Array rows = nn::softmax_cross_entropy(x, y) + nn::softmax_cross_entropy_with_integer_labels(x, n);
    return sum(nn::sigmoid_binary_cross_entropy(x, y) + nn::squared_error(x, y) + nn::l2_loss(x, y) +
               nn::huber_loss(x, y)) +
           sum(rows) + nn::mse_loss(x, y);
  };
  EXPECT_EQ(strangers(losses, f32({3, 4}), f32({3, 4}), s32({3})), "");
}

}  // namespace
}  // namespace ingot
