#include "tools/files.h"

#include <chrono>

#include "ingot/error.h"
#include "ir/text.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"

namespace ingot::tools {

Program read_program(const std::string& path, std::istream& in, const ArgumentOptions* arguments) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const std::string text = path == "-" ? io::rest_of(in, name, io::kMostTextBytes) : read_file(path);
  Program program;
  const auto start = std::chrono::steady_clock::now();
  if (stablehlo::looks_like_stablehlo(text)) {
    const std::unique_ptr<stablehlo::Module> module = stablehlo::read_module(text, name);
    stablehlo::ImportOptions options;
    if (arguments != nullptr && !arguments->file.empty() && stablehlo::has_open_arguments(*module))
      options.arguments = argument_types(arguments->file);
    program.module = stablehlo::import_module(*module, options).module;
  } else {
    program.module = ir::parse(text, name);
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
