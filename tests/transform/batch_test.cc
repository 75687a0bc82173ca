// Every record's batching rule against a loop over the elements of the batch: all subsets of operands, all
// axes.
#include "transform/batch.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/builder.h"
#include "ir/text.h"
#include "ops/batching.h"
#include "ops/elementwise_cases.h"
#include "testing/batch_check.h"
#include "testing/random_program.h"

namespace ingot::transform {
namespace {

using ir::Batched;
using testing::BatchCheck;
using testing::check_batched;

// One operation each; elementwise ones are listed by their records.
const char* const kPrograms[] = {
    "func @main(%x: f32[2,3,4]) -> (f32[4,2,3]) {\n"
    "  %y = transpose(%x) {permutation = [2,0,1]} : f32[4,2,3]\n  return %y\n}\n",
    "func @main(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = hold(%x) {dims = [1]} : f32[2,3]\n  return %y\n}\n",
    "func @main(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = reverse(%x) {axes = [1]} : f32[2,3]\n  return %y\n}\n",
    "func @main(%x: f32[2,3,4]) -> (f32[6,4]) {\n"
    "  %y = reshape(%x) {shape = [6,4]} : f32[6,4]\n  return %y\n}\n",
    "func @main(%x: f32[6,2]) -> (f32[4,3]) {\n  %y = reshape(%x) {shape = [4,3]} : f32[4,3]\n  return "
    "%y\n}\n",
    "func @main(%x: f32[1,3,1]) -> (f32[3]) {\n  %y = reshape(%x) {shape = [3]} : f32[3]\n  return %y\n}\n",
    "func @main(%x: f32[2,0]) -> (f32[0,5]) {\n  %y = reshape(%x) {shape = [0,5]} : f32[0,5]\n  return "
    "%y\n}\n",
    "func @main(%x: f32[2,3]) -> (f32[3,4,2]) {\n"
    "  %y = broadcast(%x) {dims = [2,0], shape = [3,4,2]} : f32[3,4,2]\n  return %y\n}\n",
    "func @main(%x: f32[]) -> (f32[3]) {\n"
    "  %y = broadcast(%x) {dims = [], shape = [3]} : f32[3]\n  return %y\n}\n",
    "func @main(%x: f32[5,7]) -> (f32[2,7]) {\n"
    "  %y = slice(%x) {starts = [1,0], limits = [5,7], strides = [2,1]} : f32[2,7]\n  return %y\n}\n",
    "func @main(%x: f32[3,4]) -> (f32[3,5]) {\n"
    "  %y = take(%x) {axis = 1, indices = [3,0,1,1,2]} : f32[3,5]\n  return %y\n}\n",
    "func @main(%x: f32[2,3], %y: f32[2,1], %z: f32[2,2]) -> (f32[2,6]) {\n"
    "  %r = concatenate(%x, %y, %z) {axis = 1} : f32[2,6]\n  return %r\n}\n",
    "func @main(%x: f32[2,3], %v: f32[]) -> (f32[4,6]) {\n"
    "  %y = pad(%x, %v) {low = [1,0], high = [1,1], interior = [0,1]} : f32[4,6]\n  return %y\n}\n",
    "func @main(%x: f32[2,3,4]) -> (f32[3]) {\n  %zero = constant() {value = dense f32[]{0}} : f32[]\n"
    "  %y = reduce(%x, %zero) {axes = [0,2]} (%a: f32[], %b: f32[]) {\n"
    "    %c = add(%a, %b) : f32[]\n    return %c\n  } : f32[3]\n  return %y\n}\n",
    "func @main(%x: f32[3,4], %i: s32[3,4]) -> (f32[3], s32[3]) {\n"
    "  %low = constant() {value = dense f32[]{-inf}} : f32[]\n  %none = constant() {value = dense s32[]{0}} "
    ": s32[]\n"
    "  %y, %z = reduce(%x, %i, %low, %none) {axes = [1]} (%a: f32[], %j: s32[], %b: f32[], %k: s32[]) {\n"
    "    %p = compare(%a, %b) {direction = \"ge\"} : pred[]\n    %c = select(%p, %a, %b) : f32[]\n"
    "    %l = select(%p, %j, %k) : s32[]\n    return %c, %l\n  } : f32[3], s32[3]\n  return %y, %z\n}\n",
    "func @main(%x: f32[3,4], %i: s32[3,4]) -> (f32[3,4], s32[3,4]) {\n"
    "  %y, %j = sort(%x, %i) {axis = 1, stable = true} (%a: f32[], %b: f32[], %c: s32[], %d: s32[]) {\n"
    "    %p = compare(%a, %b) {direction = \"gt\"} : pred[]\n    return %p\n  } : f32[3,4], s32[3,4]\n"
    "  return %y, %j\n}\n",
    "func @main(%k: s32[3,4], %l: f32[3,4], %x: f32[3,4]) -> (f32[3,4]) {\n"
    "  %y = sort_by_keys(%k, %l, %x) {axis = 0, orders = [1,2]} : f32[3,4]\n  return %y\n}\n",
    "func @main(%x: f32[3,2]) -> (f32[3,2], s32[2], s32[3]) {\n"
    "  %y, %p, %q = lu(%x) : f32[3,2], s32[2], s32[3]\n  return %y, %p, %q\n}\n",
    "func @main(%x: f32[3,4,5]) -> (c64[3,4,3]) {\n"
    "  %y = fft(%x) {fft_length = [4,5], fft_type = \"rfft\"} : c64[3,4,3]\n  return %y\n}\n",
    "func @main(%x: f32[3,2]) -> (f32[3,3], f32[3,2]) {\n"
    "  %q, %r = qr(%x) {full_matrices = true} : f32[3,3], f32[3,2]\n  return %q, %r\n}\n",
    "func @main(%x: f32[3,2]) -> (f32[3,2]) {\n  %a, %t = geqrf(%x) : f32[3,2], f32[2]\n"
    "  %q = householder_product(%a, %t) : f32[3,2]\n  return %q\n}\n",
    "func @main(%x: f32[2,3,3]) -> (f32[2,3], f32[2,3,3]) {\n"
    "  %w, %v = eigh(%x) {lower = true, vectors = true} : f32[2,3], f32[2,3,3]\n  return %w, %v\n}\n",
    "func @main(%x: f32[3,2]) -> (f32[3,2], f32[2], f32[2,2]) {\n"
    "  %u, %s, %v = svd(%x) {full_matrices = false, vectors = true} : f32[3,2], f32[2], f32[2,2]\n"
    "  return %u, %s, %v\n}\n",
    "func @main(%x: f32[3,3]) -> (c64[3], c64[3,3], f32[3,3], f32[3,3]) {\n"
    "  %w, %v = eig(%x) {left = false, right = true} : c64[3], c64[3,3]\n"
    "  %t, %q, %z = schur(%x) : f32[3,3], f32[3,3], c64[3]\n  return %w, %v, %t, %q\n}\n",
    // Positive definite; the right sides of one matrix; both with a batch of their own.
    "func @main(%x: f32[2,2]) -> (f32[2,2]) {\n  %d = constant() {value = dense f32[2,2]{9, 0, 0, 9}} : "
    "f32[2,2]\n"
    "  %y = add(%x, %d) : f32[2,2]\n  %l = cholesky(%y) {lower = true} : f32[2,2]\n  return %l\n}\n",
    "func @main(%x: f32[3,2,2]) -> (f32[3,2,2]) {\n  %d = constant() {value = dense f32[2,2]{9, 0, 0, 9}} : "
    "f32[2,2]\n"
    "  %e = broadcast(%d) {dims = [1,2], shape = [3,2,2]} : f32[3,2,2]\n  %y = add(%x, %e) : f32[3,2,2]\n"
    "  %l = cholesky(%y) {lower = false} : f32[3,2,2]\n  return %l\n}\n",
    "func @main(%x: f32[2,2], %b: f32[2,3]) -> (f32[2,3]) {\n"
    "  %d = constant() {value = dense f32[2,2]{9, 0, 0, 9}} : f32[2,2]\n  %a = add(%x, %d) : f32[2,2]\n"
    "  %y = triangular_solve(%a, %b) {left_side = true, lower = true, transpose_a = \"transpose\", "
    "unit_diagonal = false} : f32[2,3]\n  return %y\n}\n",
    "func @main(%a: f32[3,2,2], %b: f32[3,1,2]) -> (f32[3,1,2]) {\n"
    "  %y = triangular_solve(%a, %b) {left_side = false, lower = false, transpose_a = \"no\", "
    "unit_diagonal = true} : f32[3,1,2]\n  return %y\n}\n",
    "func @main(%w: f32[3,4], %a: f32[4]) -> (f32[3]) {\n  %y = dot_general(%w, %a) "
    "{lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[3]\n  return %y\n}\n",
    "func @main(%x: f32[4,2,3,5], %y: f32[3,6,2,4]) -> (f32[3,2,5,6]) {\n  %z = dot_general(%x, %y) "
    "{lhs_batch = [2,1], lhs_contract = [0], rhs_batch = [0,2], rhs_contract = [3]} : f32[3,2,5,6]\n"
    "  return %z\n}\n",
    "func @main(%x: f32[3], %y: f32[3]) -> (f32[], f32[3,3]) {\n  %d = call(%x, %y) {callee = @dot} : f32[]\n"
    "  %e = call(%y, %x) {callee = @dot} : f32[]\n  %o = dot_general(%x, %y) "
    "{lhs_batch = [], lhs_contract = [], rhs_batch = [], rhs_contract = []} : f32[3,3]\n"
    "  %s = add(%d, %e) : f32[]\n  return %s, %o\n}\n\n"
    "func @dot(%x: f32[3], %y: f32[3]) -> (f32[]) {\n  %z = dot_general(%x, %y) "
    "{lhs_batch = [], lhs_contract = [0], rhs_batch = [], rhs_contract = [0]} : f32[]\n  return %z\n}\n",
    // Two carries, of which the second one becomes batched through the first; an invariant; two axes.
    "func @main(%c: f32[2], %d: f32[2], %x: f32[2,5], %y: f32[5,2], %k: f32[2]) -> (f32[2], f32[2], "
    "f32[2,5], "
    "f32[5,2]) {\n"
    "  %e, %f, %p, %q = scan(%c, %d, %x, %y, %k) {carries = 2, length = 5, reverse = true, scanned = 2, "
    "xs_axes = [1,0], ys_axes = [1,0]} (%a: f32[2], %b: f32[2], %xi: f32[2], %yi: f32[2], %ki: f32[2]) {\n"
    "    %s = add(%a, %xi) : f32[2]\n    %t = add(%a, %b) : f32[2]\n    %u = mul(%yi, %ki) : f32[2]\n"
    "    return %s, %t, %t, %u\n  } : f32[2], f32[2], f32[2,5], f32[5,2]\n  return %e, %f, %p, %q\n}\n",
    "func @main(%x: f32[2,3], %y: f32[3]) -> (f32[2,3]) {\n"
    "  %z = fused(%x, %y) {kernel = \"k\"} (%a: f32[2,3], %b: f32[3]) {\n"
    "    %c = broadcast(%b) {dims = [1], shape = [2,3]} : f32[2,3]\n    %d = mul(%a, %c) : f32[2,3]\n"
    "    return %d\n  } : f32[2,3]\n  return %z\n}\n",
    // Rows; windows that are clamped; elements of one row each; windows of one dimension among batching ones.
    "func @main(%x: f32[5,3], %i: s32[2,4]) -> (f32[2,4,3]) {\n  %y = gather(%x, %i) {offset_dims = [2], "
    "collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], "
    "start_index_map = [0], "
    "index_vector_dim = 2, slice_sizes = [1,3], mode = \"fill\"} : f32[2,4,3]\n  return %y\n}\n",
    "func @main(%x: f32[5,7], %i: s32[2,4]) -> (f32[3,4,2]) {\n  %y = gather(%x, %i) {offset_dims = [0,2], "
    "collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], "
    "start_index_map = [1,0], "
    "index_vector_dim = 0, slice_sizes = [3,2], mode = \"clip\"} : f32[3,4,2]\n  return %y\n}\n",
    "func @main(%x: f32[3,6], %i: s32[3,2]) -> (f32[3,2]) {\n  %y = gather(%x, %i) {offset_dims = [], "
    "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
    "start_index_map = [1], index_vector_dim = 2, slice_sizes = [1,1], mode = \"zero\"} : f32[3,2]\n"
    "  return %y\n}\n",
    "func @main(%x: f32[4,2,6], %i: s32[1,5,4]) -> (f32[5,2,4]) {\n  %y = gather(%x, %i) {offset_dims = [1], "
    "collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [2], "
    "start_index_map = [2], index_vector_dim = 0, slice_sizes = [1,2,1], mode = \"clip\"} : f32[5,2,4]\n"
    "  return %y\n}\n",
    "func @main(%x: f32[5,3], %i: s32[4], %u: f32[4,3]) -> (f32[5,3]) {\n  %y = scatter(%x, %i, %u) "
    "{offset_dims = "
    "[1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], "
    "start_index_map = "
    "[0], index_vector_dim = 1, slice_sizes = [1,3], mode = \"fill\", combiner = \"add\"} : f32[5,3]\n"
    "  return %y\n}\n",
    "func @main(%x: f32[5,3], %i: s32[2,2], %u: f32[2,2]) -> (f32[5,3]) {\n  %y = scatter(%x, %i, %u) "
    "{offset_dims = "
    "[0], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], "
    "start_index_map = "
    "[1,0], index_vector_dim = 0, slice_sizes = [1,2], mode = \"clip\", combiner = \"set\"} : f32[5,3]\n"
    "  return %y\n}\n",
    // Loops of unknown length: a predicate that some batches share and some do not; lanes that are there
    // already.
    "func @main(%c: f32[2], %n: f32[], %k: f32[2]) -> (f32[2], f32[]) {\n"
    "  %e, %m = while(%c, %n, %k) {carries = 2} (%a: f32[2], %b: f32[], %l: f32[2]) {\n"
    "    %three = constant() {value = dense f32[]{3}} : f32[]\n"
    "    %p = compare(%b, %three) {direction = \"lt\"} : pred[]\n    return %p\n"
    "  } (%u: f32[2], %v: f32[], %w: f32[2]) {\n"
    "    %one = constant() {value = dense f32[]{1}} : f32[]\n    %s = add(%v, %one) : f32[]\n"
    "    %t = mul(%u, %w) : f32[2]\n    return %t, %s\n  } : f32[2], f32[]\n  return %e, %m\n}\n",
    "func @main(%c: f32[2,3], %n: f32[2], %k: f32[3], %h: f32[2]) -> (f32[2,3], f32[2]) {\n"
    "  %e, %m = while(%c, %n, %k, %h) {carries = 2, lanes = [2], mapped = [1,1,0,1]} "
    "(%a: f32[3], %b: f32[], %l: f32[3], %i: f32[]) {\n"
    "    %three = constant() {value = dense f32[]{3}} : f32[]\n    %j = min(%i, %three) : f32[]\n"
    "    %p = compare(%b, %j) {direction = \"lt\"} : pred[]\n    return %p\n"
    "  } (%u: f32[3], %v: f32[], %w: f32[3], %q: f32[]) {\n"
    "    %one = constant() {value = dense f32[]{1}} : f32[]\n    %s = add(%v, %one) : f32[]\n"
    "    %t = mul(%u, %w) : f32[3]\n    return %t, %s\n  } : f32[2,3], f32[2]\n  return %e, %m\n}\n",
    // Branches: a result that one of them alone makes batched, an index of each element, lanes.
    "func @main(%i: s32[], %x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {\n"
    "  %e, %m = cond(%i, %x, %y) (%a: f32[2], %b: f32[2]) {\n    return %a, %b\n"
    "  } (%c: f32[2], %d: f32[2]) {\n    %s = add(%c, %d) : f32[2]\n    return %d, %s\n"
    "  } (%u: f32[2], %v: f32[2]) {\n    %t = mul(%v, %v) : f32[2]\n    return %t, %t\n"
    "  } : f32[2], f32[2]\n  return %e, %m\n}\n",
    "func @main(%n: f32[], %x: f32[2]) -> (f32[2]) {\n"
    "  %zero = constant() {value = dense f32[]{0}} : f32[]\n"
    "  %p = compare(%n, %zero) {direction = \"lt\"} : pred[]\n  %i = convert(%p) {dtype = s32} : s32[]\n"
    "  %e = cond(%i, %x, %n) (%a: f32[2], %k: f32[]) {\n    %s = sqrt(%a) : f32[2]\n    return %s\n"
    "  } (%c: f32[2], %l: f32[]) {\n    %m = broadcast(%l) {dims = [], shape = [2]} : f32[2]\n"
    "    return %m\n  } : f32[2]\n  return %e\n}\n",
    "func @main(%n: f32[3], %x: f32[2], %y: f32[3,2]) -> (f32[3,2]) {\n"
    "  %z = constant() {value = dense f32[]{0}} : f32[]\n"
    "  %zero = broadcast(%z) {dims = [], shape = [3]} : f32[3]\n"
    "  %p = compare(%n, %zero) {direction = \"lt\"} : pred[3]\n  %i = convert(%p) {dtype = s32} : s32[3]\n"
    "  %e = cond(%i, %x, %y) {lanes = [3], mapped = [1,0,1]} (%a: f32[2], %b: f32[2]) {\n"
    "    %s = sqrt(%a) : f32[2]\n    return %s\n  } (%c: f32[2], %d: f32[2]) {\n"
    "    %m = mul(%c, %d) : f32[2]\n    return %m\n  } : f32[3,2]\n  return %e\n}\n",
    // Convolutions: plain, with feature groups, with batch groups.
    "func @main(%x: f32[2,5,4,3], %w: f32[3,2,3,2]) -> (f32[2,3,2,2]) {\n"
    "  %y = convolution(%x, %w) {lhs_dims = [0,3,1,2], rhs_dims = [3,2,0,1], out_dims = [2,0,3,1], strides = "
    "[2,1], low = [1,0], "
    "high = [0,1], lhs_dilation = [1,1], rhs_dilation = [1,2], reverse = [0,1], feature_groups = 1, "
    "batch_groups = 1} : "
    "f32[2,3,2,2]\n  return %y\n}\n",
    "func @main(%x: f32[2,4,5], %w: f32[6,2,3]) -> (f32[2,6,9]) {\n"
    "  %y = convolution(%x, %w) {lhs_dims = [0,1,2], rhs_dims = [0,1,2], out_dims = [0,1,2], strides = [1], "
    "low = [1], "
    "high = [1], lhs_dilation = [2], rhs_dilation = [1], reverse = [0], feature_groups = 2, batch_groups = "
    "1} : "
    "f32[2,6,9]\n  return %y\n}\n",
    "func @main(%x: f32[4,3,5], %w: f32[6,3,2]) -> (f32[2,6,4]) {\n"
    "  %y = convolution(%x, %w) {lhs_dims = [0,1,2], rhs_dims = [0,1,2], out_dims = [0,1,2], strides = [1], "
    "low = [0], "
    "high = [0], lhs_dilation = [1], rhs_dilation = [1], reverse = [0], feature_groups = 1, batch_groups = "
    "2} : "
    "f32[2,6,4]\n  return %y\n}\n",
    "func @main(%x: f32[2]) -> (f32[2], s32[]) {\n"
    "  %i = axis_index() {axis_name = \"other\"} : s32[]\n  %j = axis_index() {axis_name = \"i\"} : s32[]\n"
    "  %s = axis_reduce(%x) {axis_name = \"i\", combiner = \"max\"} : f32[2]\n  return %s, %j\n}\n",
};

// Calls fn with each way to batch arguments of these types: every subset but the empty one, and every axis.
template <class Fn>
void for_each_batching(const ir::Region& body, Fn fn) {
  std::vector<int64_t> axes(static_cast<size_t>(body.argument_count()), Batched::kShared);
  const auto next = [&] {
    for (size_t i = 0; i < axes.size(); ++i) {
      if (++axes[i] <= body.argument(static_cast<int>(i))->rank()) return true;
      axes[i] = Batched::kShared;
    }
    return false;
  };
  while (next()) fn(axes);
}

void check_program(const ir::Module& module, bool compile) {
  int count = 0, failures = 0;
  for_each_batching(module.entry()->body(), [&](const std::vector<int64_t>& axes) {
    for (int64_t size : {0, 1, 3, 7}) {
      // Large programs have too many ways to try all sizes with each.
      if (++count % 64 > 8 && size != 3) continue;
      if (failures > 2) return;
      BatchCheck check{.batch = {.size = size, .axis_name = "i"}, .argument_axes = axes};
      const std::string wrong = check_batched(module, check, static_cast<uint64_t>(count));
      failures += wrong.empty() ? 0 : 1;
      EXPECT_EQ(wrong, "") << ir::to_string(module) << "size " << size << ", axes " << to_string(axes);
    }
  });
  if (!compile || failures > 0) return;
  // Machine code for the first axes and the last ones.
  for (bool last : {false, true}) {
    const ir::Region& body = module.entry()->body();
    BatchCheck check{.batch = {.size = 5, .axis_name = "i"}, .argument_axes = {}, .compile = true};
    for (const ir::Value* argument : body.arguments())
      check.argument_axes.push_back(last ? argument->rank() : 0);
    for (const ir::Value* result : body.results()) check.wanted.push_back(last ? 0 : result->rank());
    EXPECT_EQ(check_batched(module, check, 1), "") << ir::to_string(module);
  }
}

TEST(BatchTest, EveryOperationDoesToABatchWhatItDoesToEachElement) {
  // linear_call has no meaning but its transpose; the tests of grad under vmap look at it. No text brings the
  // function of a custom_call along (tests/frontend/custom_call_test.cc).
  std::set<std::string_view> covered = {"constant", "iota", "linear_call", "custom_call"};
  for (const char* text : kPrograms) {
    const auto module = ir::parse(text);
    for (const auto& function : module->functions())
      ir::walk(function->body(), [&](const ir::Op& op) { covered.insert(op.name()); });
    const bool unbound = std::string_view(text).find("other") != std::string_view::npos;
    if (unbound) continue;  // has no meaning for one element; see below
    check_program(*module, true);
  }
  for (const ir::OpRecord* record : ir::all_records()) {
    if (std::holds_alternative<ir::ScalarRecipe>(*record->becomes)) continue;
    EXPECT_TRUE(covered.count(record->name)) << "no program batches " << *record->name;
  }
}

TEST(BatchTest, ElementwiseOperations) {
  ops::for_each_elementwise(
      [](const ir::OpRecord& record, ops::Types types, const ir::Attributes& attributes) {
        // The rule looks at no dtype: one of each kind is enough.
        if (types.back().dtype != DType::kF32 && types.back().dtype != DType::kS32) return;
        ir::Module module;
        ir::Region& body = module.add_function("main")->body();
        std::vector<ir::Value*> arguments;
        for (ops::TensorType& type : types) {
          type.shape = {2, 3};
          arguments.push_back(body.add_argument(type));
        }
        body.set_results({ir::Builder(body).value(record.name, arguments, attributes)});
        check_program(module, false);
      });
}

TEST(BatchTest, CollectivesCombineTheBatchThatTheyName) {
  const auto module = ir::parse(kPrograms[std::size(kPrograms) - 1]);
  ir::Module batched;
  const int64_t axes[] = {1};
  const BatchedFunction function = batch(*module->entry(), batched, {.size = 4, .axis_name = "i"}, axes);
  EXPECT_EQ(function.result_axes, (std::vector<int64_t>{Batched::kShared, 0}));
  EXPECT_EQ(ir::to_string(batched, {.locations = false}),
            "func @vmap_main(%x: f32[2,4]) -> (f32[2], s32[4]) {\n"
            "  %i = axis_index() {axis_name = \"other\"} : s32[]\n"
            "  %iota = iota() {axis = 0, dtype = s32, shape = [4]} : s32[4]\n"
            "  %constant = constant() {value = dense f32[]{-inf}} : f32[]\n"
            "  %reduce = reduce(%x, %constant) {axes = [1]} (%arg: f32[], %arg_1: f32[]) {\n"
            "    %max = max(%arg, %arg_1) : f32[]\n"
            "    return %max\n"
            "  } : f32[2]\n"
            "  return %reduce, %iota\n"
            "}\n");
}

TEST(BatchTest, ACalleeHasOneVersionPerBatchedArguments) {
  const auto module = ir::parse(
      "func @main(%x: f32[3], %y: f32[3]) -> (f32[3], f32[3]) {\n"
      "  %a = call(%x, %y) {callee = @f} : f32[3]\n  %b = call(%a, %y) {callee = @f} : f32[3]\n"
      "  %c = call(%y, %y) {callee = @f} : f32[3]\n  return %b, %c\n}\n\n"
      "func @f(%x: f32[3], %y: f32[3]) -> (f32[3]) {\n  %z = mul(%x, %y) : f32[3]\n  return %z\n}\n");
  ir::Module batched;
  const int64_t axes[] = {0, Batched::kShared};
  batch(*module->entry(), batched, {.size = 4, .axis_name = ""}, axes);
  std::vector<std::string> names;
  for (const auto& function : batched.functions()) names.push_back(function->name());
  EXPECT_EQ(names, (std::vector<std::string>{"vmap_main", "vmap_f", "f"}));
}

// The number of a rule says something in its own process alone.
TEST(BatchTest, ARuleThatIsNotThereIsToldAtTheLine) {
  const auto module = ir::parse(
      "func @main(%x: f32[3]) -> (f32[3]) {\n"
      "  %a = call(%x) {callee = @f, batch_rule = 1000000} : f32[3] loc(\"model.cc\":12)\n  return %a\n}\n\n"
      "func @f(%x: f32[3]) -> (f32[3]) {\n  return %x\n}\n");
  ir::Module batched;
  const int64_t axes[] = {0};
  try {
    batch(*module->entry(), batched, {.size = 4, .axis_name = ""}, axes);
    ADD_FAILURE() << "there was a rule";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "model.cc:12: call: there is no batching rule 1000000 in this process: the attribute "
              "'batch_rule' has the number of a rule of the process that has traced the function; trace it "
              "here, or leave the attribute out, and the batch follows from the callee");
  }
}

TEST(BatchTest, RandomPrograms) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const testing::RandomProgram program =
        testing::random_program(seed, {.operations = 20, .max_elements = 300, .max_length = 5});
    testing::Random random(seed);
    BatchCheck check{.batch = {.size = testing::random_integer(random, 1, 5), .axis_name = "i"},
                     .argument_axes = {}};
    check.compile = seed % 6 == 0;
    for (const ir::Value* argument : program.module->entry()->body().arguments())
      check.argument_axes.push_back(testing::random_integer(random, -1, argument->rank()));
    const std::string wrong = check_batched(*program.module, check, seed);
    EXPECT_EQ(wrong, "") << "seed " << seed;
    if (!wrong.empty()) break;
  }
}

}  // namespace
}  // namespace ingot::transform
