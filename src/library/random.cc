// Keys, bits, and the random numbers that are one formula of them. Those of distributions with parameters
// stand in random_distributions.cc, those that reject numbers in random_rejection.cc.
#include "ingot/random.h"

#include <limits>
#include <numbers>

#include "frontend/node.h"
#include "library/samplers.h"

namespace ingot::random {
namespace {

using samplers::number;
using samplers::Sampler;

// One formula of a key, a shape and a dtype.
Array formula(const char* name, const Operand& key, const SampleShape& wanted, DType wanted_dtype,
              Array (*body)(const Array& key, const Shape& shape, DType dtype)) {
  const Sampler sampler(name, key);
  const DType dtype = sampler.floats(wanted_dtype);
  const Shape shape = sampler.shape(wanted, {});
  return sampler.run({}, shape, dtype,
                     [&](const Array& k, const std::vector<Array>&) { return body(k, shape, dtype); });
}

}  // namespace

Array key(const Operand& seed) {
  const std::source_location& where = seed.where();
  const CallerScope scope(where, "random::key");
  if (seed.is_literal()) {
    const detail::Literal& literal = seed.literal();
    if (!is_integer(literal.dtype))
      detail::fail(where, "random::key: a seed is an integer, not " + detail::text_of(literal));
    const std::vector<uint32_t> words = {0, static_cast<uint32_t>(detail::as_int(literal))};
    return Array::from({2}, words, where);
  }
  const Array array = seed.array();
  const detail::ArrayType& type = *detail::checked_node(array, where, "the seed").type;
  if (!is_integer(type.dtype) || !type.shape.empty()) {
    detail::fail(where, "random::key: a seed is one integer, but this is a " + array.type_string() +
                            (is_integer(type.dtype) ? "; use vmap for several" : ""));
  }
  return detail::apply("random::key", {array}, {}, where, [&](const std::vector<Array>& given) {
    const bool wide = byte_size(type.dtype) == 8;
    const Array high = wide ? shift_right_logical(given[0], 32).astype(DType::kU32) : number(0, DType::kU32);
    return stack({high, given[0].astype(DType::kU32)}, 0);
  });
}

Array split(const Operand& key, int64_t n) {
  return random::split(key, Shape{n});
}

Array split(const Operand& key, const Shape& wanted) {
  const Sampler sampler("random::split", key);
  const Shape shape = sampler.checked(wanted);
  return sampler.run({}, shape, DType::kU32,
                     [&](const Array& k, const std::vector<Array>&) { return samplers::split_to(k, shape); });
}

std::vector<Array> split_apart(const Operand& key, int64_t n) {
  const Array keys = split(key, n);
  const CallerScope scope(key.where());
  std::vector<Array> apart;
  for (int64_t i = 0; i < n; ++i) apart.push_back(index_axis(Operand(keys, key.where()), 0, i));
  return apart;
}

Array fold_in(const Operand& key, const Operand& data) {
  const Sampler sampler("random::fold_in", key);
  const Array array = data.array();
  const detail::ArrayType& type = *detail::checked_node(array, sampler.where()).type;
  if (!is_integer(type.dtype) || !type.shape.empty()) {
    sampler.fail("the number to fold in is one integer, but this is a " + array.type_string() +
                 (is_integer(type.dtype) ? "; use vmap for several" : ""));
  }
  return sampler.run({array}, {}, type.dtype, [](const Array& k, const std::vector<Array>& given) {
    const samplers::Words made = samplers::threefry({index_axis(k, 0, 0), index_axis(k, 0, 1)},
                                                    {number(0, DType::kU32), given[0].astype(DType::kU32)});
    return stack({made.a, made.b}, 0);
  });
}

Array bits(const Operand& key, const SampleShape& wanted, DType dtype) {
  const Sampler sampler("random::bits", key);
  if (!is_integer(dtype) || is_signed(dtype) || is_small_integer(dtype))
    sampler.fail("makes unsigned integers of whole bytes, not " + std::string(name_of(dtype)));
  const Shape shape = sampler.shape(wanted, {});
  return sampler.run({}, shape, dtype, [&](const Array& k, const std::vector<Array>&) {
    return samplers::bits(k, shape, dtype);
  });
}

namespace {

// The least and the greatest value of an integer dtype; of u64 the greatest s64, beyond which no bound of
// randint is looked at.
std::pair<int64_t, int64_t> range_of(DType dtype) {
  const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
  const int64_t high =
      bits >= 63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>((uint64_t{1} << bits) - 1);
  return {is_signed(dtype) ? -high - 1 : 0, high};
}

struct Bounds {
  Array low, span;
};

DType container_of(DType dtype) {
  return byte_size(dtype) == 4 ? DType::kU32 : DType::kU64;
}

// Of numbers, which are constants of the program: divisions by them are products.
Bounds known_bounds(int64_t low, int64_t high, DType wanted, DType sampled) {
  const auto [least, most] = range_of(wanted);
  const bool beyond = high > most;
  low = std::clamp(low, least, most);
  high = std::clamp(high, least, most);
  uint64_t span = 1;
  if (low < high) span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + (beyond ? 1 : 0);
  return {Array(detail::convert(detail::Literal::of(low), sampled)),
          Array(detail::convert(detail::Literal::of(span), container_of(sampled)))};
}

// Of arrays of any integer dtypes.
Bounds bounds_of(const Array& low, const Array& high, DType wanted, DType sampled) {
  const auto [least, most] = range_of(wanted);
  const auto within = [&, lowest = least, highest = most](const Array& x) {
    const auto [own_least, own_most] = range_of(x.dtype());
    return clip(x, std::max(lowest, own_least), std::min(highest, own_most)).astype(sampled);
  };
  const Array from = within(low), to = within(high);
  const Array some = to > from;
  Array span = (to - from).astype(container_of(sampled));
  span = where(some, span, 1);
  if (range_of(high.dtype()).second > most) span = where((high > most) & some, span + 1, span);
  return {from, span};
}

}  // namespace

Array randint(const Operand& key, const SampleShape& wanted, const Operand& minval, const Operand& maxval,
              DType dtype) {
  const Sampler sampler("random::randint", key);
  sampler.want_integers(dtype);
  for (const Operand* bound : {&minval, &maxval}) {
    const DType own = bound->is_literal() ? bound->literal().dtype
                                          : detail::checked_node(bound->array(), sampler.where()).type->dtype;
    if (!is_integer(own)) sampler.fail("the bounds are integers, not " + std::string(name_of(own)));
  }
  const DType sampled = byte_size(dtype) < 4 ? DType::kS32 : dtype;
  if (minval.is_literal() && maxval.is_literal()) {
    const int64_t low = detail::as_int(minval.literal()), high = detail::as_int(maxval.literal());
    const Shape shape = sampler.shape(wanted, {});
    return sampler.run({}, shape, dtype,
                       [&](const Array& k, const std::vector<Array>&) {
                         const Bounds bounds = known_bounds(low, high, dtype, sampled);
                         return samplers::randint(k, shape, bounds.low, bounds.span).astype(dtype);
                       },
                       {low, high});
  }
  const std::vector<Array> parameters = {minval.array(), maxval.array()};
  const Shape shape = sampler.shape(wanted, parameters);
  return sampler.run(parameters, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    const Bounds bounds = bounds_of(given[0], given[1], dtype, sampled);
    return samplers::randint(k, shape, bounds.low, bounds.span).astype(dtype);
  });
}

