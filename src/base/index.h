// Integer index expressions: what a view does to an index, and what a load adds to a pointer.
//
// An Index is an affine sum: constant + sum of coefficient * atom. An atom is a variable with a known extent,
// a floor division or remainder of another Index by a positive constant, or a look-up of an Index in a
// constant table. Sums are kept in one canonical form, so that equal expressions compare equal, whichever
// chain of views they came from; division and remainder simplify through the known ranges.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"

namespace ingot {

struct IndexAtom;
using IndexTable = std::shared_ptr<const std::vector<int64_t>>;

class Index {
 public:
  struct Term {
    std::shared_ptr<const IndexAtom> atom;
    int64_t coefficient;
  };

  Index(int64_t constant = 0) : constant_(constant) {}  // NOLINT: numbers are indices
  static Index variable(int id, int64_t extent);        // takes the values 0 .. extent-1

  static Index of_atom(std::shared_ptr<const IndexAtom> atom);

  bool is_constant() const { return terms_.empty(); }
  int64_t constant() const { return constant_; }  // the constant part
  const std::vector<Term>& terms() const { return terms_; }

  int64_t min() const;  // bounds over all values of the variables; exact for sums of distinct variables
  int64_t max() const;

  // True if this is just the variable `id`.
  bool is_variable(int id) const;
  // The coefficient of variable `id` in the sum, not looking inside division, remainder and look-up.
  int64_t coefficient(int id) const;
  // True if the variable occurs anywhere, inside of atoms too.
  bool uses(int id) const;
  // True if the variable occurs inside of a division, remainder or look-up.
  bool uses_nonlinearly(int id) const;
  void collect_variables(std::vector<int>& ids) const;

  Index operator+(const Index& other) const;
  Index operator-(const Index& other) const;
  Index operator*(int64_t factor) const;
  Index floor_div(int64_t divisor) const;
  Index mod(int64_t divisor) const;
  Index lookup(IndexTable table) const;
  // Shorter where it can be: d (e div d) + e mod d is e. Division and remainder see to it by themselves; sums
  // do not, since then their form would depend on the order in which they were added up.
  Index rejoined() const;

  // Divisions, remainders and look-ups to compute it, one inside of another, too; at most kMostSteps.
  int64_t steps() const;
  static constexpr int64_t kMostSteps = int64_t{1} << 20;

  // Replaces variables; `replace` returns the new expression for a variable of the given id and extent.
  Index substitute(const std::function<Index(int id, int64_t extent)>& replace) const;
  // The value for given values of the variables.
  int64_t evaluate(const std::function<int64_t(int id)>& value) const;

  bool operator==(const Index& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const Index& other) const;  // any total order

  // Adds all that operator== looks at.
  void hash_into(Hasher& hasher) const;

  // "4*i + j + 1"; names gives the text of a variable.
  std::string to_string(const std::function<std::string(int id)>& names) const;

 private:
  void add_term(std::shared_ptr<const IndexAtom> atom, int64_t coefficient);

  int64_t constant_ = 0;
  std::vector<Term> terms_;  // sorted by atom, coefficients not zero
};

struct IndexAtom {
  enum class Kind { kVariable, kDiv, kMod, kLookup };
  Kind kind;
  int id = 0;           // kVariable
  int64_t extent = 0;   // kVariable
  Index argument;       // the others
  int64_t steps = 0;    // of the argument and its own
  int64_t divisor = 1;  // kDiv, kMod
  IndexTable table;     // kLookup
};

}  // namespace ingot
