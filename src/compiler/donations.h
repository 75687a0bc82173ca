// Donated arguments whose memory no result takes: which, why, and what would help.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/ir.h"
#include "pass/pass.h"
#include "runtime/plan.h"

namespace ingot::compiler {

class Donations {
 public:
  // The kernel that makes the function's result of that number reads the argument but does not take its
  // place.
  void refuse(const ir::Value* argument, int result, std::string why);

  // One note for each donated argument that no result of the function may lie in.
  std::vector<pass::Note> notes(const ir::Region& body, const std::unordered_set<int>& donated,
                                const runtime::PlanFunction& function) const;

 private:
  std::string why(const ir::Value& argument, const ir::Region& body,
                  const runtime::PlanFunction& function) const;

  struct Refused {
    int result;
    std::string why;
  };
  std::unordered_map<const ir::Value*, std::vector<Refused>> refused_;
};

}  // namespace ingot::compiler
