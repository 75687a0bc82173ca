#include "frontend/program.h"

#include <map>
#include <mutex>

#include "base/check.h"
#include "base/fork.h"
#include "base/maker.h"
#include "base/process_ends.h"
#include "base/stop.h"
#include "frontend/program_cache.h"
#include "ingot/stop.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::detail {
namespace {

// " (in a call of 'f' at file.cc:12)", behind what ended it.
std::string in_call(const char* name, const std::source_location& where) {
  std::string line = at(where);
  if (!line.empty()) line = " at " + line.substr(0, line.size() - 2);
  return " (in a call of '" + std::string(name) + "'" + line + ")";
}

// The pointers of one run, on the stack for all but the widest programs. Numbers are copied to aligned
// places, of the device if it has memory of its own.
struct RunArguments {
  SmallVector<const void*, 24> pointers;
  struct alignas(64) Slot {
    std::array<uint64_t, 2> bits{};
  };
  static constexpr size_t kSlots = 8;
  Slot slots[kSlots];
  std::vector<std::shared_ptr<void>> more;
  size_t used = 0;
  const std::source_location& where;

  explicit RunArguments(const std::source_location& w) : where(w) {}

  void number(const std::array<uint64_t, 2>& bits) {
    const runtime::DeviceMemory& memory = array_memory();
    if (!memory.of_host()) [[unlikely]] {
      std::shared_ptr<runtime::Buffer> buffer = memory.allocate(sizeof(bits), "a number");
      memory.write(buffer->data(), bits.data(), sizeof(bits));
      pointers.push_back(buffer->data());
      more.push_back(std::move(buffer));
      return;
    }
    Slot* slot = used < kSlots ? &slots[used] : nullptr;
    if (slot == nullptr) {
      auto one = std::make_shared<Slot>();
      slot = one.get();
      more.push_back(std::move(one));
    }
    ++used;
    slot->bits = bits;
    pointers.push_back(slot->bits.data());
  }
  void array(const Array& array) {
    const ArrayNode& node = checked_node(array, where);
    if (node.kind == ArrayNode::Kind::kLiteral) {
      number(node.bits);
    } else if (node.kind == ArrayNode::Kind::kBuffer) {
      pointers.push_back(node.buffer->data());
    } else {
      const bool traced = node.kind == ArrayNode::Kind::kTraced;
      const std::string made = traced ? at(node.made) : "";
      fail(
          where.line() != 0 ? where : node.made,
          "this " + std::string(traced ? "traced " : "abstract ") + to_string(*node.type) +
              " has no value here; use a concrete array" +
              (traced ? " (a traced one can be used only inside of the function that is being traced: return "
                        "it from there" +
                            (made.empty() ? ")"
                                          : "; this one was made at " + made.substr(0, made.size() - 2) + ")")
                      : ""));
    }
  }
};

}  // namespace

std::unique_ptr<ir::Module> donating_module(const TracedFunction& traced, const std::vector<int>& donated,
                                            Rules rules) {
  std::unique_ptr<ir::Module> module =
      rules == Rules::kLeftOut ? ir::clone(traced.module()) : linked(traced, rules);
  for (int argument : donated) module->functions().front()->donated.insert(argument);
  return module;
}

Program::Program(std::shared_ptr<const TracedFunction> traced, const std::vector<int>& donated,
                 bool interpret)
    : traced_(std::move(traced)), donated_(donated) {
  for (const Array& capture : traced_->captures) {
    check(capture.node()->concrete(), "a program of its own has captured a traced array");
  }
  name_ = runtime::BufferPool::intern(traced_->function().name());
  label_ = runtime::BufferPool::intern("a result of " + traced_->function().name());
  alias_.assign(traced_->result_types.size(), -1);
  if (interpret) return;
  try {
    compiled_ = compiler::compile(donating_module(*traced_, donated_));
  } catch (const ProcessEnds&) {  // destructors and handlers of exit() get their values nevertheless
    compiled_ = {};
    return;
  }
  check(alias_.size() == compiled_.executable->entry().results.size(),
        "the executable has another number of results");
  for (size_t i = 0; i < alias_.size(); ++i)
    alias_[i] = compiled_.executable->entry().results[i].may_alias_argument;
}

void Program::execute(std::span<const void* const> arguments, std::span<void* const> results) const {
  if (compiled_.executable != nullptr) [[likely]]
    compiled_.executable->run(arguments.data(), results.data());
  else
    interpret(arguments, results);
}

// What execute() has thrown, as the user's error.
void Program::rethrow(const std::source_location& where) const {
  try {
    throw;
  } catch (const runtime::StepError& error) {
    throw Error(error.what() + in_call(name_, where));
  } catch (const RunStopped& stopped) {
    throw Stopped(stopped.what() + in_call(name_, where));
  } catch (const Error& error) {  // there is no memory for what lies between its kernels
    if (compiled_.executable == nullptr) throw;
    fail(where, "'" + std::string(name_) + "': " + error.what());
  }
}

