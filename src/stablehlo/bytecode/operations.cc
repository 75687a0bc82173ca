// The module, its functions, and their operations and regions.
#include <algorithm>
#include <unordered_set>

#include "ingot/error.h"
#include "stablehlo/bytecode/bytecode.h"
#include "stablehlo/bytecode/names.h"
#include "stablehlo/bytecode/reader.h"

namespace ingot::stablehlo {
namespace {

enum Mask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasOrders = 32,
  kHasProperties = 64,
};

constexpr std::string_view kVhlo = "vhlo.";

// vhlo.add_v1 -> stablehlo.add; what others have as functions and calls is of the dialect func.
std::string neutral_name(const std::string& name, bool in_function) {
  if (!name.starts_with(kVhlo)) return name;
  const std::string own(without_version(std::string_view(name).substr(kVhlo.size())));
  const bool of_func = own == "func" || own == "call" || (own == "return" && in_function);
  return (of_func ? "func." : "stablehlo.") + own;
}

std::string text_of(const Attributes& attributes, std::string_view name) {
  const Attribute* attribute = find(attributes, name);
  return attribute ? word(*attribute).value_or("") : "";
}

}  // namespace

std::unique_ptr<Module> read_bytecode(std::string_view bytes, std::string_view file) {
  return BytecodeReader(bytes, file).read();
}

BytecodeReader::BytecodeReader(std::string_view bytes, std::string_view file)
    : module_(std::make_unique<Module>()), container_(bytes, module_->file = std::string(file)) {
  budget_ = kMostParts + 4 * bytes.size();
  for (const Container::OperationName& name : container_.operations) {
    if (!name.name.starts_with("stablehlo.")) continue;
    Bytes(bytes, 0, &module_->file)
        .fail(
            "this is MLIR bytecode of the dialect stablehlo itself, which only the version of StableHLO that "
            "wrote it "
            "reads; what is read is a portable artifact (jax.export.export(f)(...).mlir_module_serialized, "
            "or "
            "serialize_portable_artifact of jaxlib.mlir.dialects.stablehlo) or text (lowered.as_text())");
  }
  const auto fill = [](std::vector<Entry>& entries, const std::vector<Container::Entry>& places) {
    entries.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) entries[i].place = &places[i];
  };
  fill(attributes_, container_.attributes);
  fill(locations_, container_.attributes);
  fill(types_, container_.types);
}

// Regions within each other, which others walk by recursion.
class BytecodeReader::Level {
 public:
  Level(BytecodeReader& reader, const Bytes& at) : reader_(&reader) {
    if (reader.level_ >= kMostNested) at.fail("regions are nested too deeply");
    ++reader.level_;
  }
  ~Level() { --reader_->level_; }

 private:
  BytecodeReader* reader_;
};

std::unique_ptr<Module> BytecodeReader::read() {
  Bytes bytes = container_.ir;
  module_block(bytes);
  bytes.expect_end("the operations");
  return std::move(module_);
}

// --- operations

void BytecodeReader::add(Attributes& attributes, Attributes more) {
  if (more.empty()) return;
  std::unordered_set<std::string> names;
  for (const auto& [name, attribute] : attributes) names.insert(name);
  for (auto& [name, attribute] : more) {
    if (!names.contains(name)) attributes.emplace_back(std::move(name), std::move(attribute));
  }
}

