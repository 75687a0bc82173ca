// Register tiles for contractions.
//
// A contraction is a reduction over k at every point (m, n) of the band where some loads do not depend on m
// and others not on n. It runs as
//
//   parallel chunk of n, chunk of m:
//     for block of k:                          (one block, where all of k fits: the panels are packed before
//                                               the chunks of m, for all of them that follow each other)
//       pack what depends on (k, n) only, in panels of NR
//       for other dimensions of the rows' side, for group of rows:   (what the second-level cache holds)
//         pack what depends on (m, k) only, in tiles of MR rows
//         for panel, for tile of rows:
//           tile m in MR, lanes n in NR:  all accumulators in registers
//             reduce k in block; keep the sums in a local buffer
//           epilogue, store                    (with several blocks: after the last one, for all tiles)
//
// Panels that the unit's caches do not hold are fetched one ahead: each tile asks for a part of the next
// panel.
//
// Where many chunks of m would pack the same panels again, or many chunks of n the same rows, all of them are
// packed in a phase of their own, into memory that the units share. What a side sees of other dimensions is
// packed for each of them.
//
// Where m alone is short, the other dimensions that the panels do not see share them: (a, b, k) with (k, n)
// is one product with a times b rows, in whatever order a, b and k lie in memory.
//
// Producers run in the packing, once per element. The epilogue runs on sums that are still in a cache, as a
// loop of its own: written out for every accumulator it would be long, and take their registers away from the
// sums. An epilogue of next to nothing stays with the sums, if there is one block. Tiles are counted, and the
// last one of a chunk is moved back where it would leave it (see start_of). Rows that are joined, as the sum
// of each column, are joined in the epilogue, column by column of the tile; what all of a unit's rows amount
// to is stored when it ends (Columns). Nothing here knows an operation.
#include <algorithm>
#include <memory>
#include <optional>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/contraction/contraction_sizes.h"

namespace ingot::kernel {
namespace {

void append(Block& to, Block from) {
  for (Stmt& stmt : from.stmts) to.stmts.push_back(std::move(stmt));
}

// Builds the loops of one unit.
class Unit {
 public:
  // `rest` are the other loops of the rows' side that run inside of the unit.
  // If the machine multiplies pairs of 16 bits, such operands are packed as they are.
  Unit(Kernel& kernel, const Sizes& sizes, int64_t blocks, std::vector<Loop> rest, const Target& target)
      : kernel_(kernel),
        target_(target),
        depth_(target.tiles.depth()),
        sizes_(sizes),
        rest_(std::move(rest)),
        block_(make_loop(kernel, "k_block", blocks, 1, LoopKind::kScan)),
        panel_(make_loop(kernel, "n_panel", sizes.panels, 1, LoopKind::kMap)),
        group_(make_loop(kernel, "m_group", sizes.groups, 1, LoopKind::kMap)),
        tile_(make_loop(kernel, "m_tile", sizes.tiles, 1, LoopKind::kMap)),
        m_(make_loop(kernel, "m", sizes.rows, 1, LoopKind::kMap, LoopStyle::kTile)),
        n_(make_loop(kernel, "n", sizes.panel, 1, LoopKind::kMap, LoopStyle::kLanes)) {
    n_.vectors = static_cast<int>(sizes.vectors);
  }

  VarId block() const { return block_.var; }
  Index m() const {
    return start_of(tile_ordinal(), sizes_.groups * sizes_.tiles, sizes_.rows, sizes_.m_chunk) +
           kernel_.var(m_.var);
  }
  Index n() const {
    return start_of(kernel_.var(panel_.var), sizes_.panels, sizes_.panel, sizes_.n_chunk) +
           kernel_.var(n_.var);
  }

  // Packs sides once for all units, each in a phase of its own; the phases are returned with their buffers'
  // allocations. `loops` are those around the chunks of rows, which are `chunks`, and `body` is as for build,
  // but before k is cut into blocks. For matrix tiles it is cut already: each block ends with zeros.
  Block share(const Block& body, Loop& reduction, std::vector<Loop> loops, const std::vector<Loop>& chunks) {
    const bool whole_pairs = block_.extent == 1 || innermost(reduction).extent / block_.extent % 2 == 0;
    narrow_ = whole_pairs && sums_packed_pairs(kernel_, innermost(reduction), target_);
    const bool rows_lie_well = contiguous_along(reduction, m_.var, n_.var);
    if (sizes_.matrix) loops.push_back(block_);
    Block phases;
    if (sizes_.shared_panels) {
      Block packed = packed_panels(body, reduction);
      shared_panels_ = !packed.stmts.empty();
      if (shared_panels_) append(phases, packed_for_all(kernel_, std::move(packed), reduction, loops));
    }
    if (sizes_.shared_rows) {
      Block packed = packed_rows(body, reduction, rows_lie_well);
      shared_rows_ = !packed.stmts.empty();
      loops.insert(loops.end(), chunks.begin(), chunks.end());
      loops.insert(loops.end(), rest_.begin(), rest_.end());
      loops.push_back(group_);
      if (shared_rows_) append(phases, packed_for_all(kernel_, std::move(packed), reduction, loops));
    }
    return phases;
  }

