// Lowering, part five: what is held.
//
// A hold is made in loops over what one point of the band has of it. Pieces of a concatenate, and of
// concatenates in it, are stored each in its place; those of one shape share the loops, and so what they
// compute in common. A hold that is an output is made there; others lie in local buffers, and a buffer that
// nobody reads any more is taken again. So a chain of stages, each of which reads the one before, takes two.
#include <algorithm>

#include "kernel/lower/lowering_state.h"
#include "ops/hold.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

// Of one band point, in a local buffer. Lanes have one each: 512 KiB for those of 64 bytes.
constexpr int64_t kMaxHeldElements = 8192;

struct HeldPiece {
  const ir::Value* value;
  Shape start;  // where it lies in the whole
};

void collect_pieces(const ir::Value* value, const Shape& start, std::vector<HeldPiece>& pieces) {
  const ir::Op* op = ops::made_by<ops::ConcatenateOp>(value);
  if (op == nullptr) {
    pieces.push_back({value, start});
    return;
  }
  const auto axis = static_cast<size_t>(op->attributes().integer("axis"));
  Shape at = start;
  for (const ir::Value* part : op->operands()) {
    collect_pieces(part, at, pieces);
    at[axis] += part->shape()[axis];
  }
}

}  // namespace

void Lowering::hold(ir::Op& op) {
  const ir::Value* result = op.result();
  if (held_.count(result) > 0) return;
  const auto output = std::find(group_.outputs.begin(), group_.outputs.end(), result);
  const bool is_output = output != group_.outputs.end();
  const auto number = static_cast<size_t>(output - group_.outputs.begin());
  const BufferId buffer = is_output ? output_buffers_[number] : room_for(op);
  std::vector<HeldPiece> pieces;
  collect_pieces(op.operand(0), Shape(result->shape().size(), 0), pieces);
  std::vector<int64_t> strides;
  if (is_output) strides = strides_of(group_.shape_in_memory(result));
  std::vector<bool> done(pieces.size(), false);
  for (size_t first = 0; first < pieces.size(); ++first) {
    if (done[first]) continue;
    const Shape& shape = pieces[first].value->shape();
    std::vector<std::optional<Index>> fixed(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) {
      const DimClass c = dims_.of(result, static_cast<int64_t>(d));
      if (!dims_.in_band(c)) continue;
      if (shape[d] != result->shape()[d]) throw NotFusible("", *result, " is held in pieces of its band");
      fixed[d] = kernel_.var(band_vars_.at(c));
    }
    for_each_point(shape, std::move(fixed), LoopKind::kMap, [&](const IndexTuple& index) {
      for (size_t p = first; p < pieces.size(); ++p) {
        if (pieces[p].value->shape() != shape) continue;
        done[p] = true;
        const ScalarId element = eval(pieces[p].value, index);
        IndexTuple place = index;
        for (size_t d = 0; d < place.size(); ++d) place[d] = place[d] + Index(pieces[p].start[d]);
        Index offset;
        if (is_output) {
          for (size_t d = 0; d < place.size(); ++d) offset = offset + place[d] * strides[d];
        } else {
          offset = offset_in_point(result, place);
        }
        emit(top(), {Store{buffer, offset, element}});
      }
    });
  }
  held_[result] = buffer;
  if (is_output) stored_[number] = true;
}

ScalarId Lowering::eval_held(ir::Op& op, const IndexTuple& index) {
  const ir::Value* result = op.result();
  const auto found = held_.find(result);
  if (found == held_.end()) throw NotFusible("", *result, " is held inside of a loop");
  if (kernel_.buffers[static_cast<size_t>(found->second)].kind == Buffer::Kind::kLocal)
    return load(found->second, offset_in_point(result, index));
  const std::vector<int64_t> strides = strides_of(group_.shape_in_memory(result));
  Index offset;
  for (size_t d = 0; d < index.size(); ++d) {
    const DimClass c = dims_.of(result, static_cast<int64_t>(d));
    if (dims_.in_band(c) && !index[d].is_variable(band_vars_.at(c)))
      throw NotFusible("", *result, " is read at another band point than it is made");
    offset = offset + index[d] * strides[d];
  }
  return load(found->second, offset);
}

BufferId Lowering::room_for(const ir::Op& op) {
  const ir::Value* result = op.result();
  const auto now =
      static_cast<size_t>(std::find(group_.ops.begin(), group_.ops.end(), &op) - group_.ops.begin());
  int64_t elements = 1;
  for (int64_t d = 0; d < result->rank(); ++d) {
    if (!dims_.in_band(dims_.of(result, d))) elements *= result->shape()[static_cast<size_t>(d)];
  }
  if (elements > kMaxHeldElements) {
    throw NotFusible("", *result,
                     " is held and has " + std::to_string(elements) +
                         " elements in one band point, more than caches near a core hold");
  }
  const size_t until = last_reader(op);
  for (auto& [buffer, last] : in_use_) {
    const Buffer& known = kernel_.buffers[static_cast<size_t>(buffer)];
    if (last >= now || known.dtype != result->dtype() || known.elements < elements) continue;
    last = until;
    std::erase_if(scopes_[0].loads, [&](const auto& load) { return load.first.buffer == buffer; });
    return buffer;
  }
  const BufferId buffer =
      kernel_.add_buffer({result->name(), result->dtype(), elements, Buffer::Kind::kLocal, {elements}});
  emit(0, {Alloc{buffer}});
  in_use_[buffer] = until;
  return buffer;
}

// The last operation that is made where it stands and reads the hold: another hold, or, behind all, an
// output.
size_t Lowering::last_reader(const ir::Op& op) {
  if (last_readers_.empty()) {
    const auto see = [&](const ir::Value* root, size_t reader) {
      std::vector<const ir::Value*> pending = {root};
      std::set<const ir::Value*> seen;
      while (!pending.empty()) {
        const ir::Value* value = pending.back();
        pending.pop_back();
        if (value->op() == nullptr || input_buffers_.count(value) > 0 || !seen.insert(value).second) continue;
        if (ops::is<ops::HoldOp>(value)) {
          size_t& last = last_readers_[value->op()];
          last = std::max(last, reader);
          continue;
        }
        for (const ir::Value* operand : value->op()->operands()) pending.push_back(operand);
      }
    };
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      if (ops::is<ops::HoldOp>(*group_.ops[i])) {
        see(group_.ops[i]->operand(0), i);
        last_readers_[group_.ops[i]];
      } else if (ops::is<ops::ScanOp>(*group_.ops[i])) {
        for (const ir::Value* operand : group_.ops[i]->operands()) see(operand, group_.ops.size());
      }
    }
    for (const ir::Value* output : group_.outputs) {
      if (!ops::is<ops::HoldOp>(output)) see(output, group_.ops.size());
    }
  }
  return last_readers_[&op];
}

}  // namespace ingot::kernel