void Program::run_at(std::span<const void* const> arguments, std::span<void* const> results,
                     const std::source_location& where) const {
  try {
    execute(arguments, results);
  } catch (const Error&) {
    rethrow(where);
  }
}

void Program::run(std::span<const Leaf> arguments, std::span<const Array> captures,
                  const std::source_location& where, ResultArrays& results) const {
  RunArguments run(where);
  for (const Leaf& leaf : arguments) {
    if (leaf.array != nullptr)
      run.array(*leaf.array);
    else
      run.number(leaf.literal.bits);
  }
  for (const Array& capture : captures) run.array(capture);
  if (!donated_.empty()) [[unlikely]]
    check_donations(arguments, captures, where);
  SmallVector<void*, 16> outputs;
  const std::source_location& line = user_line(where);
  for (size_t i = 0; i < alias_.size(); ++i) {
    std::shared_ptr<runtime::Buffer> buffer = result_buffer(i, arguments, where);
    outputs.push_back(buffer->data());
    results.push_back(make_concrete(traced_->result_types[i], std::move(buffer), line));
  }
  try {
    execute({run.pointers.data(), run.pointers.size()}, {outputs.data(), outputs.size()});
  } catch (const runtime::StepError&) {  // kernels may have written to what is donated
    if (!donated_.empty()) finish_donations(arguments);
    rethrow(where);
  } catch (const RunStopped&) {
    if (!donated_.empty()) finish_donations(arguments);
    rethrow(where);
  } catch (const Error&) {
    rethrow(where);
  }
  if (!donated_.empty()) [[unlikely]]
    finish_donations(arguments);
}

int64_t Program::bytes() const {
  int64_t bytes = static_cast<int64_t>(sizeof(Program) + compiled_.ir_text.bytes());
  for (const auto& pass : compiled_.passes) bytes += static_cast<int64_t>(sizeof(pass) + pass.name.size());
  for (const auto& r : compiled_.refusals) {
    bytes += static_cast<int64_t>(sizeof(r) + r.producer.size() + r.consumer.size() + r.reason.size() +
                                  r.source.size());
  }
  return compiled_.executable == nullptr ? bytes : bytes + runtime::bytes_of(compiled_.executable->plan());
}

void Program::interpret(std::span<const void* const> arguments, std::span<void* const> results) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::TensorType& type = traced_->function().body().argument(static_cast<int>(i))->type();
    Tensor& tensor = inputs.emplace_back(type.dtype, type.shape);
    array_memory().read(tensor.raw(), arguments[i], tensor.bytes());
  }
  const std::vector<Tensor> outputs = ingot::interpret(traced_->module(), inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    array_memory().write(results[i], outputs[i].raw(), outputs[i].bytes());
  }
}

void Program::check_donations(std::span<const Leaf> arguments, std::span<const Array> captures,
                              const std::source_location& where) const {
  const auto uses = [](const Array* array, const ArrayNode* node) {
    return array != nullptr && array->node().get() == node;
  };
  for (int donated : donated_) {
    const Array* array = arguments[static_cast<size_t>(donated)].array;
    if (array == nullptr) continue;
    const ArrayNode* node = array->node().get();
    int count = 0;
    for (const Leaf& leaf : arguments) count += uses(leaf.array, node) ? 1 : 0;
    for (const Array& capture : captures) count += uses(&capture, node) ? 1 : 0;
    if (count > 1) {
      fail(where,
           "'" + traced_->function().name() + "': argument " + std::to_string(donated) + ", a " +
               to_string(*node->type) +
               ", is donated but is used by the call in another place too; pass a copy, or do not donate it");
    }
  }
}

std::shared_ptr<runtime::Buffer> Program::result_buffer(size_t result, std::span<const Leaf> arguments,
                                                        const std::source_location& where) const {
  const ArrayType* type = traced_->result_types[result];
  if (const int alias = alias_[result]; alias >= 0 && static_cast<size_t>(alias) < arguments.size()) {
    const Array* array = arguments[static_cast<size_t>(alias)].array;
    // Another owner of the same memory may still read it.
    if (array != nullptr && array->node()->buffer != nullptr && array->node()->buffer.use_count() == 1 &&
        !array->node()->buffer->is_of_others()) {
      return array->node()->buffer;
    }
  }
  return allocate(type, label_, where);
}

void Program::finish_donations(std::span<const Leaf> arguments) const {
  for (int donated : donated_) {
    const Array* array = arguments[static_cast<size_t>(donated)].array;
    if (array == nullptr || array->node()->kind != ArrayNode::Kind::kBuffer) continue;
    array->node()->donated_to.store(name_, std::memory_order_release);
    array->node()->buffer.reset();
  }
}

namespace {

// The function without the batching rules of its calls: a program needs none, and what is kept for good must
// not keep them, nor be told from another by them.
std::shared_ptr<const TracedFunction> without_batch_rules(
    const std::shared_ptr<const TracedFunction>& traced) {
  if (transform::batch_rules_of(traced->module()).empty()) return traced;
  auto plain = std::make_shared<TracedFunction>();
  plain->own = ir::clone(traced->module());
  for (const auto& function : plain->own->functions())
    ir::walk(function->body(), [](ir::Op& op) {
      const auto call = ops::as<ops::CallOp>(op);
      if (!call.has_value()) return;
      ops::CallForm form = call->form();
      form.batch_rule.reset();
      form.write(op.attributes());
    });
  plain->captures = traced->captures;
  plain->argument_types = traced->argument_types;
  plain->result_types = traced->result_types;
  return plain;
}

}  // namespace

