#include "pass/layout/layout_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include "kernel/cost/table.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

constexpr double kMargin = 0.04;  // of the cost of a kernel that changes, to be gained at least
constexpr double kSame = 0.005;   // of the cost of a kernel: no change
constexpr int64_t kLanes = 16;
constexpr int kRounds = 2;
constexpr int64_t kOften = 8;  // visits of each element that make up for smallness

Order with_last(int64_t rank, int64_t dim) {
  Order order = row_major(rank);
  std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
  return order;
}
Order with_first(Order order, int64_t dim) {
  const auto at = std::find(order.begin(), order.end(), dim);
  std::rotate(order.begin(), at, at + 1);
  return order;
}

// Lanes want that many neighbours, or as many as there are in row-major order. A dimension behind which there
// are none but of one element lies innermost as it is.
bool wide(const ir::TensorType& type, int64_t dim) {
  const auto at = type.shape.begin() + dim;
  return *at > 1 && *at >= std::min(kLanes, type.shape.back()) &&
         std::any_of(at + 1, type.shape.end(), [](int64_t extent) { return extent > 1; });
}

bool may_move(const LayoutClasses::Class& one, int64_t small) {
  const Shape& shape = one.type().shape;
  if (one.fixed || one.ops.empty()) return false;
  if (std::count_if(shape.begin(), shape.end(), [](int64_t n) { return n > 1; }) < 2) return false;
  const int64_t elements = element_count(shape);
  return elements >= small ||
         (elements >= least_in_loops(small) && one.visits >= static_cast<double>(kOften * small));
}

}  // namespace

LayoutChoice::LayoutChoice(const LayoutClasses& classes, LayoutPrices& prices, int64_t small)
    : classes_(classes),
      prices_(prices),
      is_movable_(static_cast<size_t>(classes.count()), 0),
      orders_(classes) {
  for (int i = 0; i < classes.count(); ++i) {
    if (!may_move(classes.at(i), small)) continue;
    movable_.push_back(i);
    is_movable_[static_cast<size_t>(i)] = 1;
  }
}

void LayoutChoice::choose() {
  for (const std::vector<int>& set : joined()) {
    try_together(set);
    std::map<Shape, std::vector<int>> alike;
    for (int number : set) alike[classes_.at(number).type().shape].push_back(number);
    if (alike.size() == 1) continue;
    for (auto& [shape, some] : alike) try_together(some);
  }
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    changed = false;
    std::set<Piece> hopeless;  // a join of hundreds would be lowered anew for each of its pieces
    for (int number : movable_) {
      const std::optional<Piece> piece = piece_of_join(number);
      if (piece.has_value() && hopeless.contains(*piece)) continue;
      const bool improved = improve(number);
      changed |= improved;
      if (improved) hopeless.clear();
      if (!improved && piece.has_value()) hopeless.insert(*piece);
    }
  }
}

void LayoutChoice::shuffle(std::minstd_rand& random) {
  for (int number : movable_) {
    Order order = row_major(classes_.at(number).rank());
    std::shuffle(order.begin(), order.end(), random);
    Moves moves{{number, std::move(order)}};
    std::vector<char> seen(is_movable_.size(), 0);
    if (!follow(moves, seen)) continue;
    for (auto& [moved, to] : moves) to = orders_.exchange(moved, to);
    if (!possible()) {
      for (auto& [moved, back] : moves) orders_.exchange(moved, back);
    }
  }
}

bool LayoutChoice::possible() {
  std::unordered_set<const Op*> seen;
  for (const LayoutClasses::Class& one : classes_.all()) {
    for (const Op* op : one.ops) {
      if (seen.insert(op).second && !std::isfinite(prices_.of(*op, orders_).total)) return false;
    }
  }
  return true;
}

void LayoutChoice::take_back(int number) {
  for (int one : linked(number)) orders_.exchange(one, row_major(classes_.at(one).rank()));
}

