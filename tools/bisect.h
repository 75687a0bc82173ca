// The search for the first rewrite that makes a compiled program differ from the interpreted one.
#pragma once

#include <functional>
#include <string>

namespace ingot::tools {

// What happened when the program was compiled with at most n rewrites, and run.
struct Trial {
  bool good = true;
  std::string what;        // of a bad one: "out0[3]: ...", "crashed with signal 11", "internal error: ..."
  int64_t rewrites = 0;    // that were made
  bool timed_out = false;  // a bad one: it gave no answer in time
};
using Try = std::function<Trial(int64_t max_rewrites)>;  // -1: no limit
using TimeUp = std::function<bool()>;                    // asked after each trial

struct BisectResult {
  enum class Kind {
    kNoDifference,  // good with all rewrites
    kNotRewrites,   // bad already without any
    kRewrite,       // good with `rewrite` - 1 rewrites, bad with `rewrite`
    kTimeUp,        // good with `good` rewrites (-1: not known), bad with `rewrite`; no time for more
    kNothing,       // not even the first trial ended in time
  };
  Kind kind = Kind::kNoDifference;
  int64_t rewrite = 0, total = 0, good = -1;
  std::string what;  // of the bad trial
};

// `total` is what a trial without limit has made, or else what `count` says: one that went wrong cannot tell.
BisectResult bisect(const Try& attempt, const std::function<int64_t()>& count = {},
                    const TimeUp& time_up = {});

}  // namespace ingot::tools
