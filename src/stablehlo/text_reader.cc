// The module, functions and operations of MLIR text.
#include "stablehlo/text_reader.h"

#include <algorithm>
#include <utility>

#include "ingot/error.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {

namespace {

// Some editors put a mark of the encoding before the text.
std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

}  // namespace

std::unique_ptr<Module> read_text(std::string_view text, std::string_view file) {
  return TextReader(without_mark(text), file).read();
}

Attribute read_attribute(std::string_view text, std::unique_ptr<Module>& module) {
  return TextReader(text, "<attribute>").read_attribute(module);
}

bool looks_like_text(std::string_view text) {
  text = without_mark(text);
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
      continue;
    }
    const std::string_view rest = text.substr(at);
    if (c == '#' || c == '!' || rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const auto begins = [&](std::string_view word) {
      return rest.starts_with(word) && (rest.size() == word.size() || rest[word.size()] <= ' ');
    };
    return c == '"' || begins("module") || begins("builtin.module") || begins("func.func");
  }
  return false;
}

TextReader::TextReader(std::string_view text, std::string_view file)
    : scanner_(text, file), module_(std::make_unique<Module>()) {
  module_->file = std::string(file);
}

TextReader::Level::Level(TextReader& reader) : reader_(&reader) {
  if (reader.depth_ >= 4 * kMostNested) {
    reader.scanner_.fail(reader.scanner_.position(), "the text is nested too deeply");
  }
  ++reader.depth_;
  reader.deepest_ = std::max(reader.deepest_, reader.depth_);
}

template <class Read>
auto TextReader::measured(const Read& read) -> Alias<decltype(read())> {
  const uint64_t before = parts_;
  const int deepest = std::exchange(deepest_, depth_);
  Alias<decltype(read())> alias{read(), {}};
  alias.extent = {deepest_ - depth_, parts_ - before};
  deepest_ = std::max(deepest, deepest_);
  return alias;
}

// For one more type or attribute at this place, or what stands for an alias. What a text means may be so many
// times as large as it is itself.
void TextReader::pay(const Extent& extent, size_t position) {
  constexpr uint64_t kPerByte = 4;
  deepest_ = std::max(deepest_, depth_ + extent.depth);
  if (deepest_ > 4 * kMostNested) scanner_.fail(position, "what this alias stands for is nested too deeply");
  parts_ += extent.parts;
  if (parts_ > kMostParts + kPerByte * scanner_.text().size())
    scanner_.fail(position, "what the aliases up to here stand for has too many parts");
}

std::unique_ptr<Module> TextReader::read() {
  module_body('\0');
  check_locations();
  return std::move(module_);
}

Attribute TextReader::read_attribute(std::unique_ptr<Module>& module) {
  module_.swap(module);
  Attribute read = attribute();
  if (!scanner_.at_end()) scanner_.expected("the end of the attribute");
  module_.swap(module);
  return read;
}

// --- the module

void TextReader::module_body(char close) {
  while (true) {
    if (close != '\0' && scanner_.accept(std::string_view(&close, 1))) return;
    if (scanner_.at_end()) {
      if (close != '\0') scanner_.expected("a function, or the '}' of the module");
      return;
    }
    if (!module_item()) scanner_.expected("a module, a function or an alias");
  }
}

