#include "transform/regions_builder.h"

#include <algorithm>

#include "base/check.h"
#include "ir/unused.h"
#include "ops/derivatives.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;

void RegionsBuilder::index(Value* operand) {
  roles_.push_back({{}, operand, lanes_.any(), true});
}

void RegionsBuilder::argument(std::vector<Value*> inside, Value* operand, bool mapped) {
  check(inside.size() == drafts_.size(), "an operand of regions needs an argument of each");
  roles_.push_back({std::move(inside), operand, mapped, false});
}

int RegionsBuilder::carry(std::vector<Value*> inside, Value* operand) {
  argument(std::move(inside), operand, lanes_.any());
  roles_.back().stays = true;
  return carries_++;
}

RegionsBuilder::Result RegionsBuilder::finish() {
  Result result;
  result.lanes.extents = lanes_.extents;
  result.carries = carries_;
  std::vector<ir::ValueMap> maps(drafts_.size());
  for (Region* draft : drafts_) {
    erase_unused(*draft);
    result.regions.push_back(draft->function()->make_region());
  }
  const auto is_there = [](const Value* value) { return value != nullptr; };
  const auto is_used = [](const Value* value) { return value != nullptr && value->used(); };
  for (const Role& role : roles_) {
    if (!role.stays && std::none_of(role.inside.begin(), role.inside.end(), is_used)) continue;
    result.operands.push_back(role.operand);
    if (lanes_.any()) result.lanes.mapped.push_back(role.mapped ? 1 : 0);
    if (role.inside.empty()) continue;
    const Value* like = *std::find_if(role.inside.begin(), role.inside.end(), is_there);
    for (size_t k = 0; k < drafts_.size(); ++k) {
      Value* argument = result.regions[k]->add_argument(like->type(), like->name());
      if (role.inside[k] != nullptr) maps[k][role.inside[k]] = argument;
    }
  }
  for (size_t k = 0; k < drafts_.size(); ++k)
    result.regions[k]->set_results(clone_ops(*drafts_[k], *result.regions[k], maps[k]));
  return result;
}

ir::Attributes RegionsBuilder::Result::of_cond() const {
  ir::Attributes attributes;
  lanes.write(attributes);
  return attributes;
}

ir::Attributes RegionsBuilder::Result::of_while(const ops::WhileForm& like) const {
  ops::WhileForm form = like;
  form.carries = carries;
  form.lanes = lanes;
  return form.attributes();
}

RegionsBuilder::Result loop_of_no_steps(const ops::WhileOp& loop, ir::Function& home,
                                        const std::vector<Value*>& carried,
                                        const std::function<Value*(int)>& asked) {
  const std::unique_ptr<Region> asks = home.make_region(), step = home.make_region();
  clone_region(loop.predicate(), *asks);
  RegionsBuilder builder({asks.get(), step.get()}, loop.lanes());
  std::vector<Value*> next;
  for (const ops::WhileOp::Carry& carry : loop.carries()) {
    Value* value = carried[static_cast<size_t>(carry.result->index())];
    if (value == nullptr) continue;
    next.push_back(step->add_argument(carry.argument->type(), carry.argument->name()));
    builder.carry({nullptr, next.back()}, value);
  }
  step->set_results(next);
  erase_unused(*asks);
  for (int i = 0; i < loop.op().operand_count(); ++i) {
    if (asks->argument(i)->used())
      builder.argument({asks->argument(i), nullptr}, asked(i), loop.lanes().is_mapped(i));
  }
  return builder.finish();
}

std::vector<int> SharedResults::places_for(const std::vector<Value*>& values) {
  std::vector<int> places;
  std::vector<bool> taken(types_.size(), false);
  for (const Value* value : values) {
    size_t place = 0;
    while (place < types_.size() && (taken[place] || types_[place] != value->type())) ++place;
    if (place == types_.size()) {
      types_.push_back(value->type());
      taken.push_back(false);
    }
    taken[place] = true;
    places.push_back(static_cast<int>(place));
  }
  return places;
}

std::vector<Value*> SharedResults::filled(const std::vector<Value*>& values, const std::vector<int>& places,
                                          ir::Emitter& emitter) const {
  std::vector<Value*> all(types_.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i) all[static_cast<size_t>(places[i])] = values[i];
  for (size_t place = 0; place < all.size(); ++place) {
    if (all[place] == nullptr) all[place] = ops::zeros(emitter, types_[place]);
  }
  return all;
}

Op* RegionEmitter::emit(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
                        const FillRegion& fill) {
  std::vector<std::unique_ptr<Region>> regions;
  if (fill) {
    regions.push_back(builder_.make_region());
    fill(*regions.back());
  }
  return builder_.make(record, std::move(operands), std::move(attributes), std::move(regions));
}

}  // namespace ingot::transform
