// Writes the story of one compilation into a folder: the program after every pass, each kernel as kernel IR
// before and after its schedule, as LLVM IR and as assembly, the launch plan, and an index of it all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/kernel_cache.h"

namespace ingot::compiler {

class Dump {
 public:
  // An empty directory means that nothing is wanted. Throws ingot::Error if it cannot be made.
  explicit Dump(std::string directory);
  bool wanted() const { return !directory_.empty(); }

  void pass(int index, std::string_view name, const ir::Module& module);
  void kernel(const kernel::Kernel& unscheduled, const CachedKernel& cached);
  // Writes plan and index. Call it last.
  void finish(const Compiled& compiled);

 private:
  void write(const std::string& file, const std::string& text, const std::string& what);

  std::string directory_;
  std::string index_;
  std::string last_program_;
};

}  // namespace ingot::compiler
