// split_complex: every complex value becomes two real ones, its parts.
//
// All that follows, fusion, kernels and code generation, knows real numbers alone. Values within functions,
// arguments and results of calls, and what loops carry, scan and stack are pairs of arrays. Only at the
// entry's border a complex array is what the user sees, real and imaginary parts in turns: an argument is
// read as f32[..., 2] (a bitcast, which costs nothing) through two slices, and a result is a concatenation
// along such a dimension, both of which kernels read and write in place.
//
// So are operands and results of routines that compute with complex numbers.
//
// Views and sums are done on each part, products as four real ones (complex_math.h). Regions of other
// reductions and of loops are split like functions.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/becomes.h"
#include "pass/call_graph.h"
#include "pass/numbers/complex_math.h"
#include "pass/numbers/short_products.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

using ir::Attributes;
using ir::IntList;
using ir::Op;
using ir::Region;
using ir::TensorType;
using ir::Value;

bool is_complex(const Value* value) {
  return ingot::is_complex(value->dtype());
}

bool touches_complex(const Op& op) {
  const auto results = op.results();
  return std::any_of(op.operands().begin(), op.operands().end(), [](Value* v) { return is_complex(v); }) ||
         std::any_of(results.begin(), results.end(), [](Value* v) { return is_complex(v); });
}

// Whether an operation inside of its regions does, though it itself does not.
bool touches_inside(Op& op) {
  bool found = false;
  for (int i = 0; i < op.region_count(); ++i)
    ir::walk(op.region(i), [&](Op& inner) { found = found || touches_complex(inner); });
  return found;
}

// Takes complex arrays as the user has them, as what transforms become does, too.
bool computes_in_a_routine(const Op& op) {
  if (becomes<ir::Expanded>(op)) return true;
  const auto* routine = std::get_if<ir::LibraryRoutine>(&*op.record().becomes);
  return routine != nullptr && *routine->computes;
}

Tensor part_of(const Tensor& whole, bool imaginary) {
  Tensor part(real_dtype(whole.dtype()), whole.shape());
  for (int64_t i = 0; i < part.size(); ++i) {
    const std::complex<double> z = whole.get_complex(i);
    part.set_double(i, imaginary ? z.imag() : z.real());
  }
  return part;
}

// The arithmetic of complex numbers, by the names of its operations.
constexpr std::pair<std::string_view, Parts (ComplexMath::*)(const Parts&)> kOfOne[] = {
    {"neg", &ComplexMath::neg},           {"conj", &ComplexMath::conj},   {"sign", &ComplexMath::sign},
    {"exp", &ComplexMath::exp},           {"log", &ComplexMath::log},     {"expm1", &ComplexMath::expm1},
    {"log1p", &ComplexMath::log1p},       {"sin", &ComplexMath::sin},     {"cos", &ComplexMath::cos},
    {"tanh", &ComplexMath::tanh},         {"sqrt", &ComplexMath::sqrt},   {"rsqrt", &ComplexMath::rsqrt},
    {"logistic", &ComplexMath::logistic}, {"tan", &ComplexMath::tan},     {"sinh", &ComplexMath::sinh},
    {"cosh", &ComplexMath::cosh},         {"asin", &ComplexMath::asin},   {"acos", &ComplexMath::acos},
    {"atan", &ComplexMath::atan},         {"asinh", &ComplexMath::asinh}, {"acosh", &ComplexMath::acosh},
    {"atanh", &ComplexMath::atanh},       {"exp2", &ComplexMath::exp2},   {"log2", &ComplexMath::log2},
    {"cbrt", &ComplexMath::cbrt},
};
constexpr std::pair<std::string_view, Parts (ComplexMath::*)(const Parts&, const Parts&)> kOfTwo[] = {
    {"add", &ComplexMath::add}, {"sub", &ComplexMath::sub}, {"mul", &ComplexMath::mul},
    {"div", &ComplexMath::div}, {"pow", &ComplexMath::pow},
};

// One region: a function's body, or one of an operation.
class Splitting {
 public:
  Splitting(Region& region, PassContext& context) : region_(region), context_(context) {}

