#include "kernel/schedule/updates/update_builder.h"

#include <algorithm>
#include <set>

#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/loops/loops.h"

namespace ingot::kernel {

bool UpdateBuilder::is_lanes(const Loop& loop) const {
  return u_.rest.coefficient(loop.var) == 1 && !u_.rest.uses_nonlinearly(loop.var);
}

ScalarId UpdateBuilder::number(Block& to, int64_t value) {
  Tensor scalar(DType::kS32, {});
  scalar.set_int(0, value);
  to.stmts.push_back({Literal{kernel_.add_scalar(DType::kS32), scalar}});
  return std::get<Literal>(to.stmts.back().node).result;
}

ScalarId UpdateBuilder::let(Block& to, const char* record, std::vector<ScalarId> operands) {
  const ir::OpRecord* found = ir::find_record(record);
  to.stmts.push_back({Let{kernel_.add_scalar(DType::kS32), found, std::move(operands), {}}});
  return std::get<Let>(to.stmts.back().node).result;
}

ScalarId UpdateBuilder::value_of(Block& to, const Index& index) {
  to.stmts.push_back({IndexValue{kernel_.add_scalar(DType::kS32), index}});
  return std::get<IndexValue>(to.stmts.back().node).result;
}

ScalarId UpdateBuilder::load(Block& to, BufferId buffer, const Index& offset) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(buffer)].dtype;
  to.stmts.push_back({Load{kernel_.add_scalar(dtype), buffer, offset}});
  return std::get<Load>(to.stmts.back().node).result;
}

Index UpdateBuilder::bind(Block& to, ScalarId scalar, int64_t extent) {
  const ScalarId cut = let(to, "min", scalar, number(to, extent - 1));
  const VarId var = kernel_.add_var("at", extent);
  kernel_.bound[var] = cut;
  return kernel_.var(var);
}

BufferId UpdateBuilder::share_buffer(const char* name, DType dtype, int64_t elements) {
  const BufferId buffer = kernel_.add_buffer({name, dtype, elements, Buffer::Kind::kShared, {elements}});
  phases_.stmts.insert(phases_.stmts.begin(), {Alloc{buffer}});
  return buffer;
}

void UpdateBuilder::append_phase(std::vector<Loop> loops, Block body) {
  eliminate_dead(kernel_, body);
  append(phases_, wrap(std::move(loops), std::move(body)));
}

void UpdateBuilder::copy_scalars(Copier& copy, Block& to) {
  for (const Stmt& stmt : nest_.body.stmts) {
    if (is_scalar(stmt)) to.stmts.push_back(copy(stmt));
  }
}

void UpdateBuilder::at_update(Copier& copy, Index number) {
  if (u_.runs_on) {
    for (const Loop& loop : u_.loops) copy.replace_variable(loop.var, Index(0));
    return copy.replace_variable(u_.loops.back().var, std::move(number));
  }
  for (size_t i = u_.loops.size(); i-- > 0;) {
    const Loop& loop = u_.loops[i];
    copy.replace_variable(loop.var, i == 0 ? number : number.mod(loop.extent));
    number = number.floor_div(loop.extent);
  }
}

UpdateBuilder::Band UpdateBuilder::fresh_band(Copier& copy, LoopKind outer) {
  Band band;
  for (const Loop& old : nest_.loops) {
    const std::string& name = kernel_.var_names[static_cast<size_t>(old.var)];
    const bool neighbours = is_lanes(old);
    Loop loop = make_loop(kernel_, name, old.extent, 1, neighbours ? LoopKind::kMap : outer);
    copy.replace_variable(old.var, kernel_.var(loop.var));
    if (!neighbours) {
      band.outer.push_back(std::move(loop));
      continue;
    }
    loop.style = LoopStyle::kLanes;
    loop.vectors = 4;
    band.lanes = std::move(loop);
  }
  return band;
}

