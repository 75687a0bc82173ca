// Which values of a module lie in memory with their dimensions in the same order.
//
// An order says how a value lies in memory: dimension i of what is stored is dimension order[i] of the value.
// Some values are one and the same memory, or take each other's place, whatever kernels do: what a loop
// carries, from its operand over each step to its result; what it reads in every step; what a call hands
// over, at all calls of the function. Such values form a class, over all functions of a module, and a class
// has one order. What a loop takes slices of, or stacks, is a class of its own with a link to that of the
// slices, which lie as the stack does without its axis. What a while or a cond is given and gives, outside
// and in its regions, is row-major.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

using Order = ir::IntList;

Order row_major(int64_t rank);
bool is_row_major(const Order& order);
Order inverse(const Order& order);
ir::TensorType stored_type(const ir::TensorType& type, const Order& order);
// The order of the slices of what lies in that order, and of a stack of slices with its axis at `place`.
Order without_axis(const Order& stack, int64_t axis);
Order with_axis(const Order& slice, int64_t axis, int64_t place);

// What loops go through again and again may be so much smaller than what is worth an order otherwise.
inline int64_t least_in_loops(int64_t small) {
  return small / 16;
}

class LayoutClasses {
 public:
  struct Link {
    int stack;
    int64_t axis;
    int slice;
  };
  struct Class {
    std::vector<ir::Value*> members;  // in program order
    std::vector<ir::Op*> ops;         // kernels that touch one, loops that walk along one; each once
    std::vector<int> links;
    bool fixed = false;  // row-major: the program's arguments and results, and what other operations touch
    double visits = 0;   // the elements of all places where it is read or written, as often as they are

    const ir::TensorType& type() const { return members.front()->type(); }
    int64_t rank() const { return members.front()->rank(); }
  };

  explicit LayoutClasses(ir::Module& module);

  const std::vector<Class>& all() const { return classes_; }
  const Class& at(int number) const { return classes_[static_cast<size_t>(number)]; }
  const Link& link(int number) const { return links_[static_cast<size_t>(number)]; }
  int count() const { return static_cast<int>(classes_.size()); }
  int of(const ir::Value* value) const;  // -1 if it is of a kernel, or was made later
  // The value is about to be erased: another one may get its address.
  void forget(const ir::Value* value) { class_of_.erase(value); }
  // How often the operation runs: steps of the loops around it, times calls of its function.
  double times(const ir::Op& op) const { return times_.at(op.parent()); }
  // Whether the value has to be row-major for a reason of its own.
  bool is_held(const ir::Value& value) const;
  // Whether that use of a value needs it row-major.
  bool is_held_by(const ir::Use& use) const;

 private:
  void count_runs(ir::Module& module);
  void count_runs(ir::Region& region, double times);
  void count_runs_apart(ir::Op& op, double times);  // of a while or a cond, whose border is row-major
  void number(ir::Region& region);
  void join(const ir::Value* a, const ir::Value* b);
  void join_around(ir::Op& op);
  int root(int i);
  void make_classes();
  void add_links_and_ops(ir::Region& region);

  std::vector<ir::Value*> values_;                      // of all regions outside of kernels, in program order
  std::unordered_map<const ir::Value*, int> class_of_;  // first the number in values_, then that of a class
  std::vector<int> parent_;                             // of each value, while classes are joined
  std::vector<Class> classes_;
  std::vector<Link> links_;
  std::unordered_map<const ir::Region*, double> times_;
  // Bodies whose arguments and results nobody knows, or which must be row-major.
  std::unordered_map<const ir::Region*, bool> is_open_;
};

// An order for each class; row-major at first.
class Orders {
 public:
  explicit Orders(const LayoutClasses& classes);

  const Order& of(int number) const { return orders_[static_cast<size_t>(number)]; }
  // Null if it is row-major, as all values are that were made later.
  const Order* of(const ir::Value* value) const;
  bool moved(int number) const { return !is_row_major(of(number)); }
  Order exchange(int number, Order order);

 private:
  const LayoutClasses* classes_;
  std::vector<Order> orders_;
};

}  // namespace ingot::pass