  // All arguments anew, two for each complex one.
  void split_arguments() {
    for (Value* argument : region_.arguments()) {
      if (is_complex(argument))
        parts_[argument] = {add_part(argument, "_re"), add_part(argument, "_im")};
      else
        argument->replace_all_uses_with(add_part(argument, ""));
    }
  }
  // The same of a comparator, whose arguments are pairs: the real parts of a pair come first.
  void split_pairs() {
    const std::vector<Value*> old = region_.arguments();
    for (size_t i = 0; i < old.size(); i += 2) {
      if (is_complex(old[i])) {
        for (Value* argument : {old[i], old[i + 1]}) parts_[argument].re = add_part(argument, "_re");
        for (Value* argument : {old[i], old[i + 1]}) parts_[argument].im = add_part(argument, "_im");
      } else {
        for (Value* argument : {old[i], old[i + 1]}) argument->replace_all_uses_with(add_part(argument, ""));
      }
    }
  }

  // The entry keeps its signature.
  void read_arguments() {
    Op* first = region_.ops().front().get();
    ir::Builder builder(region_, first);
    for (Value* argument : region_.arguments()) {
      if (!is_complex(argument)) continue;
      parts_[argument] = take_apart(builder, argument);
      own_.insert(parts_[argument].re->op()->operand(0)->op()->operand(0)->op());
    }
  }

  void run() {
    std::vector<Op*> ops;
    for (auto& op : region_.ops()) ops.push_back(op.get());
    for (Op* op : ops) {
      if (op->is_return() || own_.count(op) || (!touches_complex(*op) && !touches_inside(*op))) continue;
      if (!context_.must("split", *op) && !ops::is<ops::CallOp>(*op)) {
        keep(*op);
        continue;
      }
      split(*op);
      name_parts(*op);
      dead_.push_back(op);
    }
  }

  void split_results() {
    std::vector<Value*> results;
    for (Value* result : region_.results()) append(results, result);
    region_.set_results(results);
    finish();
  }

  void write_results() {
    ir::Builder builder(region_);
    std::vector<Value*> results;
    for (Value* result : region_.results()) {
      if (!is_complex(result)) {
        results.push_back(result);
        continue;
      }
      results.push_back(result->op() == nullptr ? result : put_together(builder, result));
    }
    region_.set_results(results);
    finish();
  }

 private:
  const Parts& parts(Value* value) const {
    const auto found = parts_.find(value);
    check(found != parts_.end(), "split_complex: %" + value->name() + " has no parts");
    return found->second;
  }

  // Leaves the operation as it is, between its operands' and its results' parts. Calls cannot stay: their
  // callees have been split.
  void keep(Op& op) {
    ir::Builder before(region_, &op);
    for (int i = 0; i < op.operand_count(); ++i) {
      if (!is_complex(op.operand(i))) continue;
      const Parts given = parts(op.operand(i));
      op.set_operand(i, make::complex(before, {given.re, given.im}));
    }
    Op* next = nullptr;
    for (auto it = region_.ops().begin(); it != region_.ops().end(); ++it) {
      if (it->get() == &op) next = std::next(it)->get();
    }
    ir::Builder after(region_, next);
    for (Value* result : op.results()) {
      if (is_complex(result)) parts_[result] = {make::real(after, result), make::imag(after, result)};
    }
  }

  // Those that were made for it, and not passed on.
  void name_parts(const Op& op) {
    for (Value* result : op.results()) {
      if (!is_complex(result)) continue;
      const auto& [re, im] = parts(result);
      if (re->op() != nullptr && !re->used()) region_.function()->rename(re, result->name() + "_re");
      if (im->op() != nullptr && !im->used()) region_.function()->rename(im, result->name() + "_im");
    }
  }

  void append(std::vector<Value*>& list, Value* value) const {
    if (!is_complex(value)) return list.push_back(value);
    list.insert(list.end(), {parts(value).re, parts(value).im});
  }

  void finish() {
    for (size_t i = dead_.size(); i-- > 0;) dead_[i]->erase();
    for (int i = 0; i < old_arguments_; ++i) region_.erase_argument(0);
    for (size_t i = 0; i < arguments_.size(); ++i) region_.function()->rename(arguments_[i], names_[i]);
  }

