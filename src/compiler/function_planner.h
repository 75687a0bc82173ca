// The making of a launch plan: a planner for the program, and one for each of its functions and regions.
// Private to the plan builder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/donations.h"
#include "compiler/frame_layout.h"
#include "compiler/kernel_cache.h"
#include "compiler/planned_kernels.h"
#include "compiler/routines.h"
#include "compiler/shared_places.h"
#include "ir/ir.h"
#include "runtime/plan.h"

namespace ingot::compiler {

// What a region is given by who runs it.
struct GivenPlaces {
  std::unordered_set<int> donated = {};  // arguments whose memory any result may take
  Pairs pairs = {};                      // results that get an argument's memory
  std::map<int, int> same = {};          // results that get that of another result, which they are
};

class ProgramPlanner {
 public:
  using Implementations = std::unordered_map<const ir::Op*, Implementation>;
  ProgramPlanner(ir::Module& module, const Implementations& implementations, const PlannedRoutines& routines,
                 const backend::Backend& backend)
      : module_(module),
        implementations_(implementations),
        routines_(routines),
        backend_(backend),
        shared_places_(implementations) {}

  runtime::Plan run();

  // Numbers of what is planned once and used by several steps.
  int32_t function_index(ir::Function& function);
  int32_t region_index(ir::Region& region, const std::string& name, const GivenPlaces& given);
  int32_t kernel_index(const ir::Op& op);
  int32_t routine_index(const ir::Op& op);
  int32_t constant_index(const ir::Op& op);

  // The kernel serves all launches, and has the lines of all.
  void add_lines(int32_t kernel, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
      add_line(own_kernels_[static_cast<size_t>(kernel)]->source_lines, line);
  }
  int64_t shared_bytes(int32_t kernel) const {
    return plan_.kernels[static_cast<size_t>(kernel)]->shared_bytes;
  }
  const Implementation& implementation(const ir::Op& op) const { return implementations_.at(&op); }
  runtime::Plan& plan() { return plan_; }
  std::vector<pass::Note>& notes() { return notes_; }
  bool keeps_phases(int32_t kernel) const {
    return plan_.kernels[static_cast<size_t>(kernel)]->kept_phases != 0;
  }
  SharedPlaces& shared_places() { return shared_places_; }

 private:
  ir::Module& module_;
  const Implementations& implementations_;
  const PlannedRoutines& routines_;
  const backend::Backend& backend_;
  SharedPlaces shared_places_;
  runtime::Plan plan_;
  std::set<std::string> names_;  // of its functions
  std::unordered_map<const ir::Function*, int32_t> functions_;
  std::unordered_map<const CachedKernel*, int32_t> kernels_;
  std::vector<runtime::CompiledKernel*> own_kernels_;  // those of plan_, to be completed
  std::vector<pass::Note> notes_;
};

// Plans one region: the body of a function, of a loop over kernels, or a branch.
class FunctionPlanner {
 public:
  FunctionPlanner(ProgramPlanner& program, ir::Region& region, const GivenPlaces& given)
      : program_(program),
        region_(region),
        given_(given),
        donated_(given.donated),
        shared_(program.shared_places().of(region, given.pairs)) {}

  runtime::PlanFunction run(const std::string& name);

 private:
  struct Place {
    runtime::Location location;
    int frame_buffer;  // number in frame_, or -1 if the location is final
  };

  // The values that the program works with, by number, and what reports say of them. Their places follow at
  // the end.
  class Values {
   public:
    int32_t add(const ir::Value& value, int first_step);
    int32_t copy(const runtime::PlanValue& value, int32_t of, int step);
    std::optional<int32_t> number(const ir::Value* value) const {
      const auto it = numbers_.find(value);
      return it == numbers_.end() ? std::nullopt : std::optional(it->second);
    }
    runtime::PlanValue& at(int32_t number) { return list[static_cast<size_t>(number)]; }

    std::vector<runtime::PlanValue> list;

   private:
    std::unordered_map<const ir::Value*, int32_t> numbers_;
  };

  int step() const { return static_cast<int>(function_.steps.size()); }
  static ir::Value* root(ir::Value* value) { return root_of(value); }
  static int64_t bytes(const ir::Value* value);

  // --- values and their places (function_planner.cc)
  void find_last_uses();
  // The number of a value that has a place, or that is another one under another shape.
  int32_t value_of(ir::Value* value);
  // The step that is being planned reads the value, or writes it.
  runtime::Location use(ir::Value* value);
  runtime::Location define(ir::Value* value);
  int32_t describe(ir::Value* value);
  // Frame offsets are known only at the end; until then the buffer's number stands in `index`.
  static runtime::Location location_of(const Place& place) {
    return place.frame_buffer >= 0 ? in_frame(place.frame_buffer) : place.location;
  }
  static runtime::Location in_frame(int buffer) {
    return {runtime::Location::Kind::kFrame, static_cast<int32_t>(buffer), 0};
  }
  // The region's own result in whose memory the value lies, if it is one, or becomes one there.
  std::optional<int> result_index(ir::Value* value) const;
  // Whether it lies in the place of another value; says so in the reports.
  bool takes_a_place(ir::Value* value) const { return shared_.takes.count(value) > 0; }
  void describe_place(ir::Value* value, ir::Value* other, runtime::PlanValue::Kind kind);
  int scratch(int64_t size, std::string purpose);  // the number of a buffer of the frame
  void push_step(runtime::Step step);
  void plan_op(ir::Op& op);
  // Values without elements are there without anything being done.
  void plan_empty(ir::Op& op);
  // Results that are arguments, constants or other results again.
  void copy_results();
  std::string why_copied(const ir::Value& result, size_t index) const;
  void resolve_frame();

  // --- kernels (function_planner.cc)
  void plan_launch(ir::Op& op);
  void plan_routine(ir::Op& op);
  // An output takes the memory of an input that dies here, where the kernel allows that.
  runtime::Location define_output(ir::Op& op, const std::vector<ir::Value*>& inputs, ir::Value* result,
                                  std::set<ir::Value*>& taken);

  // --- calls, loops, branches (plan_loops.cc)
  void plan_call(ir::Op& op);
  void plan_loop(ir::Op& op);
  void plan_while(ir::Op& op);
  void plan_cond(ir::Op& op);
  std::vector<runtime::LoopCarry> plan_carries(ir::Op& op, int count, GivenPlaces& body);
  runtime::LoopCarry plan_carry(ir::Op& op, int carry, const LoopPlaces& places);
  // One place for the frames of functions that never run at the same time.
  int64_t callee_frame(const std::vector<int32_t>& functions);
  std::string name_of(const std::string& part) const { return region_.function()->name() + "_" + part; }

  ProgramPlanner& program_;
  ir::Region& region_;
  const GivenPlaces& given_;
  const std::unordered_set<int>& donated_;
  const RegionPlaces shared_;
  runtime::PlanFunction function_;
  FrameLayout frame_;
  std::vector<int> kept_;                // buffers that the next run of the function finds as they are
  std::map<int, std::string> purposes_;  // of buffers by their number; those of values have none
  Values values_;
  runtime::StepValues described_;  // of the step that is being planned
  std::unordered_map<ir::Value*, Place> places_;
  std::unordered_map<ir::Value*, const ir::Op*> last_use_;
  std::set<int> claimed_;
  std::set<int32_t> passing_;  // values in the memory of a result that is made of them
  Donations donations_;
};

}  // namespace ingot::compiler
