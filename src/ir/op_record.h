// The record of an operation: everything that Ingot knows about it, in one place.
//
// The type is declared here so that the IR can hold a pointer to one; the records themselves live in ops/.
// A field of type Required<T> has no default: a record that forgets one does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/index.h"
#include "base/tensor.h"
#include "ir/derivative.h"
#include "ir/ir.h"
#include "ir/scalar_builder.h"

namespace ingot::ir {

template <class T>
class Required {
 public:
  constexpr Required(T value) : value_(std::move(value)) {}  // NOLINT: conversion is the point
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Required> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           std::is_constructible_v<T, U&&>) constexpr Required(U&& value)
      : value_(std::forward<U>(value)) {}                 // NOLINT
  constexpr operator const T&() const { return value_; }  // NOLINT
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

// --- attributes

// What an attribute holds, in the order of the alternatives of ir::Attribute.
enum class AttributeKind { kFlag, kInteger, kReal, kText, kDType, kList, kSymbol, kTensor };

struct AttributeSpec {
  enum class Presence {
    kAlways,
    kOptional,
    kPerResult,  // optional, once for each result: the name, then the number of the result
  };
  std::string_view name;
  AttributeKind kind = AttributeKind::kFlag;
  Presence presence = Presence::kAlways;

  constexpr AttributeSpec optional() const { return {name, kind, Presence::kOptional}; }
  constexpr AttributeSpec per_result() const { return {name, kind, Presence::kPerResult}; }
};

namespace attribute {
constexpr AttributeSpec flag(std::string_view name) {
  return {name, AttributeKind::kFlag};
}
constexpr AttributeSpec integer(std::string_view name) {
  return {name, AttributeKind::kInteger};
}
constexpr AttributeSpec text(std::string_view name) {
  return {name, AttributeKind::kText};
}
constexpr AttributeSpec dtype(std::string_view name) {
  return {name, AttributeKind::kDType};
}
constexpr AttributeSpec list(std::string_view name) {
  return {name, AttributeKind::kList};
}
constexpr AttributeSpec symbol(std::string_view name) {
  return {name, AttributeKind::kSymbol};
}
constexpr AttributeSpec tensor(std::string_view name) {
  return {name, AttributeKind::kTensor};
}
}  // namespace attribute

// The attributes that an operation may have; it has no other ones.
class AttributeList {
 public:
  constexpr AttributeList(std::initializer_list<AttributeSpec> specs) : size_(specs.size()) {
    std::copy(specs.begin(), specs.end(), specs_.begin());
  }
  std::span<const AttributeSpec> specs() const { return {specs_.data(), size_}; }

 private:
  std::array<AttributeSpec, 16> specs_{};
  size_t size_;
};
inline constexpr AttributeList kNoAttributes{};

// "a list", "true or false", ...: what an attribute of that kind holds.
std::string_view describe(AttributeKind kind);

// --- types

struct Arity {
  int min;
  int max;  // kAny: no limit
  static constexpr int kAny = -1;
};

struct InferContext {
  std::span<const TensorType> operands;
  const Attributes& attributes;
  std::span<const Region* const> regions;
  const Function* callee;  // the function that the attribute `callee` names, if there is one
};
// The types of the results. Throws ingot::Error saying what is wrong and what would have been right, without
// the location and the name of the operation, which the caller adds.
using InferFn = std::vector<TensorType> (*)(const InferContext&);

// --- batching

// A value of a program over a batch: an array with one slice for each element of the batch along dimension
// `axis`, or an array that all of them share.
struct Batched {
  Value* value = nullptr;
  int64_t axis = kShared;

  static constexpr int64_t kShared = -1;
  bool shared() const { return axis == kShared; }
};

// What a batching rule may ask for. What it makes stands in the batched program, before all that uses it.
class Batcher {
 public:
  virtual ~Batcher() = default;
  virtual int64_t size() const = 0;                          // of the batch
  virtual bool binds(std::string_view axis_name) const = 0;  // whether the batch's axis has that name
  // Whether the operation names the batch's axis, itself, in a region or in what it calls: then it is another
  // one for each element even if no operand is.
  virtual bool names_axis(const Op& op) = 0;
  // The operation, with inferred types and the provenance and names of the one that is batched.
  virtual Op* make(std::string_view record, std::vector<Value*> operands, Attributes attributes = {},
                   std::vector<std::unique_ptr<Region>> regions = {}) = 0;
  Value* constant(const Tensor& value);
  virtual std::unique_ptr<Region> make_region() = 0;  // an empty one, for an operation to be made

  // A region of the operation that is batched, for arguments with the batch along these dimensions. Its
  // results have the batch along the dimensions that are wanted, or, where kShared is wanted, where it falls;
  // `axes` says where. An empty `wanted` wants none.
  struct BatchedRegion {
    std::unique_ptr<Region> region;
    std::vector<int64_t> axes;
  };
  virtual BatchedRegion batch(const Region& region, std::span<const int64_t> argument_axes,
                              std::span<const int64_t> wanted = {}) = 0;
  // The body of a loop, whose first results are the next of its first `carries` arguments: a carry that a
  // step makes batched is batched from the start. `argument_axes` become those that hold.
  BatchedRegion batch_steps(const Region& region, size_t carries, std::vector<int64_t>& argument_axes);
  // The same for the function that a call names: one function for all calls with these dimensions.
  struct BatchedCallee {
    std::string name;
    std::vector<int64_t> axes;
  };
  virtual BatchedCallee batch_callee(const Op& call, std::span<const int64_t> argument_axes,
                                     std::span<const int64_t> wanted = {}) = 0;
};

// What the operation does to each element of a batch, as operations on whole batches: the results for
// operands of which at least one is batched (or which name the batch's axis inside). Operand i of the
// operation gives the type of one element.
using BatchFn = std::vector<Batched> (*)(const Op&, std::span<const Batched> operands, Batcher&);

// --- meaning

// How the reference semantics of an operation with regions evaluates them.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::vector<Tensor> run(const Region& region, std::span<const Tensor> arguments) = 0;
};
// The value of the operation for given operands: plain, slow, right.
using ReferenceFn = std::vector<Tensor> (*)(const Op&, std::span<const Tensor> operands, Evaluator&);