bool TextReader::module_item() {
  const size_t start = scanner_.position();
  const char next = scanner_.peek();
  if (next == '#' || next == '!') {
    alias();
    return true;
  }
  if (next == '"') {
    generic_module_item();
    return true;
  }
  if (scanner_.accept_word("module") || scanner_.accept_word("builtin.module")) {
    named_module();
    return true;
  }
  if (scanner_.accept_word("func.func")) {
    function(start);
    return true;
  }
  if (scanner_.sees_word("sdy.mesh")) {
    Operation mesh;
    mesh.name = std::string(scanner_.word("an operation"));
    const std::string symbol = scanner_.symbol("the mesh's name");
    mesh.attributes.emplace_back("sym_name", Attribute(symbol));
    scanner_.expect("=", "after the mesh's name");
    const size_t mesh_at = scanner_.position();
    scanner_.expect("<", "of the mesh");
    scanner_.balanced('>', "the mesh");
    mesh.attributes.emplace_back("mesh",
                                 Attribute(Opaque{"#sdy.mesh" + std::string(scanner_.from(mesh_at))}));
    optional_dictionary(mesh.attributes);
    mesh.location = optional_location();
    module_->others.push_back(std::move(mesh));
    return true;
  }
  if (scanner_.accept("{-#")) {  // resources: JAX writes none
    const size_t end = scanner_.text().find("#-}", scanner_.position());
    if (end == std::string_view::npos) scanner_.expected("the '#-}' that ends the resources");
    scanner_.go_to(end + 3);
    return true;
  }
  return false;
}

// #loc3 = loc(...), #map = ..., !t = tensor<2xf32>
void TextReader::alias() {
  const size_t start = scanner_.position();
  const bool of_type = scanner_.peek() == '!';
  const std::string_view name = scanner_.name(of_type ? '!' : '#', "an alias");
  scanner_.expect("=", "after the name of an alias");
  if (of_type) {
    if (!type_aliases_.emplace(name, measured([&] { return type(); })).second) {
      scanner_.fail(start, "!" + std::string(name) + " is defined twice");
    }
  } else if (scanner_.sees_word("loc")) {
    const size_t at = scanner_.position();
    scanner_.accept_word("loc");
    scanner_.expect("(", "of the location");
    Location location = location_itself();
    scanner_.expect(")", "after the location");
    define_location(name, std::move(location), scanner_.from(at), start);
  } else if (const LocationAlias* other = sees_location(); other != nullptr) {  // #loc2 = #loc1
    define_location(name, location_itself(), other->text, start);
  } else if (!attribute_aliases_.emplace(name, measured([&] { return attribute(); })).second) {
    scanner_.fail(start, "#" + std::string(name) + " is defined twice");
  }
}

void TextReader::named_module() {
  const Level level(*this);
  if (scanner_.peek() == '@') module_->name = scanner_.symbol("the module's name");
  if (scanner_.accept_word("attributes")) optional_dictionary(module_->attributes);
  scanner_.expect("{", "before the functions of the module");
  module_body('}');
  optional_location();
}

void TextReader::add_function(Function function, size_t position) {
  if (!functions_.emplace(function.name, 1).second) {
    scanner_.fail(position, "there are two functions @" + function.name);
  }
  module_->functions.push_back(std::move(function));
}

// --- functions

TextReader::Argument TextReader::argument(bool with_attributes) {
  Argument read;
  read.position = scanner_.position();
  read.name = scanner_.name('%', "an argument");
  scanner_.expect(":", "after the name of an argument");
  read.type = type();
  if (with_attributes) optional_dictionary(read.attributes);
  read.location = optional_location();
  return read;
}

ValueId TextReader::add_argument(const Argument& argument) {
  const ValueId id = function_->add_value(argument.type, std::string(argument.name));
  function_->values.back().location = argument.location;
  define(argument.name, id, 1, argument.position);
  return id;
}

