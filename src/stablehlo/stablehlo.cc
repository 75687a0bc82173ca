// Loaded programs as functions of the front end: the imported module is what a trace would have made. And the
// way out, of what was traced.
#include "ingot/stablehlo.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include "base/options.h"
#include "frontend/program.h"
#include "frontend/trace.h"
#include "ingot/error.h"
#include "ops/control.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "runtime/buffer_pool.h"
#include "stablehlo/export.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"

namespace ingot::detail {

struct LoadedProgram {
  std::string file;
  std::unique_ptr<const stablehlo::Module> module;
  std::shared_ptr<const TracedFunction> traced;  // null where arguments have open extents
  // Then one for each list of types that it has been called with.
  struct Typed {
    std::vector<ir::TensorType> types;
    std::shared_ptr<const TracedFunction> traced;
  };
  mutable std::mutex mutex;
  mutable std::vector<Typed> typed;
};

namespace {

// Loops of a known number of steps become scans, which have derivatives in both modes: JAX hides what tells
// their number, and how they go through arrays, in functions of a few operations.
void make_scans(ir::Module& module) {
  const auto loops = pass::find_ops(module, [](const ir::Op& op) { return ops::is<ops::WhileOp>(op); });
  if (loops.empty()) return;
  pass::PassList passes;
  passes.push_back(pass::make_dce());
  passes.push_back(pass::make_inline());
  passes.push_back(pass::make_canonicalize());
  passes.push_back(pass::make_fold());
  passes.push_back(pass::make_cse());
  passes.push_back(pass::make_step_slices());
  passes.push_back(pass::make_dce());
  pass::PassContext context;
  pass::run_passes(module, passes, context);
}

// "1 argument", "2 arguments"
std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// What reports call it. A function of that name in a program around it would be its entry.
std::string entry_name(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.empty() || stem == "main" ? "loaded" : stem;
}

std::shared_ptr<const TracedFunction> imported(const LoadedProgram& program,
                                               const std::vector<ir::TensorType>& arguments,
                                               const std::source_location& where) {
  auto traced = std::make_shared<TracedFunction>();
  try {
    traced->own =
        stablehlo::import_module(*program.module, {.entry = entry_name(program.file), .arguments = arguments})
            .module;
  } catch (const Error& error) {
    fail(where, std::string("load: ") + error.what());
  }
  make_scans(*traced->own);
  const ir::Region& body = traced->own->functions().front()->body();
  for (const ir::Value* argument : body.arguments())
    traced->argument_types.push_back(intern_type(argument->type()));
  for (const ir::Value* result : body.results()) traced->result_types.push_back(intern_type(result->type()));
  return traced;
}

// The program for arrays of these types, which is made when it is first asked for.
std::shared_ptr<const TracedFunction> typed(const LoadedProgram& program, const std::vector<Array>& arguments,
                                            const std::source_location& where) {
  std::vector<ir::TensorType> types;
  for (const Array& argument : arguments) {
    const ArrayType& type = *checked_node(argument, where).type;
    types.push_back({type.dtype, type.shape});
  }
  const std::lock_guard lock(program.mutex);
  for (const LoadedProgram::Typed& known : program.typed) {
    if (known.types == types) return known.traced;
  }
  return program.typed.emplace_back(LoadedProgram::Typed{types, imported(program, types, where)}).traced;
}

// The arrays that a value of this type is.
void add_arrays(const stablehlo::Type& type, std::vector<const stablehlo::Type*>& arrays) {
  if (type.is_tensor()) arrays.push_back(&type);
  for (const stablehlo::Type* part : type.parts) add_arrays(*part, arrays);
}

// "f32[?,3]"
std::string open_text(const stablehlo::Type& type) {
  const std::optional<DType> dtype = stablehlo::dtype_of(type);
  if (!dtype) return stablehlo::to_string(type);
  std::string text = std::string(name_of(*dtype)) + "[";
  for (size_t d = 0; d < type.shape.size(); ++d) {
    text += d == 0 ? "" : ",";
    text += type.shape[d] == stablehlo::Type::kDynamic ? "?" : std::to_string(type.shape[d]);
  }
  return text + "]";
}

std::string open_text(const std::vector<const stablehlo::Type*>& types) {
  std::string text;
  for (const stablehlo::Type* type : types) text += (text.empty() ? "" : ", ") + open_text(*type);
  return "(" + text + ")";
}

std::vector<const stablehlo::Type*> result_arrays(const stablehlo::Function& entry) {
  std::vector<const stablehlo::Type*> arrays;
  for (const stablehlo::Type* type : entry.result_types) add_arrays(*type, arrays);
  return arrays;
}
std::vector<const stablehlo::Type*> argument_arrays(const stablehlo::Function& entry) {
  std::vector<const stablehlo::Type*> arrays;
  for (const stablehlo::ValueId id : entry.body.arguments) add_arrays(entry.type_of(id), arrays);
  return arrays;
}

// All of a file, in a buffer, which is not cleared before it is filled and comes in large pages. Files may be
// pipes, of no size that is known.
struct FileBytes {
  std::shared_ptr<runtime::Buffer> buffer;
  size_t size = 0;
  char* data() const { return static_cast<char*>(buffer->data()); }
  std::string_view view() const { return {data(), size}; }
};

FileBytes read_whole(const std::string& file, const std::source_location& where) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(where, "load: cannot read " + file + ": " + std::strerror(errno));
  std::error_code unknown;
  const uintmax_t expected = std::filesystem::file_size(file, unknown);
  const auto most = static_cast<size_t>(memory_limit_bytes());
  constexpr size_t kLeast = 1 << 16;
  size_t room = kLeast;
  if (!unknown && expected < most) room = std::max<size_t>(kLeast, static_cast<size_t>(expected) + 1);
  const auto memory = [&](size_t bytes) {
    try {
      return runtime::BufferPool::global().allocate(bytes, "a file that is loaded");
    } catch (const Error& error) {
      fail(where, "load: no memory for " + file + ": " + error.what());
    }
  };
  FileBytes bytes{memory(room)};
  while (in.read(bytes.data() + bytes.size, static_cast<std::streamsize>(room - bytes.size)),
         in.gcount() > 0) {
    bytes.size += static_cast<size_t>(in.gcount());
    if (bytes.size > most) {
      fail(where, "load: " + file + " is larger than the memory that may be taken (INGOT_MEMORY_LIMIT_MB)");
    }
    if (bytes.size < room) continue;
    room *= 2;
    const auto larger = memory(room);
    std::memcpy(larger->data(), bytes.data(), bytes.size);
    bytes.buffer = larger;
  }
  if (in.bad() || !in.eof()) fail(where, "load: cannot read " + file + ": " + std::strerror(errno));
  return bytes;
}

}  // namespace

