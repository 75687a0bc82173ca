#include "testing/reduce_program.h"

#include <algorithm>
#include <set>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/control.h"
#include "pass/passes.h"

namespace ingot::testing {
namespace {

using ir::Function;
using ir::IntList;
using ir::Module;
using ir::Op;
using ir::Region;
using ir::Value;

// --- cleaning up after a change
// ---------------------------------------------------------------------------------

void clean_up(Module& module) {
  pass::PassContext context;
  pass::make_dce()->run(module, context);
  std::set<std::string> called;
  for (auto& function : module.functions()) {
    ir::walk(function->body(), [&](Op& op) {
      if (ops::is<ops::CallOp>(op)) called.insert(ops::callee_name(op));
    });
  }
  std::vector<Function*> functions;
  for (auto& function : module.functions()) functions.push_back(function.get());
  for (Function* function : functions) {
    if (function != module.entry() && !called.count(function->name())) module.erase_function(function);
  }
  Function& entry = *module.entry();
  for (int i = entry.body().argument_count(); i-- > 0;) {
    if (entry.body().argument(i)->used()) continue;
    entry.body().erase_argument(i);
    std::unordered_set<int> donated;
    for (int d : entry.donated) {
      if (d != i) donated.insert(d > i ? d - 1 : d);
    }
    entry.donated = std::move(donated);
  }
}

// --- changes
// ----------------------------------------------------------------------------------------------------

std::vector<Op*> all_ops(Module& module) {
  std::vector<Op*> ops;
  for (auto& function : module.functions()) {
    ir::walk(function->body(), [&](Op& op) {
      // Combiners of reductions stay as they are.
      if (!op.is_return() &&
          (op.parent()->parent_op() == nullptr || op.parent()->parent_op()->name() != "reduce")) {
        ops.push_back(&op);
      }
    });
  }
  return ops;
}

Value* stand_in(Op& op, const Value& value, bool zeros) {
  Region& entry = op.function()->module()->entry()->body();
  if (!zeros && op.parent() == &entry) return entry.add_argument(value.type(), value.name());
  ir::Builder builder(*op.parent(), &op);
  Value* zero = builder.constant(Tensor(value.dtype(), {}));
  if (value.rank() == 0) return zero;
  return builder.value("broadcast", {zero}, {{"shape", value.shape()}, {"dims", IntList()}});
}

bool is_zeros(const Op& op) {
  return op.name() == "constant" || (op.name() == "broadcast" && op.operand(0)->op() != nullptr &&
                                     op.operand(0)->op()->name() == "constant");
}

class Reducer {
 public:
  Reducer(const Module& program, const std::function<bool(const Module&)>& fails)
      : best_(clone(program)), fails_(fails) {}

  std::unique_ptr<Module> run() {
    bool changed = true;
    for (int round = 0; changed && round < 6; ++round) {
      changed = drop_results();
      changed = inline_calls() || changed;
      changed = drop_ops(false) || changed;
      changed = skip_ops() || changed;
      changed = drop_ops(true) || changed;
      changed = shrink() || changed;
      changed = simplify_flags() || changed;
    }
    return std::move(best_);
  }

 private:
  // Keeps the variant that `edit` makes of the best one so far, if it fails too. An edit that does nothing,
  // or does not fit, returns false or throws.
  template <class Edit>
  bool attempt(Edit edit) {
    std::unique_ptr<Module> variant = clone(*best_);
    try {
      if (!edit(*variant)) return false;
      clean_up(*variant);
      ir::verify(*variant);
    } catch (const std::exception&) {
      return false;
    }
    return keep(std::move(variant));
  }

  bool keep(std::unique_ptr<Module> variant) {
    if (ir::to_string(*variant) == ir::to_string(*best_) || !fails_(*variant)) return false;
    best_ = std::move(variant);
    return true;
  }

  bool drop_results() {
    bool changed = false;
    const size_t count = best_->entry()->body().results().size();
    for (size_t only = 0; count > 1 && only < count; ++only) {
      if (attempt([&](Module& m) {
            m.entry()->body().set_results({m.entry()->body().results()[only]});
            return true;
          })) {
        return true;
      }
    }
    for (size_t i = best_->entry()->body().results().size(); i-- > 0;) {
      changed |= attempt([&](Module& m) {
        auto results = m.entry()->body().results();
        std::vector<Value*> fewer(results.begin(), results.end());
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (fewer.empty()) return false;
        m.entry()->body().set_results(fewer);
        return true;
      });
    }
    return changed;
  }

