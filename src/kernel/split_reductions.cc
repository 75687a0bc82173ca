// Long reductions, cut into pieces.
//
// Threads share the points of the band. Where that has few points and much is reduced, the reduction itself
// is shared: the kernel becomes phases, each of them a band of its own.
//
//   parallel part, band:   the reduction over one part of its points; what it amounts to goes to shared
//   memory parallel band:         the parts' results are joined, in their order; all that follows
//
// A reduction that needs the result of another one gets phases of its own behind it. What a part is follows
// from extents alone, so results do not depend on the number of threads.
//
// Then chains of combinations are kept short. A sum that adds its terms to one register loses a digit for
// every ten thousand of them; cut into blocks of some thousand, whose sums are added up in turn, it loses
// next to nothing, and costs no more. Nothing here knows an operation: this goes for every combiner.
#include <algorithm>
#include <set>

#include "kernel/blocks.h"
#include "kernel/copier.h"
#include "kernel/reductions.h"
#include "kernel/schedule.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kPartPoints = 65536;    // of a part: enough to pay for joining it
constexpr int64_t kPartRows = 64;         // of a part that has a result per column
constexpr int64_t kLongestColumn = 8192;  // rows that are added up in memory in one go
constexpr int64_t kEnoughUnits = 64;      // of a band that need not be cut
constexpr int64_t kMostUnits = 2048;
constexpr int64_t kBlock = 4096;       // terms that lanes add up in one go
constexpr int64_t kSerialBlock = 512;  // terms that one register adds up in one go

bool is_reduction(const Stmt& stmt) {
  auto* loop = std::get_if<Loop>(&stmt.node);
  return loop != nullptr && loop->kind == LoopKind::kReduce;
}

// The loop directly inside that does nothing but go on with the same reduction, or null.
Loop* same_reduction_inside(Loop& loop) {
  if (loop.body.stmts.size() != 1 || !is_reduction(loop.body.stmts[0])) return nullptr;
  Loop& inner = std::get<Loop>(loop.body.stmts[0].node);
  for (size_t i = 0; i < loop.carries.size(); ++i) {
    if (loop.carries[i].next != inner.carries[i].result || loop.carries[i].init != inner.carries[i].init)
      return nullptr;
  }
  return inner.carries.size() == loop.carries.size() ? &inner : nullptr;
}

std::vector<int64_t> extents_of(Loop& reduction) {
  std::vector<int64_t> extents;
  for (Loop* loop = &reduction; loop != nullptr; loop = same_reduction_inside(*loop))
    extents.push_back(loop->extent);
  return extents;
}

// Points of all loops inside, the longest way.
int64_t points_of(const Loop& loop) {
  int64_t inside = 1;
  for (const Stmt& stmt : loop.body.stmts) {
    if (auto* inner = std::get_if<Loop>(&stmt.node)) inside = std::max(inside, points_of(*inner));
  }
  return loop.extent * inside;
}

bool rounds(const Kernel& kernel, const Loop& loop) {
  return std::any_of(loop.carries.begin(), loop.carries.end(), [&](const Carry& carry) {
    return is_float(kernel.scalars[static_cast<size_t>(carry.init)]);
  });
}

// How the outermost loops of a reduction are cut: all but the last of these into single points. What the last
// one leaves over follows at the end.
struct Cut {
  struct Level {
    int64_t pieces, length;
    bool operator==(const Level&) const = default;
  };
  std::vector<Level> levels;
  int64_t left_over = 0;

  int64_t pieces() const {
    int64_t all = 1;
    for (const Level& level : levels) all *= level.pieces;
    return all;
  }
  bool operator==(const Cut& other) const { return levels == other.levels; }
};

// The largest divisor of the extent near the wanted number of pieces, or else what leaves little over.
Cut::Level cut_level(int64_t extent, int64_t wanted) {
  const int64_t pieces = std::clamp<int64_t>(wanted, 1, extent);
  for (int64_t n = pieces; n * 4 >= pieces * 3; --n) {
    if (extent % n == 0) return {n, extent / n};
  }
  const int64_t length = extent / pieces;
  return {extent / length, length};
}

Cut cut_into(const std::vector<int64_t>& extents, int64_t wanted) {
  Cut cut;
  for (size_t i = 0; i < extents.size() && wanted > 1; ++i) {
    if (extents[i] <= wanted && i + 1 < extents.size()) {
      cut.levels.push_back({extents[i], 1});
      wanted = (wanted + extents[i] - 1) / extents[i];
      continue;
    }
    cut.levels.push_back(cut_level(extents[i], wanted));
    cut.left_over = extents[i] - cut.levels.back().pieces * cut.levels.back().length;
    break;
  }
  // Where single points were enough, the next level stays whole.
  if (!cut.levels.empty() && cut.levels.size() < extents.size() && cut.levels.back().length == 1 &&
      cut.left_over == 0)
    cut.levels.push_back({1, extents[cut.levels.size()]});
  return cut;
}

