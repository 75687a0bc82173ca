#include "ir/builder.h"

#include "base/array_size.h"

namespace ingot::ir {

std::string to_string(const Provenance& p) {
  std::string text;
  if (!p.file.empty()) text = p.file + ":" + std::to_string(p.line);
  for (const std::string& line : p.also) text += (text.empty() ? "" : " and ") + line;
  if (!p.made_by.empty()) text += (text.empty() ? "by " : " by ") + p.made_by;
  if (!p.made_from.empty()) text += (text.empty() ? "from " : " from ") + p.made_from;
  return text;
}

std::string line_of(const Provenance& provenance) {
  return provenance.file.empty() ? "" : provenance.file + ":" + std::to_string(provenance.line) + ": ";
}

void fail_at(const Op& op, const Error& error) {
  const std::string line = line_of(op.provenance()), what = error.what();
  if (!line.empty() && what.starts_with(line)) throw error;
  throw Error(line + std::string(op.name()) + ": " + what);
}

std::vector<TensorType> infer_types(const OpRecord& record, std::span<Value* const> operands,
                                    const Attributes& attributes, std::span<const Region* const> regions,
                                    const Module* module, const Provenance& provenance) {
  std::vector<TensorType> types;
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
  for (auto& region : regions) views.push_back(region.get());
  std::vector<TensorType> types =
      infer_types(*record, operands, attributes, views, region_->function()->module(), provenance_);
  return region_->insert(*record, std::move(operands), std::move(attributes), std::move(types), provenance_,
                         before_, std::move(regions), std::move(result_names));
}

}  // namespace ingot::ir
