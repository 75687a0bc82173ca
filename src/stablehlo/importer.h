// How operations are imported, for the files that do it, one per family: import_elementwise.cc, ...
//
// A rule is a function of an OpImport, which knows the operation, the values of its operands and the region
// that is being filled; it makes Ingot's operations and sets the results. Regions of Ingot are closed: a
// Frame is one of them, with the values that it knows; a nested one gets what it uses from outside as
// arguments, and constants anew.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingot/array.h"
#include "ir/builder.h"
#include "stablehlo/import.h"
#include "stablehlo/module.h"

namespace ingot::stablehlo {

// What stands for a value of the module: a value, a tuple of such, or, for a token, nothing.
struct Bound {
  ir::Value* value = nullptr;
  std::shared_ptr<std::vector<Bound>> tuple;
};

struct Frame {
  ir::Region* region = nullptr;
  std::unordered_map<ValueId, Bound> values;
};

// The arrays of what is bound: itself, those of a tuple, or none.
void add_arrays(const Bound& bound, std::vector<ir::Value*>& arrays);

class Importer;

// "(f32[2,3], s32[])", and as the module writes them, "(tensor<2x3xf32>, tensor<i32>)".
std::string types_of(const std::vector<ir::Value*>& arrays);
std::string types_of(const Function& function, const std::vector<ValueId>& values);

class OpImport {
 public:
  OpImport(Importer& importer, const Function& function, const Operation& op, Frame& frame);

  const Operation& op() const { return *op_; }
  ir::Builder& builder() { return builder_; }
  Importer& importer() { return *importer_; }
  Frame& frame() { return *frame_; }
  const Function& function() const { return *function_; }

  size_t operand_count() const { return op_->operands.size(); }
  const Bound& bound(size_t i) const;  // operand i, whatever it is
  ir::Value* operand(size_t i) const;  // an array
  std::vector<ir::Value*> operands() const;
  // From here on operand i is an array of the dtype of an argument of a region: the specification lets
  // regions compute in a wider one. Refused where that is none of a kind, or narrower.
  void promote(size_t i, const Region& region, size_t argument);
  // The same of n arrays and their n initial values, which are scalars, for a region that combines them.
  void promote_reduced(size_t n);
  ir::TensorType result_type(size_t i = 0) const;
  DType result_dtype(size_t i = 0) const;  // known where extents are not
  const Type& result(size_t i) const;      // as the module says
  // What operand i is, where it is a constant or computed from constants alone.
  std::optional<Tensor> known(size_t i) const;
  Ints known_ints(size_t i, std::string_view what) const;  // refused where they are not known

