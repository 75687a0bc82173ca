// The generator and the samplers that others are made of, as jax.random computes them, step by step: where a
// formula could be shorter, it is not, since the numbers would be others.
#include "library/samplers.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/visit_dtype.h"
#include "frontend/node.h"
#include "ingot/sorting.h"

namespace ingot::samplers {
namespace {

constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
constexpr uint32_t kParity = 0x1BD11BDA;

Words words_of(const Array& key) {
  return {index_axis(key, 0, 0), index_axis(key, 0, 1)};
}

// The places of elements in row-major order, as two words each.
Words places(const Shape& shape) {
  const int64_t count = element_count(shape);
  if (count <= int64_t{1} << 32) {
    const Array high = number(0, DType::kU32);
    if (shape.empty()) return {high, high};
    return {high, reshape(iota(DType::kU32, {count}, 0), shape)};
  }
  const Array place = reshape(iota(DType::kU64, {count}, 0), shape);
  return {(place >> 32).astype(DType::kU32), place.astype(DType::kU32)};
}

// Bits of the fraction, without the hidden one.
int fraction_bits(DType dtype) {
  return significant_bits(dtype) - 1;
}

}  // namespace

double epsilon(DType dtype) {
  return std::ldexp(1.0, -fraction_bits(dtype));
}

double tiny(DType dtype) {
  double least = 0;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_float(dtype_of<T>())) least = static_cast<double>(std::numeric_limits<T>::min());
  });
  return least;
}

Array number(double value, DType dtype) {
  return Array(detail::convert(detail::Literal::of(value), dtype));
}

Words threefry(const Words& key, Words x) {
  const Array keys[3] = {key.a, key.b, key.a ^ key.b ^ kParity};
  x = {x.a + keys[0], x.b + keys[1]};
  for (size_t i = 0; i < 5; ++i) {
    for (const int rotation : kRotations[i % 2]) {
      x.a = x.a + x.b;
      x.b = rotl(x.b, rotation) ^ x.a;
    }
    x = {x.a + keys[(i + 1) % 3], x.b + (keys[(i + 2) % 3] + static_cast<uint32_t>(i + 1))};
  }
  return x;
}

std::vector<Array> split(const Array& key, int64_t n) {
  const Array all = split_to(key, {n});
  std::vector<Array> keys;
  for (int64_t i = 0; i < n; ++i) keys.push_back(index_axis(all, 0, i));
  return keys;
}

std::vector<Array> split_in_lanes(const Array& key, int64_t n) {
  std::vector<Array> keys;
  const Words words = words_of(key);
  for (int64_t i = 0; i < n; ++i) {
    const Words made = threefry(words, {number(0, DType::kU32), Array(static_cast<uint32_t>(i))});
    keys.push_back(stack({made.a, made.b}, 0));
  }
  return keys;
}

Array split_to(const Array& key, const Shape& shape) {
  const Words made = threefry(words_of(key), places(shape));
  return stack({broadcast_to(made.a, shape), broadcast_to(made.b, shape)}, -1);
}

Array bits(const Array& key, const Shape& shape, DType dtype) {
  const Words made = threefry(words_of(key), places(shape));
  Array result;
  if (dtype == DType::kU64) {
    result = (made.a.astype(dtype) << 32) | made.b.astype(dtype);
  } else {
    result = (made.a ^ made.b).astype(dtype);
  }
  return broadcast_to(result, shape);
}

// The fraction is random and the exponent that of 1: evenly from 1 to 2, less 1.
Array uniform(const Array& key, const Shape& shape, DType dtype) {
  const DType container = unsigned_of(dtype);
  // Of bf16, which has 7 bits, 8 are drawn.
  const DType drawn = fraction_bits(dtype) < 8 ? DType::kU8 : container;
  const Array random = bits(key, shape, drawn).astype(container);
  const int unused = 8 * static_cast<int>(byte_size(drawn)) - fraction_bits(dtype);
  const Array one = bitcast(number(1, dtype), container);
  return bitcast(shift_right_logical(random, unused) | one, dtype) - 1;
}

