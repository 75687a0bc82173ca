// sort_keys: a sort whose comparator compares keys becomes one by keys, along the last dimension.
//
// A comparator compares a key if it asks f(a) < f(b), or >, where f takes elements of the operands; several,
// if it asks for the next one where the one before is equal: p | (e & q), or select(e, q, p). Keys are made
// for whole arrays, as any arithmetic is, so that they fuse with what comes before. Where f only makes a
// total order of floats, the routine does that as it reads them: by their bits, as StableHLO's TOTALORDER, or
// by their values, -0 equal to +0 and NaN equal and last, as JAX has it. What compares floats themselves is
// taken to order them so, too: it says nothing of NaN. Operands whose results nobody uses are left out, and
// where all that is read are the first elements of rows, as of top_k, no others are put in order. Any other
// comparator stays, and is compiled by itself.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "ir/builder.h"
#include "ir/structural.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/becomes.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Op;
using ir::Value;

// Of first elements: arguments 0, 2, .. of the comparator.
struct Key {
  const Value* made;
  ops::KeyOrder order;
};
using Keys = std::optional<std::vector<Key>>;

class Comparison {
 public:
  static Keys keys_of(const ir::Region& comparator) { return Comparison().parse(comparator.results()[0]); }

 private:
  Keys parse(const Value* less) {
    if (const auto key = compared(less)) return std::vector{*key};
    if (const Op* both = ops::made_by<ops::OrOp>(less)) {
      for (const int first : {0, 1}) {
        const auto key = compared(both->operand(first));
        const Op* next = ops::made_by<ops::AndOp>(both->operand(1 - first));
        for (const int equal : {0, 1}) {
          if (key && next != nullptr && equals(next->operand(equal), *key, "eq"))
            return followed(*key, next->operand(1 - equal));
        }
      }
    }
    if (const Op* choice = ops::made_by<ops::SelectOp>(less)) {
      for (const int first : {1, 2}) {
        const auto key = compared(choice->operand(first));
        if (key && equals(choice->operand(0), *key, first == 1 ? "ne" : "eq"))
          return followed(*key, choice->operand(3 - first));
      }
    }
    return std::nullopt;
  }

  Keys followed(const Key& first, const Value* less) {
    Keys rest = parse(less);
    if (rest) rest->insert(rest->begin(), first);
    return rest;
  }

  std::optional<Key> compared(const Value* less) {
    const auto compare = ops::as<ops::CompareOp>(less);
    if (!compare || (compare->direction() != "lt" && compare->direction() != "gt")) return std::nullopt;
    const Value *a = less->op()->operand(0), *b = less->op()->operand(1);
    const bool falls = compare->direction() == "gt", straight = alike(a, b, 1);
    if (is_complex(a->dtype()) || (!straight && !alike(b, a, 1)) || !reads_elements(a)) return std::nullopt;
    return Key{straight ? a : b, {.descending = falls == straight}};
  }

  bool equals(const Value* value, const Key& key, std::string_view direction) {
    const auto compare = ops::as<ops::CompareOp>(value);
    if (!compare || compare->direction() != direction) return false;
    const Value *a = value->op()->operand(0), *b = value->op()->operand(1);
    return (alike(key.made, a, 0) && alike(key.made, b, 1)) ||
           (alike(key.made, b, 0) && alike(key.made, a, 1));
  }

  // Whether b is made as a is, of arguments that are `further` than those of a, which are first elements.
  bool alike(const Value* a, const Value* b, int further) {
    if (a->op() == nullptr || b->op() == nullptr)
      return a->op() == nullptr && b->op() == nullptr && a->index() % 2 == 0 &&
             b->index() == a->index() + further;
    const auto [it, fresh] = alike_.try_emplace({a, b, further}, true);
    if (!fresh) return it->second;
    const Op &x = *a->op(), &y = *b->op();
    bool same = &x.record() == &y.record() && x.region_count() == 0 && x.result_count() == 1 &&
                (becomes<ir::ScalarRecipe>(x) || becomes<ir::Literal>(x)) && a->rank() == 0 &&
                structurally_equal(x.attributes(), y.attributes());
    for (int i = 0; same && i < x.operand_count(); ++i) same = alike(x.operand(i), y.operand(i), further);
    return alike_[{a, b, further}] = same;
  }

  bool reads_elements(const Value* value) {
    if (value->op() == nullptr) return true;
    const auto [it, fresh] = reads_.try_emplace(value, false);
    for (const Value* operand : value->op()->operands()) {
      if (fresh && !it->second) it->second = reads_elements(operand);
    }
    return it->second;
  }

  std::map<const Value*, bool> reads_;
  std::map<std::tuple<const Value*, const Value*, int>, bool> alike_;
};

// --- orders of floats

