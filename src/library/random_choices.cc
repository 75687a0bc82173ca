// Categories, permutations and choices.
#include <algorithm>

#include "base/visit_dtype.h"
#include "frontend/compose.h"
#include "ingot/cumulative.h"
#include "ingot/sorting.h"
#include "library/samplers.h"

namespace ingot::random {
namespace {

using samplers::Sampler;

int64_t axis_of(const Sampler& sampler, const char* name, Axis axis, const Array& x) {
  detail::checked_node(x, sampler.where());
  return detail::checked_axis(name, axis, x.rank(), sampler.where());
}

Shape without(Shape shape, int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

// Those of the logits without the axis, before which others may stand.
Shape categorical_shape(const Sampler& sampler, const SampleShape& given, const Shape& batch,
                        const Array& logits) {
  if (!given.get()) return batch;
  const Shape shape = sampler.checked(*given.get());
  if (shape.size() < batch.size() || !std::equal(batch.rbegin(), batch.rend(), shape.rbegin())) {
    sampler.fail("the shape is " + ingot::to_string(shape) + ", but must end with " +
                 ingot::to_string(batch) + ", the shape of the logits, " + logits.type_string() +
                 ", without the axis of the categories");
  }
  return shape;
}

}  // namespace

Array categorical(const Operand& key, const Operand& logits, const CategoricalOptions& options) {
  const char* name = "random::categorical";
  const Sampler sampler(name, key);
  const DType dtype = sampler.floats({}, {&logits});
  const Array given = sampler.parameter(logits, dtype);
  const int64_t axis = axis_of(sampler, name, options.axis, given);
  const int64_t count = given.shape(axis), from_end = axis - given.rank();
  const Shape batch = without(given.shape(), axis);
  const Shape shape = categorical_shape(sampler, options.shape, batch, given);
  const Shape prefix(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(batch.size()));
  const int64_t draws = element_count(prefix);
  if (count == 0 && element_count(shape) > 0)
    sampler.fail("the logits are " + given.type_string() + ", without a category to draw");
  if (!options.replace && draws > count) {
    sampler.fail("there are " + std::to_string(count) + " categories, of which " + std::to_string(draws) +
                 " cannot be drawn without replacement");
  }
  const std::vector<int64_t> words = {axis, options.replace};
  return sampler.run(
      {given}, shape, DType::kS32,
      [&](const Array& k, const std::vector<Array>& arrays) {
        if (options.replace) {
          Shape all = prefix;
          all.insert(all.end(), given.shape().begin(), given.shape().end());
          return argmax(samplers::gumbel(k, all, dtype) + arrays[0], from_end);
        }
        const Array noisy = arrays[0] + samplers::gumbel(k, given.shape(), dtype);
        const Array places = top_k(noisy, draws, axis).places;
        std::vector<int64_t> order = {axis};
        for (int64_t i = 0; i < given.rank(); ++i) {
          if (i != axis) order.push_back(i);
        }
        return reshape(transpose(places, order), shape);
      },
      words);
}

namespace {

Array shuffled_slices(const Array& key, const Array& x, int64_t axis, bool independent) {
  if (independent || x.rank() == 1) return samplers::shuffle(key, x, axis);
  const int64_t count = x.shape(axis);
  const Array order = samplers::shuffle(key, arange(count, ingot::detail::places_dtype(count)), 0);
  return take(x, order, axis, IndexMode::kClip);
}

}  // namespace

Array permutation(const Operand& key, const Operand& x, const PermutationOptions& options) {
  const char* name = "random::permutation";
  const Sampler sampler(name, key);
  const Array array = x.array();
  const int64_t axis = axis_of(sampler, name, options.axis, array);
  return sampler.run({array}, array.shape(), array.dtype(),
                     [&](const Array& k, const std::vector<Array>& given) {
                       return shuffled_slices(k, given[0], axis, options.independent);
                     },
                     {axis, options.independent});
}

namespace {

// The place of the first element of an ascending vector that is not below the value: a binary search, each
// step of which all values take together. No number on the way is above twice the greatest step, less 1.
Array first_not_below(const Array& ascending, const Array& values) {
  const int64_t n = ascending.size();
  int64_t step = 1;
  while (step * 2 <= n) step *= 2;
  Array place = Array::zeros(values.shape(), ingot::detail::places_dtype(2 * step - 1));
  for (; step > 0; step /= 2) {
    const Array next = place + step;
    const Array before = take(ascending, minimum(next, n) - 1, 0, IndexMode::kClip);
    // NaN is beyond all numbers, as in a sorted vector.
    const Array below = (before < values) | ((values != values) & (before == before));
    place = where((next <= n) & below, next, place);
  }
  return place;
}

// Evenly from 0 to count - 1: s32, where that reaches, as jax.random draws them, and s64 beyond.
Array even_places(const Array& key, const Shape& shape, int64_t count) {
  const DType dtype = ingot::detail::places_dtype(count - 1);
  const auto of = [](int64_t value, DType type) {
    return Array(ingot::detail::convert(ingot::detail::Literal::of(value), type));
  };
  return samplers::randint(key, shape, of(0, dtype), of(count, unsigned_of(dtype)));
}

Array places_by_weight(const Array& key, const Array& p, const Shape& shape, int64_t draws, bool replace) {
  if (replace) {
    const Array total = cumsum(p);
    const Array r = index_axis(total, 0, -1) * (1 - samplers::uniform(key, shape, p.dtype()));
    return first_not_below(total, r);
  }
  const Array noisy = samplers::gumbel(key, p.shape(), p.dtype()) + log(p);
  return reshape(top_k(noisy, draws).places, shape);
}

}  // namespace

Array choice(const Operand& key, const Operand& x, const SampleShape& wanted, const ChoiceOptions& options) {
  const char* name = "random::choice";
  const Sampler sampler(name, key);
  const Array array = x.array();
  const int64_t axis = axis_of(sampler, name, options.axis, array);
  const Shape shape = sampler.shape(wanted, {});
  const int64_t count = array.shape(axis), draws = element_count(shape);
  if (count == 0 && draws > 0) {
    sampler.fail(
        "a " + array.type_string() + " has nothing to choose from" +
        (array.rank() == 1 ? "; of a number n, choices are from 0 to n-1, and it should be 1 or more" : ""));
  }
  if (!options.replace && draws > count) {
    sampler.fail("there are " + std::to_string(count) + " elements, of which " + std::to_string(draws) +
                 " cannot be chosen without replacement");
  }
  std::vector<Array> arrays = {array};
  if (options.p) {
    const DType dtype = detail::checked_node(*options.p, sampler.where(), "p").type->dtype;
    if (!is_float(dtype) || options.p->shape() != Shape{count}) {
      sampler.fail("p is " + options.p->type_string() + ", but should be floats of the shape " +
                   ingot::to_string(Shape{count}) + ", a probability for each element along axis " +
                   std::to_string(axis) + " of " + array.type_string());
    }
    arrays.push_back(*options.p);
  }
  Shape result = array.shape();
  result.erase(result.begin() + axis);
  result.insert(result.begin() + axis, shape.begin(), shape.end());
  std::vector<int64_t> words = {axis, options.replace, options.p.has_value()};
  words.insert(words.end(), shape.begin(), shape.end());
  return sampler.run(
      arrays, result, array.dtype(),
      [&](const Array& k, const std::vector<Array>& given) {
        const Array& from = given[0];
        if (draws == 0) return Array::zeros(result, array.dtype());
        if (!options.p && !options.replace) {
          const Array all = shuffled_slices(k, from, axis, false);
          return reshape(slice_axis(all, axis, 0, draws), result);
        }
        const Array places = options.p ? places_by_weight(k, given[1], shape, draws, options.replace)
                                       : even_places(k, shape, count);
        return take(from, places, axis, IndexMode::kClip);
      },
      words);
}

}  // namespace ingot::random

ingot::Array ingot::detail::permutation_of(const Operand& key, int64_t n) {
  if (n < 0) {
    fail(key.where(), "random::permutation: there are " + std::to_string(n) +
                          " numbers to put in order; it should be 0 or more");
  }
  constexpr int64_t kMost = int64_t{1} << 31;
  if (n > kMost) {
    fail(key.where(), "random::permutation: there are " + std::to_string(n) +
                          " numbers to put in order, but s32 has " + std::to_string(kMost) +
                          " from 0 on; for more, give the array of them");
  }
  return random::permutation(key, Operand(arange(n, DType::kS32, key.where()), key.where()));
}