Array rademacher(const Operand& key, const SampleShape& wanted, DType dtype) {
  const Sampler sampler("random::rademacher", key);
  if (!is_integer(dtype) && !is_float(dtype))
    sampler.fail("makes integers or floats, not " + std::string(name_of(dtype)));
  const Shape shape = sampler.shape(wanted, {});
  return sampler.run({}, shape, dtype, [&](const Array& k, const std::vector<Array>&) {
    return samplers::rademacher(k, shape, dtype);
  });
}

Array uniform(const Operand& key, const SampleShape& wanted, DType wanted_dtype, const Operand& minval,
              const Operand& maxval) {
  const Sampler sampler("random::uniform", key);
  const DType dtype = sampler.floats(wanted_dtype);
  const auto is_number = [](const Operand& x, double value) {
    return x.is_literal() && !is_complex(x.literal().dtype) && detail::as_double(x.literal()) == value;
  };
  if (is_number(minval, 0) && is_number(maxval, 1)) {
    const Shape shape = sampler.shape(wanted, {});
    return sampler.run({}, shape, dtype, [&](const Array& k, const std::vector<Array>&) {
      return samplers::uniform(k, shape, dtype);
    });
  }
  const std::vector<Array> bounds = {sampler.parameter(minval, dtype), sampler.parameter(maxval, dtype)};
  const Shape shape = sampler.shape(wanted, bounds);
  return sampler.run(bounds, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    return samplers::uniform(k, shape, dtype, given[0], given[1]);
  });
}

Array normal(const Operand& key, const SampleShape& wanted, DType dtype) {
  const Sampler sampler("random::normal", key);
  if (!is_complex(dtype)) sampler.floats(dtype);
  const Shape shape = sampler.shape(wanted, {});
  return sampler.run({}, shape, dtype, [&](const Array& k, const std::vector<Array>&) {
    return samplers::normal(k, shape, dtype);
  });
}

Array exponential(const Operand& key, const SampleShape& shape, DType dtype) {
  return formula("random::exponential", key, shape, dtype, samplers::exponential);
}

Array gumbel(const Operand& key, const SampleShape& shape, DType dtype) {
  return formula("random::gumbel", key, shape, dtype, samplers::gumbel);
}

Array laplace(const Operand& key, const SampleShape& wanted, DType wanted_dtype) {
  return formula("random::laplace", key, wanted, wanted_dtype,
                 [](const Array& k, const Shape& shape, DType dtype) {
                   const Array low = number(-1 + samplers::epsilon(dtype) / 2, dtype);
                   const Array u = samplers::uniform(k, shape, dtype, low, number(1, dtype));
                   return sign(u) * log1p(-abs(u));
                 });
}

Array logistic(const Operand& key, const SampleShape& wanted, DType wanted_dtype) {
  return formula("random::logistic", key, wanted, wanted_dtype,
                 [](const Array& k, const Shape& shape, DType dtype) {
                   const Array low = number(samplers::tiny(dtype), dtype);
                   const Array u = samplers::uniform(k, shape, dtype, low, number(1, dtype));
                   return log(u) - log1p(-u);
                 });
}

Array cauchy(const Operand& key, const SampleShape& wanted, DType wanted_dtype) {
  return formula("random::cauchy", key, wanted, wanted_dtype,
                 [](const Array& k, const Shape& shape, DType dtype) {
                   const Array low = number(samplers::epsilon(dtype), dtype);
                   const Array u = samplers::uniform(k, shape, dtype, low, number(1, dtype));
                   return tan(number(std::numbers::pi, dtype) * (u - 0.5));
                 });
}

Array maxwell(const Operand& key, const SampleShape& wanted, DType wanted_dtype) {
  return formula("random::maxwell", key, wanted, wanted_dtype,
                 [](const Array& k, const Shape& shape, DType dtype) {
                   Shape with_parts = shape;
                   with_parts.push_back(3);
                   return sqrt(sum(square(samplers::normal(k, with_parts, dtype)), -1));
                 });
}

}  // namespace ingot::random
