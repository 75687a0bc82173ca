#include "compiler/shared_places.h"

#include <algorithm>

#include "compiler/place_search.h"
#include "compiler/planned_kernels.h"
#include "kernel/ir/in_place.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::compiler {

using ir::Op;
using ir::Region;
using ir::Value;

namespace {

// Slices that are each one piece of memory.
bool in_pieces(const Value& whole, int64_t axis) {
  const Shape& shape = whole.shape();
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t extent) { return extent == 1; });
}

bool same_bytes(const Value* a, const Value* b) {
  return kernel::bytes_in_memory(*a) == kernel::bytes_in_memory(*b) && kernel::bytes_in_memory(*a) > 0;
}

}  // namespace

Value* root_of(const Value* value) {
  while (value->op() != nullptr && ops::keeps_bytes(*value->op())) value = value->op()->operand(0);
  return const_cast<Value*>(value);
}

const std::string& SharedPlaces::why_not(Op& op, int input, int output) {
  const auto [it, fresh] = reasons_.try_emplace({&op, {input, output}});
  if (!fresh) return it->second;
  const kernel::Kernel& kernel = kernels_.at(&op).kernel->scheduled;
  const kernel::Buffer& reached = kernel.buffers[static_cast<size_t>(input)];
  const int64_t whole = kernel::bytes_in_memory(*kernel_inputs(op)[static_cast<size_t>(input)]);
  it->second = reached.elements * static_cast<int64_t>(byte_size(reached.dtype)) < whole
                   ? "reads a part of it alone; a result that is made of all of it would do"
                   : in_place_.try_emplace(&kernel, kernel).first->second.why_not(input, output);
  return it->second;
}

RegionPlaces SharedPlaces::search(Region& region, const Pairs& wanted) {
  return PlaceSearch(*this, region).run(wanted);
}

// Fewer pairs can need fewer things, so that this ends.
Pairs SharedPlaces::agreed(const std::vector<Region*>& regions, Pairs wanted) {
  while (true) {
    Pairs all = wanted;
    for (Region* region : regions) {
      RegionPlaces& found = found_[region] = search(*region, wanted);
      std::erase_if(all, [&](const auto& pair) { return found.pairs.count(pair.first) == 0; });
    }
    if (all == wanted) return all;
    wanted = std::move(all);
  }
}

RegionPlaces SharedPlaces::of(Region& region, const Pairs& wanted) {
  const auto it = found_.find(&region);
  if (it == found_.end()) return search(region, wanted);
  // Who holds the region may want fewer pairs than it can do; the order does for those, too.
  RegionPlaces places = it->second;
  const auto unwanted = [&](int result) {
    return places.pairs.count(result) > 0 && wanted.count(result) == 0;
  };
  std::erase_if(places.takes, [&](const auto& entry) {
    const auto home = places.home.find(entry.first);
    return home != places.home.end() && unwanted(home->second);
  });
  std::erase_if(places.home, [&](const auto& entry) { return unwanted(entry.second); });
  std::erase_if(places.made_anywhere, [&](const auto& entry) { return unwanted(entry.first); });
  places.pairs = wanted;
  return places;
}

const Pairs& SharedPlaces::of_branches(Op& op) {
  if (const auto it = branches_.find(&op); it != branches_.end()) return it->second;
  const ops::CondOp cond(op);
  std::vector<Region*> branches;
  for (int b = 0; b < cond.branch_count(); ++b) branches.push_back(&cond.branch(b));
  Pairs wanted;
  std::vector<bool> taken(static_cast<size_t>(cond.argument_count()), false);
  for (int r = 0; r < op.result_count(); ++r) {
    for (int a = 0; a < cond.argument_count() && wanted.count(r) == 0; ++a) {
      if (taken[static_cast<size_t>(a)] || !same_bytes(op.result(r), cond.argument(a))) continue;
      if (!std::all_of(branches.begin(), branches.end(),
                       [&](Region* branch) { return PlaceSearch(*this, *branch).can(r, a); }))
        continue;
      wanted[r] = a;
      taken[static_cast<size_t>(a)] = true;
    }
  }
  return branches_[&op] = agreed(branches, std::move(wanted));
}

