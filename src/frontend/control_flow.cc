#include "ingot/control_flow.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "frontend/apply.h"
#include "frontend/program.h"
#include "frontend/regions.h"
#include "frontend/structure.h"
#include "ops/control.h"

namespace ingot::detail {

std::vector<Array> without_first(const std::vector<Array>& arrays) {
  return {arrays.begin() + 1, arrays.end()};
}
namespace {

using Arrays = std::vector<Array>;

std::vector<const ArrayType*> types_of(const Arrays& arrays, const std::vector<std::string>& names,
                                       const std::source_location& where) {
  std::vector<const ArrayType*> types;
  for (size_t i = 0; i < arrays.size(); ++i) types.push_back(checked_node(arrays[i], where, names[i]).type);
  return types;
}

// Outside of a program it is one of its own. Its functions have no identity to cache by, so they are traced
// at every call, and what they became is the key.
template <class Record>
Arrays as_program(const char* name, const Arrays& operands, const std::vector<const ArrayType*>& types,
                  const std::source_location& where, Record record) {
  const auto traced = trace_function(
      name, types, std::vector<std::string>(types.size(), "x"),
      [&](const Arrays& arguments) {
        return Outputs{record(arguments), nullptr};
      },
      nullptr, where);
  return run_or_record(traced, operands, where);
}

// --- while_loop

void check_predicate(const std::string& name, const Array& holds, const std::source_location& where) {
  if (holds.dtype() == DType::kPred && holds.rank() == 0) return;
  const bool many = holds.dtype() == DType::kPred;
  fail(where, name + ": the condition returns " + holds.type_string() +
                  ", but must return pred[], whether to take a step; " +
                  (many ? "reduce it with any or all" : "compare it with something"));
}

Arrays record_while(TracedRegions& functions, const LeafArrays& init, const Arrays& given,
                    const WhileOptions& options, const std::source_location& where) {
  const std::string name = options.name;
  ops::WhileForm form;
  form.carries = static_cast<int>(given.size());
  form.max_steps = options.max_steps;
  Arrays initial = given;
  while (true) {
    RegionsTracer tracer(types_of(initial, init.names, where), "carry", where);
    tracer.trace([&](const Arrays& carry) {
      Arrays results =
          checked_results(name + ": the condition", functions.run(0, carry), functions.returned.names, where);
      check_predicate(name, results[0], where);
      return results;
    });
    Arrays next;
    tracer.trace([&](const Arrays& carry) {
      current_frame()->loop = name;
      current_frame()->carries = init.names;
      next = checked_results(name + ": a step", functions.run(1, carry), functions.returned.names, where);
      check_carry_structure(name, init, functions.returned, where);
      return next;
    });
    if (settle_carry(name, initial, next, where)) continue;
    check_next_carry(name, initial, next, init.names, where);
    Arrays results = tracer.finish("while", initial, form.attributes());
    mark_carry(results, initial, next);
    return results;
  }
}

}  // namespace

WhileOptions named_options(const char* function, const WhileOptions& options,
                           const std::source_location& where) {
  if (options.name == nullptr)
    fail(where, function + std::string(": the option name is null; leave it out, or name the loop"));
  WhileOptions named = options;
  if (*named.name == '\0') named.name = function;
  if (named.max_steps.value_or(0) < 0) {
    fail(where, std::string(named.name) + ": max_steps is " + std::to_string(*named.max_steps) +
                    ", but must not be negative");
  }
  return named;
}

Arrays while_loop(TracedRegions& functions, const LeafArrays& init, const WhileOptions& options,
                  const std::source_location& where) {
  const auto record = [&](const Arrays& initial) {
    return record_while(functions, init, initial, options, where);
  };
  if (tracing()) return record(init.arrays);
  return as_program(options.name, init.arrays, types_of(init.arrays, init.names, where), where, record);
}

// --- fori_loop

namespace {

Array bound(const LoopBound& bound, const char* what, const char* name, const std::source_location& where) {
  const Array& array = bound.array;
  checked_node(array, where, what);
  if (is_integer(array.dtype()) && array.rank() == 0) return array;
  fail(where, std::string(name) + ": the " + what + " bound is " + array.type_string() +
                  ", but must be an integer of rank 0");
}

// Between numbers the index is an s32 where it can be. An s64 holds what lies behind the last index too,
// which a bound of 2^63 or more does not.
int64_t known_bound(const Literal& number, const char* what, const char* name,
                    const std::source_location& where) {
  const std::string says = std::string(name) + ": the " + what + " bound";
  return as_int(value_of(says.c_str(), number, DType::kS64, where, ""));
}

LoopRange known_range(const LoopBound& low, const LoopBound& high, const WhileOptions& options,
                      const std::source_location& where) {
  LoopRange range;
  range.known = true;
  range.start = known_bound(*low.number, "lower", options.name, where);
  const int64_t end = known_bound(*high.number, "upper", options.name, where);
  if (!std::in_range<int32_t>(range.start) || !std::in_range<int32_t>(end)) range.dtype = DType::kS64;
  const uint64_t steps =
      end <= range.start ? 0 : static_cast<uint64_t>(end) - static_cast<uint64_t>(range.start);
  const std::string says = std::string(options.name) + ": from " + std::to_string(range.start) + " to " +
                           std::to_string(end) + " there are " + std::to_string(steps) + " steps, but ";
  if (steps > static_cast<uint64_t>(kMostElements))
    fail(where,
         says + "a loop between numbers takes at most 2^48; with an array for a bound there is no end");
  if (options.max_steps && steps > static_cast<uint64_t>(*options.max_steps))
    fail(where, says + "the option max_steps allows " + std::to_string(*options.max_steps));
  range.steps = static_cast<int64_t>(steps);
  return range;
}

}  // namespace

LoopRange loop_range(const LoopBound& low, const LoopBound& high, const WhileOptions& options,
                     const std::source_location& where) {
  if (low.number && high.number) return known_range(low, high, options, where);
  LoopRange range;
  const char* name = options.name;
  // A number takes the dtype of the bound that is an array.
  const auto numeral = [&](const Literal& n, const char* what, const Array& other) {
    const std::string says = std::string(name) + ": the " + what + " bound";
    return Array(value_of(says.c_str(), n, other.dtype(), where, "; convert the other bound with astype"));
  };
  if (!low.number) range.first = bound(low, "lower", name, where);
  if (!high.number) range.last = bound(high, "upper", name, where);
  if (low.number) range.first = numeral(*low.number, "lower", range.last);
  if (high.number) range.last = numeral(*high.number, "upper", range.first);
  if (range.first.dtype() != range.last.dtype()) {
    fail(where, std::string(name) + ": the bounds are " + range.first.type_string() + " and " +
                    range.last.type_string() + ", but must be of one dtype; convert one with astype");
  }
  return range;
}

Array next_index(const Array& index, const std::source_location& where) {
  return Operand(index, where) + Operand(number(index.dtype(), 1), where);
}

// --- cond, switch_

namespace {

Array branch_index(const char* name, bool is_cond, const Choice& choice, size_t count) {
  const Array& value = choice.value;
  const std::source_location& where = choice.where;
  const char* what = is_cond ? "the predicate" : "the index";
  checked_node(value, where, what);
  const DType dtype = value.dtype();
  if (value.rank() != 0 || (is_cond ? dtype != DType::kPred : !is_integer(dtype))) {
    const bool many = is_cond && dtype == DType::kPred;
    fail(where, std::string(name) + ": " + what + " is " + value.type_string() + ", but must be " +
                    (is_cond ? "pred[]" : "an integer of rank 0") +
                    (many      ? "; reduce it with any or all, or choose element by element with where"
                     : is_cond ? "; compare it with something"
                               : "; take one element, or convert it with astype"));
  }
  if (is_cond) return astype(Operand(value, where), DType::kS32);
  // Clamped before it is converted, since a wide integer would wrap; and where the dtype holds so many.
  const uint64_t last = count - 1;
  const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
  const bool narrow = bits <= 8 && last >> bits != 0;
  const Array wide = narrow ? astype(Operand(value, where), DType::kS32) : value;
  const Array clamped =
      minimum(Operand(maximum(Operand(wide, where), Operand(number(wide.dtype(), 0), where)), where),
              Operand(number(wide.dtype(), static_cast<int>(last)), where));
  return astype(Operand(clamped, where), DType::kS32);
}

// What a branch has returned: arrays, and the tree of them.
struct Returned {
  Arrays arrays;
  Structure structure;
};

void check_alike(const char* name, bool is_cond, const Returned& first, const Returned& given, size_t i,
                 const std::source_location& where) {
  const std::string here = is_cond ? "the function for true" : "branch " + std::to_string(i);
  const std::string there = is_cond ? "the one for false" : "branch 0";
  const auto differs = [&](const std::string& what, const std::string& mine, const std::string& other,
                           const char* rule) {
    fail(where, std::string(name) + ": " + what + " is " + mine + " from " + here + ", but " + other +
                    " from " + there + rule);
  };
  if (const auto found = difference(given.structure, first.structure)) {
    differs(found->given_name, found->given, found->wanted,
            "; all must return trees of the same structure, of which only the arrays may differ");
  }
  for (size_t k = 0; k < first.arrays.size(); ++k) {
    const std::string mine = given.arrays[k].type_string(), other = first.arrays[k].type_string();
    if (mine != other) differs(given.structure.names[k], mine, other, "; all must return the same types");
  }
}

// What all branches return: numbers of some take the dtype of arrays of others, as beside them, for which
// the branches are traced anew.
class JoinedResults {
 public:
  // What a branch has returned, in the dtypes that are known so far.
  Arrays add(Arrays results, const std::source_location& where) {
    types_.resize(std::max(types_.size(), results.size()));
    for (size_t k = 0; k < results.size(); ++k) {
      Type& type = types_[k];
      const bool weak = is_weak(results[k]);
      if (!type.known) {
        type = {true, weak, results[k].dtype()};
      } else if (results[k].dtype() == type.dtype) {
        type.weak = type.weak && weak;
      } else {
        const DType dtype = weak        ? beside(type.dtype, results[k].dtype())
                            : type.weak ? beside(results[k].dtype(), type.dtype)
                                        : type.dtype;
        changed_ = changed_ || dtype != type.dtype;
        type.weak = type.weak && weak;
        type.dtype = dtype;
        if (weak) results[k] = as_weak(astype(Operand(results[k], where), dtype), type.weak);
      }
    }
    return results;
  }
  bool changed() const { return changed_; }
  // True, once, where a branch has changed what those before it should have returned.
  bool begin_anew() { return std::exchange(changed_, false); }
  bool is_number(size_t k) const { return types_[k].weak; }

