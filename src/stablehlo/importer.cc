// Functions, in an order in which callees come first, and the way from an operation to its rule.
#include "stablehlo/importer.h"

#include <algorithm>
#include <unordered_set>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ir/depth.h"
#include "ir/op_record.h"
#include "ir/verifier.h"

namespace ingot::stablehlo {
namespace {

const std::string* name_in(const Location* location, int depth = 0) {
  if (!location || depth > 2 * kMostNested) return nullptr;
  if (location->kind == Location::Kind::kName) return &location->name;
  return location->parts.empty() ? nullptr : name_in(location->parts.front(), depth + 1);
}

// The scopes of a name as JAX gives it, "jit(f)/encoder/attention/dot_general", between the traced function
// and the operation; within functions that others call there is no "jit(f)".
std::string scope_of(const Location* location) {
  const std::string* name = name_in(location);
  const size_t end = name ? name->rfind('/') : std::string::npos;
  if (end == std::string::npos) return "";
  size_t begin = 0;
  if (name->starts_with("jit(")) begin = std::min(name->find('/') + 1, end);
  return name->substr(begin, end - begin);
}

// A name as Ingot's text writes names without quotes.
std::string plain(std::string_view name) {
  constexpr size_t kLongest = 200;
  std::string result;
  for (char c : name.substr(0, kLongest)) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (fine) {
      result += c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result.empty() ? "f" : result;
}

// The functions that an operation names.
std::vector<std::string> callees_of(const Operation& operation) {
  std::vector<std::string> names;
  for (const char* attribute : {"callee", "decomposition"}) {
    const Attribute* named = find(operation.attributes, attribute);
    if (named && word(*named)) names.push_back(*word(*named));
  }
  return names;
}

// What JAX computes sizes with.
bool is_whole_number(const Type& type) {
  if (!type.is_tensor() || !type.ranked || !type.shape.empty()) return false;
  const std::optional<DType> dtype = dtype_of(type);
  return dtype && (is_integer(*dtype) || *dtype == DType::kPred);
}

// Without its dialect.
std::string short_name(const std::string& operation) {
  return operation.substr(operation.find('.') + 1);
}

bool is_return(const Operation& operation) {
  return operation.name.ends_with(".return");
}

bool is_open(const Type& type) {
  if (type.kind == Type::Kind::kTuple)
    return std::any_of(type.parts.begin(), type.parts.end(), [](const Type* part) { return is_open(*part); });
  return type.is_tensor() && !type.is_static();
}

}  // namespace

const Function& entry_of(const Module& module, bool first) {
  std::vector<const Function*> all;
  for (const Function& function : module.functions) {
    if (function.name == "main") return function;
    if (!function.is_private) all.push_back(&function);
  }
  if (all.empty()) throw Error(module.file + ": there is no public function in the module");
  if (all.size() == 1 || first) return *all.front();
  constexpr size_t kMostNamed = 8;
  std::string names;
  for (size_t i = 0; i < std::min(all.size(), kMostNamed); ++i)
    names += (i == 0 ? "@" : ", @") + all[i]->name;
  if (all.size() > kMostNamed) names += " and " + std::to_string(all.size() - kMostNamed) + " others";
  throw Error(module.file + ": the module has the public functions " + names +
              ", and none is called @main; the one that is to run should be, or the others be private");
}

bool has_open_arguments(const Module& module) {
  const Function& entry = entry_of(module);
  return std::any_of(entry.body.arguments.begin(), entry.body.arguments.end(),
                     [&](ValueId id) { return is_open(entry.type_of(id)); });
}

// Around a function of symbolic shapes jax.export puts one that finds the sizes, and names nothing.
constexpr std::string_view kWrapped = "_wrapped_jax_export_main";

std::string argument_name(const Module& module, const Function& function, size_t i) {
  return argument_name(function, i, module.find(kWrapped));
}

std::string argument_name(const Function& function, size_t i, const Function* wrapped) {
  const ValueId id = function.body.arguments[i];
  const std::string* given = name_in(function.values[static_cast<size_t>(id)].location);
  if (given == nullptr && wrapped != nullptr) {
    for (const Operation& operation : function.body.operations) {
      const Attribute* callee = find(operation.attributes, "callee");
      const auto place = std::find(operation.operands.begin(), operation.operands.end(), id);
      if (callee == nullptr || word(*callee) != kWrapped || place == operation.operands.end()) continue;
      const auto there = static_cast<size_t>(place - operation.operands.begin());
      if (there >= wrapped->body.arguments.size()) continue;
      given = name_in(wrapped->values[static_cast<size_t>(wrapped->body.arguments[there])].location);
    }
  }
  if (given == nullptr && i < function.argument_attributes.size()) {  // "_platform_index"
    if (const Attribute* constant = find(function.argument_attributes[i], "jax.global_constant"))
      return plain(word(*constant).value_or("arg" + std::to_string(i)));
  }
  return plain(given ? *given : "arg" + std::to_string(i));
}

std::string types_of(const std::vector<ir::Value*>& arrays) {
  std::string text;
  for (const ir::Value* array : arrays) text += (text.empty() ? "" : ", ") + ir::to_string(array->type());
  return "(" + text + ")";
}

std::string types_of(const Function& function, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId id : values) text += (text.empty() ? "" : ", ") + to_string(function.type_of(id));
  return "(" + text + ")";
}

Imported import_module(const Module& module, const ImportOptions& options) {
  return Importer(module, options).run();
}

Importer::Importer(const Module& module, const ImportOptions& options) : module_(module), options_(options) {
  for (const Function& function : module.functions) by_name_.emplace(function.name, &function);
  entry_ = &entry_of(module, options.checks);
  const auto insert_open = [&](const auto& of_values) {
    for (const Function& function : module.functions) {
      if (of_values(function.values)) open_.insert(&function);
    }
  };
  insert_open([](const auto& values) {
    return std::any_of(values.begin(), values.end(), [](const Value& v) { return is_open(*v.type); });
  });
  if (open_.empty()) return;
  insert_open([](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](const Value& v) { return is_whole_number(*v.type); });
  });
}

