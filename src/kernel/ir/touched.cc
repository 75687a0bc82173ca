#include "kernel/ir/touched.h"

#include <algorithm>

namespace ingot::kernel {

int64_t elements_of(std::vector<const Access*> accesses) {
  std::sort(accesses.begin(), accesses.end(), [](const Access* a, const Access* b) {
    return std::pair(a->first, a->last) < std::pair(b->first, b->last);
  });
  int64_t count = 0, last = std::numeric_limits<int64_t>::min();
  for (const Access* access : accesses) {
    last = std::max(last, access->last);
    count = std::min(count + std::min(access->points, access->most), last - accesses.front()->first + 1);
  }
  return count;
}

std::pair<int64_t, int64_t> bounds_of(const Index& index, const Domain& domain) {
  const bool plain = std::all_of(index.terms().begin(), index.terms().end(), [](const Index::Term& term) {
    return term.atom->kind == IndexAtom::Kind::kVariable;
  });
  if (!plain) {
    const Index inside = index.substitute([&](int id, int64_t) {
      const auto [first, end] = domain.at(id);
      return end - first == 1 ? Index(first) : Index::variable(id, end - first) + first;
    });
    return {inside.min(), inside.max()};
  }
  int64_t least = index.constant(), greatest = index.constant();
  for (const Index::Term& term : index.terms()) {
    const auto [first, end] = domain.at(term.atom->id);
    const int64_t a = term.coefficient * first, b = term.coefficient * (end - 1);
    least += std::min(a, b);
    greatest += std::max(a, b);
  }
  return {least, greatest};
}

namespace {

constexpr int64_t kMostLooked = 1 << 16;  // points of a table that are looked up one by one

int64_t points_of(const Domain& domain, const std::vector<int>& vars, int64_t most) {
  int64_t points = 1;
  for (int var : vars) {
    const auto [first, end] = domain.at(var);
    points = std::min(points * (end - first), most);
  }
  return points;
}

bool has_table(const Index& index) {
  return std::any_of(index.terms().begin(), index.terms().end(), [](const Index::Term& term) {
    const IndexAtom& atom = *term.atom;
    return atom.kind == IndexAtom::Kind::kLookup ||
           (atom.kind != IndexAtom::Kind::kVariable && has_table(atom.argument));
  });
}

// By going through all points of its variables.
int64_t values_of(const Index& index, const Domain& domain, const std::vector<int>& vars) {
  std::set<int64_t> values;
  std::map<int, int64_t> at;
  for (int var : vars) at[var] = domain.at(var).first;
  while (true) {
    values.insert(index.evaluate([&](int id) { return at.at(id); }));
    const auto next = std::find_if(vars.begin(), vars.end(), [&](int var) {
      if (++at[var] < domain.at(var).second) return true;
      at[var] = domain.at(var).first;
      return false;
    });
    if (next == vars.end()) return static_cast<int64_t>(values.size());
  }
}

}  // namespace

int64_t distinct_values(const Index& index, const Domain& domain, int64_t most) {
  std::vector<int> vars;
  index.collect_variables(vars);
  const int64_t points = points_of(domain, vars, most);
  if (!has_table(index)) return points;
  // What else is added to the part with tables has, for each of its values, places of its own.
  Index looked, rest;
  for (const Index::Term& term : index.terms()) {
    Index& part = term.atom->kind == IndexAtom::Kind::kVariable ? rest : looked;
    part = part + Index::of_atom(term.atom) * term.coefficient;
  }
  std::vector<int> looked_vars, rest_vars;
  looked.collect_variables(looked_vars);
  rest.collect_variables(rest_vars);
  const bool apart =
      std::none_of(rest_vars.begin(), rest_vars.end(), [&](int var) { return looked.uses(var); });
  const std::vector<int>& walked = apart ? looked_vars : vars;
  if (points_of(domain, walked, kMostLooked + 1) > kMostLooked) return points;
  const int64_t values = values_of(apart ? looked : index, domain, walked);
  return std::min(apart ? values * points_of(domain, rest_vars, most) : values, most);
}

}  // namespace ingot::kernel
