#include "interpreter/in_f64.h"

#include "ir/builder.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/host_call.h"
#include "ops/kinds.h"

namespace ingot {
namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;
using ir::Region;
using ir::Symbol;
using ir::TensorType;
using ir::Value;

TensorType widest(TensorType type) {
  type.dtype = ingot::widest(type.dtype);
  return type;
}

Attributes widest(const Attributes& attributes) {
  Attributes result = attributes;
  for (const auto& [name, attribute] : attributes.items()) {
    if (const auto* dtype = std::get_if<DType>(&attribute)) result.set(name, ingot::widest(*dtype));
    if (const auto* tensor = std::get_if<Tensor>(&attribute))
      result.set(name, converted(*tensor, ingot::widest(tensor->dtype())));
  }
  return result;
}

// Whether the operation looks at bits, other than those that a complex number and its parts share.
bool reads_bits(const Op& op) {
  if (!ops::is<ops::BitcastOp>(op)) return false;
  const DType from = op.operand(0)->dtype(), to = op.result()->dtype();
  if (!is_inexact(from) && !is_inexact(to)) return false;
  return !is_inexact(from) || !is_inexact(to) || real_dtype(from) != real_dtype(to);
}

class Widening {
 public:
  explicit Widening(const ir::Module& from) : from_(from) { result_.module = std::make_unique<ir::Module>(); }

  InF64 run() {
    result_.entry = function(*from_.entry());
    return std::move(result_);
  }

 private:
  // Callees come first: the types of a call are those of its callee.
  const ir::Function* function(const ir::Function& from) {
    if (const auto found = functions_.find(&from); found != functions_.end()) return found->second;
    ir::walk(const_cast<Region&>(from.body()), [&](Op& op) {
      if (!ops::has_callee(op)) return;
      const std::string& name = ops::callee_name(op);
      const ir::Function* callee = from_.find(name);
      if (callee == nullptr) throw Error("there is no function @" + name);
      function(*callee);
    });
    ir::Function* to = result_.module->add_function(from.name());
    functions_.emplace(&from, to);
    region(from.body(), to->body());
    return to;
  }

  void region(const Region& from, Region& to) {
    for (const Value* argument : from.arguments())
      values_[argument] = to.add_argument(widest(argument->type()), argument->name());
    ir::Builder builder(to);
    for (const auto& op : from.ops()) {
      if (!op->is_return()) copy(*op, builder);
    }
    std::vector<Value*> results;
    for (const Value* result : from.results()) results.push_back(values_.at(result));
    to.set_results(results);
  }

  void copy(const Op& op, ir::Builder& builder) {
    builder.set_provenance(op.provenance());
    std::vector<Value*> operands;
    for (const Value* operand : op.operands()) operands.push_back(values_.at(operand));
    if (ops::is<ops::CustomCallOp>(op)) {  // the host's function knows the program's own types alone
      for (size_t i = 0; i < operands.size(); ++i)
        operands[i] = converted(builder, operands[i], op.operand(static_cast<int>(i))->dtype());
      const Op* made = builder.make(op.name(), operands, op.attributes());
      for (int i = 0; i < op.result_count(); ++i)
        values_[op.result(i)] = converted(builder, made->result(i), ingot::widest(op.result(i)->dtype()));
      return;
    }
    if (reads_bits(op)) {
      Value* own = converted(builder, operands[0], op.operand(0)->dtype());
      Value* read = builder.value("bitcast", {own}, op.attributes());
      values_[op.result()] = converted(builder, read, ingot::widest(op.result()->dtype()));
      return;
    }
    std::vector<std::unique_ptr<Region>> regions;
    for (int i = 0; i < op.region_count(); ++i) {
      regions.push_back(builder.make_region());
      region(op.region(i), *regions.back());
    }
    const Op* made = builder.make(op.name(), operands, widest(op.attributes()), std::move(regions));
    result_.origin.emplace(made, &op);
    for (int i = 0; i < op.result_count(); ++i) values_[op.result(i)] = made->result(i);
  }

  static Value* converted(ir::Builder& builder, Value* x, DType to) {
    return x->dtype() == to ? x : builder.value("convert", {x}, {{"dtype", to}});
  }

  const ir::Module& from_;
  InF64 result_;
  std::unordered_map<const ir::Function*, const ir::Function*> functions_;
  std::unordered_map<const Value*, Value*> values_;
};

}  // namespace

DType widest(DType dtype) {
  return is_complex(dtype) ? DType::kC128 : is_float(dtype) ? DType::kF64 : dtype;
}

Tensor converted(const Tensor& tensor, DType to) {
  if (tensor.dtype() == to) return tensor;
  Tensor result(to, tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i) result.set_complex(i, tensor.get_complex(i));
  return result;
}

InF64 in_f64(const ir::Module& module) {
  return Widening(module).run();
}

}  // namespace ingot
