// What a call of a jitted function does: run the program of its types, or record a call where a trace is
// going on.
#include "ingot/jit.h"

#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>
#include <variant>

#include "base/extents.h"
#include "base/fork.h"
#include "frontend/axis_names.h"
#include "frontend/jit_state.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace ingot {
namespace detail {
namespace {

// "layer.cc:12" becomes layer_12: a name that says where to look.
std::string default_name(const std::source_location& where) {
  std::string name =
      std::filesystem::path(where.file_name()).stem().string() + "_" + std::to_string(where.line());
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::string clean_name(std::string name, const std::source_location& where) {
  if (name.empty()) return default_name(where);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  // The entry of a module is the first function unless one is called main.
  return name == "main" ? "main_function" : name;
}

}  // namespace

std::shared_ptr<JitState> make_jit_state(const Identity& identity, const JitOptions& options,
                                         const std::source_location& where, Retrace retrace) {
  const std::string name = clean_name(options.name, where);
  if (identity.kind == Identity::Kind::kObject)
    return std::make_shared<JitState>(name, options, where, retrace);
  using Key = std::tuple<Identity::Kind, const void*, const void*, std::vector<int>, std::string, bool>;
  static std::mutex mutex;
  static auto& states = *new std::map<Key, std::shared_ptr<JitState>>;
  const ShortLock lock(mutex);
  std::shared_ptr<JitState>& state = states[Key(identity.kind, identity.value, identity.variant,
                                                options.donate, options.name, options.interpret)];
  if (state == nullptr) state = std::make_shared<JitState>(name, options, where, Retrace::kNever);
  return state;
}

namespace {

std::vector<Array> arrays_of(const Signature& signature) {
  std::vector<Array> arrays;
  for (const Leaf& leaf : signature.leaves)
    arrays.push_back(leaf.array != nullptr ? *leaf.array : Array(leaf.literal));
  return arrays;
}

const void* call_with_memory(JitState& state, Signature& signature, const Callable& callable,
                             ResultArrays& results) {
  if (!tracing()) [[likely]] {
    const std::span<const Leaf> leaves(signature.leaves.data(), signature.leaves.size());
    if (CacheEntry* entry = state.find(signature)) [[likely]] {
      const RunningCall running;
      if (const Program* program = running.find(entry->program)) [[likely]] {
        program->run(leaves, signature.where, results);
        return program->traced().prototype.get();  // of a trace, which the entry keeps
      }
    }
    const std::shared_ptr<const Program> program = with_memory(
        signature.where.line() != 0 ? signature.where : state.where(), state.name(),
        [&] { return state.program(state.entry(signature, callable), callable, signature.where); });
    program->run(leaves, signature.where, results);
    return program->traced().prototype.get();
  }
  sign_axes(signature);
  const std::shared_ptr<const TracedFunction> traced =
      state.traced(state.entry(signature, callable), callable, current_frame(), signature.where);
  for (Array& result : emit_call(traced, arrays_of(signature), signature.where))
    results.push_back(std::move(result));
  return traced->prototype.get();
}

}  // namespace

const void* call(JitState& state, Signature& signature, const Callable& callable, ResultArrays& results) {
  try {
    return call_with_memory(state, signature, callable, results);
  } catch (const std::bad_alloc&) {  // besides compiling: for the arguments' types, or what a run keeps
    if (tracing()) throw;            // to whoever compiles the whole, and tries once more
    fail_without_memory(signature.where.line() != 0 ? signature.where : state.where(), "call", state.name());
  }
}

namespace {

// A call that sees what the function captures as it is at this moment. The caller keeps the prototype.
std::shared_ptr<const void> call_anew(JitState& state, const Signature& signature, const Callable& callable,
                                      ResultArrays& results) {
  const auto traced =
      with_memory(signature.where, state.name(), [&] { return state.trace_anew(signature, callable); });
  for (Array& result : run_or_record(traced, arrays_of(signature), signature.where))
    results.push_back(std::move(result));
  state.note_program(traced->kept.load(std::memory_order_relaxed));
  return traced->prototype;
}

}  // namespace

void Signature::text(std::string_view text) {
  word(text.size());
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t chunk = 0;
    std::memcpy(&chunk, text.data() + i, std::min<size_t>(8, text.size() - i));
    word(chunk);
  }
}

void Signature::add(const Invocation& invocation) {
  word(reinterpret_cast<uintptr_t>(invocation.types));
  for (size_t i = 0; i < invocation.count; ++i) {
    argument_starts.push_back(static_cast<uint32_t>(leaves.size()));
    const tree::Ref& argument = invocation.arguments[i];
    argument.visit(argument.value, *this, tree::Path{});
  }
}

Outputs InvocationCall::trace(const std::vector<Array>& leaves) const {
  tree::LeafReader next(leaves);
  const KeptTree result = invocation_.run(invocation_.function, invocation_.arguments, next);
  Outputs outputs{{}, result.value};
  if (result.value == nullptr)
    fail(traced_line(),
         "the function returns nothing, and would do nothing: it is traced once, and what the "
         "program computes is what it returns. Let it return the arrays that are wanted");
  tree::for_each(
      result.ref,
      [](void* context, Array& array, const tree::Path& path) {
        auto& to = *static_cast<Outputs*>(context);
        to.leaves.push_back(std::move(array));
        to.paths.push_back(leaf_path(path));
        array = Array();
      },
      &outputs, "");
  return outputs;
}

Description InvocationCall::describe() const {
  Description description;
  for (size_t i = 0; i < invocation_.count; ++i) {
    const std::string name = "arg" + std::to_string(i);
    const tree::Ref& argument = invocation_.arguments[i];
    argument.visit(argument.value, description, tree::Path{nullptr, name});
  }
  return description;
}

CallResults::CallResults(JitState& state, const Invocation& invocation, const std::source_location& where) {
  Signature signature;
  signature.where = where.line() != 0 ? where : state.where();
  signature.add(invocation);
  run(state, signature, InvocationCall(invocation));
}
void CallResults::run(JitState& state, Signature& signature, const Callable& callable) {
  if (!state.traces_each_call() || tracing()) {
    prototype_ = detail::call(state, signature, callable, arrays_);
    return;
  }
  kept_ = call_anew(state, signature, callable, arrays_);
  prototype_ = kept_.get();
}
CallResults::~CallResults() = default;

Array CallResults::only() {
  return std::move(arrays_[0]);
}
void CallResults::fill(tree::Ref tree) {
  class Fill final : public tree::Visitor {
   public:
    explicit Fill(Array* next) : next_(next) {}
    void array(Array& array, const tree::Path&) override { array = std::move(*next_++); }

   private:
    Array* next_;
  } visitor(arrays_.data());
  tree.visit(tree.value, visitor, tree::Path{});
}

const std::source_location& made_at(const JitState& state) {
  return state.where();
}

int64_t trace_count(const JitState& state) {
  return state.trace_count();
}

}  // namespace detail