 private:
  struct Type {
    bool known = false, weak = false;
    DType dtype = DType::kF32;
  };
  std::vector<Type> types_;
  bool changed_ = false;
};

Arrays record_cond(TracedRegions& functions, size_t count, bool is_cond, const Choice& choice,
                   const Array& value, const Arrays& arguments, const std::vector<std::string>& names) {
  const char* name = is_cond ? "cond" : "switch_";
  const std::source_location& where = choice.where;
  const Array index = branch_index(name, is_cond, {value, where}, count);
  Arrays operands = {index};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  JoinedResults joined;
  while (true) {
    RegionsTracer tracer(types_of(arguments, names, where), "x", where);
    Returned first;
    for (size_t i = 0; i < count; ++i) {
      tracer.trace([&](const Arrays& given) {
        const std::string branch = is_cond ? std::string(i == 1 ? "true" : "false") : std::to_string(i);
        Arrays results = joined.add(checked_results(std::string(name) + ": the function for " + branch,
                                                    functions.run(i, given), functions.returned.names, where),
                                    where);
        if (i == 0) first = {results, functions.returned};
        if (!joined.changed()) check_alike(name, is_cond, first, {results, functions.returned}, i, where);
        return results;
      });
    }
    if (joined.begin_anew()) continue;
    Arrays results = tracer.finish("cond", operands, {});
    for (size_t k = 0; k < results.size(); ++k) results[k] = as_weak(results[k], joined.is_number(k));
    return results;
  }
}

}  // namespace

Arrays choose(TracedRegions& functions, size_t count, bool is_cond, const Choice& choice,
              const LeafArrays& arguments) {
  if (count == 0) fail(choice.where, "switch_: there are no branches to choose from");
  if (tracing()) {
    return record_cond(functions, count, is_cond, choice, choice.value, arguments.arrays, arguments.names);
  }
  Arrays operands = {choice.value};
  operands.insert(operands.end(), arguments.arrays.begin(), arguments.arrays.end());
  std::vector<std::string> names = {is_cond ? "the predicate" : "the index"};
  names.insert(names.end(), arguments.names.begin(), arguments.names.end());
  return as_program(is_cond ? "cond" : "switch_", operands, types_of(operands, names, choice.where),
                    choice.where, [&](const Arrays& given) {
                      return record_cond(functions, count, is_cond, choice, given[0],
                                         {given.begin() + 1, given.end()}, arguments.names);
                    });
}

}  // namespace ingot::detail
