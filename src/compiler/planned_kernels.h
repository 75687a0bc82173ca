// Which operations of a fused module are launched, and what is known of their kernels before there is code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "kernel/candidates.h"
#include "kernel/ir/kernel_ir.h"

namespace ingot::compiler {

// One kernel to be, and the operation that it implements.
struct PlannedKernel {
  const ir::Op* op;
  uint64_t hash;
  std::string form;       // of the kernel, canonical
  kernel::Kernel kernel;  // not scheduled
};

// The name that the operation's kernel was given; the first of equal kernels lends its name to all.
std::string kernel_name(const ir::Op& op);

// The kernel of every operation that becomes one, callees, loop bodies and branches included.
std::vector<PlannedKernel> plan_kernels(ir::Module& module, kernel::Candidates& candidates);

// What an operation is to the plan.
bool is_constant(const ir::Op& op);
bool is_call(const ir::Op& op);
bool is_loop(const ir::Op& op);
bool is_branch(const ir::Op& op);
bool is_routine(const ir::Op& op);
bool is_kernel(const ir::Op& op);
bool is_empty(const ir::Op& op);  // nothing it makes has elements

// One value per input of the operation's kernel: a group of a single operation reads equal operands once.
std::vector<ir::Value*> kernel_inputs(ir::Op& op);
// The lines of what an operation's kernel computes; of its constants where it computes nothing. Constants,
// and views of nothing else, are there once for all who use them, with the first one's line.
std::vector<std::string> source_lines(ir::Op& op);
std::vector<std::string> own_lines(const ir::Op& op);                     // without those of its regions
void add_line(std::vector<std::string>& lines, const std::string& line);  // if it is not there yet

}  // namespace ingot::compiler
