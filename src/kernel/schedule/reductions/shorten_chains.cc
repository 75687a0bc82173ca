// Chains of combinations are kept short. A sum that adds its terms to one register loses a digit for every
// ten thousand of them; cut into blocks of some thousand, whose sums are added up in turn, it loses next to
// nothing, and costs no more. Nothing here knows an operation: this goes for every combiner.

#include <algorithm>
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/reductions/cut_reduction.h"
#include "kernel/schedule/reductions/reductions.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kBlock = 4096;  // terms that lanes add up in one go
// Terms that one register adds up in one go. 2,048 rows of 0.1 are 9.7e-6 from their sum with 512, 6.7e-7
// with 64, and take as long (0.8 to 1.1 x on eight shapes of 130 to 8,192 rows, Intel Xeon).
constexpr int64_t kSerialBlock = 64;

// True if every result of the combiner is one that it computes.
bool computes_results(const Combiner& combiner) {
  std::set<ScalarId> made;
  for (const Stmt& stmt : combiner.body.stmts) {
    if (std::holds_alternative<Let>(stmt.node)) made.insert(results(stmt)[0]);
  }
  const std::set<ScalarId> out(combiner.out.begin(), combiner.out.end());
  return out.size() == combiner.out.size() &&
         std::all_of(out.begin(), out.end(), [&](ScalarId id) { return made.count(id) > 0; });
}

// Gives a scalar that the block makes another number.
void renumber(Block& block, ScalarId from, ScalarId to) {
  for (Stmt& stmt : block.stmts) {
    auto* let = std::get_if<Let>(&stmt.node);
    if (let == nullptr) continue;
    std::replace(let->operands.begin(), let->operands.end(), from, to);
    if (let->result == from) let->result = to;
  }
}

// Cuts the loop into blocks of about that length, each reduced by itself.
void cut_into_blocks(Kernel& kernel, const Stmt& stmt, int64_t length, Block& to) {
  const Loop& loop = std::get<Loop>(stmt.node);
  Cut cut;
  cut.levels = {cut_level(loop.extent, loop.extent / length)};
  cut.left_over = loop.extent - cut.pieces() * cut.levels[0].length;
  const bool whole = cut.left_over == 0;
  if (!whole && !computes_results(loop.combiner)) return to.stmts.push_back(stmt);
  auto like = [&](ScalarId id) { return kernel.add_scalar(kernel.scalars[static_cast<size_t>(id)]); };
  Loop blocks = make_loop(kernel, kernel.var_names[static_cast<size_t>(loop.var)] + "_block", cut.pieces(), 1,
                          LoopKind::kReduce);
  Copier copy(kernel), copy_rest(kernel);
  Loop block = piece_of(kernel, copy, stmt, cut, {kernel.var(blocks.var)});
  for (size_t c = 0; c < loop.carries.size(); ++c) {
    const ScalarId result = loop.carries[c].result;
    blocks.carries.push_back(
        {loop.carries[c].init, kNone, block.carries[c].result, whole ? result : like(result)});
    blocks.combiner.lhs.push_back(like(result));
    blocks.combiner.rhs.push_back(like(result));
  }
  blocks.combiner.out =
      combine(kernel, loop.combiner, blocks.combiner.lhs, blocks.combiner.rhs, blocks.combiner.body);
  blocks.body.stmts.push_back({std::move(block)});
  const std::vector<ScalarId> values = results_of(blocks);
  to.stmts.push_back({std::move(blocks)});
  if (whole) return;
  Loop rest = rest_of(kernel, copy_rest, stmt, cut);
  const std::vector<ScalarId> last = results_of(rest);
  to.stmts.push_back({std::move(rest)});
  Block joining;
  const std::vector<ScalarId> all = combine(kernel, loop.combiner, values, last, joining);
  for (size_t c = 0; c < all.size(); ++c) renumber(joining, all[c], loop.carries[c].result);
  for (Stmt& s : joining.stmts) to.stmts.push_back(std::move(s));
}

// `lanes`: the innermost loops become vector lanes.
void shorten_in(Kernel& kernel, Block& block, bool lanes) {
  Block out;
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) {
      out.stmts.push_back(std::move(stmt));
      continue;
    }
    shorten_in(kernel, loop->body, lanes);
    const bool innermost = std::none_of(loop->body.stmts.begin(), loop->body.stmts.end(),
                                        [](const Stmt& s) { return std::holds_alternative<Loop>(s.node); });
    const int64_t length = lanes && innermost ? kBlock : kSerialBlock;
    if (is_reduction(stmt) && rounds(kernel, *loop) && loop->extent > 2 * length)
      cut_into_blocks(kernel, stmt, length, out);
    else
      out.stmts.push_back(std::move(stmt));
  }
  block = std::move(out);
}

}  // namespace

void shorten_chains(Kernel& kernel, const Target& target) {
  Nest nest = take_nest(kernel);
  const std::optional<size_t> lane = cheapest_lane(kernel, target, nest);
  const bool in_memory = lane && points_in_memory(kernel, target, nest, *lane, 1) > 0;
  if (!in_memory) shorten_in(kernel, nest.body, !lane);
  put_nest(kernel, std::move(nest));
}

}  // namespace ingot::kernel