// An operation less its regions, which follow it.
BytecodeReader::Header BytecodeReader::header(Bytes& bytes) {
  Header read;
  read.at = bytes;
  Operation& operation = read.operation;
  const Container::OperationName& name =
      container_.operations[bytes.index(container_.operations.size(), "operation name")];
  const uint8_t mask = bytes.byte("what an operation has");
  operation.location = location(bytes);
  if (mask & kHasAttributes) {
    const Bytes at = bytes;
    const Attribute attributes = attribute(bytes);
    const auto* items = attributes.as<Attributes>();
    if (!items) at.fail("expected the number of a dictionary, the attributes of " + name.name);
    operation.attributes = *items;
  }
  if (mask & kHasProperties) properties(bytes, name, operation);
  if (mask & kHasResults) {
    const size_t count = bytes.count("the number of results");
    read.results.reserve(count);
    for (size_t i = 0; i < count; ++i) read.results.push_back(type(bytes));
  }
  if (mask & kHasOperands) {
    const size_t count = bytes.count("the number of operands");
    operation.operands.reserve(count);
    for (size_t i = 0; i < count; ++i) operation.operands.push_back(value(bytes));
  }
  if (mask & kHasSuccessors)
    bytes.fail("control flow between blocks is not StableHLO's, but " + name.name + " has some");
  if ((mask & kHasOrders) && container_.version >= Container::kUseListOrders)
    use_list_orders(bytes, read.results.size());
  if (mask & kHasRegions) {
    const Bytes at = bytes;
    const auto [count, isolated] = bytes.flagged("the number of regions");
    read.regions = at.checked_count(count, "the number of regions");
    read.isolated = isolated;
  }
  operation.name = name.name;
  if (name.name.starts_with(kVhlo)) {
    to_stablehlo(std::string_view(name.name).substr(kVhlo.size()), operation.attributes);
  }
  return read;
}

// Properties of operations that the writer knew are their attributes, one after the other; those of others
// are a dictionary.
void BytecodeReader::properties(Bytes& bytes, const Container::OperationName& name, Operation& operation) {
  const Bytes at = bytes;
  if (!name.registered) {
    const Attribute attributes = attribute(bytes);
    const auto* items = attributes.as<Attributes>();
    if (!items) at.fail("expected the number of a dictionary, the properties of " + name.name);
    add(operation.attributes, *items);
    return;
  }
  Bytes own = container_.properties[bytes.index(container_.properties.size(), "set of properties")];
  const std::string_view* known = properties_of(name.name);
  if (!known) at.fail("it is not known which properties " + name.name + " has");
  std::string_view names = *known;
  Attributes read;
  while (!names.empty()) {
    std::string_view property = next_word(names);
    const bool optional = property.ends_with('?');
    if (!optional) {
      read.emplace_back(std::string(property), attribute(own));
      continue;
    }
    property.remove_suffix(1);
    const Bytes before = own;
    const auto [index, there] = own.flagged("a property");
    if (!there) continue;
    read.emplace_back(std::string(property),
                      attribute_at(before.checked_index(index, attributes_.size(), "attribute")));
  }
  own.expect_end("the properties of " + name.name);
  add(read, std::move(operation.attributes));
  operation.attributes = std::move(read);
}

// In which order a value's uses are to be found means nothing here.
void BytecodeReader::use_list_orders(Bytes& bytes, size_t values) {
  const size_t count = values > 1 ? bytes.count("the number of values with an order of uses") : 1;
  for (size_t i = 0; i < count; ++i) {
    if (values > 1) bytes.index(values, "value with an order of uses");
    const Bytes at = bytes;
    const size_t uses = at.checked_count(bytes.flagged("the number of uses").first, "the number of uses");
    for (size_t k = 0; k < uses; ++k) bytes.varint("the place of a use");
  }
}

// --- values

void BytecodeReader::define(const Bytes& at, ValueId id) {
  Scope& scope = scopes_.back();
  if (scope.values.size() >= scope.declared) {
    at.fail("the region has more values than the " + std::to_string(scope.declared) + " announced");
  }
  scope.values.push_back(id);
}

ValueId BytecodeReader::value(Bytes& bytes) {
  const Bytes at = bytes;
  const uint64_t number = bytes.varint("the number of a value");
  for (size_t i = scopes_.size(); i-- > 0;) {
    const Scope& scope = scopes_[i];
    if (number < scope.first) continue;
    if (number - scope.first < scope.values.size()) return scope.values[number - scope.first];
    break;
  }
  at.fail("there is no value " + std::to_string(number) + " before this place");
}

// --- regions

