// Lowering, part four: scatters.
//
// The output begins as a copy of the array; then the updates follow one after the other, in their order, so
// that sums are the same whatever runs them. What is independent is the band: the dimensions that windows
// share with the array as a whole, the columns of rows, say. The elements of a single window are as
// independent.
//
// Where all updates go to the same elements, whatever the indices, and the combiner is associative, their sum
// is a reduction as any other, and joins the array's elements once.
//
// A scan whose steps are scatters into a carry changes it where it lies, in an output or a local buffer:
// before the first step that is a copy of the initial value; in a step, what is read of the carry comes
// before the update that changes it. A scan in its step that changes the same carry is one of the updates.
#include <algorithm>

#include "kernel/lower/lowering_state.h"
#include "ops/kinds.h"
#include "ops/windows.h"

namespace ingot::kernel {

namespace {

// Of a loop, and of those at the end of its body: the nest of for_each_point().
void take_any_order(Loop& loop) {
  loop.kind = LoopKind::kMap;
  if (loop.body.stmts.empty()) return;
  if (auto* inner = std::get_if<Loop>(&loop.body.stmts.back().node)) take_any_order(*inner);
}

// Whether each of several windows is the whole array, wherever its index says that it begins.
bool meets_all_elements(const ir::Op& scatter, const ops::WindowDims& dims, const ops::IntList& shared) {
  const Shape &array = scatter.operand(0)->shape(), &updates = scatter.operand(2)->shape();
  std::vector<bool> covered;
  for (const int64_t extent : array) covered.push_back(extent == 1);
  for (const int64_t along : shared) {
    if (along >= 0) covered[static_cast<size_t>(along)] = true;
  }
  for (const int64_t d : dims.index_map)
    if (array[static_cast<size_t>(d)] != dims.sizes[static_cast<size_t>(d)]) return false;
  for (const int64_t d : dims.window_dims)
    if (shared[static_cast<size_t>(d)] < 0) return false;
  int64_t windows = 1;
  for (size_t d = 0; d < updates.size(); ++d) windows *= shared[d] < 0 ? updates[d] : 1;
  return windows > 1 && std::count(covered.begin(), covered.end(), false) == 0;
}

}  // namespace

// Calls fn with the index in loops over all dimensions in which it is not fixed.
void Lowering::for_each_point(const Shape& shape, std::vector<std::optional<Index>> fixed, LoopKind kind,
                              const std::function<void(const IndexTuple&)>& fn) {
  IndexTuple index;
  auto nest = [&](auto& self) -> void {
    const size_t d = index.size();
    if (d == shape.size()) return fn(index);
    if (fixed[d] || shape[d] == 1) {
      index.push_back(fixed[d] ? *fixed[d] : Index(0));
      self(self);
      index.pop_back();
      return;
    }
    Loop loop;
    loop.extent = shape[d];
    loop.kind = kind;
    loop.var = new_var(kind == LoopKind::kScan ? "u" : "j", loop.extent, top() + 1);
    loop.body = in_scope([&] {
      index.push_back(kernel_.var(loop.var));
      self(self);
      index.pop_back();
    });
    emit(top(), {std::move(loop)});
  };
  nest(nest);
}

Lowering::Change Lowering::eval_change(const ir::Op& scatter, const IndexTuple& index_in_updates) {
  const ops::WindowDims dims = ops::WindowDims::of(scatter.attributes());
  const ir::Value *array = scatter.operand(0), *indices = scatter.operand(1), *updates = scatter.operand(2);
  auto place = ops::place_of<Index>(dims, array->rank(), indices->rank(), index_in_updates);
  const ScalarId inside = begin_window(dims, array, indices, place);
  return {place.array, inside, eval(updates, index_in_updates)};
}

void Lowering::put(BufferId buffer, const Index& offset, const Change& change, const ir::Op& scatter) {
  const ops::ScatterOp update(scatter);
  const DType dtype = scatter.result()->dtype();
  const ScalarId before = new_scalar(dtype, top());
  emit(top(), {Load{before, buffer, offset}});
  ScalarId after =
      update.overwrites() ? change.update : let(update.combiner(), {before, change.update}, dtype);
  if (change.inside != kNone) after = let("select", {change.inside, after, before}, dtype);
  emit(top(), {Store{buffer, offset, after}});
}

// What the updates of one element come to. Those that are out of range add nothing.
ScalarId Lowering::sum_of_updates(const ir::Op& scatter, const ops::IntList& shared,
                                  const IndexTuple& index) {
  const ops::ScatterOp update(scatter);
  const Shape& updates = scatter.operand(2)->shape();
  const DType dtype = scatter.result()->dtype();
  const ir::OpRecord& combiner = *ir::find_record(update.combiner());
  const ScalarId neutral = literal((*std::get<ir::ScalarRecipe>(*combiner.becomes).identity)(dtype));
  ReduceSpec spec;
  spec.inits = {neutral};
  for (size_t d = 0; d < updates.size(); ++d) {
    if (shared[d] < 0) spec.extents.push_back(updates[d]);
  }
  spec.element = [&](const IndexTuple& reduced) {
    IndexTuple at;
    size_t next = 0;
    for (const int64_t along : shared)
      at.push_back(along < 0 ? reduced[next++] : index[static_cast<size_t>(along)]);
    const Change change = eval_change(scatter, at);
    if (change.inside == kNone) return std::vector<ScalarId>{change.update};
    return std::vector<ScalarId>{let("select", {change.inside, change.update, neutral}, dtype)};
  };
  spec.combine = [&](const std::vector<ScalarId>& a, const std::vector<ScalarId>& b) {
    return std::vector<ScalarId>{let(combiner, {a[0], b[0]}, dtype, {})};
  };
  return reduce(spec, std::max(level_of(index), context_level(scatter)))[0];
}

void Lowering::store_scatter(size_t output) {
  const ir::Value* result = group_.outputs[output];
  const ir::Op& op = *result->op();
  const ir::Value *array = op.operand(0), *updates = op.operand(2);
  const BufferId buffer = output_buffers_[output];
  const ops::WindowDims dims = ops::WindowDims::of(op.attributes());
  const ops::IntList shared =
      ops::shared_dims(dims, result->shape(), op.operand(1)->rank(), updates->shape());
  std::vector<std::optional<Index>> band(result->shape().size()), band_of_updates;
  for (int64_t d = 0; d < result->rank(); ++d) {
    const DimClass c = dims_.of(result, d);
    if (dims_.in_band(c)) band[static_cast<size_t>(d)] = kernel_.var(band_vars_.at(c));
  }
  for (int64_t along : shared)
    band_of_updates.push_back(along < 0 ? std::nullopt : band[static_cast<size_t>(along)]);
  const bool sums = !ops::ScatterOp(op).overwrites() && meets_all_elements(op, dims, shared);
  for_each_point(result->shape(), band, LoopKind::kMap, [&](const IndexTuple& index) {
    ScalarId element = eval(array, index);
    if (sums)
      element =
          let(ops::ScatterOp(op).combiner(), {element, sum_of_updates(op, shared, index)}, result->dtype());
    emit(top(), {Store{buffer, offset_of(group_.shape_in_memory(result), index), element}});
  });
  if (sums) return;
  if (element_count(updates->shape()) == 0) return;  // what no step would read would be read before the loop
  Shape stack = updates->shape();
  for (const int64_t d : dims.window_dims) stack[static_cast<size_t>(d)] = 1;
  for_each_point(updates->shape(), band_of_updates, LoopKind::kScan, [&](const IndexTuple& index) {
    const Change change = eval_change(op, index);
    put(buffer, offset_of(group_.shape_in_memory(result), change.place), change, op);
  });
  if (element_count(stack) != 1) return;
  if (auto* loop = std::get_if<Loop>(&scopes_.back().block.stmts.back().node)) take_any_order(*loop);
}

// Where an element of the carry lies; of other band points, nothing may be read.
Index Lowering::place_in(const PlacedCarry& placed, const IndexTuple& index) const {
  const ir::Value* result = placed.updated->carry.result;
  const Index in_point = offset_in_point(result, index);
  return placed.is_output ? offset_of(group_.shape_in_memory(result), index) : in_point;
}

ScalarId Lowering::load_version(const PlacedCarry& placed, const ir::Value* version,
                                const IndexTuple& index) {
  if (version != placed.current)
    throw NotFusible("", *version, " is read where another version of it lies, which a step has changed");
  const ir::Value* result = placed.updated->carry.result;
  return load(placed.buffer, place_in(placed, index),
              version == result ? context_level(*result->op()) : top());
}

Lowering::PlacedCarry& Lowering::place_carry(const UpdatedCarry& updated) {
  const ir::Value* result = updated.carry.result;
  PlacedCarry& placed = placed_carries_.emplace_back(PlacedCarry{&updated, kNone, false, nullptr});
  const auto output = std::find(group_.outputs.begin(), group_.outputs.end(), result);
  if (output != group_.outputs.end()) {
    const auto o = static_cast<size_t>(output - group_.outputs.begin());
    placed.is_output = stored_[o] = true;
    placed.buffer = output_buffers_[o];
  } else {
    const int64_t elements = dims_.elements_inside(result);
    placed.buffer =
        kernel_.add_buffer({result->name(), result->dtype(), elements, Buffer::Kind::kLocal, {elements}});
    emit(top(), {Alloc{placed.buffer}});
  }
  std::vector<std::optional<Index>> fixed(result->shape().size());
  for (int64_t d = 0; d < result->rank(); ++d) {
    const DimClass c = dims_.of(result, d);
    if (dims_.in_band(c)) fixed[static_cast<size_t>(d)] = kernel_.var(band_vars_.at(c));
  }
  for_each_point(result->shape(), fixed, LoopKind::kMap, [&](const IndexTuple& index) {
    const ScalarId element = eval(updated.carry.initial, index);
    emit(top(), {Store{placed.buffer, place_in(placed, index), element}});
  });
  place_versions(updated, placed);
  return placed;
}

// The carry of a scan in the step of another one, where that has put it.
Lowering::PlacedCarry& Lowering::place_around(const UpdatedCarry& updated) {
  const auto around = placed_.find(updated.carry.argument);
  if (around == placed_.end() || around->second->current != updated.carry.initial)
    throw NotFusible("", *updated.carry.result, " is wanted where another version of it lies");
  return *around->second;
}

void Lowering::place_versions(const UpdatedCarry& updated, PlacedCarry& placed) {
  placed_[updated.carry.argument] = placed_[updated.carry.result] = &placed;
  for (const UpdatedCarry::Update& update : updated.updates) {
    placed_[update.version] = &placed;
    if (const UpdatedCarry* inner = dims_.updated(update.version)) place_versions(*inner, placed);
  }
}

void Lowering::read_before_update(const UpdatedCarry& updated, size_t update) {
  const auto inside = [&](const ir::Value* value) { return dims_.elements_inside(value); };
  for (const ir::Value* read : readings(updated, update, kMaxUnrolledElements, inside)) {
    for (const IndexTuple& point : unrolled_points(read, band_index(read))) eval(read, point);
  }
}

void Lowering::change_by_scatter(const PlacedCarry& placed, const ir::Op& scatter) {
  std::vector<Change> changes;
  const ir::Value* put_in = scatter.operand(2);
  for (const IndexTuple& point : unrolled_points(put_in, band_index(put_in)))
    changes.push_back(eval_change(scatter, point));
  for (const Change& change : changes) put(placed.buffer, place_in(placed, change.place), change, scatter);
}

// A step's updates, in their order. Later, all that reads the carries finds what was read of them here.
void Lowering::change_carries(ir::Region& body, const std::vector<ChangedCarry>& carries) {
  for (const ChangedCarry& c : carries) c.placed->current = c.updated->carry.argument;
  for (auto& op : body.ops()) {
    std::vector<std::pair<PlacedCarry*, const ir::Value*>> changed;  // by this operation, with their versions
    for (const auto& [updated, placed] : carries) {
      for (size_t u = 0; u < updated->updates.size(); ++u) {
        if (updated->updates[u].op != op.get()) continue;
        read_before_update(*updated, u);
        changed.emplace_back(placed, updated->updates[u].version);
      }
    }
    if (changed.empty()) continue;
    if (!ops::is<ops::ScanOp>(*op))
      change_by_scatter(*changed.front().first, *op);
    else if (scans_begun_.count(op.get()) == 0)
      materialize_scan(*op);
    else
      throw NotFusible("", *changed.front().second, " is wanted before what it changes has been read");
    for (const auto& [placed, version] : changed) {
      for (Scope& scope : scopes_)
        std::erase_if(scope.loads, [&, placed = placed](const auto& known) {
          return known.first.buffer == placed->buffer;
        });
      placed->current = version;
    }
  }
  for (const ChangedCarry& c : carries) read_before_update(*c.updated, c.updated->updates.size());
}

}  // namespace ingot::kernel