  // Rows are joined in the unit. `rows` are other loops of the rows' side that are, `counted` says which of
  // their points count; the unit's sums belong at `place` in the columns' buffers.
  void join(const Columns& columns, const std::vector<VarId>& rows, std::vector<Counted> counted,
            Index place) {
    Index own;
    int64_t elements = sizes_.panels * sizes_.panel;
    for (const Loop& loop : rest_) {
      if (std::find(rows.begin(), rows.end(), loop.var) != rows.end()) continue;
      own = own * loop.extent + kernel_.var(loop.var);
      elements *= loop.extent;
      columns_of_.push_back(loop);
    }
    own = (own * sizes_.panels + kernel_.var(panel_.var)) * sizes_.panel + kernel_.var(n_.var);
    if (sizes_.groups * sizes_.tiles * sizes_.rows > sizes_.m_chunk)
      counted.push_back({m() - tile_ordinal() * sizes_.rows, sizes_.rows});
    counted_ = std::move(counted);
    place_ = std::move(place);
    columns_.emplace(kernel_, columns, std::move(own), elements);
  }

  // `body` is in terms of the unit's variables. What does not depend on the chunk of m goes to `prelude`.
  Block build(Block body, Block& prelude) {
    Loop& reduction = *single_reduction(body);
    const bool blocked = block_.extent > 1;
    if (!shared_panels_ && !shared_rows_) narrow_ = sums_packed_pairs(kernel_, innermost(reduction), target_);
    Block result, in_block, in_group, epilogue;
    Sums sums;
    if (columns_) append(result, columns_->begin());
    if (sizes_.matrix || blocked || columns_ || !short_epilogue(body))
      sums = allocate(reduction, result, blocked);
    if (blocked) append(result, clear_sums(kernel_, body, reduction, sums, unit_sums()));
    if (!shared_panels_) append(blocked ? in_block : prelude, pack_panels(body, reduction));
    if ((sizes_.packed_rows || sizes_.matrix) && !shared_rows_)
      append(in_group, packed_rows(body, reduction, contiguous_along(reduction, m_.var, n_.var)));
    if (sizes_.matrix) flatten(reduction, flat_);
    Block ahead = blocked ? Block{} : over_tile(reads_of_epilogue(body), false);
    if (!sums.buffers.empty()) epilogue = cut_behind_reduction(kernel_, body, sums, blocked);
    if (sizes_.far_panels) look_ahead(*single_reduction(body));
    Block tile = std::move(ahead);
    append(tile, wrap({m_, n_}, std::move(body)));
    if (!blocked) append(tile, over_tile(std::move(epilogue), columns_.has_value()));
    append(in_group, wrap({panel_, tile_}, std::move(tile)));
    append(in_block, wrap(rest_, wrap({group_}, std::move(in_group))));
    if (!blocked) {
      append(result, std::move(in_block));
    } else {
      append(result, wrap({block_}, std::move(in_block)));
      append(result, over_unit(std::move(epilogue)));
    }
    if (columns_) append(result, over_columns(columns_->end(place_)));
    return result;
  }

 private:
  Index tile_ordinal() const { return kernel_.var(group_.var) * sizes_.tiles + kernel_.var(tile_.var); }
  int64_t tile_sums() const { return sizes_.rows * sizes_.panel; }
  int64_t unit_sums() const {
    int64_t sums = sizes_.panels * sizes_.groups * sizes_.tiles * tile_sums();
    for (const Loop& loop : rest_) sums *= loop.extent;
    return sums;
  }

