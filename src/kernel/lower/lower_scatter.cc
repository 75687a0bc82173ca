// Lowering, part four: scatters.
//
// The output begins as a copy of the array; then the updates follow one after the other, in their order, so
// that sums are the same whatever runs them. What is independent is the band: the dimensions that windows
// share with the array as a whole, the columns of rows, say. The elements of a single window are as
// independent.
#include "kernel/lower/lowering_state.h"
#include "ops/kinds.h"
#include "ops/windows.h"

namespace ingot::kernel {

namespace {

Index offset_of(const Shape& shape, const IndexTuple& index) {
  const std::vector<int64_t> strides = strides_of(shape);
  Index offset;
  for (size_t d = 0; d < index.size(); ++d) offset = offset + index[d] * strides[d];
  return offset;
}

// Of a loop, and of those at the end of its body: the nest of for_each_point().
void take_any_order(Loop& loop) {
  loop.kind = LoopKind::kMap;
  if (loop.body.stmts.empty()) return;
  if (auto* inner = std::get_if<Loop>(&loop.body.stmts.back().node)) take_any_order(*inner);
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

void Lowering::store_scatter(size_t output) {
  const ir::Value* result = group_.outputs[output];
  const ir::Op& op = *result->op();
  const ir::Value *array = op.operand(0), *indices = op.operand(1), *updates = op.operand(2);
  const BufferId buffer = output_buffers_[output];
  const ops::WindowDims dims = ops::WindowDims::of(op.attributes());
  const ops::IntList shared = ops::shared_dims(dims, result->shape(), indices->rank(), updates->shape());
  std::vector<std::optional<Index>> band(result->shape().size()), band_of_updates;
  for (int64_t d = 0; d < result->rank(); ++d) {
    const DimClass c = dims_.of(result, d);
    if (dims_.in_band(c)) band[static_cast<size_t>(d)] = kernel_.var(band_vars_.at(c));
  }
  for (int64_t along : shared)
    band_of_updates.push_back(along < 0 ? std::nullopt : band[static_cast<size_t>(along)]);
  for_each_point(result->shape(), band, LoopKind::kMap, [&](const IndexTuple& index) {
    const ScalarId element = eval(array, index);
    emit(top(), {Store{buffer, offset_of(group_.shape_in_memory(result), index), element}});
  });
  if (element_count(updates->shape()) == 0) return;  // what no step would read would be read before the loop
  const std::string& combiner = ops::ScatterOp(op).combiner();
  Shape stack = updates->shape();
  for (const int64_t d : dims.window_dims) stack[static_cast<size_t>(d)] = 1;
  for_each_point(updates->shape(), band_of_updates, LoopKind::kScan, [&](const IndexTuple& index) {
    auto place = ops::place_of<Index>(dims, array->rank(), indices->rank(), index);
    const ScalarId inside = begin_window(dims, array, indices, place);
    const ScalarId update = eval(updates, index);
    const Index offset = offset_of(group_.shape_in_memory(result), place.array);
    const ScalarId before = new_scalar(result->dtype(), top());
    emit(top(), {Load{before, buffer, offset}});
    ScalarId after = combiner == "set" ? update : let(combiner, {before, update}, result->dtype());
    if (inside != kNone) after = let("select", {inside, after, before}, result->dtype());
    emit(top(), {Store{buffer, offset, after}});
  });
  if (element_count(stack) != 1) return;
  if (auto* loop = std::get_if<Loop>(&scopes_.back().block.stmts.back().node)) take_any_order(*loop);
}

}  // namespace ingot::kernel
