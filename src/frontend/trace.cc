#include "frontend/trace.h"

#include <atomic>
#include <chrono>
#include <cstdlib>

#include "base/check.h"
#include "base/float_environment.h"
#include "base/fork.h"
#include "base/stack.h"
#include "frontend/link.h"
#include "ir/depth.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot {
namespace detail {
namespace {

thread_local TraceFrame* innermost = nullptr;
thread_local const std::source_location* scope_line = nullptr;
thread_local const char* scope_name = nullptr;

// The message with the name of the function that the user called in front, in the place of that of an
// operation which the user did not name.
std::string told_by_scope(const std::string& message) {
  if (scope_name == nullptr || message.starts_with(std::string(scope_name) + ":")) return message;
  const size_t colon = message.find(": ");
  const bool told = colon != std::string::npos && ir::find_record(message.substr(0, colon)) != nullptr;
  return std::string(scope_name) + ": " + (told ? message.substr(colon + 2) : message);
}

// Of what the innermost frame is given next.
ir::Provenance provenance_at(const std::source_location& where) {
  ir::Provenance provenance = ir::Provenance::at(user_line(where));
  provenance.scope = *innermost->state->scope;
  return provenance;
}

Tensor literal_tensor(const ArrayNode& node) {
  Tensor tensor(node.type->dtype, {});
  std::memcpy(tensor.raw(), node.bits.data(), byte_size(node.type->dtype));
  return tensor;
}

// Refuses what is nested too deeply, before the stack ends: that of the trace here, or of what compiles it
// where the outermost trace began.
void want_room(const TraceFrame& frame, int below, const std::source_location& where) {
  const int depth = frame.depth + below;
  std::string problem;
  if (depth > ir::kMostNested) {
    problem = "of which only " + std::to_string(ir::kMostNested) +
              " can be compiled; make of what repeats itself a loop";
  } else {
    problem = ir::stack_problem(depth, frame.first_stack);
    if (problem.empty()) problem = ir::stack_problem(1, stack_left());
  }
  if (!problem.empty())
    fail(where, "functions and loops are nested " + std::to_string(depth) + " deep here, " + problem);
}

bool is_within(const TraceFrame* frame, const TraceFrame* inner) {
  for (; inner != nullptr; inner = inner->outer) {
    if (inner == frame) return true;
  }
  return false;
}

}  // namespace

// --- the user's line

const std::source_location& user_line(const std::source_location& where) {
  return scope_line != nullptr ? *scope_line : where;
}

Caller Caller::now() {
  if (scope_line == nullptr) return {};
  return {*scope_line, scope_name};
}

CallerAgain::CallerAgain(const Caller& caller)
    : caller_(caller), line_before_(scope_line), name_before_(scope_name) {
  scope_line = caller_.line.has_value() ? &*caller_.line : nullptr;
  scope_name = caller_.name;
}

CallerAgain::~CallerAgain() {
  scope_line = line_before_;
  scope_name = name_before_;
}

std::string at(const std::source_location& where) {
  const std::source_location& line = user_line(where);
  if (line.line() == 0) return "";
  return std::string(line.file_name()) + ":" + std::to_string(line.line()) + ": ";
}

void fail(const std::source_location& where, const std::string& message) {
  throw Error(at(where) + told_by_scope(message));
}

void give_unused_memory_back() {
  runtime::BufferPool::global().trim();
}

namespace {

// Memory for the message that there is none: where the process has used up all of its own, a string is too
// much, too. Several times what messages of files and lines with long names take.
class Reserve {
 public:
  Reserve() { renew(); }
  void renew() noexcept {
    if (held_.load(std::memory_order_relaxed) != nullptr) return;
    void* none = nullptr;
    void* memory = std::malloc(kBytes);
    if (!held_.compare_exchange_strong(none, memory)) std::free(memory);
  }
  void give() noexcept { std::free(held_.exchange(nullptr)); }

