#include "transform/checkpoint.h"

#include "ir/unused.h"
#include "transform/split_region.h"

namespace ingot::transform {

using ir::Function;
using ir::Region;
using ir::Value;

const TwoRuns& Checkpoints::split(const Function& function, int kept, const std::vector<bool>& wanted,
                                  const std::string& policy) {
  const Key key(&function, kept, wanted, policy);
  if (auto known = made_.find(key); known != made_.end()) return *known->second;
  auto runs = std::make_unique<TwoRuns>();
  const Region& from = function.body();
  RegionSplitter splitter(*this, policy, from);
  splitter.plan(wanted);

  runs->first = module_.add_function(function.name() + "_saving");
  Region& first = runs->first->body();
  ir::ValueMap map;
  for (const Value* argument : from.arguments())
    map[argument] = first.add_argument(argument->type(), argument->name());
  const std::vector<Value*> saved = splitter.emit_first(first, map);
  std::vector<Value*> results;
  for (int i = 0; i < kept; ++i) results.push_back(map.at(from.results()[static_cast<size_t>(i)]));
  results.insert(results.end(), saved.begin(), saved.end());
  first.set_results(results);
  erase_unused(first);
  runs->saved = static_cast<int>(saved.size());

  runs->again = module_.add_function(function.name() + "_again");
  Region& again = runs->again->body();
  map.clear();
  for (int i = 0; i < from.argument_count(); ++i) {
    const Value* argument = from.argument(i);
    if (!splitter.needs(argument)) continue;
    map[argument] = again.add_argument(argument->type(), argument->name());
    runs->arguments.push_back(i);
  }
  std::vector<Value*> given;
  for (const Value* value : saved) given.push_back(again.add_argument(value->type(), value->name()));
  splitter.emit_again(again, map, given);
  results.clear();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) results.push_back(map.at(from.results()[i]));
  }
  again.set_results(results);
  if (saved.empty()) {
    module_.erase_function(runs->first);
    runs->first = nullptr;
  }
  return *made_.emplace(key, std::move(runs)).first->second;
}

}  // namespace ingot::transform
