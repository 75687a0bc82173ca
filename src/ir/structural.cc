#include "ir/structural.h"

#include <algorithm>
#include <bit>
#include <set>

#include "base/hash.h"
#include "ir/op_record.h"

namespace ingot::ir {

namespace {

// The function that an operation's attribute `callee` names, or null.
const Function* callee_of(const Function& caller, const Attribute& attribute) {
  const Symbol* symbol = std::get_if<Symbol>(&attribute);
  return symbol == nullptr || caller.module() == nullptr ? nullptr : caller.module()->find(symbol->name);
}

}  // namespace

class StructuralHasher {
 public:
  void attribute(Hasher& hasher, const Attribute& attribute) {
    hasher.add(attribute.index());
    std::visit([&](const auto& value) { add(hasher, value); }, attribute);
  }

  uint64_t hash(const Region& region) {
    Hasher hasher;
    std::unordered_map<const Value*, uint64_t> numbers;
    hasher.add(region.argument_count());
    for (int i = 0; i < region.argument_count(); ++i) {
      numbers.emplace(region.argument(i), numbers.size());
      type(hasher, region.argument(i)->type());
    }
    for (const auto& op : region.ops()) {
      hasher.add(op->name());
      hasher.add(op->operand_count());
      for (const Value* operand : op->operands()) hasher.add(numbers.at(operand));
      attributes(hasher, *region.function(), op->attributes());
      for (int i = 0; i < op->region_count(); ++i) hasher.add(hash(op->region(i)));
      for (int i = 0; i < op->result_count(); ++i) {
        numbers.emplace(op->result(i), numbers.size());
        type(hasher, op->result(i)->type());
      }
    }
    return hasher.value();
  }

  uint64_t hash(const Function& function) {
    if (auto it = done_.find(&function); it != done_.end()) return it->second;
    Hasher hasher;
    for (int index : std::set<int>(function.donated.begin(), function.donated.end())) hasher.add(index);
    hasher.add(hash(function.body()));
    return done_[&function] = hasher.value();
  }

 private:
  void attributes(Hasher& hasher, const Function& caller, const Attributes& attributes) {
    hasher.add(attributes.items().size());
    for (const auto& [name, value] : attributes.items()) {
      hasher.add(name);
      if (const Function* callee = callee_of(caller, value)) {
        hasher.add(hash(*callee));
      } else {
        attribute(hasher, value);
      }
    }
  }

  static void type(Hasher& hasher, const TensorType& type) {
    hasher.add(static_cast<int>(type.dtype));
    add(hasher, type.shape);
  }

  static void add(Hasher& hasher, bool value) { hasher.add(value); }
  static void add(Hasher& hasher, int64_t value) { hasher.add(value); }
  static void add(Hasher& hasher, double value) { hasher.add(value); }
  static void add(Hasher& hasher, const std::string& value) { hasher.add(value); }
  static void add(Hasher& hasher, DType value) { hasher.add(static_cast<int>(value)); }
  static void add(Hasher& hasher, const Symbol& value) { hasher.add(value.name); }
  static void add(Hasher& hasher, const IntList& value) {
    hasher.add_bytes(value.data(), value.size() * sizeof(int64_t));
  }
  static void add(Hasher& hasher, const Tensor& value) {
    hasher.add(static_cast<int>(value.dtype()));
    add(hasher, value.shape());
    hasher.add_bytes(value.raw(), value.bytes());
  }

  std::unordered_map<const Function*, uint64_t> done_;
};

namespace {

bool equal_attribute(const Attribute& a, const Attribute& b) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y);
  return a == b;
}

class StructuralComparison {
 public:
  bool equal(const Function& a, const Function& b) {
    if (&a == &b || known_.contains({&a, &b})) return true;
    if (a.donated != b.donated || !equal(a.body(), b.body())) return false;
    known_.insert({&a, &b});
    return true;
  }

  bool equal(const Region& a, const Region& b) {
    if (&a == &b) return true;
    if (a.argument_count() != b.argument_count() || a.ops().size() != b.ops().size()) return false;
    std::unordered_map<const Value*, const Value*> partner;
    for (int i = 0; i < a.argument_count(); ++i) {
      if (a.argument(i)->type() != b.argument(i)->type()) return false;
      partner[a.argument(i)] = b.argument(i);
    }
    return std::equal(a.ops().begin(), a.ops().end(), b.ops().begin(),
                      [&](const auto& x, const auto& y) { return equal(*x, *y, partner); });
  }

 private:
  bool equal(const Op& a, const Op& b, std::unordered_map<const Value*, const Value*>& partner) {
    if (&a.record() != &b.record() || a.operand_count() != b.operand_count() ||
        a.result_count() != b.result_count() || a.region_count() != b.region_count()) {
      return false;
    }
    for (int i = 0; i < a.operand_count(); ++i) {
      if (partner.at(a.operand(i)) != b.operand(i)) return false;
    }
    for (int i = 0; i < a.result_count(); ++i) {
      if (a.result(i)->type() != b.result(i)->type()) return false;
      partner[a.result(i)] = b.result(i);
    }
    if (!equal_attributes(a, b)) return false;
    for (int i = 0; i < a.region_count(); ++i) {
      if (!equal(a.region(i), b.region(i))) return false;
    }
    return true;
  }

  bool equal_attributes(const Op& a, const Op& b) {
    const auto& x = a.attributes().items();
    const auto& y = b.attributes().items();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const auto& p, const auto& q) {
      if (p.first != q.first) return false;
      const Function* f = callee_of(*a.function(), p.second);
      const Function* g = callee_of(*b.function(), q.second);
      return f != nullptr && g != nullptr ? equal(*f, *g) : equal_attribute(p.second, q.second);
    });
  }

  std::set<std::pair<const Function*, const Function*>> known_;
};

}  // namespace

StructuralHashes::StructuralHashes() : hasher_(std::make_unique<StructuralHasher>()) {}
StructuralHashes::~StructuralHashes() = default;

uint64_t StructuralHashes::of(const Function& function) {
  return hasher_->hash(function);
}

uint64_t structural_hash(const Attributes& attributes) {
  Hasher hasher;
  StructuralHasher structure;
  for (const auto& [name, value] : attributes.items()) {
    hasher.add(name);
    structure.attribute(hasher, value);
  }
  return hasher.value();
}

uint64_t structural_hash(const Region& region) {
  return StructuralHasher().hash(region);
}
uint64_t structural_hash(const Function& function) {
  return StructuralHasher().hash(function);
}

bool structurally_equal(const Attributes& a, const Attributes& b) {
  return std::equal(
      a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
      [](const auto& p, const auto& q) { return p.first == q.first && equal_attribute(p.second, q.second); });
}

bool structurally_equal(const Region& a, const Region& b) {
  return StructuralComparison().equal(a, b);
}
bool structurally_equal(const Function& a, const Function& b) {
  return StructuralComparison().equal(a, b);
}

}  // namespace ingot::ir