// The program of what a function became.
struct KeptProgram {
  Maker maker;
  ProgramSlot slot;
  std::shared_ptr<const TracedFunction> traced;

  std::shared_ptr<const Program> program() {
    const MakerScope scope(maker, "'" + traced->function().name() + "'");
    if (std::shared_ptr<const Program> ready = slot.share()) return ready;
    auto made = std::make_shared<const Program>(traced, std::vector<int>(), false);
    slot.install(made);
    return made;
  }

  // The one for all functions that have become the same.
  static KeptProgram& of(const std::shared_ptr<const TracedFunction>& with_rules) {
    const std::shared_ptr<const TracedFunction> traced = without_batch_rules(with_rules);
    static std::mutex mutex;
    static auto& programs = *new std::map<std::string, KeptProgram>;
    // Where a loop may exceed its bound its line is told when it runs, which is another one for each caller.
    bool tells_lines = false;
    for (const auto& function : traced->module().functions())
      ir::walk(function->body(), [&](const ir::Op& op) {
        const auto loop = ops::as<ops::WhileOp>(op);
        tells_lines = tells_lines || (loop.has_value() && loop->form().max_steps.has_value());
      });
    std::string text = ir::to_string(traced->module(), {.locations = tells_lines});
    for (const ArrayType* type : traced->result_types) text += type->weak ? '1' : '0';
    const ShortLock lock(mutex);
    KeptProgram& kept = programs[text];
    if (kept.traced == nullptr) kept.traced = traced;
    return kept;
  }
};

using MakeProgram = std::function<std::shared_ptr<const Program>()>;

// Runs the program in the slot, or one that is made.
std::vector<Array> run_in(ProgramSlot& slot, const std::vector<Array>& arguments,
                          std::span<const Array> captures, const std::source_location& where,
                          const MakeProgram& make) {
  std::vector<Leaf> leaves;
  for (const Array& argument : arguments) leaves.push_back({&argument, {}});
  ResultArrays results;
  {
    const RunningCall running;
    if (const Program* program = running.find(slot)) {
      program->run(leaves, captures, where, results);
      return {results.begin(), results.end()};
    }
  }
  const std::shared_ptr<const Program> program = make();
  program->run(leaves, captures, where, results);
  return {results.begin(), results.end()};
}

std::vector<Array> run_or_record(const std::shared_ptr<const TracedFunction>& traced,
                                 const std::vector<Array>& arguments, const std::source_location& where) {
  if (tracing()) return emit_call(traced, arguments, where);
  KeptProgram* kept = traced->kept.load(std::memory_order_acquire);
  if (kept == nullptr) {
    kept = &KeptProgram::of(traced);
    traced->kept.store(kept, std::memory_order_release);
  }
  return run_in(kept->slot, arguments, traced->captures, where, [&] {
    return with_memory(where, traced->function().name(), [&] { return kept->program(); });
  });
}

namespace {

// About. Imported programs of 9 to 1892 operations took 640 to 1070 bytes of the heap for each, beside the
// elements of constants.
int64_t trace_bytes(const ir::Module& module) {
  constexpr int64_t kOfOperation = 1000;
  int64_t bytes = 0;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) {
      bytes += kOfOperation;
      if (ops::is<ops::ConstantOp>(op)) bytes += static_cast<int64_t>(ops::ConstantOp(op).value().bytes());
    });
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const TracedFunction> RemadeFunction::traced(const Make& make) {
  {
    const ShortLock lock(mutex_);
    if (std::shared_ptr<const TracedFunction> known = traced_.lock()) return known;
  }
  std::shared_ptr<const TracedFunction> made = make();
  const ShortLock lock(mutex_);
  traced_ = made;
  return made;
}

bool RemadeFunction::gone() const {
  const ShortLock lock(mutex_);
  return traced_.expired();
}

std::vector<Array> RemadeFunction::run_or_record(const Make& make, const std::vector<Array>& arguments,
                                                 const std::source_location& where) {
  const std::string name = "a function that is loaded";
  if (tracing()) {
    const auto called = [&] {
      const MakerScope scope(maker_, name);
      return traced(make);
    }();
    return emit_call(called, arguments, where);
  }
  return run_in(slot_, arguments, {}, where, [&] {
    const MakerScope scope(maker_, name);
    if (std::shared_ptr<const Program> ready = slot_.share()) return ready;
    const std::shared_ptr<const TracedFunction> function = traced(make);
    auto made = with_memory(where, function->function().name(), [&] {
      return std::make_shared<const Program>(function, std::vector<int>(), false);
    });
    slot_.install(made, held_ ? 0 : trace_bytes(function->module()));
    return made;
  });
}

}  // namespace ingot::detail
