#include "transform/derivatives.h"

#include <algorithm>

#include "base/check.h"
#include "ir/op_record.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "transform/differentiate.h"
#include "transform/transpose.h"

namespace ingot::transform {
namespace {

using ir::Function;
using ir::Op;
using ir::Region;
using ir::Value;

bool any(const Mask& mask) {
  return std::find(mask.begin(), mask.end(), true) != mask.end();
}

// The value in the map's entry, made by `make` if there is none.
template <class Map, class Make>
const auto& once(Map& map, const typename Map::key_type& key, Make make) {
  auto it = map.find(key);
  if (it == map.end()) {
    auto made = make();  // may add other entries
    it = map.emplace(key, std::make_unique<typename decltype(made)::element_type>(std::move(*made))).first;
  }
  return *it->second;
}

}  // namespace

Function* Derivatives::function(const std::string& name) {
  Function* function = module_.find(name);
  check(function != nullptr, "a call of a function that is not there: @" + name);
  if (function->declared) define_(*function);
  return function;
}

// The function as derivatives are taken of it.
Function* Derivatives::prepared(Function* function) {
  Function*& known = prepared_[function];
  if (known != nullptr) return known;
  Function* copy = module_.add_function(function->name());
  clone_region(function->body(), copy->body());
  const bool reduces = expand_reductions(*copy), sorts = expand_sorts(*copy);
  if (reduces || sorts) return known = copy;
  module_.erase_function(copy);
  return known = function;
}

const Jvp& Derivatives::jvp(Function* function, const Mask& active) {
  return once(jvps_, Key(function, active, {}), [&] {
    const Region& source = prepared(function)->body();
    auto jvp = std::make_unique<Jvp>();
    jvp->function = module_.add_function(function->name() + "_jvp");
    Region& body = jvp->function->body();
    RegionDifferentiator differentiator(*this, body, body, line_);
    std::vector<Value*> arguments;
    for (Value* argument : source.arguments())
      arguments.push_back(body.add_argument(argument->type(), argument->name()));
    for (size_t i = 0; i < arguments.size(); ++i) {
      Value* source_argument = source.argument(static_cast<int>(i));
      Value* tangent =
          active[i] ? body.add_argument(source_argument->type(), source_argument->name() + "_t") : nullptr;
      differentiator.bind(source_argument, arguments[i], tangent);
    }
    differentiator.run(source);
    std::vector<Value*> results, tangents;
    for (const Value* result : source.results()) {
      results.push_back(differentiator.primal(result));
      Value* tangent = differentiator.tangent(result);
      jvp->result_tangents.push_back(tangent != nullptr);
      if (tangent != nullptr) tangents.push_back(tangent);
    }
    results.insert(results.end(), tangents.begin(), tangents.end());
    body.set_results(results);
    erase_unused(body);
    return jvp;
  });
}

const Linearized& Derivatives::linearize(Function* function, const Mask& active, const Mask& wanted) {
  return once(linearized_, Key(function, active, wanted), [&] {
    const Region& source = prepared(function)->body();
    auto made = std::make_unique<Linearized>();
    made->forward = module_.add_function(function->name() + "_forward");
    made->linear = module_.add_function(function->name() + "_linear");
    Region &forward = made->forward->body(), &linear = made->linear->body();
    RegionDifferentiator differentiator(*this, forward, linear, line_);
    for (int i = 0; i < source.argument_count(); ++i) {
      const Value* argument = source.argument(i);
      Value* tangent = active[static_cast<size_t>(i)]
                           ? linear.add_argument(argument->type(), argument->name() + "_t")
                           : nullptr;
      differentiator.bind(argument, forward.add_argument(argument->type(), argument->name()), tangent);
    }
    differentiator.run(source);

    std::vector<Value*> results, tangents;
    for (size_t i = 0; i < source.results().size(); ++i) {
      const Value* result = source.results()[i];
      results.push_back(differentiator.primal(result));
      const bool has_tangent = (wanted.empty() || wanted[i]) && differentiator.tangent(result) != nullptr;
      made->result_tangents.push_back(has_tangent);
      if (has_tangent) tangents.push_back(differentiator.linear_tangent(result));
    }
    linear.set_results(tangents);

    const auto is_free = [&](const Value* value) {
      return value->region() == &forward || std::find(results.begin(), results.end(), value) != results.end();
    };
    for (const Residual& residual : plan_residuals(linear, differentiator.residuals(), is_free)) {
      if (residual.value->region() == &forward) {
        made->residuals.push_back({true, residual.value->index()});
        continue;
      }
      auto known = std::find(results.begin(), results.end(), residual.value);
      made->residuals.push_back({false, static_cast<int>(known - results.begin())});
      if (known == results.end()) results.push_back(residual.value);
    }
    forward.set_results(results);
    erase_unused(forward);
    return made;
  });
}

const Transposed& Derivatives::transpose(Function* function, const Mask& linear, const Mask& cotangents) {
  return once(transposed_, Key(function, linear, cotangents), [&] {
    const Region& source = function->body();
    auto made = std::make_unique<Transposed>();
    std::string name = function->name();
    if (const std::string ending = "_linear"; name.ends_with(ending))
      name.resize(name.size() - ending.size());
    made->function = module_.add_function(name + "_backward");
    Region& body = made->function->body();
    RegionTransposer transposer(*this, source, body, line_);
    std::vector<Value*> results(source.results().size());
    for (size_t i = 0; i < results.size(); ++i) {
      const Value* result = source.results()[i];
      if (cotangents[i]) results[i] = body.add_argument(result->type(), result->name() + "_ct");
    }
    for (int i = 0; i < source.argument_count(); ++i) {
      const Value* argument = source.argument(i);
      if (linear[static_cast<size_t>(i)]) {
        transposer.bind_linear(argument);
      } else {
        transposer.bind(argument, body.add_argument(argument->type(), argument->name()));
      }
    }
    transposer.run(results);

    std::vector<Value*> returned;
    std::vector<std::pair<int, Value*>> known;
    for (int i = 0; i < source.argument_count(); ++i) {
      if (!linear[static_cast<size_t>(i)]) {
        known.emplace_back(i, transposer.known_value(source.argument(i)));
      } else if (Value* cotangent = transposer.cotangent(source.argument(i))) {
        made->arguments.push_back(i);
        returned.push_back(cotangent);
      }
    }
    body.set_results(returned);
    erase_unused(body);
    for (const auto& [i, value] : known) {
      if (value->used()) made->known.push_back(i);
    }
    for (auto it = known.rbegin(); it != known.rend(); ++it) {
      if (!it->second->used()) body.erase_argument(it->second->index());
    }
    return made;
  });
}

// --- activity

Mask Derivatives::active_results(const Region& region, const Mask& arguments) {
  std::unordered_map<const Value*, bool> active;
  for (int i = 0; i < region.argument_count(); ++i)
    active[region.argument(i)] = arguments[static_cast<size_t>(i)];
  for (const auto& op : region.ops()) {
    Mask operands;
    for (const Value* operand : op->operands()) operands.push_back(active.at(operand));
    const bool none = !any(operands) || std::holds_alternative<ir::LocallyConstant>(*op->record().jvp);
    Mask results;
    const auto call = none ? std::nullopt : ops::as<ops::CallOp>(*op);
    if (call.has_value() && !call->form().gives_all_tangents()) {
      const Function* function = &call->callee();
      auto key = std::pair(function, operands);
      auto it = active_results_.find(key);
      if (it == active_results_.end()) {
        it = active_results_.emplace(key, active_results(function->body(), operands)).first;
      }
      results = it->second;
    } else if (!none && ops::is<ops::ScanOp>(*op)) {
      results = active_in_loop(*op, operands).results;
    } else if (!none && ops::is<ops::WhileOp>(*op)) {
      results = active_in_loop(*op, operands).arguments;
    } else if (!none && ops::is<ops::CondOp>(*op)) {
      results.assign(static_cast<size_t>(op->result_count()), false);
      operands.erase(operands.begin());  // the index
      for (int b = 0; b < op->region_count(); ++b) {
        const Mask of_branch = active_results(op->region(b), operands);
        for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] || of_branch[i];
      }
    }
    for (int i = 0; i < op->result_count(); ++i) {
      const bool may = results.empty() ? !none : results[static_cast<size_t>(i)];
      active[op->result(i)] = may && is_inexact(op->result(i)->dtype());
    }
  }
  if (loops_asked_ == 0) active_loops_.clear();  // what is rewritten from now on may be another loop
  Mask results;
  for (const Value* result : region.results()) results.push_back(active.at(result));
  return results;
}

