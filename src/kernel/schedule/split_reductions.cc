// Long reductions, shared among threads.
//
// Threads share the points of the band. Where that has few points and much is reduced, the reduction itself
// is shared: the kernel becomes phases, each of them a band of its own.
//
//   parallel part, band:   the reduction over one part of its points, whose result goes to shared memory
//   parallel band:         the parts' results are joined, in their order; all that follows
//
// A reduction that needs the result of another one gets phases of its own behind it. What a part is follows
// from extents alone, so results do not depend on the number of threads.
#include <algorithm>
#include <set>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/contraction/contraction_sizes.h"
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/reductions/cut_reduction.h"
#include "kernel/schedule/steps.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kPartRows = 64;         // of a part that has a result per column
constexpr int64_t kLongestColumn = 8192;  // rows that are added up in memory in one go
constexpr int64_t kMostUnits = 2048;

// Reductions and what is computed from them, without buffers of their own, stored at the end.
bool only_reduces(const Block& body) {
  bool any = false;
  for (const Stmt& stmt : body.stmts) {
    if (std::holds_alternative<Alloc>(stmt.node)) return false;
    if (std::holds_alternative<Loop>(stmt.node) && !is_reduction(stmt)) return false;
    any = any || is_reduction(stmt);
  }
  return any;
}

class PhaseSplitter {
 public:
  PhaseSplitter(Kernel& kernel, const Target& target)
      : kernel_(kernel), target_(target), nest_(take_nest(kernel)) {}

  // The band's only reduction, whatever it costs elsewhere, over a band that runs side by side along `lane`.
  void run_in_parts(int64_t parts, size_t lane) {
    for (const Loop& loop : nest_.loops) band_points_ *= loop.extent;
    lane_ = lane;
    fixed_parts_ = parts;
    split_once();
    finish();
  }

  // Leaves the kernel as it was, if there is nothing to split.
  void run() {
    if (only_reduces(nest_.body)) {
      measure_band();
      while (split_once()) {
      }
    }
    finish();
  }

 private:
  void finish() {
    if (phases_.stmts.empty()) return put_nest(kernel_, std::move(nest_));
    if (nest_.loops.empty()) nest_.loops.push_back(make_loop(kernel_, "one", 1, 1, LoopKind::kParallel));
    eliminate_dead(kernel_, nest_.body);
    append_phase(std::move(nest_.loops), std::move(nest_.body));
    kernel_.body = std::move(phases_);
  }

