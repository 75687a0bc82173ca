// Functions, types and locations of a program that becomes a StableHLO module.
#include "stablehlo/exporter.h"

#include <algorithm>
#include <charconv>

#include "ingot/error.h"
#include "ir/builder.h"
#include "ir/depth.h"
#include "ops/control.h"
#include "ops/lanes.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "stablehlo/bytecode/writer.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

std::string element_name(DType dtype) {
  switch (dtype) {
    case DType::kPred:
      return "i1";
    case DType::kC64:
      return "complex<f32>";
    case DType::kC128:
      return "complex<f64>";
    default:
      break;
  }
  std::string name(ingot::name_of(dtype));
  if (is_small_float(dtype)) {  // f8E4M3FN
    for (size_t i = 1; i < name.size(); ++i)
      if (name[i] >= 'a' && name[i] <= 'z') name[i] = static_cast<char>(name[i] - 'a' + 'A');
  }
  if (is_float(dtype)) return name;
  return (is_signed(dtype) ? "i" : "ui") + name.substr(1);
}

bool has_lanes(const ir::Module& module) {
  bool found = false;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) { found = found || op.attributes().has("lanes"); });
  }
  return found;
}

// What one file and one line say: "file:12".
Location file_location(const std::string& file, int line) {
  Location place;
  place.kind = Location::Kind::kFile;
  place.name = file;
  place.line = std::max(line, 0);
  return place;
}

// Of "file:12" or "file:12 in scope" (ir::Provenance::place).
Location location_of(const std::string& place) {
  for (size_t colon = place.rfind(':'); colon != std::string::npos && colon > 0;
       colon = place.rfind(':', colon - 1)) {
    int line = 0;
    const char* end = place.data() + place.size();
    const auto [after, error] = std::from_chars(place.data() + colon + 1, end, line);
    if (error == std::errc() && (after == end || std::string_view(after, end).starts_with(" in ")))
      return file_location(place.substr(0, colon), line);
  }
  return file_location(place, 0);
}

}  // namespace

std::unique_ptr<Module> export_module(const ir::Module& module, const ExportOptions& options) {
  ir::want_stack(module);
  if (!has_lanes(module)) return Exporter(module, options).run();
  // StableHLO has loops and branches of one predicate alone.
  const std::unique_ptr<ir::Module> one_way = ir::clone(module);
  pass::PassList passes;
  passes.push_back(pass::make_expand_lanes());
  pass::PassContext context;
  pass::run_passes(*one_way, passes, context);
  return Exporter(*one_way, options).run();
}

std::string export_text(const ir::Module& module, bool locations, const ExportOptions& options) {
  return to_string(*export_module(module, options), locations, true);
}

std::string export_bytecode(const ir::Module& module, const ExportOptions& options) {
  return write_bytecode(*export_module(module, options));
}

Exporter::Exporter(const ir::Module& module, const ExportOptions& options)
    : module_(module), made_(std::make_unique<Module>()) {
  made_->file = made_->name = options.name;
}

std::unique_ptr<Module> Exporter::run() {
  if (module_.entry() == nullptr) throw Error("there is no function to export");
  const std::vector<ir::Function*> functions = reachable();
  for (const ir::Function* function : functions) names_[function] = unique(function->name());
  for (const ir::Function* function : functions) export_function(*function);
  return std::move(made_);
}

// The entry, called main, and all that is called from it: functions that are rules for derivatives are not.
std::vector<ir::Function*> Exporter::reachable() const {
  std::vector<ir::Function*> functions{module_.entry()};
  std::unordered_set<const ir::Function*> seen{module_.entry()};
  for (size_t next = 0; next < functions.size(); ++next) {
    ir::walk(functions[next]->body(), [&](const ir::Op& op) {
      if (!ops::is<ops::CallOp>(op)) return;
      ir::Function* callee = ops::callee_of(op);
      if (callee != nullptr && seen.insert(callee).second) functions.push_back(callee);
    });
  }
  return functions;
}

std::string Exporter::unique(const std::string& wish) {
  if (taken_.empty()) {  // the entry comes first
    taken_.insert("main");
    return "main";
  }
  std::string name = wish;
  for (int number = 1; !taken_.insert(name).second; ++number) name = wish + "_" + std::to_string(number);
  return name;
}

const Type* Exporter::type(const ir::TensorType& type) {
  const Type*& known = types_[{type.dtype, type.shape}];
  if (known == nullptr) known = made_->tensor(element_name(type.dtype), type.shape);
  return known;
}