void TextReader::function(size_t start) {
  Function function;
  const Scanner::Place place = scanner_.place_of(start);  // ahead of those in it: places come in order
  function.line = place.line;
  function.column = place.column;
  if (scanner_.accept_word("private")) {
    function.is_private = true;
  } else if (!scanner_.accept_word("public")) {
    function.is_private = scanner_.accept_word("nested");
  }
  function.name = scanner_.symbol("the function's name");
  std::vector<Argument> arguments;
  scanner_.expect("(", "before the arguments");
  bool declares = false;  // types without names
  if (!scanner_.accept(")")) {
    declares = scanner_.peek() != '%';
    do {
      if (declares) {
        Argument unnamed;
        unnamed.type = type();
        optional_dictionary(unnamed.attributes);
        arguments.push_back(std::move(unnamed));
      } else {
        arguments.push_back(argument(true));
      }
    } while (scanner_.accept(","));
    scanner_.expect(")", "after the arguments");
  }
  if (scanner_.accept("->")) {
    const auto result = [&] {
      function.result_types.push_back(type());
      optional_dictionary(function.result_attributes.emplace_back());
    };
    if (scanner_.peek() != '(') {  // one, whose attributes would look like the body
      function.result_types.push_back(type());
      function.result_attributes.emplace_back();
    } else if (scanner_.accept("("); !scanner_.accept(")")) {
      do {
        result();
      } while (scanner_.accept(","));
      scanner_.expect(")", "after the results");
    }
  }
  if (scanner_.accept_word("attributes")) optional_dictionary(function.attributes);
  function_ = &function;
  {
    const Scope scope(*this);
    for (Argument& argument : arguments) {
      function.body.arguments.push_back(declares ? function.add_value(argument.type)
                                                 : add_argument(argument));
      function.argument_attributes.push_back(std::move(argument.attributes));
    }
    if (scanner_.accept("{")) {
      if (declares) scanner_.fail(start, "a function with a body has names for its arguments");
      operations_until_close(function.body);
    }
  }
  function_ = nullptr;
  function.location = optional_location();
  add_function(std::move(function), start);
}

// "builtin.module"() ({...}) and "func.func"() <{...}> ({...})
void TextReader::generic_module_item() {
  const Level level(*this);
  const size_t start = scanner_.position();
  const std::string name = scanner_.string("an operation");
  if (name == "builtin.module") {
    scanner_.expect("(", "after the operation");
    scanner_.expect(")", "after the operation");
    Attributes attributes;
    if (scanner_.accept("<")) {
      optional_dictionary(attributes);
      scanner_.expect(">", "after the properties");
    }
    if (const Attribute* symbol = stablehlo::find(attributes, "sym_name"))
      module_->name = word(*symbol).value_or("");
    scanner_.expect("(", "before the region of the module");
    scanner_.expect("{", "before the functions of the module");
    if (scanner_.peek() == '^') {
      scanner_.name('^', "a block");
      scanner_.expect(":", "after the name of the block");
    }
    module_body('}');
    scanner_.expect(")", "after the region of the module");
    optional_dictionary(module_->attributes);
    scanner_.expect(":", "before the type of the module");
    signature();
    optional_location();
    return;
  }
  Function holder;
  function_ = &holder;
  const Scanner::Place place = scanner_.place_of(start);
  Operation operation;
  operation.name = name;
  std::vector<const Type*> results;
  {
    const Scope scope(*this);
    generic_form(operation, results);
  }
  function_ = nullptr;
  operation.location = optional_location();
  if (name == "func.func") {
    Function function = generic_function(operation, start);
    function.values = std::move(holder.values);
    function.line = place.line;
    function.column = place.column;
    add_function(std::move(function), start);
  } else if (!operation.regions.empty()) {
    scanner_.fail(start, "expected a function, found the operation " + name);
  } else {
    module_->others.push_back(std::move(operation));
  }
}