void set_range(Kernel& kernel, Loop& loop, const Index& start, int64_t extent) {
  const VarId old = loop.var;
  loop.extent = extent;
  loop.var = kernel.add_var(kernel.var_names[static_cast<size_t>(old)], extent);
  const Index at = start + kernel.var(loop.var);
  substitute(loop.body, [&](int id, int64_t e) { return id == old ? at : Index::variable(id, e); });
}

// A copy of the reduction over one piece of its points; `at` has an index per level.
Loop piece_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut,
              const std::vector<Index>& at) {
  Loop loop = std::get<Loop>(copy(reduction).node);
  for (size_t i = 0; i + 1 < cut.levels.size(); ++i) {
    Loop inner = std::move(std::get<Loop>(loop.body.stmts[0].node));
    const VarId outer = loop.var;
    substitute(inner.body,
               [&](int id, int64_t extent) { return id == outer ? at[i] : Index::variable(id, extent); });
    loop = std::move(inner);
  }
  set_range(kernel, loop, at.back() * cut.levels.back().length, cut.levels.back().length);
  return loop;
}

// A copy of the reduction over what the cut leaves over.
Loop rest_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut) {
  Loop loop = std::get<Loop>(copy(reduction).node);
  Loop* level = &loop;
  for (size_t i = 0; i + 1 < cut.levels.size(); ++i) level = same_reduction_inside(*level);
  set_range(kernel, *level, cut.levels.back().pieces * cut.levels.back().length, cut.left_over);
  return loop;
}

std::vector<ScalarId> results_of(const Loop& loop) {
  std::vector<ScalarId> ids;
  for (const Carry& carry : loop.carries) ids.push_back(carry.result);
  return ids;
}

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

  // Leaves the kernel as it was, if there is nothing to split.
  void run() {
    if (only_reduces(nest_.body)) {
      measure_band();
      while (split_once()) {
      }
    }
    if (phases_.stmts.empty()) return put_nest(kernel_, std::move(nest_));
    if (nest_.loops.empty()) nest_.loops.push_back(make_loop(kernel_, "one", 1, 1, LoopKind::kParallel));
    eliminate_dead(kernel_, nest_.body);
    append_phase(std::move(nest_.loops), std::move(nest_.body));
    kernel_.body = std::move(phases_);
  }

 private:
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
      const int64_t row = points_in_memory(kernel_, target_, nest_, i, kEnoughUnits);
      in_memory_ = row > 0;
      unit_points_ = std::min(extent, row > 0 ? row : 4 * target_.lanes(DType::kF32));
      units_ *= (extent + unit_points_ - 1) / unit_points_;
    }
  }

  // How many parts the reduction should have; 1: it stays whole.
  int64_t wanted_parts(const Loop& reduction) const {
    const int64_t points = points_of(reduction);
    // What is added up in memory is one chain per column.
    const int64_t least = in_memory_ && rounds(kernel_, reduction) ? points / kLongestColumn : 1;
    if (units_ >= kEnoughUnits) return least;
    int64_t parts = std::min(points * unit_points_ / kPartPoints, (kMostUnits + units_ - 1) / units_);
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
    shared_.push_back(buffer);
    phases_.stmts.insert(phases_.stmts.begin() + static_cast<int64_t>(shared_.size()) - 1, {Alloc{buffer}});
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
  int64_t band_points_ = 1, units_ = 1, unit_points_ = 1;
};

// --- short chains

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
void shorten_chains(Kernel& kernel, Block& block, bool lanes) {
  Block out;
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) {
      out.stmts.push_back(std::move(stmt));
      continue;
    }
    shorten_chains(kernel, loop->body, lanes);
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

void shorten_chains_of_phase(Kernel& kernel, const Target& target) {
  Nest nest = take_nest(kernel);
  const std::optional<size_t> lane = cheapest_lane(kernel, target, nest);
  const bool in_memory = lane && points_in_memory(kernel, target, nest, *lane, 1) > 0;
  if (!in_memory) shorten_chains(kernel, nest.body, !lane);
  put_nest(kernel, std::move(nest));
}

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

void split_reductions(Kernel& kernel, const Target& target) {
  PhaseSplitter(kernel, target).run();
  for_each_phase(kernel, [&] { shorten_chains_of_phase(kernel, target); });
}

}  // namespace ingot::kernel