const Type* Exporter::number_type(const std::string& element) {
  const Type*& known = number_types_[element];
  if (known != nullptr) return known;
  Type type;
  type.kind = Type::Kind::kScalar;
  type.element = element;
  return known = made_->add(std::move(type));
}

const Type* Exporter::index_list(int64_t length) {
  const Type*& known = number_types_["index " + std::to_string(length)];
  if (known == nullptr) known = made_->tensor("index", {length});
  return known;
}

Attribute Exporter::attribute(std::string_view text) {
  return read_attribute(text, made_);
}

const Location* Exporter::location(const ir::Op& op) {
  const ir::Provenance& from = op.provenance();
  if (from.file.empty() && from.also.empty()) return nullptr;
  const Location* where = lines(from);
  if (from.scope.empty()) return where;
  // As JAX names what stands in a scope.
  Location named;
  named.kind = Location::Kind::kName;
  named.name = "jit(main)/" + from.scope + "/" + std::string(op.name());
  const Location*& known = locations_[named.name + "\n" + ir::to_string(from)];
  if (known == nullptr) {
    named.parts.push_back(where);
    known = made_->add(std::move(named));
  }
  return known;
}

const Location* Exporter::lines(const ir::Provenance& provenance) {
  std::string key = provenance.file + ":" + std::to_string(provenance.line);
  for (const std::string& other : provenance.also) key += "\n" + other;
  const Location*& known = locations_[key];
  if (known != nullptr) return known;
  const Location* first = made_->add(file_location(provenance.file, provenance.line));
  if (provenance.also.empty()) return known = first;
  Location all;
  all.kind = Location::Kind::kFused;
  all.parts.push_back(first);
  for (const std::string& other : provenance.also) all.parts.push_back(made_->add(location_of(other)));
  return known = made_->add(std::move(all));
}

void Exporter::export_function(const ir::Function& function) {
  Function& made = made_->functions.emplace_back();
  made.name = names_.at(&function);
  made.is_private = &function != module_.entry();
  ExportFrame frame;
  frame.function = &made;
  frame.into = &made.body.operations;
  for (const ir::Value* argument : function.body().arguments()) {
    const ValueId id = made.add_value(type(argument->type()), argument->name());
    Location place;
    place.kind = Location::Kind::kName;
    place.name = argument->name();
    made.values.back().location = made_->add(std::move(place));
    made.body.arguments.push_back(id);
    frame.values[argument] = id;
    Attributes& attributes = made.argument_attributes.emplace_back();
    if (&function == module_.entry() && function.donated.contains(argument->index()))
      attributes.emplace_back("jax.buffer_donor", Attribute(true));
  }
  for (const ir::Value* result : function.body().results()) made.result_types.push_back(type(result->type()));
  made.result_attributes.resize(made.result_types.size());
  export_operations(function.body(), frame);
  Operation back;
  back.name = "func.return";
  for (const ir::Value* result : function.body().results()) back.operands.push_back(frame.values.at(result));
  made.body.operations.push_back(std::move(back));
}

void Exporter::export_operations(const ir::Region& region, ExportFrame& frame) {
  const Location* outer = frame.location;
  for (const auto& op : region.ops()) {
    if (op->is_return()) continue;
    if (const Location* own = location(*op)) frame.location = own;
    OpExport made(*this, frame, *op);
    try {
      const ExportRule rule = export_rule(op->record());
      if (rule == nullptr) {
        throw Error("StableHLO has no such operation: " + std::string(not_exported(op->name())));
      }
      rule(made);
    } catch (const Error& error) {
      const std::string text = error.what();
      if (text.starts_with("export: ")) throw;  // of an operation within it
      throw Error("export: " + ir::place_of(*op) + std::string(op->name()) + ": " + text);
    }
    frame.location = outer;
  }
}

const std::string& Exporter::decomposition(const std::string& key,
                                           const std::function<void(Function&, ExportFrame&)>& fill) {
  const auto found = decompositions_.find(key);
  if (found != decompositions_.end()) return found->second;
  const std::string& name = decompositions_[key] = unique(key);
  Function made;
  made.name = name;
  made.is_private = true;
  ExportFrame frame;
  frame.function = &made;
  frame.into = &made.body.operations;
  fill(made, frame);
  made.argument_attributes.resize(made.body.arguments.size());
  made.result_attributes.resize(made.result_types.size());
  made_->functions.push_back(std::move(made));
  return name;
}

}  // namespace ingot::stablehlo
