// Sorts whose floats have derivatives: their places are sorted with them, and floats are gathered from there,
// as JAX does it.
#include <algorithm>

#include "ir/builder.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "transform/derivatives.h"

namespace ingot::transform {
namespace {

using ir::IntList;
using ir::Op;
using ir::Region;
using ir::Value;

bool gives_floats(const Op& op) {
  if (!ops::is<ops::SortOp>(op)) return false;
  const std::vector<Value*> results = op.results();
  return std::any_of(results.begin(), results.end(),
                     [](const Value* result) { return is_inexact(result->dtype()) && result->used(); });
}

void gather_from_places(Op& sort) {
  const ops::SortOp form(sort);
  ir::Builder builder(*sort.parent(), &sort);
  builder.set_provenance(sort.provenance().derived("expand_sorts", "sort"));
  const Shape& shape = sort.operand(0)->shape();
  const int64_t axis = form.axis(), rank = sort.operand(0)->rank();

  std::vector<Value*> operands(sort.operands().begin(), sort.operands().end());
  operands.push_back(make::iota(builder, DType::kS64, shape, axis));
  std::unique_ptr<Region> region = builder.make_region();
  ir::clone_region(form.comparator(), *region);
  for (int i = 0; i < 2; ++i) region->add_argument({DType::kS64, {}});
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(region));
  Op* made = builder.make("sort", operands, sort.attributes(), std::move(regions));

  IntList others;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) others.push_back(i);
  }
  const ir::Attributes take{{"offset_dims", IntList{}},
                            {"collapsed_slice_dims", IntList{axis}},
                            {"operand_batching_dims", others},
                            {"start_indices_batching_dims", others},
                            {"start_index_map", IntList{axis}},
                            {"index_vector_dim", rank},
                            {"slice_sizes", Shape(static_cast<size_t>(rank), 1)},
                            {"mode", std::string("clip")}};
  Value* places = made->result(sort.result_count());
  for (int i = 0; i < sort.result_count(); ++i) {
    Value* sorted = made->result(i);
    if (is_inexact(sorted->dtype())) {
      const bool any = shape[static_cast<size_t>(axis)] > 0;
      sorted = any ? builder.value("gather", {sort.operand(i), places}, take) : sort.operand(i);
    }
    sort.result(i)->replace_all_uses_with(sorted);
  }
  sort.erase();
}

}  // namespace

bool expand_sorts(ir::Function& function) {
  std::vector<Op*> found;
  walk(function.body(), [&](Op& op) {
    if (gives_floats(op)) found.push_back(&op);
  });
  for (Op* op : found) gather_from_places(*op);
  return !found.empty();
}

}  // namespace ingot::transform
