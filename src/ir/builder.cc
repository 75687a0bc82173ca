#include "ir/builder.h"

#include "base/array_size.h"
#include "ir/text_cursor.h"

namespace ingot::ir {

std::string Provenance::place() const {
  if (file.empty()) return "";
  return file + ":" + std::to_string(line) + (scope.empty() ? "" : " in " + scope);
}

std::string joined_scopes(const std::string& outer, const std::string& inner) {
  return outer.empty() || inner.empty() ? outer + inner : outer + "/" + inner;
}

std::string to_string(const Provenance& p) {
  std::string text = p.place();
  for (const std::string& line : p.also) text += (text.empty() ? "" : " and ") + line;
  if (!p.made_by.empty()) text += (text.empty() ? "by " : " by ") + p.made_by;
  if (!p.made_from.empty()) text += (text.empty() ? "from " : " from ") + p.made_from;
  return text;
}

std::string line_of(const Provenance& provenance) {
  return provenance.file.empty() ? "" : provenance.file + ":" + std::to_string(provenance.line) + ": ";
}

std::string place_of(const Op& op) {
  const std::string line = line_of(op.provenance());
  return !line.empty() || op.result_count() == 0 ? line : "%" + op.result(0)->name() + ": ";
}

void fail_at(const Op& op, const Error& error) {
  const std::string line = line_of(op.provenance()), what = error.what();
  if (!line.empty() && what.starts_with(line)) throw error;
  throw Error(line + std::string(op.name()) + ": " + what);
}

namespace {

// The spec that allows an attribute of that name, or null. `results` are so many.
const AttributeSpec* find_spec(const OpRecord& record, std::string_view name, size_t results) {
  for (const AttributeSpec& spec : record.attributes->specs()) {
    if (spec.presence != AttributeSpec::Presence::kPerResult) {
      if (spec.name == name) return &spec;
    } else if (name.starts_with(spec.name)) {
      for (size_t i = 0; i < results; ++i) {
        if (name.substr(spec.name.size()) == std::to_string(i)) return &spec;
      }
    }
  }
  return nullptr;
}

std::string unknown_attribute(const OpRecord& record, std::string_view name, size_t results) {
  std::string text = "has no attribute '" + shortened(name) + "'";
  std::vector<std::string> names, listed;  // of attributes per result each, and from the first to the last
  for (const AttributeSpec& spec : record.attributes->specs()) {
    const std::string stem(spec.name);
    if (spec.presence != AttributeSpec::Presence::kPerResult) {
      names.push_back(stem);
      listed.push_back(stem);
    } else if (results > 0) {
      for (size_t i = 0; i < results; ++i) names.push_back(stem + std::to_string(i));
      listed.push_back(stem + "0" + (results > 1 ? " to " + stem + std::to_string(results - 1) : ""));
    }
  }
  if (names.empty()) return text + "; it takes none";
  if (const std::string_view near = nearest_word(name, names); !near.empty())
    return text + "; did you mean '" + std::string(near) + "'?";
  text += "; it takes ";
  for (size_t i = 0; i < listed.size(); ++i)
    text += (i == 0 ? "" : i + 1 == listed.size() ? " and " : ", ") + listed[i];
  return text;
}

// What the record says of attributes holds: each is known and of its kind, none is missing.
void check_attributes(const OpRecord& record, const Attributes& attributes, size_t results) {
  for (const auto& [name, value] : attributes.items()) {
    const AttributeSpec* spec = find_spec(record, name, results);
    if (spec == nullptr) throw Error(unknown_attribute(record, name, results));
    if (value.index() != static_cast<size_t>(spec->kind))
      throw Error("the attribute '" + name + "' must be " + std::string(describe(spec->kind)));
  }
  for (const AttributeSpec& spec : record.attributes->specs()) {
    if (spec.presence == AttributeSpec::Presence::kAlways && !attributes.has(spec.name))
      throw Error("the attribute '" + std::string(spec.name) + "' is missing");
  }
}

}  // namespace

std::vector<TensorType> infer_types(const OpRecord& record, std::span<Value* const> operands,
                                    const Attributes& attributes, std::span<const Region* const> regions,
                                    const Module* module, const Provenance& provenance) {
  std::vector<TensorType> types;
  types.reserve(operands.size());
  for (Value* operand : operands) types.push_back(operand->type());
  try {
    const Arity& arity = record.operands;
    int count = static_cast<int>(types.size());
    if (count < arity.min || (arity.max != Arity::kAny && count > arity.max)) {
      throw Error("takes " + std::to_string(arity.min) +
                  (arity.max == arity.min     ? ""
                   : arity.max == Arity::kAny ? " or more"
                                              : " to " + std::to_string(arity.max)) +
                  " operands, but has " + std::to_string(count));
    }
    const Function* callee = nullptr;
    if (attributes.has("callee")) {
      const std::string& name = attributes.get<Symbol>("callee").name;
      callee = module->find(name);
      if (callee == nullptr) throw Error("there is no function @" + name);
    }
    std::vector<TensorType> results =
        record.infer.operator const InferFn&()({types, attributes, regions, callee});
    check_attributes(record, attributes, results.size());
    for (const TensorType& result : results) element_count(result.dtype, result.shape);
    return results;
  } catch (const Error& error) {
    throw Error(line_of(provenance) + std::string(*record.name) + ": " + error.what());
  }
}

Op* Builder::make(std::string_view name, std::vector<Value*> operands, Attributes attributes,
                  std::vector<std::unique_ptr<Region>> regions, std::vector<std::string> result_names) {
  const OpRecord* record = find_record(name);
  check(record != nullptr, "there is no operation called " + std::string(name));
  std::vector<const Region*> views;
  for (auto& region : regions) {
    views.push_back(region.get());
    // What rules have put into it was made for this operation, if nothing else is said.
    walk(*region, [&](Op& op) {
      if (!op.is_return() && op.provenance() == Provenance()) op.set_provenance(provenance_);
    });
  }
  std::vector<TensorType> types =
      infer_types(*record, operands, attributes, views, region_->function()->module(), provenance_);
  return region_->insert(*record, std::move(operands), std::move(attributes), std::move(types), provenance_,
                         before_, std::move(regions), std::move(result_names));
}

}  // namespace ingot::ir
