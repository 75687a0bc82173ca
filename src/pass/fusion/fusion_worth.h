// What operations are to fusion, and what a kernel must be worth. Private to the choice of groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/op_record.h"
#include "kernel/candidates.h"
#include "kernel/cost/table.h"
#include "pass/becomes.h"

namespace ingot::pass {

// Below that many elements there is little work at all.
constexpr int64_t kLittleWork = prices::kWorthThreads;
// Longer kernels take too long to compile.
constexpr size_t kMaxGroupOps = 6000;

// A group of no more operations is tried one by one: it is lowered in some 20 us, while another attempt
// groups the whole region again. Thousands of narrow arrays, joined, took 17 attempts and 1.4 s without it.
constexpr size_t kFewToTry = 32;

// Arrays that a kernel puts together by concatenates. 1000 of f32[100,1] are compiled in 1.6 s at once and in
// 0.4 s in parts; of 400 of f32[400,1] the result is there in 0.2 ms at once (Intel Xeon, 2 cores).
constexpr int kMostPieces = 512;

// Decides about a kernel's band: a scan, a reduction, a contraction or a scatter.
bool is_anchor(const ir::Op& op);
// Joins its users: elementwise operations, views, gathers.
bool is_free(const ir::Op& op);
// Complex numbers at the border of the program, as the pairs that kernels see.
bool becomes_pairs(const ir::Op& op);
// Widening a narrow float costs an instruction or two, and halves what the packing of a contraction reads.
bool reads_narrow(const ir::Op& op);
// Of its largest operand or result.
int64_t elements_of(const ir::Op& op);
// Instructions for one element.
int recipe_cost(const ir::Op& op);

// Contractions inside of a scan are tiled if rows share what they read; else each row would read it anew.
constexpr std::string_view kNoTiles = "the contractions in its steps would lose their register tiles";

// Why the kernel is not worth having, or empty. Throws NotFusible if there is no such kernel.
std::string too_dear(const kernel::Candidate& candidate);

}  // namespace ingot::pass
