// Checkpoints as users write them: calls that carry a policy, and the list of what derivatives keep.
#include "ingot/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <ostream>

#include "base/fork.h"
#include "frontend/apply.h"
#include "frontend/derive.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot {
namespace detail {
namespace {

void check_name(const std::string& name, const std::source_location& where) {
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == '/';
  });
  if (!good) {
    fail(where, "checkpoint_name: '" + name +
                    "' is no name that a policy could list; use letters, digits and _ . - /");
  }
}

CheckpointPolicy policy_with_names(const char* policy, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    check_name(name, std::source_location());
    list += (list.empty() ? "" : ", ") + name;
  }
  return CheckpointPolicy(std::string(policy) + "(" + list + ")");
}

// What made a residual: an operation, in the functions and loops where it stands.
class Origin {
 public:
  explicit Origin(const LeafArrays& arguments) : arguments_(arguments) {}

  SavedResidual describe(const ir::Value& value) const {
    SavedResidual residual;
    residual.type = to_string(value.type());
    residual.bytes = value.type().bytes();
    trace(value, residual);
    return residual;
  }

  SavedResidual argument(const ir::Value& value) const {
    const auto index = static_cast<size_t>(value.index());
    const bool named = index < arguments_.names.size();
    return {to_string(value.type()), named ? "the argument " + arguments_.names[index] : "a captured array",
            "", value.type().bytes()};
  }

 private:
  void trace(const ir::Value& value, SavedResidual& residual) const {
    const ir::Op* op = value.op();
    if (op == nullptr) {
      residual.origin = "an argument or a carry";
      return;
    }
    const auto index = static_cast<size_t>(value.index());
    const ir::Provenance& from = op->provenance();
    if (!from.file.empty())
      residual.source =
          std::filesystem::path(from.file).filename().string() + ":" + std::to_string(from.line);
    if (const auto call = ops::as<ops::CallOp>(*op)) {
      const ir::Value& inner = *call->callee().body().results()[index];
      if (inner.op() != nullptr)
        trace(inner, residual);
      else
        trace(*op->operand(inner.index()), residual);
    } else if (const auto scan = ops::as<ops::ScanOp>(*op)) {
      trace(*scan->body().results()[index], residual);
      residual.origin += scan->is_stack(value.index())
                             ? ", in each of " + std::to_string(scan->length()) + " steps"
                             : ", of the last step";
    } else if (const auto cond = ops::as<ops::CondOp>(*op)) {
      trace_branches(*cond, index, residual);
    } else if (const auto named = ops::as<ops::CheckpointNameOp>(*op)) {
      residual.origin = "'" + named->name() + "'";
    } else {
      residual.origin = std::string(op->name());
      if (from.made_by == "linearize" && from.made_from != op->name())
        residual.origin += " for the derivative of " + from.made_from;
    }
  }

  // Branches share results for what they keep. One that keeps nothing has zeros there, or hands through what
  // it is given.
  void trace_branches(const ops::CondOp& cond, size_t index, SavedResidual& residual) const {
    for (int b = 0; b < cond.branch_count(); ++b) {
      const ir::Value& inner = *cond.branch(b).results()[index];
      const bool filling =
          inner.op() == nullptr || ops::is_any<ops::ConstantOp, ops::BroadcastOp>(*inner.op());
      if (filling && b + 1 < cond.branch_count()) continue;
      trace(inner, residual);
      residual.origin += ", in branch " + std::to_string(b);
      return;
    }
  }

  const LeafArrays& arguments_;
};

}  // namespace

Identity identity_with(Identity identity, const std::string& text) {
  if (identity.kind == Identity::Kind::kObject) return identity;
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<const void*, std::string>, char>;
  const ShortLock lock(mutex);
  identity.variant = &known[{identity.variant, text}];
  return identity;
}

std::vector<Array> call_checkpoint(LeafFunction& f, const LeafArrays& arguments, const std::string& policy,
                                   const std::source_location& where) {
  ops::CallForm form{.checkpoint = true};
  if (policy != checkpoint_policies::nothing_saveable.text()) form.policy = policy;
  return emit_call(trace_leaves(body_of("checkpoint: the function", f, where), arguments, where),
                   arguments.arrays, where, std::move(form));
}

SavedResiduals saved_residuals(LeafFunction& f, const LeafArrays& arguments,
                               const std::source_location& where) {
  const auto traced = trace_leaves(body_of("saved_residuals: the function", f, where), arguments, where);
  const std::unique_ptr<ir::Module> module = linked(*traced, Rules::kTraced);
  ir::Function* function = module->functions().front().get();
  transform::Mask active;
  for (const ir::Value* argument : function->body().arguments())
    active.push_back(active.size() < arguments.arrays.size() && is_inexact(argument->dtype()));
  transform::Derivatives derivatives(*module);
  const transform::Linearized& made = derivatives.linearize(function, active);
  const Origin origin(arguments);
  SavedResiduals residuals;
  for (const auto& [is_argument, index] : made.residuals) {
    const ir::Region& forward = made.forward->body();
    residuals.list.push_back(is_argument ? origin.argument(*forward.argument(index))
                                         : origin.describe(*forward.results()[static_cast<size_t>(index)]));
  }
  return residuals;
}

}  // namespace detail

CheckpointPolicy::CheckpointPolicy(std::string text) : text_(std::move(text)) {}
CheckpointPolicy::CheckpointPolicy(const CheckpointPolicy& other) = default;
CheckpointPolicy& CheckpointPolicy::operator=(const CheckpointPolicy& other) = default;
CheckpointPolicy::~CheckpointPolicy() = default;

namespace checkpoint_policies {

const CheckpointPolicy& nothing_saveable = *new CheckpointPolicy("nothing_saveable");
const CheckpointPolicy& everything_saveable = *new CheckpointPolicy("everything_saveable");
const CheckpointPolicy& dots_saveable = *new CheckpointPolicy("dots_saveable");
const CheckpointPolicy& dots_with_no_batch_dims_saveable =
    *new CheckpointPolicy("dots_with_no_batch_dims_saveable");

CheckpointPolicy save_only_these_names(const std::vector<std::string>& names) {
  return detail::policy_with_names("save_only_these_names", names);
}
CheckpointPolicy save_any_names_but_these(const std::vector<std::string>& names) {
  return detail::policy_with_names("save_any_names_but_these", names);
}
CheckpointPolicy save_anything_except_these_names(const std::vector<std::string>& names) {
  return detail::policy_with_names("save_anything_except_these_names", names);
}
CheckpointPolicy save_from_both_policies(const CheckpointPolicy& a, const CheckpointPolicy& b) {
  return CheckpointPolicy(a.text() + " | " + b.text());
}

}  // namespace checkpoint_policies

Array checkpoint_name(const Operand& x, const std::string& name) {
  detail::check_name(name, x.where());
  const Array array = x.array();
  if (!detail::tracing()) return array;
  return detail::emit("checkpoint_name", {array}, {{"name", name}}, x.where());
}

int64_t SavedResiduals::bytes() const {
  int64_t total = 0;
  for (const SavedResidual& residual : list) total += residual.bytes;
  return total;
}

std::string SavedResiduals::text() const {
  std::string text;
  for (const SavedResidual& residual : list) {
    text += residual.type + "  " + residual.origin;
    text += (residual.source.empty() ? "" : "  at " + residual.source) + "\n";
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const SavedResiduals& residuals) {
  return out << residuals.text();
}

}  // namespace ingot
