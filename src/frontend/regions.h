// Functions of the user's that become regions of one operation with the same arguments, and capture together:
// what one of them uses from outside is an argument of all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/trace.h"

namespace ingot::detail {

class RegionsTracer {
 public:
  // Their arguments will be of these types, with names after `name`.
  RegionsTracer(std::vector<const ArrayType*> types, std::string name, const std::source_location& where);

  using Function = std::function<std::vector<Array>(const std::vector<Array>& arguments)>;
  void trace(const Function& function);

  // Records the operation in the innermost frame: these operands, then what has been captured.
  std::vector<Array> finish(std::string_view op, std::vector<Array> operands, ir::Attributes attributes);

 private:
  std::vector<const ArrayType*> types_;
  std::string name_;
  std::source_location where_;
  TraceFrame& frame_;
  std::vector<std::unique_ptr<ir::Region>> regions_;
  std::vector<Array> captures_;
};

// What a loop begins with, of which numbers take the dtypes that a step makes of them, as beside arrays. True
// if one has changed: then the step is to be traced anew.
bool settle_carry(const std::string& function, std::vector<Array>& init, const std::vector<Array>& next,
                  const std::source_location& where);
// The carries among a loop's results: numbers where all that they come from are.
void mark_carry(std::vector<Array>& results, const std::vector<Array>& init, const std::vector<Array>& next);

// Error where a step changes the type of a carry, with its name.
void check_next_carry(const std::string& function, const std::vector<Array>& init,
                      const std::vector<Array>& next, const std::vector<std::string>& names,
                      const std::source_location& where);

}  // namespace ingot::detail
