// Which keys a row of scores sees, where a mask by position says so.
#pragma once

#include <optional>

#include "pass/attention/find_attention.h"

namespace ingot::pass {

// Scores are -inf, or as low as numbers of f32 get, where per_row * row + per_key * key + constant < 0.
struct SeenKeys {
  int64_t row_dim = 0;  // of the scores, counted without the keys
  int64_t per_row = 0, per_key = 0, constant = 0;
};

// Nothing, if there is no such mask. Blocks of keys that no row sees leave a running softmax as it is; a
// value there that is not finite, which 0 times it would spread, is not looked at then.
std::optional<SeenKeys> seen_keys(const Attention& found);

}  // namespace ingot::pass
