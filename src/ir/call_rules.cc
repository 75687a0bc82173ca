// What a rule takes and returns follows from the call: tangents and cotangents are those of floating (and
// complex) operands and results alone, but those of `transpose` are of all that stands behind the residuals.
#include "ir/call_rules.h"

#include <algorithm>
#include <span>
#include <string>

#include "ingot/error.h"
#include "ir/text_cursor.h"

namespace ingot::ir {
namespace {

using Types = std::vector<TensorType>;

constexpr const char* kRules[] = {"jvp", "vjp_forward", "vjp_backward", "transpose"};

Types types_of(std::span<Value* const> values) {
  Types types;
  for (const Value* value : values) types.push_back(value->type());
  return types;
}

Types joined(Types types, const Types& more) {
  types.insert(types.end(), more.begin(), more.end());
  return types;
}

Types inexact(const Types& all) {
  Types types;
  for (const TensorType& type : all) {
    if (is_inexact(type.dtype)) types.push_back(type);
  }
  return types;
}

std::string text_of(const Types& types) {
  std::string text;
  for (const TensorType& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return "(" + text + ")";
}

const Function* rule_of(const Op& op, const Module& module, const char* attribute) {
  if (!op.attributes().has(attribute)) return nullptr;
  const std::string& name = op.attributes().get<Symbol>(attribute).name;
  const Function* rule = module.find(name);
  if (rule == nullptr)
    throw Error(std::string("there is no function @") + shortened(name) + ", the rule '" + attribute + "'");
  return rule;
}

void want(const Function& rule, const char* attribute, const char* what, const Types& given,
          const Types& wanted) {
  if (given == wanted) return;
  throw Error("the rule '" + std::string(attribute) + "', @" + rule.name() + ", " + what + " " +
              text_of(given) + ", but must for this call " + (what[0] == 't' ? "take " : "return ") +
              text_of(wanted));
}

void want_types(const Function& rule, const char* attribute, const Types& arguments, const Types& results) {
  want(rule, attribute, "takes", types_of(rule.body().arguments()), arguments);
  want(rule, attribute, "returns", rule.declared ? rule.declared->results : types_of(rule.body().results()),
       results);
}

void check_all(const Op& op, const Module& module) {
  const Attributes& attributes = op.attributes();
  if (attributes.has("residuals")) {
    const int64_t residuals = attributes.integer("residuals");
    if (residuals < 0 || residuals > op.operand_count())
      throw Error("'residuals' is " + std::to_string(residuals) + ", but must be from 0 to " +
                  std::to_string(op.operand_count()) + ", the number of operands");
  }
  const Types operands = types_of(op.operands());
  const Types results = types_of(op.results());
  if (const Function* rule = rule_of(op, module, "jvp"))
    want_types(*rule, "jvp", joined(operands, inexact(operands)), joined(results, inexact(results)));
  const Function* forward = rule_of(op, module, "vjp_forward");
  const Function* backward = rule_of(op, module, "vjp_backward");
  if ((forward == nullptr) != (backward == nullptr))
    throw Error(std::string("there is the rule '") + (forward != nullptr ? "vjp_forward" : "vjp_backward") +
                "', but not '" + (forward != nullptr ? "vjp_backward" : "vjp_forward") +
                "'; reverse mode needs both");
  if (forward != nullptr) {
    const Types made = types_of(forward->body().results());
    const size_t own = std::min(results.size(), made.size());
    const auto split = made.begin() + static_cast<std::ptrdiff_t>(own);
    const Types residuals(split, made.end());
    want_types(*forward, "vjp_forward", operands, joined(results, residuals));
    want_types(*backward, "vjp_backward", joined(residuals, inexact(results)), inexact(operands));
  }
  if (const Function* rule = rule_of(op, module, "transpose")) {
    if (!attributes.has("residuals"))
      throw Error(
          "the rule 'transpose' needs the attribute 'residuals', how many operands come before those "
          "that the callee is linear in");
    const auto split = operands.begin() + static_cast<std::ptrdiff_t>(attributes.integer("residuals"));
    want_types(*rule, "transpose", joined({operands.begin(), split}, results), {split, operands.end()});
  }
}

}  // namespace

void check_rules(const Op& op, const Module& module) {
  if (!op.attributes().has("callee")) return;
  try {
    check_all(op, module);
  } catch (const Error& error) {
    throw Error(std::string(op.name()) + ": " + error.what());
  }
}

std::vector<Function*> rules_of(const Op& op, const Module& module) {
  std::vector<Function*> rules;
  for (const char* attribute : kRules) {
    if (!op.attributes().has(attribute)) continue;
    if (Function* rule = module.find(op.attributes().get<Symbol>(attribute).name)) rules.push_back(rule);
  }
  return rules;
}

}  // namespace ingot::ir
