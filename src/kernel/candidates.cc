#include "kernel/candidates.h"

#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/form.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/reach.h"
#include "kernel/ir/reductions.h"
#include "kernel/lower/group_form.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/contraction/block_rows.h"
#include "kernel/schedule/schedule.h"
#include "kernel/schedule/steps.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

// Statements of the kernels that a store holds: some 400 bytes each, 50 MiB together.
constexpr int64_t kMostStatements = 1 << 17;

int64_t statements_of(Kernel& kernel) {
  int64_t count = 0;
  for_each_stmt(kernel.body, [&](const Stmt&) { ++count; });
  return count;
}

// Of operands of sums that widen from bf16 or f16.
double widening(const Kernel& kernel, const Block& block, double points, bool in_sum) {
  double total = 0;
  for (const Stmt& stmt : block.stmts) {
    if (auto* let = std::get_if<Let>(&stmt.node);
        let != nullptr && in_sum && ops::is<ops::ConvertOp>(*let->record)) {
      if (is_narrow_float(kernel.scalars[static_cast<size_t>(let->operands[0])]))
        total += points * cost(stmt);
    } else if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      total += widening(kernel, loop->body, points * likely_points(*loop), loop->kind == LoopKind::kReduce);
    }
  }
  return total;
}

// With outputs of pieces computed piece by piece.
double work_of(const Kernel& kernel) {
  Kernel pieces = kernel;
  if (split_pieces(pieces))
    for_each_phase(pieces, [&] { write_pieces_in_rows(pieces); });
  else if (!write_pieces_in_turn(pieces))
    write_pieces_in_rows(pieces);
  const double all = kernel::work(pieces.body);
  return has_products_in_scans(kernel) ? all - widening(kernel, pieces.body, 1, false) : all;
}

}  // namespace

struct Candidate::Facts {
  // Why there is no kernel, for any group of the form.
  struct Reason {
    std::string before, after;
    std::optional<size_t> value;  // between them, by its number in the form

    static Reason of(const NotFusible& error, const std::vector<const ir::Value*>& values) {
      const auto at = std::find(values.begin(), values.end(), error.value);
      if (at == values.end()) return {error.what(), "", {}};
      return {error.before, error.after, static_cast<size_t>(at - values.begin())};
    }
    [[noreturn]] void refuse(const std::vector<const ir::Value*>& values) const {
      if (!value) throw NotFusible(before);
      throw NotFusible(before, *values[*value], after);
    }
  };

  std::optional<int64_t> band_points;
  std::optional<Kernel> kernel;     // while there is room for it
  std::vector<size_t> named_after;  // of each of its buffers, the value, by its number in the form
  std::optional<Reason> no_band, no_kernel;
  std::optional<std::string> form;
  std::optional<KernelKind> kind;
  std::optional<double> work;
  std::optional<bool> shares_reductions, blocks_rows, reduces_columns, keeps_tiles;
  std::optional<RunningPrice> price;
  int64_t statements = 0;  // of the kernel
  bool counted = false;    // whether its work is
};

Candidate::Candidate(Candidates& store, std::shared_ptr<Facts> facts, Group group,
                     std::vector<const ir::Value*> values)
    : store_(&store), facts_(std::move(facts)), group_(std::move(group)), values_(std::move(values)) {}

int64_t Candidate::band_points() const {
  if (facts_->no_band) facts_->no_band->refuse(values_);
  if (!facts_->band_points) {
    try {
      facts_->band_points = Dimensions(group_).band_points();
    } catch (const NotFusible& error) {
      facts_->no_band = Facts::Reason::of(error, values_);
      throw;
    }
  }
  return *facts_->band_points;
}

const Kernel& Candidate::lowered() const {
  if (facts_->no_kernel) facts_->no_kernel->refuse(values_);
  if (!facts_->kernel) {
    try {
      ++store_->lowerings_;
      Kernel kernel = lower(group_, "");
      cut_to_reach(kernel);
      facts_->named_after = values_of_names(kernel);
      store_->keep(facts_, std::move(kernel));
    } catch (const NotFusible& error) {
      facts_->no_kernel = Facts::Reason::of(error, values_);
      throw;
    }
  }
  return *facts_->kernel;
}

