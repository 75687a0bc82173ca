#include "runtime/plan_totals.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/extents.h"

namespace ingot::runtime {
namespace {

using Totals = PlanTotals::Counts;

class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan) {}

  const Totals& count(int32_t index) {
    if (auto found = totals_.find(index); found != totals_.end()) return found->second;
    Totals totals;
    const PlanFunction& function = plan_.functions[index];
    for (const Step& step : function.steps) {
      Totals one = std::visit([&](const auto& s) { return count_step(s, function); }, step);
      totals.launches = add_extents(totals.launches, one.launches);
      totals.copies = add_extents(totals.copies, one.copies);
      totals.copy_launches = add_extents(totals.copy_launches, one.copy_launches);
      totals.pointers = std::max(totals.pointers, one.pointers);
      totals.least = totals.least || one.least;
    }
    return totals_[index] = totals;
  }

  std::vector<std::shared_ptr<const CompiledKernel>> kernels;  // different ones, in order of launch

 private:
  Totals count_step(const LaunchStep& step, const PlanFunction&) {
    const auto& kernel = plan_.kernels[step.kernel];
    if (seen_.insert(kernel.get()).second) kernels.push_back(kernel);
    return {1, 0, kernel->kind == "copy" ? 1 : 0, static_cast<int64_t>(step.buffers.size())};
  }
  Totals count_step(const CopyStep&, const PlanFunction&) { return {0, 1, 0, 0}; }
  Totals count_step(const CallStep& step, const PlanFunction&) {
    Totals totals = count(step.function);
    totals.pointers += static_cast<int64_t>(step.arguments.size() + step.results.size());
    return totals;
  }
  Totals count_step(const LoopStep& step, const PlanFunction& function) {
    Totals totals = count(step.function);
    const PlanFunction& body = plan_.functions[step.function];
    auto strided = [](const SlicedBuffer& buffer) { return !buffer.contiguous(); };
    totals.copies += std::count_if(step.inputs.begin(), step.inputs.end(), strided) +
                     std::count_if(step.outputs.begin(), step.outputs.end(), strided);
    for (int64_t* number : {&totals.launches, &totals.copies, &totals.copy_launches})
      *number = multiply_extents(*number, step.trip_count);
    totals.copies = add_extents(totals.copies, copies_of(step.carries, function, body, step.trip_count));
    totals.pointers = std::max(totals.pointers, static_cast<int64_t>(step.carries.size())) +
                      static_cast<int64_t>(body.arguments.size() + body.results.size()) +
                      2 * static_cast<int64_t>(step.carries.size());
    return totals;
  }
  // Of initial values to where steps change them, and of what lies in a stack.
  static int64_t copies_of(const std::vector<LoopCarry>& carries, const PlanFunction& function,
                           const PlanFunction& body, int64_t steps) {
    const auto apart = [&](const Location& a, const Location& b) {
      return place_of(a, function) == place_of(b, function) ? 0 : 1;
    };
    int64_t copies = 0;
    for (size_t i = 0; i < carries.size(); ++i) {
      const LoopCarry& carry = carries[i];
      if (carry.bytes == 0) continue;
      if (carry.ahead && steps > 0) {
        ++copies;
      } else if (steps == 0 || carry.stack >= 0) {
        copies += apart(carry.initial, carry.result);
      } else if (keeps_place(carries, i) && (!carry.in_place_of(i) || body.results[i].always_aliases)) {
        const auto buffer = static_cast<size_t>(buffer_at_start(carries, static_cast<int32_t>(i), steps));
        copies += buffer < carries.size() ? apart(carry.initial, carries[buffer].result) : 1;
      }
    }
    return copies;
  }
  // The predicate is asked once at least.
  Totals count_step(const WhileStep& step, const PlanFunction& function) {
    Totals totals;
    if (step.predicate >= 0) totals = count(step.predicate);
    const Totals body = count(step.body);
    totals.least = totals.least || body.launches > 0 || body.copies > 0;
    totals.copies =
        add_extents(totals.copies, copies_of(step.carries, function, plan_.functions[step.body], 1));
    totals.pointers = std::max({totals.pointers, body.pointers, static_cast<int64_t>(step.carries.size())}) +
                      static_cast<int64_t>(4 * step.carries.size() + step.invariants.size()) + 1;
    return totals;
  }
  // The least of each number, which need not be those of one branch: one may launch, another one copy.
  Totals count_step(const CondStep& step, const PlanFunction&) {
    Totals least = count(step.functions.front());
    for (int32_t function : step.functions) {
      const Totals other = count(function);
      least.least = least.least || other.least || least.launches != other.launches ||
                    least.copies != other.copies || least.copy_launches != other.copy_launches;
      least.launches = std::min(least.launches, other.launches);
      least.copies = std::min(least.copies, other.copies);
      least.copy_launches = std::min(least.copy_launches, other.copy_launches);
      least.pointers = std::max(least.pointers, other.pointers);
    }
    least.pointers += static_cast<int64_t>(step.arguments.size() + step.results.size());
    return least;
  }

  const Plan& plan_;
  std::map<int32_t, Totals> totals_;
  std::set<const CompiledKernel*> seen_;
};

}  // namespace

PlanTotals totals_of(const Plan& plan) {
  Counter counter(plan);
  PlanTotals totals;
  totals.counts = counter.count(plan.entry);
  totals.kernels = std::move(counter.kernels);
  return totals;
}

}  // namespace ingot::runtime