  // A buffer for the sums of one tile, or of the whole unit where blocks of k follow each other.
  Sums allocate(const Loop& reduction, Block& to, bool blocked) {
    Sums sums;
    sums.place = kernel_.var(m_.var) * sizes_.panel + kernel_.var(n_.var);
    if (blocked) {
      Index tiles = kernel_.var(panel_.var);
      for (const Loop& loop : rest_) tiles = tiles * loop.extent + kernel_.var(loop.var);
      tiles = tiles * (sizes_.groups * sizes_.tiles) + tile_ordinal();
      sums.place = sums.place + tiles * tile_sums();
    }
    const int64_t elements = blocked ? unit_sums() : tile_sums();
    for (const Carry& carry : reduction.carries) {
      const DType dtype = kernel_.scalars[static_cast<size_t>(carry.result)];
      sums.buffers.push_back(kernel_.add_buffer(
          {"sums", dtype, elements, Buffer::Kind::kLocal, {elements / sizes_.panel, sizes_.panel}}));
      to.stmts.push_back({Alloc{sums.buffers.back()}});
    }
    return sums;
  }

  // Panels that are read several times, or whose points are no neighbours.
  Block pack_panels(const Block& body, Loop& reduction) {
    const bool read_once = sizes_.groups * sizes_.tiles < 2 && rest_.empty();
    if (read_once && contiguous_along(reduction, n_.var, m_.var) && !sizes_.matrix) return {};
    return packed_panels(body, reduction);
  }

  Block packed_panels(const Block& body, Loop& reduction) {
    const bool neighbours = contiguous_along(reduction, n_.var, m_.var);
    if (sizes_.matrix)
      return pack_pairs(kernel_, reduction,
                        {n_.var, panel_.var, m_.var, sizes_.panel, sizes_.panels, true, neighbours, "panels"},
                        flat(reduction));
    return pack_side(kernel_, body, reduction,
                     {n_.var, panel_.var, m_.var, sizes_.panel, sizes_.panels, true, neighbours, "panels",
                      narrow_, sizes_.far_sides});
  }

  // `neighbours`: rows are neighbours in memory.
  Block packed_rows(const Block& body, Loop& reduction, bool neighbours) {
    if (sizes_.matrix)
      return pack_pairs(kernel_, reduction,
                        {m_.var, tile_.var, n_.var, sizes_.rows, sizes_.tiles, false, neighbours, "rows"},
                        flat(reduction));
    return pack_side(kernel_, body, reduction,
                     {m_.var, tile_.var, n_.var, sizes_.rows, sizes_.tiles, neighbours, neighbours, "rows",
                      narrow_, sizes_.far_sides});
  }

  // The contracted dimensions of a block, as both copies see them.
  const FlatLoop& flat(Loop& reduction) {
    if (flat_.var == kNone) flat_ = flat_loop(kernel_, reduction, depth_);
    return flat_;
  }

