#include "ops/save_policy.h"

#include <algorithm>

#include "ir/text_cursor.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::ops {
namespace {

using ir::Op;
using Names = std::set<std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.push_back(trimmed(text.substr(0, end)));
  parts.push_back(trimmed(text));
  return parts;
}

bool only_views(const Op& op) {
  return std::holds_alternative<ir::View>(*op.record().becomes);
}

bool is_name(const Op& op) {
  return ops::is<ops::CheckpointNameOp>(op);
}

bool is_named(const Op& op, const Names& names) {
  return is_name(op) && names.contains(ops::CheckpointNameOp(op).name());
}

// Whether what the operation makes gets one of the names: by itself, as a view, or inside of it.
bool reaches_name(const Op& op, const Names& names) {
  if (is_named(op, names)) return true;
  for (const ir::Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (is_named(*use.op, names) || (only_views(*use.op) && reaches_name(*use.op, names))) return true;
    }
  }
  const auto inside = [&](const ir::Region& region) {
    return std::any_of(region.ops().begin(), region.ops().end(),
                       [&](const auto& inner) { return reaches_name(*inner, names); });
  };
  for (int i = 0; i < op.region_count(); ++i) {
    if (inside(op.region(i))) return true;
  }
  const auto call = ops::as<ops::CallOp>(op);
  return call.has_value() && inside(call->callee().body());
}

// A view costs nothing to make again; what it is of is kept, unless that is more.
bool is_worth_keeping(const Op& op) {
  if (op.operand_count() == 0) return false;
  if (!only_views(op)) return true;
  int64_t bytes = 0;
  for (const ir::Value* operand : op.operands()) bytes += operand->type().bytes();
  return op.result()->type().bytes() < bytes;
}

}  // namespace

SavePolicy SavePolicy::parse(std::string_view text) {
  struct Form {
    std::string_view name;
    Kind kind;
    bool of_names;  // name(a, b)
  };
  static constexpr Form kForms[] = {{"nothing_saveable", Kind::kNothing, false},
                                    {"everything_saveable", Kind::kEverything, false},
                                    {"dots_saveable", Kind::kDots, false},
                                    {"dots_with_no_batch_dims_saveable", Kind::kDotsWithoutBatch, false},
                                    {"save_only_these_names", Kind::kOnlyNames, true},
                                    {"save_any_names_but_these", Kind::kAnyNamesBut, true},
                                    {"save_anything_except_these_names", Kind::kAnythingBut, true}};
  SavePolicy policy;
  for (std::string_view part : split(text, '|')) {
    const size_t open = part.find('(');
    const bool of_names = open != std::string_view::npos;
    const std::string_view name = trimmed(part.substr(0, open));
    const auto* form =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return f.name == name; });
    if (form == std::end(kForms) || form->of_names != of_names || (of_names && part.back() != ')')) {
      std::string known;
      for (const Form& f : kForms)
        known += (known.empty() ? "" : ", ") + std::string(f.name) + (f.of_names ? "(name, ..)" : "");
      throw Error("'" + ir::shortened(part) + "' is no policy of a checkpoint; they are " + known +
                  ", and several of them with ' | ' between");
    }
    Rule& rule = policy.rules_.emplace_back(Rule{form->kind, {}});
    if (!of_names) continue;
    for (std::string_view word : split(part.substr(open + 1, part.size() - open - 2), ','))
      rule.names.emplace(word);
  }
  return policy;
}

bool SavePolicy::saves(const Rule& rule, const Op& op) {
  switch (rule.kind) {
    case Kind::kNothing:
      return false;
    case Kind::kEverything:
      return is_worth_keeping(op);
    case Kind::kDots:
      return std::holds_alternative<ir::Contraction>(*op.record().becomes);
    case Kind::kDotsWithoutBatch:
      return ops::is<ops::DotGeneralOp>(op) && ops::DotGeneralOp(op).batch(0).empty();
    case Kind::kOnlyNames:
      return is_named(op, rule.names);
    case Kind::kAnyNamesBut:
      return is_name(op) && !is_named(op, rule.names);
    case Kind::kAnythingBut:
      return is_worth_keeping(op) && !reaches_name(op, rule.names);
  }
  return false;
}

bool SavePolicy::saves(const Op& op) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return saves(rule, op); });
}

}  // namespace ingot::ops
