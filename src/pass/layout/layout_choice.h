// Which order each class of values gets.
//
// An order is judged by what the kernels that touch the values cost under it, each lowered and scheduled
// (kernel::running_price), by the slices that loops copy, and by the copies between an argument or result of
// the program and a loop or call (layout_copies.h), all as often as they run. Which dimension lies innermost
// matters most, and which one loops step through, so these are the orders that are tried: first one for all
// values that kernels join, since a kernel that reads one and writes another wants both alike, then for each
// by itself. What is linked, stacks and their slices, moves together. Between orders that cost nearly the
// same, row-major stays.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pass/layout/layout_classes.h"
#include "pass/layout/layout_region.h"

namespace ingot::pass {

class LayoutChoice {
 public:
  LayoutChoice(const LayoutClasses& classes, LayoutPrices& prices, int64_t small);

  void choose();
  // Any orders that there are kernels for.
  void shuffle(std::minstd_rand& random);
  // Leaves the class, and all that are linked to it, as they were at first.
  void take_back(int number);

  const Orders& orders() const { return orders_; }
  // The class and all that must move with it, one way or the other.
  std::vector<int> linked(int number) const;
  // Whether there are kernels for all of it.
  bool possible();
  // By how much what touches the class, and what moves along, is cheaper now: a part of what it costs in
  // row-major order, below 0 if it is dearer. Nothing if it would cost nothing.
  std::optional<double> gain(int number);

 private:
  using Moves = std::vector<std::pair<int, Order>>;
  struct Priced {
    const ir::Op* op;
    kernel::RunningPrice price;  // of all runs
  };

  kernel::RunningPrice price(const ir::Op& op, const Orders& orders);
  std::vector<Priced> prices_around(const std::vector<int>& classes);
  bool follow(Moves& moves, std::vector<char>& seen) const;
  bool try_moves(Moves moves);
  bool cheaper(const std::vector<Priced>& old);
  bool promising(const std::vector<int>& classes);
  void try_together(const std::vector<int>& classes);
  bool improve(int number);
  // Of a value that does nothing but go into a concatenate: pieces that are alike are worth as much in
  // another order, whichever of them it is.
  struct Piece {
    uint64_t maker;  // what its kernel does
    const ir::Op* join;
    ir::TensorType type;
    Order order;
    auto key() const { return std::tie(maker, join, type.dtype, type.shape, order); }
    bool operator<(const Piece& other) const { return key() < other.key(); }
  };
  std::optional<Piece> piece_of_join(int number);
  std::vector<std::vector<int>> joined() const;

  const LayoutClasses& classes_;
  LayoutPrices& prices_;
  std::vector<int> movable_;  // in program order
  std::vector<char> is_movable_;
  Orders orders_;
};

}  // namespace ingot::pass
