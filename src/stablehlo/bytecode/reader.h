// The reader of an artifact (bytecode.h), for the files that implement it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "stablehlo/bytecode/container.h"
#include "stablehlo/module.h"

namespace ingot::stablehlo {

// How many numbers of a constant may become a list, as dimensions do.
inline constexpr int64_t kMostListed = 4096;

class BytecodeReader {
 public:
  BytecodeReader(std::string_view bytes, std::string_view file);
  std::unique_ptr<Module> read();

 private:
  // Entries refer to each other by number, so a few bytes can mean a graph that is endless, deep, or huge
  // when it is written out. What has been read so far of the one being read, in its expanded form:
  struct Cost {
    int depth = 0;
    uint64_t parts = 0;  // of some 64 bytes each
  };
  struct Entry {
    const Container::Entry* place = nullptr;
    enum class State { kUnread, kReading, kRead } state = State::kUnread;
    Cost cost;
    Attribute attribute;
    const Type* type = nullptr;
    const Location* location = nullptr;  // of an attribute that is read as one
  };
  template <class Read>
  Entry& entry(std::vector<Entry>& entries, size_t index, std::string_view what, const Read& read);
  void pay(const Bytes& bytes, const Cost& cost);

  // --- types (types.cc) and attributes (attributes.cc)
  static bool has_codes(std::string_view dialect);  // which are known
  const Type* type(Bytes& bytes, std::string_view what = "type");
  const Type* type_at(size_t index);
  const Type* read_type(const Container::Entry& place);
  const Type* vhlo_type(Bytes& bytes);
  const Type* builtin_type(Bytes& bytes);
  const Type* text_type(Bytes& bytes);
  const Type* scalar(std::string_view element);
  const Type* tensor(Bytes& bytes);
  const Type* tuple(Bytes& bytes);
  const Type* function_type(Bytes& bytes);
  const Type* complex(Bytes& bytes);
  const Type* quantized(Bytes& bytes, bool per_axis);
  std::vector<const Type*> types(Bytes& bytes);
  Ints signed_list(Bytes& bytes, std::string_view what);

  Attribute attribute(Bytes& bytes, std::string_view what = "attribute");
  Attribute attribute_at(size_t index);
  Attribute read_attribute(const Container::Entry& place);
  Attribute vhlo_attribute(Bytes& bytes);
  Attribute builtin_attribute(Bytes& bytes);
  std::string text(Bytes& bytes);            // by its number in the table of strings
  std::string text_attribute(Bytes& bytes);  // an attribute that is to be a string
  Attribute array(Bytes& bytes);
  Attribute dictionary(Bytes& bytes);
  Attribute integer(Bytes& bytes);
  Attribute real(Bytes& bytes);
  double real_number(Bytes& bytes, const Type& type);
  Attribute symbol(Bytes& bytes, bool nested);
  Attribute enumeration(Bytes& bytes, uint64_t code);
  Attribute elements(Bytes& bytes);
  Attribute dense_array(Bytes& bytes);
  Attribute alias(Bytes& bytes);
  Attribute accuracy(Bytes& bytes);
  Attribute mesh(Bytes& bytes, uint64_t code);

  // --- locations (locations.cc); null where nothing is known
  const Location* location(Bytes& bytes);
  const Location* location_at(size_t index);
  const Location* read_location(const Container::Entry& place);
  const Location* known_location(Bytes& bytes);

  // --- operations (operations.cc)
  // Values are numbered in the order of their definitions, from the first region on that sees nothing
  // outside; a nested region goes on behind all values of those around it.
  struct Scope {
    uint64_t first = 0, declared = 0;
    std::vector<ValueId> values;
  };
  struct Header {  // an operation less its regions
    Operation operation;
    std::vector<const Type*> results;
    size_t regions = 0;
    bool isolated = false;
    Bytes at;
  };
  class Level;
  Header header(Bytes& bytes);
  void properties(Bytes& bytes, const Container::OperationName& name, Operation& operation);
  void add(Attributes& attributes, Attributes more);
  void use_list_orders(Bytes& bytes, size_t values);
  void module_block(Bytes& bytes);
  void module_operation(Bytes& bytes);
  void nested_module(Header& header, Bytes& bytes);
  void function(Header& header, Bytes& bytes);
  void operations(Bytes& bytes, Region& region);
  void one_operation(Bytes& bytes, Region& region);
  bool is_cast(const Header& header) const;
  void regions(Header& header, Bytes& bytes, std::vector<Region>& regions);
  void one_region(Bytes& bytes, Region& region);
  size_t block_header(Bytes& bytes, Region& region);
  void define(const Bytes& at, ValueId id);
  ValueId value(Bytes& bytes);

  std::unique_ptr<Module> module_;
  Container container_;
  std::vector<Entry> attributes_, locations_, types_;
  Cost cost_;
  uint64_t paid_ = 0, budget_ = 0;
  int reading_ = 0;         // entries within each other
  int level_ = 0;           // regions within each other
  int function_level_ = 0;  // that of the body of `function_`
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> functions_;
};

// Reads the entry where it has not been read yet, and adds what it holds to the one that refers to it.
template <class Read>
BytecodeReader::Entry& BytecodeReader::entry(std::vector<Entry>& entries, size_t index, std::string_view what,
                                             const Read& read) {
  Entry& found = entries[index];
  const Bytes& bytes = found.place->bytes;
  if (found.state == Entry::State::kReading) bytes.fail("the " + std::string(what) + " is a part of itself");
  if (found.state == Entry::State::kUnread) {
    if (reading_ >= 2 * kMostNested) bytes.fail("the " + std::string(what) + " is nested too deeply");
    found.state = Entry::State::kReading;
    const Cost outside = cost_;
    cost_ = {};
    ++reading_;
    read(found);
    --reading_;
    found.cost = {cost_.depth + 1, cost_.parts + 1};
    cost_ = outside;
    found.state = Entry::State::kRead;
    if (found.cost.depth > 2 * kMostNested) bytes.fail("the " + std::string(what) + " is nested too deeply");
    if (found.cost.parts > kMostParts) bytes.fail("the " + std::string(what) + " has too many parts");
  }
  pay(bytes, found.cost);
  return found;
}

// Attributes of vhlo's `operation` ("gather_v2") become StableHLO's (forms.cc).
void to_stablehlo(std::string_view operation, Attributes& attributes);
// gather_v2 -> gather
std::string_view without_version(std::string_view operation);

}  // namespace ingot::stablehlo
