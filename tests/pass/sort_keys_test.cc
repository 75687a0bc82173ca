// Which comparators are found to compare keys, and what becomes of them.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/comparators.h"
#include "ops/kinds.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::pass {
namespace {

using ops::KeyOrder;

// The orders of the keys that the one sort of the program has, after the pass; {-1} if it has a comparator.
std::vector<int64_t> orders_in(ir::Module& module) {
  PassContext context;
  run_passes(module, parse_pass_list("sort_keys,dce"), context);
  ir::verify(module);
  for (const auto& op : module.entry()->body().ops()) {
    if (ops::is<ops::SortOp>(*op)) return {-1};
    if (ops::is<ops::SortByKeysOp>(*op)) {
      EXPECT_EQ(ops::SortByKeysOp(*op).axis() + 1, op->operand(0)->rank());
      return op->attributes().list("orders");
    }
  }
  return {};
}

std::vector<int64_t> orders_of(const std::string& comparator) {
  const auto module = ir::parse(
      "func @main(%x: f32[4,3], %n: s32[4,3]) -> (f32[4,3]) {\n"
      "  %y, %m = sort(%x, %n) {axis = 0, stable = true} (%a: f32[], %b: f32[], %c: s32[], "
      "%d: s32[]) {\n" +
      comparator + "    return %less\n  } : f32[4,3], s32[4,3]\n  return %y\n}\n");
  return orders_in(*module);
}

std::string compare(const std::string& name, const std::string& x, const std::string& y,
                    const std::string& how) {
  return "    %" + name + " = compare(%" + x + ", %" + y + ") {direction = \"" + how + "\"} : pred[]\n";
}

using Orders = std::vector<int64_t>;

TEST(SortKeysTest, FindsKeysInTheirForms) {
  EXPECT_EQ(orders_of(compare("less", "a", "b", "lt")), (Orders{2}));
  EXPECT_EQ(orders_of(compare("less", "b", "a", "lt")), (Orders{3}));
  EXPECT_EQ(orders_of(compare("less", "b", "a", "gt")), (Orders{2}));
  EXPECT_EQ(orders_of(compare("less", "c", "d", "gt")), (Orders{1}));
  const std::string first = compare("p", "c", "d", "lt"), next = compare("q", "b", "a", "lt");
  EXPECT_EQ(orders_of(first + next + compare("e", "c", "d", "eq") + "    %r = and(%e, %q) : pred[]\n" +
                      "    %less = or(%p, %r) : pred[]\n"),
            (Orders{0, 3}));
  EXPECT_EQ(orders_of(first + next + compare("e", "d", "c", "eq") + "    %r = and(%q, %e) : pred[]\n" +
                      "    %less = or(%r, %p) : pred[]\n"),
            (Orders{0, 3}));
  EXPECT_EQ(
      orders_of(first + next + compare("e", "c", "d", "ne") + "    %less = select(%e, %p, %q) : pred[]\n"),
      (Orders{0, 3}));
  EXPECT_EQ(
      orders_of(first + next + compare("e", "c", "d", "eq") + "    %less = select(%e, %q, %p) : pred[]\n"),
      (Orders{0, 3}));
}

TEST(SortKeysTest, LeavesWhatComparesNoKeys) {
  EXPECT_EQ(orders_of(compare("less", "a", "b", "le")), (Orders{-1}));
  EXPECT_EQ(orders_of(compare("less", "a", "a", "lt")), (Orders{-1}));
  const std::string first = compare("p", "c", "d", "lt"), next = compare("q", "a", "b", "lt");
  // The second key counts where another one is equal, or always.
  EXPECT_EQ(orders_of(first + next + compare("e", "a", "b", "eq") + "    %r = and(%e, %q) : pred[]\n" +
                      "    %less = or(%p, %r) : pred[]\n"),
            (Orders{-1}));
  EXPECT_EQ(orders_of(first + next + "    %less = or(%p, %q) : pred[]\n"), (Orders{-1}));
  EXPECT_EQ(orders_of("    %e = exp(%a) : f32[]\n" + compare("less", "e", "b", "lt")), (Orders{-1}));
  EXPECT_EQ(orders_of("    %less = constant() {value = dense pred[]{true}} : pred[]\n"), (Orders{-1}));
}

// A chain of sums that doubles at each link is looked at once.
TEST(SortKeysTest, LongChainsTakeNoTime) {
  std::string text;
  for (const std::string side : {"a", "b"}) {
    std::string last = side;
    for (int i = 0; i < 60; ++i) {
      const std::string next = side + std::to_string(i);
      text += "    %" + next + " = add(%" + last + ", %" + last + ") : f32[]\n";
      last = next;
    }
  }
  EXPECT_EQ(orders_of(text + compare("less", "a59", "b59", "lt")), (Orders{2}));
}

// What the front ends write is found again: no key is computed, floats are keys as they are.
TEST(SortKeysTest, ComparatorsByKeysAreFoundAgain) {
  const std::vector<DType> dtypes{DType::kF16, DType::kF64, DType::kU8, DType::kS64};
  for (const bool by_value : {false, true}) {
    for (const bool descending : {false, true}) {
      ir::Module module;
      ir::Function* function = module.add_function("main");
      std::vector<ir::Value*> operands;
      for (const DType dtype : dtypes) operands.push_back(function->body().add_argument({dtype, {7}}, "x"));
      const std::vector<KeyOrder> orders(3, KeyOrder{descending, by_value});
      std::vector<std::unique_ptr<ir::Region>> regions;
      regions.push_back(ops::comparator_by_keys(*function, dtypes, orders, {}));
      ir::Builder builder(function->body());
      function->body().set_results(
          {builder.make("sort", operands, {{"axis", int64_t{0}}, {"stable", true}}, std::move(regions))
               ->result(3)});
      const int64_t real = orders[0].number(), whole = descending ? 1 : 0;
      EXPECT_EQ(orders_in(module), (Orders{real, real, whole}));
      EXPECT_EQ(function->body().ops().size(), 2u) << ir::to_string(module);
      EXPECT_EQ(function->body().ops().front()->operand_count(), 4) << "unused results are left out";
    }
  }
}

}  // namespace
}  // namespace ingot::pass
