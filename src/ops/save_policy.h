// Which values of a checkpointed function are kept for the way back: a set of rules, each of which may ask
// for an operation's results. As text, the attribute `policy` of a call: "dots_saveable",
// "save_only_these_names(q, k) | dots_with_no_batch_dims_saveable". No policy keeps nothing.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace ingot::ops {

class SavePolicy {
 public:
  // Error if the text is none of a policy, with those that there are.
  static SavePolicy parse(std::string_view text);

  bool saves(const ir::Op& op) const;

 private:
  enum class Kind { kNothing, kEverything, kDots, kDotsWithoutBatch, kOnlyNames, kAnyNamesBut, kAnythingBut };
  struct Rule {
    Kind kind;
    std::set<std::string, std::less<>> names;
  };
  static bool saves(const Rule& rule, const ir::Op& op);

  std::vector<Rule> rules_;
};

}  // namespace ingot::ops
