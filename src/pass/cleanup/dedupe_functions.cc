// Functions that are structurally equal become one, so that each is compiled once, however often it was
// traced.
//
// Callees come before callers, and calls are redirected before the caller's hash is taken, so functions that
// differ only in which of several equal callees they call become equal too. The first of the equal ones
// stays; the entry takes no part.

#include <algorithm>

#include "ir/structural.h"
#include "ops/control.h"
#include "pass/call_graph.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

using ir::Function;

class DedupeFunctions : public Pass {
 public:
  std::string_view name() const override { return "dedupe_functions"; }
  std::string_view why() const override {
    return "Makes structurally equal functions one; it runs before inline, which counts how often a function "
           "is "
           "called, and again at the end, when simplified functions may have become equal.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    std::unordered_multimap<uint64_t, Function*> known;
    std::vector<Function*> duplicates;
    CallGraph graph(module);
    ir::StructuralHashes hashes;
    for (Function* function : graph.callees_first()) {
      if (function == module.entry()) continue;
      uint64_t hash = hashes.of(*function);
      Function* earlier = find(known, hash, *function);
      if (earlier == nullptr || !context.may("merge", *function)) {
        known.emplace(hash, function);
        continue;
      }
      add_lines(earlier->body(), function->body());
      for (ir::Op* call : graph.calls_of(function)) ops::set_callee(*call, *earlier);
      duplicates.push_back(function);
    }
    for (Function* function : duplicates) module.erase_function(function);
    return !duplicates.empty();
  }

 private:
  // What stays serves the lines of both.
  static void add_lines(const ir::Region& kept, const ir::Region& dropped) {
    auto other = dropped.ops().begin();
    for (const auto& op : kept.ops()) {
      const ir::Provenance& from = (*other)->provenance();
      ir::Provenance both = op->provenance();
      const std::string line = both.place();
      const auto add = [&](const std::string& one) {
        if (one != line && std::find(both.also.begin(), both.also.end(), one) == both.also.end())
          both.also.push_back(one);
      };
      if (!from.file.empty()) add(from.place());
      for (const std::string& one : from.also) add(one);
      for (int r = 0; r < op->region_count(); ++r) add_lines(op->region(r), (*other)->region(r));
      op->set_provenance(std::move(both));
      ++other;
    }
  }

  static Function* find(const std::unordered_multimap<uint64_t, Function*>& known, uint64_t hash,
                        const Function& function) {
    auto [first, last] = known.equal_range(hash);
    for (; first != last; ++first) {
      if (structurally_equal(*first->second, function)) return first->second;
    }
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Pass> make_dedupe_functions() {
  return std::make_unique<DedupeFunctions>();
}

}  // namespace ingot::pass
