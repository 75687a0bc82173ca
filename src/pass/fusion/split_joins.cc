// split_joins: a concatenate of very many arrays becomes one of concatenates.
//
// A kernel holds the code of every piece that it puts together, so that its size, and more than that the time
// to compile it, grow with their number. Of n pieces this makes some sqrt(n) kernels of sqrt(n) pieces each,
// which are one kernel where the pieces have one shape, and one kernel that joins what they have made: each
// element moves twice.

#include <cmath>

#include "ir/builder.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/find_ops.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

class SplitJoins : public Pass {
 public:
  std::string_view name() const override { return "split_joins"; }
  std::string_view why() const override {
    return "Takes concatenates apart that no kernel could hold; what follows would flatten them again if it "
           "were algebra, so it stands right before fuse.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> wide = find_ops(module, [](const Op& op) {
      return ops::is<ops::ConcatenateOp>(op) && op.operand_count() > kMostPieces;
    });
    bool changed = false;
    for (Op* op : wide) {
      if (!context.must("wide_concatenate", *op)) continue;
      split(*op);
      changed = true;
    }
    return changed;
  }

 private:
  static void split(Op& op) {
    ir::Builder builder(*op.parent(), &op);
    builder.set_provenance(op.provenance().derived("split_joins", std::string(op.name())));
    const auto operands = op.operands();
    const auto each = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(operands.size()))));
    std::vector<Value*> parts;
    for (size_t from = 0; from < operands.size(); from += each) {
      const size_t count = std::min(each, operands.size() - from);
      const std::vector<Value*> part(operands.begin() + static_cast<int64_t>(from),
                                     operands.begin() + static_cast<int64_t>(from + count));
      parts.push_back(count == 1 ? part[0] : make::like(builder, op, part));
    }
    Value* whole = make::like(builder, op, parts);
    Op* made = whole->op();
    replace_op(&op, {&whole, 1}, {&made, 1});
  }
};

}  // namespace

std::unique_ptr<Pass> make_split_joins() {
  return std::make_unique<SplitJoins>();
}

}  // namespace ingot::pass