template <class Answer, class Ask>
const Answer& Candidate::once(std::optional<Answer>& known, Ask ask) const {
  if (facts_->no_kernel) facts_->no_kernel->refuse(values_);
  if (!known) known = ask(lowered());
  return *known;
}

double Candidate::fullness() const {
  return static_cast<double>(lowered().scalars.size()) / static_cast<double>(kMostScalars);
}

const Kernel& Candidate::counted() const {
  lowered();
  if (!facts_->counted) count_work(*facts_->kernel);
  facts_->counted = true;
  return *facts_->kernel;
}

Kernel Candidate::kernel(const std::string& name) const {
  Kernel kernel = counted();
  kernel.name = name;
  for (size_t b = 0; b < kernel.buffers.size(); ++b)
    kernel.buffers[b].name = values_[facts_->named_after[b]]->name();
  return kernel;
}

// Lowering calls each buffer by the name of a value.
std::vector<size_t> Candidate::values_of_names(const Kernel& kernel) const {
  std::unordered_map<std::string_view, size_t> numbers;
  for (size_t i = 0; i < values_.size(); ++i) numbers.emplace(values_[i]->name(), i);
  std::vector<size_t> values;
  for (const Buffer& buffer : kernel.buffers) values.push_back(numbers.at(buffer.name));
  return values;
}

const std::string& Candidate::form() const {
  return once(facts_->form, canonical_form);
}
KernelKind Candidate::kind() const {
  return once(facts_->kind, kind_of);
}
double Candidate::work() const {
  return once(facts_->work, work_of);
}
bool Candidate::shares_reductions() const {
  return once(facts_->shares_reductions, kernel::shares_reductions);
}
bool Candidate::blocks_rows() const {
  return once(facts_->blocks_rows, kernel::blocks_rows);
}
bool Candidate::reduces_columns() const {
  return once(facts_->reduces_columns, kernel::reduces_columns);
}
bool Candidate::keeps_tiles() const {
  return once(facts_->keeps_tiles, [&](const Kernel& kernel) {
    return !has_products_in_scans(kernel) || (blocks_rows() && !repeats_products_in_scans(kernel));
  });
}

Kernel Candidate::scheduled() const {
  return schedule(lowered(), common_machine());
}

RunningPrice Candidate::price() const {
  return once(facts_->price, [&](const Kernel&) {
    if (const auto known = store_->prices_.find(form()); known != store_->prices_.end()) return known->second;
    const Target target = common_machine();
    // What tiles compute twice is not needed either.
    const double arithmetic = running_price(lowered(), target).arithmetic;
    RunningPrice price = running_price(scheduled(), target);
    if (arithmetic < price.arithmetic) price.least *= arithmetic / price.arithmetic;
    return store_->prices_[form()] = price;
  });
}

Candidates::Candidates() = default;
Candidates::~Candidates() = default;

Candidate Candidates::of(Group group) {
  GroupForm form = form_of(group);
  auto [it, fresh] = by_form_.try_emplace(std::move(form.bytes));
  if (fresh) it->second = std::make_shared<Candidate::Facts>();
  return Candidate(*this, it->second, std::move(group), std::move(form.values));
}

void Candidates::keep(std::shared_ptr<Candidate::Facts> facts, Kernel kernel) {
  facts->statements = statements_of(kernel);
  facts->kernel = std::move(kernel);
  facts->counted = false;
  statements_ += facts->statements;
  with_kernel_.push_back(std::move(facts));
  while (statements_ > kMostStatements && with_kernel_.size() > 1) {
    statements_ -= with_kernel_.front()->statements;
    with_kernel_.front()->kernel.reset();
    with_kernel_.pop_front();
  }
}

Target common_machine() {
  return Target::avx512();
}

}  // namespace ingot::kernel