Imported Importer::run() {
  imported_.module = std::make_unique<ir::Module>();
  std::vector<const Function*> order = in_order();
  std::erase_if(order,
                [&](const Function* function) { return function != entry_ && open_.contains(function); });
  declare(*entry_);
  for (const Function* function : order) {
    if (function != entry_) declare(*function);
  }
  ir::Depths depths;
  for (const Function* function : order) {  // callees first: what is too deep is refused where it becomes so
    import_function(*function);
    if (depths.of(*made_.at(function)) > ir::kMostNested) {
      throw Error(place(*function) + ": regions and calls in it are nested more than " +
                  std::to_string(ir::kMostNested) + " deep");
    }
  }
  if (options_.checks) made_.at(entry_)->body().set_results(checked_);
  ir::want_stack(*imported_.module);
  ir::verify(*imported_.module);
  return std::move(imported_);
}

// The functions that the entry needs, callees before callers. By an explicit stack: chains may be long.
std::vector<const Function*> Importer::in_order() {
  struct Step {
    const Function* function;
    std::vector<std::string> callees;
    size_t next = 0;
  };
  std::vector<const Function*> order;
  std::unordered_set<const Function*> begun, done;
  const auto begin = [&](const Function* function) {
    Step step{function, {}};
    walk(function->body, [&](const Operation& operation) {
      for (std::string& name : callees_of(operation)) step.callees.push_back(std::move(name));
    });
    begun.insert(function);
    return step;
  };
  std::vector<Step> stack;
  stack.push_back(begin(entry_));
  while (!stack.empty()) {
    Step& top = stack.back();
    if (top.next == top.callees.size()) {
      done.insert(top.function);
      order.push_back(top.function);
      stack.pop_back();
      continue;
    }
    const auto found = by_name_.find(top.callees[top.next++]);
    if (found == by_name_.end() || done.count(found->second))
      continue;  // one that is missing: its rule's Error
    if (!begun.insert(found->second).second) {
      throw Error(place(*found->second) + " calls itself, directly or through others");
    }
    stack.push_back(begin(found->second));
  }
  return order;
}