const LoopPlaces& SharedPlaces::of_loop(Op& op) {
  if (const auto it = loops_.find(&op); it != loops_.end()) return it->second;
  LoopPlaces places;
  const auto scan = ops::as<ops::ScanOp>(op);
  Region& body = scan ? scan->body() : ops::WhileOp(op).body();
  const int carries = scan ? scan->carry_count() : ops::WhileOp(op).carry_count();
  places.takes.assign(static_cast<size_t>(carries), -1);
  places.stack.assign(static_cast<size_t>(carries), -1);
  places.ahead.assign(static_cast<size_t>(carries), false);
  const auto next = [&](int k) { return root_of(body.results()[static_cast<size_t>(k)]); };

  // A carry that is also stacked lies in the stack, as it is made or else as the next step finds it.
  if (scan && scan->length() > 0) {
    std::vector<bool> used(static_cast<size_t>(scan->stack_count()), false);
    for (int k = 0; k < carries; ++k) {
      if (next(k)->op() == nullptr || is_constant(*next(k)->op()) || is_empty(*next(k)->op())) continue;
      if (std::any_of(body.results().begin(), body.results().begin() + k,
                      [&](const Value* earlier) { return root_of(earlier) == next(k); }))
        continue;
      for (const bool ahead : {false, true}) {
        const Value* held = ahead ? body.argument(k) : next(k);
        for (int o = 0; o < scan->stack_count() && places.stack[static_cast<size_t>(k)] < 0; ++o) {
          const ops::ScanOp::Stack stack = scan->stack(o);
          if (used[static_cast<size_t>(o)] || root_of(stack.slice) != held) continue;
          if (!in_pieces(*stack.whole, stack.axis) || !same_bytes(stack.slice, body.argument(k))) continue;
          places.stack[static_cast<size_t>(k)] = o;
          places.ahead[static_cast<size_t>(k)] = ahead;
          used[static_cast<size_t>(o)] = true;
        }
      }
    }
  }

  Pairs wanted;
  for (int k = 0; k < carries; ++k) {
    if (places.ahead[static_cast<size_t>(k)]) wanted[carries + places.stack[static_cast<size_t>(k)]] = k;
  }
  std::vector<bool> taken(static_cast<size_t>(carries), false);
  const auto want = [&](int k, int argument) {
    wanted[k] = argument;
    taken[static_cast<size_t>(argument)] = true;
  };
  const auto open = [&](int k) {
    return places.stack[static_cast<size_t>(k)] < 0 && wanted.count(k) == 0 &&
           kernel::bytes_in_memory(*body.argument(k)) > 0;
  };
  const auto may = [&](int k, int argument) {
    return !taken[static_cast<size_t>(argument)] && places.stack[static_cast<size_t>(argument)] < 0 &&
           same_bytes(body.argument(k), body.argument(argument));
  };
  // Carries that stay as they are, those that become others, and those that are made of themselves.
  for (int k = 0; k < carries; ++k) {
    if (open(k) && may(k, k) && next(k) == body.argument(k)) want(k, k);
  }
  for (int k = 0; k < carries; ++k) {
    const Value* value = next(k);
    if (open(k) && value->op() == nullptr && value->index() < carries && may(k, value->index()))
      want(k, value->index());
  }
  for (int k = 0; k < carries; ++k) {
    if (!open(k) || !may(k, k) || next(k)->op() == nullptr) continue;
    want(k, k);
  }
  // Where another carry has gone into its place, it may find one.
  for (int k = 0; k < carries; ++k) {
    if (!open(k) || next(k)->op() == nullptr) continue;
    for (int a = 0; a < carries && open(k); ++a) {
      if (may(k, a) && PlaceSearch(*this, body).can(k, a)) want(k, a);
    }
  }
  const RegionPlaces first = search(body, wanted);
  places.refused = first.refused;
  const Pairs found = agreed({&body}, wanted);
  for (const auto& [k, argument] : found) {
    if (k < carries) places.takes[static_cast<size_t>(k)] = argument;
  }
  for (size_t k = 0; k < places.ahead.size(); ++k) {
    if (!places.ahead[k] || found.count(carries + places.stack[k]) > 0) continue;
    places.ahead[k] = false;
    places.stack[k] = -1;
  }
  return loops_[&op] = std::move(places);
}

}  // namespace ingot::compiler
