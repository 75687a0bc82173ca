// Functions of leaves: traced, differentiated, and made callable again.
#include "frontend/derive.h"

#include <set>

#include "base/float_environment.h"
#include "base/fork.h"
#include "frontend/program.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "transform/extract.h"

namespace ingot::detail {

InvocationLeaves::InvocationLeaves(const Invocation& invocation, const Identity& identity,
                                   std::initializer_list<tree::Ref> arguments)
    : invocation_(invocation), identity_(identity), refs_(arguments) {
  for (size_t i = 0; i < refs_.size(); ++i) {
    starts_.push_back(arguments_.arrays.size());
    const std::string name = "arg" + std::to_string(i);
    const tree::Path path{nullptr, name};
    refs_.size() > 1 ? arguments_.add_part(refs_[i], path) : arguments_.add(refs_[i], path);
  }
  starts_.push_back(arguments_.arrays.size());
  invocation_.arguments = refs_.data();
}

std::vector<bool> InvocationLeaves::leaves_of(std::initializer_list<size_t> positions) const {
  std::vector<bool> mask(arguments_.arrays.size(), false);
  for (size_t position : positions) {
    for (size_t i = starts_[position]; i < starts_[position + 1]; ++i) mask[i] = true;
  }
  return mask;
}
std::vector<bool> InvocationLeaves::all_leaves() const {
  return std::vector<bool>(arguments_.arrays.size(), true);
}

std::vector<Array> InvocationLeaves::leaves_of_argument(size_t position,
                                                        const std::vector<Array>& leaves) const {
  return {leaves.begin() + static_cast<std::ptrdiff_t>(starts_[position]),
          leaves.begin() + static_cast<std::ptrdiff_t>(starts_[position + 1])};
}

std::vector<Array> InvocationLeaves::run(const std::vector<Array>& leaves) {
  tree::LeafReader next(leaves);
  const KeptTree result = invocation_.run(invocation_.function, invocation_.arguments, next);
  prototype = result.value;
  LeafArrays results = leaf_arrays(result.ref, "result");
  tree::LeafReader none;
  none.fill(result.ref);  // what is kept is the tree alone
  returned = results;
  return std::move(results.arrays);
}

bool InvocationLeaves::sign(Signature& signature) const {
  if (identity_.kind == Identity::Kind::kObject) return false;
  signature.word(reinterpret_cast<uintptr_t>(identity_.value));
  signature.word(reinterpret_cast<uintptr_t>(identity_.variant));
  signature.add(invocation_);
  return true;
}

LeafBody body_of(const std::string& what, LeafFunction& f, const std::source_location& where) {
  return [what, &f, where](const std::vector<Array>& leaves) {
    std::vector<Array> results = f.run(leaves);
    return checked_results(what, std::move(results), f.returned.names, where);
  };
}

std::shared_ptr<const TracedFunction> trace_leaves(const LeafBody& body, const LeafArrays& arguments,
                                                   const std::source_location& where) {
  std::vector<const ArrayType*> types;
  std::vector<std::string> names;
  for (size_t i = 0; i < arguments.arrays.size(); ++i) {
    const ArrayNode& node = checked_node(arguments.arrays[i], where, arguments.names[i]);
    types.push_back(node.type);
    names.push_back(value_name(arguments.names[i]));
  }
  return trace_function(
      "function", types, names,
      [&](const std::vector<Array>& leaves) {
        return Outputs{body(leaves), nullptr};
      },
      current_frame(), where);
}

std::string value_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::shared_ptr<const TracedFunction> function_of(const ir::Function& function,
                                                  const PendingFunctions& pending) {
  auto traced = std::make_shared<TracedFunction>();
  traced->own = transform::extract(function);
  traced->rules = transform::batch_rules_of(*traced->own);
  for (const auto& made : traced->own->functions()) {
    if (made->declared) traced->pending.emplace(made->name(), pending.at(made->name()));
  }
  for (const ir::Value* argument : function.body().arguments())
    traced->argument_types.push_back(intern_type(argument->type()));
  for (const ir::Value* result : function.body().results())
    traced->result_types.push_back(intern_type(result->type()));
  return traced;
}

std::string form_difference(const std::vector<std::string>& given, const std::vector<std::string>& wanted) {
  size_t i = 0;
  while (i < given.size() && i < wanted.size() && corresponds(given[i], wanted[i])) ++i;
  if (i < wanted.size()) return "; there is none for " + wanted[i];
  return i < given.size() ? "; " + given[i] + " belongs to nothing" : "";
}

// --- functions that are differentiated

DerivedFunction::DerivedFunction(const std::string& what, LeafFunction& f, const LeafArrays& arguments,
                                 const std::source_location& where)
    : traced_(trace_leaves(body_of(what, f, where), arguments, where)),
      returned_(f.returned),
      prototype_(f.prototype),
      module_(std::make_unique<ir::Module>()),
      linker_(*module_, Rules::kDeclared),
      derivatives_(
          std::make_unique<transform::Derivatives>(*module_, ir::Provenance::at(user_line(where)),
                                                   [this](ir::Function& declared) { define(declared); })) {
  linker_.add(*traced_);
}

std::shared_ptr<DerivedFunction> DerivedFunction::of(const std::string& what, LeafFunction& f,
                                                     const LeafArrays& arguments,
                                                     const std::source_location& where) {
  const auto make = [&] {
    return std::shared_ptr<DerivedFunction>(new DerivedFunction(what, f, arguments, where));
  };
  for (size_t i = 0; i < arguments.arrays.size(); ++i)
    checked_node(arguments.arrays[i], where, arguments.names[i]);
  Signature signature;
  signature.where = where;
  if (tracing() || !f.sign(signature)) return make();
  static std::mutex mutex;
  static auto& known = *new std::map<std::vector<uint64_t>, std::shared_ptr<DerivedFunction>>;
  const std::vector<uint64_t> key(signature.words.begin(), signature.words.end());
  {
    const ShortLock lock(mutex);
    if (auto it = known.find(key); it != known.end()) {
      f.returned = it->second->returned_;
      f.prototype = it->second->prototype_;
      return it->second;
    }
  }
  std::shared_ptr<DerivedFunction> made = make();  // may come here for other functions
  const ShortLock lock(mutex);
  return known.emplace(key, std::move(made)).first->second;
}

// --- rules of calls, which are traced where a derivative asks for them

namespace {

struct RuleWanted {
  std::shared_ptr<const PendingFunction> rule;
};

// The declared rules of calls that the function leads to.
class RulesAhead {
 public:
  explicit RulesAhead(const PendingFunctions& pending) : pending_(pending) {}

