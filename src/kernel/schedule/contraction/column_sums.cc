// The sums of a unit's rows, on the tiles of a contraction.
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {

ColumnSums::ColumnSums(Kernel& kernel, const Columns& columns, Index place, int64_t elements)
    : kernel_(kernel), columns_(columns), place_(std::move(place)), elements_(elements) {
  for (const Columns::Reduction& reduction : columns.reductions) {
    sums_.emplace_back();
    for (const Carry& carry : reduction.carries) {
      const DType dtype = kernel.scalars[static_cast<size_t>(carry.init)];
      sums_.back().push_back(
          kernel.add_buffer({"column_sums", dtype, elements, Buffer::Kind::kLocal, {elements}}));
    }
  }
}

Block ColumnSums::begin() {
  Block result, clear;
  Loop all = make_loop(kernel_, "sum", elements_, 1, LoopKind::kMap, LoopStyle::kLanes);
  for (size_t r = 0; r < sums_.size(); ++r) {
    for (size_t c = 0; c < sums_[r].size(); ++c) {
      result.stmts.push_back({Alloc{sums_[r][c]}});
      const Tensor& neutral = find_literal(columns_, columns_.reductions[r].carries[c].init)->value;
      const ScalarId value = kernel_.add_scalar(neutral.dtype());
      clear.stmts.push_back({Literal{value, neutral}});
      clear.stmts.push_back({Store{sums_[r][c], kernel_.var(all.var), value}});
    }
  }
  for (Stmt& stmt : wrap({std::move(all)}, std::move(clear)).stmts) result.stmts.push_back(std::move(stmt));
  return result;
}

Block ColumnSums::join(Block epilogue, Loop rows, const std::vector<Counted>& counted) {
  std::unordered_map<BufferId, ScalarId> values;
  for (const Columns::Reduction& reduction : columns_.reductions) {
    for (BufferId buffer : reduction.values) values[buffer] = kNone;
  }
  Block& body = rows.body;
  for (Stmt& stmt : epilogue.stmts) {
    auto* store = std::get_if<Store>(&stmt.node);
    auto found = store == nullptr ? values.end() : values.find(store->buffer);
    if (found == values.end())
      body.stmts.push_back(std::move(stmt));
    else
      found->second = store->value;
  }
  ScalarId counts = kNone;
  for (const Counted& c : counted) {
    const ScalarId inside = kernel_.add_scalar(DType::kPred);
    body.stmts.push_back({InRange{inside, c.index, 0, c.extent}});
    if (counts == kNone) {
      counts = inside;
      continue;
    }
    const ScalarId both = kernel_.add_scalar(DType::kPred);
    body.stmts.push_back({Let{both, ir::find_record("and"), {counts, inside}, {}}});
    counts = both;
  }
  Block before, after;
  Copier literals(kernel_);
  for (const Stmt& stmt : columns_.literals) before.stmts.push_back(literals(stmt));
  for (size_t r = 0; r < sums_.size(); ++r) {
    const Columns::Reduction& reduction = columns_.reductions[r];
    std::vector<ScalarId> so_far, here;
    const auto like = [&](size_t c) {
      return kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(reduction.carries[c].init)]);
    };
    for (size_t c = 0; c < sums_[r].size(); ++c) {
      so_far.push_back(like(c));
      here.push_back(values.at(reduction.values[c]));
    }
    const std::vector<ScalarId> joined = combine(kernel_, reduction.combiner, so_far, here, body, &literals);
    for (size_t c = 0; c < sums_[r].size(); ++c) {
      Carry carry{like(c), so_far[c], joined[c], like(c)};
      if (counts != kNone) {
        carry.next = like(c);
        body.stmts.push_back(
            {Let{carry.next, ir::find_record("select"), {counts, joined[c], so_far[c]}, {}}});
      }
      before.stmts.push_back({Load{carry.init, sums_[r][c], place_}});
      after.stmts.push_back({Store{sums_[r][c], place_, carry.result}});
      rows.carries.push_back(carry);
    }
  }
  rows.kind = LoopKind::kScan;
  before.stmts.push_back({std::move(rows)});
  for (Stmt& stmt : after.stmts) before.stmts.push_back(std::move(stmt));
  return before;
}

Block ColumnSums::end(const Index& place) {
  Block result;
  for (size_t r = 0; r < sums_.size(); ++r) {
    for (size_t c = 0; c < sums_[r].size(); ++c) {
      const BufferId sums = sums_[r][c];
      const ScalarId value = kernel_.add_scalar(kernel_.buffers[static_cast<size_t>(sums)].dtype);
      result.stmts.push_back({Load{value, sums, place_}});
      result.stmts.push_back({Store{columns_.reductions[r].values[c], place, value}});
    }
  }
  return result;
}

}  // namespace ingot::kernel