  bool inline_calls() {
    bool changed = false;
    for (size_t i = all_ops(*best_).size(); i-- > 0;) {
      changed |= attempt([&](Module& m) {
        Op* op = all_ops(m).at(i);
        if (!ops::is<ops::CallOp>(*op)) return false;
        Function* callee = ops::callee_of(*op);
        ir::ValueMap map;
        for (int a = 0; a < op->operand_count(); ++a) map[callee->body().argument(a)] = op->operand(a);
        std::vector<Value*> results = ir::clone_ops(callee->body(), *op->parent(), map, op);
        for (int r = 0; r < op->result_count(); ++r) {
          op->result(r)->replace_all_uses_with(results[static_cast<size_t>(r)]);
        }
        op->erase();
        return true;
      });
    }
    return changed;
  }

  // Late ones first: they take what leads to them along.
  bool drop_ops(bool zeros) {
    bool changed = false;
    for (size_t i = all_ops(*best_).size(); i-- > 0;) {
      changed |= attempt([&](Module& m) {
        Op* op = all_ops(m).at(i);
        if (is_zeros(*op)) return false;
        for (Value* result : op->results()) {
          if (result->used()) result->replace_all_uses_with(stand_in(*op, *result, zeros));
        }
        return true;
      });
    }
    return changed;
  }

  bool skip_ops() {
    bool changed = false;
    for (size_t i = all_ops(*best_).size(); i-- > 0;) {
      const int operands = i < all_ops(*best_).size() ? all_ops(*best_)[i]->operand_count() : 0;
      for (int o = 0; o < operands; ++o) {
        if (attempt([&](Module& m) {
              Op* op = all_ops(m).at(i);
              bool any = false;
              for (Value* result : op->results()) {
                if (op->operand(o)->type() != result->type()) continue;
                result->replace_all_uses_with(op->operand(o));
                any = true;
              }
              return any;
            })) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  // Extents, lengths and positions are numbers in brackets (or after "length = "): each one that occurs is
  // replaced everywhere by a smaller one, and what no longer verifies is forgotten.
  bool shrink() {
    bool changed = false;
    std::set<int64_t, std::greater<>> numbers;
    rewrite_numbers(ir::to_string(*best_), [&](int64_t n) {
      numbers.insert(n);
      return n;
    });
    for (int64_t n : numbers) {
      for (int64_t smaller : {int64_t{1}, int64_t{2}, int64_t{3}, n / 2, n - 1}) {
        if (smaller >= n || smaller < 1) continue;
        try {
          auto variant = ir::parse(
              rewrite_numbers(ir::to_string(*best_), [&](int64_t k) { return k == n ? smaller : k; }));
          ir::verify(*variant);
          if (!keep(std::move(variant))) continue;
        } catch (const std::exception&) {
          continue;
        }
        changed = true;
        break;
      }
    }
    return changed;
  }

  template <class Fn>
  static std::string rewrite_numbers(const std::string& text, Fn fn) {
    std::string out;
    int depth = 0;
    for (size_t i = 0; i < text.size();) {
      if (text[i] == '[') ++depth;
      if (text[i] == ']') --depth;
      const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
      const char before = i == 0 ? ' ' : text[i - 1];
      const bool starts = before == '[' || before == ',' || before == ' ';
      const bool wanted = depth > 0 || (out.size() > 9 && out.compare(out.size() - 9, 9, "length = ") == 0);
      if (!digit || !starts || !wanted) {
        out += text[i++];
        continue;
      }
      size_t end = i;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
      if (end < text.size() && (text[end] == '.' || text[end] == 'e'))
        out += text.substr(i, end - i);
      else
        out += std::to_string(fn(std::stoll(text.substr(i, end - i))));
      i = end;
    }
    return out;
  }

  bool simplify_flags() {
    bool changed = attempt([&](Module& m) {
      bool any = false;
      for (auto& function : m.functions()) {
        any = any || !function->donated.empty();
        function->donated.clear();
      }
      return any;
    });
    for (size_t i = all_ops(*best_).size(); i-- > 0;) {
      changed |= attempt([&](Module& m) {
        Op* op = all_ops(m).at(i);
        if (op->name() != "scan" || !op->attributes().flag("reverse")) return false;
        op->attributes().set("reverse", false);
        return true;
      });
    }
    return changed;
  }

  std::unique_ptr<Module> best_;
  const std::function<bool(const Module&)>& fails_;
};

}  // namespace

std::unique_ptr<ir::Module> reduce_program(const ir::Module& program,
                                           const std::function<bool(const ir::Module&)>& fails) {
  return Reducer(program, fails).run();
}

}  // namespace ingot::testing
