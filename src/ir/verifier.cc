// Checks every invariant that ir.h states, in time linear in the size of the program.

#include "ir/verifier.h"

#include <algorithm>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "ir/builder.h"
#include "ir/call_rules.h"
#include "ir/op_record.h"
#include "ir/text.h"

namespace ingot::ir {
namespace {

constexpr PrintOptions kBrief{.max_literal_elements = 16};

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  void run() {
    require(function_.module() == &module_, nullptr, "the function thinks it is of another module");
    for (int index : function_.donated) {
      require(index >= 0 && index < function_.body().argument_count(), nullptr,
              "an argument is donated that does not exist");
    }
    const size_t ops = function_.body().ops().size();
    names_.reserve(ops);
    values_.reserve(ops);
    known_.reserve(ops);
    ops_.reserve(ops);
    region(function_.body(), nullptr);
    for (const auto& [value, known] : values_) uses(*value, known->references);
  }

 private:
  void require(bool condition, const Op* op, std::string_view problem) {
    if (!condition) fail(op, problem);
  }

  [[noreturn]] void fail(const Op* op, std::string_view problem) {
    std::string text = "the program is broken";
    if (op != nullptr) text += " at\n  " + to_string(*op, kBrief) + "\n";
    text += (op != nullptr ? "  in function @" : " in function @") + function_.name() + ": " +
            std::string(problem) + "\n" + to_string(function_, kBrief);
    throw InternalError(text);
  }

  void declare(const Value* value, const Region& region, const Op* op) {
    if (!names_.insert(value->name()).second) fail(op, "two values are called %" + value->name());
    const auto [entry, fresh] = known_.try_emplace(value, Known{&region});
    values_.emplace_back(value, &entry->second);
  }

  void region(const Region& region, const Op* holder) {
    require(region.function() == &function_, holder, "a region thinks it is of another function");
    require(region.parent_op() == holder, holder, "a region does not know the operation that holds it");
    require(region.terminated(), holder, "a region does not end in 'return'");
    for (int i = 0; i < region.argument_count(); ++i) {
      const Value* argument = region.argument(i);
      require(argument->region() == &region && argument->op() == nullptr && argument->index() == i, holder,
              "an argument of a region does not know its place");
      declare(argument, region, holder);
    }
    for (const auto& op : region.ops()) {
      require(op->parent() == &region, op.get(), "the operation thinks it stands in another region");
      require(!op->is_return() || op == region.ops().back(), op.get(), "'return' is not the last operation");
      operation(*op, region);
    }
  }

  void operation(const Op& op, const Region& place) {
    for (int i = 0; i < op.operand_count(); ++i) {
      const Value* operand = op.operand(i);
      if (operand == nullptr) fail(&op, "operand " + std::to_string(i) + " is missing");
      const auto known = known_.find(operand);
      if (known == known_.end() || known->second.region != &place) {
        fail(&op, "operand " + std::to_string(i) +
                      " is neither an argument of the region nor an earlier result in it");
      }
      ++known->second.references;
    }
    ops_.insert(&op);
    require(op.record().takes_regions(op.region_count()), &op,
            "the number of regions is not that of the record");
    for (int i = 0; i < op.region_count(); ++i) region(op.region(i), &op);
    types(op);
    for (int i = 0; i < op.result_count(); ++i) {
      const Value* result = op.result(i);
      require(result->op() == &op && result->region() == nullptr && result->index() == i, &op,
              "a result does not know its place");
      declare(result, place, &op);
    }
  }

  void types(const Op& op) {
    std::vector<const Region*> regions;
    for (int i = 0; i < op.region_count(); ++i) regions.push_back(&op.region(i));
    std::vector<TensorType> inferred;
    try {
      inferred = infer_types(op.record(), op.operands(), op.attributes(), regions, &module_, {});
      check_rules(op, module_);
    } catch (const Error& error) {
      fail(&op, error.what());
    }
    if (static_cast<int>(inferred.size()) != op.result_count()) {
      fail(&op, "it must have " + std::to_string(inferred.size()) + " results");
    }
    for (int i = 0; i < op.result_count(); ++i) {
      const TensorType& expected = inferred[static_cast<size_t>(i)];
      if (op.result(i)->type() != expected) {
        fail(&op, "the type of %" + op.result(i)->name() + " must be " + to_string(expected));
      }
    }
  }

  // Every use is an operand of an operation of this function; no use twice, and none missing.
  void uses(const Value& value, size_t expected) {
    // Messages are built only for a broken value: this runs for every value after every pass.
    auto broken = [&](const Op* op, const std::string& problem) {
      fail(op, "the uses of %" + value.name() + " are out of step with the operands: " + problem);
    };
    if (value.uses().size() != expected) {
      broken(value.op(), std::to_string(value.uses().size()) + " instead of " + std::to_string(expected));
    }
    seen_.clear();
    for (const Use& use : value.uses()) {
      if (!ops_.contains(use.op)) broken(value.op(), "a user is not of this function");
      if (use.operand >= use.op->operand_count() || use.op->operand(use.operand) != &value) {
        broken(use.op, "operand " + std::to_string(use.operand) + " is another value");
      }
      seen_.emplace_back(use.op, use.operand);
    }
    std::sort(seen_.begin(), seen_.end());
    if (std::adjacent_find(seen_.begin(), seen_.end()) != seen_.end())
      broken(value.op(), "one is listed twice");
  }

  const Module& module_;
  const Function& function_;
  std::pmr::monotonic_buffer_resource memory_;  // of the tables, which only grow
  std::pmr::unordered_set<std::string_view> names_{&memory_};
  struct Known {  // a value that is there already
    const Region* region;
    size_t references = 0;
  };
  std::pmr::unordered_map<const Value*, Known> known_{&memory_};
  std::vector<std::pair<const Value*, const Known*>> values_;  // in the order of the program
  std::pmr::unordered_set<const Op*> ops_{&memory_};
  std::vector<std::pair<const Op*, int>> seen_;  // the uses of one value
};

// Fails if a function calls itself, directly or through others.
class CallGraphVerifier {
 public:
  explicit CallGraphVerifier(const Module& module) : module_(module) {}

  void run() {
    for (const auto& function : module_.functions()) visit(*function);
  }

 private:
  void visit(Function& function) {
    auto [state, fresh] = done_.emplace(&function, false);
    if (!fresh) {
      if (!state->second)
        throw InternalError("@" + function.name() + " calls itself; recursion is not supported");
      return;
    }
    std::vector<Function*> callees;
    walk(function.body(), [&](Op& op) {
      if (!op.attributes().has("callee")) return;
      callees.push_back(module_.find(op.attributes().get<Symbol>("callee").name));
      for (Function* rule : rules_of(op, module_)) callees.push_back(rule);
    });
    for (Function* callee : callees) visit(*callee);
    done_[&function] = true;
  }

  const Module& module_;
  std::unordered_map<const Function*, bool> done_;
};

}  // namespace

void verify(const Module& module) {
  std::unordered_set<std::string_view> names;
  for (const auto& function : module.functions()) {
    if (!names.insert(function->name()).second) {
      throw InternalError("two functions are called @" + function->name());
    }
    FunctionVerifier(module, *function).run();
  }
  CallGraphVerifier(module).run();
}

}  // namespace ingot::ir
