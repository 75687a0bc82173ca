// The search for the first rewrite that makes a compiled program differ from the interpreted one.
#pragma once

#include <functional>
#include <string>

namespace ingot::tools {

// What happened when the program was compiled with at most n rewrites, and run.
struct Trial {
  bool good = true;
  std::string what;      // of a bad one: "largest error ...", "crashed with signal 11", "internal error: ..."
  int64_t rewrites = 0;  // that were made
};
using Try = std::function<Trial(int64_t max_rewrites)>;  // -1: no limit

struct BisectResult {
  enum class Kind {
    kNoDifference,  // good with all rewrites
    kNotRewrites,   // bad already without any
    kRewrite,       // good with `rewrite` - 1 rewrites, bad with `rewrite`
  };
  Kind kind = Kind::kNoDifference;
  int64_t rewrite = 0, total = 0;
  std::string what;  // of the bad trial
};

BisectResult bisect(const Try& attempt);

}  // namespace ingot::tools
