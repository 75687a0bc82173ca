// A StableHLO program as its readers leave it: neutral between the forms that it arrives in, and before any
// operation has a meaning.
//
// Two readers make one (of the text that JAX prints, and of MLIR bytecode in the versioned dialect vhlo), and
// one importer consumes it. So that the importer cannot tell which reader it was, all names are StableHLO's
// own, as its generic text form has them ("stablehlo.add", "func.call", "broadcast_dimensions"), never those
// of a pretty form or of vhlo, and whatever a pretty form implies (a region of `reduce ... applies`) is there
// in full:
//
// - What a reader does not know is kept (an operation of a strange dialect, an attribute's text), since only
// the
//   importer decides what is refused; what it cannot read is an ingot::Error with its place.
// - Types and locations belong to the module and are pointed to. Values are numbers: each function has one
// table
//   of its values, those of all nested regions included, and a region may use what stands before it outside.
//   Readers check that operands exist; the importer, that they stand before their use.
// - Constants are tensors, which share their bytes, and splats are kept as one element: a splat of terabytes
//   costs nothing until someone wants it.
// - Readers bound nesting (kMostNested) and never trust a size before they have seen the bytes behind it.
//
// find(), ints() and their like are how the importer asks; they accept every form that a version of StableHLO
// has used for the same thing (array<i64: 1, 2>, dense<[1, 2]> : tensor<2xi64>).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "ingot/dtype.h"

namespace ingot::stablehlo {

// How deep regions, types, attributes and locations may be nested in a program.
inline constexpr int kMostNested = 200;
// How many parts types and attributes may have when all that they refer to is written out: what refers to
// itself twice, over and over, is endless in a few lines. Locations are never written out in full.
inline constexpr uint64_t kMostParts = uint64_t{1} << 20;
inline constexpr size_t kBytesPerPart = 64;  // of what is kept as text
// Of operations of the dialect sdy that hold a program, as shard_map over several devices makes them.
inline constexpr std::string_view kOneDevice =
    "it spreads work over several devices, and Ingot has one; export the function without shard_map, or with "
    "a "
    "mesh of one device";

// --- types

struct Type {
  enum class Kind {
    kTensor,    // `element` and `shape`; a memref or vector is kOther
    kScalar,    // `element` alone: i64, f32, index, complex<f32>; the type of an attribute's number
    kTuple,     // of `parts`
    kToken,     // !stablehlo.token
    kFunction,  // from `parts` to `results`
    kOther,     // `element` is its text: !quant.uniform<...>, a strange dialect's
  };
  static constexpr int64_t kDynamic = -1;  // an extent that is not known

  Kind kind = Kind::kOther;
  std::string element;  // as MLIR spells it: f32, bf16, i1, i8, ui8, complex<f32>, f8E4M3FN, i4, index
  Shape shape;
  bool ranked = true;  // false: tensor<*xf32>
  std::vector<const Type*> parts, results;

  bool is_tensor() const { return kind == Kind::kTensor; }
  bool is_static() const;  // a ranked tensor without unknown extents
};
// Ingot's name for an element type, i1 to pred and ui8 to u8; none where it has no such numbers.
std::optional<DType> dtype_of(const Type& type);
std::string to_string(const Type& type);  // as MLIR writes it: tensor<2x3xf32>
bool same(const Type& a, const Type& b);

// --- locations

struct Location {
  enum class Kind {
    kUnknown,
    kFile,      // `name` at `line`, `column`
    kName,      // a scope or an argument called `name`, at parts[0] if that is known
    kCallSite,  // parts[0] called from parts[1]
    kFused,     // all of `parts`
  };
  Kind kind = Kind::kUnknown;
  std::string name;
  int line = 0, column = 0;
  std::vector<const Location*> parts;
  mutable int depth = -1;  // of parts in parts, for the text reader; 0: being measured
};

// --- attributes

class Attribute;
// In the order in which they stand; names are unique.
using Attributes = std::vector<std::pair<std::string, Attribute>>;

struct Unit {};
struct Integer {
  int64_t value = 0;           // of ui64 the bits
  const Type* type = nullptr;  // null: i64
};
struct Real {
  double value = 0;
  const Type* type = nullptr;  // null: f64
};
struct Symbol {
  std::string name;  // without @; nested ones with :: between their parts
};
// An enumeration's value, #stablehlo<comparison_direction LT>: `kind` comparison_direction, `value` LT.
struct Enum {
  std::string kind, value;
};
// dense<...> : tensor<...>. A splat holds one element, with shape []. The bytes are those of Ingot's arrays:
// a pred is a byte 0 or 1. Elements that Ingot has no dtype for are an u8[n] of their bytes as they came.
struct Elements {
  const Type* type = nullptr;
  Tensor values;
  bool splat = false;
};
// A set of numbers with a name, #stablehlo.gather<offset_dims = [0], ...>: `kind` gather; `fields` as in that
// text, lists as Ints. `conv` is always in its raw form: input_batch_dimension, input_feature_dimension,
// input_spatial_dimensions, kernel_input_feature_dimension, ..., output_spatial_dimensions.
struct Record;
// What a reader keeps as text: #mhlo.sharding<...>, #sdy.sharding<...>, affine maps.
struct Opaque {
  std::string text;
};
using Ints = std::vector<int64_t>;  // array<i64: 1, 2>, of any width; array<i1: true> holds 0 and 1

class Attribute {
 public:
  using Array = std::vector<Attribute>;
  using Data = std::variant<Unit, bool, Integer, Real, std::string, Symbol, const Type*, Enum, Ints,
                            std::shared_ptr<const Array>, std::shared_ptr<const Attributes>,
                            std::shared_ptr<const Record>, std::shared_ptr<const Elements>, Opaque>;
  Attribute() = default;                            // Unit
  Attribute(Data data) : data_(std::move(data)) {}  // NOLINT: conversion is the point
  Attribute(Ints list) : data_(std::move(list)) {}  // NOLINT
  static Attribute array(Array items) { return Data(std::make_shared<const Array>(std::move(items))); }
  static Attribute dictionary(Attributes items);
  static Attribute record(std::string kind, Attributes fields);
  static Attribute elements(Elements elements);

