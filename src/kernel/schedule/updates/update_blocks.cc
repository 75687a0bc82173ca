// Updates of single elements, block by block.
//
// Where what is updated by each step, and by what, is computed beside the change of memory itself, a scalar
// loop does all of it. So both are computed for a block of updates at once, on lanes, into the first-level
// cache; the loop that changes memory behind that does nothing else. Updates that do not count combine the
// neutral element.
//
//   map at lanes:  slots[at], values[at] = slot and value of update first + at
//   scan entry:    array[slots[entry]] = array[slots[entry]] + values[entry]
//
// Additions to one place wait for each other. In tables that lie side by side, one update after the other in
// the next one, as many run at once; units have tables of their own, and their sums are joined in their
// order:
//
//   parallel chunk:  clear tables;  scan block: ...  scan entry: table[entry mod tables][slot] += value
//                    part[chunk] = sum of tables
//   parallel place:  out = array;  scan chunk: out = out + part
//
// Where the array is large beside the updates, each of a few units follows all updates, and does those of its
// own range of slots, of which it makes a list on lanes: every place is changed in the order of the updates.
//
//   parallel range:  fill its slots
//                    scan block:  map at lanes:  append slot and value of update first + at, if it is in the
//                    range
//                                 scan entry:    array[slots[entry]] += values[entry]
//
// Of windows the list has the updates' numbers, and each is done as it stands:
//
//   parallel range:  fill its slots
//                    scan block:  map at lanes:  append first + at, if its slot is in the range
//                                 scan entry:    window[numbers[entry]] += update[numbers[entry]]
#include "base/check.h"
#include "kernel/cost/table.h"
#include "kernel/schedule/updates/update_builder.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

using prices::kBlockUpdates;
constexpr int64_t kStepsAtOnce = 4;  // of the loop that changes memory, which does little besides

class UpdateBlocks : public UpdateBuilder {
 public:
  explicit UpdateBlocks(UpdateBuilder builder) : UpdateBuilder(std::move(builder)) {}

  Block combine(int64_t wanted, int64_t tables) {
    const int64_t length = (blocks() + wanted - 1) / wanted, parts = (blocks() + length - 1) / length;
    check(parts > 1, "a single part of updates");
    const int64_t array = u_.slots;
    const BufferId part = share_buffer("part", dtype(), parts * array);
    Loop chunk = make_loop(kernel_, "chunk", parts, 1, LoopKind::kParallel);
    const Index own = kernel_.var(chunk.var) * array;
    Block body;
    const BufferId table = tables > 1 ? local(body, "table", dtype(), tables * array) : part;
    const Index start = tables > 1 ? Index(0) : own;
    Loop clear = make_loop(kernel_, "j", tables * array, 1, LoopKind::kMap, LoopStyle::kLanes);
    Block cleared;
    const ScalarId nothing = literal(body, neutral());
    cleared.stmts.push_back({Store{table, start + kernel_.var(clear.var), nothing}});
    append(body, wrap({std::move(clear)}, std::move(cleared)));
    const Prepared prepared = room(body, 0);
    auto follow = [&](Block& to, const Index& block, int64_t updates) {
      prepare(to, block * kBlockUpdates, updates, prepared, nullptr);
      change_all(to, updates, std::max(kStepsAtOnce, tables),
                 [&](Block& inside, const Index& entry, int64_t step) {
                   change(inside, prepared, entry, table, start + Index(step % tables * array));
                 });
    };
    append(body, walk_chunk(kernel_.var(chunk.var), parts, "block", blocks(),
                            [&](Block& to, const Index& block) { follow(to, block, kBlockUpdates); }));
    if (rest() > 0) {  // the last chunk's
      Loop once = make_loop(kernel_, "rest", 1, 1, LoopKind::kScan);
      once.steps = value_of(body, kernel_.var(chunk.var).floor_div(parts - 1));
      Block last;
      follow(last, blocks(), rest());
      append(body, wrap({std::move(once)}, std::move(last)));
    }
    if (tables > 1) {
      Loop place = make_loop(kernel_, "j", array, 1, LoopKind::kMap, LoopStyle::kLanes);
      Block inside;
      ScalarId sum = load(inside, table, kernel_.var(place.var));
      for (int64_t t = 1; t < tables; ++t)
        sum = combined(inside, sum, load(inside, table, kernel_.var(place.var) + Index(t * array)));
      inside.stmts.push_back({Store{part, own + kernel_.var(place.var), sum}});
      append(body, wrap({std::move(place)}, std::move(inside)));
    }
    append_phase({std::move(chunk)}, std::move(body));
    join_parts(part, parts);
    return std::move(phases_);
  }

