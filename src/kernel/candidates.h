// Kernels that could be. Fusion, layout and padding ask what a group of operations would become; what becomes
// of it in the end, the plan, asks the same. Each structure is lowered once, whoever asks, and what has been
// found out about it is kept for the next one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/cost/price.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "kernel/lower/group.h"

namespace ingot::kernel {

class Candidates;

// What one group would become. Every answer throws NotFusible, with the group's own names, if there is none.
// Valid as long as the group's operations and the store.
class Candidate {
 public:
  const Group& group() const { return group_; }
  // Of the band; known without lowering.
  int64_t band_points() const;
  void want() const { lowered(); }
  // How much of the longest body (kMostScalars) the kernel's takes up.
  double fullness() const;
  // As lowered, with its work counted (count_work.h), and with the names of the group.
  Kernel kernel(const std::string& name) const;
  // The kernel's canonical form (form.h), and its kind by its body.
  const std::string& form() const;
  KernelKind kind() const;
  // Instructions per vector lane over all points, with outputs of pieces computed piece by piece. Where rows
  // in blocks share what the products in a scan read, it is widened once, while it is packed: that does not
  // count.
  double work() const;

  // What the schedule would make of it (schedule/steps.h).
  bool shares_reductions() const;
  bool blocks_rows() const;
  bool reduces_columns() const;
  // Whether no products in a scan lose the register tiles that they would have by themselves.
  bool keeps_tiles() const;

  // For the common machine.
  Kernel scheduled() const;
  RunningPrice price() const;

 private:
  friend class Candidates;
  struct Facts;
  Candidate(Candidates& store, std::shared_ptr<Facts> facts, Group group,
            std::vector<const ir::Value*> values);

  const Kernel& lowered() const;
  const Kernel& counted() const;
  std::vector<size_t> values_of_names(const Kernel& kernel) const;
  template <class Answer, class Ask>
  const Answer& once(std::optional<Answer>& known, Ask ask) const;

  Candidates* store_;
  std::shared_ptr<Facts> facts_;
  Group group_;
  std::vector<const ir::Value*> values_;  // as the group's form numbers them
};

// What is known in one compilation. Not for several threads at once.
class Candidates {
 public:
  Candidates();
  ~Candidates();
  Candidate of(Group group);
  // How many groups have been lowered: one of each structure, but for those whose kernels were dropped when
  // the store became too large.
  int64_t lowerings() const { return lowerings_; }

 private:
  friend class Candidate;
  void keep(std::shared_ptr<Candidate::Facts> facts, Kernel kernel);

  std::unordered_map<std::string, std::shared_ptr<Candidate::Facts>> by_form_;
  std::unordered_map<std::string, RunningPrice> prices_;       // by the form of the kernel
  std::deque<std::shared_ptr<Candidate::Facts>> with_kernel_;  // oldest first
  int64_t statements_ = 0;                                     // of those
  int64_t lowerings_ = 0;
};

// A machine of a common kind, not the one at hand: what is decided by its prices is the same everywhere.
Target common_machine();

}  // namespace ingot::kernel
