// The algebraic rules of the records, applied to a region without a pass.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/ir.h"
#include "ir/op_record.h"

namespace ingot::ops {

using ir::Op;
using ir::Value;

// Applies rules at once and remembers their names.
class Recorder : public ir::Rewriter {
 public:
  explicit Recorder(Op& op) : builder_(*op.parent(), &op) {}
  bool may(std::string_view rule, const Op&) override {
    rules.emplace_back(rule);
    return true;
  }
  Value* make(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
              std::vector<std::unique_ptr<ir::Region>> regions) override {
    return builder_.make(record, std::move(operands), std::move(attributes), std::move(regions))->result();
  }
  Value* constant(const Tensor& value) override { return builder_.constant(value); }

  std::vector<std::string> rules;

 private:
  ir::Builder builder_;
};

inline bool rewrite_one(ir::Region& region, std::vector<std::string>& rules) {
  for (auto& op : region.ops()) {
    if (op->is_return()) continue;
    ir::IdentityFn identities = op->record().identities;
    if (identities == nullptr || !op->used()) continue;
    Recorder recorder(*op);
    const std::vector<Value*> values = identities(*op, recorder);
    EXPECT_LE(recorder.rules.size(), 1u) << "a rule asks once";
    if (values.empty()) continue;
    rules.push_back(recorder.rules.at(0));
    for (int i = 0; i < op->result_count(); ++i)
      op->result(i)->replace_all_uses_with(values[static_cast<size_t>(i)]);
    op->erase();
    return true;
  }
  return false;
}

inline void erase_dead(ir::Region& region) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& op : region.ops()) {
      if (op->is_return() || op->used()) continue;
      op->erase();
      changed = true;
      break;
    }
  }
}

}  // namespace ingot::ops