// How many operations follow.
size_t BytecodeReader::block_header(Bytes& bytes, Region& region) {
  const auto [operations, has_arguments] = bytes.flagged("the number of operations of a block");
  if (has_arguments) {
    const size_t count = bytes.count("the number of arguments of a block");
    for (size_t i = 0; i < count; ++i) {
      const Bytes argument_at = bytes;
      const Type* type = nullptr;
      const Location* place = nullptr;
      if (container_.version >= Container::kElidedLocations) {
        const auto [index, has_location] = bytes.flagged("the type of an argument");
        type = type_at(argument_at.checked_index(index, types_.size(), "type"));
        if (has_location) place = location(bytes);
      } else {
        type = this->type(bytes);
        place = location(bytes);
      }
      const ValueId id = function_->add_value(type);
      function_->values.back().location = place;
      define(argument_at, id);
      region.arguments.push_back(id);
    }
    if (container_.version >= Container::kUseListOrders && bytes.byte("whether uses have an order") != 0) {
      use_list_orders(bytes, region.arguments.size());
    }
  }
  return bytes.checked_count(operations, "the number of operations of a block");
}

// Regions of an operation that sees nothing outside are a section of their own, in which values count from
// zero.
void BytecodeReader::regions(Header& header, Bytes& bytes, std::vector<Region>& regions) {
  if (header.regions == 0) return;
  const Level level(*this, header.at);
  std::vector<Scope> outside;
  Bytes section;
  const bool apart = header.isolated && container_.version >= Container::kIsolatedSections;
  if (apart) {
    const Bytes at = bytes;
    size_t id = 0;
    section = container_.section(bytes, id);
    if (id != Container::kIrSection) at.fail("expected a section of operations, found one of another kind");
  }
  if (header.isolated) outside.swap(scopes_);
  Bytes& inside = apart ? section : bytes;
  for (size_t i = 0; i < header.regions; ++i) one_region(inside, regions.emplace_back());
  if (apart) section.expect_end("the regions");
  if (header.isolated) scopes_.swap(outside);
}

void BytecodeReader::one_region(Bytes& bytes, Region& region) {
  const Bytes at = bytes;
  const uint64_t blocks = bytes.varint("the number of blocks of a region");
  if (blocks == 0) return;
  if (blocks > 1) at.fail("a region has " + std::to_string(blocks) + " blocks; those of StableHLO have one");
  Scope scope;
  scope.first = scopes_.empty() ? 0 : scopes_.back().first + scopes_.back().declared;
  scope.declared = bytes.count("the number of values of a region");
  scopes_.push_back(std::move(scope));
  operations(bytes, region);
  scopes_.pop_back();
}

void BytecodeReader::operations(Bytes& bytes, Region& region) {
  const size_t count = block_header(bytes, region);
  for (size_t i = 0; i < count; ++i) one_operation(bytes, region);
}

// vhlo's types and those of MLIR are one here, so what converts between them is nothing.
bool BytecodeReader::is_cast(const Header& header) const {
  const std::vector<ValueId>& operands = header.operation.operands;
  return header.operation.name == "builtin.unrealized_conversion_cast" && header.regions == 0 &&
         std::equal(operands.begin(), operands.end(), header.results.begin(), header.results.end(),
                    [&](ValueId id, const Type* type) { return same(function_->type_of(id), *type); });
}

void BytecodeReader::one_operation(Bytes& bytes, Region& region) {
  Header header = this->header(bytes);
  if (is_cast(header)) {
    for (ValueId id : header.operation.operands) define(header.at, id);
    return;
  }
  Operation& operation = header.operation;
  regions(header, bytes, operation.regions);
  operation.name = neutral_name(operation.name, level_ == function_level_);
  for (const Type* type : header.results) {
    operation.results.push_back(function_->add_value(type));
    define(header.at, operation.results.back());
  }
  region.operations.push_back(std::move(operation));
}

// --- the module

void BytecodeReader::module_block(Bytes& bytes) {
  Function holder;  // of values outside of functions, which nothing uses
  function_ = &holder;
  scopes_.emplace_back();
  scopes_.back().declared = bytes.left();
  Region region;
  const size_t count = block_header(bytes, region);
  for (size_t i = 0; i < count; ++i) module_operation(bytes);
  scopes_.pop_back();
  function_ = nullptr;
}