const Tensor* constant_of(const Value* value) {
  const Op* op = ops::made_by<ops::ConstantOp>(value);
  return op == nullptr || value->rank() != 0 ? nullptr : &op->attributes().get<Tensor>("value");
}
bool is_number(const Value* value, int64_t number) {
  const Tensor* tensor = constant_of(value);
  return tensor != nullptr && tensor->get_int(0) == number;
}

// x of select(x == 0, 0, x), or of select(x != x, NaN, x).
const Value* replaced_in(const Value* value, bool nan) {
  const Op* choice = ops::made_by<ops::SelectOp>(value);
  if (choice == nullptr) return nullptr;
  const Value* x = choice->operand(2);
  const auto asked = ops::as<ops::CompareOp>(choice->operand(0));
  const Tensor* constant = constant_of(choice->operand(1));
  if (!asked || constant == nullptr || asked->direction() != (nan ? "ne" : "eq")) return nullptr;
  const double number = constant->get_double(0);
  if (std::signbit(number) || (nan ? !std::isnan(number) : number != 0)) return nullptr;
  const Op& question = asked->op();
  if (!nan) {
    const Tensor* zero = constant_of(question.operand(1));
    return question.operand(0) == x && zero != nullptr && zero->get_double(0) == 0 ? x : nullptr;
  }
  // JAX asks for NaN of what it began with.
  const Value* inner = replaced_in(x, false);
  const Value* original = inner != nullptr ? inner : x;
  const bool same = question.operand(0) == question.operand(1) &&
                    (question.operand(0) == x || question.operand(0) == original);
  return same ? x : nullptr;
}

// x, where the value is that with zeros made +0 and NaN made one positive NaN; or null.
const Value* with_equal_zeros(const Value* value) {
  const Value* inner = replaced_in(value, true);
  return inner == nullptr ? nullptr : replaced_in(inner, false);
}

// x, where the value is the integer that orders as the bits of the float x do; or null.
const Value* total_order_of(const Value* value) {
  const Op* flipped = ops::made_by<ops::XorOp>(value);
  for (int i = 0; flipped != nullptr && i < 2; ++i) {
    const Value* bits = flipped->operand(i);
    const Op *read = ops::made_by<ops::BitcastOp>(bits),
             *mask = ops::made_by<ops::AndOp>(flipped->operand(1 - i));
    if (read == nullptr || mask == nullptr || !is_float(read->operand(0)->dtype()) ||
        !is_signed(bits->dtype()))
      continue;
    const auto width = 8 * static_cast<int64_t>(byte_size(bits->dtype()));
    const int64_t all_but_sign = static_cast<int64_t>(~uint64_t{0} >> (65 - width));
    for (int j : {0, 1}) {
      const Op* sign = ops::made_by<ops::ShiftRightArithmeticOp>(mask->operand(j));
      if (sign != nullptr && is_number(mask->operand(1 - j), all_but_sign) && sign->operand(0) == bits &&
          is_number(sign->operand(1), width - 1))
        return read->operand(0);
    }
  }
  return nullptr;
}

// The order of floats that the routine knows, and of what.
Key simplified(Key key) {
  const Value* floats = is_float(key.made->dtype()) ? key.made : total_order_of(key.made);
  if (floats == nullptr) return key;
  const bool by_bits = floats != key.made;
  const Value* inner = with_equal_zeros(floats);
  return {inner != nullptr ? inner : floats,
          {.descending = key.order.descending, .by_value = !by_bits || inner != nullptr}};
}

// --- rewriting

class Rewrite {
 public:
  explicit Rewrite(Op& sort)
      : sort_(sort),
        builder_(*sort.parent(), &sort),
        axis_(sort.attributes().get<int64_t>("axis")),
        shape_(sort.operand(0)->shape()) {
    const auto rank = static_cast<int64_t>(shape_.size());
    order_.resize(shape_.size());
    std::iota(order_.begin(), order_.end(), 0);
    order_.erase(order_.begin() + axis_);
    order_.push_back(axis_);
    back_.resize(shape_.size());
    for (int64_t i = 0; i < rank; ++i) back_[static_cast<size_t>(order_[static_cast<size_t>(i)])] = i;
    builder_.set_provenance(sort.provenance().derived("sort_keys", "sort"));
  }

  bool moves() const { return axis_ + 1 != static_cast<int64_t>(shape_.size()); }

  void by_keys(const std::vector<Key>& keys) {
    std::vector<Value*> operands;
    IntList orders;
    for (const Key& found : keys) {
      const Key key = simplified(found);
      operands.push_back(turned(whole(key.made), order_));
      orders.push_back(key.order.number());
    }
    std::vector<int> wanted;
    for (int i = 0; i < sort_.result_count(); ++i) {
      if (sort_.result(i)->used()) wanted.push_back(i);
    }
    for (const int i : wanted) operands.push_back(turned(sort_.operand(i), order_));
    ir::Attributes attributes{{"axis", last()}, {"orders", orders}};
    if (const int64_t first = first_read(); first < shape_[static_cast<size_t>(axis_)])
      attributes.set("first", first);
    finish(*make("sort_by_keys", operands, std::move(attributes)), wanted);
  }

