// What several subcommands report: results, kernels, compile times, refusals.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/tensor.h"
#include "compiler/compiler.h"
#include "runtime/executable.h"

namespace ingot::tools {

using Json = nlohmann::ordered_json;

void show_results(std::ostream& out, const std::vector<Tensor>& results);
// [{dtype, shape, values}]; values only of small ones, inf and nan as strings.
Json json_of(const std::vector<Tensor>& results);

// [{name, hash, kind, units, bytes_read, bytes_written, flops, inputs, outputs, source}]
Json json_of(const runtime::Executable& executable);
// {parse, passes, codegen, total}; codegen is lowering, scheduling and code generation of the kernels.
Json compile_times(const compiler::Compiled& compiled, double parse_ms);
// [{producer, consumer, reason, source}]
Json json_of(const std::vector<compiler::FusionRefusal>& refusals);
void show_refusals(std::ostream& out, const std::vector<compiler::FusionRefusal>& refusals);

// "f32[4,3]"
std::string type_text(DType dtype, const Shape& shape);

}  // namespace ingot::tools