void BytecodeReader::module_operation(Bytes& bytes) {
  Function* outside = function_;
  Header header = this->header(bytes);
  const std::string name = neutral_name(header.operation.name, false);
  if (name == "builtin.module") {
    nested_module(header, bytes);
  } else if (name == "func.func") {
    function(header, bytes);
  } else if (header.regions > 0) {
    header.at.fail("expected a function, found the operation " + name);
  } else {
    header.operation.name = name;
    for (const Type* type : header.results) {
      header.operation.results.push_back(function_->add_value(type));
      define(header.at, header.operation.results.back());
    }
    module_->others.push_back(std::move(header.operation));
  }
  function_ = outside;
}

void BytecodeReader::nested_module(Header& header, Bytes& bytes) {
  const Level level(*this, header.at);
  Attributes& attributes = header.operation.attributes;
  if (module_->name.empty()) module_->name = text_of(attributes, "sym_name");
  std::erase_if(attributes,
                [](const auto& item) { return item.first == "sym_name" || item.first == "sym_visibility"; });
  add(module_->attributes, std::move(attributes));
  if (header.regions != 1) header.at.fail("a module has one region");
  Bytes section;
  const bool apart = header.isolated && container_.version >= Container::kIsolatedSections;
  size_t id = Container::kIrSection;
  if (apart) section = container_.section(bytes, id);
  if (id != Container::kIrSection)
    header.at.fail("expected a section of operations, found one of another kind");
  Bytes& inside = apart ? section : bytes;
  std::vector<Scope> outside;
  outside.swap(scopes_);
  const Bytes at = inside;
  const uint64_t blocks = inside.varint("the number of blocks of a module");
  if (blocks > 1) at.fail("a module has one block");
  if (blocks == 1) {
    inside.varint("the number of values of a module");
    module_block(inside);
  }
  if (apart) section.expect_end("the module");
  scopes_.swap(outside);
}

void BytecodeReader::function(Header& header, Bytes& bytes) {
  Function function;
  Attributes& attributes = header.operation.attributes;
  const Attribute* type = find(attributes, "function_type");
  const auto* signature = type ? type->as<const Type*>() : nullptr;
  function.name = text_of(attributes, "sym_name");
  if (function.name.empty() || !signature || (*signature)->kind != Type::Kind::kFunction) {
    header.at.fail("a function has the attributes sym_name and function_type");
  }
  const std::string visibility = text_of(attributes, "sym_visibility");
  function.is_private = !visibility.empty() && visibility != "public";
  function.result_types = (*signature)->results;
  function.location = header.operation.location;
  const auto lists = [&](std::string_view name, size_t count) {
    std::vector<Attributes> read(count);
    const Attribute* attribute = find(attributes, name);
    const auto* items = attribute ? attribute->as<Attribute::Array>() : nullptr;
    for (size_t i = 0; items && i < std::min(count, items->size()); ++i) {
      if (const auto* own = (*items)[i].as<Attributes>()) read[i] = *own;
    }
    return read;
  };
  const std::vector<const Type*>& parts = (*signature)->parts;
  function.argument_attributes = lists("arg_attrs", parts.size());
  function.result_attributes = lists("res_attrs", function.result_types.size());
  if (header.regions != 1) header.at.fail("a function has one region");
  function_ = &function;
  std::vector<Region> bodies;
  function_level_ = level_ + 1;
  std::vector<Scope> outside;
  outside.swap(scopes_);
  regions(header, bytes, bodies);
  scopes_.swap(outside);
  function.body = std::move(bodies.front());
  if (function.body.operations.empty()) {
    for (size_t i = function.body.arguments.size(); i < parts.size(); ++i) {
      function.body.arguments.push_back(function.add_value(parts[i]));
    }
  }
  const std::vector<ValueId>& arguments = function.body.arguments;
  if (!std::equal(arguments.begin(), arguments.end(), parts.begin(), parts.end(),
                  [&](ValueId id, const Type* part) { return same(function.type_of(id), *part); })) {
    header.at.fail("the arguments of @" + function.name + " are not those of its type");
  }
  if (!functions_.insert(function.name).second) header.at.fail("there are two functions @" + function.name);
  constexpr std::string_view kKnown = "sym_name function_type sym_visibility arg_attrs res_attrs";
  std::erase_if(attributes, [&](const auto& item) { return has_word(kKnown, item.first); });
  function.attributes = std::move(attributes);
  module_->functions.push_back(std::move(function));
}

}  // namespace ingot::stablehlo
