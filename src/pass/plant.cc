#include "pass/plant.h"

#include <charconv>

#include "ingot/error.h"
#include "ir/builder.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

Op* behind(Op& op) {
  auto& ops = op.parent()->ops();
  for (auto it = ops.begin(); it != ops.end(); ++it) {
    if (it->get() == &op) return std::next(it)->get();
  }
  return nullptr;
}

// Something else in place of x, made before `before`.
Value* wrong(Value* x, Region& region, Op* before) {
  ir::Builder builder(region, before);
  if (!is_inexact(x->dtype())) return make::bit_not(builder, x);
  Tensor one(x->dtype(), {});
  one.set_double(0, 1);
  Value* ones = builder.constant(one);
  if (x->rank() > 0) ones = make::spread(builder, ones, x->shape());
  return make::sub(builder, {make::neg(builder, x), ones});
}

// All users of x, which is made before `before`, read something else, but for `but`.
void spoil(Value* x, Region& region, Op* before, const Op* but = nullptr) {
  const std::vector<ir::Use> uses = x->uses();
  Value* other = wrong(x, region, before);
  for (const ir::Use& use : uses) {
    if (use.op != but) use.op->set_operand(use.operand, other);
  }
}

void spoil_results(Op& op) {
  for (Value* result : op.results()) {
    if (!result->used()) continue;
    return spoil(result, *op.parent(), behind(op));
  }
}

// Another value that stands in front of the operation and has its result's type.
Value* alike(const Op& op) {
  for (Value* argument : op.parent()->arguments()) {
    if (argument->type() == op.result()->type()) return argument;
  }
  for (const auto& other : op.parent()->ops()) {
    if (other.get() == &op) break;
    if (other->name() == op.name()) continue;
    for (Value* result : other->results()) {
      if (result->type() == op.result()->type()) return result;
    }
  }
  return nullptr;
}

// What a region returns.
void spoil_result(Region& region, int i = 0) {
  Op* end = region.ops().back().get();
  if (i < end->operand_count()) end->set_operand(i, wrong(end->operand(i), region, end));
}

Value* find_value(Region& region, const std::string& name) {
  Value* found = nullptr;
  ir::walk(region, [&](Op& op) {
    for (Value* result : op.results()) {
      if (result->used() && (result->name() == name || result->name() == name + "_re")) found = result;
    }
  });
  return found;
}

void spoil_padded(ir::Module& module) {
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [](Op& op) {
      for (int i = 0; i < op.result_count(); ++i) {
        if (ops::stored_pitch(*op.result(i))) spoil_result(op.region(), i);
      }
    });
  }
}

// The last operation of the body that gives floats which somebody reads.
Op* last_float(Region& body) {
  Op* found = nullptr;
  for (const auto& op : body.ops()) {
    if (!op->is_return() && op->used() && is_float(op->result()->dtype())) found = op.get();
  }
  return found;
}

Op* first_kernel(ir::Module& module) {
  Op* found = nullptr;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](Op& op) {
      if (found == nullptr && ops::is<ops::FusedOp>(op)) found = &op;
    });
  }
  return found;
}

}  // namespace

Plant::Plant(std::string_view text) {
  const size_t dot = text.find('.'), colon = text.find(':');
  if (dot == std::string_view::npos) throw Error("a planted fault is 'pass.rule' or 'pass.rule:number'");
  pass_ = text.substr(0, dot);
  rule_ = text.substr(dot + 1, colon == std::string_view::npos ? colon : colon - dot - 1);
  if (colon != std::string_view::npos)
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), number_);
}

bool Plant::is_it(std::string_view pass, std::string_view rule) {
  return pass == pass_ && rule == rule_ && ++seen_ == number_;
}

void Plant::rewrites(std::string_view pass, std::string_view rule, const ir::Op& asked) {
  if (!is_it(pass, rule)) return;
  Op& op = const_cast<Op&>(asked);
  if (pass == "fuse" || pass == "layout" || pass == "padding" || pass == "widen_floats" ||
      pass == "split_complex") {
    later_ = true;
    function_ = op.function()->name();
    value_ = op.result_count() > 0 ? op.result()->name() : "";
  } else if (pass == "cse") {
    if (Value* other = alike(op)) op.result()->replace_all_uses_with(other);
  } else if (op.used()) {
    spoil_results(op);
  } else {
    spoil_result(*op.parent());
  }
}

void Plant::rewrites(std::string_view pass, std::string_view rule, const ir::Function& function) {
  if (!is_it(pass, rule)) return;
  bool called = false;
  for (const auto& other : function.module()->functions()) {
    std::vector<Op*> calls;
    ir::walk(other->body(), [&](Op& op) {
      if (ops::has_callee(op) && ops::callee_name(op) == function.name()) calls.push_back(&op);
    });
    for (Op* call : calls) {
      called = true;
      spoil_results(*call);
    }
  }
  if (called) return;
  spoil_result(function.module()->entry()->body());
}

void Plant::ended(std::string_view pass, ir::Module& module) {
  if (pass == pass_ && rule_ == "silently") return spoil_result(module.entry()->body());
  if (!later_) return;
  later_ = false;
  if (pass_ == "padding") return spoil_padded(module);
  ir::Function* function = module.find(function_);
  Value* value = function == nullptr ? nullptr : find_value(function->body(), value_);
  Op* op = value != nullptr ? value->op() : first_kernel(module);
  if (op == nullptr) op = last_float(function != nullptr ? function->body() : module.entry()->body());
  if (op == nullptr) return;
  if (ops::is<ops::FusedOp>(*op)) {
    spoil_result(op->region());
  } else if (ops::is<ops::ConvertOp>(*op) && is_inexact(op->operand(0)->dtype())) {
    op->set_operand(0, wrong(op->operand(0), *op->parent(), op));
  } else {
    spoil_results(*op);
  }
}

}  // namespace ingot::pass
