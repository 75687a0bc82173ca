// Tracing: a user's function runs with arrays that stand for values, and what it does to them becomes IR.
//
// A frame is a region that is being filled: the body of a function, or of a scan or reduction inside of one.
// Frames nest; the innermost one of the thread takes new operations. A frame that needs an array from outside
// captures it: it gets one more argument, and whoever closes the frame passes the array in, as an operand of
// the scan or the call. In a function without a frame around it, captured arrays are concrete and become
// hidden arguments.
//
// A traced function is kept as a module of its own, in which other traced functions that it calls are
// declared, so it is traced once. They are put together where a whole program is asked for.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/node.h"
#include "frontend/pending.h"
#include "frontend/signature.h"
#include "ir/builder.h"
#include "ops/control.h"
#include "transform/batch_rules.h"

namespace ingot::detail {

// Whether a result is of numbers alone: all operands of its kind are, which is pred, integer or one with
// fractions. Nothing of its kind: no.
bool made_of_numbers(const Array& result, const std::vector<Array>& operands);

struct TracedFunction;
struct KeptProgram;

// The module of a function that is being traced.
struct ModuleState {
  std::unique_ptr<ir::Module> module = std::make_unique<ir::Module>();
  std::map<const TracedFunction*, std::string> declared;                 // and their names here
  std::map<std::string, std::shared_ptr<const TracedFunction>> callees;  // that it names, by their names
  PendingFunctions pending;                                              // that it names
  std::vector<std::shared_ptr<const transform::BatchRule>> rules;        // that it has added
  // Of the NamedScopes that are open, which may outlive the trace.
  std::shared_ptr<std::string> scope = std::make_shared<std::string>();
};

struct TraceFrame : std::enable_shared_from_this<TraceFrame> {
  TraceFrame* outer = nullptr;  // the frame around it whose arrays it may use, or null
  ModuleState* state = nullptr;
  ir::Region* region = nullptr;
  uint64_t trace = 0;            // the number of the outermost trace that it belongs to
  size_t first_stack = 0;        // what was left of it at the outermost frame
  int depth = 1;                 // frames around it, of this function and those that call it, and itself
  std::atomic<bool> open{true};  // its values are usable; arrays of other threads may ask
  std::vector<Array> captures;
  std::map<const ArrayNode*, ir::Value*> captured;  // to the arguments that stand for them
  std::source_location where = {};                  // the user's line that has it traced
  std::string loop;                                 // of whose step it is; empty: of none
  std::vector<std::string> carries;                 // names of its first arguments then

  // An Array of this frame for a new argument.
  Array argument(const ArrayType* type, std::string_view name);
  // The value of any usable array in this frame: its own, captured, or a constant. Error if it is not usable
  // here.
  ir::Value* value_of(const Array& array, const std::source_location& where);
};

// The innermost frame of this thread, or null if nothing is being traced.
TraceFrame* current_frame();
inline bool tracing() {
  return current_frame() != nullptr;
}

// Makes a frame the innermost one while it lives, and closes it.
class FrameScope {
 public:
  // `outer` is what the frame may capture traced arrays from: current_frame(), or null for a program of its
  // own.
  FrameScope(ModuleState* state, ir::Region* region, TraceFrame* outer, const std::source_location& where);
  ~FrameScope();
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;
  TraceFrame* operator->() const { return frame_.get(); }
  TraceFrame& operator*() const { return *frame_; }

 private:
  std::shared_ptr<TraceFrame> frame_;
  TraceFrame* previous_;
};

// Whose line a trace has (CallerScope), kept for what is traced later.
struct Caller {
  static Caller now();
  std::optional<std::source_location> line;
  const char* name = nullptr;
};
class CallerAgain {
 public:
  explicit CallerAgain(const Caller& caller);
  ~CallerAgain();
  CallerAgain(const CallerAgain&) = delete;
  CallerAgain& operator=(const CallerAgain&) = delete;

 private:
  Caller caller_;
  const std::source_location* line_before_;
  const char* name_before_;
};

// Records an operation in the innermost frame. Errors carry the user's line.
std::vector<Array> emit_all(std::string_view op, const std::vector<Array>& operands,
                            ir::Attributes attributes, const std::source_location& where,
                            std::vector<std::unique_ptr<ir::Region>> regions = {});
inline Array emit(std::string_view op, const std::vector<Array>& operands, ir::Attributes attributes,
                  const std::source_location& where) {
  return emit_all(op, operands, std::move(attributes), where)[0];
}

struct TracedFunction {
  // The function first, then what it calls: declarations of `callees` and `pending`, and functions that are
  // this one's alone.
  std::unique_ptr<ir::Module> own;
  std::map<std::string, std::shared_ptr<const TracedFunction>> callees;  // by their names in that module
  PendingFunctions pending;                                              // that calls there have as rules
  std::vector<std::shared_ptr<const transform::BatchRule>> rules;        // of its calls, which live with it
  std::vector<Array> captures;                                           // passed behind the arguments
  std::vector<const ArrayType*> argument_types, result_types;
  std::shared_ptr<const void> prototype;
  double trace_ms = 0;
  // What runs it where nothing else keeps its program (run_or_record); never freed.
  mutable std::atomic<KeptProgram*> kept{nullptr};

  // The whole program: the function first, then all that it calls, directly or through others. Rules that are
  // pending are left out; for derivatives and batches there is Linker (link.h).
  const ir::Module& module() const;
  const ir::Function& function() const { return *module().functions().front(); }
  int depth() const;    // of nested regions, the body among them, along any chain of calls
  bool usable() const;  // all captures can be passed from the innermost frame
  bool closed() const;  // all captures are concrete: it can be a program of its own

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ir::Module> whole_;  // made when it is first asked for, where there are callees
  mutable int depth_ = 0;                      // 0: not known yet
};

// What the arguments of a traced function are called: the paths of the leaves, as names.
std::vector<std::string> argument_names(const Description& description);

using TraceBody = std::function<Outputs(const std::vector<Array>& arguments)>;
std::shared_ptr<const TracedFunction> trace_function(std::string_view name,
                                                     const std::vector<const ArrayType*>& types,
                                                     const std::vector<std::string>& argument_names,
                                                     const TraceBody& body, TraceFrame* outer,
                                                     const std::source_location& where);

// Makes the function one of those that are being traced; returns its name there.
std::string import_function(const std::shared_ptr<const TracedFunction>& function);
// The same for a rule that is to be traced when it is asked for.
std::string declare_pending(const std::shared_ptr<const PendingFunction>& function, std::string_view name,
                            const std::vector<const ArrayType*>& arguments,
                            const std::vector<const ArrayType*>& results);
// Records a call of it in the innermost frame.
std::vector<Array> emit_call(const std::shared_ptr<const TracedFunction>& callee,
                             const std::vector<Array>& arguments, const std::source_location& where,
                             ops::CallForm form = {});

}  // namespace ingot::detail
