// Comparing the structures of trees that take each other's place.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "ingot/detail/structure.h"

namespace ingot::detail {

// Whether a leaf of one tree stands where another one does in the other. Roots differ: "tangent[0].w" stands
// for "arg0.w".
bool corresponds(const std::string& name, const std::string& other);

// The first difference, in the order of a visit.
struct StructureDifference {
  std::string given_name, wanted_name;  // the paths; empty where the tree has ended
  std::string given, wanted;            // what is there: "3", "a vector of 2"; empty for arrays
  bool same_place = false;              // both are at corresponding paths, and hold something else
};
std::optional<StructureDifference> difference(const Structure& given, const Structure& wanted);

// Error if what is given, of which the message speaks as "WHAT tangent.n is ...", has another structure than
// it must have. Where the numbers of arrays differ, that may be left to a check of these.
void check_structure(const std::string& what, const Structure& given, const Structure& wanted,
                     const std::source_location& where);

// Error if a step of the loop `function` changes the structure of its carry.
void check_carry_structure(const std::string& function, const Structure& init, const Structure& next,
                           const std::source_location& where);

}  // namespace ingot::detail
