// Lowering, part three: outputs are stored, inside of the scan that makes them where that is possible.
#include <algorithm>

#include "base/check.h"
#include "kernel/lower/lowering_state.h"
#include "ops/control.h"
#include "ops/hold.h"

namespace ingot::kernel {
namespace {

// Stands for an output's inner index while its demand is traced; no variable of the kernel.
constexpr VarId kProbe = 1 << 30;

}  // namespace

IndexTuple Lowering::band_index(const ir::Value* value) const {
  IndexTuple index(static_cast<size_t>(value->rank()));
  for (int64_t d = 0; d < value->rank(); ++d) {
    DimClass c = dims_.of(value, d);
    if (dims_.in_band(c)) index[static_cast<size_t>(d)] = kernel_.var(band_vars_.at(c));
  }
  return index;
}

std::vector<int64_t> Lowering::loop_dims(const ir::Value* value) const {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < value->rank(); ++d) {
    DimClass c = dims_.of(value, d);
    if (!dims_.in_band(c) && !dims_.unrolled(c) && value->shape()[static_cast<size_t>(d)] != 1)
      dims.push_back(d);
  }
  return dims;
}

std::vector<IndexTuple> Lowering::unrolled_points(const ir::Value* value, const IndexTuple& others) const {
  std::vector<IndexTuple> points = {others};
  for (int64_t d = 0; d < value->rank(); ++d) {
    DimClass c = dims_.of(value, d);
    if (dims_.in_band(c) || !dims_.unrolled(c)) continue;
    std::vector<IndexTuple> more;
    for (const IndexTuple& point : points) {
      for (int64_t i = 0; i < value->shape()[static_cast<size_t>(d)]; ++i) {
        more.push_back(point);
        more.back()[static_cast<size_t>(d)] = i;
      }
    }
    points = std::move(more);
  }
  return points;
}

void Lowering::require_no_loops(const ir::Value* value) const {
  if (!loop_dims(value).empty()) {
    throw NotFusible("", *value, " inside of a scan has a dimension that is neither in the band nor small");
  }
}

void Lowering::store_output(size_t output, const IndexTuple& index) {
  const ir::Value* value = group_.outputs[output];
  for (const IndexTuple& point : unrolled_points(value, index)) {
    ScalarId scalar = eval(value, point);
    const Index offset = offset_of(group_.shape_in_memory(value), point);
    emit(std::max(level_of(offset), level_of_scalar(scalar)),
         {Store{output_buffers_[output], offset, scalar}});
  }
}

void Lowering::store_outputs() {
  // Scans first: they take along every output that can be written step by step. And what is held.
  for (ir::Op* op : group_.ops) {
    if (ops::is<ops::HoldOp>(*op)) hold(*op);
    if (ops::is<ops::ScanOp>(*op) && !scans_begun_.count(op)) materialize_scan(*op);
  }
  // Then, in program order, the reductions to one value per band point: what they share with a later loop is
  // in its tile when that loop comes.
  for (ir::Op* op : group_.ops) {
    const bool reduces = std::holds_alternative<ir::Reduction>(*op->record().becomes) ||
                         std::holds_alternative<ir::Contraction>(*op->record().becomes);
    if (!reduces || !loop_dims(op->result()).empty()) continue;
    for (const IndexTuple& point : unrolled_points(op->result(), band_index(op->result())))
      eval(op->result(), point);
  }
  for (size_t o = 0; o < group_.outputs.size(); ++o) {
    const ir::Op* maker = group_.outputs[o]->op();  // none where it is an input, of which it is a copy
    if (!stored_[o] && maker != nullptr && std::holds_alternative<ir::Scatter>(*maker->record().becomes)) {
      store_scatter(o);
      stored_[o] = true;
    }
    if (stored_[o]) continue;
    // Outputs that loop over the same extents share the loop.
    auto extents_of = [&](size_t output) {
      std::vector<int64_t> extents;
      for (int64_t d : loop_dims(group_.outputs[output])) {
        extents.push_back(group_.outputs[output]->shape()[static_cast<size_t>(d)]);
      }
      return extents;
    };
    const std::vector<int64_t> extents = extents_of(o);
    std::vector<size_t> together;
    for (size_t p = o; p < group_.outputs.size(); ++p) {
      if (!stored_[p] && extents_of(p) == extents) together.push_back(p);
    }
    std::vector<Index> vars;
    auto nest = [&](auto& self, size_t depth) -> void {
      if (depth == extents.size()) {
        for (size_t p : together) {
          IndexTuple index = band_index(group_.outputs[p]);
          std::vector<int64_t> dims = loop_dims(group_.outputs[p]);
          for (size_t i = 0; i < dims.size(); ++i) index[static_cast<size_t>(dims[i])] = vars[i];
          store_output(p, index);
        }
        return;
      }
      Loop loop;
      loop.extent = extents[depth];
      loop.kind = LoopKind::kMap;
      loop.var = new_var("j", loop.extent, top() + 1);
      loop.body = in_scope([&] {
        vars.push_back(kernel_.var(loop.var));
        self(self, depth + 1);
        vars.pop_back();
      });
      emit(top(), {std::move(loop)});
    };
    nest(nest, 0);
    for (size_t p : together) stored_[p] = true;
  }
}

