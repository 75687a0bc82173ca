#include "kernel/lower/lower.h"

#include <algorithm>

#include "base/check.h"
#include "kernel/ir/blocks.h"
#include "kernel/lower/lowering_state.h"
#include "kernel/lower/products.h"
#include "ops/control.h"

namespace ingot::kernel {

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Index offset_of(const Shape& shape, const IndexTuple& index) {
  const std::vector<int64_t> strides = strides_of(shape);
  Index offset;
  for (size_t d = 0; d < index.size(); ++d) offset = offset + index[d] * strides[d];
  return offset;
}

namespace {

Kernel lower(const Group& group, const std::string& name, Carries carries, int64_t* runs) {
  const Dimensions dims(group, carries);
  Decisions decisions;
  while (true) {
    Lowering lowering(group, dims, decisions, name);
    if (runs != nullptr) ++*runs;
    try {
      Kernel kernel = lowering.run();
      if (!lowering.starts_again()) return kernel;
    } catch (const NotFusible&) {
      if (!lowering.starts_again()) throw;
    }
    // Every restart has added a decision about one of the group's values, so this ends.
  }
}

}  // namespace

Kernel lower(const Group& group, const std::string& name, int64_t* runs) {
  if (std::none_of(group.ops.begin(), group.ops.end(), [](ir::Op* op) { return ops::is<ops::ScanOp>(*op); }))
    return lower(group, name, Carries::kInRegisters, runs);
  // Elements in registers are computed one by one, each with all that it needs.
  const bool loops = Dimensions(group).carries_need_loops();
  try {
    return lower(group, name, loops ? Carries::kInMemory : Carries::kInRegisters, runs);
  } catch (const NotFusible&) {
    return lower(group, name, loops ? Carries::kInRegisters : Carries::kInMemory, runs);
  }
}

Lowering::Lowering(const Group& group, const Dimensions& dims, Decisions& decisions, std::string name)
    : group_(group), dims_(dims), decisions_(decisions) {
  kernel_.name = std::move(name);
  scopes_.emplace_back(&room_);
  for (const ir::Value* input : group.inputs) {
    const Shape shape = group.shape_in_memory(input);
    input_buffers_[input] = kernel_.add_buffer(
        {input->name(), input->dtype(), element_count(shape), Buffer::Kind::kInput, shape});
  }
  for (const ir::Value* output : group.outputs) {
    const Shape shape = group.shape_in_memory(output);
    output_buffers_.push_back(kernel_.add_buffer(
        {output->name(), output->dtype(), element_count(shape), Buffer::Kind::kOutput, shape}));
  }
  kernel_.input_count = static_cast<int>(group.inputs.size());
  kernel_.output_count = static_cast<int>(group.outputs.size());
  // Nothing is stored of what has no elements, nor computed for it.
  for (const ir::Value* output : group.outputs) stored_.push_back(element_count(output->shape()) == 0);
}

Kernel Lowering::run() {
  int number = 0;
  for (DimClass c : dims_.band()) band_vars_[c] = new_var("i" + std::to_string(number++), dims_.extent(c), 0);
  store_outputs();
  Block body = std::move(scopes_[0].block);
  regroup_products(kernel_, body);
  eliminate_dead(kernel_, body);
  order_by_use(kernel_, body);
  for (size_t i = dims_.band().size(); i-- > 0;) {
    Loop loop;
    loop.var = band_vars_.at(dims_.band()[i]);
    loop.extent = dims_.extent(dims_.band()[i]);
    loop.kind = LoopKind::kParallel;
    loop.body = std::move(body);
    body = Block{};
    body.stmts.push_back({std::move(loop)});
  }
  kernel_.body = std::move(body);
  return std::move(kernel_);
}

int Lowering::level_of(const Index& index) const {
  std::vector<int> vars;
  index.collect_variables(vars);
  int level = 0;
  for (int var : vars) level = std::max(level, var_level_[static_cast<size_t>(var)]);
  return level;
}

int Lowering::level_of(const IndexTuple& index) const {
  int level = 0;
  for (const Index& i : index) level = std::max(level, level_of(i));
  return level;
}

int Lowering::context_level(const ir::Op& op) const {
  auto it = region_level_.find(op.parent());
  return it == region_level_.end() ? 0 : it->second;
}

ScalarId Lowering::new_scalar(DType dtype, int level) {
  check(level <= top(), "a scalar would be made in a loop that is not open");
  scalar_level_.push_back(level);
  return kernel_.add_scalar(dtype);
}

VarId Lowering::new_var(const std::string& name, int64_t extent, int level) {
  var_level_.push_back(level);
  return kernel_.add_var(name, extent);
}

ScalarId Lowering::let(std::string_view record, std::vector<ScalarId> operands, DType result,
                       ir::Attributes attributes) {
  const ir::OpRecord* found = ir::find_record(record);
  check(found != nullptr, "no record called " + std::string(record));
  return let(*found, std::move(operands), result, attributes);
}

ScalarId Lowering::let(const ir::OpRecord& record, std::vector<ScalarId> operands, DType result,
                       const ir::Attributes& attributes) {
  if (std::optional<ScalarId> known = simplified(record, operands, result)) return *known;
  int level = 0;
  for (ScalarId operand : operands) level = std::max(level, level_of_scalar(operand));
  std::string text;
  for (auto& [name, value] : attributes.items()) {
    text += name + "=";
    if (auto* s = std::get_if<std::string>(&value))
      text += *s;
    else if (auto* d = std::get_if<DType>(&value))
      text += name_of(*d);
    else if (auto* i = std::get_if<int64_t>(&value))
      text += std::to_string(*i) + ",";
    else if (auto* b = std::get_if<bool>(&value))
      text += *b ? "true" : "false";
    else
      throw InternalError("a scalar operation with the attribute " + name);
  }
  LetKey key{&record, operands, text, result};
  auto [it, fresh] = scopes_[static_cast<size_t>(level)].lets.emplace(std::move(key), kNone);
  if (!fresh) return it->second;
  if (kernel_.scalars.size() > kMostScalars) throw NotFusible("the kernel's body would be too long");
  ScalarId id = new_scalar(result, level);
  it->second = id;
  if (record.name->starts_with("shift_") && literals_.count(operands[1]))
    shifts_[id] = {&record, operands[0], operands[1]};
  if (is_float(result) && gives_no_minus_zero(record, operands)) never_minus_zero_.insert(id);
  emit(level, {Let{id, &record, std::move(operands), attributes}});
  return id;
}

ScalarId Lowering::literal(const Tensor& scalar) {
  std::string key(name_of(scalar.dtype()));
  key.append(reinterpret_cast<const char*>(scalar.raw()), byte_size(scalar.dtype()));
  auto [it, fresh] = scopes_[0].literals.emplace(std::move(key), kNone);
  if (fresh) {
    it->second = new_scalar(scalar.dtype(), 0);
    literals_[it->second] = scalar;
    emit(0, {Literal{it->second, scalar}});
  }
  return it->second;
}

ScalarId Lowering::load(BufferId buffer, const Index& place, int min_level) {
  const Index offset = place.rejoined();
  int level = std::max(level_of(offset), min_level);
  if (predicate_ != kNone) level = std::max(level, level_of_scalar(predicate_));
  auto& loads = scopes_[static_cast<size_t>(level)].loads;
  auto [it, fresh] = loads.emplace(LoadKey{buffer, offset, predicate_}, kNone);
  if (fresh) {
    it->second = new_scalar(kernel_.buffers[static_cast<size_t>(buffer)].dtype, level);
    emit(level, {Load{it->second, buffer, offset, predicate_}});
  }
  return it->second;
}

}  // namespace ingot::kernel
