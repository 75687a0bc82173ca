// Calls of random programs, and the programs themselves.

#include "testing/random_program.h"

#include <algorithm>
#include <array>

#include "testing/random_body.h"

namespace ingot::testing {

void RandomBody::call() {
  const Callee& callee = callees_[below(callees_.size())];
  std::vector<Value*> operands;
  for (const Value* argument : callee.function->body().arguments()) {
    Value* operand = make_exact(argument->type(), argument_info(argument->dtype()));
    if (operand == nullptr) return;
    operands.push_back(operand);
  }
  ir::Op* op = builder_.make("call", operands, {{"callee", ir::Symbol{callee.function->name()}}});
  for (int i = 0; i < op->result_count(); ++i) put(op->result(i), callee.results[static_cast<size_t>(i)]);
}

namespace {

Callee fill(Random& random, const RandomProgramOptions& options, const std::vector<Callee>& callees,
            ir::Function* function, int operations, bool special) {
  RandomBody body(random, options, callees, function->body(), true);
  int64_t arguments = random_integer(random, 1, 3);
  for (int64_t n = 0; n < arguments; ++n) {
    TensorType type{body.random_dtype(), body.random_shape(options.max_elements / 4)};
    Values values = Values::kOrdinary;
    if (special) values = std::array{Values::kOrdinary, Values::kInfinite, Values::kExtreme}[random() % 3];
    const char* name = values == Values::kOrdinary   ? "x"
                       : values == Values::kInfinite ? "infinite"
                                                     : "extreme";
    body.put(function->body().add_argument(type, name), argument_info(type.dtype, values));
  }
  for (int n = 0; n < operations; ++n) body.step();
  Callee result{function, {}};
  std::vector<Value*> results =
      body.choose_results(static_cast<int>(random_integer(random, 1, options.max_results)));
  for (const Value* value : results) result.results.push_back(body.info(value));
  function->body().set_results(results);
  for (int i = 0; i < function->body().argument_count(); ++i) {
    if (random() % 8 == 0) function->donated.insert(i);
  }
  return result;
}

}  // namespace

RandomProgram random_program(uint64_t seed, const RandomProgramOptions& given) {
  Random random(seed);
  RandomProgramOptions options = given;
  options.extents.clear();
  for (int n = 0; n < 3; ++n) options.extents.push_back(given.extents[random() % given.extents.size()]);
  RandomProgram program{std::make_unique<ir::Module>(), {}};
  std::vector<Callee> callees;
  for (int64_t n = random_integer(random, 0, options.functions); n > 0; --n) {
    ir::Function* function = program.module->add_function("f");
    callees.push_back(fill(random, options, callees, function, options.operations / 3, false));
  }
  ir::Function* main = program.module->add_function("main");
  Callee entry = fill(random, options, callees, main, options.operations, options.special_values);
  for (size_t i = 0; i < entry.results.size(); ++i) {
    bool number = is_inexact(main->body().results()[i]->dtype());
    program.tolerances.push_back(number ? 4 * entry.results[i].error : 0);
  }
  return program;
}

RandomProgramOptions options_of_seed(uint64_t seed) {
  RandomProgramOptions options;
  constexpr int kOperations[] = {4, 8, 15, 25, 40};
  options.operations = kOperations[seed % 5];
  options.functions = seed % 3 == 0 ? 2 : 0;
  if (seed % 7 == 1) options.dtypes = {DType::kF32};
  if (seed % 7 == 2) options.dtypes = {DType::kS32, DType::kU8, DType::kS64};
  if (seed % 7 == 3) options.dtypes = {DType::kF32, DType::kF64, DType::kPred};
  if (seed % 7 == 4)
    options.dtypes = {DType::kBF16, DType::kF16, DType::kBF16, DType::kF32, DType::kS32, DType::kPred};
  if (seed % 7 == 5)
    options.dtypes = {DType::kC64, DType::kC128, DType::kC64, DType::kF32,
                      DType::kF64, DType::kS32,  DType::kPred};
  if (seed % 7 == 6)
    options.dtypes = {DType::kS8,  DType::kS16, DType::kU16, DType::kU64,
                      DType::kS64, DType::kF32, DType::kPred};
  options.special_values = seed / 7 % 2 == 1;
  if (seed % 11 == 1) options.contractions = options.loops = false;
  if (seed % 11 == 2) options.views = false;
  if (seed % 11 == 3) options.max_elements = 20000;
  if (seed % 2 == 1) options.extents = {1, 2, 3, 7, 16, 17, 31, 33, 64, 100};
  if (seed % 2 == 1) options.max_length = 100;
  if (seed % 13 == 1) options.extents = {2, 4};
  if (seed % 17 == 3) options.updates = true;
  return options;
}

}  // namespace ingot::testing
