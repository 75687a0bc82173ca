// Copies statements under scalars, variables and local buffers of their own, so that the same code can stand
// in two places of a kernel. Private to the schedule.
#pragma once

#include <unordered_map>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

class Copier {
 public:
  explicit Copier(Kernel& kernel, std::unordered_map<VarId, Index> variables = {})
      : kernel_(kernel), variables_(std::move(variables)) {}

  Stmt operator()(const Stmt& stmt);
  Block operator()(const Block& block);

  // What stands in the copy for a scalar of the original.
  ScalarId fresh(ScalarId id) const {
    auto it = scalars_.find(id);
    return it == scalars_.end() ? id : it->second;
  }
  std::vector<ScalarId> fresh(const std::vector<ScalarId>& ids) const;
  Index fresh(const Index& index) const;
  // From here on the copy uses another scalar, or another index instead of a variable.
  void replace_scalar(ScalarId id, ScalarId by) { scalars_[id] = by; }
  void replace_variable(VarId id, Index by) { variables_[id] = std::move(by); }

 private:
  ScalarId made(ScalarId id);
  void copy(Let& let);
  void copy(Literal& literal) { literal.result = made(literal.result); }
  void copy(IndexValue& value);
  void copy(InRange& range);
  void copy(Load& load);
  void copy(Store& store);
  void copy(Append& append);
  void copy(Prefetch& prefetch);
  void copy(Alloc& alloc);
  void copy(Loop& loop);

  Kernel& kernel_;
  std::unordered_map<ScalarId, ScalarId> scalars_;
  std::unordered_map<VarId, Index> variables_;
  std::unordered_map<BufferId, BufferId> buffers_;
};

// Writes the combiner's operations for these two sides, and returns the scalars that are the result. What it
// uses from outside is what `outside` has copied, if that is given.
std::vector<ScalarId> combine(Kernel& kernel, const Combiner& combiner, const std::vector<ScalarId>& lhs,
                              const std::vector<ScalarId>& rhs, Block& to, const Copier* outside = nullptr);

}  // namespace ingot::kernel