  // What the epilogue reads of arrays as large as the result lies in pieces too short for the hardware to see
  // the next one coming. It is fetched while the tile adds up its sums.
  Block reads_of_epilogue(const Block& body) {
    Block reads;
    for (const Stmt& stmt : body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || load->predicate != kNone || !load->offset.uses(m_.var) ||
          load->offset.coefficient(n_.var) != 1)
        continue;
      const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load->buffer)];
      if (buffer.kind != Buffer::Kind::kInput) continue;
      reads.stmts.push_back({ahead_of(*load)});
    }
    return reads;
  }

  // Each tile brings a part of the next panel near while it computes.
  void look_ahead(Loop& reduction) {
    const int64_t share = divide_up(sizes_.panel, sizes_.tiles);  // of each point of k
    std::vector<Stmt> ahead;
    for (const Stmt& stmt : reduction.body.stmts) {
      const auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || !load->offset.uses(n_.var) || !load->offset.uses(panel_.var)) continue;
      if (!sizes_.matrix && load->offset.coefficient(reduction.var) != sizes_.panel) continue;
      Prefetch next = ahead_of(*load, {{panel_.var, 1}});
      next.offset = next.offset.substitute([&](int id, int64_t extent) {
        return id == n_.var || id == reduction.var ? Index(0) : Index::variable(id, extent);
      });
      const Index part = kernel_.var(tile_.var) * reduction.extent + kernel_.var(reduction.var);
      next.offset = next.offset + part * share;
      ahead.push_back({next});
    }
    reduction.body.stmts.insert(reduction.body.stmts.begin(), ahead.begin(), ahead.end());
  }

  Block over_tile(Block epilogue, bool joins) {
    if (epilogue.stmts.empty()) return {};
    Loop rows = make_loop(kernel_, "m", sizes_.rows, 1, LoopKind::kMap);
    Loop lanes = make_loop(kernel_, "n", sizes_.panel, 1, LoopKind::kMap, LoopStyle::kLanes);
    lanes.vectors = n_.vectors;
    const VarId row = rows.var;
    std::vector<Loop> loops;
    if (joins) {
      epilogue = columns_->join(std::move(epilogue), std::move(rows), counted_);
    } else {
      loops.push_back(std::move(rows));
    }
    replace(epilogue, {{m_.var, row}, {n_.var, lanes.var}});
    loops.push_back(std::move(lanes));
    return wrap(std::move(loops), std::move(epilogue));
  }

  Block over_columns(Block body) {
    std::vector<Loop> loops;
    std::unordered_map<VarId, VarId> renewed;
    const auto add = [&](const Loop& like, LoopStyle style) {
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(like.var)], like.extent, 1,
                                LoopKind::kMap, style));
      renewed[like.var] = loops.back().var;
    };
    for (const Loop& loop : columns_of_) add(loop, LoopStyle::kSerial);
    add(panel_, LoopStyle::kSerial);
    add(n_, LoopStyle::kLanes);
    replace(body, renewed);
    return wrap(std::move(loops), std::move(body));
  }

  Block over_unit(Block epilogue) {
    Loop panels = make_loop(kernel_, "n_panel", sizes_.panels, 1, LoopKind::kMap);
    Loop groups = make_loop(kernel_, "m_group", sizes_.groups, 1, LoopKind::kMap);
    Loop tiles = make_loop(kernel_, "m_tile", sizes_.tiles, 1, LoopKind::kMap);
    std::unordered_map<VarId, VarId> renewed = {
        {panel_.var, panels.var}, {group_.var, groups.var}, {tile_.var, tiles.var}};
    std::vector<Loop> loops = {std::move(panels)};
    for (const Loop& loop : rest_) {
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent, 1,
                                LoopKind::kMap));
      renewed[loop.var] = loops.back().var;
    }
    loops.push_back(std::move(groups));
    loops.push_back(std::move(tiles));
    epilogue = over_tile(std::move(epilogue), columns_.has_value());
    replace(epilogue, renewed);
    return wrap(std::move(loops), std::move(epilogue));
  }

  void replace(Block& block, const std::unordered_map<VarId, VarId>& by) {
    substitute(block, [&](int id, int64_t extent) {
      auto it = by.find(id);
      return it == by.end() ? Index::variable(id, extent) : kernel_.var(it->second);
    });
  }

  Kernel& kernel_;
  const Target& target_;
  bool narrow_ = false, shared_panels_ = false, shared_rows_ = false;
  int64_t depth_;  // of a product of matrix tiles
  FlatLoop flat_;
  const Sizes& sizes_;
  std::vector<Loop> rest_;
  Loop block_, panel_, group_, tile_, m_, n_;
  std::optional<ColumnSums> columns_;  // rows are joined
  std::vector<Loop> columns_of_;       // loops of the rows' side that are not
  std::vector<Counted> counted_;
  Index place_;
};

}  // namespace

