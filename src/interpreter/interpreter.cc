#include "interpreter/interpreter.h"

#include <unordered_map>

#include "base/float_environment.h"
#include "base/stop.h"
#include "ir/builder.h"
#include "ir/depth.h"
#include "ir/op_record.h"

namespace ingot {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

// Evaluates one region at a time; operations with regions call back.
class Interpreter : public ir::Evaluator {
 public:
  Interpreter(const Observer& observer, Interceptor* interceptor)
      : observer_(observer), interceptor_(interceptor) {}

  std::vector<Tensor> run(const Region& region, std::span<const Tensor> arguments) override {
    check(static_cast<int>(arguments.size()) == region.argument_count(),
          "a region got the wrong number of arguments");
    std::unordered_map<const Value*, Tensor> values;
    std::unordered_map<const Value*, size_t> uses_left;
    for (int i = 0; i < region.argument_count(); ++i) {
      if (observer_) observer_(*region.argument(i), arguments[static_cast<size_t>(i)]);
      values.emplace(region.argument(i), arguments[static_cast<size_t>(i)]);
    }
    for (const auto& op : region.ops()) {
      std::vector<Tensor> operands;
      for (const Value* operand : op->operands()) {
        operands.push_back(values.at(operand));
        // An array that nobody will read again goes, so that a long program does not hold all of its values.
        size_t& left = uses_left.try_emplace(operand, operand->uses().size()).first->second;
        if (--left == 0) values.erase(operand);
      }
      if (op->is_return()) return operands;
      if (stop_ != nullptr) go_on(*op);
      std::vector<Tensor> results = evaluate(*op, operands);
      for (int i = 0; i < op->result_count(); ++i) {
        if (observer_) observer_(*op->result(i), results[static_cast<size_t>(i)]);
        if (op->result(i)->used()) values.emplace(op->result(i), std::move(results[static_cast<size_t>(i)]));
      }
    }
    throw InternalError("a region has no return");
  }

 private:
  std::vector<Tensor> evaluate(const Op& op, std::span<const Tensor> operands) {
    ir::ReferenceFn reference = op.record().reference;
    std::vector<Tensor> results = reference(op, operands, *this);
    bool right = static_cast<int>(results.size()) == op.result_count();
    for (size_t i = 0; right && i < results.size(); ++i) {
      const Value* wanted = op.result(static_cast<int>(i));
      right = results[i].dtype() == wanted->dtype() && results[i].shape() == wanted->shape();
    }
    check(right, "the reference of " + std::string(op.name()) + " gave results of other types than inferred");
    if (interceptor_ != nullptr) interceptor_->made(op, operands, results);
    return results;
  }

  void go_on(const Op& op) const {
    const std::optional<std::string> met = stop_->met();
    if (met.has_value())
      throw RunStopped(ir::line_of(op.provenance()) + Stops::text_of(*met) + ", before " +
                       std::string(op.name()));
  }

  const Observer& observer_;
  Interceptor* interceptor_;
  const std::shared_ptr<const Stops> stop_ = Stops::current();
};

void check_arguments(const ir::Function& function, std::span<const Tensor> arguments) {
  const Region& body = function.body();
  const std::string name = "@" + function.name();
  if (static_cast<int>(arguments.size()) != body.argument_count()) {
    throw Error(name + " takes " + std::to_string(body.argument_count()) + " arguments, but is given " +
                std::to_string(arguments.size()));
  }
  for (int i = 0; i < body.argument_count(); ++i) {
    const Value* wanted = body.argument(i);
    const Tensor& given = arguments[static_cast<size_t>(i)];
    const ir::TensorType type{given.dtype(), given.shape()};
    if (type == wanted->type()) continue;
    throw Error("argument " + std::to_string(i) + " of " + name + ", %" + wanted->name() + ", is " +
                ir::to_string(wanted->type()) + ", but is given " + ir::to_string(type));
  }
}

}  // namespace

std::vector<Tensor> interpret(const ir::Module& module, std::span<const Tensor> arguments,
                              const Observer& observer) {
  const ir::Function* entry = module.entry();
  if (entry == nullptr) throw Error("there is no function to interpret: the module is empty");
  ir::want_stack(module);
  return interpret(*entry, arguments, observer);
}

std::vector<Tensor> interpret(const ir::Function& function, std::span<const Tensor> arguments,
                              const Observer& observer) {
  check_arguments(function, arguments);
  const FloatEnvironment environment;
  return Interpreter(observer, nullptr).run(function.body(), arguments);
}

std::vector<Tensor> interpret(const ir::Function& function, std::span<const Tensor> arguments,
                              Interceptor& interceptor) {
  check_arguments(function, arguments);
  const FloatEnvironment environment;
  const Observer nobody;
  return Interpreter(nobody, &interceptor).run(function.body(), arguments);
}

}  // namespace ingot