  // From pairs side by side in memory.
  static Parts take_apart(ir::Builder& builder, Value* value) {
    const DType part = real_dtype(value->dtype());
    return slices(builder, make::bitcast(builder, value, part), value->shape());
  }

  static Parts slices(ir::Builder& builder, Value* pairs, const Shape& shape) {
    Value* both[2];
    for (int64_t k : {0, 1}) {
      IntList starts(pairs->shape().size(), 0), limits = pairs->shape();
      starts.back() = k;
      limits.back() = k + 1;
      Value* slice = make::slice(builder, pairs, starts, limits, IntList(starts.size(), 1));
      both[k] = make::reshape(builder, slice, shape);
    }
    return {both[0], both[1]};
  }

  Value* pairs_of(ir::Builder& builder, Value* value) const {
    Shape shape = value->shape();
    const auto axis = static_cast<int64_t>(shape.size());
    shape.push_back(1);
    Value* re = make::reshape(builder, parts(value).re, shape);
    Value* im = make::reshape(builder, parts(value).im, shape);
    return make::concatenate(builder, {re, im}, axis);
  }

  // In the place of an old argument, which goes at the end.
  Value* add_part(const Value* old, const char* suffix) {
    TensorType type = old->type();
    type.dtype = real_dtype(type.dtype);
    Value* made = region_.add_argument(type, old->name() + suffix);
    if (arguments_.empty()) old_arguments_ = region_.argument_count() - 1;
    arguments_.push_back(made);
    names_.push_back(*suffix == 0 ? old->name() : made->name());
    return made;
  }

  Value* put_together(ir::Builder& builder, Value* value) const {
    return make::bitcast(builder, pairs_of(builder, value), value->dtype());
  }

  // --- operations

  void split(Op& op) {
    ir::Builder builder(region_, &op);
    builder.set_provenance(op.provenance());
    if (computes_in_a_routine(op)) return split_borders(op, builder);
    if (becomes<ir::RegionControl>(op) || becomes<ir::LibraryRoutine>(op) ||
        (becomes<ir::Reduction>(op) && ops::combiner_of(op) != "add"))
      return split_structure(op, builder);
    if (becomes<ir::Reduction>(op)) return of_each_part(op, builder, op.attributes());
    if (const auto constant = ops::as<ops::ConstantOp>(op)) {
      const Tensor& value = constant->value();
      parts_[op.result()] = {builder.constant(part_of(value, false)), builder.constant(part_of(value, true))};
    } else if (ops::is<ops::IotaOp>(op)) {
      const Value& all = *op.result();
      Value* re = make::iota(builder, real_dtype(all.dtype()), all.shape(), ops::IotaOp(op).axis());
      parts_[op.result()] = {re, ComplexMath(builder).number(re, 0)};
    } else if (becomes<ir::Contraction>(op)) {
      split_contraction(op, builder);
    } else if (becomes<ir::Gather>(op)) {
      Attributes imaginary = op.attributes();  // what is not there is NaN + 0i
      if (imaginary.get<std::string>("mode") == "fill") imaginary.set("mode", std::string("zero"));
      of_each_part(op, builder, imaginary);
    } else if (const auto scatter = ops::as<ops::ScatterOp>(op); scatter && scatter->combiner() == "mul") {
      parts_[op.result()] = product_at_indices(op, builder);
    } else if (becomes<ir::View>(op) || becomes<ir::Scatter>(op) ||
               ops::is_any<ops::SelectOp, ops::StopGradientOp>(op)) {
      of_each_part(op, builder, op.attributes());
    } else if (is_complex(op.result())) {
      parts_[op.result()] = arithmetic(op, builder);
    } else {
      op.result()->replace_all_uses_with(real_result(op, builder));
    }
  }

  // A routine takes complex arrays as the user has them, and makes such.
  void split_borders(Op& op, ir::Builder& builder) {
    std::vector<Value*> operands;
    for (Value* operand : op.operands())
      operands.push_back(is_complex(operand) ? put_together(builder, operand) : operand);
    const Op* made = builder.make(op.name(), operands, op.attributes());
    for (Value* result : op.results()) {
      Value* whole = made->result(result->index());
      if (is_complex(result))
        parts_[result] = take_apart(builder, whole);
      else
        result->replace_all_uses_with(whole);
    }
  }

