// Columns of a contraction's result, reduced where its tiles are made.
//
// What joins the rows of a product, as the gradient of a bias does, has columns as its band, and the product
// inside of its reductions:
//
//   parallel n:                                  parallel n, row:
//     r = reduce row:                              s = reduce k (..)            a register tile
//       s = reduce k (..); yield f(s)     =>       store g(s); values[row, n] = f(s)
//     map row: s = reduce k (..); store g(s)     parallel n:
//     what follows r                               r = reduce row: values[row, n]; what follows r
//
// Loops over rows that do not wait for each other become one, and so does what they compute of the product.
// The first phase then is a contraction like any other. Its units do not store the values, but join those of
// their own rows on the tiles (Columns in contraction.h); what they amount to is joined by the second phase.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/contraction/contraction_sizes.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/reductions/cut_reduction.h"
#include "kernel/schedule/steps.h"

namespace ingot::kernel {
namespace {

// Both phases.
struct Phases {
  Nest product;
  Columns columns;
  Nest rest;
};

class Split {
 public:
  Split(Kernel& kernel, Nest nest, size_t lane) : kernel_(kernel), nest_(std::move(nest)) {
    std::rotate(nest_.loops.begin() + static_cast<int64_t>(lane),
                nest_.loops.begin() + static_cast<int64_t>(lane) + 1, nest_.loops.end());
    lane_ = nest_.loops.back().var;
  }

  // Nothing if the body is of another kind.
  std::optional<Phases> run() {
    for (Stmt& stmt : nest_.body.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      bool waits = false;
      for (ScalarId id : uses(kernel_, stmt)) waits = waits || later_.count(id) > 0;
      if (loop != nullptr) {
        if (waits || !take_rows(*loop)) return std::nullopt;
      } else if (waits || std::holds_alternative<Store>(stmt.node)) {
        for (ScalarId id : results(stmt)) later_.insert(id);
        behind_.push_back(stmt);
      } else if (auto* load = std::get_if<Load>(&stmt.node); load != nullptr && is_local(load->buffer)) {
        return std::nullopt;  // one row of what a loop has made: the second phase would not have it
      } else if (!std::holds_alternative<Alloc>(stmt.node)) {
        before_.push_back(stmt);
      }
    }
    if (reductions_.empty()) return std::nullopt;
    Phases phases;
    phases.product = product(phases.columns);
    phases.rest = rest();
    return phases;
  }

 private:
  struct Reduction {
    Loop shell;                     // without a body
    std::vector<ScalarId> values;   // of one row, in the rows' common body
    std::vector<BufferId> buffers;  // for them
  };

