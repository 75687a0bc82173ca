#include "base/index.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace ingot {
namespace {

int64_t floor_div_int(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t mod_int(int64_t a, int64_t b) {
  return a - floor_div_int(a, b) * b;
}

std::strong_ordering compare_atoms(const IndexAtom& a, const IndexAtom& b) {
  if (&a == &b) return std::strong_ordering::equal;
  if (auto c = a.kind <=> b.kind; c != 0) return c;
  switch (a.kind) {
    case IndexAtom::Kind::kVariable:
      return a.id <=> b.id;
    case IndexAtom::Kind::kDiv:
    case IndexAtom::Kind::kMod:
      if (auto c = a.divisor <=> b.divisor; c != 0) return c;
      return a.argument <=> b.argument;
    case IndexAtom::Kind::kLookup:
      if (auto c = *a.table <=> *b.table; c != 0) return c;
      return a.argument <=> b.argument;
  }
  return std::strong_ordering::equal;
}

int64_t atom_min(const IndexAtom& atom) {
  switch (atom.kind) {
    case IndexAtom::Kind::kVariable:
      return 0;
    case IndexAtom::Kind::kDiv:
      return floor_div_int(atom.argument.min(), atom.divisor);
    case IndexAtom::Kind::kMod:
      return 0;
    case IndexAtom::Kind::kLookup:
      return *std::min_element(atom.table->begin(), atom.table->end());
  }
  return 0;
}

int64_t atom_max(const IndexAtom& atom) {
  switch (atom.kind) {
    case IndexAtom::Kind::kVariable:
      return std::max<int64_t>(atom.extent - 1, 0);
    case IndexAtom::Kind::kDiv:
      return floor_div_int(atom.argument.max(), atom.divisor);
    case IndexAtom::Kind::kMod:
      return atom.divisor - 1;
    case IndexAtom::Kind::kLookup:
      return *std::max_element(atom.table->begin(), atom.table->end());
  }
  return 0;
}

Index of_step(IndexAtom::Kind kind, const Index& argument, int64_t divisor, IndexTable table) {
  auto atom = std::make_shared<IndexAtom>();
  atom->kind = kind;
  atom->argument = argument;
  atom->steps = std::min(argument.steps() + 1, Index::kMostSteps);
  atom->divisor = divisor;
  atom->table = std::move(table);
  return Index::of_atom(std::move(atom));
}

struct Split {
  Index quotient;   // the part that the divisor divides, already divided
  Index remainder;  // the rest, its constant in [0, divisor)
};

Split split_by(const Index& index, int64_t divisor) {
  Split split{floor_div_int(index.constant(), divisor), mod_int(index.constant(), divisor)};
  for (const Index::Term& term : index.terms()) {
    int64_t q = floor_div_int(term.coefficient, divisor);
    int64_t r = term.coefficient - q * divisor;
    // A negative coefficient of a small multiple is kept whole: splitting -1 into -c + (c-1) helps nobody.
    if (r != 0) q = 0, r = term.coefficient;
    const Index single = Index::of_atom(term.atom);
    if (q != 0)
      split.quotient = split.quotient + single * q;
    else
      split.remainder = split.remainder + single * r;
  }
  return split;
}

// Writes r as g * high + low with low in [0, g), for the largest such g > 1 that divides the divisor.
bool split_by_common_factor(const Index& r, int64_t divisor, int64_t& g, Index& high, Index& low) {
  std::vector<int64_t> candidates;
  for (const Index::Term& term : r.terms()) candidates.push_back(std::gcd(term.coefficient, divisor));
  std::sort(candidates.rbegin(), candidates.rend());
  for (int64_t candidate : candidates) {
    if (candidate <= 1 || candidate == divisor) continue;
    Split split = split_by(r, candidate);
    if (split.remainder.min() >= 0 && split.remainder.max() < candidate) {
      g = candidate, high = split.quotient, low = split.remainder;
      return true;
    }
  }
  return false;
}

}  // namespace

Index Index::variable(int id, int64_t extent) {
  if (extent == 1) return Index(0);
  Index index;
  auto atom = std::make_shared<IndexAtom>();
  atom->kind = IndexAtom::Kind::kVariable;
  atom->id = id;
  atom->extent = extent;
  index.terms_.push_back({std::move(atom), 1});
  return index;
}

Index Index::of_atom(std::shared_ptr<const IndexAtom> atom) {
  Index index;
  index.terms_.push_back({std::move(atom), 1});
  return index;
}

int64_t Index::min() const {
  int64_t value = constant_;
  for (const Term& t : terms_)
    value += t.coefficient * (t.coefficient > 0 ? atom_min(*t.atom) : atom_max(*t.atom));
  return value;
}

int64_t Index::max() const {
  int64_t value = constant_;
  for (const Term& t : terms_)
    value += t.coefficient * (t.coefficient > 0 ? atom_max(*t.atom) : atom_min(*t.atom));
  return value;
}

int64_t Index::steps() const {
  int64_t steps = 0;
  for (const Term& t : terms_) steps = std::min(steps + t.atom->steps, kMostSteps);
  return steps;
}

bool Index::is_variable(int id) const {
  return constant_ == 0 && terms_.size() == 1 && terms_[0].coefficient == 1 &&
         terms_[0].atom->kind == IndexAtom::Kind::kVariable && terms_[0].atom->id == id;
}

int64_t Index::coefficient(int id) const {
  for (const Term& t : terms_) {
    if (t.atom->kind == IndexAtom::Kind::kVariable && t.atom->id == id) return t.coefficient;
  }
  return 0;
}

bool Index::uses(int id) const {
  return coefficient(id) != 0 || uses_nonlinearly(id);
}

bool Index::uses_nonlinearly(int id) const {
  for (const Term& t : terms_) {
    if (t.atom->kind != IndexAtom::Kind::kVariable && t.atom->argument.uses(id)) return true;
  }
  return false;
}

void Index::collect_variables(std::vector<int>& ids) const {
  for (const Term& t : terms_) {
    if (t.atom->kind != IndexAtom::Kind::kVariable) {
      t.atom->argument.collect_variables(ids);
    } else if (std::find(ids.begin(), ids.end(), t.atom->id) == ids.end()) {
      ids.push_back(t.atom->id);
    }
  }
}

void Index::add_term(std::shared_ptr<const IndexAtom> atom, int64_t coefficient) {
  auto at = std::lower_bound(
      terms_.begin(), terms_.end(), *atom,
      [](const Term& term, const IndexAtom& value) { return compare_atoms(*term.atom, value) < 0; });
  if (at != terms_.end() && compare_atoms(*at->atom, *atom) == 0) {
    at->coefficient += coefficient;
    if (at->coefficient == 0) terms_.erase(at);
  } else {
    terms_.insert(at, {std::move(atom), coefficient});
  }
}

Index Index::operator+(const Index& other) const {
  Index sum = *this;
  sum.constant_ += other.constant_;
  for (const Term& t : other.terms_) sum.add_term(t.atom, t.coefficient);
  return sum;
}

Index Index::rejoined() const {
  for (size_t i = 0; i < terms_.size(); ++i) {
    const IndexAtom& rest = *terms_[i].atom;
    if (rest.kind != IndexAtom::Kind::kMod) continue;
    for (size_t j = 0; j < terms_.size(); ++j) {
      if (terms_[j].atom->kind != IndexAtom::Kind::kDiv ||
          terms_[j].coefficient != terms_[i].coefficient * rest.divisor)
        continue;
      if (rest.argument.floor_div(rest.divisor) != of_atom(terms_[j].atom)) continue;
      Index others = *this;
      others.terms_.erase(others.terms_.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      others.terms_.erase(others.terms_.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      return (others + rest.argument * terms_[i].coefficient).rejoined();
    }
  }
  return *this;
}

Index Index::operator-(const Index& other) const {
  return *this + other * -1;
}

Index Index::operator*(int64_t factor) const {
  if (factor == 0) return Index(0);
  Index product = *this;
  product.constant_ *= factor;
  for (Term& t : product.terms_) t.coefficient *= factor;
  return product;
}

Index Index::floor_div(int64_t divisor) const {
  check(divisor > 0, "Index::floor_div: the divisor must be positive");
  if (divisor == 1) return *this;
  Split split = split_by(rejoined(), divisor);
  const Index& r = split.remainder;
  if (r.min() >= 0 && r.max() < divisor) return split.quotient;
  if (r.is_constant()) return split.quotient + Index(floor_div_int(r.constant(), divisor));
  int64_t g;
  Index high, low;
  if (split_by_common_factor(r, divisor, g, high, low)) return split.quotient + high.floor_div(divisor / g);
  if (r.terms_.size() == 1 && r.constant_ == 0 && r.terms_[0].coefficient == 1 &&
      r.terms_[0].atom->kind == IndexAtom::Kind::kDiv) {
    const IndexAtom& inner = *r.terms_[0].atom;
    return split.quotient + inner.argument.floor_div(inner.divisor * divisor);
  }
  return split.quotient + of_step(IndexAtom::Kind::kDiv, r, divisor, nullptr);
}

Index Index::mod(int64_t divisor) const {
  check(divisor > 0, "Index::mod: the divisor must be positive");
  if (divisor == 1) return Index(0);
  Index r = split_by(rejoined(), divisor).remainder;
  if (r.min() >= 0 && r.max() < divisor) return r;
  if (r.is_constant()) return Index(mod_int(r.constant(), divisor));
  int64_t g;
  Index high, low;
  if (split_by_common_factor(r, divisor, g, high, low)) return high.mod(divisor / g) * g + low;
  return of_step(IndexAtom::Kind::kMod, r, divisor, nullptr);
}

Index Index::lookup(IndexTable table) const {
  check(min() >= 0 && max() < static_cast<int64_t>(table->size()), "Index::lookup: out of the table");
  if (is_constant()) return Index((*table)[static_cast<size_t>(constant_)]);
  return of_step(IndexAtom::Kind::kLookup, *this, 1, std::move(table));
}

Index Index::substitute(const std::function<Index(int, int64_t)>& replace) const {
  Index result(constant_);
  for (const Term& t : terms_) {
    const IndexAtom& atom = *t.atom;
    Index value;
    switch (atom.kind) {
      case IndexAtom::Kind::kVariable:
        value = replace(atom.id, atom.extent);
        break;
      case IndexAtom::Kind::kDiv:
        value = atom.argument.substitute(replace).floor_div(atom.divisor);
        break;
      case IndexAtom::Kind::kMod:
        value = atom.argument.substitute(replace).mod(atom.divisor);
        break;
      case IndexAtom::Kind::kLookup:
        value = atom.argument.substitute(replace).lookup(atom.table);
        break;
    }
    result = result + value * t.coefficient;
  }
  return result;
}

int64_t Index::evaluate(const std::function<int64_t(int)>& value) const {
  int64_t result = constant_;
  for (const Term& t : terms_) {
    const IndexAtom& atom = *t.atom;
    int64_t v = 0;
    switch (atom.kind) {
      case IndexAtom::Kind::kVariable:
        v = value(atom.id);
        break;
      case IndexAtom::Kind::kDiv:
        v = floor_div_int(atom.argument.evaluate(value), atom.divisor);
        break;
      case IndexAtom::Kind::kMod:
        v = mod_int(atom.argument.evaluate(value), atom.divisor);
        break;
      case IndexAtom::Kind::kLookup:
        v = (*atom.table)[static_cast<size_t>(atom.argument.evaluate(value))];
        break;
    }
    result += v * t.coefficient;
  }
  return result;
}

void Index::hash_into(Hasher& hasher) const {
  hasher.add(constant_);
  for (const Term& t : terms_) {
    hasher.add(t.coefficient);
    hasher.add(static_cast<int>(t.atom->kind));
    if (t.atom->kind == IndexAtom::Kind::kVariable) {
      hasher.add(t.atom->id);
    } else {
      hasher.add(t.atom->divisor);
      t.atom->argument.hash_into(hasher);
    }
  }
}

std::strong_ordering Index::operator<=>(const Index& other) const {
  if (auto c = terms_.size() <=> other.terms_.size(); c != 0) return c;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (auto c = compare_atoms(*terms_[i].atom, *other.terms_[i].atom); c != 0) return c;
    if (auto c = terms_[i].coefficient <=> other.terms_[i].coefficient; c != 0) return c;
  }
  return constant_ <=> other.constant_;
}

std::string Index::to_string(const std::function<std::string(int)>& names) const {
  std::string text;
  for (const Term& t : terms_) {
    if (!text.empty())
      text += t.coefficient < 0 ? " - " : " + ";
    else if (t.coefficient < 0)
      text += "-";
    int64_t magnitude = t.coefficient < 0 ? -t.coefficient : t.coefficient;
    if (magnitude != 1) text += std::to_string(magnitude) + "*";
    const IndexAtom& atom = *t.atom;
    switch (atom.kind) {
      case IndexAtom::Kind::kVariable:
        text += names(atom.id);
        break;
      case IndexAtom::Kind::kDiv:
        text += "(" + atom.argument.to_string(names) + ") div " + std::to_string(atom.divisor);
        break;
      case IndexAtom::Kind::kMod:
        text += "(" + atom.argument.to_string(names) + ") mod " + std::to_string(atom.divisor);
        break;
      case IndexAtom::Kind::kLookup: {
        text += "{";
        for (size_t i = 0; i < atom.table->size(); ++i)
          text += (i ? "," : "") + std::to_string((*atom.table)[i]);
        text += "}[" + atom.argument.to_string(names) + "]";
        break;
      }
    }
  }
  if (text.empty()) return std::to_string(constant_);
  if (constant_ > 0) text += " + " + std::to_string(constant_);
  if (constant_ < 0) text += " - " + std::to_string(-constant_);
  return text;
}

}  // namespace ingot
