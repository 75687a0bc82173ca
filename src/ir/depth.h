// How deeply a program is nested, and whether the stack suffices for it: programs are walked by recursion.
#pragma once

#include <string>
#include <unordered_map>

#include "base/stack.h"
#include "ir/ir.h"

namespace ingot::ir {

// The most regions around an operation of the function, its body among them, along any chain of calls.
class Depths {  // of functions that do not change meanwhile
 public:
  int of(const Function& function);

 private:
  int of(const Region& region, const Module& module);
  std::unordered_map<const Function*, int> known_;
};
int depth(const Function& function);
int depth(const Module& module);

// Empty if programs that are nested so deeply can be walked on so many bytes of stack, or why not and what
// the user may do about it.
std::string stack_problem(int depth, size_t left = stack_left());
// Error if the program is nested too deeply for what is left.
void want_stack(const Module& module);

}  // namespace ingot::ir
