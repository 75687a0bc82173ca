// What reports say of a plan, against a count of their own from the raw steps and places: who wrote each byte
// that a step reads, from when to when a value lives, how long it is.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/compiler.h"
#include "compiler/reported_programs.h"
#include "ops/control.h"
#include "runtime/launch_log.h"

namespace ingot::testing {
namespace {

using runtime::Location;
using runtime::Plan;
using runtime::PlanFunction;
using runtime::PlanValue;

// Bytes of a function's frame, or of one argument, result or constant.
struct Range {
  std::pair<int, int> space;
  int64_t begin, end;
};

constexpr int kBefore = -1;  // written before the first step

// What a step touches, from its raw places alone; in the order in which reports list it.
struct Touched {
  std::vector<Range> reads, writes, scratch;
};

class Counted {
 public:
  Counted(const Plan& plan, const PlanFunction& function) : plan_(plan), function_(function) {
    for (const runtime::Step& step : function.steps) touched.push_back(std::visit(*this, step));
  }

  Touched operator()(const runtime::LaunchStep& step) const {
    const runtime::CompiledKernel& kernel = *plan_.kernels[static_cast<size_t>(step.kernel)];
    Touched t;
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      (kernel.parameters[i].is_output ? t.writes : t.reads)
          .push_back(range(step.buffers[i], kernel.parameters[i].bytes()));
    if (kernel.shared_bytes > 0) t.scratch.push_back(range(step.buffers.back(), kernel.shared_bytes));
    return t;
  }
  Touched operator()(const runtime::CopyStep& step) const {
    return {{range(step.from, step.bytes)}, {range(step.to, step.bytes)}, {}};
  }
  Touched operator()(const runtime::CallStep& step) const {
    const PlanFunction& callee = plan_.functions[static_cast<size_t>(step.function)];
    Touched t;
    for (size_t i = 0; i < step.arguments.size(); ++i)
      t.reads.push_back(range(step.arguments[i], callee.arguments[i].bytes()));
    for (size_t i = 0; i < step.results.size(); ++i)
      t.writes.push_back(range(step.results[i], callee.results[i].bytes()));
    t.scratch.push_back(range(Location::frame(step.frame_offset), callee.frame_bytes));
    return t;
  }
  Touched operator()(const runtime::LoopStep& step) const {
    const PlanFunction& body = plan_.functions[static_cast<size_t>(step.function)];
    Touched t;
    const auto whole = [&](const runtime::SlicedBuffer& b) {
      return range(b.location, element_count(b.shape) * b.element_bytes);
    };
    const auto slot = [&](const runtime::SlicedBuffer& b) {
      if (!b.contiguous()) t.scratch.push_back(range(Location::frame(b.slot), b.slice_bytes()));
    };
    for (const auto& carry : step.carries) {
      t.reads.push_back(range(carry.initial, carry.bytes));
      t.writes.push_back(range(carry.result, carry.bytes));
      if (carry.spare >= 0) t.scratch.push_back(range(Location::frame(carry.spare), carry.bytes));
    }
    for (const auto& input : step.inputs) t.reads.push_back(whole(input)), slot(input);
    for (size_t i = 0; i < step.invariants.size(); ++i) {
      const size_t argument = step.carries.size() + step.inputs.size() + i;
      t.reads.push_back(range(step.invariants[i], body.arguments[argument].bytes()));
    }
    for (const auto& output : step.outputs) t.writes.push_back(whole(output)), slot(output);
    t.scratch.push_back(range(Location::frame(step.frame_offset), body.frame_bytes));
    return t;
  }

