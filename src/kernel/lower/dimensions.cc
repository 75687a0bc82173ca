// Which dimensions of a group run together, and which of them form its band: see group.h.
#include "kernel/lower/group.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "ops/control.h"
#include "ops/hold.h"
#include "ops/kinds.h"
#include "ops/windows.h"

namespace ingot::kernel {

using ir::Op;
using ir::Value;
using ops::ScanOp;

Dimensions::Dimensions(const Group& group, Carries carries) : Dimensions(group, carries, false) {
  if (misses_dimensions(group)) {
    Dimensions tied(group, carries, true);
    if (tied.band_points() > band_points()) *this = std::move(tied);
  }
  place_carries();
}

// Whether a dimension of an output is not in the band though nothing of the group steps through it or sums it
// up: its anchors do not all have it, as far as their operations tell.
bool Dimensions::misses_dimensions(const Group& group) const {
  if (anchors_.size() < 2) return false;
  for (const Value* output : group.outputs) {
    for (int64_t d = 0; d < output->rank(); ++d) {
      const DimClass c = of(output, d);
      if (extents_.at(c) > 1 && !inner_.count(c) && !unrolled_.count(c) && !in_band(c)) return true;
    }
  }
  return false;
}

Dimensions::Dimensions(const Group& group, Carries carries, bool tied_by_inputs)
    : carries_in_(carries),
      tied_by_inputs_(tied_by_inputs),
      most_written_out_(std::clamp<int64_t>(
          kMaxWrittenOutOps / std::max<int64_t>(1, static_cast<int64_t>(group.ops.size())), 1,
          kMaxWrittenOut)),
      inputs_(group.inputs.begin(), group.inputs.end()),
      outputs_(group.outputs.begin(), group.outputs.end()) {
  for (Op* op : group.ops) visit(*op);
  for (const Value* output : group.outputs) anchors_.push_back({{output}, true});
  for (const Anchor& anchor : anchors_) {
    for (const Value* value : anchor.values) {
      for (int64_t d = 0; d < value->rank(); ++d) node(value, d);
    }
  }
  for (size_t n = 0; n < parent_.size(); ++n) {
    DimClass c = find(static_cast<int>(n));
    extents_[c] = std::max(extents_[c], node_extent_[n]);
  }
  for (int n : inner_nodes_) inner_.insert(find(n));
  for (int n : mixed_nodes_) mixed_.insert(find(n));
  choose_unrolled(group);
  choose_band(group);
  write_out_rest(group);
}

int64_t Dimensions::band_points() const {
  int64_t points = 1;
  for (DimClass c : band_) points *= extent(c);
  return points;
}

DimClass Dimensions::of(const Value* value, int64_t dim) const {
  auto it = first_node_.find(value);
  check(it != first_node_.end(), "Dimensions::of: the value is not part of the group");
  return find(it->second + static_cast<int>(dim));
}

int Dimensions::node(const Value* value, int64_t dim) {
  auto [it, fresh] = first_node_.emplace(value, static_cast<int>(parent_.size()));
  if (fresh) {
    for (int64_t extent : value->shape()) {
      parent_.push_back(static_cast<int>(parent_.size()));
      node_extent_.push_back(extent);
    }
  }
  return it->second + static_cast<int>(dim);
}

int Dimensions::find(int n) const {
  while (parent_[static_cast<size_t>(n)] != n) {
    int& up = parent_[static_cast<size_t>(n)];
    up = parent_[static_cast<size_t>(up)];
    n = up;
  }
  return n;
}

bool Dimensions::is_one_number(const Value* value) const {
  const Op* op = value->op();
  return op != nullptr && outputs_.count(value) == 0 && ops::is<ops::BroadcastOp>(*op) &&
         op->operand(0)->rank() == 0;
}

void Dimensions::unite(const Value* a, int64_t da, const Value* b, int64_t db) {
  if (binds_nothing(a) || binds_nothing(b)) return;
  int na = find(node(a, da)), nb = find(node(b, db));
  if (na != nb) parent_[static_cast<size_t>(std::max(na, nb))] = std::min(na, nb);
}

void Dimensions::unite_shapes(const Value* a, const Value* b) {
  for (int64_t d = 0; d < a->rank(); ++d) unite(a, d, b, d);
}

void Dimensions::visit(Op& op) {
  for (Value* result : op.results()) {
    for (int64_t d = 0; d < result->rank(); ++d) node(result, d);
  }
  const ir::Becomes& becomes = op.record().becomes;
  if (std::holds_alternative<ir::ScalarRecipe>(becomes)) {
    for (Value* operand : op.operands()) {
      if (operand->rank() != op.result()->rank())  // complex numbers as pairs, in the body of a loop
        throw NotFusible("'" + std::string(op.name()) +
                         "' between shapes of other ranks is not part of a kernel");
      unite_shapes(operand, op.result());
    }
  } else if (ops::is<ops::HoldOp>(op)) {
    visit_hold(op);
  } else if (std::holds_alternative<ir::View>(becomes)) {
    visit_view(op);
  } else if (std::holds_alternative<ir::Literal>(becomes)) {
    return;
  } else if (std::holds_alternative<ir::Reduction>(becomes)) {
    const ops::ReduceOp reduction(op);
    const ir::IntList& axes = reduction.axes();
    const int64_t reduced = reduction.reduced_elements();
    for (int i = 0; i < reduction.count(); ++i) {
      const Value* array = reduction.array(i);
      int64_t kept = 0;
      for (int64_t d = 0; d < array->rank(); ++d) {
        unite(array, d, reduction.array(0), d);
        if (std::count(axes.begin(), axes.end(), d)) {
          flag_reduced(array, d, reduced);
        } else {
          unite(array, d, op.result(i), kept);
          unite(op.result(0), kept, op.result(i), kept);
          ++kept;
        }
      }
    }
    Anchor anchor{{}, false};
    for (Value* result : op.results()) anchor.values.push_back(result);
    if (too_many_to_write_out(reduced)) looped_.push_back(op.result(0));
    anchors_.push_back(anchor);
  } else if (auto* contraction = std::get_if<ir::Contraction>(&becomes)) {
    visit_contraction(op, *contraction);
  } else if (std::holds_alternative<ir::Gather>(becomes)) {
    visit_gather(op);
  } else if (std::holds_alternative<ir::Scatter>(becomes)) {
    visit_scatter(op);
  } else if (ops::is<ops::ScanOp>(op)) {
    visit_scan(op);
  } else {
    throw NotFusible("'" + std::string(op.name()) + "' is not part of a kernel");
  }
}

void Dimensions::visit_view(Op& op) {
  std::vector<Index> vars;
  const Value* result = op.result();
  for (int64_t d = 0; d < result->rank(); ++d) {
    vars.push_back(Index::variable(static_cast<int>(d), result->shape()[static_cast<size_t>(d)]));
  }
  const auto& view = std::get<ir::View>(*op.record().becomes);
  auto mixes = [&](const Index& index) {
    std::vector<int> used;
    index.collect_variables(used);
    for (int v : used) flag_mixed(result, v);
  };
  for (const ir::ViewPiece& piece : (*view.map)(op, vars)) {
    if (piece.operand == ir::ViewPiece::kIndexValue) continue;
    const Value* operand = op.operand(piece.operand);
    const bool is_input = inputs_.count(operand) > 0;
    if (binds_nothing(operand) || operand->rank() == 0) continue;
    for (const auto& guard : piece.guards) {
      if (!is_input) mixes(guard.index);
    }
    for (size_t d = 0; d < piece.index.size(); ++d) {
      const Index& index = piece.index[d];
      std::vector<int> used;
      index.collect_variables(used);
      bool same = used.size() == 1 && index.is_variable(used[0]) &&
                  operand->shape()[d] == result->shape()[static_cast<size_t>(used[0])];
      if (same) {
        unite(operand, static_cast<int64_t>(d), result, used[0]);
      } else if (operand->shape()[d] != 1 && !is_input) {
        flag_mixed(operand, static_cast<int64_t>(d));
        mixes(index);
        for (int v : used) mixed_links_.push_back({node(operand, static_cast<int64_t>(d)), node(result, v)});
      }
    }
  }
}

void Dimensions::visit_hold(Op& op) {
  unite_shapes(op.operand(0), op.result());
  for (const int64_t d : ops::HoldOp(op).dims()) flag_stepped(op.result(), d);
  anchors_.push_back({{op.result()}, false});
}

// A dimension that is summed over, alone or together with one of the result, is inside of a band point.
void Dimensions::visit_contraction(Op& op, const ir::Contraction& contraction) {
  const Value* result = op.result();
  const Shape summed = (*contraction.summed)(op);
  std::vector<Index> vars, over;
  int id = 0;
  for (int64_t extent : result->shape()) vars.push_back(Index::variable(id++, extent));
  const int first_summed = id;
  for (int64_t extent : summed) over.push_back(Index::variable(id++, extent));
  const ir::ContractionTerm term = (*contraction.term)(op, vars, over);
  const int64_t reduced = element_count(summed);
  std::map<int, std::pair<const Value*, int64_t>> summed_dims;  // of lhs, by variable
  for (int side = 0; side < 2; ++side) {
    const Value* operand = op.operand(side);
    const std::vector<Index>& index = side == 0 ? term.lhs : term.rhs;
    for (int64_t d = 0; d < operand->rank(); ++d) {
      const Index& i = index[static_cast<size_t>(d)];
      const int64_t extent = operand->shape()[static_cast<size_t>(d)];
      std::vector<int> used;
      i.collect_variables(used);
      const bool alone = used.size() == 1 && i.is_variable(used[0]);
      const int64_t range = !alone                   ? -1
                            : used[0] < first_summed ? result->shape()[static_cast<size_t>(used[0])]
                                                     : summed[static_cast<size_t>(used[0] - first_summed)];
      if (extent == 1) continue;
      if (alone && used[0] < first_summed && range == extent) {
        unite(operand, d, result, used[0]);
        continue;
      }
      flag_reduced(operand, d, reduced);
      if (!alone || range != extent) continue;
      auto [known, fresh] = summed_dims.try_emplace(used[0], operand, d);
      if (!fresh) unite(operand, d, known->second.first, known->second.second);
    }
  }
  if (too_many_to_write_out(reduced)) looped_.push_back(result);
  anchors_.push_back({{result}, false});
}

// As of a view: where an element's index is known only at run time, dimensions are mixed.
void Dimensions::visit_gather(Op& op) {
  const ops::WindowDims dims = ops::WindowDims::of(op.attributes());
  const Value *array = op.operand(0), *indices = op.operand(1), *result = op.result();
  std::vector<Index> vars;
  for (int64_t d = 0; d < result->rank(); ++d)
    vars.push_back(Index::variable(static_cast<int>(d), result->shape()[static_cast<size_t>(d)]));
  const auto place = ops::place_of<Index>(dims, array->rank(), indices->rank(), vars);
  auto read = [&](const Value* operand, int64_t d, const Index& index, bool moves) {
    std::vector<int> used;
    index.collect_variables(used);
    const int64_t extent = operand->shape()[static_cast<size_t>(d)];
    if (!moves && used.size() == 1 && result->shape()[static_cast<size_t>(used[0])] == extent)
      return unite(operand, d, result, used[0]);
    if (extent == 1) return;
    flag_mixed(operand, d);
    for (int v : used) flag_mixed(result, v);
  };
  for (int64_t d = 0; d < array->rank() && inputs_.count(array) == 0; ++d) {
    const auto i = static_cast<size_t>(d);
    read(array, d, place.array[i], ops::contains(dims.index_map, d) && dims.sizes[i] < array->shape()[i]);
  }
  for (int64_t d = 0; d < indices->rank() && inputs_.count(indices) == 0 && !place.indices.empty(); ++d)
    read(indices, d, place.indices[0][static_cast<size_t>(d)], false);
}

// Independent of each other is what windows share with the array as a whole: their full dimensions and the
// batching ones. All else is written in the order of the updates.
void Dimensions::visit_scatter(Op& op) {
  const ops::WindowDims dims = ops::WindowDims::of(op.attributes());
  const Value *array = op.operand(0), *indices = op.operand(1), *updates = op.operand(2),
              *result = op.result();
  const ops::IntList shared = ops::shared_dims(dims, result->shape(), indices->rank(), updates->shape());
  unite_shapes(array, result);
  for (int64_t d = 0; d < result->rank(); ++d) {
    if (!ops::contains(shared, d)) flag_inner(result, d);
  }
  for (int64_t d = 0; d < updates->rank(); ++d) {
    const int64_t along = shared[static_cast<size_t>(d)];
    if (along >= 0)
      unite(updates, d, result, along);
    else
      flag_inner(updates, d);
  }
  for (size_t k = 0; k < dims.array_batching.size(); ++k)
    unite(indices, dims.indices_batching[k], result, dims.array_batching[k]);
  anchors_.push_back({{result}, false});
}

void Dimensions::visit_scan(Op& op) {
  const ScanOp scan(op);
  Anchor anchor{{}, false};
  for (const ScanOp::Carry& carry : scan.carries()) {
    unite_shapes(carry.initial, carry.result);
    unite_shapes(carry.argument, carry.result);
    anchor.values.push_back(carry.result);
    if (std::optional<UpdatedCarry> updated = updated_carry(carry))
      updated_.push_back(std::move(*updated));
    else
      carries_.push_back(carry.result);
  }
  auto unite_slice = [&](const Value* slice, const Value* whole, int64_t axis) {
    for (int64_t d = 0; d < slice->rank(); ++d) unite(slice, d, whole, d < axis ? d : d + 1);
  };
  for (const ScanOp::Scanned& x : scan.scanned()) {
    unite_slice(x.slice, x.array, x.axis);
    if (!inputs_.count(x.array)) flag_stepped(x.array, x.axis);
  }
  for (const ScanOp::Invariant& x : scan.invariants()) unite_shapes(x.argument, x.value);
  visit_region(scan.body());
  for (const ScanOp::Carry& carry : scan.carries()) unite_shapes(carry.next, carry.result);
  for (const ScanOp::Stack& y : scan.stacks()) {
    unite_slice(y.slice, y.whole, y.axis);
    flag_stepped(y.whole, y.axis);
    anchor.values.push_back(y.whole);
  }
  anchors_.push_back(anchor);
}

void Dimensions::visit_region(ir::Region& region) {
  for (Value* argument : region.arguments()) {
    for (int64_t d = 0; d < argument->rank(); ++d) node(argument, d);
  }
  for (auto& op : region.ops()) {
    if (!op->is_return()) visit(*op);
  }
}

void Dimensions::flag_reduced(const Value* v, int64_t d, int64_t reduced_elements) {
  if (inputs_.count(v)) return;
  flag_inner(v, d);
  (writes_out_reductions() && !too_many_to_write_out(reduced_elements) ? written_out_nodes_ : looped_nodes_)
      .push_back(node(v, d));
}

// All or nothing: a chain of permutations must not fall back to recomputing its past for every element.
void Dimensions::unroll_if_small(const Group& group, const std::unordered_set<DimClass>& classes) {
  auto fits = [&](const Value* value) {
    int64_t size = 1;
    for (int64_t d = 0; d < value->rank(); ++d) {
      DimClass c = of(value, d);
      if (classes.count(c) || unrolled_.count(c)) size *= value->shape()[static_cast<size_t>(d)];
    }
    return size <= kMaxUnrolledElements;
  };
  bool small = !classes.empty();
  auto look = [&](auto& self, Op& op) -> void {
    for (Value* result : op.results()) small = small && fits(result);
    if (!ops::is<ops::ScanOp>(op)) return;
    for (auto& inner : op.region().ops()) self(self, *inner);
  };
  for (Op* op : group.ops) look(look, *op);
  if (!small) return;
  for (DimClass c : classes) {
    if (extents_[c] <= kMaxUnrolledElements) unrolled_.insert(c);
  }
}

void Dimensions::flag_stepped(const Value* v, int64_t d) {
  flag_inner(v, d);
  stepped_nodes_.push_back(node(v, d));
}

// What a scan steps through stays a loop, seen through views too: a short scan is the same kernel as a long
// one.
std::unordered_set<DimClass> Dimensions::stepped() const {
  std::unordered_set<DimClass> found;
  for (int n : stepped_nodes_) found.insert(find(n));
  for (size_t before = 0; before != found.size();) {
    before = found.size();
    for (auto [a, b] : mixed_links_) {
      if (found.count(find(a))) found.insert(find(b));
      if (found.count(find(b))) found.insert(find(a));
    }
  }
  return found;
}

namespace {

// Whether the group moves elements that it has computed by more than a few operations: what is not written
// out computes them again wherever they go.
bool moves_what_it_computes(const Group& group) {
  std::unordered_map<const Value*, int64_t> operations;  // that an element takes, from the group's inputs on
  for (const Op* op : group.ops) {
    if (op->region_count() > 0) return true;
    int64_t count = std::holds_alternative<ir::ScalarRecipe>(*op->record().becomes) ? 1 : 0;
    for (const Value* operand : op->operands()) {
      if (const auto made = operations.find(operand); made != operations.end())
        count = std::min(count + made->second, kMostMovedOperations + 1);
    }
    const bool moves =
        std::holds_alternative<ir::View>(*op->record().becomes) && !ops::is<ops::BroadcastOp>(*op);
    if (moves && count > kMostMovedOperations) return true;
    for (const Value* result : op->results()) operations[result] = count;
  }
  return false;
}

}  // namespace

void Dimensions::choose_unrolled(const Group& group) {
  std::unordered_set<DimClass> mixed, written_out;
  const std::unordered_set<DimClass> loops = stepped();
  for (DimClass c : mixed_) {
    if (!inner_.count(c) && !loops.count(c)) mixed.insert(c);
  }
  int64_t statements = 0;  // of a band point, if they are written out
  for (const Op* op : group.ops) {
    if (!std::holds_alternative<ir::ScalarRecipe>(*op->record().becomes)) continue;
    int64_t elements = 1;
    for (int64_t d = 0; d < op->result()->rank(); ++d) {
      if (mixed.count(of(op->result(), d)) > 0) elements *= op->result()->shape()[static_cast<size_t>(d)];
    }
    statements = add_extents(statements, elements);
  }
  if (statements <= kMaxWrittenOutStatements || moves_what_it_computes(group)) unroll_if_small(group, mixed);
  // What is reduced by written-out code is computed as written-out code, so that both share it.
  for (int n : written_out_nodes_) written_out.insert(find(n));
  for (int n : looped_nodes_) written_out.erase(find(n));
  unroll_if_small(group, written_out);
}

void Dimensions::choose_band(const Group& group) {
  check(!group.outputs.empty(), "a group without outputs");
  auto count = [&](const Value* value, DimClass c) {
    int found = 0;
    for (int64_t d = 0; d < value->rank(); ++d) found += of(value, d) == c;
    return found;
  };
  const Value* first = group.outputs.front();
  for (const Value* output : group.outputs) {
    if (output->rank() < first->rank()) first = output;
  }
  for (int64_t d = 0; d < first->rank(); ++d) {
    DimClass c = of(first, d);
    if (extents_[c] == 1 || inner_.count(c) || unrolled_.count(c)) continue;
    bool everywhere = true;
    for (const Anchor& anchor : anchors_) {
      bool some = false, each = true;
      for (const Value* value : anchor.values) {
        int n = count(value, c);
        some = some || n > 0;
        each = each && n == 1;
        if (n > 1) everywhere = false;
      }
      if (!(anchor.all ? each : some)) everywhere = false;
    }
    if (everywhere) {
      band_position_[c] = static_cast<int>(band_.size());
      band_.push_back(c);
    }
  }
}

// The few elements of the outputs that a band point has besides: loops over them would compute once more for
// each what they have in common, as the sums of forces along three axes have their distances. Where there is
// no band, lanes run along these loops.
void Dimensions::write_out_rest(const Group& group) {
  if (!writes_out_reductions() || band_.empty()) return;
  const std::unordered_set<DimClass> loops = stepped();
  std::unordered_set<DimClass> rest;
  for (const Value* output : group.outputs) {
    int64_t elements = 1;
    for (int64_t d = 0; d < output->rank(); ++d) {
      const DimClass c = of(output, d);
      if (extents_.at(c) == 1 || in_band(c) || unrolled(c)) continue;
      if (inner_.count(c) || loops.count(c)) return;
      elements *= extents_.at(c);
      rest.insert(c);
    }
    if (too_many_to_write_out(elements)) return;
  }
  unroll_if_small(group, rest);
}

// What a scan carries inside of one band point lives in registers if it is little.
void Dimensions::place_carries() {
  for (const UpdatedCarry& updated : updated_) place_updates(updated);
  for (const Value* carry : carries_) {
    const int64_t inside = elements_inside(carry);
    if (inside > kMaxCarriedElements) {
      throw NotFusible("the carry ", *carry,
                       " of a scan has " + std::to_string(inside) +
                           " elements in one band point, more than fit near its registers");
    }
    if (inside > kMaxUnrolledElements || (carries_in_ == Carries::kInMemory && inside > 1)) continue;
    for (int64_t d = 0; d < carry->rank(); ++d) {
      DimClass c = of(carry, d);
      if (!in_band(c)) unrolled_.insert(c);
    }
  }
}

// What a step reads of the carry and puts into it becomes scalars, so that all that it reads comes first.
void Dimensions::place_updates(const UpdatedCarry& updated) {
  const Value* result = updated.carry.result;
  if (outputs_.count(result) == 0 && elements_inside(result) > kMaxCarriedElements && !is_version(result)) {
    throw NotFusible("the carry ", *result,
                     " of a scan, which steps change in part, is no result of the kernel, and has more "
                     "elements in one band point than fit near its registers");
  }
  const auto write_out = [&](const Value* value) {
    for (int64_t d = 0; d < value->rank(); ++d) {
      if (const DimClass c = of(value, d); !in_band(c)) unrolled_.insert(c);
    }
  };
  const auto inside = [&](const Value* value) { return elements_inside(value); };
  for (size_t u = 0; u <= updated.updates.size(); ++u) {
    for (const Value* read : readings(updated, u, kMaxUnrolledElements, inside)) write_out(read);
    if (u == updated.updates.size()) break;
    if (!ops::is<ops::ScatterOp>(*updated.updates[u].op)) continue;
    const Value* put = updated.updates[u].op->operand(2);
    if (inside(put) > kMaxUnrolledElements) {
      throw NotFusible(
          "", *put,
          ", which the step of a scan puts into its carry, has more elements than fit in registers");
    }
    write_out(put);
  }
}

int64_t Dimensions::elements_inside(const Value* value) const {
  int64_t inside = 1;
  for (int64_t d = 0; d < value->rank(); ++d) {
    if (!in_band(of(value, d))) inside *= value->shape()[static_cast<size_t>(d)];
  }
  return inside;
}

const UpdatedCarry* Dimensions::updated(const Value* result) const {
  const auto found = std::find_if(updated_.begin(), updated_.end(), [&](const UpdatedCarry& updated) {
    return updated.carry.result == result;
  });
  return found == updated_.end() ? nullptr : &*found;
}

bool Dimensions::is_version(const Value* result) const {
  return std::any_of(updated_.begin(), updated_.end(), [&](const UpdatedCarry& around) {
    return std::any_of(around.updates.begin(), around.updates.end(),
                       [&](const UpdatedCarry::Update& update) { return update.version == result; });
  });
}

bool Dimensions::carries_need_loops() const {
  std::unordered_set<DimClass> inside;
  for (const Value* carry : carries_) {
    for (int64_t d = 0; d < carry->rank(); ++d) {
      const DimClass c = of(carry, d);
      if (!in_band(c) && extent(c) > 1) inside.insert(c);
    }
  }
  for (const Value* value : looped_) {
    for (int64_t d = 0; d < value->rank(); ++d) {
      if (inside.count(of(value, d))) return true;
    }
  }
  return false;
}

}  // namespace ingot::kernel