  void along_the_last() {
    std::vector<Value*> operands;
    std::vector<int> all;
    for (Value* operand : sort_.operands()) operands.push_back(turned(operand, order_));
    for (int i = 0; i < sort_.result_count(); ++i) all.push_back(i);
    std::vector<std::unique_ptr<ir::Region>> regions;
    for (int i = 0; i < sort_.region_count(); ++i) {
      regions.push_back(builder_.make_region());
      ir::clone_region(sort_.region(i), *regions.back());
    }
    ir::Attributes attributes = sort_.attributes();
    attributes.set("axis", last());
    finish(*make(sort_.name(), operands, attributes, std::move(regions)), all);
  }

 private:
  int64_t last() const { return static_cast<int64_t>(shape_.size()) - 1; }

  // How many elements of each row are read, where all that reads them are slices from the beginning.
  int64_t first_read() const {
    const auto axis = static_cast<size_t>(axis_);
    int64_t first = 0;
    for (const Value* result : sort_.results()) {
      for (const ir::Use& use : result->uses()) {
        const auto slice = ops::as<ops::SliceOp>(*use.op);
        if (!slice || slice->strides()[axis] != 1) return shape_[axis];
        first = std::max(first, slice->limits()[axis]);
      }
    }
    return first;
  }

  Op* make(std::string_view record, const std::vector<Value*>& operands, ir::Attributes attributes,
           std::vector<std::unique_ptr<ir::Region>> regions = {}) {
    const ir::Provenance derived = builder_.provenance();
    builder_.set_provenance(sort_.provenance());
    Op* made = builder_.make(record, operands, std::move(attributes), std::move(regions));
    builder_.set_provenance(derived);
    return made;
  }

  // Results that nobody uses have no replacement. Those of fewer elements are read by slices alone.
  void finish(Op& made, const std::vector<int>& which) {
    std::vector<std::pair<Value*, std::string>> names;
    const auto stands_for = [&](Value* old, Value* result) {
      names.emplace_back(result, old->name());
      old->replace_all_uses_with(result);
    };
    for (size_t i = 0; i < which.size(); ++i) {
      Value* old = sort_.result(which[i]);
      Value* result = turned(made.result(static_cast<int>(i)), back_);
      if (result->type() == old->type()) {
        stands_for(old, result);
        continue;
      }
      while (old->used()) {
        Op* slice = old->uses().front().op;
        stands_for(slice->result(), make("slice", {result}, slice->attributes())->result());
        slice->erase();
      }
    }
    ir::Function* function = sort_.function();
    sort_.erase();
    for (const auto& [value, name] : names) function->rename(value, name);
  }

  Value* turned(Value* value, const IntList& permutation) {
    return moves() ? make::transpose(builder_, value, permutation) : value;
  }

  // What the comparator makes of one element, of all of them.
  Value* whole(const Value* made) {
    if (made->op() == nullptr) return sort_.operand(made->index() / 2);
    Value*& known = whole_[made];
    if (known != nullptr) return known;
    const Op& op = *made->op();
    if (const Tensor* constant = constant_of(made))
      return known = make::spread(builder_, builder_.constant(*constant), shape_);
    std::vector<Value*> operands;
    for (const Value* operand : op.operands()) operands.push_back(whole(operand));
    return whole_[made] = builder_.value(op.name(), operands, op.attributes());
  }

  Op& sort_;
  ir::Builder builder_;
  const int64_t axis_;
  const Shape shape_;
  IntList order_, back_;
  std::map<const Value*, Value*> whole_;
};

class SortKeys : public Pass {
 public:
  std::string_view name() const override { return "sort_keys"; }
  std::string_view why() const override {
    return "Sorts by keys where a comparator compares such, along the last dimension; it precedes the "
           "algebra, "
           "which would write comparators otherwise, and works on the keys, too.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> sorts = find_ops(
        module, [](const Op& op) { return ops::is_any<ops::SortOp, ops::SortByKeysOp>(op) && op.used(); });
    bool changed = false;
    for (Op* sort : sorts) {
      Rewrite rewrite(*sort);
      const bool compares = ops::is<ops::SortOp>(*sort);
      const Keys keys = compares ? Comparison::keys_of(sort->region()) : std::nullopt;
      if (keys && context.may("by_keys", *sort)) {
        rewrite.by_keys(*keys);
      } else if (rewrite.moves() && context.must("last_axis", *sort)) {
        rewrite.along_the_last();
      } else {
        continue;
      }
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_sort_keys() {
  return std::make_unique<SortKeys>();
}

}  // namespace ingot::pass
