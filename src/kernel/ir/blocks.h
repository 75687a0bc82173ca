// Small tools over blocks of the kernel IR, shared by the schedule's steps.
#pragma once

#include <functional>
#include <set>

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

// Calls fn on every index expression, those inside of loops included.
template <class Fn>
void for_each_index(Block& block, Fn fn) {
  for (Stmt& stmt : block.stmts) {
    if (auto* s = std::get_if<IndexValue>(&stmt.node))
      fn(s->index);
    else if (auto* s = std::get_if<InRange>(&stmt.node))
      fn(s->index);
    else if (auto* s = std::get_if<Load>(&stmt.node))
      fn(s->offset);
    else if (auto* s = std::get_if<Store>(&stmt.node))
      fn(s->offset);
    else if (auto* s = std::get_if<Prefetch>(&stmt.node))
      fn(s->offset);
    else if (auto* s = std::get_if<Loop>(&stmt.node)) {
      fn(s->active);
      for_each_index(s->body, fn);
    }
  }
}

// Calls fn on every statement, outer before inner.
template <class Fn>
void for_each_stmt(Block& block, Fn fn) {
  for (Stmt& stmt : block.stmts) {
    fn(stmt);
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      for_each_stmt(loop->body, fn);
      for_each_stmt(loop->combiner.body, fn);
    }
  }
}

// Calls fn on the buffer and the offset of all that is loaded, stored or brought near.
template <class Fn>
void for_each_place(Block& block, Fn fn) {
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* s = std::get_if<Load>(&stmt.node)) fn(s->buffer, s->offset);
    if (auto* s = std::get_if<Store>(&stmt.node)) fn(s->buffer, s->offset);
    if (auto* s = std::get_if<Prefetch>(&stmt.node)) fn(s->buffer, s->offset);
  });
}

// Bytes of the kernel's widest scalar, and how many lanes a vector has of it.
int64_t widest_scalar(const Kernel& kernel);
int64_t lanes_of_widest(const Kernel& kernel, const Target& target);

// Whether loops stand in the block.
bool has_loops(const Block& block);

// Replaces variables in every index of the block.
void substitute(Block& block, const std::function<Index(int id, int64_t extent)>& replace);

// The scalars that a statement uses, those that its indices are bound to among them (a loop: its inits and
// all that its body uses), and makes.
std::vector<ScalarId> uses(const Kernel& kernel, const Stmt& stmt);
std::vector<ScalarId> results(const Stmt& stmt);

// The statement's estimated cost in instructions per vector, without loops inside.
int cost(const Stmt& stmt);

// Brings near what this load reads where the variables are shifted by so much.
Prefetch ahead_of(const Load& load, const std::unordered_map<VarId, int64_t>& shifted = {});
// A conversion of bf16 to f32, or of s16 to s32: of 16 bits, of which machines multiply two at once?
bool widens_half(const Kernel& kernel, const Stmt& stmt);

// True if it adds up products of two numbers of that type, bf16 or s16, that became f32 or s32; and, of an
// even number of them, what one instruction does for two points at once on some machines.
bool adds_products_of(DType half, const Kernel& kernel, const Loop& innermost);
bool sums_products_of(DType half, const Kernel& kernel, const Loop& innermost);
// Whether the machine has such an instruction for it; and whether it has one once operands of a byte are
// copied as 16 bits.
bool sums_pairs(const Kernel& kernel, const Loop& innermost, const Target& target);
bool sums_packed_pairs(const Kernel& kernel, const Loop& innermost, const Target& target);
// Integers of a byte become s32 by way of s16, where the machine multiplies pairs of those.
void widen_by_halves(Kernel& kernel, Loop& innermost, const Target& target);

// Removes what nobody uses: scalars, and local buffers that are written but never read.
void eliminate_dead(const Kernel& kernel, Block& block);

// Brings scalars into the order in which they are needed, each just before its first use, and drops those
// that nobody needs: kernels that compute the same from the same read alike, whatever the order in which they
// were written. Loops, stores, and what reads memory that the kernel writes keep their order.
void order_by_use(const Kernel& kernel, Block& block);

}  // namespace ingot::kernel
