#include <algorithm>

#include "runtime/flat_body.h"
#include "runtime/launch_log.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kShortCopy = 4096;  // bytes: as long as that is no reason to look for other threads

class Flattening {
 public:
  Flattening(const Plan& plan, const Places& places, bool again)
      : plan_(plan), places_(places), again_(again) {}

  std::optional<FlatBody> run(const PlanFunction& function) const {
    FlatBody flat;
    if (!flatten(function, {nullptr, nullptr, nullptr, places_.frame}, flat)) return std::nullopt;
    return flat;
  }

 private:
  // Of a function that the loop's body calls or branches to: what it is given there, and where it lies.
  struct Scope {
    const std::vector<Location>*arguments, *results;
    const Scope* outer;  // null: of the body itself
    std::byte* frame;
  };

  // Puts the location's pointer there, now and whenever it moves.
  void place(Location location, const Scope* scope, void** pointer, FlatBody& flat) const {
    int64_t offset = 0;
    for (;; scope = scope->outer) {
      const bool argument = location.kind == Location::Kind::kArgument;
      if (!argument && location.kind != Location::Kind::kResult) break;
      const auto i = static_cast<size_t>(location.index);
      offset += location.offset;
      if (scope->outer == nullptr) {
        void* const* base = argument ? const_cast<void* const*>(places_.arguments + i) : places_.results + i;
        *pointer = static_cast<std::byte*>(*base) + offset;
        flat.moving.push_back({pointer, base, offset});
        return;
      }
      location = (argument ? *scope->arguments : *scope->results)[i];
    }
    *pointer = location.kind == Location::Kind::kFrame
                   ? scope->frame + location.offset + offset
                   : static_cast<std::byte*>(places_.at(location)) + offset;
  }

  void** place_all(const std::vector<Location>& locations, const Scope& scope, FlatBody& flat) const {
    flat.pointers.push_back(std::make_unique<void*[]>(locations.size()));
    void** pointers = flat.pointers.back().get();
    for (size_t i = 0; i < locations.size(); ++i) place(locations[i], &scope, pointers + i, flat);
    return pointers;
  }

  bool flatten(const PlanFunction& function, const Scope& scope, FlatBody& flat) const {
    for (const Step& step : function.steps) {
      FlatBody::Instruction one;
      if (const auto* launch = std::get_if<LaunchStep>(&step)) {
        const CompiledKernel& kernel = *plan_.kernels[launch->kernel];
        const bool again = again_ && scope.outer == nullptr;
        one.function = kernel.function;
        one.buffers = place_all(launch->buffers, scope, flat);
        if (!runs_on_this_thread(kernel, one.buffers, again)) return false;
        flat.scratch_bytes = std::max(flat.scratch_bytes, kernel.scratch_bytes);
        for (const UnitRange& range : launched_units(kernel, again)) {
          one.first = range.begin;
          one.units = range.end;
          flat.instructions.push_back(one);
        }
      } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
        if (copy->bytes > kShortCopy || launches_watched()) return false;
        one.units = copy->bytes;
        one.buffers = place_all({copy->to, copy->from}, scope, flat);
        flat.straight = false;
        flat.instructions.push_back(one);
      } else if (const auto* call = std::get_if<CallStep>(&step)) {
        if (!flatten(plan_.functions[call->function],
                     {&call->arguments, &call->results, &scope, scope.frame + call->frame_offset}, flat))
          return false;
      } else if (const auto* cond = std::get_if<CondStep>(&step)) {
        if (!flatten(*cond, scope, flat)) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  bool flatten(const CondStep& cond, const Scope& scope, FlatBody& flat) const {
    flat.straight = false;
    const size_t choice = flat.instructions.size();
    FlatBody::Instruction one;
    one.buffers = place_all({cond.index}, scope, flat);
    flat.instructions.push_back(one);
    std::vector<size_t> starts, ends;
    for (const int32_t function : cond.functions) {
      starts.push_back(flat.instructions.size());
      if (!flatten(plan_.functions[function],
                   {&cond.arguments, &cond.results, &scope, scope.frame + cond.frame_offset}, flat))
        return false;
      ends.push_back(flat.instructions.size());
      flat.instructions.emplace_back();
    }
    flat.instructions[choice].targets = starts;
    for (const size_t end : ends) flat.instructions[end].targets = {flat.instructions.size()};
    return true;
  }

  const Plan& plan_;
  const Places& places_;
  const bool again_;
};

}  // namespace

std::optional<FlatBody> flatten(const Plan& plan, const PlanFunction& function, const Places& places,
                                bool again) {
  if (!plan.memory->of_host()) return std::nullopt;
  return Flattening(plan, places, again).run(function);
}

}  // namespace ingot::runtime
