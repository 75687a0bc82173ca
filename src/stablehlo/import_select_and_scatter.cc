// select_and_scatter: which element of each window is selected, place by place, and what those that several
// windows have selected get.
#include <algorithm>

#include "ops/windows.h"
#include "stablehlo/import_windows.h"

namespace ingot::stablehlo {
namespace {

class SelectAndScatter {
 public:
  explicit SelectAndScatter(OpImport& op)
      : op_(op), x_(op.operand(0)), source_(op.operand(1)), initial_(op.operand(2)) {
    if (source_->rank() != x_->rank()) op.fail("the operand and the source have other numbers of dimensions");
    windows_ = windows_of(op, x_->rank());
    count_ = window_counts(x_->shape(), windows_);
    if (source_->shape() != count_)
      op.fail("the source is " + ir::to_string(source_->type()) + ", but must be " +
              ir::to_string(ir::TensorType{source_->dtype(), count_}) + ", an element for each window of " +
              ir::to_string(x_->type()));
    if (source_->dtype() != initial_->dtype())
      op.fail("the source is " + ir::to_string(source_->type()) + ", but the initial value is " +
              ir::to_string(initial_->type()) + "; they must have one dtype");
  }

  void run() {
    if (no_window_fits(count_)) return op_.set(op_.spread(initial_, x_->shape()));
    const Tensor none(x_->dtype(), {});
    whole_ = padded_for(op_, x_, op_.builder().constant(none), windows_);
    const auto positive = [](int64_t p) { return p > 0; };
    if (std::any_of(windows_.low.begin(), windows_.low.end(), positive) ||
        std::any_of(windows_.high.begin(), windows_.high.end(), positive)) {  // padding is no element
      there_ = padded_for(op_, op_.filled_int({DType::kPred, x_->shape()}, 1),
                          op_.scalar_int(DType::kPred, 0), windows_);
    }
    const bool few = windows_.places <= kMostPlaces;
    op_.set(few ? scattered(chosen()) : scattered_by_index(chosen_by_loop()));
  }

 private:
  const Region& select() const { return op_.op().regions[0]; }
  const Region& scatter() const { return op_.op().regions[1]; }
  ir::TensorType place_type(DType dtype) const { return {dtype, count_}; }

  // What is selected so far: the elements, the numbers of their places, and whether they are any.
  struct Selection {
    ir::Value *best, *place, *any;
  };

  // The selected one is replaced where the region, asked of it and the next, says no. `real` says which of
  // the next ones are elements; null: all.
  Selection next_of(OpImport& op, const Selection& so_far, ir::Value* next, ir::Value* number,
                    ir::Value* real) {
    ir::Value* replaces = op.make("not", {op.apply(select(), {so_far.best, next}, count_)[0]});
    ir::Value* any = nullptr;
    if (real) {
      replaces = op.make("and", {real, op.make("or", {replaces, op.make("not", {so_far.any})})});
      any = op.make("or", {so_far.any, real});
    }
    return {op.make("select", {replaces, next, so_far.best}),
            op.make("select", {replaces, number, so_far.place}), any};
  }

  // The numbers of the selected places.
  ir::Value* chosen() {
    Selection selection{};
    int64_t number = 0;
    for_each_place(windows_, [&](const Ints& place) {
      ir::Value* next = at_place(op_, whole_, place, windows_, count_);
      ir::Value* real = there_ ? at_place(op_, there_, place, windows_, count_) : nullptr;
      ir::Value* mine = op_.filled_int(place_type(DType::kS32), number);
      selection = number++ == 0 ? Selection{next, mine, real} : next_of(op_, selection, next, mine, real);
    });
    return selection.place;
  }

  // The same for windows of many places.
  ir::Value* chosen_by_loop() {
    OpImport::Loop loop;
    loop.carries = {at_place(op_, whole_, Ints(count_.size(), 0), windows_, count_),
                    op_.filled_int(place_type(DType::kS64), 0)};
    if (there_) loop.carries.push_back(at_place(op_, there_, Ints(count_.size(), 0), windows_, count_));
    loop.scanned = {op_.make(
        "iota", {}, {{"dtype", DType::kS64}, {"shape", Shape{windows_.places}}, {"axis", int64_t{0}}})};
    loop.xs_axes = {0};
    loop.length = windows_.places;
    loop.invariants = {whole_};
    if (there_) loop.invariants.push_back(there_);
    return op_.loop(loop, [&](OpImport& inside, const std::vector<ir::Value*>& a) {
      const size_t carries = there_ ? 3 : 2;
      ir::Value* number = a[carries];
      ir::Value* next = at_numbered_place(inside, a[carries + 1], number, windows_, count_);
      ir::Value* real =
          there_ ? at_numbered_place(inside, a[carries + 2], number, windows_, count_) : nullptr;
      // The first place is asked against itself, which changes nothing.
      const Selection selection =
          next_of(inside, {a[0], a[1], there_ ? a[2] : nullptr}, next, inside.spread(number, count_), real);
      std::vector<ir::Value*> results{selection.best, selection.place};
      if (there_) results.push_back(selection.any);
      return results;
    })[1];
  }

