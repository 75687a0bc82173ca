// Common subexpressions: an operation that does what an earlier one of the same region does is replaced by
// it.
//
// Operations are equal if record, operands, attributes and nested regions are; all operations are pure.
// Regions are closed, so each region is a world of its own and one walk in program order finds everything,
// since operands have been replaced before their users are looked at.

#include "base/hash.h"
#include "ir/structural.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;

class RegionCse {
 public:
  explicit RegionCse(PassContext& context) : context_(context) {}

  bool run(Region& region) {
    bool changed = false;
    std::unordered_map<const ir::Value*, uint64_t> numbers;  // addresses are no stable hash; the order is
    for (const ir::Value* argument : region.arguments()) numbers.emplace(argument, numbers.size());
    std::unordered_multimap<uint64_t, Op*> known;
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op* op = (it++)->get();
      for (int i = 0; i < op->region_count(); ++i) changed |= RegionCse(context_).run(op->region(i));
      if (op->is_return()) continue;
      uint64_t hash = hash_of(*op, numbers);
      if (Op* earlier = find(known, hash, *op); earlier != nullptr && context_.may("merge", *op)) {
        replace_op(op, earlier->results(), {});
        changed = true;
        continue;
      }
      known.emplace(hash, op);
      for (const ir::Value* result : op->results()) numbers.emplace(result, numbers.size());
    }
    return changed;
  }

 private:
  static uint64_t hash_of(const Op& op, const std::unordered_map<const ir::Value*, uint64_t>& numbers) {
    Hasher hasher;
    hasher.add(op.name());
    for (const ir::Value* operand : op.operands()) hasher.add(numbers.at(operand));
    hasher.add(structural_hash(op.attributes()));
    for (int i = 0; i < op.region_count(); ++i) hasher.add(structural_hash(op.region(i)));
    return hasher.value();
  }

  static Op* find(const std::unordered_multimap<uint64_t, Op*>& known, uint64_t hash, const Op& op) {
    auto [first, last] = known.equal_range(hash);
    for (; first != last; ++first) {
      if (equal(*first->second, op)) return first->second;
    }
    return nullptr;
  }

  static bool equal(const Op& a, const Op& b) {
    if (&a.record() != &b.record() || a.operand_count() != b.operand_count() ||
        a.region_count() != b.region_count()) {
      return false;
    }
    for (int i = 0; i < a.operand_count(); ++i) {
      if (a.operand(i) != b.operand(i)) return false;
    }
    for (int i = 0; i < a.region_count(); ++i) {
      if (!structurally_equal(a.region(i), b.region(i))) return false;
    }
    return structurally_equal(a.attributes(), b.attributes());
  }

  PassContext& context_;
};

class Cse : public Pass {
 public:
  std::string_view name() const override { return "cse"; }
  std::string_view why() const override {
    return "Merges operations that compute the same, so that nothing is computed or stored twice; it follows "
           "canonicalize, which gives equal things equal forms.";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) changed |= RegionCse(context).run(function->body());
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_cse() {
  return std::make_unique<Cse>();
}

}  // namespace ingot::pass