std::shared_ptr<const LoadedProgram> load_program(std::string_view bytes, const std::string& file,
                                                  const std::source_location& where) {
  const CallerScope caller(where);
  if (!stablehlo::looks_like_stablehlo(bytes)) {
    fail(where,
         "load: " + file + " is no StableHLO program; what jax.jit(f).lower(...).as_text() prints is one");
  }
  auto program = std::make_shared<LoadedProgram>();
  program->file = file;
  bool open = false;
  try {
    program->module = stablehlo::read_module(bytes, file);
    open = stablehlo::has_open_arguments(*program->module);
  } catch (const Error& error) {
    fail(where, std::string("load: ") + error.what());
  }
  if (open) return program;
  program->traced = imported(*program, {}, where);
  program->module.reset();
  return program;
}

std::shared_ptr<const LoadedProgram> load_file(const std::string& file, const std::source_location& where) {
  return load_program(read_whole(file, where).view(), file, where);
}

std::string type_text(const LoadedProgram& program) {
  if (!program.traced) {
    const stablehlo::Function& entry = stablehlo::entry_of(*program.module);
    return open_text(argument_arrays(entry)) + " -> " + open_text(result_arrays(entry));
  }
  const ir::Region& body = program.traced->function().body();
  std::string text = "(";
  for (const ir::Value* argument : body.arguments()) {
    text += (argument->index() == 0 ? "" : ", ") + argument->name() + ": " + ir::to_string(argument->type());
  }
  text += ") -> (";
  for (size_t i = 0; i < body.results().size(); ++i) {
    text += (i == 0 ? "" : ", ") + ir::to_string(body.results()[i]->type());
  }
  return text + ")";
}

void want_results(const LoadedProgram& program, size_t count, const std::source_location& where) {
  const size_t have = program.traced ? program.traced->result_types.size()
                                     : result_arrays(stablehlo::entry_of(*program.module)).size();
  if (have == count) return;
  fail(where, "load: " + program.file + " has " + counted(have, "result") + ", not " + std::to_string(count) +
                  "; it is " + type_text(program));
}

std::vector<Array> call_program(const LoadedProgram& program, const std::vector<Array>& arguments,
                                const std::source_location& where) {
  const CallerScope caller(where);
  const size_t count = program.traced ? program.traced->argument_types.size()
                                      : argument_arrays(stablehlo::entry_of(*program.module)).size();
  if (arguments.size() != count) {
    fail(where, program.file + " takes " + counted(count, "argument") + ", not " +
                    std::to_string(arguments.size()) + "; it is " + type_text(program));
  }
  const std::shared_ptr<const TracedFunction> traced =
      program.traced ? program.traced : typed(program, arguments, where);
  const std::vector<const ArrayType*>& types = traced->argument_types;
  for (size_t i = 0; i < types.size(); ++i) {
    const ArrayType& given = *checked_node(arguments[i], where).type;  // a number, or an array
    if (given.dtype == types[i]->dtype && given.shape == types[i]->shape) continue;
    const std::string& name = traced->function().body().argument(static_cast<int>(i))->name();
    fail(where, "argument " + std::to_string(i) + " of " + program.file + ", " + name + ", is a " +
                    to_string(*types[i]) + ", but this is a " + arguments[i].type_string());
  }
  return run_or_record(traced, arguments, where);
}

}  // namespace ingot::detail

namespace ingot {

std::string to_stablehlo(const Lowered& lowered, bool locations) {
  return stablehlo::export_text(*detail::ProgramAccess::module(lowered), locations);
}

std::string to_stablehlo(const Compiled& compiled, bool locations) {
  return stablehlo::export_text(*detail::ProgramAccess::module(compiled), locations);
}

std::string to_stablehlo_artifact(const Lowered& lowered) {
  return stablehlo::export_bytecode(*detail::ProgramAccess::module(lowered));
}

std::string to_stablehlo_artifact(const Compiled& compiled) {
  return stablehlo::export_bytecode(*detail::ProgramAccess::module(compiled));
}

}  // namespace ingot