bool Lowering::trace_demand(const ir::Value* value, const IndexTuple& index, const ir::Op& scan,
                            std::set<std::pair<const ir::Value*, IndexTuple>>& seen,
                            std::vector<Index>& times) {
  if (!seen.emplace(value, index).second || input_buffers_.count(value)) return true;
  if (seen.size() > 4096 || value->op() == nullptr) return false;
  ir::Op& op = *value->op();
  const ir::Becomes& becomes = *op.record().becomes;
  if (std::holds_alternative<ir::Literal>(becomes)) return true;
  if (&op == &scan) {
    const ops::ScanOp parts(scan);
    if (!parts.is_stack(value->index())) return false;
    const int64_t axis = parts.stack_axis(value->index());
    for (int64_t d = 0; d < value->rank(); ++d) {
      DimClass c = dims_.of(value, d);
      const Index& i = index[static_cast<size_t>(d)];
      if (d == axis)
        times.push_back(i);
      else if (dims_.in_band(c) ? !i.is_variable(band_vars_.at(c)) : !i.is_constant())
        return false;
    }
    return true;
  }
  if (ops::is<ops::ScanOp>(op)) return stacks_.count(value) > 0 && scans_done_.count(&op) > 0;
  if (std::holds_alternative<ir::ScalarRecipe>(becomes)) {
    return std::all_of(op.operands().begin(), op.operands().end(), [&](const ir::Value* operand) {
      return trace_demand(operand, index, scan, seen, times);
    });
  }
  if (auto* view = std::get_if<ir::View>(&becomes)) {
    for (const ir::ViewPiece& piece : (*view->map)(op, index)) {
      bool never = false, always = true;
      for (const auto& guard : piece.guards) {
        int64_t low = guard.index.min(), high = guard.index.max();
        never = never || high < guard.low || low >= guard.high;
        always = always && low >= guard.low && high < guard.high;
      }
      if (never) continue;
      if (!always) return false;
      return piece.operand == ir::ViewPiece::kIndexValue ||
             trace_demand(op.operand(piece.operand), piece.index, scan, seen, times);
    }
  }
  return false;
}

std::optional<IndexTuple> Lowering::attachment(const ir::Value* output, const ir::Op& scan,
                                               const Index& time) {
  std::vector<int64_t> dims = loop_dims(output);
  const int64_t length = ops::ScanOp(scan).length();
  if (dims.size() != 1 || output->shape()[static_cast<size_t>(dims[0])] != length) return std::nullopt;
  IndexTuple index = band_index(output);
  index[static_cast<size_t>(dims[0])] = Index::variable(kProbe, length);
  std::vector<Index> times;
  std::set<std::pair<const ir::Value*, IndexTuple>> seen;
  for (const IndexTuple& point : unrolled_points(output, index)) {
    if (!trace_demand(output, point, scan, seen, times)) return std::nullopt;
  }
  if (times.empty()) return std::nullopt;
  const Index& demanded = times.front();
  if (!std::all_of(times.begin(), times.end(), [&](const Index& t) { return t == demanded; }))
    return std::nullopt;
  int64_t sign = demanded.coefficient(kProbe);
  if ((sign != 1 && sign != -1) || demanded.terms().size() != 1) return std::nullopt;
  index[static_cast<size_t>(dims[0])] = (time - Index(demanded.constant())) * sign;
  return index;
}

void Lowering::attach_outputs(ir::Op& scan, const Index& time) {
  if (scan.parent() != (group_.ops.empty() ? nullptr : group_.ops.front()->parent())) return;
  for (size_t o = 0; o < group_.outputs.size(); ++o) {
    if (stored_[o]) continue;
    if (std::optional<IndexTuple> index = attachment(group_.outputs[o], scan, time)) {
      store_output(o, *index);
      stored_[o] = true;
    }
  }
}

}  // namespace ingot::kernel
