// Regions of operations that are imported (importer.h): closed ones, what a region of scalars makes of whole
// arrays, and loops of an operation's own making.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "frontend/node.h"
#include "frontend/trace.h"
#include "ingot/error.h"
#include "ingot/functions.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "stablehlo/importer.h"
#include "transform/batch.h"

namespace ingot::stablehlo {
namespace {

bool is_constant(const Bound& bound) {
  return bound.value && ops::is<ops::ConstantOp>(bound.value);
}

bool is_token(const Bound& bound) {
  return !bound.value && !bound.tuple;
}

// The same parts, but of the arrays from `next` on.
Bound like(const Bound& bound, const ir::Region& region, size_t& next) {
  if (bound.value) return {region.argument(static_cast<int>(next++)), nullptr};
  if (!bound.tuple) return {};
  Bound copy;
  copy.tuple = std::make_shared<std::vector<Bound>>();
  for (const Bound& part : *bound.tuple) copy.tuple->push_back(like(part, region, next));
  return copy;
}

}  // namespace

void add_arrays(const Bound& bound, std::vector<ir::Value*>& arrays) {
  if (bound.value) arrays.push_back(bound.value);
  if (!bound.tuple) return;
  for (const Bound& part : *bound.tuple) add_arrays(part, arrays);
}

std::vector<ValueId> OpImport::captured(const Region& region) const {
  std::vector<ValueId> ids;
  std::unordered_set<ValueId> seen;
  walk(region, [&](const Operation& inner) {
    for (ValueId id : inner.operands) {
      const auto outside = frame_->values.find(id);
      if (outside == frame_->values.end() || is_constant(outside->second) || is_token(outside->second))
        continue;
      if (seen.insert(id).second) ids.push_back(id);
    }
  });
  return ids;
}

std::vector<ValueId> OpImport::captured() const {
  std::vector<ValueId> ids;
  for (const Region& region : op_->regions) {
    for (ValueId id : captured(region)) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

std::vector<ir::Value*> OpImport::arrays_of(const std::vector<ValueId>& captured) const {
  std::vector<ir::Value*> arrays;
  for (ValueId id : captured) add_arrays(frame_->values.at(id), arrays);
  return arrays;
}

void OpImport::enter(Frame& inner, const std::vector<ValueId>& captured, size_t next,
                     std::initializer_list<const Region*> regions) const {
  for (ValueId id : captured) inner.values[id] = like(frame_->values.at(id), *inner.region, next);
  ir::Builder constants(*inner.region);
  constants.set_provenance(builder_.provenance());
  for (const Region* region : regions) {
    walk(*region, [&](const Operation& operation) {
      for (ValueId id : operation.operands) {
        const auto outside = frame_->values.find(id);
        if (outside == frame_->values.end() || inner.values.contains(id)) continue;
        if (is_constant(outside->second)) {
          const ops::ConstantOp constant(*outside->second.value->op());
          inner.values[id].value = constants.constant(constant.value());
        } else if (is_token(outside->second)) {
          inner.values[id] = {};
        }
      }
    });
  }
}

void OpImport::fill(const Region& from, ir::Region& to, const std::vector<ValueId>& captured) {
  Frame inner;
  inner.region = &to;
  const std::vector<ir::Value*> arguments = to.arguments();
  size_t next = 0;
  for (ValueId id : from.arguments) {
    std::optional<Bound> bound = importer_->bound_of(function_->type_of(id), arguments, next);
    if (!bound) {
      fail("the arguments of its region are " + types_of(*function_, from.arguments) + ", but it is given " +
           types_of(arguments));
    }
    inner.values[id] = std::move(*bound);
  }
  enter(inner, captured, next, {&from});
  importer_->import_operations(from.operations, *function_, inner);
}

ir::Value* OpImport::make_by_library(const std::vector<ir::Value*>& operands, const Library& function) {
  return make_several_by_library(operands, [&](const std::vector<Array>& arrays, const auto& where) {
    return std::vector<Array>{function(arrays, where)};
  })[0];
}

std::vector<ir::Value*> OpImport::make_several_by_library(const std::vector<ir::Value*>& operands,
                                                          const LibraryOfSeveral& function) {
  const std::source_location nowhere;
  std::vector<const detail::ArrayType*> types;
  for (const ir::Value* operand : operands) types.push_back(detail::intern_type(operand->type()));
  const auto traced = detail::trace_function(
      "library", types, std::vector<std::string>(types.size(), "x"),
      [&](const std::vector<Array>& arrays) {
        return detail::Outputs{function(arrays, nowhere), nullptr};
      },
      nullptr, nowhere);
  check(traced->callees.empty() && traced->captures.empty(), "a library function calls others");
  const ir::Region& body = traced->function().body();
  ir::ValueMap map;
  for (size_t i = 0; i < operands.size(); ++i) map[body.argument(static_cast<int>(i))] = operands[i];
  std::vector<ir::Value*> results = ir::clone_ops(body, *frame_->region, map);
  const auto ours = [&](ir::Op& op) { op.set_provenance(builder_.provenance()); };
  for (const auto& from : body.ops()) {
    if (from->result_count() == 0) continue;
    ir::Op& op = *map.at(from->result(0))->op();
    ours(op);
    for (int r = 0; r < op.region_count(); ++r) ir::walk(op.region(r), ours);
  }
  return results;
}

// --- regions of scalars

// The region less what does not depend on its arguments, which is imported in front of the operation.
Region OpImport::without_invariants(const Region& from) {
  std::unordered_set<ValueId> dependent(from.arguments.begin(), from.arguments.end());
  Region rest;
  rest.arguments = from.arguments;
  for (const Operation& operation : from.operations) {
    bool depends = &operation == &from.operations.back();
    const auto look = [&](const Operation& used) {
      for (ValueId id : used.operands) depends = depends || dependent.contains(id);
    };
    look(operation);
    for (const Region& inner : operation.regions) walk(inner, look);
    if (!depends) {
      importer_->import_operation(operation, *function_, *frame_);
      continue;
    }
    dependent.insert(operation.results.begin(), operation.results.end());
    rest.operations.push_back(operation);
  }
  return rest;
}

OpImport::ScalarRegion OpImport::closed_region(const Region& from, const std::vector<DType>& arguments) {
  if (from.arguments.size() != arguments.size()) fail("its region has the wrong number of arguments");
  const std::vector<ValueId> used = captured(from);
  ScalarRegion made{builder_.make_region(), arrays_of(used)};
  if (!made.takes_scalars()) {
    const Region rest = without_invariants(from);
    if (rest.operations.size() < from.operations.size()) return closed_region(rest, arguments);
  }
  for (DType dtype : arguments) made.region->add_argument({dtype, {}});
  for (const ir::Value* value : made.captured) made.region->add_argument(value->type());
  fill(from, *made.region, used);
  return made;
}

OpImport::ScalarRegion OpImport::scalar_region(const Region& from, const std::vector<DType>& arguments) {
  ScalarRegion made = closed_region(from, arguments);
  if (!made.takes_scalars()) refuse("its region chooses elements of an array from outside by its arguments");
  return made;
}

bool OpImport::ScalarRegion::takes_scalars() const {
  return std::all_of(captured.begin(), captured.end(), [](const ir::Value* a) { return a->rank() == 0; });
}

namespace {

bool is_of_elements(const ir::Region& region) {
  return std::all_of(region.ops().begin(), region.ops().end(), [](const auto& op) {
    if (ops::is<ops::CallOp>(*op)) return is_of_elements(ops::callee_of(*op)->body());
    const auto& becomes = *op->record().becomes;
    return op->is_return() || std::holds_alternative<ir::Literal>(becomes) ||
           std::holds_alternative<ir::ScalarRecipe>(becomes);
  });
}

}  // namespace

bool OpImport::ScalarRegion::is_of_elements() const {
  return takes_scalars() && stablehlo::is_of_elements(*region);
}

std::unique_ptr<ir::Region> OpImport::rearranged(const ir::Region& region,
                                                 const std::vector<size_t>& arguments,
                                                 const std::vector<size_t>& returned) {
  std::unique_ptr<ir::Region> made = builder_.make_region();
  ir::ValueMap map;
  for (size_t number : arguments) {
    const ir::Value* own = region.argument(static_cast<int>(number));
    map.emplace(own, made->add_argument(own->type()));
  }
  std::vector<ir::Value*> results = ir::clone_ops(region, *made, map);
  for (size_t number : returned) results.push_back(made->argument(static_cast<int>(number)));
  made->set_results(std::move(results));
  return made;
}

namespace {

constexpr int64_t kMostApplied = 20000;  // operations that one region may become, with those of its callees

// Makes the operations of a region of scalars for all elements of arrays at once; T is an array.
template <class T>
class Application {
 public:
  struct Maker {
    std::function<T(std::string_view, const std::vector<T>&, const ir::Attributes&)> make;
    std::function<T(const T&)> everywhere;  // a scalar as an array of the others' shape
    std::function<bool(const T&)> is_scalar;
    std::function<void(const std::string&)> refuse;
  };
  explicit Application(Maker maker) : maker_(std::move(maker)) {}

  std::vector<T> run(const ir::Region& region, const std::vector<T>& arguments) {
    std::unordered_map<const ir::Value*, T> known;
    for (size_t i = 0; i < arguments.size(); ++i)
      known.emplace(region.argument(static_cast<int>(i)), arguments[i]);
    for (const auto& one : region.ops()) {
      if (one->is_return()) continue;
      std::vector<T> inputs, results;
      for (const ir::Value* operand : one->operands()) inputs.push_back(known.at(operand));
      if (++made_ > kMostApplied) maker_.refuse("its region is too large to be one of elements");
      if (ops::is<ops::CallOp>(*one)) {
        results = run(ops::callee_of(*one)->body(), inputs);
      } else {
        results.push_back(one_operation(*one, std::move(inputs)));
      }
      for (int r = 0; r < one->result_count(); ++r)
        known.emplace(one->result(r), results[static_cast<size_t>(r)]);
    }
    std::vector<T> results;
    for (const ir::Value* result : region.results()) results.push_back(maker_.everywhere(known.at(result)));
    return results;
  }

 private:
  T one_operation(const ir::Op& one, std::vector<T> inputs) {
    const bool literal = std::holds_alternative<ir::Literal>(*one.record().becomes);
    if (!literal && !std::holds_alternative<ir::ScalarRecipe>(*one.record().becomes))
      maker_.refuse("its region is to hold operations on single elements, not " + std::string(one.name()));
    if (!std::all_of(inputs.begin(), inputs.end(), maker_.is_scalar)) {
      for (T& input : inputs) input = maker_.everywhere(input);
    }
    return maker_.make(one.name(), inputs, one.attributes());
  }

  Maker maker_;
  int64_t made_ = 0;
};

}  // namespace

// A region that holds more than operations on elements, such as loops, is batched as vmap does it.
std::vector<ir::Value*> OpImport::apply_in_batch(const ScalarRegion& made,
                                                 const std::vector<ir::Value*>& arrays, const Shape& shape) {
  const int64_t count = element_count(shape);
  std::vector<int64_t> axes(arrays.size(), 0);
  axes.resize(arrays.size() + made.captured.size(), ir::Batched::kShared);
  const std::vector<int64_t> wanted(made.region->results().size(), 0);
  const transform::BatchedRegion batched =
      transform::batch_region(*made.region, {count, "", builder_.provenance()}, axes, wanted);
  ir::ValueMap map;
  for (size_t i = 0; i < axes.size(); ++i) {
    ir::Value* given = i < arrays.size() ? make("reshape", {arrays[i]}, {{"shape", Shape{count}}})
                                         : made.captured[i - arrays.size()];
    map.emplace(batched.region->argument(static_cast<int>(i)), given);
  }
  std::vector<ir::Value*> results = ir::clone_ops(*batched.region, *frame_->region, map);
  for (ir::Value*& result : results) result = make("reshape", {result}, {{"shape", shape}});
  return results;
}

std::vector<ir::Value*> OpImport::apply(const Region& from, const std::vector<ir::Value*>& arrays,
                                        const Shape& shape) {
  std::vector<DType> dtypes;
  std::vector<ir::Value*> arguments = arrays;
  for (const ir::Value* array : arrays) dtypes.push_back(array->dtype());
  const ScalarRegion made = closed_region(from, dtypes);
  if (!made.is_of_elements()) return apply_in_batch(made, arrays, shape);
  arguments.insert(arguments.end(), made.captured.begin(), made.captured.end());
  Application<ir::Value*> application(
      {[&](std::string_view name, const std::vector<ir::Value*>& inputs, const ir::Attributes& attributes) {
         return make(name, inputs, attributes);
       },
       [&](ir::Value* x) { return x->rank() == 0 ? spread(x, shape) : x; },
       [](const ir::Value* x) { return x->rank() == 0; }, [&](const std::string& why) { refuse(why); }});
  return application.run(*made.region, arguments);
}

std::vector<Array> emit_region(const ir::Region& region, const std::vector<Array>& arguments,
                               const std::source_location& where) {
  const Shape shape = arguments.front().shape();
  Application<Array> application(
      {[&](std::string_view name, const std::vector<Array>& inputs, const ir::Attributes& attributes) {
         return detail::emit(name, inputs, attributes, where);
       },
       [&](const Array& x) { return x.rank() == 0 ? broadcast_to(Operand(x, where), shape) : x; },
       [](const Array& x) { return x.rank() == 0; },
       [](const std::string& why) { throw Error(why + "; see docs/conformance.md"); }});
  return application.run(region, arguments);
}

// --- loops

std::vector<ir::Value*> OpImport::loop(const Loop& loop, const Step& step) {
  const std::vector<ValueId> used = captured();
  std::vector<ir::Value*> operands = loop.carries;
  for (const auto* more : {&loop.scanned, &loop.invariants})
    operands.insert(operands.end(), more->begin(), more->end());
  const size_t own = operands.size();
  for (ir::Value* array : arrays_of(used)) operands.push_back(array);
  std::unique_ptr<ir::Region> region = builder_.make_region();
  for (size_t i = 0; i < operands.size(); ++i) {
    ir::TensorType type = operands[i]->type();
    const size_t scanned = i - loop.carries.size();
    if (i >= loop.carries.size() && scanned < loop.scanned.size())
      type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(loop.xs_axes[scanned]));
    region->add_argument(std::move(type));
  }
  Frame inner;
  inner.region = region.get();
  for (const Region& from : op_->regions) enter(inner, used, own, {&from});
  OpImport inside(*importer_, *function_, *op_, inner);
  std::vector<ir::Value*> arguments = region->arguments();
  arguments.resize(own);
  region->set_results(step(inside, arguments));
  ops::ScanForm form;
  form.carries = static_cast<int>(loop.carries.size());
  form.length = loop.length;
  form.reverse = loop.reverse;
  form.xs_axes = loop.xs_axes;
  form.ys_axes = loop.ys_axes;
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  return builder_.make("scan", operands, form.attributes(), std::move(regions))->results();
}

void OpImport::become(const std::string& name, const std::vector<ir::Value*>& operands,
                      Attributes attributes) {
  const Rule rule = rule_of(name);
  check(rule != nullptr, "there is no rule of " + name);
  Operation other;
  other.name = name;
  other.results = op_->results;
  other.attributes = std::move(attributes);
  other.location = op_->location;
  other.line = op_->line;
  other.column = op_->column;
  for (size_t i = 0; i < operands.size(); ++i) {  // numbers that no value of a module has
    const auto id = -1 - static_cast<ValueId>(i);
    other.operands.push_back(id);
    frame_->values[id] = {operands[i], nullptr};
  }
  OpImport made(*importer_, *function_, other, *frame_);
  rule(made);
}

}  // namespace ingot::stablehlo