  Touched operator()(const runtime::WhileStep& step) const {
    const PlanFunction& body = plan_.functions[static_cast<size_t>(step.body)];
    Touched t;
    for (const auto& carry : step.carries) {
      t.reads.push_back(range(carry.initial, carry.bytes));
      t.writes.push_back(range(carry.result, carry.bytes));
      if (carry.spare >= 0) t.scratch.push_back(range(Location::frame(carry.spare), carry.bytes));
    }
    for (size_t i = 0; i < step.invariants.size(); ++i)
      t.reads.push_back(range(step.invariants[i], body.arguments[step.carries.size() + i].bytes()));
    if (step.predicate >= 0) t.scratch.push_back(range(Location::frame(step.predicate_byte), 1));
    add_frames(t, callees_of(step), step.frame_offset);
    return t;
  }
  Touched operator()(const runtime::CondStep& step) const {
    const PlanFunction& first = plan_.functions[static_cast<size_t>(step.functions.front())];
    Touched t;
    t.reads.push_back(range(step.index, 4));
    for (size_t i = 0; i < step.arguments.size(); ++i)
      t.reads.push_back(range(step.arguments[i], first.arguments[i].bytes()));
    for (size_t i = 0; i < step.results.size(); ++i)
      t.writes.push_back(range(step.results[i], first.results[i].bytes()));
    add_frames(t, step.functions, step.frame_offset);
    return t;
  }

  void add_frames(Touched& t, const std::vector<int32_t>& functions, int64_t offset) const {
    for (int32_t function : functions)
      t.scratch.push_back(
          range(Location::frame(offset), plan_.functions[static_cast<size_t>(function)].frame_bytes));
  }

  // Results that may stand in an argument's memory are taken to do so.
  Range range(Location location, int64_t bytes) const {
    if (location.kind == Location::Kind::kResult) {
      const int32_t argument = function_.results[static_cast<size_t>(location.index)].may_alias_argument;
      if (argument >= 0) location = Location::argument(argument, location.offset);
    }
    const int index = location.kind == Location::Kind::kFrame ? 0 : location.index;
    return {{static_cast<int>(location.kind), index}, location.offset, location.offset + bytes};
  }

  std::vector<Touched> touched;  // by step

 private:
  const Plan& plan_;
  const PlanFunction& function_;
};

// Who wrote each byte last.
class LastWriters {
 public:
  void write(const Range& range, int step) {
    if (range.begin == range.end) return;
    auto& writers = of(range.space);
    const auto after = std::prev(writers.upper_bound(range.end));
    const int rest = after->second;
    writers.erase(writers.lower_bound(range.begin), writers.upper_bound(range.end));
    writers[range.begin] = step;
    writers[range.end] = rest;
  }
  std::set<int> read(const Range& range) {
    std::set<int> steps;
    if (range.begin == range.end) return steps;
    auto& writers = of(range.space);
    for (auto it = std::prev(writers.upper_bound(range.begin)); it != writers.end() && it->first < range.end;
         ++it)
      steps.insert(it->second);
    return steps;
  }

