#include "tools/report.h"

#include <cmath>
#include <complex>
#include <ostream>

#include "pass/fusion/fusion_worth.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

constexpr int64_t kMaxValues = 1000;  // of a result in JSON

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json element_json(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kPred) return tensor.get_int(i) != 0;
  if (tensor.dtype() == DType::kU64) return static_cast<uint64_t>(tensor.get_int(i));
  if (is_integer(tensor.dtype())) return tensor.get_int(i);
  const std::complex<double> value = tensor.get_complex(i);
  if (is_complex(tensor.dtype())) return Json::array({number_json(value.real()), number_json(value.imag())});
  return number_json(value.real());
}

Json types_of(const runtime::CompiledKernel& kernel, bool outputs) {
  Json types = Json::array();
  for (const runtime::ParameterInfo& parameter : kernel.parameters) {
    if (parameter.is_output == outputs) types.push_back(type_text(parameter));
  }
  return types;
}

}  // namespace

std::string json_text(const Json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string type_text(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + to_string(shape);
}

void show_results(std::ostream& out, const std::vector<Tensor>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    out << "out" << i << ": " << show_tensor(results[i]) << "\n";
  }
}

Json json_of(const std::vector<Tensor>& results) {
  Json list = Json::array();
  for (const Tensor& tensor : results) {
    Json result;
    result["dtype"] = name_of(tensor.dtype());
    result["shape"] = tensor.shape();
    if (tensor.size() <= kMaxValues) {
      result["values"] = Json::array();
      for (int64_t i = 0; i < tensor.size(); ++i) result["values"].push_back(element_json(tensor, i));
    } else {
      result["values_omitted"] = true;
    }
    list.push_back(std::move(result));
  }
  return list;
}

Json json_of(const runtime::Executable& executable) {
  Json list = Json::array();
  for (const auto& kernel : executable.kernels()) {
    const runtime::MovedBytes moved = moved_bytes(executable.plan(), *kernel);
    Json entry;
    entry["name"] = kernel->name;
    entry["hash"] = show_hash(kernel->hash);
    entry["kind"] = kernel->kind;
    entry["units"] = kernel->units;
    entry["bytes_read"] = moved.read;
    entry["bytes_written"] = moved.written;
    entry["flops"] = kernel->counts_flops() ? Json(kernel->flops) : Json();
    entry["inputs"] = types_of(*kernel, false);
    entry["outputs"] = types_of(*kernel, true);
    entry["source"] = kernel->source_lines;
    list.push_back(std::move(entry));
  }
  return list;
}

Json compile_times(const compiler::Compiled& compiled, double parse_ms) {
  Json times;
  times["parse"] = parse_ms;
  times["passes"] = compiled.passes_ms;
  times["kernels"] = compiled.kernels_ms;
  times["codegen"] = compiled.codegen_ms;
  times["total"] = parse_ms + compiled.total_ms;
  return times;
}

Json json_of(const std::vector<pass::Refusal>& refusals) {
  Json list = Json::array();
  for (const pass::Refusal& refusal : refusals) {
    list.push_back({{"pass", refusal.pass},
                    {"producer", refusal.producer},
                    {"consumer", refusal.consumer},
                    {"reason", refusal.reason},
                    {"source", refusal.source}});
    if (refusal.producer_kernel.empty()) continue;
    list.back()["producer_kernel"] = refusal.producer_kernel;
    list.back()["consumer_kernel"] = refusal.consumer_kernel;
    list.back()["value"] = refusal.value;
    list.back()["bytes"] = refusal.bytes;
    list.back()["bytes_read"] = refusal.bytes_read;
    list.back()["siblings"] = refusal.siblings;
  }
  return list;
}

Json json_of(const std::vector<pass::Note>& notes) {
  Json list = Json::array();
  for (const pass::Note& note : notes)
    list.push_back({{"pass", note.pass}, {"about", note.about}, {"text", note.text}});
  return list;
}

void show_why(std::ostream& out, const compiler::Compiled& compiled) {
  if (compiled.refusals.empty()) out << "no fusion was refused\n";
  for (const pass::Refusal& refusal : compiled.refusals) out << to_string(refusal) << "\n";
  if (compiled.executable != nullptr && compiled.executable->kernels().size() > 1)
    out << "(kernels that only read the same array are listed from " << pass::kLittleWork + 1
        << " elements on; a smaller one stays in a cache between them)\n";
  for (const pass::Note& note : compiled.notes)
    out << note.pass << ": " << note.about << " " << note.text << "\n";
}

}  // namespace ingot::tools
