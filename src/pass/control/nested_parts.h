// The parts of a step that holds loops of unknown length. Private to nested_steps.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::pass {

// Part p is what comes before inner loop p, and behind the one before that; the last part is behind all.
class NestedParts {
 public:
  struct Inner {
    ir::Op* op;
    int end;                   // the carry that says whether it goes on
    ops::ScanOp steps;         // that take_steps has made of all that its step does
    std::vector<int> carries;  // by those of the loop: those of the steps
    std::set<int> placed;      // carries that are versions of what the outer loop changes in part

    bool is_carry(int operand) const { return operand < static_cast<int>(carries.size()); }
    ops::ScanOp::Carry carry(int k) const { return steps.carry(carries[static_cast<size_t>(k)]); }
  };

  explicit NestedParts(const ops::WhileOp& loop) : loop_(loop), body_(loop.body()) {}

  // Whether the step may be left in the middle of each inner loop, of which it has some.
  bool find();

  const std::vector<Inner>& inner() const { return inner_; }
  // Of the loop: what the step changes in part.
  bool is_changed(int carry) const { return changed_.count(carry) > 0; }
  // Whether the operation changes such a carry.
  bool is_change(const ir::Op& op) const {
    return ops::is<ops::ScatterOp>(op) && versions_.count(op.result()) > 0;
  }
  bool is_of_part(const ir::Op& op, int part) const;
  // Of what no loop makes.
  int part_of(const ir::Value* value) const { return part_behind(value); }
  // What parts have read of changed carries, and is wanted in others.
  const std::vector<ir::Value*>& kept() const { return kept_; }

 private:
  struct Place {
    int part;
    bool loop = false;  // the inner loop behind the part
    bool operator<(const Place& other) const {
      return part < other.part || (part == other.part && loop < other.loop);
    }
  };

  bool find_inner();
  bool add_inner(ir::Op& op);
  Inner* inner(const ir::Op* op);
  void find_versions();
  bool find_parts();
  int part_behind(const ir::Value* value) const;
  int part_behind_readers(const ir::Value& version, const ir::Op& next) const;
  void find_reads();
  bool look_at_what_is_wanted();

  const ops::WhileOp& loop_;
  const ir::Region& body_;
  std::vector<Inner> inner_;
  std::unordered_map<const ir::Op*, Place> places_;
  std::set<int> changed_;
  // Of changed carries: what makes the next version of it, or null.
  std::unordered_map<const ir::Value*, const ir::Op*> versions_;
  std::set<const ir::Value*> reads_;  // what parts read of them
  std::vector<ir::Value*> kept_;
};

// The carry that says whether the loop goes on, of one that nothing is known of but that; or nothing.
std::optional<int> plain_end(const ops::WhileOp& loop);

}  // namespace ingot::pass
