#include "ir/op_record.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"

namespace ingot::ir {
namespace {

struct Registry {
  std::vector<const OpRecord*> list;
  std::unordered_map<std::string_view, const OpRecord*> by_name;
};

Registry& registry() {
  static Registry& instance = *new Registry;  // threads may ask while the process ends
  return instance;
}

}  // namespace

const OpRecord* find_record(std::string_view name) {
  auto it = registry().by_name.find(name);
  return it == registry().by_name.end() ? nullptr : it->second;
}

std::span<const OpRecord* const> all_records() {
  return registry().list;
}

void register_records(std::span<const OpRecord* const> records) {
  for (const OpRecord* record : records) {
    bool fresh = registry().by_name.emplace(*record->name, record).second;
    check(fresh, "two operations are called " + std::string(*record->name));
    registry().list.push_back(record);
  }
}

std::string_view describe(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kFlag:
      return "true or false";
    case AttributeKind::kInteger:
      return "an integer";
    case AttributeKind::kReal:
      return "a number with a decimal point";
    case AttributeKind::kText:
      return "a text in quotes";
    case AttributeKind::kDType:
      return "a dtype";
    case AttributeKind::kList:
      return "a list of integers";
    case AttributeKind::kSymbol:
      return "the name of a function";
    case AttributeKind::kTensor:
      return "an array";
  }
  return "";
}

Value* Batcher::constant(const Tensor& value) {
  return make("constant", {}, {{"value", value}})->result();
}

Batcher::BatchedRegion Batcher::batch_steps(const Region& region, size_t carries,
                                            std::vector<int64_t>& argument_axes) {
  while (true) {
    std::vector<int64_t> wanted(region.results().size(), Batched::kShared);
    std::copy_n(argument_axes.begin(), carries, wanted.begin());
    BatchedRegion steps = batch(region, argument_axes, wanted);
    if (std::equal(steps.axes.begin(), steps.axes.begin() + static_cast<int64_t>(carries), wanted.begin()))
      return steps;
    std::copy_n(steps.axes.begin(), carries, argument_axes.begin());
  }
}

const OpRecord& return_record() {
  static const OpRecord record{
      .name = std::string_view("return"),
      .doc = std::string_view("Ends a region; its operands are the region's results."),
      .operands = Arity{0, Arity::kAny},
      .regions = 0,
      .attributes = kNoAttributes,
      .infer = [](const InferContext&) { return std::vector<TensorType>(); },
      .batch = nullptr,
      .becomes = Becomes(RegionControl{}),
      .reference = [](const Op&, std::span<const Tensor> operands,
                      Evaluator&) { return std::vector<Tensor>(operands.begin(), operands.end()); },
      .identities = nullptr,
      .jvp = Structural{},
      .transpose = Structural{},
      .stablehlo = std::string_view("stablehlo.return"),
  };
  return record;
}

}  // namespace ingot::ir