  const Attribute* find(std::string_view name) const { return stablehlo::find(op_->attributes, name); }
  Ints ints(std::string_view name) const;  // an Error where there are none
  Ints ints(std::string_view name, Ints otherwise) const;
  int64_t integer(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double real(std::string_view name) const;
  double real(std::string_view name, double otherwise) const;
  std::string word(std::string_view name, std::string otherwise = {}) const;
  // An integer of a dictionary among the attributes.
  std::optional<int64_t> entry(std::string_view dictionary, std::string_view name) const;
  // Fields of a record; none where the attribute or the field is not there.
  const Record* record(std::string_view name) const;
  static Ints field(const Record* record, std::string_view name);
  static int64_t field(const Record* record, std::string_view name, int64_t otherwise);

  // Makes an operation of Ingot's.
  ir::Value* make(std::string_view record, std::vector<ir::Value*> operands, ir::Attributes attributes = {}) {
    return builder_.value(record, std::move(operands), std::move(attributes));
  }
  std::vector<ir::Value*> make_several(std::string_view record, const std::vector<ir::Value*>& operands,
                                       ir::Attributes attributes) {
    const auto results = builder_.make(record, operands, std::move(attributes))->results();
    return {results.begin(), results.end()};
  }
  // What one of Ingot's functions of arrays makes of values of this frame: it is traced, and its operations
  // are copied, as this operation's. It is to hand on the line that it is given, which stands for none.
  using Library = std::function<Array(const std::vector<Array>&, const std::source_location&)>;
  ir::Value* make_by_library(const std::vector<ir::Value*>& operands, const Library& function);
  using LibraryOfSeveral =
      std::function<std::vector<Array>(const std::vector<Array>&, const std::source_location&)>;
  std::vector<ir::Value*> make_several_by_library(const std::vector<ir::Value*>& operands,
                                                  const LibraryOfSeveral& function);
  ir::Value* scalar(DType dtype, double value);
  ir::Value* scalar_int(DType dtype, int64_t value);
  ir::Value* filled(const ir::TensorType& type, double value);
  ir::Value* filled_int(const ir::TensorType& type, int64_t value);
  ir::Value* spread(ir::Value* scalar, const Shape& shape);  // a scalar everywhere
  ir::Value* convert(ir::Value* x, DType dtype);             // itself where it is that already

  // The results, whose types must be those that the module says.
  void set(ir::Value* result) { set_all({result}); }
  void set_all(const std::vector<ir::Value*>& results);
  void set_bound(size_t i, Bound bound);

  // Regions (op_regions.cc; their types: op_region_types.cc). `captured` are values of this frame that the
  // operation's regions, or one of them, use, but for constants; arrays_of are the arrays that they are.
  std::vector<ValueId> captured() const;
  std::vector<ValueId> captured(const Region& region) const;
  std::vector<ir::Value*> arrays_of(const std::vector<ValueId>& captured) const;
  // Fills `to` with the region, for arguments that are there already: of the region, then for arrays of
  // `captured`.
  void fill(const Region& from, ir::Region& to, const std::vector<ValueId>& captured);
  // A region of scalars. What it uses from outside are further arguments of it, behind its own: one for each
  // of `captured`. What does not depend on its arguments is made in front of the operation, if it takes
  // arrays.
  struct ScalarRegion {
    std::unique_ptr<ir::Region> region;
    std::vector<ir::Value*> captured;
    bool takes_scalars() const;   // alone
    bool is_of_elements() const;  // and so is all that it makes: operations on arrays can do it, one for one
  };
  ScalarRegion closed_region(const Region& from, const std::vector<DType>& arguments);
  // Refused where arguments or results of the operation's regions, as the module writes them, are no scalars.
  void want_regions_of_scalars() const;
  // Refused where a region does not take n pairs of one type each, and returns one of each type.
  void want_combining_region(const Region& region, size_t n) const;
  // Refused where it takes arrays.
  ScalarRegion scalar_region(const Region& from, const std::vector<DType>& arguments);
  // The same region with other arguments: one for each number, which is that of an argument that it has. Of
  // several with one number the first counts. It returns the arguments `returned`, too.
  std::unique_ptr<ir::Region> rearranged(const ir::Region& region, const std::vector<size_t>& arguments,
                                         const std::vector<size_t>& returned = {});
  // `reduce` of arrays along axes by a region of scalars.
  std::vector<ir::Value*> reduce(const Region& region, const std::vector<ir::Value*>& arrays,
                                 const std::vector<ir::Value*>& initial, const Ints& axes);
  // What a region of scalars makes of arrays of one shape, for all elements at once.
  std::vector<ir::Value*> apply(const Region& from, const std::vector<ir::Value*>& arrays,
                                const Shape& shape);
  // A loop of the operation's own making. A step is given an import into its region, which knows what the
  // operation's regions use from outside, and the carries, slices and invariants; it returns the next carries
  // and slices of what is stacked.
  struct Loop {
    std::vector<ir::Value*> carries, scanned, invariants;
    int64_t length = 0;
    bool reverse = false;
    Ints xs_axes, ys_axes;
  };
  using Step = std::function<std::vector<ir::Value*>(OpImport&, const std::vector<ir::Value*>&)>;
  std::vector<ir::Value*> loop(const Loop& loop, const Step& step);
  // Results that are integers, few, and computed from constants become constants.
  // The result's extents: what the module says, with which operand i agrees where it is known, or what that
  // says.
  Shape shape_by(size_t i) const;
  void check_size(const Tensor& found) const;  // Error where it is not what 64 bits hold
  bool takes_sizes() const;                    // whether an operand is computed from extents of arrays
  void fold_sizes();
  // Imports another operation in this one's place: `name` of these operands.
  void become(const std::string& name, const std::vector<ir::Value*>& operands, Attributes attributes);

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void refuse(const std::string& why) const;  // what Ingot does not have yet

 private:
  Region without_invariants(const Region& from);
  std::vector<ir::Value*> apply_in_batch(const ScalarRegion& made, const std::vector<ir::Value*>& arrays,
                                         const Shape& shape);
  // What `captured` and constants outside are in a region, whose arguments for them begin at `next`.
  void enter(Frame& inner, const std::vector<ValueId>& captured, size_t next,
             std::initializer_list<const Region*> regions) const;

  Importer* importer_;
  const Function* function_;
  const Operation* op_;
  Frame* frame_;
  ir::Builder builder_;
  std::unordered_map<size_t, ir::Value*> promoted_;
};

using Rule = void (*)(OpImport&);
struct NamedRule {
  std::string_view name;
  Rule rule;
};
using Rules = std::span<const NamedRule>;

// One per family, in its file.
Rules elementwise_rules();
Rules function_rules();  // functions that are formulas over others
Rules shape_rules();
Rules indexing_rules();
Rules reduction_rules();
Rules sort_rules();
Rules random_rules();
Rules linear_algebra_rules();
Rules fft_rules();
Rules window_rules();
Rules norm_rules();
Rules contraction_rules();
Rules dynamic_rules();
Rules scatter_rules();
Rules scan_rules();
Rules select_and_scatter_rules();
Rules control_rules();
Rules other_rules();

// custom_call @TopK and the like; false for other functions.
bool import_sorting_call(OpImport& op, const std::string& target);
// A letter among the attributes of a call, one of the choices; the first where it is not there.
char letter(OpImport& op, std::string_view name, std::string_view choices);
// LAPACK's functions that are programs of arrays here (import_lapack_programs.cc), by what stands between the
// letter of the dtype and "_ffi".
Rules lapack_programs();
void import_perturbed_solve(OpImport& op);
// custom_call @lapack_spotrf_ffi and the like; false for other functions.
bool import_lapack_call(OpImport& op, const std::string& target);
// The composite chlo.top_k; false for others.
bool import_sorting_composite(OpImport& op, const std::string& name);

// What operations have in common with those that take their numbers as operands (import_dynamic.cc): operand
// 0 broadcast by its broadcast_dimensions; padded with operand 1; windows of it at the indices that are
// operand 1; and the convolution of the first two operands.
ir::Value* broadcast_in_dim(OpImport& op, const Shape& result);
ir::Value* padded(OpImport& op, const Ints& low, const Ints& high, const Ints& interior);
ir::Value* gathered(OpImport& op, const Ints& sizes);
ir::Value* convolved(OpImport& op, const Ints& padding);

// The constant that an attribute writes out, of that shape.
ir::Value* constant_of(OpImport& op, const Elements& elements, const Shape& shape);

// The first `count` elements along a dimension.
ir::Value* first_of(OpImport& op, ir::Value* array, int64_t axis, int64_t count);

// custom_call @shape_assertion and @stablehlo.dynamic_*, which JAX writes where shapes are symbolic; false
// for other functions.
bool import_dynamic_call(OpImport& op, const std::string& target);

// The rule of an operation, or null.
Rule rule_of(std::string_view operation);

// The one operation of a region of two scalars that returns what it makes of them, such as "add"; empty if
// there is more to it. `swapped` if it takes them in the other order.
struct Combiner {
  std::string name;  // of the StableHLO operation, without its dialect; "first", "second": an argument itself
  bool swapped = false;
  const Operation* operation = nullptr;
};
Combiner combiner_of(const Region& region);
// Those of a region of n pairs that combines each by itself; none where it does not.
std::vector<Combiner> combiners_of(const Region& region, size_t n);
// Whether it is a constant of that number.
bool equals(const ir::Value* value, const Tensor& scalar);
// 0, 1, infinities, NaN, the least or the greatest number: what regions of any use have as neutral.
bool looks_neutral(const ir::Value* value);
// What a region of scalars makes of arrays of one shape and of scalars, of a program that is being traced.
std::vector<Array> emit_region(const ir::Region& region, const std::vector<Array>& arguments,
                               const std::source_location& where);
// The record of a combiner that is associative and commutative: add, mul, max, min, and, or, xor; or empty.
// Of preds sums and maxima are or, products and minima are and.
std::string record_of_combiner(const std::string& name, DType dtype);
// The name of the record of the same meaning as an operation of StableHLO or CHLO, or "".
std::string_view record_named(std::string_view operation);
// Its neutral element.
Tensor neutral_of(const std::string& record, DType dtype);

class Importer {
 public:
  Importer(const Module& module, const ImportOptions& options);
  Imported run();