  const Data& data() const { return data_; }
  template <class T>
  const T* as() const {  // a pointer into it, or null where it holds something else
    if constexpr (std::is_same_v<T, Array> || std::is_same_v<T, Attributes> || std::is_same_v<T, Record> ||
                  std::is_same_v<T, Elements>) {
      auto* held = std::get_if<std::shared_ptr<const T>>(&data_);
      return held ? held->get() : nullptr;
    } else {
      return std::get_if<T>(&data_);
    }
  }

 private:
  Data data_;
};

struct Record {
  std::string kind;
  Attributes fields;
};

const Attribute* find(const Attributes& attributes, std::string_view name);  // or null
// A list of integers in any of its forms: Ints, an array of integers, dense elements (row-major; true is 1).
std::optional<Ints> ints(const Attribute& attribute);
std::optional<int64_t> integer(const Attribute& attribute);  // Integer, bool, or elements with one value
// The text of an enumeration's value, a string, or a symbol.
std::optional<std::string> word(const Attribute& attribute);

// --- operations

// The number of a value in its function's table.
using ValueId = int32_t;

struct Operation;
// One block: StableHLO has no others. Empty where an operation has a region without any.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;  // the last one is stablehlo.return or func.return
};

struct Operation {
  std::string name;  // stablehlo.add, chlo.erf, func.call, func.return, sdy.sharding_constraint
  std::vector<ValueId> operands, results;
  Attributes attributes;  // properties among them: the two are one list
  std::vector<Region> regions;
  const Location* location = nullptr;  // null: unknown
  int line = 0, column = 0;            // where it stands in the text; 0 for bytecode
};

struct Value {
  const Type* type = nullptr;
  std::string name;                    // as the text has it, without %; may be empty
  const Location* location = nullptr;  // of an argument, if it has one: JAX writes the argument's name there
};

struct Function {
  std::string name;
  bool is_private = false;
  std::vector<Attributes> argument_attributes, result_attributes;  // as many as arguments, results
  std::vector<const Type*> result_types;
  Attributes attributes;
  std::vector<Value> values;  // types and names by ValueId
  Region body;  // its arguments are the function's; without operations where it is declared alone
  const Location* location = nullptr;
  int line = 0, column = 0;

  const Type& type_of(ValueId id) const { return *values[static_cast<size_t>(id)].type; }
  ValueId add_value(const Type* type, std::string value_name = {}) {
    values.push_back({type, std::move(value_name)});
    return static_cast<ValueId>(values.size() - 1);
  }
};

struct Module {
  std::string file;  // what the program was read from, for errors
  std::string name;
  Attributes attributes;
  std::deque<Function> functions;
  std::vector<Operation> others;  // what else stands in it: sdy.mesh

  const Type* add(Type type) { return &types.emplace_back(std::move(type)); }
  const Location* add(Location location) { return &locations.emplace_back(std::move(location)); }
  const Type* tensor(std::string element, Shape shape);
  Function* find(std::string_view function_name);
  const Function* find(std::string_view function_name) const {
    return const_cast<Module*>(this)->find(function_name);
  }

  std::deque<Type> types;
  std::deque<Location> locations;
};

// The program in MLIR's generic text form, which the text reader reads again: two readers agree where these
// texts do. Values are numbered, or called by their own names, where MLIR allows these.
std::string to_string(const Module& module, bool locations = false, bool names = false);

}  // namespace ingot::stablehlo