 private:
  static constexpr size_t kBytes = 32 * 1024;  // of the heap, below what malloc maps by itself
  std::atomic<void*> held_ = nullptr;
};

Reserve& reserve() {
  static auto& reserve = *new Reserve;
  return reserve;
}
// Before a program could have used up the memory.
[[maybe_unused]] const Reserve& kept_from_the_start = reserve();

}  // namespace

void renew_reserve() noexcept {
  reserve().renew();
}

void fail_without_memory(const std::source_location& where, const char* what, const std::string& function) {
  reserve().give();
  fail(where, std::string("not enough memory to ") + what + " '" + function +
                  "': the system gives this process no more, as under a limit of its address space "
                  "(ulimit -v); raise that, or let go of arrays and call ingot::trim_memory()");
}

// --- frames

TraceFrame* current_frame() {
  return innermost;
}

const std::source_location& traced_line() {
  static const std::source_location none;
  return innermost == nullptr ? none : innermost->where;
}

void fail_null_function() {
  fail(traced_line(), "the function to be traced is a null pointer, or a std::function that holds none");
}

FrameScope::FrameScope(ModuleState* state, ir::Region* region, TraceFrame* outer,
                       const std::source_location& where)
    : frame_(std::make_shared<TraceFrame>()), previous_(innermost) {
  frame_->outer = outer;
  frame_->state = state;
  frame_->region = region;
  frame_->where = user_line(where);
  static constinit std::atomic<uint64_t> traces{0};
  frame_->trace = previous_ == nullptr ? ++traces : previous_->trace;
  frame_->depth = previous_ == nullptr ? 1 : previous_->depth + 1;
  frame_->first_stack = previous_ == nullptr ? stack_left() : previous_->first_stack;
  want_room(*frame_, 0, where);
  innermost = frame_.get();
}

FrameScope::~FrameScope() {
  frame_->open = false;
  innermost = previous_;
}

Array TraceFrame::argument(const ArrayType* type, std::string_view name) {
  const Array array = make_traced(shared_from_this(), region->add_argument(type->tensor(), name), where);
  return as_weak(array, type->weak);
}

ir::Value* TraceFrame::value_of(const Array& array, const std::source_location& where) {
  const ArrayNode& node = checked_node(array, where);
  switch (node.kind) {
    case ArrayNode::Kind::kAbstract:
      fail(where, "an abstract " + to_string(*node.type) +
                      " can only be an argument of lower, compile and the like");
    case ArrayNode::Kind::kLiteral: {
      ir::Builder builder(*region);
      builder.set_provenance(provenance_at(where));
      return builder.constant(literal_tensor(node));
    }
    case ArrayNode::Kind::kTraced:
      if (node.frame.get() == this) return node.value;
      if (!node.frame->open) {
        fail(where,
             "this " + to_string(*node.type) +
                 " was traced in a function or loop body whose trace has ended; return it from there instead "
                 "of keeping it in a variable outside");
      }
      if (!is_within(node.frame.get(), this)) {
        fail(where,
             "this " + to_string(*node.type) +
                 " belongs to another trace, of another thread or around a function that is lowered on its "
                 "own; pass it as an argument");
      }
      break;
    case ArrayNode::Kind::kBuffer:
      break;
  }
  auto [known, fresh] = captured.try_emplace(&node, nullptr);
  if (fresh) {
    known->second = region->add_argument(node.type->tensor(), "captured");
    // Several are values of their own, none made from another one.
    if (known->second->name() != "captured") {
      ir::Function& function = *region->function();
      const std::string name = function.fresh_name("captured");
      function.release_name(name);
      function.rename(known->second, name);
    }
    captures.push_back(array);
  }
  return known->second;
}

namespace {

int kind_of(const Array& array) {
  return array.dtype() == DType::kPred ? 0 : is_inexact(array.dtype()) ? 1 : 2;
}

// The same of an operation, beside which constants, as functions of the library write them, are none of the
// user's arrays. Whoever records calls and regions knows more.
bool op_made_of_numbers(const ir::Op& op, const Array& result, const std::vector<Array>& operands) {
  const bool converts = ops::as<ops::ConvertOp>(op).has_value() || ops::as<ops::BitcastOp>(op).has_value();
  if (converts || std::holds_alternative<ir::RegionControl>(*op.record().becomes)) return false;
  std::vector<Array> given;
  for (const Array& operand : operands)
    if (is_weak(operand) || operand.node()->kind != ArrayNode::Kind::kLiteral) given.push_back(operand);
  return detail::made_of_numbers(result, given);
}

}  // namespace

bool made_of_numbers(const Array& result, const std::vector<Array>& operands) {
  if (std::none_of(operands.begin(), operands.end(), is_weak)) return false;
  bool any = false;
  for (const Array& operand : operands) {
    if (kind_of(operand) != kind_of(result)) continue;
    if (!is_weak(operand)) return false;
    any = true;
  }
  return any;
}

std::vector<Array> emit_all(std::string_view op, const std::vector<Array>& operands,
                            ir::Attributes attributes, const std::source_location& where,
                            std::vector<std::unique_ptr<ir::Region>> regions) {
  TraceFrame& frame = *innermost;
  std::vector<ir::Value*> values;
  for (const Array& operand : operands) values.push_back(frame.value_of(operand, where));
  ir::Builder builder(*frame.region);
  builder.set_provenance(provenance_at(where));
  ir::Op* made = nullptr;
  try {
    made = builder.make(op, std::move(values), std::move(attributes), std::move(regions));
  } catch (const Error& error) {
    const std::string what = error.what(), line = at(where);
    if (!what.starts_with(line)) throw;
    throw Error(line + told_by_scope(what.substr(line.size())));
  }
  std::vector<Array> results;
  for (ir::Value* result : made->results()) {
    const Array array = make_traced(frame.shared_from_this(), result, user_line(where));
    results.push_back(as_weak(array, op_made_of_numbers(*made, array, operands)));
  }
  return results;
}

// --- functions

const ir::Module& TracedFunction::module() const {
  if (callees.empty() && pending.empty()) return *own;
  const ShortLock lock(mutex_);
  if (whole_ == nullptr) whole_ = linked(*this, Rules::kLeftOut);
  return *whole_;
}

int TracedFunction::depth() const {
  const ShortLock lock(mutex_);
  if (depth_ == 0) depth_ = ir::depth(*own->functions().front());
  return depth_;
}

bool TracedFunction::usable() const {
  for (const Array& capture : captures) {
    const ArrayNode& node = *capture.node();
    if (node.kind == ArrayNode::Kind::kTraced &&
        !(node.frame->open && is_within(node.frame.get(), innermost))) {
      return false;
    }
  }
  return true;
}

bool TracedFunction::closed() const {
  for (const Array& capture : captures) {
    if (!capture.node()->concrete()) return false;
  }
  return true;
}

std::shared_ptr<const TracedFunction> trace_function(std::string_view name,
                                                     const std::vector<const ArrayType*>& types,
                                                     const std::vector<std::string>& argument_names,
                                                     const TraceBody& body, TraceFrame* outer,
                                                     const std::source_location& where) {
  const auto start = std::chrono::steady_clock::now();
  // The trace serves all later calls: what is computed on the way must not depend on who came first.
  const FloatEnvironment environment;
  auto traced = std::make_shared<TracedFunction>();
  ModuleState state;
  ir::Function* function = state.module->add_function(name);
  {
    FrameScope frame(&state, &function->body(), outer, where);
    std::vector<Array> arguments;
    for (size_t i = 0; i < types.size(); ++i)
      arguments.push_back(frame->argument(types[i], argument_names[i]));
    Outputs outputs = body(arguments);
    std::vector<ir::Value*> results;
    for (size_t i = 0; i < outputs.leaves.size(); ++i) {
      const Array& leaf = outputs.leaves[i];
      if (leaf.empty()) {
        const LeafPath* path = i < outputs.paths.size() ? &outputs.paths[i] : nullptr;
        fail(where, "the function '" + std::string(name) + "' returned an empty array" +
                        (path == nullptr ? "" : " as " + text_of(*path, path->size())));
      }
      results.push_back(frame->value_of(leaf, where));
      traced->result_types.push_back(leaf.node()->type);
    }
    function->body().set_results(std::move(results));
    traced->captures = std::move(frame->captures);
    traced->prototype = std::move(outputs.prototype);
  }
  traced->argument_types = types;
  traced->callees = std::move(state.callees);
  traced->pending = std::move(state.pending);
  traced->rules = std::move(state.rules);
  traced->own = std::move(state.module);
  traced->trace_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return traced;
}

std::string import_function(const std::shared_ptr<const TracedFunction>& function) {
  ModuleState& state = *innermost->state;
  auto [known, fresh] = state.declared.try_emplace(function.get());
  if (!fresh) return known->second;
  const ir::Function& from = *function->own->functions().front();
  ir::Function* to = state.module->add_function(from.name());
  for (const ir::Value* argument : from.body().arguments())
    to->body().add_argument(argument->type(), argument->name());
  ir::Declaration declaration{{}, function->depth()};
  for (const ir::Value* result : from.body().results()) declaration.results.push_back(result->type());
  to->declared = std::move(declaration);
  state.callees.emplace(to->name(), function);
  return known->second = to->name();
}

std::string declare_pending(const std::shared_ptr<const PendingFunction>& function, std::string_view name,
                            const std::vector<const ArrayType*>& arguments,
                            const std::vector<const ArrayType*>& results) {
  ModuleState& state = *innermost->state;
  ir::Function* to = state.module->add_function(name);
  for (const ArrayType* type : arguments) to->body().add_argument(type->tensor(), "x");
  to->declared.emplace();
  for (const ArrayType* type : results) to->declared->results.push_back(type->tensor());
  state.pending.emplace(to->name(), function);
  return to->name();
}

std::vector<Array> emit_call(const std::shared_ptr<const TracedFunction>& callee,
                             const std::vector<Array>& arguments, const std::source_location& where,
                             ops::CallForm form) {
  want_room(*innermost, callee->depth(), where);
  form.callee = import_function(callee);
  std::vector<Array> operands = arguments;
  operands.insert(operands.end(), callee->captures.begin(), callee->captures.end());
  std::vector<Array> results = emit_all("call", operands, form.attributes(), where);
  for (size_t i = 0; i < results.size(); ++i) results[i] = as_weak(results[i], callee->result_types[i]->weak);
  return results;
}

}  // namespace detail

CallerScope::CallerScope(const std::source_location& where, const char* name)
    : where_(where), outermost_(detail::scope_line == nullptr) {
  if (!outermost_) return;
  detail::scope_line = &where_;
  detail::scope_name = name;
}

CallerScope::~CallerScope() {
  if (!outermost_) return;
  detail::scope_line = nullptr;
  detail::scope_name = nullptr;
}

}  // namespace ingot