  // Done twice, with the real and with the imaginary parts of complex operands.
  void of_each_part(Op& op, ir::Builder& builder, const Attributes& imaginary) {
    Value* both[2];
    for (int k : {0, 1}) {
      std::vector<Value*> operands;
      for (Value* operand : op.operands())
        operands.push_back(!is_complex(operand) ? operand : k == 0 ? parts(operand).re : parts(operand).im);
      std::vector<std::unique_ptr<Region>> regions;
      for (int i = 0; i < op.region_count(); ++i) regions.push_back(real_combiner(op.region(i), builder));
      both[k] = builder.make(op.name(), operands, k == 0 ? op.attributes() : imaginary, std::move(regions))
                    ->result();
    }
    parts_[op.result()] = {both[0], both[1]};
  }

  // Of a sum: that of real numbers.
  static std::unique_ptr<Region> real_combiner(const Region& from, const ir::Builder& outside) {
    std::unique_ptr<Region> region = outside.make_region();
    const TensorType type{real_dtype(from.argument(0)->dtype()), {}};
    Value *a = region->add_argument(type, from.argument(0)->name()),
          *x = region->add_argument(type, from.argument(1)->name());
    ir::Builder builder(*region);
    builder.set_provenance(from.ops().front()->provenance());
    region->set_results({make::add(builder, {a, x})});
    return region;
  }

  void split_contraction(Op& op, ir::Builder& builder) {
    Attributes attributes = op.attributes();
    if (attributes.has("dtype")) attributes.set("dtype", real_dtype(op.result()->dtype()));
    const Parts x = parts(op.operand(0)), y = parts(op.operand(1));
    const bool few = has_few_terms(op);
    const auto product = [&](Value* a, Value* b) {
      return few ? short_product(op, a, b, builder) : builder.value(op.name(), {a, b}, attributes);
    };
    Value *rr = product(x.re, y.re), *ii = product(x.im, y.im), *ri = product(x.re, y.im),
          *ir = product(x.im, y.re);
    Value* re = make::sub(builder, {rr, ii});
    parts_[op.result()] = {re, make::add(builder, {ri, ir})};
  }

  // Each element by the product of its updates, which may be several: their sizes are multiplied, their
  // angles added. Whole quarter turns are counted apart, so that products with -1 and i are exact.
  Parts product_at_indices(Op& op, ir::Builder& builder) {
    ComplexMath math(builder);
    const auto compare = [&](const char* direction, Value* a, Value* b) {
      return make::compare(builder, direction, {a, b});
    };
    const auto at_indices = [&](const char* combiner, Value* to, Value* updates) {
      Attributes attributes = op.attributes();
      attributes.set("combiner", std::string(combiner));
      return builder.value("scatter", {to, op.operand(1), updates}, attributes);
    };
    const Parts x = parts(op.operand(0)), by = parts(op.operand(2));
    Value *re_size = make::abs(builder, by.re), *im_size = make::abs(builder, by.im),
          *zero = math.number(by.re, 0);
    Value* upright = compare("gt", im_size, re_size);
    Value* back = compare("lt", make::select(builder, {upright, by.im, by.re}), zero);
    Value* across = make::select(builder, {upright, make::neg(builder, by.re), by.im});
    const Parts rest{make::select(builder, {upright, im_size, re_size}),
                     make::select(builder, {back, make::neg(builder, across), across})};
    const auto whole = [&](Value* condition, double yes, double no) {
      Value* like = make::convert(builder, condition, DType::kS32);
      return make::select(builder, {condition, math.number(like, yes), math.number(like, no)});
    };
    constexpr double kTouched = 4;  // quarter turns, so that there are some where any update is
    Value* quarters = make::add(builder, {whole(upright, 1, 0), whole(back, kTouched + 2, kTouched)});
    Value* size = at_indices("mul", math.number(x.re, 1), math.abs(rest));
    Value* angle = at_indices("add", math.number(x.re, 0), make::atan2(builder, {rest.im, rest.re}));
    Value* like = make::convert(builder, compare("eq", x.re, x.re), DType::kS32);
    Value* turns = at_indices("add", math.number(like, 0), quarters);
    const auto has_bit = [&](double bit) {
      return compare("ne", make::bit_and(builder, {turns, math.number(turns, bit)}), math.number(turns, 0));
    };
    const Parts factor{make::mul(builder, {size, make::cos(builder, angle)}),
                       make::mul(builder, {size, make::sin(builder, angle)})};
    Value *odd = has_bit(1), *twice = has_bit(2);
    Value* re = make::select(builder, {odd, make::neg(builder, factor.im), factor.re});
    Value* im = make::select(builder, {odd, factor.re, factor.im});
    const Parts product = math.mul(x, {make::select(builder, {twice, make::neg(builder, re), re}),
                                       make::select(builder, {twice, make::neg(builder, im), im})});
    Value* touched = compare("ne", turns, math.number(turns, 0));
    return {make::select(builder, {touched, product.re, x.re}),
            make::select(builder, {touched, product.im, x.im})};
  }

