// Loaded programs as functions of the front end: the imported module is what a trace would have made. And the
// way out, of what was traced.
#include "ingot/stablehlo.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include "base/fork.h"
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
#include "stablehlo/symbolic_shapes.h"

namespace ingot::detail {

struct LoadedProgram {
  std::string file;
  std::unique_ptr<const stablehlo::Module> module;
  // Null where arguments have open extents. It is held, since what it is made of would be as large: the
  // elements of constants are most of either.
  std::shared_ptr<const TracedFunction> traced;
  mutable RemadeFunction fixed{true};  // the program of that
  // With open extents one for each list of types that it has been called with, while its program is kept
  // (frontend/program_cache.h) or another one holds it.
  mutable std::mutex mutex;
  mutable std::map<std::vector<const ArrayType*>, std::shared_ptr<RemadeFunction>> typed;
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

// The function of arrays of these types.
std::shared_ptr<RemadeFunction> typed(const LoadedProgram& program,
                                      const std::vector<const ArrayType*>& types) {
  const ShortLock lock(program.mutex);
  const auto known = program.typed.find(types);
  if (known != program.typed.end()) return known->second;
  std::erase_if(program.typed, [](const auto& one) {  // that no call is about to make
    return one.second.use_count() == 1 && one.second->gone();
  });
  return program.typed.emplace(types, std::make_shared<RemadeFunction>()).first->second;
}

// Error unless the arguments, of these types, are those of the function.
void want_types(const LoadedProgram& program, const TracedFunction& traced,
                const std::vector<const ArrayType*>& given, const std::source_location& where) {
  for (size_t i = 0; i < given.size(); ++i) {
    const ArrayType& wanted = *traced.argument_types[i];
    if (given[i]->dtype == wanted.dtype && given[i]->shape == wanted.shape) continue;
    const std::string& name = traced.function().body().argument(static_cast<int>(i))->name();
    fail(where, "argument " + std::to_string(i) + " of " + program.file + ", " + name + ", is a " +
                    to_string(wanted) + ", but this is a " + to_string(*given[i]));
  }
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
    return stablehlo::to_string(stablehlo::argument_types(*program.module)) + " -> " +
           open_text(result_arrays(entry));
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

int64_t import_count(const LoadedProgram& program) {
  if (program.traced) return 1;
  const ShortLock lock(program.mutex);
  return std::count_if(program.typed.begin(), program.typed.end(),
                       [](const auto& one) { return !one.second->gone(); });
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
  std::vector<const ArrayType*> types;
  for (const Array& argument : arguments) types.push_back(checked_node(argument, where).type);
  if (program.traced) {
    want_types(program, *program.traced, types, where);
    return program.fixed.run_or_record([&] { return program.traced; }, arguments, where);
  }
  for (const ArrayType*& type : types) type = intern_type(type->dtype, type->shape);  // numbers as arrays
  const auto make = [&] {
    std::vector<ir::TensorType> given;
    for (const ArrayType* type : types) given.push_back({type->dtype, type->shape});
    const auto traced = imported(program, given, where);
    want_types(program, *traced, types, where);
    return traced;
  };
  return typed(program, types)->run_or_record(make, arguments, where);
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