Function TextReader::generic_function(const Operation& operation, size_t position) {
  Function function;
  const auto take = [&](const std::string& name, std::vector<Attributes>& lists, size_t count) {
    lists.resize(count);
    const Attribute* attribute = stablehlo::find(operation.attributes, name);
    const auto* array = attribute ? attribute->as<Attribute::Array>() : nullptr;
    for (size_t i = 0; array && i < std::min(count, array->size()); ++i) {
      if (const auto* one = (*array)[i].as<Attributes>()) lists[i] = *one;
    }
  };
  const Attribute* symbol = stablehlo::find(operation.attributes, "sym_name");
  const Attribute* type = stablehlo::find(operation.attributes, "function_type");
  const auto* signature = type ? type->as<const Type*>() : nullptr;
  if (!symbol || !word(*symbol) || !signature || (*signature)->kind != Type::Kind::kFunction) {
    scanner_.fail(position, "a function has the attributes sym_name and function_type");
  }
  function.name = *word(*symbol);
  const Attribute* visibility = stablehlo::find(operation.attributes, "sym_visibility");
  function.is_private = visibility && word(*visibility) != "public";
  function.result_types = (*signature)->results;
  if (operation.regions.size() != 1) scanner_.fail(position, "a function has one region");
  function.body = operation.regions.front();
  take("arg_attrs", function.argument_attributes, (*signature)->parts.size());
  take("res_attrs", function.result_attributes, function.result_types.size());
  if (!function.body.operations.empty() && function.body.arguments.size() != (*signature)->parts.size()) {
    scanner_.fail(position, "the block of @" + function.name + " has not as many arguments as its type");
  }
  function.argument_attributes.resize(function.body.arguments.size());
  function.location = operation.location;
  return function;
}

// --- names

TextReader::Scope::~Scope() {
  while (reader_->hidden_.size() > mark_) {
    const auto& [name, before] = reader_->hidden_.back();
    if (before.count == 0) {
      reader_->names_.erase(name);
    } else {
      reader_->names_[name] = before;
    }
    reader_->hidden_.pop_back();
  }
}

void TextReader::define(std::string_view name, ValueId first, int count, size_t position) {
  const auto [entry, fresh] = names_.try_emplace(name, Named{first, count});
  if (!fresh) scanner_.fail(position, "%" + std::string(name) + " is defined twice");
  hidden_.emplace_back(name, Named{});
}

TextReader::Use TextReader::use(bool numbered) {
  Use use;
  use.position = scanner_.position();
  use.name = scanner_.name('%', "an operand such as %0");
  int64_t number = 0;
  if (numbered && scanner_.accept_now('#')) number = scanner_.integer("the number of a result");
  const auto found = names_.find(use.name);
  if (found == names_.end()) {
    scanner_.fail(use.position, "there is no value %" + std::string(use.name) + " before this place");
  }
  if (number < 0 || number >= found->second.count) {
    scanner_.fail(use.position, "%" + std::string(use.name) + " has " + std::to_string(found->second.count) +
                                    " results, and none with the number " + std::to_string(number));
  }
  use.id = found->second.first + static_cast<ValueId>(number);
  return use;
}

std::vector<TextReader::Use> TextReader::uses_until(char close) {
  std::vector<Use> uses;
  const std::string_view bracket(&close, 1);
  if (scanner_.accept(bracket)) return uses;
  do {
    uses.push_back(use());
  } while (scanner_.accept(","));
  scanner_.expect(bracket, "after the operands");
  return uses;
}

void TextReader::set_operands(Operation& operation, const std::vector<Use>& uses,
                              const std::vector<const Type*>& types, size_t position) {
  if (uses.size() != types.size()) {
    scanner_.fail(position, operation.name + " has " + std::to_string(uses.size()) + " operands, but " +
                                std::to_string(types.size()) + " types for them");
  }
  operation.operands.reserve(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!same(*types[i], *type_of(uses[i]))) {
      scanner_.fail(uses[i].position, operation.name + ": %" + std::string(uses[i].name) + " is a " +
                                          to_string(*type_of(uses[i])) + ", not a " + to_string(*types[i]));
    }
    operation.operands.push_back(uses[i].id);
  }
}

// --- operations