  Parts arithmetic(Op& op, ir::Builder& builder) {
    const std::string_view name = op.name();
    if (ops::is<ops::ComplexOp>(op)) return {op.operand(0), op.operand(1)};
    if (ops::is<ops::ConvertOp>(op)) return converted(op, builder);
    if (ops::is<ops::BitcastOp>(op))
      return is_complex(op.operand(0)) ? parts(op.operand(0))
                                       : slices(builder, op.operand(0), op.result()->shape());
    const Parts x = parts(op.operand(0));
    ComplexMath math(builder);
    for (const auto& [known, function] : kOfOne) {
      if (name == known) return (math.*function)(x);
    }
    for (const auto& [known, function] : kOfTwo) {
      if (name == known) return (math.*function)(x, parts(op.operand(1)));
    }
    throw InternalError("split_complex does not know " + std::string(name));
  }

  Parts converted(Op& op, ir::Builder& builder) {
    const DType to = real_dtype(op.result()->dtype());
    const auto part = [&](Value* x) { return x->dtype() == to ? x : make::convert(builder, x, to); };
    if (is_complex(op.operand(0))) return {part(parts(op.operand(0)).re), part(parts(op.operand(0)).im)};
    Value* re = part(op.operand(0));
    return {re, ComplexMath(builder).number(re, 0)};
  }

  Value* real_result(Op& op, ir::Builder& builder) {
    const Parts x = parts(op.operand(0));
    if (ops::is<ops::RealOp>(op)) return x.re;
    if (ops::is<ops::ImagOp>(op)) return x.im;
    if (ops::is<ops::AbsOp>(op)) return ComplexMath(builder).abs(x);
    if (ops::is<ops::BitcastOp>(op)) return pairs_of(builder, op.operand(0));
    if (const auto compare = ops::as<ops::CompareOp>(op)) {
      Value* equal = ComplexMath(builder).equal(x, parts(op.operand(1)));
      return compare->direction() == "eq" ? equal : make::bit_not(builder, equal);
    }
    throw InternalError("split_complex does not know " + std::string(op.name()));
  }

  // --- calls, loops, reductions: everything is there twice

