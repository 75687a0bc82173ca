// How random_program fills one region: a pool of values, and operations tried on them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::testing {

using ir::Attributes;
using ir::IntList;
using ir::TensorType;
using ir::Value;

// What is known of every element of a value.
struct Info {
  double bound = 0;  // magnitude
  double error = 0;  // by which two right evaluations may differ; 0: they do not
  // Infinities and NaN are where they are, whatever the rounding: the bound and the error are of all other
  // elements. Of extreme values the error is relative, and the bound says nothing.
  Values values = Values::kOrdinary;
};
Info merged(const Info& a, const Info& b);
Info argument_info(DType dtype, Values values = Values::kOrdinary);  // of what special_tensor() makes
double epsilon_of(DType dtype);  // relative rounding error; 0 for all but floats
double largest(DType dtype);     // magnitude of integers

struct Callee {
  ir::Function* function;
  std::vector<Info> results;
};

class RandomBody {
 public:
  // `grow_arguments`: values may be made as new arguments of the region, which is a function's body.
  RandomBody(Random& random, const RandomProgramOptions& options, const std::vector<Callee>& callees,
             ir::Region& region, bool grow_arguments)
      : random_(random),
        options_(options),
        callees_(callees),
        builder_(region),
        grow_arguments_(grow_arguments) {}

  void put(Value* value, Info info);    // into the pool
  void step();                          // tries to add an operation
  Value* make(const TensorType& type);  // a value of that type, found or made
  Value* make_exact(const TensorType& type, const Info& limit);
  Value* pick();  // any value of the pool, late ones rather; null if the pool is empty
  const Info& info(const Value* value) const { return infos_.at(value); }
  // Up to `count` values worth returning: those without users first.
  std::vector<Value*> choose_results(int count);
  Shape random_shape(int64_t max_elements);
  DType random_dtype() { return options_.dtypes[below(options_.dtypes.size())]; }
  ir::Builder& builder() { return builder_; }

  // For values that loops need to stay bounded.
  Value* squashed(Value* value);                        // floats within [-1, 1]
  Value* number(const TensorType& type, double value);  // a constant of equal elements; null if too large

 private:
  // Makes the operation if its results stay within the limits; null if not, or if an operand could not be
  // made.
  ir::Op* add(std::string_view record, std::vector<Value*> operands, Attributes attributes, const Info& info,
              std::vector<std::unique_ptr<ir::Region>> regions = {});
  Value* add_value(std::string_view record, std::vector<Value*> operands, Attributes attributes,
                   const Info& info) {
    ir::Op* op = add(record, std::move(operands), std::move(attributes), info);
    return op == nullptr ? nullptr : op->result();
  }

  // What is known of the operation's results where operands hold infinite or extreme values (special.cc);
  // nothing if two right evaluations may differ.
  std::optional<Info> with_special_values(const ir::Op& op, Info info) const;
  bool holds_special(const ir::Value* value) const;

  void unary();
  void unary_float(Value* x);
  void special_float(Value* x);  // functions that few programs hold
  void unary_complex(Value* x);
  void binary();
  void binary_float(Value* x, Value* y);
  void binary_complex(Value* x, Value* y);
  void binary_integer(Value* x, Value* y);
  void compare_and_select();
  void convert();
  void view();
  void shape_view(Value* x);
  void picking_view(Value* x);
  void joining_view(Value* x);
  void indexed(Value* x);
  void reduce();
  Value* reduced(Value* x);  // the result, or one of them; null: none was made
  void sort();               // by whole numbers, of which two right evaluations agree
  void matrices();           // factors and solutions
  void transforms();         // Fourier's
  void dot();
  void convolve();
  void call();

  // Loops and branches (random_control.cc).
  void scan();
  void loop();
  void branch();
  Value* make_start(const TensorType& type);  // of a carry
  void updates();                             // state that is changed in part (random_updates.cc)
  // Fills `nexts` for carries of floats, and what is known of all carries of a loop of at most so many steps;
  // puts them into the pool of its body. False if there is none.
  bool carry(RandomBody& body, const std::vector<Value*>& carries, const std::vector<Value*>& starts,
             int64_t length, std::vector<Value*>& nexts, std::vector<Info>& infos);
  // What a step makes of the other carries, and where it puts it; null where that cannot be.
  void finish_carries(RandomBody& body, const std::vector<Value*>& carries, std::vector<Value*>& nexts);
  Shape random_lanes();                              // empty: none
  RandomProgramOptions inside(int64_t steps) const;  // of a loop: nested ones take as many steps together
  // Adds the operand of an operation with so many lanes (-1: none); null if it cannot be one.
  static Value* add_operand(Value* value, const Shape& lanes, bool mapped, std::vector<Value*>& operands,
                            IntList& map);

  // Whole patterns (random_idioms.cc).
  void idiom();
  void softmax(Value* x);
  void normalize(Value* x);
  void layer(Value* x);
  void cut_up(Value* x);
  void there_and_back(Value* x);
  Value* reduce_over(Value* x, const std::string& record, const IntList& axes, const Info& info);
  Value* broadcast_back(Value* reduced, const Shape& shape, const IntList& axes);
  Value* random_constant(const TensorType& type);
  Value* away_from_zero(Value* x);  // |x| + 1
  Info rounded(DType dtype, double bound, double error, double ulps = 1) const;

  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }

  Random& random_;
  const RandomProgramOptions& options_;
  const std::vector<Callee>& callees_;
  ir::Builder builder_;
  bool grow_arguments_;
  std::vector<Value*> pool_;
  std::unordered_map<const Value*, Info> infos_;
};

}  // namespace ingot::testing