bool tile_contraction(Kernel& kernel, const Target& target, bool in_unit, Columns* columns) {
  if (!kernel.bound.empty()) return false;  // points of a tile read at constant distances
  Nest nest = take_nest(kernel);
  Loop* reduction = single_reduction(nest.body);
  Roles roles;
  auto refuse = [&] {
    put_nest(kernel, std::move(nest));
    return false;
  };
  if (reduction == nullptr || !find_roles(nest, *reduction, roles)) return refuse();
  widen_by_halves(kernel, innermost(*reduction), target);
  const Loop m_loop = nest.loops[roles.m], n_loop = nest.loops[roles.n];
  // Loops that share the panels run inside of a unit, in pieces.
  const std::vector<Rest> shared = rest_of_unit(nest, roles);
  // What joins columns cuts their sums into those of units.
  Sizes sizes = columns != nullptr ? choose_sizes(kernel, target.for_sums(), nest, roles, *reduction, in_unit,
                                                  prices::kEnoughUnits)
                                   : choose_sizes(kernel, target, nest, roles, *reduction, in_unit);
  if (sizes.panel < 2) return refuse();
  if (!begins_with_literals(nest.body, *reduction)) sizes.k_block = reduction->extent;

  std::vector<Loop> loops, chunks, rest;  // chunks: of the rows' side
  std::unordered_map<VarId, Index> places;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const bool alone = std::none_of(shared.begin(), shared.end(), [&](const Rest& r) { return r.at == i; });
    if (i != roles.m && i != roles.n && alone) loops.push_back(nest.loops[i]);
  }
  loops.push_back(make_loop(kernel, "n_chunk", n_loop.extent, sizes.n_chunk, LoopKind::kParallel));
  const Index n_start = kernel.var(loops.back().var);
  for (const Rest& r : shared) {
    const Loop& loop = nest.loops[r.at];
    const std::string name = kernel.var_names[static_cast<size_t>(loop.var)];
    chunks.push_back(make_loop(kernel, name + "_chunk", loop.extent, r.piece, LoopKind::kParallel));
    rest.push_back(make_loop(kernel, name, r.piece, 1, LoopKind::kMap));
    places[loop.var] = kernel.var(chunks.back().var) + kernel.var(rest.back().var);
  }
  chunks.push_back(make_loop(kernel, "m_chunk", m_loop.extent, sizes.m_chunk, LoopKind::kParallel));
  const Index m_start = kernel.var(chunks.back().var);
  std::vector<VarId> rest_vars;
  for (const Loop& loop : rest) rest_vars.push_back(loop.var);
  Unit unit(kernel, sizes, reduction->extent / sizes.k_block, std::move(rest), target);
  places[m_loop.var] = m_start + unit.m();
  places[n_loop.var] = n_start + unit.n();
  const auto replaced = [&](int id, int64_t extent) {
    auto it = places.find(id);
    return it == places.end() ? Index::variable(id, extent) : it->second;
  };
  substitute(nest.body, replaced);
  if (columns != nullptr) {
    const auto is_joined = [&](VarId var) {
      return std::find(columns->rows.begin(), columns->rows.end(), var) != columns->rows.end();
    };
    Index part;
    columns->parts = 1;
    const auto add = [&](const Loop& loop) {
      part = part * count_of(loop) + ordinal_of(kernel, loop);
      columns->parts *= count_of(loop);
    };
    for (const Loop& loop : loops) {
      if (is_joined(loop.var)) add(loop);
    }
    std::vector<VarId> joined;
    std::vector<Counted> counted;
    const auto count = [&](const Loop& chunk, const Index& place) {
      add(chunk);
      if (chunk.extent % chunk.step != 0)
        counted.push_back({place - ordinal_of(kernel, chunk) * chunk.step, chunk.step});
    };
    for (size_t i = 0; i < shared.size(); ++i) {
      const VarId var = nest.loops[shared[i].at].var;
      if (!is_joined(var)) continue;
      joined.push_back(rest_vars[i]);
      count(chunks[i], places.at(var));
    }
    count(chunks.back(), places.at(m_loop.var));
    const Index band = columns->place.substitute(replaced);
    for (const Columns::Reduction& reduction : columns->reductions) {
      for (BufferId id : reduction.values) {
        Buffer& buffer = kernel.buffers[static_cast<size_t>(id)];
        buffer.elements = columns->parts * columns->points;
        buffer.shape = {columns->parts, columns->points};
      }
    }
    unit.join(*columns, joined, std::move(counted), part * columns->points + band);
  }
  const auto cut_into_blocks = [&] {
    if (sizes.k_block == reduction->extent) return;
    const VarId whole = reduction->var;
    reduction->var = kernel.add_var(kernel.var_names[static_cast<size_t>(whole)], sizes.k_block);
    reduction->extent = sizes.k_block;
    const Index k = kernel.var(unit.block()) * sizes.k_block + kernel.var(reduction->var);
    substitute(reduction->body,
               [&](int id, int64_t extent) { return id == whole ? k : Index::variable(id, extent); });
  };
  Block phases;
  if (sizes.matrix) cut_into_blocks();
  if (sizes.shared_panels || sizes.shared_rows) phases = unit.share(nest.body, *reduction, loops, chunks);
  if (!sizes.matrix) cut_into_blocks();
  Block in_chunk;
  Block body = unit.build(std::move(nest.body), in_chunk);
  append(in_chunk, wrap(std::move(chunks), std::move(body)));
  append(phases, wrap(std::move(loops), std::move(in_chunk)));
  kernel.body = std::move(phases);
  if (in_unit) return true;  // what is stored is read elsewhere
  eliminate_dead(kernel, kernel.body);
  kernel.report.kind = KernelKind::kContraction;
  return true;
}

}  // namespace ingot::kernel
