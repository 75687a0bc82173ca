#include "tools/files.h"

#include <chrono>

#include "ingot/error.h"
#include "ir/text.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"

namespace ingot::tools {

Program read_program(const std::string& path, std::istream& in) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const std::string text = path == "-" ? io::rest_of(in, name, io::kMostTextBytes) : read_file(path);
  Program program;
  const auto start = std::chrono::steady_clock::now();
  program.module = stablehlo::looks_like_stablehlo(text)
                       ? stablehlo::import_module(*stablehlo::read_module(text, name)).module
                       : ir::parse(text, name);
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