 private:
  std::map<int64_t, int>& of(std::pair<int, int> space) {
    auto& writers = spaces_[space];
    writers.try_emplace(-1, kBefore);
    return writers;
  }
  std::map<std::pair<int, int>, std::map<int64_t, int>> spaces_;  // from each byte on
};

int32_t root(const PlanFunction& function, int32_t value) {
  const PlanValue& one = function.values[static_cast<size_t>(value)];
  return one.kind == PlanValue::Kind::kSameBytes ? root(function, one.of) : value;
}

void check_function(const Plan& plan, const PlanFunction& function, const std::string& where) {
  const Counted counted(plan, function);
  const auto steps = static_cast<int>(function.steps.size());
  ASSERT_EQ(function.step_values.size(), function.steps.size()) << where;
  LastWriters writers;
  std::vector<int> first(function.values.size(), kBefore), last(function.values.size(), -2);
  std::vector<std::pair<int, int>> buffer_lives(function.frame_buffers.size(), {steps, -1});
  for (int s = 0; s < steps; ++s) {
    const Touched& touched = counted.touched[static_cast<size_t>(s)];
    const runtime::StepValues& values = function.step_values[static_cast<size_t>(s)];
    const std::string at = where + ", step " + std::to_string(s) + ": ";
    ASSERT_EQ(values.reads.size(), touched.reads.size()) << at;
    ASSERT_EQ(values.writes.size(), touched.writes.size()) << at;
    const auto matches = [&](int32_t number, const Range& range) {
      const PlanValue& value = function.values[static_cast<size_t>(number)];
      const Range place = counted.range(value.location, value.bytes);
      EXPECT_EQ(place.space, range.space) << at << value.name;
      EXPECT_EQ(place.begin, range.begin) << at << value.name;
      EXPECT_EQ(place.end, range.end) << at << value.name;
      if (value.buffer < 0) return;
      auto& life = buffer_lives[static_cast<size_t>(value.buffer)];
      life = {std::min(life.first, s), std::max(life.second, s)};
    };
    for (size_t i = 0; i < values.reads.size(); ++i) {
      const int32_t number = root(function, values.reads[i]);
      const PlanValue& value = function.values[static_cast<size_t>(number)];
      matches(values.reads[i], touched.reads[i]);
      for (int writer : writers.read(touched.reads[i]))
        EXPECT_EQ(writer, value.first_step)
            << at << "%" << value.name << " is not what was written there last";
      last[static_cast<size_t>(number)] = last[static_cast<size_t>(values.reads[i])] = s;
    }
    for (const Range& range : touched.scratch) writers.write(range, steps);  // nobody may read it
    for (size_t i = 0; i < values.writes.size(); ++i) {
      matches(values.writes[i], touched.writes[i]);
      const auto number = static_cast<size_t>(values.writes[i]);
      EXPECT_EQ(first[number], kBefore) << at << "a value is written twice";
      first[number] = s;
      const PlanValue& value = function.values[number];
      if (value.kind == PlanValue::Kind::kInPlace || value.kind == PlanValue::Kind::kMayBeInPlace) {
        const PlanValue& before = function.values[static_cast<size_t>(root(function, value.of))];
        EXPECT_EQ(counted.range(before.location, 0).begin, counted.range(value.location, 0).begin) << at;
        EXPECT_LE(before.last_step, s) << at << "%" << before.name << " is overwritten while it lives";
      }
    }
    for (const Range& range : touched.writes) writers.write(range, s);
  }
  for (size_t v = 0; v < function.values.size(); ++v) {
    const PlanValue& value = function.values[v];
    const std::string about = where + ": %" + value.name;
    if (value.bytes == 0) continue;
    if (value.kind == PlanValue::Kind::kSameBytes) {
      EXPECT_EQ(value.location, function.values[static_cast<size_t>(value.of)].location) << about;
      EXPECT_EQ(value.first_step, function.values[static_cast<size_t>(root(function, value.of))].first_step)
          << about;
      continue;
    }
    EXPECT_EQ(value.first_step, first[v]) << about;
    const bool result = value.location.kind == Location::Kind::kResult;
    EXPECT_EQ(value.last_step, result ? steps : last[v] >= 0 ? last[v] : first[v]) << about;
  }
  for (size_t r = 0; r < function.results.size(); ++r) {
    const Range whole = counted.range(Location::result(static_cast<int32_t>(r)), function.results[r].bytes());
    // Some are the arguments in whose places they lie.
    const bool is_argument = function.results[r].always_aliases;
    EXPECT_TRUE(is_argument || !writers.read(whole).contains(kBefore))
        << where << ": result " << r << " is not written";
  }
  for (size_t b = 0; b < function.frame_buffers.size(); ++b) {
    const runtime::FrameBuffer& buffer = function.frame_buffers[b];
    if (!buffer.purpose.empty()) continue;
    const std::string about = where + ": buffer " + std::to_string(b);
    EXPECT_EQ(std::pair(buffer.first_step, buffer.last_step), buffer_lives[b]) << about;
  }
  for (size_t a = 0; a < function.frame_buffers.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const runtime::FrameBuffer &x = function.frame_buffers[a], &y = function.frame_buffers[b];
      const bool together = x.first_step <= y.last_step && y.first_step <= x.last_step;
      const bool overlap = x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
      EXPECT_FALSE(together && overlap) << where << ": buffers " << a << " and " << b << " overlap";
    }
  }
  // Steps need what others wrote: no cycle means an order, which that of the steps is.
  for (size_t s = 0; s < function.steps.size(); ++s) {
    for (int32_t v : function.step_values[s].reads)
      EXPECT_LT(function.values[static_cast<size_t>(root(function, v))].first_step, static_cast<int>(s))
          << where;
  }
}

// Every value of a report is one of the program that was compiled, with its type.
void check_names(const Plan& plan, const std::string& ir_text, const std::string& where) {
  const auto module = ir::parse(ir_text);
  std::set<std::string> known;
  const auto add = [&](const ir::Value& value) {
    const Shape order = ops::stored_order(value).value_or(Shape());
    known.insert(value.name() + " " +
                 ir::to_string(ir::TensorType{value.dtype(), runtime::program_shape(value.shape(), order)}));
  };
  for (const auto& function : module->functions()) {
    for (const ir::Value* argument : function->body().arguments()) add(*argument);
    walk(function->body(), [&](ir::Op& op) {
      for (const ir::Value* result : op.results()) add(*result);
      for (int r = 0; r < op.region_count(); ++r) {
        for (const ir::Value* argument : op.region(r).arguments()) add(*argument);
      }
    });
  }
  for (const PlanFunction& function : plan.functions) {
    for (const PlanValue& value : function.values) {
      const std::string one = value.name + " " + ir::to_string(ir::TensorType{value.dtype, value.shape});
      EXPECT_TRUE(known.contains(one)) << where << ": there is no %" << one;
    }
  }
}

TEST(ReportsTest, SayWhatThePlanDoes) {
  int refusals = 0;
  for (const ReportedProgram& program : reported_programs()) {
    const compiler::Compiled compiled = compiler::compile(ir::parse(program.text));
    const Plan& plan = compiled.executable->plan();
    for (const PlanFunction& function : plan.functions)
      check_function(plan, function, program.name + ", @" + function.name);
    check_names(plan, compiled.ir_text.str(), program.name);
    std::set<std::string> kernels;
    for (const auto& kernel : compiled.executable->kernels()) kernels.insert(kernel->name);
    for (const pass::Refusal& refusal : compiled.refusals) {
      if (refusal.pass != "fuse" || refusal.consumer.empty()) continue;
      ++refusals;
      const std::string text = program.name + ": " + to_string(refusal);
      EXPECT_TRUE(kernels.contains(refusal.producer_kernel)) << text;
      EXPECT_TRUE(kernels.contains(refusal.consumer_kernel)) << text;
      EXPECT_GT(refusal.bytes, 0) << text;
      EXPECT_EQ(refusal.reason.find("another reader already"), std::string::npos) << text;
    }
  }
  EXPECT_GT(refusals, 0);
}

TEST(ReportsTest, TellWhoTakesWhosePlace) {
  const auto plan_of = [](const std::string& name) {
    for (const ReportedProgram& program : reported_programs()) {
      if (program.name == name) return compiler::compile(ir::parse(program.text)).executable->plan();
    }
    throw InternalError("there is no such program");
  };
  const auto described = [](const Plan& plan) {
    std::string text;
    const PlanFunction& function = plan.functions[static_cast<size_t>(plan.entry)];
    for (const PlanValue& value : function.values) text += describe(value, function) + "\n";
    return text;
  };
  const std::string in_place = described(plan_of("in_place"));
  EXPECT_NE(in_place.find("result 1 %r (a copy of %r)\n"), std::string::npos) << in_place;
  EXPECT_NE(in_place.find("result 2 %x (a copy of %x)\n"), std::string::npos) << in_place;
  EXPECT_NE(in_place.find("%r (the bytes of %q)\n"), std::string::npos) << in_place;
  const std::string donated = described(plan_of("donated"));
  EXPECT_NE(donated.find("(in the place of %w, which the caller gives away)"), std::string::npos) << donated;
  EXPECT_NE(donated.find("(in the place of %m, which the caller gives away)"), std::string::npos) << donated;
}

// Two launches of one kernel, in one of which another line's constant is used again.
TEST(ReportsTest, ALaunchHasItsOwnLines) {
  const char* text = R"(func @main(%x: f32[40,40]) -> (f32[40,40], f32[40,40]) {
  %k = constant() {value = dense f32[]{0.5}} : f32[] loc("p.cc":3)
  %b = broadcast(%k) {dims = [], shape = [40,40]} : f32[40,40] loc("p.cc":3)
  %a = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,40] loc("p.cc":4)
  %s = mul(%a, %b) : f32[40,40] loc("p.cc":5)
  %c = dot_general(%s, %s) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,40] loc("p.cc":6)
  %t = mul(%c, %b) : f32[40,40] loc("p.cc":7)
  return %s, %t
}
)";
  using Lines = std::vector<std::string>;
  const auto executable = compiler::compile(ir::parse(text)).executable;
  ASSERT_EQ(executable->kernels().size(), 1u);
  EXPECT_EQ(executable->kernels()[0]->source_lines, (Lines{"p.cc:4", "p.cc:5", "p.cc:6", "p.cc:7"}));
  std::vector<Lines> launched;
  const auto observer =
      runtime::observe_launches([&](const runtime::LaunchRecord& r) { launched.push_back(r.source_lines); });
  const std::vector<float> x(1600, 0.1f);
  std::vector<float> s(1600), t(1600);
  const void* arguments[] = {x.data()};
  void* results[] = {s.data(), t.data()};
  executable->run(arguments, results);
  EXPECT_EQ(launched, (std::vector<Lines>{{"p.cc:4", "p.cc:5"}, {"p.cc:6", "p.cc:7"}}));
  const std::string plan = to_string(executable->plan());
  EXPECT_NE(plan.find("-> result 0 %s, from p.cc:4, p.cc:5\n"), std::string::npos) << plan;
  EXPECT_NE(plan.find("-> result 1 %t, from p.cc:6, p.cc:7\n"), std::string::npos) << plan;
}