  // Each element begins with the initial value and gets its windows' updates in the windows' order, which is
  // the reverse of that of the places at which they have it.
  ir::Value* scattered(ir::Value* place) {
    const std::string record = record_of_combiner(combiner_of(scatter()).name, source_->dtype());
    ir::Value* zero = record.empty() ? op_.scalar_int(source_->dtype(), 0)
                                     : op_.builder().constant(neutral_of(record, source_->dtype()));
    std::vector<Ints> places;
    for_each_place(windows_, [&](const Ints& at) { places.push_back(at); });
    ir::Value *total = nullptr, *none = op_.scalar_int(DType::kPred, 0);
    for (size_t number = places.size(); number-- > 0;) {
      ir::Value* mine =
          op_.make("compare", {place, op_.filled_int(place_type(DType::kS32), static_cast<int64_t>(number))},
                   {{"direction", std::string("eq")}});
      if (!record.empty()) {
        ir::Value* part =
            put(op_.make("select", {mine, source_, op_.spread(zero, count_)}), zero, places[number]);
        if (!total && !equals(initial_, neutral_of(record, initial_->dtype())))
          total = op_.spread(initial_, part->shape());
        total = total ? op_.make(record, {total, part}) : part;
        continue;
      }
      ir::Value *part = put(source_, zero, places[number]), *hit = put(mine, none, places[number]);
      if (!total) total = op_.spread(initial_, part->shape());
      total = op_.make("select", {hit, op_.apply(scatter(), {total, part}, part->shape())[0], total});
    }
    return cut(total);
  }

  // An array with an element for each window, put to where a place of the windows lies in the padded array.
  ir::Value* put(ir::Value* part, ir::Value* filling, const Ints& place) {
    Ints low, high, interior;
    for (size_t d = 0; d < place.size(); ++d) {
      low.push_back(place[d] * windows_.dilation[d]);
      interior.push_back(windows_.strides[d] - 1);
      const int64_t spread = count_[d] == 0 ? 0 : (count_[d] - 1) * windows_.strides[d] + 1;
      high.push_back(std::max<int64_t>(whole_->shape()[d] - low.back() - spread, 0));
    }
    return op_.make("pad", {part, filling}, {{"low", low}, {"high", high}, {"interior", interior}});
  }

  // The array's elements of the padded one. What negative padding has cut off gets nothing.
  ir::Value* cut(ir::Value* total) {
    Ints starts, limits, low, high;
    for (size_t d = 0; d < x_->shape().size(); ++d) {
      const int64_t before = -std::min<int64_t>(windows_.low[d], 0),
                    after = -std::min<int64_t>(windows_.high[d], 0);
      starts.push_back(std::max<int64_t>(windows_.low[d], 0));
      limits.push_back(starts[d] + x_->shape()[d] - before - after);
      low.push_back(before);
      high.push_back(after);
    }
    const Ints ones(starts.size(), 1), zeros(starts.size(), 0);
    total = op_.make("slice", {total}, {{"starts", starts}, {"limits", limits}, {"strides", ones}});
    if (low == zeros && high == zeros) return total;
    return op_.make("pad", {total, initial_}, {{"low", low}, {"high", high}, {"interior", zeros}});
  }

  // The same, one window after the other.
  ir::Value* scattered_by_index(ir::Value* place) {
    const Shape& whole = whole_->shape();
    const auto wide = [&](int64_t value) { return op_.filled_int(place->type(), value); };
    ir::Value* index = wide(0);
    int64_t inner = 1, windows = element_count(count_);
    for (size_t d = count_.size(), stride = 1; d-- > 0;) {
      ir::Value* at = op_.make("rem", {op_.make("div", {place, wide(inner)}), wide(windows_.sizes[d])});
      at = op_.make("mul", {at, wide(windows_.dilation[d])});
      ir::Value* window = op_.make(
          "iota", {}, {{"dtype", DType::kS64}, {"shape", count_}, {"axis", static_cast<int64_t>(d)}});
      at = op_.make("add", {at, op_.make("mul", {window, wide(windows_.strides[d])})});
      index = op_.make("add", {index, op_.make("mul", {at, wide(static_cast<int64_t>(stride))})});
      inner *= windows_.sizes[d];
      stride *= static_cast<size_t>(whole[d]);
    }
    const int64_t size = element_count(whole);
    OpImport::Loop loop;
    loop.carries = {op_.spread(initial_, {size})};
    loop.scanned = {op_.make("reshape", {index}, {{"shape", Shape{windows, 1}}}),
                    op_.make("reshape", {source_}, {{"shape", Shape{windows, 1}}})};
    loop.xs_axes = {0, 0};
    loop.length = windows;
    const ir::Attributes read = ops::one_window(1, {1});
    ir::Attributes write = read;
    write.set("combiner", std::string("set"));
    ir::Value* total = op_.loop(loop, [&](OpImport& inside, const std::vector<ir::Value*>& a) {
      ir::Value* old = inside.make("gather", {a[0], a[1]}, read);
      ir::Value* made = inside.apply(scatter(), {old, a[2]}, {1})[0];
      return std::vector<ir::Value*>{inside.make("scatter", {a[0], a[1], made}, write)};
    })[0];
    return cut(op_.make("reshape", {total}, {{"shape", whole}}));
  }

  OpImport& op_;
  ir::Value *x_, *source_, *initial_, *whole_ = nullptr, *there_ = nullptr;
  Windows windows_;
  Shape count_;
};

void import_select_and_scatter(OpImport& op) {
  if (op.op().regions.size() != 2 || op.operand_count() != 3)
    op.fail("there are to be three arrays and two regions");
  op.want_regions_of_scalars();
  op.want_combining_region(op.op().regions[1], 1);
  for (size_t i = 1; i < 3; ++i) op.promote(i, op.op().regions[1], 2 - i);
  SelectAndScatter(op).run();
}

constexpr NamedRule kSelectAndScatter[] = {{"stablehlo.select_and_scatter", import_select_and_scatter}};

}  // namespace

Rules select_and_scatter_rules() {
  return kSelectAndScatter;
}

}  // namespace ingot::stablehlo