// --- looking at programs

struct Lowered::Data {
  std::shared_ptr<detail::JitState> state;
  detail::CacheEntry* entry;
  std::shared_ptr<const detail::TracedFunction> traced;
};

struct Compiled::Data {
  std::shared_ptr<detail::JitState> state;
  std::shared_ptr<const detail::Program> program;
  const compiler::Compiled& compiled() const { return program->compiled(); }
};

Lowered::Lowered(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
Compiled::Compiled(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Lowered detail::lower(const std::shared_ptr<JitState>& state, const Invocation& invocation) {
  Signature signature;
  signature.where = made_at(*state);
  signature.add(invocation);
  const InvocationCall callable(invocation);
  CacheEntry& entry = state->entry(signature, callable);
  auto traced = state->traced(entry, callable, nullptr, signature.where);
  return Lowered(std::make_shared<const Lowered::Data>(Lowered::Data{state, &entry, std::move(traced)}));
}

namespace {

std::unique_ptr<ir::Module> standing_alone(const detail::TracedFunction& traced,
                                           const std::vector<int>& donated) {
  std::unique_ptr<ir::Module> module = detail::donating_module(traced, donated);
  ir::Region& body = module->functions().front()->body();
  ir::Builder builder(body, body.ops().front().get());
  for (size_t i = traced.captures.size(); i-- > 0;) {
    const detail::ArrayNode& node = *traced.captures[i].node();
    const auto position = static_cast<int>(traced.argument_types.size() + i);
    if (!node.concrete())
      throw Error("'" + traced.function().name() +
                  "' uses traced arrays from outside; only "
                  "a function that stands alone is a program");
    Tensor value(node.type->dtype, node.type->shape);
    if (value.bytes() > 0) std::memcpy(value.raw(), node.host_data(), value.bytes());
    body.argument(position)->replace_all_uses_with(builder.constant(value));
    body.erase_argument(position);
  }
  return module;
}

}  // namespace

std::unique_ptr<ir::Module> detail::ProgramAccess::module(const Lowered& lowered) {
  const Lowered::Data& data = *lowered.data_;
  return standing_alone(*data.traced, data.state->donated_leaves(*data.entry));
}

std::unique_ptr<ir::Module> detail::ProgramAccess::module(const Compiled& compiled) {
  const Compiled::Data& data = *compiled.data_;
  return standing_alone(data.program->traced(), data.program->donated());
}

std::string Lowered::text(bool locations) const {
  ir::PrintOptions options;
  options.locations = locations;
  const std::vector<int> donated = data_->state->donated_leaves(*data_->entry);
  return ir::to_string(*detail::donating_module(*data_->traced, donated, detail::Rules::kTraced), options);
}

Compiled Lowered::compile() const {
  std::shared_ptr<const detail::Program> program =
      detail::with_memory(data_->state->where(), data_->state->name(),
                          [&] { return data_->state->program(*data_->entry, data_->traced); });
  if (program->compiled().executable == nullptr) {
    throw Error("'" + data_->state->name() +
                "' is interpreted, by its options; there is no compiled program to look at");
  }
  return Compiled(std::make_shared<const Compiled::Data>(Compiled::Data{data_->state, std::move(program)}));
}

std::string Compiled::text() const {
  return data_->compiled().ir_text.str();
}
std::string Compiled::plan() const {
  return runtime::to_string(*data_->compiled().executable);
}

namespace {

using LaunchCounts = std::map<const runtime::CompiledKernel*, int64_t>;

// How often one run of a plan function launches each kernel at least: loops with a count are multiplied out,
// others take no step, and any of several branches may run.
LaunchCounts count_launches(const runtime::Plan& plan, int32_t function) {
  LaunchCounts counts;
  const auto add = [&](const LaunchCounts& more, int64_t times) {
    for (const auto& [kernel, count] : more)
      counts[kernel] = add_extents(counts[kernel], multiply_extents(count, times));
  };
  for (const runtime::Step& step : plan.functions[static_cast<size_t>(function)].steps) {
    if (const auto* launch = std::get_if<runtime::LaunchStep>(&step)) {
      ++counts[plan.kernels[static_cast<size_t>(launch->kernel)].get()];
    } else if (const auto* call = std::get_if<runtime::CallStep>(&step)) {
      add(count_launches(plan, call->function), 1);
    } else if (const auto* loop = std::get_if<runtime::LoopStep>(&step)) {
      add(count_launches(plan, loop->function), loop->trip_count);
    } else if (const auto* loop = std::get_if<runtime::WhileStep>(&step)) {
      if (loop->predicate >= 0) add(count_launches(plan, loop->predicate), 1);
    } else if (const auto* cond = std::get_if<runtime::CondStep>(&step)) {
      LaunchCounts least = count_launches(plan, cond->functions.front());
      for (int32_t branch : cond->functions) {
        const LaunchCounts other = count_launches(plan, branch);
        for (auto& [kernel, count] : least) {
          const auto it = other.find(kernel);
          count = std::min(count, it == other.end() ? 0 : it->second);
        }
      }
      add(least, 1);
    }
  }
  return counts;
}

}  // namespace

std::vector<KernelInfo> Compiled::kernels() const {
  const runtime::Executable& executable = *data_->compiled().executable;
  LaunchCounts launches = count_launches(executable.plan(), executable.plan().entry);
  std::vector<KernelInfo> infos;
  for (const auto& kernel : executable.kernels()) {
    const runtime::MovedBytes moved = moved_bytes(executable.plan(), *kernel);
    infos.push_back({.name = kernel->name,
                     .hash = kernel->hash,
                     .kind = kernel->kind,
                     .bytes_read = moved.read,
                     .bytes_written = moved.written,
                     .flops = kernel->flops,
                     .units = kernel->units,
                     .launches = launches[kernel.get()],
                     .source_lines = kernel->source_lines});
  }
  return infos;
}

std::vector<FusionRefusal> Compiled::refusals() const {
  const auto in = [](const std::string& op, const std::string& kernel) {
    return kernel.empty() ? op : op + " in " + kernel;
  };
  std::vector<FusionRefusal> refusals;
  for (const auto& r : data_->compiled().refusals) {
    std::string reason = r.siblings ? "both read " + r.value + ": " + r.reason : r.reason;
    if (r.bytes > 0) reason += "; " + pass::bytes_at_stake(r);
    refusals.push_back(
        {in(r.producer, r.producer_kernel), in(r.consumer, r.consumer_kernel), reason, r.source});
  }
  return refusals;
}

std::vector<std::string> Compiled::notes() const {
  std::vector<std::string> notes;
  for (const auto& note : data_->compiled().notes)
    notes.push_back(note.pass + ": " + note.about + " " + note.text);
  return notes;
}

int64_t Compiled::launches() const {
  return data_->compiled().executable->launch_count();
}
int64_t Compiled::copies() const {
  return data_->compiled().executable->copy_count();
}
int64_t Compiled::peak_bytes() const {
  return data_->compiled().executable->peak_bytes();
}
double Compiled::trace_ms() const {
  return data_->program->traced().trace_ms;
}
double Compiled::passes_ms() const {
  return data_->compiled().passes_ms;
}
double Compiled::kernels_ms() const {
  return data_->compiled().kernels_ms;
}
double Compiled::codegen_ms() const {
  return data_->compiled().codegen_ms;
}
double Compiled::total_ms() const {
  return data_->compiled().total_ms;
}
int Compiled::kernels_compiled() const {
  return data_->compiled().kernels_compiled;
}

}  // namespace ingot
