#include "kernel/ir/residues.h"

#include <numeric>
#include <utility>

#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

// The least common multiple of all m that divide the extent and of which the index asks `var mod m`.
int64_t modulus_of(const Index& index, VarId var, int64_t extent) {
  int64_t modulus = 1;
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    if (atom.kind == IndexAtom::Kind::kVariable || !atom.argument.uses(var)) continue;
    if (atom.kind == IndexAtom::Kind::kMod && extent % atom.divisor == 0)
      modulus = std::lcm(modulus, atom.divisor);
    modulus = std::lcm(modulus, modulus_of(atom.argument, var, extent));
  }
  return modulus;
}

int64_t modulus_of(const Block& block, VarId var, int64_t extent) {
  int64_t modulus = 1;
  for (const Stmt& stmt : block.stmts) {
    if (const auto* in = std::get_if<InRange>(&stmt.node))
      modulus = std::lcm(modulus, modulus_of(in->index, var, extent));
    if (const auto* loop = std::get_if<Loop>(&stmt.node))
      modulus = std::lcm(modulus, modulus_of(loop->body, var, extent));
  }
  return modulus;
}

// 1 if the loop is not to be cut.
int64_t modulus_of(const Loop& loop) {
  const bool independent = loop.kind == LoopKind::kParallel || loop.kind == LoopKind::kMap;
  if (!independent || loop.step != 1 || loop.extent == 0) return 1;
  const int64_t modulus = modulus_of(loop.body, loop.var, loop.extent);
  return modulus == loop.extent ? 1 : modulus;
}

bool wants_cut(const Block& block) {
  return std::any_of(block.stmts.begin(), block.stmts.end(), [](const Stmt& stmt) {
    const auto* loop = std::get_if<Loop>(&stmt.node);
    return loop != nullptr && (modulus_of(*loop) > 1 || wants_cut(loop->body));
  });
}

void cut(Kernel& kernel, Loop& loop, int64_t modulus) {
  const VarId whole = loop.var;
  const std::string name = kernel.var_names[static_cast<size_t>(whole)];
  Loop inner;
  inner.kind = loop.kind;
  inner.extent = modulus;
  inner.var = kernel.add_var(name + "_mod", inner.extent);
  inner.body = std::move(loop.body);
  loop.extent /= modulus;
  loop.var = kernel.add_var(name + "_div", loop.extent);
  const Index value = kernel.var(loop.var) * modulus + kernel.var(inner.var);
  substitute(inner.body,
             [&](int id, int64_t extent) { return id == whole ? value : Index::variable(id, extent); });
  loop.body.stmts.clear();
  loop.body.stmts.push_back({std::move(inner)});
}

void cut(Kernel& kernel, Block& block) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    cut(kernel, loop->body);
    if (const int64_t modulus = modulus_of(*loop); modulus > 1) cut(kernel, *loop, modulus);
  }
}

}  // namespace

std::optional<Kernel> cut_by_residues(const Kernel& kernel) {
  if (!wants_cut(kernel.body)) return std::nullopt;
  Kernel copy = kernel;
  cut(copy, copy.body);
  return copy;
}

}  // namespace ingot::kernel