Block UpdateBuilder::over_band(Band band, Block body) {
  std::vector<Loop> loops = std::move(band.outer);
  if (band.lanes) loops.push_back(std::move(*band.lanes));
  if (loops.empty()) return body;
  std::set<VarId> variables;
  for (const Loop& loop : loops) variables.insert(loop.var);
  const std::set<ScalarId> inside = varying(kernel_, body, variables);
  Block result, inner;
  for (Stmt& stmt : body.stmts) {
    const std::vector<ScalarId> made = results(stmt);
    const bool moves = !is_scalar(stmt) || (!made.empty() && inside.count(made[0]) > 0) || reads_target(stmt);
    (moves ? inner : result).stmts.push_back(std::move(stmt));
  }
  append(result, wrap(std::move(loops), std::move(inner)));
  return result;
}

ScalarId UpdateBuilder::combined(Block& to, ScalarId a, ScalarId b) {
  const ScalarId result = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(a)]);
  to.stmts.push_back({Let{result, u_.combine->record, {a, b}, u_.combine->attributes}});
  return result;
}

Block UpdateBuilder::fill_slots(const Index& first, int64_t count, const Copier* opened) {
  const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
  Copier copy = opened != nullptr ? *opened : Copier(kernel_);
  Loop slot = make_loop(kernel_, "slot", count, 1, LoopKind::kMap);
  Band band = fresh_band(copy, LoopKind::kMap);
  if (opened != nullptr) {
    for (const Loop& old : nest_.loops) {
      if (is_lanes(old)) continue;
      copy.replace_variable(old.var, opened->fresh(kernel_.var(old.var)));
    }
    band.outer.clear();
  }
  copy.replace_variable(fill.var, first + kernel_.var(slot.var));
  Block body;
  copy_scalars(copy, body);
  for (const Stmt& stmt : fill.body.stmts) body.stmts.push_back(copy(stmt));
  std::vector<Loop> loops = std::move(band.outer);
  if (!band.lanes) slot.style = u_.stride == 1 ? LoopStyle::kLanes : LoopStyle::kSerial;
  loops.push_back(std::move(slot));
  if (band.lanes) loops.push_back(std::move(*band.lanes));
  return wrap(std::move(loops), std::move(body));
}

void UpdateBuilder::join_parts(BufferId part, int64_t parts) {
  constexpr int64_t kWrittenOut = 16;  // more parts are a loop
  const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
  const int64_t array = u_.slots * u_.window;
  Copier copy(kernel_);
  std::vector<Loop> loops;
  auto parallel = [&](const Loop& old) {
    loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)], old.extent, 1,
                              LoopKind::kParallel));
    copy.replace_variable(old.var, kernel_.var(loops.back().var));
  };
  for (const Loop& old : nest_.loops) parallel(old);
  parallel(fill);
  Block body;
  copy_scalars(copy, body);
  for (const Stmt& stmt : fill.body.stmts) {
    if (!std::holds_alternative<Store>(stmt.node)) {
      body.stmts.push_back(copy(stmt));
      continue;
    }
    Store store = std::get<Store>(copy(stmt).node);
    if (parts <= kWrittenOut) {
      for (int64_t p = 0; p < parts; ++p)
        store.value = combined(body, store.value, load(body, part, store.offset + Index(p * array)));
    } else {
      Loop loop = make_loop(kernel_, "part", parts, 1, LoopKind::kScan);
      const DType dtype = kernel_.scalars[static_cast<size_t>(store.value)];
      loop.carries.push_back({store.value, kernel_.add_scalar(dtype), kNone, kernel_.add_scalar(dtype)});
      Carry& sum = loop.carries[0];
      store.value = sum.result;
      Block inside;
      sum.next = combined(inside, sum.arg, load(inside, part, store.offset + kernel_.var(loop.var) * array));
      append(body, wrap({std::move(loop)}, std::move(inside)));
    }
    body.stmts.push_back({store});
  }
  eliminate_dead(kernel_, body);
  // An elementwise phase, scheduled as any other.
  kernel_.body = wrap(std::move(loops), std::move(body));
  collapse_loops(kernel_);
  choose_lanes(kernel_, target_);
  append(phases_, as_phase(kernel_, std::move(kernel_.body)));
}

bool UpdateBuilder::reads_target(const Stmt& stmt) const {
  auto* load = std::get_if<Load>(&stmt.node);
  return load != nullptr && kernel_.buffers[static_cast<size_t>(load->buffer)].kind != Buffer::Kind::kInput;
}

}  // namespace ingot::kernel