  // A loop over the rows, or several, one within the other: their statements join the common body.
  bool take_rows(Loop& loop) {
    std::vector<Loop*> chain;
    for (Loop* at = &loop; at != nullptr && is_over_rows(*at);) {
      chain.push_back(at);
      Loop* inner = at->kind == LoopKind::kReduce ? same_reduction_inside(*at) : nullptr;
      if (at->kind == LoopKind::kMap && at->body.stmts.size() == 1)
        inner = std::get_if<Loop>(&at->body.stmts[0].node);
      at = inner;
    }
    if (chain.empty()) return false;
    if (rows_.empty()) {
      for (const Loop* at : chain) {
        rows_.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(at->var)], at->extent, 1,
                                  LoopKind::kParallel));
      }
    }
    if (chain.size() != rows_.size()) return false;
    Copier copy(kernel_);
    for (size_t i = 0; i < chain.size(); ++i) {
      if (chain[i]->extent != rows_[i].extent) return false;
      copy.replace_variable(chain[i]->var, kernel_.var(rows_[i].var));
    }
    if (!take_body(chain.back()->body, copy)) return false;
    if (loop.kind != LoopKind::kReduce) return true;
    Reduction reduction;
    for (const Carry& carry : chain.back()->carries) reduction.values.push_back(copy.fresh(carry.next));
    for (const Carry& carry : loop.carries) later_.insert(carry.result);
    reduction.shell = loop;
    reduction.shell.body = Block{};
    reductions_.push_back(std::move(reduction));
    return true;
  }

  // Not over what is contracted, which the side that has columns sees, too.
  bool is_over_rows(Loop& loop) const {
    if (loop.step != 1 || (loop.kind != LoopKind::kReduce && loop.kind != LoopKind::kMap)) return false;
    const auto sees = [&](const Stmt& stmt) {
      auto* load = std::get_if<Load>(&stmt.node);
      return load != nullptr && load->offset.uses(loop.var) && load->offset.uses(lane_);
    };
    for (Stmt& stmt : loop.body.stmts) {
      auto* inner = std::get_if<Loop>(&stmt.node);
      if (inner == nullptr) continue;
      const Block& terms = innermost(*inner).body;
      if (std::any_of(terms.stmts.begin(), terms.stmts.end(), sees)) return false;
    }
    // A reduction that holds no other one is over rows if it is no product itself.
    return has_loops(loop.body) || !reduces_product(loop);
  }
  bool reduces_product(const Loop& loop) const {
    bool row = false, column = false;
    for (const Stmt& stmt : loop.body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || !load->offset.uses(loop.var)) continue;
      if (is_local(load->buffer)) return false;  // what another loop has made of the rows
      (load->offset.uses(lane_) ? column : row) = true;
    }
    return loop.kind == LoopKind::kReduce && row && column;
  }

  // What loops hand to each other in local buffers stays a scalar, and what several compute is computed once.
  bool take_body(const Block& body, Copier& copy) {
    for (const Stmt& stmt : body.stmts) {
      Stmt here = copy(stmt);
      if (auto* store = std::get_if<Store>(&here.node); store != nullptr && is_local(store->buffer)) {
        handed_[{store->buffer, store->offset}] = store->value;
        continue;
      }
      if (auto* load = std::get_if<Load>(&here.node); load != nullptr && is_local(load->buffer)) {
        auto found = handed_.find({load->buffer, load->offset});
        if (found == handed_.end()) return false;
        copy.replace_scalar(std::get<Load>(stmt.node).result, found->second);
        continue;
      }
      if (auto* loop = std::get_if<Loop>(&here.node)) {
        bool alone = true;
        for_each_stmt(loop->body, [&](Stmt& inner) {
          auto* load = std::get_if<Load>(&inner.node);
          alone = alone && !(load != nullptr && is_local(load->buffer)) &&
                  !std::holds_alternative<Store>(inner.node) && !std::holds_alternative<Alloc>(inner.node);
        });
        if (!alone) return false;
      }
      if (const ScalarId same = computed_before(here); same != kNone)
        copy.replace_scalar(results(stmt)[0], same);
      else
        common_.push_back(std::move(here));
    }
    return true;
  }

  // The scalar that is the same, or kNone: this one is new.
  ScalarId computed_before(const Stmt& stmt) {
    if (auto* load = std::get_if<Load>(&stmt.node);
        load != nullptr && kernel_.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kInput) {
      auto [it, fresh] = loads_.try_emplace({load->buffer, load->offset, load->predicate}, load->result);
      return fresh ? kNone : it->second;
    }
    auto* let = std::get_if<Let>(&stmt.node);
    if (let == nullptr) return kNone;
    std::vector<const Let*>& alike = lets_[{let->record, let->operands}];
    for (const Let* other : alike) {
      if (other->attributes == let->attributes && dtype_of(other->result) == dtype_of(let->result))
        return other->result;
    }
    kept_.push_back(*let);
    alike.push_back(&kept_.back());
    return kNone;
  }
  DType dtype_of(ScalarId id) const { return kernel_.scalars[static_cast<size_t>(id)]; }

  bool is_local(BufferId id) const {
    return kernel_.buffers[static_cast<size_t>(id)].kind == Buffer::Kind::kLocal;
  }

  Nest product(Columns& columns) {
    Nest nest;
    columns.points = columns.parts = 1;
    for (const Loop& loop : nest_.loops) {
      columns.place = columns.place * loop.extent + kernel_.var(loop.var);
      columns.points *= loop.extent;
    }
    Index part;
    for (const Loop& row : rows_) {
      part = part * row.extent + kernel_.var(row.var);
      columns.parts *= row.extent;
      columns.rows.push_back(row.var);
      nest.loops.push_back(row);
    }
    nest.loops.insert(nest.loops.end(), nest_.loops.begin(), nest_.loops.end());
    for (const Stmt& stmt : before_) {
      nest.body.stmts.push_back(stmt);
      if (std::holds_alternative<Literal>(stmt.node)) columns.literals.push_back(stmt);
    }
    for (Stmt& stmt : common_) nest.body.stmts.push_back(std::move(stmt));
    for (Reduction& reduction : reductions_) {
      Columns::Reduction joined{{}, reduction.shell.carries, reduction.shell.combiner};
      for (ScalarId value : reduction.values) {
        joined.values.push_back(kernel_.add_buffer({"columns",
                                                    kernel_.scalars[static_cast<size_t>(value)],
                                                    columns.parts * columns.points,
                                                    Buffer::Kind::kShared,
                                                    {columns.parts, columns.points}}));
        nest.body.stmts.push_back(
            {Store{joined.values.back(), part * columns.points + columns.place, value}});
      }
      reduction.buffers = joined.values;
      columns.reductions.push_back(std::move(joined));
    }
    return nest;
  }

  // The phase behind, but for its reductions over parts, whose number is known only when the first one is
  // tiled: see join_parts.
  Nest rest() {
    Nest nest;
    Copier copy(kernel_);
    for (const Loop& loop : nest_.loops) {
      nest.loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent,
                                     1, LoopKind::kParallel));
      copy.replace_variable(loop.var, kernel_.var(nest.loops.back().var));
    }
    for (const Stmt& stmt : before_) nest.body.stmts.push_back(copy(stmt));
    for (const Reduction& reduction : reductions_) {
      Loop loop = std::get<Loop>(copy(Stmt{reduction.shell}).node);
      for (size_t c = 0; c < loop.carries.size(); ++c) {
        Carry& carry = loop.carries[c];
        carry.next = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(carry.init)]);
        loop.body.stmts.push_back({Load{carry.next, reduction.buffers[c], 0}});
      }
      nest.body.stmts.push_back({std::move(loop)});
    }
    for (const Stmt& stmt : behind_) nest.body.stmts.push_back(copy(stmt));
    return nest;
  }

  Kernel& kernel_;
  Nest nest_;
  VarId lane_ = kNone;
  std::vector<Loop> rows_;
  std::vector<Stmt> before_, common_, behind_;  // the rows' loops
  std::vector<Reduction> reductions_;
  std::map<std::pair<BufferId, Index>, ScalarId> handed_;
  std::map<std::tuple<BufferId, Index, ScalarId>, ScalarId> loads_;
  std::map<std::pair<const ir::OpRecord*, std::vector<ScalarId>>, std::vector<const Let*>> lets_;
  std::deque<Let> kept_;
  std::set<ScalarId> later_;  // what waits for a reduction
};

