// How operations are exported, for the files that do it, one per family: export_elementwise.cc, ...
//
// A rule is a function of an OpExport, which knows the operation and what stands for its operands in the
// module; it makes StableHLO's operations and sets the results. Regions of Ingot are closed, those of
// StableHLO are not: an argument of a region that only hands on what is outside stands for just that.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/op_record.h"
#include "stablehlo/export.h"

namespace ingot::stablehlo {

// A function that is being made, and what of it stands for which value.
struct ExportFrame {
  Function* function = nullptr;
  std::vector<Operation>* into = nullptr;  // where operations go: the body, or a region of one of them
  const Location* location = nullptr;      // of what is made
  std::unordered_map<const ir::Value*, ValueId> values;
  std::unordered_map<ValueId, Tensor> scalars;  // constants
};

class Exporter;

// Makes operations of StableHLO at the end of a frame.
class OpMaker {
 public:
  OpMaker(Exporter& exporter, ExportFrame& frame) : exporter_(&exporter), frame_(&frame) {}

  Exporter& exporter() { return *exporter_; }
  ExportFrame& frame() { return *frame_; }
  ir::TensorType type(ValueId id) const;

  std::vector<ValueId> make_all(std::string name, std::vector<ValueId> operands,
                                const std::vector<ir::TensorType>& results, Attributes attributes = {},
                                std::vector<Region> regions = {});
  ValueId make(std::string name, std::vector<ValueId> operands, const ir::TensorType& result,
               Attributes attributes = {}, std::vector<Region> regions = {}) {
    return make_all(std::move(name), std::move(operands), {result}, std::move(attributes), std::move(regions))
        .front();
  }
  // The same of an operation whose result has the type of its last operand.
  ValueId same(std::string name, std::vector<ValueId> operands) {
    const ir::TensorType result = type(operands.back());
    return make(std::move(name), std::move(operands), result);
  }

  ValueId constant(const Tensor& value);
  ValueId filled(const ir::TensorType& type, const Tensor& scalar);
  ValueId filled_int(const ir::TensorType& type, int64_t value);
  ValueId filled_double(const ir::TensorType& type, double value);
  Attribute i32(int64_t value);       // an attribute of 32 bits
  Attribute u8(int64_t value);        // of 8 bits, without a sign
  Attribute order(const Ints& dims);  // dense<[1, 0]> : tensor<2xindex>, as layouts are written
  ValueId number(DType dtype, int64_t value) { return filled_int({dtype, {}}, value); }
  ValueId spread(ValueId x, const Shape& shape, const Ints& dims);  // broadcast_in_dim
  ValueId reshape(ValueId x, const Shape& shape);                   // itself where it has that shape
  ValueId convert(ValueId x, DType dtype);                          // itself where it is that already
  ValueId slice(ValueId x, const Ints& starts, const Ints& limits, const Ints& strides);
  ValueId concatenate(const std::vector<ValueId>& parts, int64_t axis);
  ValueId compare(std::string_view direction, ValueId a, ValueId b);  // "lt"
  ValueId select(ValueId predicate, ValueId a, ValueId b);

  // A region with arguments of these types; `fill` makes its operations and returns what it returns.
  using Fill = std::function<std::vector<ValueId>(const std::vector<ValueId>& arguments)>;
  Region region(const std::vector<ir::TensorType>& arguments, const Fill& fill);
  // A composite "ingot.NAME", whose decomposition `fill` makes once for each type of operands.
  ValueId composite(std::string_view name, const std::vector<ValueId>& operands, const ir::TensorType& result,
                    const std::function<ValueId(OpMaker&, const std::vector<ValueId>&)>& fill);

 protected:
  Exporter* exporter_;
  ExportFrame* frame_;
};

class OpExport : public OpMaker {
 public:
  OpExport(Exporter& exporter, ExportFrame& frame, const ir::Op& op) : OpMaker(exporter, frame), op_(&op) {}

  const ir::Op& op() const { return *op_; }
  const ir::Attributes& attributes() const { return op_->attributes(); }
  const ir::IntList& list(std::string_view name) const { return op_->attributes().list(name); }

  ValueId value(const ir::Value* value) const;
  ValueId operand(int i) const { return value(op_->operand(i)); }
  std::vector<ValueId> operands() const;
  const ir::TensorType& operand_type(int i) const { return op_->operand(i)->type(); }
  const ir::TensorType& result_type(int i = 0) const { return op_->result(i)->type(); }

  void set(ValueId result) { set_all({result}); }
  void set_all(const std::vector<ValueId>& results);
  // Makes one operation that gives all results.
  void set_made(std::string name, std::vector<ValueId> operands, Attributes attributes = {},
                std::vector<Region> regions = {});

  void bind(const ir::Value* value, ValueId id);  // where it has no name yet, it gets the value's
  // An argument that is what is outside; numbers are constants anew, since XLA looks for those of loops
  // there.
  void bind_outside(const ir::Value* argument, const ir::Value* outside);
  // The operations of a region whose arguments are bound; what it returns.
  std::vector<ValueId> inline_region(const ir::Region& region);
  // The region as it is, arguments and all.
  Region whole_region(const ir::Region& region);

 private:
  const ir::Op* op_;
};

using ExportRule = void (*)(OpExport&);
struct NamedExport {
  std::string_view record;
  ExportRule rule;
};
using ExportRules = std::span<const NamedExport>;

// One per family, in its file.
ExportRules elementwise_exports();
ExportRules shape_exports();
ExportRules indexing_exports();
ExportRules reduction_exports();
ExportRules contraction_exports();
ExportRules control_exports();
ExportRules linear_algebra_exports();
ExportRules fft_exports();
ExportRules lapack_exports();
ExportRules custom_call_exports();

// The rule of a record: its own; or the one of all that differ in nothing from an operation of StableHLO; or
// that of functions of one element that StableHLO does not have. Null for others.
ExportRule export_rule(const ir::OpRecord& record);
void export_same(OpExport& op);
void export_recipe(OpExport& op);  // export_recipe.cc

class Exporter {
 public:
  Exporter(const ir::Module& module, const ExportOptions& options);
  std::unique_ptr<Module> run();

  const Type* type(const ir::TensorType& type);
  const Type* number_type(const std::string& element);  // of an attribute
  const Type* index_list(int64_t length);
  Attribute attribute(std::string_view text);  // that MLIR's text says
  void export_operations(const ir::Region& region, ExportFrame& frame);
  const std::string& name_of(const ir::Function& function) const { return names_.at(&function); }
  // The function that decomposes a composite; made where it is first asked for.
  const std::string& decomposition(const std::string& key,
                                   const std::function<void(Function&, ExportFrame&)>& fill);

 private:
  std::vector<ir::Function*> reachable() const;
  void export_function(const ir::Function& function);
  std::string unique(const std::string& wish);
  const Location* location(const ir::Op& op);
  const Location* lines(const ir::Provenance& provenance);

  const ir::Module& module_;
  std::unique_ptr<Module> made_;
  std::map<std::pair<DType, Shape>, const Type*> types_;
  std::map<std::string, const Type*> number_types_;
  std::map<std::string, const Location*> locations_;
  std::unordered_map<const ir::Function*, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::map<std::string, std::string> decompositions_;
};

}  // namespace ingot::stablehlo