Mask Derivatives::active_arguments(const Op& loop, const Mask& operands) {
  Mask arguments = active_in_loop(loop, operands).arguments;
  if (loops_asked_ == 0) active_loops_.clear();
  return arguments;
}

Derivatives::ActiveInLoop Derivatives::active_in_loop(const Op& loop, const Mask& operands) {
  const auto known = active_loops_.find({&loop, operands});
  if (known != active_loops_.end()) return known->second;
  ++loops_asked_;
  ActiveInLoop active = find_active(loop, operands);
  --loops_asked_;
  return active_loops_[{&loop, operands}] = std::move(active);
}

Derivatives::ActiveInLoop Derivatives::find_active(const Op& loop, Mask operands) {
  const auto steps = ops::as<ops::WhileOp>(loop);
  if (steps.has_value() && steps->form().max_steps == 0) return {operands, operands};
  const Region& body = steps.has_value() ? steps->body() : ops::ScanOp(loop).body();
  const auto carries =
      static_cast<size_t>(steps.has_value() ? steps->carry_count() : ops::ScanOp(loop).carry_count());
  while (true) {
    Mask results = active_results(body, operands);
    bool changed = false;
    for (size_t k = 0; k < carries; ++k) {
      if (!results[k] || operands[k]) continue;
      operands[k] = true;
      changed = true;
    }
    if (!changed) return {std::move(operands), std::move(results)};
  }
}

}  // namespace ingot::transform
