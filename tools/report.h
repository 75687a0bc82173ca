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

// Indented. Bytes of names that are no UTF-8 become U+FFFD, since JSON cannot hold them.
std::string json_text(const Json& json);

void show_results(std::ostream& out, const std::vector<Tensor>& results);
// [{dtype, shape, values}]; values only of small ones, inf and nan as strings.
Json json_of(const std::vector<Tensor>& results);

// [{name, hash, kind, units, bytes_read, bytes_written, flops, inputs, outputs, source}]
Json json_of(const runtime::Executable& executable);
// {parse, passes, codegen, total}; codegen is lowering, scheduling and code generation of the kernels.
Json compile_times(const compiler::Compiled& compiled, double parse_ms);
// [{pass, producer, consumer, reason, source}], and of two kernels that stay two also
// {producer_kernel, consumer_kernel, value, bytes, siblings}
Json json_of(const std::vector<pass::Refusal>& refusals);
// [{pass, about, text}]
Json json_of(const std::vector<pass::Note>& notes);
// Refusals, and what passes have decided besides.
void show_why(std::ostream& out, const compiler::Compiled& compiled);

// "f32[4,3]"
std::string type_text(DType dtype, const Shape& shape);

}  // namespace ingot::tools