  void split_structure(Op& op, ir::Builder& builder) {
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) append(operands, operand);
    Attributes attributes = op.attributes();
    if (const auto scan = ops::as<ops::ScanOp>(op)) {
      const auto parts = [](const Value* value) { return is_complex(value) ? 2 : 1; };
      ops::ScanForm form = scan->form();
      if (form.running.has_value()) {
        const int carries_before = *form.running;
        for (int k = 0; k < carries_before; ++k) *form.running += parts(scan->carry(k).initial) - 1;
      }
      form.carries = 0;
      form.xs_axes.clear();
      form.ys_axes.clear();
      for (const auto& carry : scan->carries()) form.carries += parts(carry.initial);
      for (const auto& x : scan->scanned())
        form.xs_axes.insert(form.xs_axes.end(), static_cast<size_t>(parts(x.array)), x.axis);
      for (const auto& y : scan->stacks())
        form.ys_axes.insert(form.ys_axes.end(), static_cast<size_t>(parts(y.whole)), y.axis);
      form.write(attributes);
    }
    if (const auto loop = ops::as<ops::WhileOp>(op)) {
      ops::WhileForm form = loop->form();
      for (const auto& carry : loop->carries()) form.carries += is_complex(carry.initial) ? 1 : 0;
      form.write(attributes);
    }
    ops::Lanes lanes = ops::Lanes::of(attributes);
    if (lanes.any()) {
      lanes.mapped.clear();
      for (int i = 0; i < op.operand_count(); ++i)
        lanes.mapped.insert(lanes.mapped.end(), is_complex(op.operand(i)) ? 2 : 1,
                            ops::Lanes::of(op.attributes()).is_mapped(i) ? 1 : 0);
      lanes.write(attributes);
    }
    std::vector<std::unique_ptr<Region>> regions;
    for (int i = 0; i < op.region_count(); ++i) {
      regions.push_back(builder.make_region());
      ir::clone_region(op.region(i), *regions.back());
      Splitting inner(*regions.back(), context_);
      if (ops::is<ops::SortOp>(op))
        inner.split_pairs();
      else
        inner.split_arguments();
      inner.run();
      inner.split_results();
    }
    const Op* made = builder.make(op.name(), operands, attributes, std::move(regions));
    int next = 0;
    for (Value* result : op.results()) {
      if (is_complex(result)) {
        parts_[result] = {made->result(next), made->result(next + 1)};
        next += 2;
      } else {
        result->replace_all_uses_with(made->result(next++));
      }
    }
  }

  Region& region_;
  PassContext& context_;
  std::unordered_map<Value*, Parts> parts_;
  std::unordered_set<const Op*> own_;  // bitcasts at the border
  std::vector<Op*> dead_;
  int old_arguments_ = 0;
  std::vector<Value*> arguments_;
  std::vector<std::string> names_;
};

// Which arguments are given away, by their new numbers.
void renumber_donated(ir::Function& function) {
  std::unordered_set<int> donated;
  int next = 0;
  for (int i = 0; i < function.body().argument_count(); ++i) {
    const bool two = is_complex(function.body().argument(i));
    if (function.donated.count(i)) donated.insert(next);
    if (function.donated.count(i) && two) donated.insert(next + 1);
    next += two ? 2 : 1;
  }
  function.donated = std::move(donated);
}

class SplitComplex : public Pass {
 public:
  std::string_view name() const override { return "split_complex"; }
  std::string_view why() const override {
    return "Makes two real values of each complex one; it follows the algebra, to which complex numbers are "
           "numbers like others, and precedes all that is about kernels, which know real ones.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    const CallGraph graph(module);
    for (ir::Function* function : graph.callees_first()) {
      Region& body = function->body();
      const bool entry = function == module.entry();
      if (!needs_work(body, entry)) continue;
      Splitting splitting(body, context);
      if (entry) {
        splitting.read_arguments();
        splitting.run();
        splitting.write_results();
      } else {
        renumber_donated(*function);
        splitting.split_arguments();
        splitting.run();
        splitting.split_results();
      }
      changed = true;
    }
    return changed;
  }

 private:
  static bool stands_between_bitcasts(const Op& op) {
    if (!computes_in_a_routine(op)) return false;
    const auto operands = op.operands();
    return std::all_of(operands.begin(), operands.end(),
                       [](Value* v) { return !is_complex(v) || ops::is<ops::BitcastOp>(v); });
  }

  // What this pass has made it leaves alone: bitcasts at the entry's border and around routines.
  static bool needs_work(Region& body, bool entry) {
    bool found = false;
    for (const Value* argument : body.arguments()) found = found || (!entry && is_complex(argument));
    for (const Value* result : body.results()) found = found || (!entry && is_complex(result));
    ir::walk(body, [&](Op& op) {
      found = found || (touches_complex(op) && !op.is_return() && !ops::is<ops::BitcastOp>(op) &&
                        !stands_between_bitcasts(op));
    });
    return found;
  }
};

}  // namespace

std::unique_ptr<Pass> make_split_complex() {
  return std::make_unique<SplitComplex>();
}

}  // namespace ingot::pass