  void look(ir::Function& function) {
    if (seen_.insert(&function).second) look(function.body(), *function.module());
  }
  const std::vector<std::shared_ptr<const PendingFunction>>& rules() const { return rules_; }

 private:
  void look(ir::Region& region, const ir::Module& module) {
    ir::walk(region, [&](const ir::Op& op) {
      const auto call = ops::as<ops::CallOp>(op);
      if (!call.has_value()) return;
      const ops::CallForm& form = call->form();
      if (form.jvp.empty() && form.vjp_forward.empty()) return look(call->callee());
      if (const ir::Function* rule = module.find(form.jvp); rule != nullptr && rule->declared)
        rules_.push_back(pending_.at(form.jvp));
    });
  }

  const PendingFunctions& pending_;
  std::set<const ir::Function*> seen_;
  std::vector<std::shared_ptr<const PendingFunction>> rules_;
};

}  // namespace

void DerivedFunction::define(ir::Function& declared) {
  const auto& rule = linker_.pending().at(declared.name());
  const auto known = rule->known();
  if (known == nullptr) throw RuleWanted{rule};
  linker_.define(declared, *known);
}

// Rules are traced ahead, outside of the lock, since that runs the user's code. What a rule asks for itself,
// as for its loops, is seen on the way, and what was begun is made again.
template <class Make>
const auto& DerivedFunction::derived(Make make) {
  const FloatEnvironment environment;
  ir::Function* function = nullptr;
  std::vector<std::shared_ptr<const PendingFunction>> wanted;
  {
    const ShortLock lock(mutex_);
    function = module_->functions().front().get();
    RulesAhead ahead(linker_.pending());
    if (!linker_.pending().empty()) ahead.look(*function);
    wanted = ahead.rules();
  }
  for (;;) {
    for (const auto& rule : wanted) rule->traced();
    const ShortLock lock(mutex_);
    try {
      return make(function);
    } catch (const RuleWanted& more) {
      wanted = {more.rule};
    }
  }
}

const transform::Linearized& DerivedFunction::linearize(const transform::Mask& active,
                                                        const transform::Mask& wanted) {
  return derived([&](ir::Function* function) -> const transform::Linearized& {
    return derivatives_->linearize(function, active, wanted);
  });
}

const transform::Jvp& DerivedFunction::jvp(const transform::Mask& active) {
  return derived(
      [&](ir::Function* function) -> const transform::Jvp& { return derivatives_->jvp(function, active); });
}

const transform::Transposed& DerivedFunction::transpose(const transform::Linearized& made,
                                                        const transform::Mask& linear) {
  return derived([&](ir::Function*) -> const transform::Transposed& {
    return derivatives_->transpose(made.linear, linear,
                                   transform::Mask(made.linear->body().results().size(), true));
  });
}

std::shared_ptr<const TracedFunction> DerivedFunction::callable(const ir::Function* function) {
  const ShortLock lock(mutex_);
  std::shared_ptr<const TracedFunction>& known = callables_[function];
  if (known == nullptr) known = function_of(*function, linker_.pending());
  return known;
}

}  // namespace ingot::detail
