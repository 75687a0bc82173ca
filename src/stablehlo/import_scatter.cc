// scatter: by a combiner that Ingot's scatter has, one for each array; or by any region, of all windows at
// once where no two of them meet, and else one window after the other, in a loop.
#include <algorithm>

#include "ops/windows.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

bool holds(const Ints& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// What a region makes of (what is there, an update): a combiner of the record's, and the update in its form.
// Empty where there is none.
std::string scatter_combiner(OpImport& op, const Combiner& combiner, ir::Value*& update) {
  if (combiner.name == "second") return "set";
  if (combiner.name == "add") return "add";
  if (combiner.name == "multiply") return "mul";
  const bool ordered = !is_complex(update->dtype());
  if (combiner.name == "maximum" && ordered) return "max";
  if (combiner.name == "minimum" && ordered) return "min";
  if (combiner.name == "subtract" && !combiner.swapped) {
    update = op.make("neg", {update});
    return "add";
  }
  if (update->dtype() == DType::kPred && combiner.name == "or") return "max";
  if (update->dtype() == DType::kPred && combiner.name == "and") return "min";
  return "";
}

class Scatter {
 public:
  explicit Scatter(OpImport& op)
      : op_(op),
        count_(op.operand_count() / 2),
        dims_(op.record("scatter_dimension_numbers")),
        window_(op.field(dims_, "update_window_dims")),
        inserted_(op.field(dims_, "inserted_window_dims")),
        batching_(op.field(dims_, "input_batching_dims")),
        indices_batching_(op.field(dims_, "scatter_indices_batching_dims")),
        index_map_(op.field(dims_, "scatter_dims_to_operand_dims")),
        vector_dim_(op.field(dims_, "index_vector_dim", 0)) {
    op.want_regions_of_scalars();
    op.want_combining_region(op.op().regions.front(), count_);
    for (size_t i = 0; i < count_; ++i) {
      op.promote(i, op.op().regions.front(), i);
      op.promote(count_ + 1 + i, op.op().regions.front(), count_ + i);
      arrays_.push_back(op.operand(i));
      updates_.push_back(op.operand(count_ + 1 + i));
      if (arrays_[i]->shape() != arrays_[0]->shape() || updates_[i]->shape() != updates_[0]->shape())
        op.fail("its arrays, or their updates, have different shapes");
    }
    indices_ = op.operand(count_);
    size_t next = 0;
    for (int64_t d = 0; d < arrays_[0]->rank(); ++d) {
      if (holds(inserted_, d) || holds(batching_, d)) {
        sizes_.push_back(1);
        continue;
      }
      if (next >= window_.size() || window_[next] < 0 || window_[next] >= updates_[0]->rank()) {
        op.fail("update_window_dims names no dimension of the updates for dimension " + std::to_string(d));
      }
      sizes_.push_back(updates_[0]->shape()[static_cast<size_t>(window_[next++])]);
    }
  }

  void run() {
    const Shape& shape = updates_[0]->shape();
    Shape outer;
    for (int64_t d = 0; d < updates_[0]->rank(); ++d) {
      if (!holds(window_, d)) outer.push_back(shape[static_cast<size_t>(d)]);
    }
    const int64_t windows = element_count(outer);
    if (windows == 0) return op_.set_all(untouched());
    if (by_combiners()) return;
    if (element_count(shape) == 0) return op_.set_all(arrays_);
    if (windows == 1 || op_.integer("unique_indices", 0) != 0) return op_.set_all(at_once());
    op_.set_all(one_by_one(windows));
  }

 private:
  ir::Attributes attributes(const char* mode) const {
    return {{"offset_dims", window_},
            {"collapsed_slice_dims", inserted_},
            {"operand_batching_dims", batching_},
            {"start_indices_batching_dims", indices_batching_},
            {"start_index_map", index_map_},
            {"index_vector_dim", vector_dim_},
            {"slice_sizes", sizes_},
            {"mode", std::string(mode)}};
  }
  static ir::Attributes with(ir::Attributes attributes, const std::string& combiner) {
    attributes.set("combiner", combiner);
    return attributes;
  }

  // Where there is no window, none has to fit: JAX takes a sort of no elements back by such a scatter. All
  // else is checked of an array in which one would.
  const std::vector<ir::Value*>& untouched() {
    ir::TensorType roomy = updates_[0]->type();
    roomy.shape = arrays_[0]->shape();
    for (size_t d = 0; d < roomy.shape.size(); ++d) {
      if (!holds(batching_, static_cast<int64_t>(d))) roomy.shape[d] = std::max(roomy.shape[d], sizes_[d]);
    }
    op_.make("scatter", {op_.filled_int(roomy, 0), indices_, updates_[0]}, with(attributes("fill"), "set"));
    return arrays_;
  }

  bool by_combiners() {
    const std::vector<Combiner> known = combiners_of(op_.op().regions.front(), count_);
    if (known.size() != count_) return false;
    std::vector<ir::Value*> results;
    std::vector<std::string> names;
    for (size_t i = 0; i < count_; ++i) {
      names.push_back(scatter_combiner(op_, known[i], updates_[i]));
      if (names.back().empty()) {
        for (size_t k = 0; k < count_; ++k) updates_[k] = op_.operand(count_ + 1 + k);
        return false;
      }
    }
    for (size_t i = 0; i < count_; ++i) {
      ir::Attributes named = with(attributes("fill"), names[i]);
      // Said where it decides something, so that equal programs are equal.
      if (names[i] == "mul" && op_.integer("unique_indices", 0) != 0) named.set("unique", true);
      results.push_back(op_.make("scatter", {arrays_[i], indices_, updates_[i]}, named));
    }
    op_.set_all(results);
    return true;
  }

  // (what is there, updates) -> what is there then
  static std::vector<ir::Value*> combined(OpImport& op, std::vector<ir::Value*> old,
                                          const std::vector<ir::Value*>& updates) {
    const Shape shape = updates[0]->shape();
    old.insert(old.end(), updates.begin(), updates.end());
    return op.apply(op.op().regions.front(), old, shape);
  }

  std::vector<ir::Value*> at_once() {
    std::vector<ir::Value*> old, results;
    for (ir::Value* array : arrays_) old.push_back(op_.make("gather", {array, indices_}, attributes("zero")));
    const std::vector<ir::Value*> made = combined(op_, old, updates_);
    for (size_t i = 0; i < count_; ++i) {
      results.push_back(
          op_.make("scatter", {arrays_[i], indices_, made[i]}, with(attributes("fill"), "set")));
    }
    return results;
  }

  // Where each window begins along all dimensions: [windows, rank].
  ir::Value* beginnings(int64_t windows) {
    const DType dtype =
        byte_size(indices_->dtype()) < 4 || indices_->dtype() == DType::kS32 ? DType::kS32 : DType::kS64;
    ir::Value* indices = op_.convert(indices_, dtype);
    Shape outer = indices->shape(), one = outer;
    const bool vectors = vector_dim_ < indices->rank();
    if (vectors) {
      if (vector_dim_ < 0)
        op_.fail("there is no dimension " + std::to_string(vector_dim_) + " of the indices");
      outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(vector_dim_));
      one[static_cast<size_t>(vector_dim_)] = 1;
    }
    std::vector<ir::Value*> components;
    for (int64_t d = 0; d < std::max<int64_t>(arrays_[0]->rank(), 1); ++d) {
      ir::Value* component = op_.filled_int({dtype, outer}, 0);
      const auto mapped = std::find(index_map_.begin(), index_map_.end(), d) - index_map_.begin();
      const auto batch = std::find(batching_.begin(), batching_.end(), d) - batching_.begin();
      if (mapped < static_cast<std::ptrdiff_t>(index_map_.size())) {
        component = indices;
        if (vectors) {
          Ints starts(one.size(), 0), limits = one;
          starts[static_cast<size_t>(vector_dim_)] = mapped;
          limits[static_cast<size_t>(vector_dim_)] = mapped + 1;
          component = op_.make("slice", {indices},
                               {{"starts", starts}, {"limits", limits}, {"strides", Ints(one.size(), 1)}});
        }
      } else if (batch < static_cast<std::ptrdiff_t>(batching_.size())) {
        if (batch >= static_cast<std::ptrdiff_t>(indices_batching_.size()))
          op_.fail("there are to be as many batching dimensions of the indices as of the array");
        int64_t along = indices_batching_[static_cast<size_t>(batch)];
        if (vectors && along > vector_dim_) --along;
        component = op_.make("iota", {}, {{"dtype", dtype}, {"shape", outer}, {"axis", along}});
      }
      components.push_back(op_.make("reshape", {component}, {{"shape", Shape{windows, 1}}}));
    }
    return components.size() == 1 ? components[0]
                                  : op_.make("concatenate", components, {{"axis", int64_t{1}}});
  }

  std::vector<ir::Value*> one_by_one(int64_t windows) {
    // The same checks, and their errors, as of all at once.
    op_.make("scatter", {arrays_[0], indices_, updates_[0]}, with(attributes("fill"), "set"));
    const Shape array = arrays_[0]->shape(), sizes = array.empty() ? Shape{1} : sizes_;
    const auto rank = static_cast<int64_t>(sizes.size());
    Ints permutation;
    for (int64_t d = 0; d < updates_[0]->rank(); ++d) {
      if (!holds(window_, d)) permutation.push_back(d);
    }
    permutation.insert(permutation.end(), window_.begin(), window_.end());
    Shape stack = sizes;
    stack.insert(stack.begin(), windows);
    OpImport::Loop loop;
    loop.scanned.push_back(beginnings(windows));
    for (size_t i = 0; i < count_; ++i) {
      loop.carries.push_back(array.empty() ? op_.make("reshape", {arrays_[i]}, {{"shape", sizes}})
                                           : arrays_[i]);
      ir::Value* ordered = op_.make("transpose", {updates_[i]}, {{"permutation", permutation}});
      loop.scanned.push_back(op_.make("reshape", {ordered}, {{"shape", stack}}));
    }
    loop.length = windows;
    loop.xs_axes.assign(loop.scanned.size(), 0);
    std::vector<ir::Value*> results =
        op_.loop(loop, [&](OpImport& inside, const std::vector<ir::Value*>& arguments) {
          const auto n = static_cast<std::ptrdiff_t>(count_);
          ir::Value* begin = arguments[count_];
          const std::vector<ir::Value*> updates(arguments.begin() + n + 1, arguments.end());
          ir::Attributes read = ops::one_window(rank, sizes), write = read;
          read.set("mode", std::string("zero"));
          write.set("mode", std::string("fill"));
          std::vector<ir::Value*> old, next;
          for (size_t i = 0; i < count_; ++i)
            old.push_back(inside.make("gather", {arguments[i], begin}, read));
          const std::vector<ir::Value*> made = combined(inside, old, updates);
          for (size_t i = 0; i < count_; ++i)
            next.push_back(inside.make("scatter", {arguments[i], begin, made[i]}, with(write, "set")));
          return next;
        });
    for (ir::Value*& result : results) {
      if (array.empty()) result = op_.make("reshape", {result}, {{"shape", array}});
    }
    return results;
  }

  OpImport& op_;
  size_t count_;
  const Record* dims_;
  Ints window_, inserted_, batching_, indices_batching_, index_map_;
  int64_t vector_dim_;
  std::vector<ir::Value*> arrays_, updates_;
  ir::Value* indices_ = nullptr;
  Shape sizes_;
};

void import_scatter(OpImport& op) {
  if (op.op().regions.size() != 1) op.fail("there is to be one region");
  if (op.operand_count() < 3 || op.operand_count() % 2 == 0)
    op.fail("takes arrays, indices, and updates for each array");
  Scatter(op).run();
}

constexpr NamedRule kScatter[] = {{"stablehlo.scatter", import_scatter}};

}  // namespace

Rules scatter_rules() {
  return kScatter;
}

}  // namespace ingot::stablehlo