const Function* Importer::function(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::optional<std::vector<Bound>> Importer::in_line(const std::string& name,
                                                    const std::vector<ir::Value*>& arrays, Frame& frame) {
  constexpr int64_t kMostOperations = 1 << 20;
  const Function* callee = function(name);
  if (callee == nullptr || !open_.contains(callee)) return std::nullopt;
  in_line_operations_ += static_cast<int64_t>(callee->body.operations.size());
  if (in_line_depth_ == kMostNested || in_line_operations_ > kMostOperations)
    throw Error("calls of functions with open extents are nested too deep, or too many");
  check_returns(callee->body.operations);
  Frame inner;
  inner.region = frame.region;
  size_t next = 0;
  for (const ValueId id : callee->body.arguments) {
    std::optional<Bound> bound = bound_of(callee->type_of(id), arrays, next);
    if (!bound) throw Error("the arguments are not those of @" + name);
    inner.values[id] = std::move(*bound);
  }
  if (next != arrays.size()) throw Error("the arguments are not those of @" + name);
  ++in_line_depth_;
  const std::vector<Operation>& operations = callee->body.operations;
  for (size_t i = 0; i + 1 < operations.size(); ++i) import_operation(operations[i], *callee, inner);
  --in_line_depth_;
  std::vector<Bound> results;
  const OpImport back(*this, *callee, operations.back(), inner);
  for (size_t i = 0; i < back.operand_count(); ++i) results.push_back(back.bound(i));
  return results;
}

ir::Function* Importer::callee(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  const auto made = made_.find(found->second);
  return made == made_.end() ? nullptr : made->second;
}

void Importer::declare(const Function& function) {
  made_[&function] =
      imported_.module->add_function(plain(&function == entry_ ? options_.entry : function.name));
}

void Importer::import_function(const Function& function) {
  const std::string where = place(function);
  if (function.body.operations.empty()) throw Error(where + ": the function has no body");
  if (!is_return(function.body.operations.back()))
    throw Error(where + ": the function does not end in a return");
  ir::Function* made = made_.at(&function);
  Frame frame;
  frame.region = &made->body();
  const Function* wrapped = this->function(std::string(kWrapped));
  for (size_t i = 0; i < function.body.arguments.size(); ++i) {
    const ValueId id = function.body.arguments[i];
    const Value& value = function.values[static_cast<size_t>(id)];
    try {
      frame.values[id] =
          add_argument(made->body(), *value.type, argument_name(function, i, wrapped),
                       &function == entry_ ? options_.arguments : std::vector<ir::TensorType>());
    } catch (const Error& error) {
      throw Error(where + ": argument " + std::to_string(i) + ": " + error.what());
    }
    if (&function == entry_ && frame.values[id].value && i < function.argument_attributes.size()) {
      const Attributes& attributes = function.argument_attributes[i];
      const Attribute* donor = find(attributes, "jax.buffer_donor");
      if (find(attributes, "tf.aliasing_output") || (donor && integer(*donor).value_or(0) != 0)) {
        made->donated.insert(made->body().argument_count() - 1);
      }
    }
  }
  import_operations(function.body.operations, function, frame);
  if (options_.checks && &function == entry_) return;
  const std::vector<ir::Value*> results(made->body().results().begin(), made->body().results().end());
  size_t next = 0;
  for (size_t i = 0; i < function.result_types.size(); ++i) {
    if (bound_of(*function.result_types[i], results, next)) continue;
    if (next >= results.size()) break;
    throw Error(where + ": result " + std::to_string(i) + " is " + ir::to_string(results[next]->type()) +
                ", but the function's type says " + to_string(*function.result_types[i]));
  }
  if (next != results.size() || results.size() < function.result_types.size()) {
    throw Error(where + ": the function returns " + std::to_string(results.size()) +
                " arrays, but its type says " + std::to_string(function.result_types.size()));
  }
}

Bound Importer::add_argument(ir::Region& body, const Type& type, const std::string& name,
                             const std::vector<ir::TensorType>& given) const {
  if (type.kind == Type::Kind::kToken) return {};
  if (type.kind != Type::Kind::kTuple) {
    const auto number = static_cast<size_t>(body.argument_count());
    if (!type.is_tensor() || type.is_static() || number >= given.size())
      return {body.add_argument(tensor_type(type), name), nullptr};
    if (!fits(type, given[number]))
      throw Error("it is a " + to_string(type) + ", but this is a " + ir::to_string(given[number]));
    return {body.add_argument(given[number], name), nullptr};
  }
  Bound tuple;
  tuple.tuple = std::make_shared<std::vector<Bound>>();
  for (size_t i = 0; i < type.parts.size(); ++i)
    tuple.tuple->push_back(add_argument(body, *type.parts[i], name + "_" + std::to_string(i), given));
  return tuple;
}

bool Importer::fits(const Type& type, const ir::TensorType& array) const {
  if (!type.is_tensor() || dtype_of(type) != array.dtype) return false;
  return !type.ranked ||
         std::equal(type.shape.begin(), type.shape.end(), array.shape.begin(), array.shape.end(),
                    [](int64_t said, int64_t is) { return said == Type::kDynamic || said == is; });
}

std::optional<Bound> Importer::bound_of(const Type& type, const std::vector<ir::Value*>& arrays,
                                        size_t& next) const {
  if (type.kind == Type::Kind::kToken) return Bound();
  if (type.kind != Type::Kind::kTuple) {
    if (next >= arrays.size() || !fits(type, arrays[next]->type())) return std::nullopt;
    return Bound{arrays[next++], nullptr};
  }
  Bound tuple;
  tuple.tuple = std::make_shared<std::vector<Bound>>();
  for (const Type* part : type.parts) {
    std::optional<Bound> bound = bound_of(*part, arrays, next);
    if (!bound) return std::nullopt;
    tuple.tuple->push_back(std::move(*bound));
  }
  return tuple;
}

void Importer::import_operations(const std::vector<Operation>& operations, const Function& function,
                                 Frame& frame) {
  check_returns(operations);
  for (const Operation& operation : operations) import_operation(operation, function, frame);
}

// What holds the operations tells its place.
void Importer::check_returns(const std::vector<Operation>& operations) const {
  for (const Operation& operation : operations) {
    if (is_return(operation) && &operation != &operations.back())
      throw Error(place(operation) + ": it is not the last operation of its region");
  }
  if (operations.empty() || !is_return(operations.back()))
    throw Error("a region of it does not end in a return");
}

void Importer::import_operation(const Operation& operation, const Function& function, Frame& frame) {
  const Rule rule = rule_of(operation.name);
  OpImport op(*this, function, operation, frame);
  if (!rule && operation.name.starts_with("sdy.")) op.refuse(std::string(kOneDevice));
  if (!rule) op.refuse("Ingot has no such operation yet");
  try {
    rule(op);
    if (open_.contains(&function) || op.takes_sizes()) op.fold_sizes();
  } catch (const Error& error) {
    std::string text = error.what();
    // Of Ingot's operations that it becomes: the user wrote this one.
    const std::string own = ir::line_of(provenance(operation));
    if (text.starts_with(own)) {
      text.erase(0, own.size());
      for (std::string same : {std::string(record_named(operation.name)), short_name(operation.name)}) {
        if (!same.empty() && text.starts_with(same + ": ")) text.erase(0, same.size() + 2);
      }
      throw Error(place(operation) + ": " + text);
    }
    if (text.starts_with(module_.file + ":")) throw;  // of an operation within it
    throw Error(place(operation) + ": " + text);
  }
}

// Locations share their parts: what was found for one with many is kept.
const Location* Importer::file_of(const Location* location) const {
  while (location && location->kind != Location::Kind::kFile && location->parts.size() == 1)
    location = location->parts.front();
  if (!location || location->kind == Location::Kind::kFile || location->parts.empty())
    return location && location->kind == Location::Kind::kFile ? location : nullptr;
  const auto [known, fresh] = files_.try_emplace(location, nullptr);
  if (!fresh) return known->second;
  const Location* found = nullptr;
  for (const Location* part : location->parts) {
    if ((found = file_of(part)) != nullptr) break;
  }
  files_[location] = found;
  return found;
}

std::string Importer::place(const Function& function) const {
  return module_.file +
         (function.line ? ":" + std::to_string(function.line) + ":" + std::to_string(function.column) : "") +
         ": @" + function.name;
}

std::string Importer::place(const Operation& operation) const {
  std::string text = module_.file;
  if (operation.line != 0) {
    text += ":" + std::to_string(operation.line) + ":" + std::to_string(operation.column);
  }
  text += ": " + operation.name;
  if (const Location* file = file_of(operation.location)) {
    text += " (from " + file->name + ":" + std::to_string(file->line) + ")";
  }
  return text;
}

ir::Provenance Importer::provenance(const Operation& operation) const {
  const std::string scope = scope_of(operation.location);
  if (const Location* file = file_of(operation.location)) return {file->name, file->line, "", "", {}, scope};
  return {module_.file, operation.line, "", "", {}, scope};
}

ir::TensorType Importer::tensor_type(const Type& type) const {
  if (!type.is_tensor()) throw Error("a " + to_string(type) + " is no array");
  if (!type.is_static())
    throw Error(
        to_string(type) +
        " has extents that are open: they are those of the arrays that a call of what ingot::load returns "
        "is given, or of --shapes or --args of the command; or export the function for arrays of fixed "
        "shapes");
  const std::optional<DType> dtype = dtype_of(type);
  if (!dtype) {
    throw Error("Ingot has no elements of type " + type.element + " (in " + to_string(type) +
                "); see docs/conformance.md");
  }
  element_count(type.shape);  // an Error where there are too many
  return {*dtype, type.shape};
}

void Importer::add_check(Check check, ir::Value* actual, ir::Value* expected) {
  imported_.checks.push_back(std::move(check));
  checked_.push_back(actual);
  checked_.push_back(expected);
}

std::vector<ir::Value*> Importer::lift(const std::string& name) {
  std::vector<ir::Value*> arguments;
  for (Tensor& tensor : interpret(*callee(name), std::vector<Tensor>{})) {
    const ir::TensorType type{tensor.dtype(), tensor.shape()};
    arguments.push_back(
        made_.at(entry_)->body().add_argument(type, "input" + std::to_string(imported_.inputs.size())));
    imported_.inputs.push_back(std::move(tensor));
  }
  return arguments;
}

}  // namespace ingot::stablehlo