std::optional<double> LayoutChoice::gain(int number) {
  const Orders none(classes_);
  double before = 0, after = 0;
  std::unordered_set<const Op*> seen;
  for (int one : linked(number)) {
    for (const Op* op : classes_.at(one).ops) {
      if (!seen.insert(op).second) continue;
      before += price(*op, none).total;
      after += price(*op, orders_).total;
    }
  }
  if (!(before > 0) || !std::isfinite(before) || !std::isfinite(after)) return std::nullopt;
  return 1 - after / before;
}

std::vector<int> LayoutChoice::linked(int number) const {
  std::vector<int> all = {number};
  for (size_t i = 0; i < all.size(); ++i) {
    for (int link : classes_.at(all[i]).links) {
      for (int other : {classes_.link(link).stack, classes_.link(link).slice}) {
        if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
      }
    }
  }
  return all;
}

// --- prices

kernel::RunningPrice LayoutChoice::price(const Op& op, const Orders& orders) {
  const double times = classes_.times(op);
  kernel::RunningPrice price = prices_.of(op, orders);
  price.total *= times;
  price.least *= times;
  return price;
}

// Of what makes and what reads the values, each once.
std::vector<LayoutChoice::Priced> LayoutChoice::prices_around(const std::vector<int>& classes) {
  std::vector<Priced> all;
  std::unordered_set<const Op*> seen;
  for (int number : classes) {
    for (const Op* op : classes_.at(number).ops) {
      if (seen.insert(op).second) all.push_back({op, price(*op, orders_)});
    }
  }
  return all;
}

// What kernels gain must be worth mentioning beside what they cost, since prices are only near the truth;
// copies that a loop does not make are a sure thing. Stops as soon as what is left could not make up for it.
bool LayoutChoice::cheaper(const std::vector<Priced>& old) {
  double before = 0, left = 0, after = 0;
  for (const Priced& one : old) before += one.price.total, left += one.price.least;
  for (const Priced& one : old) {
    const double now = price(*one.op, orders_).total;
    left -= one.price.least;
    after += now;
    if (ops::is<ops::FusedOp>(*one.op) && std::abs(now - one.price.total) > kSame * one.price.total)
      after += kMargin * one.price.total;
    if (!(after + left < before)) return false;
  }
  return true;
}

// Whether it is worth asking: if everything ran along memory, it would cost that much less.
bool LayoutChoice::promising(const std::vector<int>& classes) {
  double total = 0, least = 0;
  bool copies = false;
  for (const Priced& one : prices_around(classes)) {
    total += one.price.total;
    least += one.price.least;
    copies |= ops::is<ops::ScanOp>(*one.op) && one.price.total > 0;
  }
  return total > prices::kThreadsMeet && (copies || least < (1 - kMargin) * total);
}

// --- moves

// Adds what must move along: slices with their stack, stacks with their slices. False if something must not.
bool LayoutChoice::follow(Moves& moves, std::vector<char>& seen) const {
  const auto move = [&](int number, Order order) {
    if (seen[static_cast<size_t>(number)] != 0) {
      return std::any_of(moves.begin(), moves.end(),
                         [&](const auto& one) { return one.first == number && one.second == order; });
    }
    if (order == orders_.of(number)) return true;
    if (classes_.at(number).fixed) return false;
    seen[static_cast<size_t>(number)] = 1;
    moves.emplace_back(number, std::move(order));
    return true;
  };
  Moves wanted;
  wanted.swap(moves);
  for (auto& [number, order] : wanted) {
    if (!move(number, std::move(order))) return false;
  }
  for (size_t i = 0; i < moves.size(); ++i) {
    const int number = moves[i].first;
    const Order order = moves[i].second;
    for (int at : classes_.at(number).links) {
      const LayoutClasses::Link& link = classes_.link(at);
      if (link.stack == number && !move(link.slice, without_axis(order, link.axis))) return false;
      if (link.slice != number) continue;
      const auto one = std::find_if(moves.begin(), moves.end(),
                                    [&](const auto& other) { return other.first == link.stack; });
      const Order& stack = one == moves.end() ? orders_.of(link.stack) : one->second;
      const auto place = std::find(stack.begin(), stack.end(), link.axis) - stack.begin();
      if (!move(link.stack, with_axis(order, link.axis, place))) return false;
    }
  }
  return true;
}