  // Parts of the band that run side by side or one after the other, and what is left to share among threads.
  void measure_band() {
    lane_ = cheapest_lane(kernel_, target_, nest_);
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      const int64_t extent = nest_.loops[i].extent;
      band_points_ *= extent;
      if (lane_ != i) {
        units_ *= extent;
        continue;
      }
      const int64_t row = points_in_memory(kernel_, target_, nest_, i, prices::kEnoughUnits);
      in_memory_ = row > 0;
      unit_points_ = std::min(extent, row > 0 ? row : 4 * target_.lanes(DType::kF32));
      units_ *= (extent + unit_points_ - 1) / unit_points_;
    }
  }

  // How many parts the reduction should have; 1: it stays whole.
  int64_t wanted_parts(const Loop& reduction) const {
    if (fixed_parts_ > 0) return fixed_parts_;
    const int64_t points = points_of(reduction);
    // What is added up in memory is one chain per column.
    const int64_t least = in_memory_ && rounds(kernel_, reduction) ? points / kLongestColumn : 1;
    if (units_ >= prices::kEnoughUnits) return least;
    int64_t parts =
        std::min(points * unit_points_ / prices::kWorthThreads, (kMostUnits + units_ - 1) / units_);
    // A row of results for each part is written and read again.
    if (lane_) parts = std::min(parts, points / kPartRows);
    return std::max(parts, least);
  }

  // The reductions that wait for no other long one, and are cut alike. Everything that needs one of their
  // results is in `later`.
  std::vector<size_t> next_to_split(Cut& cut, std::set<ScalarId>& later) {
    std::vector<size_t> found;
    for (size_t i = 0; i < nest_.body.stmts.size(); ++i) {
      Stmt& stmt = nest_.body.stmts[i];
      bool waits = false;
      for (ScalarId id : uses(kernel_, stmt)) waits = waits || later.count(id) > 0;
      if (!waits && is_reduction(stmt)) {
        Loop& loop = std::get<Loop>(stmt.node);
        const int64_t parts = wanted_parts(loop);
        if (parts >= 2) {
          const Cut own = cut_into(extents_of(loop), parts);
          if (own.pieces() >= 2 && (found.empty() || fits_cut(own, cut, loop))) {
            if (found.empty()) cut = own;
            found.push_back(i);
            waits = true;
          }
        }
      }
      if (!waits) continue;
      for (ScalarId id : results(stmt)) later.insert(id);
    }
    return found;
  }

  // Reductions of one phase have the same number of parts.
  static bool fits_cut(const Cut& own, const Cut& first, Loop& loop) {
    if (own == first) return true;
    return first.levels.size() == 1 && loop.extent >= first.levels[0].pieces;
  }

  // The first cut's number of pieces, for a reduction of another extent.
  static Cut adapted(const Cut& first, Loop& loop) {
    Cut cut = first;
    const Cut::Level last = first.levels.back();
    cut.left_over = extents_of(loop)[first.levels.size() - 1] - last.pieces * last.length;
    if (first.levels.size() != 1) return cut;
    const int64_t pieces = first.levels[0].pieces;
    cut.levels = {{pieces, loop.extent / pieces}};
    cut.left_over = loop.extent % pieces;
    return cut;
  }

  struct Split {
    size_t at;  // in the body
    Cut cut;
    std::vector<BufferId> parts;  // per carry
  };

  bool split_once() {
    Cut first;
    std::set<ScalarId> later;
    std::vector<Split> splits;
    for (size_t at : next_to_split(first, later)) {
      Loop& loop = std::get<Loop>(nest_.body.stmts[at].node);
      Split split{at, adapted(first, loop), {}};
      for (const Carry& carry : loop.carries)
        split.parts.push_back(share("part", carry.result, first.pieces() * band_points_));
      splits.push_back(std::move(split));
    }
    if (splits.empty()) return false;
    reduce_parts(splits, later);
    join_parts(splits, later);
    return true;
  }

  BufferId share(const char* name, ScalarId like, int64_t elements) {
    const BufferId buffer = kernel_.add_buffer(
        {name, kernel_.scalars[static_cast<size_t>(like)], elements, Buffer::Kind::kShared, {elements}});
    phases_.stmts.insert(phases_.stmts.begin() + static_cast<int64_t>(shared_.size()), {Alloc{buffer}});
    shared_.push_back(buffer);
    return buffer;
  }

  // The band's loops anew, for a phase of its own.
  std::vector<Loop> fresh_band(Copier& copy) {
    std::vector<Loop> loops;
    for (const Loop& loop : nest_.loops) {
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent, 1,
                                LoopKind::kParallel));
      copy.replace_variable(loop.var, kernel_.var(loops.back().var));
    }
    return loops;
  }
  Index place_in_band(const std::vector<Loop>& loops) const {
    Index place;
    for (const Loop& loop : loops) place = place * loop.extent + kernel_.var(loop.var);
    return place;
  }
  // Columns lie side by side, the parts of a row too.
  Index place_of_part(const Index& part, int64_t parts, const Index& band) const {
    return lane_ ? part * band_points_ + band : band * parts + part;
  }

  void append_phase(std::vector<Loop> loops, Block body) {
    Block nest = wrap(std::move(loops), std::move(body));
    for (Stmt& stmt : nest.stmts) phases_.stmts.push_back(std::move(stmt));
  }

  void reduce_parts(const std::vector<Split>& splits, const std::set<ScalarId>& later) {
    Copier copy(kernel_);
    std::vector<Loop> band = fresh_band(copy), parts;
    const Index in_band = place_in_band(band);
    Index part;
    std::vector<Index> at;
    for (const Cut::Level& level : splits[0].cut.levels) {
      parts.push_back(make_loop(kernel_, "part", level.pieces, 1, LoopKind::kParallel));
      at.push_back(kernel_.var(parts.back().var));
      part = part * level.pieces + at.back();
    }
    const Index place = place_of_part(part, splits[0].cut.pieces(), in_band);
    Block body;
    size_t next = 0;
    for (size_t i = 0; i < nest_.body.stmts.size(); ++i) {
      const Stmt& stmt = nest_.body.stmts[i];
      if (next < splits.size() && splits[next].at == i) {
        const Split& split = splits[next++];
        Loop loop = piece_of(kernel_, copy, stmt, split.cut, at);
        const std::vector<ScalarId> values = results_of(loop);
        body.stmts.push_back({std::move(loop)});
        for (size_t c = 0; c < values.size(); ++c)
          body.stmts.push_back({Store{split.parts[c], place, values[c]}});
      } else if (!std::holds_alternative<Store>(stmt.node) && !waits(stmt, later)) {
        body.stmts.push_back(copy(stmt));
      }
    }
    eliminate_dead(kernel_, body);
    band.insert(lane_ ? band.begin() : band.end(), parts.begin(), parts.end());
    append_phase(std::move(band), std::move(body));
  }

  static bool waits(const Stmt& stmt, const std::set<ScalarId>& later) {
    const std::vector<ScalarId> made = results(stmt);
    return !made.empty() && later.count(made[0]) > 0;
  }

  // The body goes on from the parts' results. If more is to be split, they are joined in a phase of its own,
  // once for all units that follow.
  void join_parts(const std::vector<Split>& splits, const std::set<ScalarId>& later) {
    bool more = false;
    for (size_t i = 0; i < nest_.body.stmts.size(); ++i) {
      const Stmt& stmt = nest_.body.stmts[i];
      const bool split = std::any_of(splits.begin(), splits.end(), [&](const Split& s) { return s.at == i; });
      more = more || (!split && is_reduction(stmt) && waits(stmt, later) &&
                      wanted_parts(std::get<Loop>(stmt.node)) >= 2);
    }
    Copier copy(kernel_);
    std::vector<Loop> band = fresh_band(copy);
    const Index in_band = place_in_band(band);
    Block body, joining;
    size_t next = 0;
    for (size_t i = 0; i < nest_.body.stmts.size(); ++i) {
      const Stmt& stmt = nest_.body.stmts[i];
      if (next == splits.size() || splits[next].at != i) {
        if (more && !std::holds_alternative<Store>(stmt.node) && !waits(stmt, later))
          joining.stmts.push_back(stmt);
        body.stmts.push_back(copy(stmt));
        continue;
      }
      join(splits[next++], stmt, more ? nest_.loops : band, copy, more ? joining : body, body, more);
    }
    if (more) {
      eliminate_dead(kernel_, joining);
      std::vector<Loop> loops = nest_.loops;
      if (loops.empty()) loops.push_back(make_loop(kernel_, "one", 1, 1, LoopKind::kParallel));
      append_phase(std::move(loops), std::move(joining));
    }
    nest_.loops = std::move(band);
    nest_.body = std::move(body);
  }

  // Writes the joining of one split reduction `to` a block over the band's loops `band`.
  void join(const Split& split, const Stmt& stmt, const std::vector<Loop>& band, Copier& copy, Block& to,
            Block& body, bool apart) {
    const Loop& reduction = std::get<Loop>(stmt.node);
    Copier same(kernel_);  // of what stays in the phase of the original
    Copier& here = apart ? same : copy;
    const Index in_band = place_in_band(band);
    const int64_t pieces = split.cut.pieces();
    Loop parts = make_loop(kernel_, "part", pieces, 1, LoopKind::kReduce);
    const Index place = place_of_part(kernel_.var(parts.var), pieces, in_band);
    for (size_t c = 0; c < reduction.carries.size(); ++c) {
      const ScalarId result = reduction.carries[c].result;
      const ScalarId value = like(result);
      parts.body.stmts.push_back({Load{value, split.parts[c], place}});
      parts.carries.push_back({here.fresh(reduction.carries[c].init), kNone, value, like(result)});
      parts.combiner.lhs.push_back(like(result));
      parts.combiner.rhs.push_back(like(result));
    }
    parts.combiner.out = combine(kernel_, reduction.combiner, parts.combiner.lhs, parts.combiner.rhs,
                                 parts.combiner.body, &here);
    std::vector<ScalarId> values = results_of(parts);
    to.stmts.push_back({std::move(parts)});
    if (split.cut.left_over > 0) {
      Loop rest = rest_of(kernel_, here, stmt, split.cut);
      const std::vector<ScalarId> last = results_of(rest);
      to.stmts.push_back({std::move(rest)});
      values = combine(kernel_, reduction.combiner, values, last, to, &here);
    }
    for (size_t c = 0; c < values.size(); ++c) {
      const ScalarId result = reduction.carries[c].result;
      if (apart) {
        const BufferId joined = share("joined", result, band_points_);
        to.stmts.push_back({Store{joined, in_band, values[c]}});
        values[c] = like(result);
        body.stmts.push_back({Load{values[c], joined, copy.fresh(in_band)}});
      }
      copy.replace_scalar(result, values[c]);
    }
  }
  ScalarId like(ScalarId id) { return kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(id)]); }

  Kernel& kernel_;
  const Target& target_;
  Nest nest_;
  Block phases_;
  std::vector<BufferId> shared_;
  std::optional<size_t> lane_;
  bool in_memory_ = false;
  int64_t fixed_parts_ = 0;  // 0: what wanted_parts finds
  int64_t band_points_ = 1, units_ = 1, unit_points_ = 1;
};

