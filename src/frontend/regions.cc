#include "frontend/regions.h"

#include <algorithm>

#include "frontend/apply.h"

namespace ingot::detail {

RegionsTracer::RegionsTracer(std::vector<const ArrayType*> types, std::string name,
                             const std::source_location& where)
    : types_(std::move(types)), name_(std::move(name)), where_(where), frame_(*current_frame()) {}

void RegionsTracer::trace(const Function& function) {
  std::unique_ptr<ir::Region> region = frame_.region->function()->make_region();
  FrameScope frame(frame_.state, region.get(), &frame_, where_);
  std::vector<Array> arguments;
  for (const ArrayType* type : types_) arguments.push_back(frame->argument(type, name_));
  for (const Array& array : captures_) frame->value_of(array, where_);
  std::vector<ir::Value*> values;
  for (const Array& result : function(arguments)) values.push_back(frame->value_of(result, where_));
  region->set_results(std::move(values));
  captures_ = frame->captures;
  regions_.push_back(std::move(region));
}

std::vector<Array> RegionsTracer::finish(std::string_view op, std::vector<Array> operands,
                                         ir::Attributes attributes) {
  const size_t arguments = types_.size() + captures_.size();
  for (const auto& region : regions_) {
    for (auto k = static_cast<size_t>(region->argument_count()); k < arguments; ++k)
      region->add_argument(captures_[k - types_.size()].node()->type->tensor(), "captured");
  }
  operands.insert(operands.end(), captures_.begin(), captures_.end());
  return emit_all(op, operands, std::move(attributes), where_, std::move(regions_));
}

bool settle_carry(const std::string& function, std::vector<Array>& init, const std::vector<Array>& next,
                  const std::source_location& where) {
  bool changed = false;
  for (size_t i = 0; i < std::min(init.size(), next.size()); ++i) {
    if (!is_weak(init[i]) || next[i].dtype() == init[i].dtype()) continue;
    const DType dtype = beside(next[i].dtype(), init[i].dtype());
    if (dtype == init[i].dtype() || dtype != next[i].dtype()) continue;  // told by check_next_carry
    const ArrayNode& node = *init[i].node();
    const Array converted =
        node.kind == ArrayNode::Kind::kLiteral
            ? Array(value_of(function.c_str(), {node.type->dtype, node.bits}, dtype, where, ""))
            : astype(Operand(init[i], where), dtype);
    init[i] = as_weak(converted, is_weak(next[i]));
    changed = true;
  }
  return changed;
}

void mark_carry(std::vector<Array>& results, const std::vector<Array>& init, const std::vector<Array>& next) {
  for (size_t i = 0; i < init.size(); ++i)
    results[i] = as_weak(results[i], is_weak(init[i]) && is_weak(next[i]));
}

void check_next_carry(const std::string& function, const std::vector<Array>& init,
                      const std::vector<Array>& next, const std::vector<std::string>& names,
                      const std::source_location& where) {
  if (next.size() != init.size()) {
    fail(where, function + ": a step returns " + std::to_string(next.size()) + " arrays for a carry of " +
                    std::to_string(init.size()));
  }
  for (size_t i = 0; i < init.size(); ++i) {
    if (next[i].type_string() == init[i].type_string()) continue;
    fail(where,
         function + ": " + names[i] + " comes in as " + init[i].type_string() + ", but a step makes it " +
             next[i].type_string() +
             "; a carry keeps its type: convert or broadcast the initial value, or what the step returns");
  }
}

}  // namespace ingot::detail
