// A part of a program that runs over blocks of rows: contractions that end it, computed block by block along
// one dimension of the large values that they read, so that these never exist as a whole.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/builder.h"
#include "pass/attention/blocked.h"

namespace ingot::pass {

// What follows from a large value, rows along one of its dimensions kept apart.
class RowPart {
 public:
  // Follows the users of `seed` along its dimension `axis`, until contractions end it. It does not end if
  // `obstacle` is set: an operation that needs a large value as a whole.
  RowPart(ir::Value* seed, int64_t axis);

  const ir::Op* obstacle() const { return obstacle_; }
  const std::vector<ir::Op*>& exits() const { return exits_; }
  // Leaves contractions out of which others read what follows: they have to come first, by themselves.
  void keep_last_exits();
  // Computes the exits in steps of `block` rows, which divides their number. Returns the seed of one step.
  ir::Value* loop(int64_t block, std::string_view pass);

 private:
  // How an exit reads rows, and what becomes of them.
  struct Exit {
    BlockPlace operands[2];
    // The dimension of the result along which they run; kWhole: they are summed over.
    int64_t result = BlockPlace::kWhole;
  };

  static Exit exit_of(const ir::Op& op, int side, int64_t axis);
  void follow(ir::Value* value, int64_t axis);
  // What a block of the exits' operands needs.
  Blocked blocks_of(const std::vector<ir::Op*>& exits) const;
  ir::Op* make_room(const Blocked& blocks);

  ir::Value* seed_;
  int64_t axis_;
  const ir::Op* obstacle_ = nullptr;
  std::set<BlockPlace> followed_;
  std::vector<ir::Op*> exits_;
  std::map<ir::Op*, Exit> reads_;
};

}  // namespace ingot::pass