Array uniform(const Array& key, const Shape& shape, DType dtype, const Array& low, const Array& high) {
  return maximum(low, uniform(key, shape, dtype) * (high - low) + low);
}

namespace {

Array normal_real(const Array& key, const Shape& shape, DType dtype) {
  const double low = -(1 - epsilon(dtype) / 2);  // the number after -1
  // Not below `low`, since neither factor is negative: no maximum is needed.
  const Array span = number(1, dtype) - number(low, dtype);
  const Array even = uniform(key, shape, dtype) * span + number(low, dtype);
  return erf_inv(even) * number(std::numbers::sqrt2, dtype);
}

}  // namespace

Array normal(const Array& key, const Shape& shape, DType dtype) {
  if (!is_complex(dtype)) return normal_real(key, shape, dtype);
  const std::vector<Array> keys = samplers::split(key, 2);
  const DType part = real_dtype(dtype);
  const Array scale = number(std::numbers::sqrt2, part);
  return complex(normal_real(keys[0], shape, part) / scale, normal_real(keys[1], shape, part) / scale);
}

Array exponential(const Array& key, const Shape& shape, DType dtype) {
  return -log1p(-uniform(key, shape, dtype));
}

Array gumbel(const Array& key, const Shape& shape, DType dtype) {
  return -log(-log(uniform(key, shape, dtype, number(tiny(dtype), dtype), number(1, dtype))));
}

Array rademacher(const Array& key, const Shape& shape, DType dtype) {
  const Array one = number(1, dtype);
  return where(uniform(key, shape, DType::kF32) < 0.5f, one, -one);
}

// Twice as many bits as the dtype has, modulo the number of results; a number of 0 stands for all that the
// dtype has, since a rest of a division by 0 is the dividend.
Array randint(const Array& key, const Shape& shape, const Array& low, const Array& span) {
  const DType container = span.dtype();
  const int half = 4 * static_cast<int>(byte_size(container));
  // 2^(2 half) modulo the span, where the square does not overflow; JAX's wraps around there, too.
  const Array root = Array(detail::convert(detail::Literal::of(uint64_t{1} << half), container)) % span;
  const Array multiplier = (root * root) % span;
  const std::vector<Array> keys = samplers::split(key, 2);
  const Array upper = bits(keys[0], shape, container), lower = bits(keys[1], shape, container);
  const Array offset = ((upper % span) * multiplier + lower % span) % span;
  return low + offset.astype(low.dtype());
}

// Sorts by random keys, as often as makes it likely enough that all elements have met different ones.
Array shuffle(const Array& key, const Array& x, int64_t axis) {
  const double size = static_cast<double>(std::max<int64_t>(1, x.size()));
  const int rounds = static_cast<int>(std::ceil(3 * std::log(size) / std::log(4294967295.0)));
  Array next = key, result = x;
  for (int i = 0; i < rounds; ++i) {
    const std::vector<Array> keys = samplers::split(next, 2);
    next = keys[0];
    result = sort_by_keys({bits(keys[1], x.shape(), DType::kU32)}, {result}, axis)[0];
  }
  return result;
}

// --- one sampler being asked for

Sampler::Sampler(const char* name, const Operand& key)
    : scope_(key.where(), name), name_(name), where_(key.where()) {
  if (key.is_literal()) {
    fail("the key is a number; make a key of it with ingot::random::key(" + detail::text_of(key.literal()) +
         ")");
  }
  key_ = key.array();
  const detail::ArrayType& type = *detail::checked_node(key_, where_, "the key").type;
  if (type.dtype == DType::kU32 && type.shape == Shape{2}) return;
  const bool several = type.dtype == DType::kU32 && type.shape.size() > 1 && type.shape.back() == 2;
  fail("a key is a u32[2], made by ingot::random::key or split, but this is a " + key_.type_string() +
       (several                  ? "; of several keys take one, keys[0], or use vmap"
        : is_integer(type.dtype) ? "; the key comes first, then the shape"
                                 : ""));
}