// The log names what a copy copies, for what and why; so do the plan and the list of launches.
TEST(ReportsTest, CopiesSayOfWhatAndWhy) {
  const char* text =
      R"(func @main(%h0: f32[40,64], %xs: f32[40,3,64], %w: f32[64,64]) -> (f32[40,64], f32[40,3,64], f32[64,64], f32[40,64]) {
  %h, %ys = scan(%h0, %xs, %w) {carries = 1, length = 3, reverse = false, scanned = 1, xs_axes = [1], ys_axes = [1]} (%c: f32[40,64], %x: f32[40,64], %v: f32[64,64]) {
    %p = dot_general(%c, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,64]
    %e = tanh(%p) : f32[40,64]
    %q = dot_general(%e, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,64]
    %r = add(%q, %x) : f32[40,64]
    %s = dot_general(%r, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,64]
    return %r, %s
  } : f32[40,64], f32[40,3,64] loc("p.cc":7)
  return %h, %ys, %w, %h
}
)";
  compiler::Options options;
  options.skip_passes = {"layout"};
  const auto executable = compiler::compile(ir::parse(text), options).executable;
  std::string copies;
  const auto observer = runtime::observe_launches([&](const runtime::LaunchRecord& r) {
    if (r.kernel.kind == "copy") copies += describe(r) + "\n";
  });
  const std::vector<float> h0(2560, 0.1f), xs(7680, 0.2f), w(4096, 0.3f);
  std::vector<float> h(2560), ys(7680), w2(4096), h2(2560);
  const void* arguments[] = {h0.data(), xs.data(), w.data()};
  void* results[] = {h.data(), ys.data(), w2.data(), h2.data()};
  executable->run(arguments, results);
  for (const char* part :
       {"copy of slice 0 of %xs along axis 1 for the step, since it does not lie in one piece there (loop "
        "@main_loop) (",
        "copy of slice 2 of %ys along axis 1, from where the step made it, since it does not lie in one "
        "piece "
        "there (loop @main_loop) (",
        ", from p.cc:7\n",
        "copy of %w to result 2 of @main, since it is argument 2, and results have memory of their own (",
        "copy of %h to result 3 of @main, since it is result 0 too, and results have memory of their own ("})
    EXPECT_NE(copies.find(part), std::string::npos) << part << "\n" << copies;
  EXPECT_EQ(copies.find("copy ("), std::string::npos) << copies;
  const std::string plan = to_string(executable->plan());
  EXPECT_NE(plan.find("that is %w to result 2 of @main, since it is argument 2"), std::string::npos) << plan;
}