Operation TextReader::operation() {
  const Level level(*this);
  const size_t start = scanner_.position();
  Operation operation;
  const Scanner::Place place = scanner_.place_of(start);
  operation.line = place.line;
  operation.column = place.column;
  std::vector<ResultName> names;
  if (scanner_.peek() == '%') {
    constexpr int64_t kMostResults = 1 << 20;
    do {
      ResultName result;
      result.position = scanner_.position();
      result.name = scanner_.name('%', "a result");
      if (scanner_.accept(":")) {
        const int64_t count = scanner_.integer("how many results there are");
        if (count < 1 || count > kMostResults)
          scanner_.fail(result.position, "there are 1 to 1048576 results");
        result.count = static_cast<int>(count);
      }
      names.push_back(result);
    } while (scanner_.accept(","));
    scanner_.expect("=", "after the results");
  }
  const size_t name_at = scanner_.position();
  std::vector<const Type*> results;
  if (scanner_.peek() == '"') {
    operation.name = scanner_.string("an operation");
    generic_form(operation, results);
  } else {
    operation.name = std::string(scanner_.word("an operation"));
    if (operation.name == "call" || operation.name == "return") operation.name = "func." + operation.name;
    pretty_form(operation, results, name_at);
  }
  operation.location = optional_location();
  for (Region& region : operation.regions) {  // what a short form implies stands where the form does
    for (Operation& inner : region.operations) {
      if (!inner.location) inner.location = operation.location;
    }
  }
  define_results(operation, names, results, start);
  return operation;
}

void TextReader::define_results(Operation& operation, const std::vector<ResultName>& names,
                                const std::vector<const Type*>& types, size_t position) {
  size_t count = 0;
  for (const ResultName& name : names) count += static_cast<size_t>(name.count);
  if (!names.empty() && count != types.size()) {
    scanner_.fail(position, operation.name + " has " + std::to_string(types.size()) +
                                " results, but names for " + std::to_string(count));
  }
  const auto first = static_cast<ValueId>(function_->values.size());
  for (const Type* type : types) operation.results.push_back(function_->add_value(type));
  ValueId next = first;
  for (const ResultName& name : names) {
    function_->values[static_cast<size_t>(next)].name = std::string(name.name);
    define(name.name, next, name.count, name.position);
    next += name.count;
  }
}

// (%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types, behind the name
void TextReader::generic_form(Operation& operation, std::vector<const Type*>& results) {
  scanner_.expect("(", "before the operands");
  const size_t operands_at = scanner_.position();
  const std::vector<Use> uses = uses_until(')');
  if (scanner_.accept("["))
    scanner_.expected("no successors: control flow between blocks is not StableHLO's");
  if (scanner_.accept("<")) {
    dictionary(operation.attributes);
    scanner_.expect(">", "after the properties");
  }
  if (scanner_.accept("(")) generic_regions(operation);
  optional_dictionary(operation.attributes);
  scanner_.expect(":", "before the operation's type");
  Signature types = signature();
  set_operands(operation, uses, types.from, operands_at);
  results = std::move(types.to);
}

void TextReader::generic_regions(Operation& operation) {
  do {
    scanner_.expect("{", "before a region");
    operation.regions.push_back(region({}));
  } while (scanner_.accept(","));
  scanner_.expect(")", "after the regions");
}

Region TextReader::region(const std::vector<Argument>& arguments) {
  const Level level(*this);
  const Scope scope(*this);
  Region region;
  for (const Argument& argument : arguments) region.arguments.push_back(add_argument(argument));
  if (scanner_.peek() == '^') {
    scanner_.name('^', "a block");
    if (scanner_.accept("(")) {
      if (!arguments.empty()) scanner_.expected("no arguments: the operation has named them");
      if (!scanner_.accept(")")) {
        do {
          region.arguments.push_back(add_argument(argument(false)));
        } while (scanner_.accept(","));
        scanner_.expect(")", "after the arguments of the block");
      }
    }
    scanner_.expect(":", "after the name of the block");
  }
  operations_until_close(region);
  return region;
}

void TextReader::operations_until_close(Region& region) {
  while (!scanner_.accept("}")) {
    if (scanner_.peek() == '^') scanner_.expected("'}': regions have one block");
    if (scanner_.at_end()) scanner_.expected("an operation, or the '}' of the region");
    region.operations.push_back(operation());
  }
}

}  // namespace ingot::stablehlo
