// A loop whose variable is seen as v div n and v mod n becomes a loop over v div n around one over v mod n.
//
// That is what remains of a reshape where another view stands behind it, such as a transpose of the two
// dimensions that it joins. Addresses are affine in both loops then, so that lanes can run along memory.
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/lanes/digits.h"
#include "kernel/schedule/lanes/lanes.h"

namespace ingot::kernel {
namespace {

constexpr double kWorthwhile = 0.7;  // times the price before

// A divisor in the index by which the variable is seen in another way than as a sum, or 0.
int64_t divisor_of(const Index& index, VarId var) {
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    if (atom.kind == IndexAtom::Kind::kVariable || !atom.argument.uses(var)) continue;
    if (const int64_t inner = divisor_of(atom.argument, var); inner > 0) return inner;
    if (atom.kind != IndexAtom::Kind::kLookup) return atom.divisor;
  }
  return 0;
}

}  // namespace

void separate_loops(Kernel& kernel, Nest& nest,
                    const std::function<bool(const Nest& separated, size_t outer)>& accept) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const VarId whole = nest.loops[i].var;
    const int64_t extent = nest.loops[i].extent;
    int64_t divisor = 0;
    for_each_index(nest.body, [&](const Index& index) {
      if (divisor == 0) divisor = divisor_of(index, whole);
    });
    if (divisor < 2 || divisor >= extent || extent % divisor != 0) continue;
    const std::string name = kernel.var_names[static_cast<size_t>(whole)];
    Nest separated = nest;
    separated.loops[i] = make_loop(kernel, name + "_by", extent / divisor, 1, LoopKind::kParallel);
    separated.loops.insert(separated.loops.begin() + static_cast<int64_t>(i) + 1,
                           make_loop(kernel, name, divisor, 1, LoopKind::kParallel));
    const Index both = kernel.var(separated.loops[i].var) * divisor + kernel.var(separated.loops[i + 1].var);
    substitute(separated.body,
               [&](int id, int64_t e) { return id == whole ? both : Index::variable(id, e); });
    if (!accept(separated, i)) continue;
    nest = std::move(separated);
    ++i;
  }
}

void separate_digits(Kernel& kernel, const Target& target) {
  Nest nest = take_nest(kernel);
  if (!has_loops(nest.body)) {
    double price = price_on_lanes(kernel, target, nest);
    separate_loops(kernel, nest, [&](const Nest& separated, size_t) {
      const double now = price_on_lanes(kernel, target, separated);
      if (now > kWorthwhile * price) return false;
      price = now;
      return true;
    });
  }
  put_nest(kernel, std::move(nest));
}

}  // namespace ingot::kernel