// What goes round a while is moved to its place first, and from where the last step has left it.
TEST(ReportsTest, CopiesOfCarriesSayOfWhatAndWhy) {
  const char* text = R"(func @main(%x: f32[40,40], %n: s32[]) -> (f32[40,40]) {
  %z = constant() {value = dense s32[]{0}} : s32[]
  %i, %y = while(%z, %x, %n) {carries = 2} (%a: s32[], %b: f32[40,40], %c: s32[]) {
    %p = compare(%a, %c) {direction = "lt"} : pred[]
    return %p
  } (%d: s32[], %e: f32[40,40], %f: s32[]) {
    %one = constant() {value = dense s32[]{1}} : s32[]
    %g = add(%d, %one) : s32[]
    %h = dot_general(%e, %e) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,40]
    return %g, %h
  } : s32[], f32[40,40] loc("p.cc":3)
  return %y
}
)";
  const auto executable = compiler::compile(ir::parse(text)).executable;
  std::string copies;
  const auto observer = runtime::observe_launches([&](const runtime::LaunchRecord& r) {
    if (r.kernel.kind == "copy") copies += describe(r) + "\n";
  });
  const std::vector<float> x(1600, 0.1f);
  std::vector<float> y(1600);
  for (const int32_t steps : {0, 1, 2}) {
    const void* arguments[] = {x.data(), &steps};
    void* results[] = {y.data()};
    executable->run(arguments, results);
  }
  EXPECT_NE(copies.find("copy of the carry %y to its result, since a step makes it elsewhere (loop "
                        "@main_loop) ("),
            std::string::npos)
      << copies;
  EXPECT_EQ(copies.find("copy ("), std::string::npos) << copies;
}