// --- algebra

// What identities may do to the program; implemented by the pass runner, which counts, limits and logs each
// rewrite.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  // Asks for leave to apply the named rule to the operation. A rule calls it once, when it is sure that it
  // applies.
  virtual bool may(std::string_view rule, const Op& op) = 0;
  // Makes an operation before the one being rewritten, with inferred types and its provenance.
  virtual Value* make(std::string_view record, std::vector<Value*> operands, Attributes attributes = {},
                      std::vector<std::unique_ptr<Region>> regions = {}) = 0;
  virtual Value* constant(const Tensor& value) = 0;
};
// Returns the values that replace the operation's results, or an empty vector if no identity applies.
using IdentityFn = std::vector<Value*> (*)(Op&, Rewriter&);

// --- what the operation becomes in a kernel

// One scalar of the result from one scalar of each operand; operands and results have one shape.
struct ScalarRecipe {
  Required<ScalarRecipeFn> emit;
  Required<int> cost;  // estimated instructions per vector: 1 for add, some 20 for exp
  // For an associative binary operation: its neutral element for a dtype. Null if it is not associative
  // (floating sums count as associative: their order is fixed by shapes and schedule).
  Required<Tensor (*)(DType)> identity;
};

// The element of a view's result at an index is an element of an operand at another index.
struct ViewPiece {
  int operand;               // which operand; kIndexValue: the value is the number index[0] itself (iota)
  std::vector<Index> index;  // into that operand
  struct Guard {             // the piece applies where every guard's index is in [low, high)
    Index index;
    int64_t low, high;
  };
  std::vector<Guard> guards;
  static constexpr int kIndexValue = -1;
};
// The first piece whose guards hold is the one; the last piece has none.
struct View {
  Required<std::vector<ViewPiece> (*)(const Op&, std::span<const Index> result_index)> map;
};

// One term of a contraction: lhs and rhs, each at an index, multiplied. An operand counts as zero where a
// guard of its own does not hold: its index may leave it there.
struct ContractionTerm {
  std::vector<Index> lhs, rhs;
  std::vector<ViewPiece::Guard> lhs_guards, rhs_guards;
};
// Sums of products of two operands.
struct Contraction {
  // The term of a result's element at an index of the dimensions that are summed over.
  Required<ContractionTerm (*)(const Op&, std::span<const Index> result, std::span<const Index> summed)> term;
  Required<Shape (*)(const Op&)> summed;  // the extents of those, outermost first
};

struct Literal {};        // attribute `value`: a constant array
struct Reduction {};      // operands: n arrays, n neutral scalars; attribute `axes`; region: the combiner
struct RegionControl {};  // scan, while, cond, call, fused: ops/control.h has a type for each
struct Gather {};         // reads at indices that are known at run time: ops/windows.h says which
struct Scatter {};        // writes or accumulates at indices that are known at run time
struct Expanded {};       // is written as other operations before kernels are made of the program
struct Collective {};     // names the axis of a batch (attribute `axis_name`): gone once that is batched
// No loop nest: a step of the plan that calls a routine of the runtime, with whole arrays that lie row-major.
// compiler/routines.cc makes one from the operation, by this name.
struct LibraryRoutine {
  Required<std::string_view> routine;
  // Whether it computes with elements: narrow floats come to it widened, complex numbers as they are. What
  // only moves them has narrow floats as they are, and the parts of complex numbers as arrays of their own.
  Required<bool> computes;
};

using Becomes = std::variant<ScalarRecipe, View, Literal, Reduction, Contraction, RegionControl, Gather,
                             Scatter, Expanded, Collective, LibraryRoutine>;

// --- the record

struct OpRecord {
  static constexpr int kSomeRegions = -1;

  Required<std::string_view> name;
  Required<std::string_view> doc;  // one or more sentences, with the meaning of the attributes
  Required<Arity> operands;
  Required<int> regions;  // kSomeRegions: one or more
  Required<AttributeList> attributes;
  Required<InferFn> infer;
  Required<BatchFn> batch;  // null: no operands, the same for all of a batch
  Required<Becomes> becomes;
  Required<ReferenceFn> reference;
  Required<IdentityFn> identities;  // null: none
  Required<Jvp> jvp;
  Required<Transpose> transpose;
  Required<std::string_view>
      stablehlo;  // the StableHLO operation of the same meaning, or "" if there is none

  bool takes_regions(int count) const { return regions == kSomeRegions ? count > 0 : count == regions; }
};

// The record of that name, or null. Filled by ops/.
const OpRecord* find_record(std::string_view name);
// All records, in the order in which the documentation lists them.
std::span<const OpRecord* const> all_records();
// Called once by ops/ before main.
void register_records(std::span<const OpRecord* const> records);

// The record of `return`, which belongs to the IR.
const OpRecord& return_record();

}  // namespace ingot::ir
