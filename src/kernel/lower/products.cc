#include "kernel/lower/products.h"

#include <algorithm>
#include <map>

#include "kernel/ir/blocks.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

using UseCounts = std::unordered_map<ScalarId, int>;

UseCounts count_uses(const Kernel& kernel, Block& block) {
  UseCounts counts;
  for_each_stmt(block, [&](const Stmt& stmt) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) {
      for (ScalarId id : uses(kernel, stmt)) ++counts[id];
      return;
    }
    for (const Carry& carry : loop->carries) {
      ++counts[carry.init];
      ++counts[carry.next];
    }
    for (ScalarId id : loop->combiner.out) ++counts[id];
  });
  return counts;
}

struct Factor {
  ScalarId base;
  int64_t exponent;
};

// One block's chains. A product is *inner* if its only use is another product of the block.
class Chains {
 public:
  Chains(Kernel& kernel, Block& block, const UseCounts& counts) : kernel_(kernel), block_(block) {
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      const Let* let = product(i);
      if (let == nullptr) continue;
      for (ScalarId operand : let->operands) {
        if (maker_.count(operand) && counts.at(operand) == 1) inner_.insert(operand);
      }
      maker_[let->result] = i;
    }
  }

  void regroup() {
    if (inner_.empty()) return;
    std::vector<Stmt> before = std::move(block_.stmts);
    stmts_ = &before;
    block_.stmts.clear();
    for (size_t i = 0; i < before.size(); ++i) {
      const Let* root = product(i);
      std::vector<Factor> factors;
      if (root != nullptr && !inner_.count(root->result)) factors = factors_of(*root);
      if (std::any_of(factors.begin(), factors.end(), [](const Factor& f) { return f.exponent > 1; }))
        write(*root, std::move(factors));
      else
        block_.stmts.push_back(before[i]);
    }
    stmts_ = nullptr;
  }

 private:
  const Let* product(size_t i) const {
    const std::vector<Stmt>& stmts = stmts_ != nullptr ? *stmts_ : block_.stmts;
    auto* let = std::get_if<Let>(&stmts[i].node);
    if (let == nullptr || !ops::is<ops::MulOp>(*let->record)) return nullptr;
    const DType dtype = kernel_.scalars[static_cast<size_t>(let->result)];
    return is_float(dtype) || dtype == DType::kPred ? nullptr : let;
  }

  // From left to right, each base once. Chains can be thousands long: the walk has a stack of its own.
  std::vector<Factor> factors_of(const Let& root) const {
    std::vector<Factor> factors;
    std::unordered_map<ScalarId, size_t> place;
    std::vector<ScalarId> pending = {root.operands[1], root.operands[0]};
    while (!pending.empty()) {
      const ScalarId id = pending.back();
      pending.pop_back();
      if (inner_.count(id)) {
        const Let& let = *product(maker_.at(id));
        pending.insert(pending.end(), {let.operands[1], let.operands[0]});
      } else if (auto [it, fresh] = place.emplace(id, factors.size()); fresh) {
        factors.push_back({id, 1});
      } else {
        ++factors[it->second].exponent;
      }
    }
    return factors;
  }

  // The root keeps its scalar.
  void write(const Let& root, std::vector<Factor> factors) {
    root_ = &root;
    auto [a, b] = last_product(std::move(factors));
    block_.stmts.push_back({Let{root.result, root.record, {a, b}, root.attributes}});
  }

  // Bases of equal exponents are multiplied first; then what has odd exponents times the square of the rest.
  // The two operands of the last multiplication; the second is missing if there is none to be done.
  std::pair<ScalarId, ScalarId> last_product(std::vector<Factor> factors) {
    std::vector<Factor> joined;
    for (const Factor& factor : factors) {
      auto same = std::find_if(joined.begin(), joined.end(),
                               [&](const Factor& f) { return f.exponent == factor.exponent; });
      if (same == joined.end())
        joined.push_back(factor);
      else
        same->base = times(same->base, factor.base);
    }
    ScalarId odd = kNone;
    std::vector<Factor> halves;
    for (const Factor& factor : joined) {
      if (factor.exponent % 2 == 1) odd = times(odd, factor.base);
      if (factor.exponent > 1) halves.push_back({factor.base, factor.exponent / 2});
    }
    if (halves.empty()) return {odd, kNone};
    auto [a, b] = last_product(std::move(halves));
    const ScalarId root = times(a, b);
    if (odd == kNone) return {root, root};
    return {odd, times(root, root)};
  }

  ScalarId times(ScalarId a, ScalarId b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    auto [it, fresh] = made_.emplace(std::pair(a, b), kNone);
    if (fresh) {
      it->second = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(root_->result)]);
      block_.stmts.push_back({Let{it->second, root_->record, {a, b}, root_->attributes}});
    }
    return it->second;
  }

  Kernel& kernel_;
  Block& block_;
  std::vector<Stmt>* stmts_ = nullptr;  // as they were, while the block is written anew
  std::unordered_map<ScalarId, size_t> maker_;
  std::set<ScalarId> inner_;
  std::map<std::pair<ScalarId, ScalarId>, ScalarId> made_;
  const Let* root_ = nullptr;
};

void regroup(Kernel& kernel, Block& block, const UseCounts& counts) {
  for (Stmt& stmt : block.stmts) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) regroup(kernel, loop->body, counts);
  }
  Chains(kernel, block, counts).regroup();
}

}  // namespace

void regroup_products(Kernel& kernel, Block& block) {
  regroup(kernel, block, count_uses(kernel, block));
}

}  // namespace ingot::kernel