// Functions of equal structure become one, which has the lines of both.
TEST(ReportsTest, FunctionsThatHaveBecomeOneHaveTheLinesOfBoth) {
  const auto layer = [](const std::string& name, int line) {
    const std::string at = " loc(\"p.cc\":" + std::to_string(line) + ")\n";
    const std::string product = " {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]}";
    return "func @" + name + "(%x: f32[8,8], %w: f32[8,8]) -> (f32[8,8]) {\n  %p = dot_general(%x, %w)" +
           product + " : f32[8,8]" + at + "  %q = dot_general(%p, %w)" + product + " : f32[8,8]" + at +
           "  return %q\n}\n";
  };
  const auto compiled =
      compiler::compile(ir::parse("func @main(%x: f32[8,8], %w: f32[8,8]) -> (f32[8,8]) {\n"
                                  "  %y = call(%x, %w) {callee = @f} : f32[8,8] loc(\"p.cc\":1)\n"
                                  "  %z = call(%y, %w) {callee = @g} : f32[8,8] loc(\"p.cc\":2)\n"
                                  "  return %z\n}\n" +
                                  layer("f", 4) + layer("g", 5)));
  int launches = 0;
  for (const PlanFunction& function : compiled.executable->plan().functions) {
    for (const runtime::Step& step : function.steps) {
      const auto* launch = std::get_if<runtime::LaunchStep>(&step);
      if (launch == nullptr) continue;
      ++launches;
      EXPECT_EQ(launch->source_lines, (std::vector<std::string>{"p.cc:4", "p.cc:5"}))
          << compiled.ir_text.str();
    }
  }
  EXPECT_GT(launches, 0);
}

// What computes nothing but constants comes from their lines.
TEST(ReportsTest, AFillHasTheLinesOfItsConstant) {
  const auto filled = compiler::compile(ir::parse(R"(func @main() -> (f32[40]) {
  %k = constant() {value = dense f32[]{0.5}} : f32[] loc("p.cc":3)
  %b = broadcast(%k) {dims = [], shape = [40]} : f32[40] loc("p.cc":4)
  return %b
}
)"));
  ASSERT_EQ(filled.executable->kernels().size(), 1u);
  EXPECT_EQ(filled.executable->kernels()[0]->source_lines, (std::vector<std::string>{"p.cc:3", "p.cc:4"}));
}

}  // namespace
}  // namespace ingot::testing