// True if all loads inside of innermost loops take neighbours along them.
bool reads_neighbours(const Loop& loop) {
  bool innermost = true, neighbours = true;
  for (const Stmt& stmt : loop.body.stmts) {
    auto* inner = std::get_if<Loop>(&stmt.node);
    if (inner == nullptr) continue;
    innermost = false;
    neighbours = neighbours && reads_neighbours(*inner);
  }
  if (!innermost) return neighbours;
  return std::all_of(loop.body.stmts.begin(), loop.body.stmts.end(), [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    return load == nullptr ||
           (!load->offset.uses_nonlinearly(loop.var) && std::abs(load->offset.coefficient(loop.var)) <= 1);
  });
}

}  // namespace

bool shares_reductions(Kernel kernel) {
  collapse_loops(kernel);
  const Nest nest = take_nest(kernel);
  return only_reduces(nest.body) &&
         std::all_of(nest.body.stmts.begin(), nest.body.stmts.end(), [](const Stmt& stmt) {
           return !is_reduction(stmt) || reads_neighbours(std::get<Loop>(stmt.node));
         });
}

bool split_contraction(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;
  Nest nest = take_nest(kernel);
  Loop* reduction = single_reduction(nest.body);
  Roles roles;
  int64_t parts = 1;
  if (reduction != nullptr && find_roles(nest, *reduction, roles))
    parts = contracted_parts(kernel, target.for_sums(), nest, roles, *reduction);
  put_nest(kernel, std::move(nest));
  if (parts > 1) PhaseSplitter(kernel, target).run_in_parts(parts, roles.n);
  return parts > 1;
}

void split_reductions(Kernel& kernel, const Target& target) {
  PhaseSplitter(kernel, target).run();
}

}  // namespace ingot::kernel
