#include "tools/files.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>

#include "ingot/error.h"
#include "ir/text.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "tools/shapes.h"

namespace ingot::tools {
namespace {

std::vector<stablehlo::ArgumentType> argument_types(const ir::Module& module) {
  std::vector<stablehlo::ArgumentType> types;
  if (module.entry() == nullptr) return types;
  for (const ir::Value* argument : module.entry()->body().arguments()) {
    const ir::TensorType& type = argument->type();
    stablehlo::ArgumentType& made =
        types.emplace_back(argument->name(), type.dtype, std::string(name_of(type.dtype)));
    for (const int64_t extent : type.shape) made.extents.push_back(std::to_string(extent));
  }
  return types;
}

// Of arg0, arg1, ... of the file.
std::vector<ir::TensorType> types_for(const std::vector<stablehlo::ArgumentType>& arguments,
                                      const std::string& path) {
  std::vector<ir::TensorType> types = types_in_file(path);
  if (types.size() < arguments.size())
    throw Error(path + ": there is no arg" + std::to_string(types.size()) + " for " +
                argument_text(arguments, types.size()));
  return types;
}

std::string shapes_option(const std::vector<ir::TensorType>& types) {
  std::string text;
  for (const ir::TensorType& type : types) text += (text.empty() ? "" : ",") + ir::to_string(type);
  return " --shapes '" + text + "'";
}

[[noreturn]] void open_shapes(const std::string& name, const std::vector<stablehlo::ArgumentType>& arguments,
                              bool takes_files) {
  throw Error(name + ": the program takes " + stablehlo::to_string(arguments) +
              ", which leaves sizes open: give --shapes '" + example_of_shapes(arguments) + "'" +
              (takes_files ? ", or --args FILE.npz with arrays of the sizes that are meant" : ""));
}

}  // namespace

CLI::Option* add_program_options(CLI::App& command, ProgramOptions& options) {
  CLI::Option* file = command.add_option("FILE", options.file, "the program; - for standard input");
  command.add_option("--shapes", options.shapes,
                     "sizes that a StableHLO program leaves open: of dimensions by name, b=8,n=4, or shapes "
                     "of arguments, in their order or by name, 'f32[8,3],y=[4]'");
  return file;
}

Program read_program(const ProgramOptions& options, std::istream& in, const ArgumentOptions* arguments) {
  const std::string& path = options.file;
  const std::string name = path == "-" ? "<stdin>" : path;
  const std::string text = path == "-" ? io::rest_of(in, name, io::kMostTextBytes) : read_file(path);
  const bool has_file = arguments != nullptr && !arguments->file.empty();
  const bool has_shapes = !options.shapes.empty();
  if (has_file && has_shapes)
    throw Error("--shapes and --args exclude each other: the arrays of " + arguments->file + " have shapes");
  Program program;
  const auto start = std::chrono::steady_clock::now();
  if (stablehlo::looks_like_stablehlo(text)) {
    const std::unique_ptr<stablehlo::Module> module = stablehlo::read_module(text, name);
    const bool open = stablehlo::has_open_arguments(*module);
    stablehlo::ImportOptions import;
    if (has_shapes || open) {
      const std::vector<stablehlo::ArgumentType> types = stablehlo::argument_types(*module);
      if (has_shapes)
        import.arguments = given_shapes(types, options.shapes);
      else if (has_file)
        import.arguments = types_for(types, arguments->file);
      else
        open_shapes(name, types, arguments != nullptr);
    }
    if (open) program.shapes_option = shapes_option(import.arguments);
    program.module = stablehlo::import_module(*module, import).module;
  } else {
    program.module = ir::parse(text, name);
    if (has_shapes) given_shapes(argument_types(*program.module), options.shapes);
  }
  program.parse_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (program.module->entry() == nullptr) {
    throw Error(name +
                ": there is no function in it; a program looks like\n"
                "  func @main(%x: f32[4]) -> (f32[4]) {\n    %y = exp(%x) : f32[4]\n    return %y\n  }");
  }
  return program;
}

}  // namespace ingot::tools
