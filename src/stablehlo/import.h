// A StableHLO module (module.h) becomes a program of Ingot's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ingot/error.h"
#include "ir/ir.h"
#include "stablehlo/module.h"

namespace ingot::stablehlo {

struct ImportOptions {
  // For modules that check themselves: `main` returns what each custom_call @check.* compares, actual and
  // expected, and nothing else. Otherwise those calls, which have no results, are left out.
  bool checks = false;
  // The results of calls of @inputs in the entry function become its arguments, so that nothing folds.
  bool lift_inputs = false;
  std::string entry = "main";  // what the entry function is called; it is the first one anyway
  // What the entry function is called with, where its own types leave extents open (jax.export's symbolic
  // shapes): one type for each array. Sizes are numbers then, and what is computed from them is folded.
  std::vector<ir::TensorType> arguments;
};

// One custom_call @check.X(actual, expected): results 2k and 2k + 1 of the entry function.
struct Check {
  std::string kind;       // expect_eq, expect_close, expect_almost_eq, eq
  std::string operation;  // that made what is checked, for tables
  double tolerance = 0;   // ulp of expect_close, tol of expect_almost_eq
};

struct Imported {
  std::unique_ptr<ir::Module> module;
  std::vector<Check> checks;
  std::vector<Tensor> inputs;  // for the arguments that lift_inputs has made
};

// What Ingot cannot do yet: the program is right. An Error like any other, but for those who count.
class Refusal : public Error {
 public:
  Refusal(const std::string& message, std::string refused) : Error(message), operation(std::move(refused)) {}
  const std::string operation;
};

// Throws ingot::Error with the place in the module, the operation and the user's line, where an operation is
// not one of Ingot's or the module makes no sense.
Imported import_module(const Module& module, const ImportOptions& options = {});

// The function that a program begins with: @main, or the one that is public; Error where there is none. Of
// several it is the `first` where that is asked for, as it is of modules that check themselves.
const Function& entry_of(const Module& module, bool first = false);
// Whether an argument of it has extents that are not known, so that import needs ImportOptions::arguments.
bool has_open_arguments(const Module& module);

// What the imported function calls argument i of one of the module's: the user's name for it, where a
// location tells it, there or at the function that jax.export hands it to.
std::string argument_name(const Module& module, const Function& function, size_t i);
// The same, where the function that jax.export hands it to has been found; null: there is none.
std::string argument_name(const Function& function, size_t i, const Function* wrapped);

// What the importer does with operations, for the documentation: their names, sorted.
std::vector<std::string> imported_operations();

}  // namespace ingot::stablehlo
