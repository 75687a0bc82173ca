#include "pass/scan_layout.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

std::vector<int> iota(int first, int count) {
  std::vector<int> list(static_cast<size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return list;
}

// The values of a scan's region that its used results depend on, over any number of steps.
class Liveness {
 public:
  explicit Liveness(const Op& scan) : scan_(scan), carries_(carries_of(scan)) {
    for (int i = 0; i < scan.result_count(); ++i) {
      if (scan.result(i)->used()) mark_result(i);
    }
    while (!stack_.empty()) {
      const Value* value = stack_.back();
      stack_.pop_back();
      if (value->op() != nullptr) {
        for (const Value* operand : value->op()->operands()) mark(operand);
      } else if (value->index() < carries_) {
        mark_result(value->index());  // what this step reads, the step before has to make
      }
    }
  }

  bool argument(int i) const { return live_.contains(scan_.region().argument(i)); }
  bool carry(int i) const { return argument(i) || scan_.result(i)->used(); }

 private:
  void mark(const Value* value) {
    if (live_.insert(value).second) stack_.push_back(value);
  }
  void mark_result(int i) { mark(scan_.region().results()[static_cast<size_t>(i)]); }

  const Op& scan_;
  int carries_;
  std::unordered_set<const Value*> live_;
  std::vector<const Value*> stack_;
};

void erase_unused_ops(Region& region) {
  for (auto it = region.ops().end(); it != region.ops().begin();) {
    Op* op = std::prev(it)->get();
    if (op->is_return() || op->used()) {
      --it;
    } else {
      op->erase();
    }
  }
}

ir::IntList pick(const ir::IntList& list, const std::vector<int>& indices) {
  ir::IntList picked;
  for (int i : indices) picked.push_back(list[static_cast<size_t>(i)]);
  return picked;
}

// The arguments of the old region (and operands of the old scan) in the order of the new one.
std::vector<int> kept_arguments(const Op& scan, const ScanLayout& layout) {
  std::vector<int> kept = layout.carries;
  for (int i : layout.scanned) kept.push_back(carries_of(scan) + i);
  kept.insert(kept.end(), layout.invariants.begin(), layout.invariants.end());
  return kept;
}

std::vector<int> kept_results(const Op& scan, const ScanLayout& layout) {
  std::vector<int> kept = layout.carries;
  for (int i : layout.stacked) kept.push_back(carries_of(scan) + i);
  return kept;
}

ir::Attributes attributes_for(const Op& scan, const ScanLayout& layout) {
  ir::Attributes attributes = scan.attributes();
  attributes.set("carries", static_cast<int64_t>(layout.carries.size()));
  attributes.set("scanned", static_cast<int64_t>(layout.scanned.size()));
  attributes.set("xs_axes", pick(scan.attributes().list("xs_axes"), layout.scanned));
  attributes.set("ys_axes", pick(scan.attributes().list("ys_axes"), layout.stacked));
  if (layout.carries.empty() || layout.carries[0] != 0) attributes.erase("active");  // it is about the first
  return attributes;
}

// Moves what is kept of the scan's region into a fresh one; names of arguments are left to be given back
// later.
std::unique_ptr<Region> move_region(Op& scan, const std::vector<int>& arguments,
                                    const std::vector<int>& results) {
  Region& old = scan.region();
  std::vector<Value*> returned;
  for (int i : results) returned.push_back(old.results()[static_cast<size_t>(i)]);
  old.set_results(returned);
  erase_unused_ops(old);
  std::unique_ptr<Region> fresh = scan.function()->make_region();
  for (int i : arguments) {
    Value* argument = old.argument(i);
    argument->replace_all_uses_with(fresh->add_argument(argument->type(), argument->name()));
  }
  returned.assign(old.results().begin(), old.results().end());
  old.set_results({});
  move_ops(old, *fresh);
  fresh->set_results(returned);
  return fresh;
}

}  // namespace

bool is_scan(const Op& op) {
  return op.name() == "scan";
}
int carries_of(const Op& scan) {
  return static_cast<int>(scan.attributes().integer("carries"));
}
int scanned_of(const Op& scan) {
  return static_cast<int>(scan.attributes().integer("scanned"));
}

ScanLayout ScanLayout::of(const Op& scan) {
  int carries = carries_of(scan), scanned = scanned_of(scan);
  int invariants = scan.operand_count() - carries - scanned;
  return {iota(0, carries), iota(0, scanned), iota(carries + scanned, invariants),
          iota(0, scan.result_count() - carries)};
}

ScanLayout needed_parts(const Op& scan) {
  ScanLayout layout = ScanLayout::of(scan);
  Liveness live(scan);
  int carries = carries_of(scan);
  std::erase_if(layout.carries, [&](int i) { return !live.carry(i); });
  std::erase_if(layout.scanned, [&](int i) { return !live.argument(carries + i); });
  std::erase_if(layout.invariants, [&](int i) { return !live.argument(i); });
  std::erase_if(layout.stacked, [&](int i) { return !scan.result(carries + i)->used(); });
  return layout;
}

ScanLayout without_constant_carries(const Op& scan) {
  ScanLayout layout = ScanLayout::of(scan);
  const Region& region = scan.region();
  std::erase_if(layout.carries, [&](int i) {
    bool constant = region.results()[static_cast<size_t>(i)] == region.argument(i);
    if (constant) layout.invariants.push_back(i);
    return constant;
  });
  return layout;
}

Op* rebuild_scan(Op& scan, const ScanLayout& layout) {
  std::vector<int> arguments = kept_arguments(scan, layout);
  std::vector<int> results = kept_results(scan, layout);
  std::vector<Value*> operands;
  std::vector<std::string> argument_names, result_names;
  std::vector<ir::TensorType> types;
  for (int i : arguments) {
    operands.push_back(scan.operand(i));
    argument_names.push_back(scan.region().argument(i)->name());
  }
  for (int i : results) {
    types.push_back(scan.result(i)->type());
    result_names.push_back(scan.result(i)->name());
  }
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(move_region(scan, arguments, results));
  Op* fresh = scan.parent()->insert(scan.record(), std::move(operands), attributes_for(scan, layout),
                                    std::move(types), scan.provenance(), &scan, std::move(regions));
  for (size_t k = 0; k < results.size(); ++k) {
    scan.result(results[k])->replace_all_uses_with(fresh->result(static_cast<int>(k)));
  }
  ir::Function* function = scan.function();
  scan.erase();
  for (size_t k = 0; k < results.size(); ++k)
    function->rename(fresh->result(static_cast<int>(k)), result_names[k]);
  for (size_t k = 0; k < arguments.size(); ++k) {
    function->rename(fresh->region().argument(static_cast<int>(k)), argument_names[k]);
  }
  return fresh;
}

}  // namespace ingot::pass