// What stands beside the product is read where it lies: along the lanes, or in a place that they share.
bool reads_along(const Block& body, VarId lane) {
  return std::all_of(body.stmts.begin(), body.stmts.end(), [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    return load == nullptr || !load->offset.uses(lane) ||
           (!load->offset.uses_nonlinearly(lane) && load->offset.coefficient(lane) == 1);
  });
}

// The kernel in two phases, if it joins rows of a product that a register tile can make.
std::optional<Phases> split(Kernel& kernel, const Nest& nest) {
  const auto reduces_loops = [](const Stmt& stmt) {
    return is_reduction(stmt) && has_loops(std::get<Loop>(stmt.node).body);
  };
  if (std::none_of(nest.body.stmts.begin(), nest.body.stmts.end(), reduces_loops)) return std::nullopt;
  for (size_t lane = nest.loops.size(); lane-- > 0;) {
    std::optional<Phases> phases = Split(kernel, nest, lane).run();
    if (!phases) continue;
    Loop* reduction = single_reduction(phases->product.body);
    Roles roles;
    if (reduction == nullptr || !find_roles(phases->product, *reduction, roles)) continue;
    const VarId m = phases->product.loops[roles.m].var, n = phases->product.loops[roles.n].var;
    const std::vector<VarId>& rows = phases->columns.rows;
    if (n != nest.loops[lane].var || std::find(rows.begin(), rows.end(), m) == rows.end()) continue;
    if (!reads_along(phases->product.body, n)) continue;
    const bool literal = std::all_of(
        phases->columns.reductions.begin(), phases->columns.reductions.end(), [&](const auto& joined) {
          return std::all_of(joined.carries.begin(), joined.carries.end(), [&](const Carry& carry) {
            return find_literal(phases->columns, carry.init) != nullptr;
          });
        });
    if (literal) return phases;
  }
  return std::nullopt;
}

// The second phase reads what the first one has left, part by part.
void join_parts(Kernel& kernel, const Columns& columns, Nest& nest) {
  Index place;
  for (const Loop& loop : nest.loops) place = place * loop.extent + kernel.var(loop.var);
  for (Stmt& stmt : nest.body.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    loop->extent = columns.parts;
    loop->var = kernel.add_var("part", columns.parts);
    for (Stmt& inner : loop->body.stmts)
      std::get<Load>(inner.node).offset = kernel.var(loop->var) * columns.points + place;
  }
}

}  // namespace

const Literal* find_literal(const Columns& columns, ScalarId id) {
  for (const Stmt& stmt : columns.literals) {
    const auto& literal = std::get<Literal>(stmt.node);
    if (literal.result == id) return &literal;
  }
  return nullptr;
}

bool reduces_columns(Kernel kernel) {
  collapse_loops(kernel);
  if (!kernel.bound.empty()) return false;
  const Nest nest = take_nest(kernel);
  return split(kernel, nest).has_value();
}

bool reduce_columns(Kernel& original, const Target& target) {
  if (!original.bound.empty()) return false;
  Kernel kernel = original;
  std::optional<Phases> phases = split(kernel, take_nest(kernel));
  if (!phases) return false;
  Block all;
  for (const Columns::Reduction& reduction : phases->columns.reductions) {
    for (BufferId buffer : reduction.values) all.stmts.push_back({Alloc{buffer}});
  }
  const auto append = [&] {
    for (Stmt& stmt : kernel.body.stmts) all.stmts.push_back(std::move(stmt));
  };
  eliminate_dead(kernel, phases->product.body);
  put_nest(kernel, std::move(phases->product));
  share_and_tile(kernel, target, &phases->columns);
  append();
  join_parts(kernel, phases->columns, phases->rest);
  eliminate_dead(kernel, phases->rest.body);
  put_nest(kernel, std::move(phases->rest));
  share_and_tile(kernel, target);
  append();
  kernel.body = std::move(all);
  kernel.report.kind = KernelKind::kContraction;
  original = std::move(kernel);
  return true;
}

}  // namespace ingot::kernel
