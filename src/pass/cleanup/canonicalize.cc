// Applies the identities of the operations' records until none applies: x + 0 is x, a transpose of a
// transpose is one transpose, and so on. The rules live with their operations; this file only drives them.
//
// A worklist holds the operations to look at. After a rewrite come the new operations, the users of the new
// values and the makers of the old operands, so that the work is linear in the number of rewrites. Operations
// that end up without users are erased on the way. An identity must make the program simpler; a pair that
// undoes each other's work is caught by a limit.

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "ir/builder.h"
#include "ir/op_record.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

class Canonicalizer : public ir::Rewriter {
 public:
  explicit Canonicalizer(PassContext& context) : context_(context) {}

  bool run(ir::Module& module) {
    for (const auto& function : module.functions()) {
      std::vector<Op*> ops;
      walk(function->body(), [&](Op& op) { ops.push_back(&op); });
      std::reverse(ops.begin(), ops.end());  // so that the first one is taken first
      for (Op* op : ops) push(op);
      int64_t limit = 1000 + 100 * static_cast<int64_t>(ops.size());
      while (!stack_.empty()) {
        check(rewrites_ < limit, "the identities of the operations undo each other's work without end");
        Op* op = stack_.back();
        stack_.pop_back();
        if (queued_.erase(op) > 0) visit(op);
      }
      changed_ = changed_ || rewrites_ > 0;
      rewrites_ = 0;
    }
    return changed_;
  }

  bool may(std::string_view rule, const Op& op) override { return context_.may(rule, op); }

  Value* make(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
              std::vector<std::unique_ptr<ir::Region>> regions) override {
    ir::Builder builder(*current_->parent(), current_);
    builder.set_provenance(current_->provenance().derived("canonicalize", std::string(current_->name())));
    made_.push_back(builder.make(record, std::move(operands), std::move(attributes), std::move(regions)));
    return made_.back()->result();
  }

  Value* constant(const Tensor& value) override { return make("constant", {}, {{"value", value}}, {}); }

 private:
  void push(Op* op) {
    if (queued_.insert(op).second) stack_.push_back(op);
  }

  void push_users(const Value* value) {
    for (const ir::Use& use : value->uses()) push(use.op);
  }

  void push_makers(const std::vector<Value*>& operands) {
    for (const Value* operand : operands) {
      if (operand->op() != nullptr) push(operand->op());
    }
  }

  void visit(Op* op) {
    if (op->is_return()) return;
    if (!op->used()) {
      if (context_.may("dead", *op)) erase(op);
      return;
    }
    ir::IdentityFn identities = op->record().identities;
    if (identities == nullptr) return;
    current_ = op;
    made_.clear();
    const int64_t asked = context_.total_rewrites();
    std::vector<Value*> values = identities(*op, *this);
    check(values.empty() || context_.total_rewrites() > asked,
          "an identity of " + std::string(op->name()) + " was applied without asking for leave");
    if (values.empty()) {
      check(made_.empty(),
            "an identity of " + std::string(op->name()) + " made operations, but did not apply");
      return;
    }
    ++rewrites_;
    std::vector<Value*> operands(op->operands().begin(), op->operands().end());
    forget(op);
    replace_op(op, values, made_);
    for (const Value* value : values) push_users(value);
    push_makers(operands);
    for (Op* fresh : made_) push(fresh);
  }

  void erase(Op* op) {
    std::vector<Value*> operands(op->operands().begin(), op->operands().end());
    forget(op);
    op->erase();
    ++rewrites_;
    push_makers(operands);
  }

  // Entries of the stack may point to what is gone; only those that are queued count.
  void forget(Op* op) {
    queued_.erase(op);
    for (int i = 0; i < op->region_count(); ++i) {
      walk(op->region(i), [&](Op& inner) { queued_.erase(&inner); });
    }
  }

  PassContext& context_;
  std::vector<Op*> stack_;
  std::unordered_set<Op*> queued_;
  Op* current_ = nullptr;
  std::vector<Op*> made_;
  int64_t rewrites_ = 0;
  bool changed_ = false;
};

class Canonicalize : public Pass {
 public:
  std::string_view name() const override { return "canonicalize"; }
  std::string_view why() const override {
    return "Applies the algebraic identities of the operations, so that every later pass sees one form of "
           "each "
           "program; it runs first, and again after passes that expose new identities.";
  }
  bool run(ir::Module& module, PassContext& context) override { return Canonicalizer(context).run(module); }
};

}  // namespace

std::unique_ptr<Pass> make_canonicalize() {
  return std::make_unique<Canonicalize>();
}

}  // namespace ingot::pass