  const Module& module() const { return module_; }
  const ImportOptions& options() const { return options_; }
  void import_operations(const std::vector<Operation>& operations, const Function& function, Frame& frame);
  void import_operation(const Operation& operation, const Function& function, Frame& frame);
  ir::Function* callee(const std::string& name) const;  // or null
  // What a function whose types leave extents open makes of arrays: its operations stand in the frame's
  // region, with the extents that these have. None where there is no such function.
  std::optional<std::vector<Bound>> in_line(const std::string& name, const std::vector<ir::Value*>& arrays,
                                            Frame& frame);
  const Function* function(const std::string& name) const;  // of the module; or null
  ir::TensorType tensor_type(const Type& type) const;       // Error where it is none of Ingot's
  // Whether an array is of that type, of which some extents may be unknown.
  bool fits(const Type& type, const ir::TensorType& array) const;
  // A value of that type, made of the arrays from `next` on; none where they are others.
  std::optional<Bound> bound_of(const Type& type, const std::vector<ir::Value*>& arrays, size_t& next) const;
  bool is_entry(const Function& function) const { return &function == entry_; }
  bool is_size(const ir::Value* value) const { return sizes_.contains(value); }
  void add_size(const ir::Value* value) { sizes_.insert(value); }
  void add_check(Check check, ir::Value* actual, ir::Value* expected);
  std::vector<ir::Value*> lift(const std::string& callee);  // its results, as arguments of the entry function
  ir::Provenance provenance(const Operation& operation) const;
  // The first file that a location names: that of the innermost of the user's functions.
  const Location* file_of(const Location* location) const;
  void check_returns(const std::vector<Operation>& operations) const;  // one, at the end
  // "model.mlir:12:5: @f"
  std::string place(const Function& function) const;
  // "model.mlir:12:5: stablehlo.sort (from model.py:3)"
  std::string place(const Operation& operation) const;

 private:
  std::vector<const Function*> in_order();
  void declare(const Function& function);
  void import_function(const Function& function);
  Bound add_argument(ir::Region& body, const Type& type, const std::string& name,
                     const std::vector<ir::TensorType>& given) const;

  const Module& module_;
  ImportOptions options_;
  const Function* entry_ = nullptr;
  Imported imported_;
  std::unordered_map<std::string_view, const Function*> by_name_;
  std::unordered_map<const Function*, ir::Function*> made_;
  mutable std::unordered_map<const Location*, const Location*> files_;
  std::unordered_set<const ir::Value*> sizes_;  // what is computed from extents of arrays
  std::unordered_set<const Function*> open_;    // with open extents, and what computes sizes for them
  int in_line_depth_ = 0;
  int64_t in_line_operations_ = 0;
  std::vector<ir::Value*> checked_;
};

// Calls visit on each operation of the region and of those in it.
template <class Visit>
void walk(const Region& region, const Visit& visit) {
  for (const Operation& operation : region.operations) {
    visit(operation);
    for (const Region& inner : operation.regions) walk(inner, visit);
  }
}

}  // namespace ingot::stablehlo