bool LayoutChoice::try_moves(Moves moves) {
  std::vector<char> seen(is_movable_.size(), 0);
  if (!follow(moves, seen) || moves.empty()) return false;
  std::vector<int> classes;
  for (auto& [number, order] : moves) classes.push_back(number);
  const std::vector<Priced> old = prices_around(classes);
  for (auto& [number, order] : moves) order = orders_.exchange(number, order);
  if (cheaper(old)) return true;
  for (auto& [number, order] : moves) orders_.exchange(number, order);
  return false;
}

void LayoutChoice::try_together(const std::vector<int>& classes) {
  if (classes.size() < 2 || !promising(classes)) return;
  const int64_t rank = classes_.at(classes.front()).rank();
  for (int64_t d = 0; d + 1 < rank; ++d) {
    if (std::none_of(classes.begin(), classes.end(),
                     [&](int number) { return wide(classes_.at(number).type(), d); }))
      continue;
    Moves moves;
    for (int number : classes) moves.emplace_back(number, with_last(rank, d));
    try_moves(std::move(moves));
  }
}

bool LayoutChoice::improve(int number) {
  if (!promising({number})) return false;
  const LayoutClasses::Class& own = classes_.at(number);
  std::vector<Order> orders = {row_major(own.rank())};
  for (int64_t d = 0; d + 1 < own.rank(); ++d) {
    if (wide(own.type(), d)) orders.push_back(with_last(own.rank(), d));
  }
  bool improved = false, promises = true;
  for (const Order& order : orders) {
    if (!promises) break;
    const bool better = try_moves({{number, order}});
    improved |= better;
    if (better) promises = promising({number});  // there may be nothing left to gain
  }
  for (int at : own.links) {
    const LayoutClasses::Link& link = classes_.link(at);
    if (promises && link.stack == number)
      improved |= try_moves({{number, with_first(orders_.of(number), link.axis)}});
  }
  return improved;
}

std::optional<LayoutChoice::Piece> LayoutChoice::piece_of_join(int number) {
  const LayoutClasses::Class& own = classes_.at(number);
  if (own.members.size() != 1 || !own.links.empty()) return std::nullopt;
  const Value* value = own.members.front();
  if (value->uses().size() != 1 || value->op() == nullptr || !ops::is<ops::FusedOp>(*value->op()) ||
      value->op()->result_count() != 1)
    return std::nullopt;
  const ir::Use& use = value->uses().front();
  if (!ops::is<ops::FusedOp>(*use.op)) return std::nullopt;
  const Value* inside = use.op->region().argument(use.operand);
  if (inside->uses().size() != 1 || !ops::is<ops::ConcatenateOp>(*inside->uses().front().op))
    return std::nullopt;
  return Piece{prices_.structure(*value->op()), inside->uses().front().op, value->type(), orders_.of(number)};
}

// Classes of one rank that kernels touch together.
std::vector<std::vector<int>> LayoutChoice::joined() const {
  std::unordered_map<const Op*, std::vector<int>> touched;
  for (int number : movable_) {
    for (const Op* op : classes_.at(number).ops) {
      if (ops::is<ops::FusedOp>(*op)) touched[op].push_back(number);
    }
  }
  std::vector<std::vector<int>> sets;
  std::vector<char> taken(is_movable_.size(), 0);
  for (int first : movable_) {
    if (std::exchange(taken[static_cast<size_t>(first)], 1) != 0) continue;
    std::vector<int> set = {first};
    for (size_t i = 0; i < set.size(); ++i) {
      for (const Op* op : classes_.at(set[i]).ops) {
        if (!ops::is<ops::FusedOp>(*op)) continue;
        for (int other : touched.at(op)) {
          if (classes_.at(other).rank() == classes_.at(first).rank() &&
              std::exchange(taken[static_cast<size_t>(other)], 1) == 0)
            set.push_back(other);
        }
      }
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace ingot::pass
