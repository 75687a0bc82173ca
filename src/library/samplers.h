// What random numbers are made of: checked arguments, and the steps of the generator as traced operations.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/apply.h"
#include "ingot/random.h"

namespace ingot::samplers {

// One sampler being asked for: what its checks and its program need.
class Sampler {
 public:
  // Checks the key. `name` is a literal, for errors and reports.
  Sampler(const char* name, const Operand& key);

  const std::source_location& where() const { return where_; }
  [[noreturn]] void fail(const std::string& message) const;

  // The dtype for floats: what is wanted, else that of the first floating array, else f32. Error if that is
  // no float.
  DType floats(Optional<DType> wanted, const std::vector<const Operand*>& parameters = {}) const;
  // Error, unless it is an integer dtype.
  void want_integers(DType dtype) const;
  Shape checked(const Shape& shape) const;  // an Error where no array has it

  // An array of that dtype, an operand of the program.
  Array parameter(const Operand& value, DType dtype) const;
  // The shape that is given, to which the parameters must broadcast; else the one they broadcast to.
  Shape shape(const random::SampleShape& given, const std::vector<Array>& parameters) const;

  // The program `body` of the key and the parameters, which `words` tell from others of the name.
  using Body = std::function<Array(const Array& key, const std::vector<Array>& parameters)>;
  Array run(const std::vector<Array>& parameters, const Shape& shape, DType dtype, const Body& body,
            std::vector<int64_t> words = {}) const;

 private:
  CallerScope scope_;
  const char* name_;
  std::source_location where_;
  Array key_;
};

// Samples of a distribution: the body gets the parameters in the shape and dtype of the result, but not
// stretched.
using Distribution = std::function<Array(const Array& key, const std::vector<Array>& parameters,
                                         const Shape& shape, DType dtype)>;
Array sample(const char* name, const Operand& key, const std::vector<const Operand*>& operands,
             const random::SampleShape& wanted, Optional<DType> wanted_dtype, const Distribution& body);

// --- recorded steps: keys are u32[2] ---

struct Words {
  Array a, b;
};
Words threefry(const Words& key, Words x);
// So many new keys: one small array that is made before what uses them, of which each is a part.
std::vector<Array> split(const Array& key, int64_t n);
// The same, each made of numbers, for loops whose elements have keys of their own.
std::vector<Array> split_in_lanes(const Array& key, int64_t n);
Array split_to(const Array& key, const Shape& shape);  // u32[..., 2]
Array bits(const Array& key, const Shape& shape, DType dtype);
Array uniform(const Array& key, const Shape& shape, DType dtype);  // from 0 to 1
Array uniform(const Array& key, const Shape& shape, DType dtype, const Array& low, const Array& high);
Array normal(const Array& key, const Shape& shape, DType dtype);
Array exponential(const Array& key, const Shape& shape, DType dtype);
Array gumbel(const Array& key, const Shape& shape, DType dtype);
Array rademacher(const Array& key, const Shape& shape, DType dtype);
Array loggamma(const Array& key, const Array& a, bool log_space);  // of a's shape
Array generalized_normal(const Array& key, double p, const Shape& shape, DType dtype);
Array shuffle(const Array& key, const Array& x, int64_t axis);
// From low on, so many as span says, which is unsigned and of low's width; 0: all that there are.
Array randint(const Array& key, const Shape& shape, const Array& low, const Array& span);

// Limits of floats of that dtype.
double tiny(DType dtype);     // the least normal number
double epsilon(DType dtype);  // from 1 to the next
// A number of rank 0.
Array number(double value, DType dtype);

}  // namespace ingot::samplers