void Sampler::fail(const std::string& message) const {
  detail::fail(where_, std::string(name_) + ": " + message);
}

DType Sampler::floats(Optional<DType> wanted, const std::vector<const Operand*>& parameters) const {
  DType dtype = wanted.value_or(DType::kF32);
  for (size_t i = parameters.size(); !wanted && i-- > 0;) {
    if (detail::is_number(*parameters[i])) continue;
    const DType own = detail::checked_node(parameters[i]->array(), where_).type->dtype;
    if (is_float(own)) dtype = own;
  }
  // Numbers between 1 and 2 less 1: the format has a zero and whole bytes.
  if (!is_float(dtype) || bit_width(dtype) < 8 || fraction_bits(dtype) == 0)
    fail("makes floats of a byte or more that have a zero, not " + std::string(name_of(dtype)));
  return dtype;
}

void Sampler::want_integers(DType dtype) const {
  if (!is_integer(dtype)) fail("makes integers, not " + std::string(name_of(dtype)));
}

Shape Sampler::checked(const Shape& shape) const {
  try {
    element_count(shape);
  } catch (const Error& error) {
    fail(error.what());
  }
  return shape;
}

Array Sampler::parameter(const Operand& value, DType dtype) const {
  if (value.is_literal()) return Array(detail::value_of(name_, value.literal(), dtype, where_, ""));
  detail::checked_node(value.array(), where_);
  return value.array().dtype() == dtype ? value.array() : astype(Operand(value.array(), where_), dtype);
}

Shape Sampler::shape(const random::SampleShape& given, const std::vector<Array>& parameters) const {
  const Shape common = detail::broadcast_shape(name_, parameters, where_);
  if (!given.get()) return common;
  const Shape wanted = checked(*given.get());
  bool fits = common.size() <= wanted.size();
  for (size_t i = 0; fits && i < common.size(); ++i) {
    const int64_t extent = common[common.size() - 1 - i];
    fits = extent == 1 || extent == wanted[wanted.size() - 1 - i];
  }
  if (!fits) {
    std::string types;
    for (const Array& one : parameters) types += (types.empty() ? "" : " and ") + one.type_string();
    fail("the parameters are " + types + " and the shape is " + ingot::to_string(wanted) +
         ", to which they should broadcast");
  }
  return wanted;
}

Array Sampler::run(const std::vector<Array>& parameters, const Shape& shape, DType dtype, const Body& body,
                   std::vector<int64_t> words) const {
  words.insert(words.begin(), {static_cast<int64_t>(dtype), static_cast<int64_t>(shape.size())});
  words.insert(words.end(), shape.begin(), shape.end());
  std::vector<Array> operands = parameters;
  operands.insert(operands.begin(), key_);
  const Array made = detail::apply(name_, operands, words, where_, [&](const std::vector<Array>& given) {
    return body(given[0], {given.begin() + 1, given.end()});
  });
  return detail::as_weak(made, false);  // its parameters may be numbers
}

Array sample(const char* name, const Operand& key, const std::vector<const Operand*>& operands,
             const random::SampleShape& wanted, Optional<DType> wanted_dtype, const Distribution& body) {
  const Sampler sampler(name, key);
  const DType dtype = sampler.floats(wanted_dtype, operands);
  std::vector<Array> parameters;
  for (const Operand* operand : operands) parameters.push_back(sampler.parameter(*operand, dtype));
  const Shape shape = sampler.shape(wanted, parameters);
  return sampler.run(parameters, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    return body(k, given, shape, dtype);
  });
}

}  // namespace ingot::samplers