  Block divide(int64_t ranges) {
    fill_rest(ranges);
    Loop range = make_loop(kernel_, "range", ranges, 1, LoopKind::kParallel);
    const Index own = kernel_.var(range.var);
    Block body = fill_slots(own * (u_.slots / ranges), u_.slots / ranges, nullptr);
    Prepared prepared = room(body, ranges > 1 ? kAppendedAtOnce : 0);
    Range slots;
    if (ranges > 1) {
      prepared.count = local(body, "count", DType::kS32, 1);
      slots = range_of(body, own, ranges);
    }
    follow_blocks(body, [&](Block& to, const Index& block, int64_t updates) {
      prepare(to, block * kBlockUpdates, updates, prepared, ranges > 1 ? &slots : nullptr);
      ScalarId steps = kNone;
      if (ranges > 1) {
        steps = listed_steps(to, prepared, slots);
        updates = kBlockUpdates;
      }
      change_all(
          to, updates, kStepsAtOnce,
          [&](Block& inside, const Index& entry, int64_t) { change(inside, prepared, entry, u_.buffer, 0); },
          steps);
    });
    append_phase({std::move(range)}, std::move(body));
    return std::move(phases_);
  }

  // Of windows that are rows, and nothing else of the band.
  Block divide_windows(int64_t ranges) {
    fill_rest(ranges);
    Loop range = make_loop(kernel_, "range", ranges, 1, LoopKind::kParallel);
    Block body = fill_slots(kernel_.var(range.var) * (u_.slots / ranges), u_.slots / ranges, nullptr);
    const Prepared list = {local(body, "slots", DType::kS32, kBlockUpdates + kAppendedAtOnce),
                           local(body, "numbers", DType::kS32, kBlockUpdates + kAppendedAtOnce),
                           local(body, "count", DType::kS32, 1)};
    const Range slots = range_of(body, kernel_.var(range.var), ranges);
    const std::optional<VarId> slot = slot_variable();
    follow_blocks(body, [&](Block& to, const Index& block, int64_t updates) {
      list_numbers(to, block * kBlockUpdates, updates, list, slots);
      Loop entry = make_loop(kernel_, "entry", updates, 1, LoopKind::kScan);
      entry.steps = load(to, list.count, 0);
      Block inside, update;
      Copier copy(kernel_);
      Band band = fresh_band(copy, LoopKind::kMap);
      at_update(copy, known(inside, load(inside, list.values, kernel_.var(entry.var)), u_.count));
      copy_scalars(copy, update);
      for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
        if (i == u_.load && slot)  // what makes the slot has been done for the list
          copy.replace_variable(*slot,
                                known(inside, load(inside, list.slots, kernel_.var(entry.var)), u_.slots));
        if (u_.counts != kNone && i == u_.choice) {  // those in a list count
          const auto& select = std::get<Let>(u_.body.stmts[i].node);
          copy.replace_scalar(select.result, copy.fresh(select.operands[1]));
          continue;
        }
        update.stmts.push_back(copy(u_.body.stmts[i]));
      }
      append(inside, over_band(std::move(band), std::move(update)));
      append(to, wrap({std::move(entry)}, std::move(inside)));
    });
    append_phase({std::move(range)}, std::move(body));
    return std::move(phases_);
  }

 private:
  struct Prepared {  // local buffers
    BufferId slots, values;
    BufferId count = kNone;  // of the updates of a range
  };
  struct Range {
    ScalarId low, length;
  };

  // What no range is as long as the others for belongs to the last one, and is filled ahead.
  void fill_rest(int64_t ranges) {
    const int64_t more = u_.slots % ranges;
    if (more > 0)
      append_phase({make_loop(kernel_, "one", 1, 1, LoopKind::kParallel)},
                   fill_slots(Index(u_.slots - more), more, nullptr));
  }
  Range range_of(Block& to, const Index& own, int64_t ranges) {
    const int64_t length = u_.slots / ranges, more = u_.slots % ranges;
    return {value_of(to, own * length), value_of(to, Index(length) + own.floor_div(ranges - 1) * more)};
  }
  // Calls fn for all blocks of updates, the last one of which may be shorter.
  template <class Fn>
  void follow_blocks(Block& body, const Fn& fn) {
    if (blocks() > 0) {
      Loop block = make_loop(kernel_, "block", blocks(), 1, LoopKind::kScan);
      Block inside;
      fn(inside, kernel_.var(block.var), kBlockUpdates);
      append(body, wrap({std::move(block)}, std::move(inside)));
    }
    if (rest() > 0) fn(body, Index(blocks()), rest());
  }
  // The bound variable that is the slot, if it is one.
  std::optional<VarId> slot_variable() const {
    for (const auto& [var, scalar] : kernel_.bound) {
      if (u_.slot == kernel_.var(var)) return var;
    }
    return std::nullopt;
  }

  DType dtype() const { return kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype; }
  int64_t blocks() const { return u_.count / kBlockUpdates; }
  int64_t rest() const { return u_.count % kBlockUpdates; }  // updates behind the last whole block
  Tensor neutral() const {
    return (*std::get<ir::ScalarRecipe>(*u_.combine->record->becomes).identity)(dtype());
  }
  // What combined with anything leaves it as it is, the sign of a zero included.
  Tensor nothing() const {
    Tensor value = neutral();
    if (is_float(dtype()) && value.get_double(0) == 0) value.set_double(0, -0.0);
    return value;
  }

  BufferId local(Block& to, const char* name, DType dtype, int64_t elements) {
    const BufferId buffer = kernel_.add_buffer({name, dtype, elements, Buffer::Kind::kLocal, {elements}});
    to.stmts.push_back({Alloc{buffer}});
    return buffer;
  }
  Prepared room(Block& to, int64_t more) {
    return {local(to, "slots", DType::kS32, kBlockUpdates + more),
            local(to, "values", dtype(), kBlockUpdates + more)};
  }
  ScalarId literal(Block& to, const Tensor& value) {
    to.stmts.push_back({Literal{kernel_.add_scalar(value.dtype()), value}});
    return std::get<Literal>(to.stmts.back().node).result;
  }
  ScalarId as(DType dtype, Block& to, const char* record, std::vector<ScalarId> operands,
              ir::Attributes attributes = {}) {
    const ScalarId result = kernel_.add_scalar(dtype);
    to.stmts.push_back({Let{result, ir::find_record(record), std::move(operands), std::move(attributes)}});
    return result;
  }
  ScalarId compare(Block& to, ScalarId a, const char* direction, ScalarId b) {
    return as(DType::kPred, to, "compare", {a, b}, {{"direction", std::string(direction)}});
  }
  // A variable that is the scalar, which was cut off when it was stored.
  Index known(Block& to, ScalarId scalar, int64_t extent) {
    const ScalarId same = as(DType::kS32, to, "convert", {scalar}, {{"dtype", DType::kS32}});
    const VarId var = kernel_.add_var("at", extent);
    kernel_.bound[var] = same;
    return kernel_.var(var);
  }

  // The slots and numbers of those of so many updates from the first one on whose slots are in the range.
  void list_numbers(Block& to, const Index& first, int64_t updates, const Prepared& list,
                    const Range& range) {
    to.stmts.push_back({Store{list.count, 0, number(to, 0)}});
    Loop loop = make_loop(kernel_, "at", updates, 1, LoopKind::kScan, LoopStyle::kLanes);
    const Index at = first + kernel_.var(loop.var);
    Block inside;
    Copier copy(kernel_);
    at_update(copy, at);
    for (const Loop& old : nest_.loops) copy.replace_variable(old.var, Index(0));
    copy_scalars(copy, inside);
    for (const Stmt& stmt : u_.body.stmts) {
      if (is_scalar(stmt) && !reads_target(stmt)) inside.stmts.push_back(copy(stmt));
    }
    const ScalarId slot = value_of(inside, copy.fresh(u_.slot));
    ScalarId keep = is_in(inside, slot, range);
    if (u_.counts != kNone) keep = as(DType::kPred, inside, "and", {copy.fresh(u_.counts), keep});
    inside.stmts.push_back(
        {Append{{list.slots, list.values}, list.count, {slot, value_of(inside, at)}, keep}});
    append(to, wrap({std::move(loop)}, std::move(inside)));
  }
  // Those below the range are far above it as numbers without sign.
  ScalarId is_in(Block& to, ScalarId slot, const Range& range) {
    auto without_sign = [&](ScalarId x) {
      return as(DType::kU32, to, "convert", {x}, {{"dtype", DType::kU32}});
    };
    const ScalarId place = without_sign(let(to, "sub", slot, range.low));
    return compare(to, place, "lt", without_sign(range.length));
  }

  // Slots and values of so many updates from the first one on; lists of those in the range, if there is one.
  void prepare(Block& to, const Index& first, int64_t updates, const Prepared& prepared, const Range* range) {
    if (range != nullptr) to.stmts.push_back({Store{prepared.count, 0, number(to, 0)}});
    Loop loop = make_loop(kernel_, "at", updates, 1, range != nullptr ? LoopKind::kScan : LoopKind::kMap,
                          LoopStyle::kLanes);
    const Index at = kernel_.var(loop.var);
    Block inside;
    Copier copy(kernel_);
    at_update(copy, first + at);
    copy_scalars(copy, inside);
    for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
      const bool changes = i == u_.load || i == u_.store || (u_.counts != kNone && i == u_.choice) ||
                           results(u_.body.stmts[i]) == std::vector<ScalarId>{u_.combine->result};
      if (!changes) inside.stmts.push_back(copy(u_.body.stmts[i]));
    }
    ScalarId slot = value_of(inside, copy.fresh(u_.slot));
    ScalarId value = copy.fresh(u_.combine->operands[1]), keep = kNone;
    auto only_if = [&](ScalarId pred) {
      keep = keep == kNone ? pred : as(DType::kPred, inside, "and", {keep, pred});
    };
    const ScalarId wanted = range != nullptr ? slot_if_it_counts() : kNone;
    if (wanted != kNone) slot = copy.fresh(wanted);
    if (u_.counts != kNone && wanted == kNone) only_if(copy.fresh(u_.counts));
    if (range != nullptr) only_if(is_in(inside, slot, *range));
    if (range == nullptr && keep != kNone)
      value = as(dtype(), inside, "select", {keep, value, literal(inside, nothing())});
    if (range != nullptr) {
      inside.stmts.push_back(
          {Append{{prepared.slots, prepared.values}, prepared.count, {slot, value}, keep}});
    } else {
      inside.stmts.push_back({Store{prepared.slots, at, slot}});
      inside.stmts.push_back({Store{prepared.values, at, value}});
    }
    append(to, wrap({std::move(loop)}, std::move(inside)));
  }

  // An s32 that is the slot where the update counts, and beyond the array where it does not: what the slot
  // was made of by cutting it off, and is compared with. Else kNone.
  ScalarId slot_if_it_counts() const {
    auto maker = [&](ScalarId id) -> const Let* {
      for (const Stmt& stmt : u_.body.stmts) {
        if (auto* let = std::get_if<Let>(&stmt.node); let && let->result == id) return let;
      }
      return nullptr;
    };
    auto literal = [&](ScalarId id) -> const Tensor* {
      for (const Block* block : {&nest_.body, &u_.body}) {
        for (const Stmt& stmt : block->stmts)
          if (auto* s = std::get_if<Literal>(&stmt.node); s && s->result == id) return &s->value;
      }
      return nullptr;
    };
    const Let* counts = u_.counts == kNone ? nullptr : maker(u_.counts);
    if (counts == nullptr || !ops::is<ops::CompareOp>(*counts->record)) return kNone;
    if (counts->attributes.get<std::string>("direction") != "eq") return kNone;
    const ScalarId wanted = counts->operands[0];
    if (kernel_.scalars[static_cast<size_t>(wanted)] != DType::kS32) return kNone;
    ScalarId slot = kNone;
    for (const auto& [var, scalar] : kernel_.bound) {
      if (scalar == counts->operands[1] && u_.slot == kernel_.var(var)) slot = scalar;
    }
    for (const auto& [record, bound] :
         {std::pair{&ops::MinOp::record(), u_.slots - 1}, std::pair{&ops::MaxOp::record(), int64_t{0}}}) {
      const Let* let = maker(slot);
      if (let == nullptr || let->record != record) return kNone;
      const Tensor* other = literal(let->operands[1]);
      if (other == nullptr || other->get_int(0) != bound) return kNone;
      slot = let->operands[0];
    }
    return slot == wanted ? wanted : kNone;
  }

  // Calls fn for all updates of a block, `at_once` of them in a step, with the number of each in the step.
  template <class Fn>
  void change_all(Block& to, int64_t updates, int64_t at_once, Fn fn, ScalarId steps = kNone) {
    const int64_t whole = updates / at_once;
    if (whole > 0) {
      Loop entry = make_loop(kernel_, "entry", whole, 1, LoopKind::kScan);
      entry.steps = steps;
      Block inside;
      for (int64_t k = 0; k < at_once; ++k) fn(inside, kernel_.var(entry.var) * at_once + Index(k), k);
      append(to, wrap({std::move(entry)}, std::move(inside)));
    }
    for (int64_t k = whole * at_once; k < updates; ++k) fn(to, Index(k), k % at_once);
  }

  // Of the loop over the lists, which takes several updates at once: the last ones may change nothing.
  ScalarId listed_steps(Block& to, const Prepared& prepared, const Range& range) {
    const Index count = known(to, load(to, prepared.count, 0), kBlockUpdates + 1);
    const ScalarId none = literal(to, nothing());
    for (int64_t k = 0; k + 1 < kStepsAtOnce; ++k) {
      to.stmts.push_back({Store{prepared.slots, count + Index(k), range.low}});
      to.stmts.push_back({Store{prepared.values, count + Index(k), none}});
    }
    return value_of(to, (count + Index(kStepsAtOnce - 1)).floor_div(kStepsAtOnce));
  }
  void change(Block& to, const Prepared& prepared, const Index& entry, BufferId buffer, const Index& start) {
    const Index place = start + known(to, load(to, prepared.slots, entry), u_.slots);
    const ScalarId before = load(to, buffer, place);
    const ScalarId after = combined(to, before, load(to, prepared.values, entry));
    to.stmts.push_back({Store{buffer, place, after}});
  }
};

}  // namespace

bool fits_blocks(const Updates& u) {
  return u.combine.has_value() && u.window == 1 && u.stride == 1 && u.rest == Index(0) &&
         u.count >= 4 * kBlockUpdates && !has_loops(u.body);
}

Block combine_tables(UpdateBuilder builder, int64_t parts, int64_t tables) {
  return UpdateBlocks(std::move(builder)).combine(parts, tables);
}

Block divide_windows(UpdateBuilder builder, int64_t ranges) {
  return UpdateBlocks(std::move(builder)).divide_windows(ranges);
}

Block divide_slots(UpdateBuilder builder, int64_t ranges) {
  return UpdateBlocks(std::move(builder)).divide(ranges);
}

}  // namespace ingot::kernel
