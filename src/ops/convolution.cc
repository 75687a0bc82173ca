// Convolutions of any rank: sums of products over windows and input features, by StableHLO's rules. What they
// become in a kernel is a contraction whose lhs is read at an affine index, with zeros around it.
#include "ops/convolution.h"

#include <algorithm>
#include <numeric>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {

ConvolutionDims ConvolutionDims::of(const Attributes& a) {
  return {a.list("lhs_dims"),
          a.list("rhs_dims"),
          a.list("out_dims"),
          a.list("strides"),
          a.list("low"),
          a.list("high"),
          a.list("lhs_dilation"),
          a.list("rhs_dilation"),
          a.list("reverse"),
          a.integer("feature_groups"),
          a.integer("batch_groups")};
}

Attributes ConvolutionDims::attributes() const {
  return {{"lhs_dims", lhs},
          {"rhs_dims", rhs},
          {"out_dims", out},
          {"strides", strides},
          {"low", low},
          {"high", high},
          {"lhs_dilation", lhs_dilation},
          {"rhs_dilation", rhs_dilation},
          {"reverse", reverse},
          {"feature_groups", feature_groups},
          {"batch_groups", batch_groups}};
}

namespace {

int64_t at(const IntList& list, int64_t i) {
  return list[static_cast<size_t>(i)];
}

void want_positive(const IntList& list, std::string_view attribute) {
  for (int64_t entry : list) {
    if (entry < 1) fail("'", attribute, "' is ", List{list}, ", but every entry must be at least 1");
  }
}

void want_groups(int64_t groups, std::string_view attribute) {
  if (groups < 1) fail("'", attribute, "' is ", groups, ", but must be at least 1");
}

void want_multiple(int64_t extent, int64_t groups, std::string_view what, std::string_view attribute) {
  if (extent % groups == 0) return;
  fail(what, " have extent ", extent, ", which must be a multiple of '", attribute, "', ", groups);
}

void want_dims(const IntList& dims, int64_t rank, std::string_view attribute) {
  want_length(dims, rank, attribute);
  want_distinct_axes(dims, rank, attribute);
}

Types infer_convolution(const InferContext& context) {
  const TensorType &lhs = context.operands[0], &rhs = context.operands[1];
  const ConvolutionDims c = ConvolutionDims::of(context.attributes);
  if (lhs.dtype != rhs.dtype)
    fail("the operands are ", lhs, " and ", rhs, "; convert one of them, so that they have one dtype");
  want_dtype(lhs, kFields, "an operand");
  const int64_t rank = lhs.rank(), spatial = rank - 2;
  if (rank != rhs.rank() || rank < 2)
    fail("the operands are ", lhs, " and ", rhs,
         "; they must have one rank: the spatial dimensions, and two more for batch or features");
  want_dims(c.lhs, rank, "lhs_dims");
  want_dims(c.rhs, rank, "rhs_dims");
  want_dims(c.out, rank, "out_dims");
  const std::pair<const char*, const IntList*> lists[] = {{"strides", &c.strides},
                                                          {"low", &c.low},
                                                          {"high", &c.high},
                                                          {"lhs_dilation", &c.lhs_dilation},
                                                          {"rhs_dilation", &c.rhs_dilation},
                                                          {"reverse", &c.reverse}};
  for (auto [name, list] : lists) want_length(*list, spatial, name, "one per spatial dimension");
  want_positive(c.strides, "strides");
  want_positive(c.lhs_dilation, "lhs_dilation");
  want_positive(c.rhs_dilation, "rhs_dilation");
  for (auto [name, list] : lists) want_extents(*list, name);
  for (int64_t entry : c.reverse) {
    if (entry != 0 && entry != 1) fail("'reverse' is ", List{c.reverse}, ", but every entry must be 0 or 1");
  }
  want_groups(c.feature_groups, "feature_groups");
  want_groups(c.batch_groups, "batch_groups");
  if (c.feature_groups > 1 && c.batch_groups > 1)
    fail("'feature_groups' is ", c.feature_groups, " and 'batch_groups' is ", c.batch_groups,
         "; one of them must be 1");
  const int64_t batch = at(lhs.shape, c.lhs[0]), features = at(lhs.shape, c.lhs[1]);
  const int64_t made = at(rhs.shape, c.rhs[0]), summed = at(rhs.shape, c.rhs[1]);
  want_multiple(features, c.feature_groups, "the features of lhs", "feature_groups");
  want_multiple(batch, c.batch_groups, "the batches of lhs", "batch_groups");
  want_multiple(made, c.feature_groups, "the output features of rhs", "feature_groups");
  want_multiple(made, c.batch_groups, "the output features of rhs", "batch_groups");
  if (features / c.feature_groups != summed) {
    fail("dimension ", c.lhs[1], " of ", lhs, " holds ", features, " features",
         c.feature_groups > 1 ? " in " + std::to_string(c.feature_groups) + " groups" : "", ", so dimension ",
         c.rhs[1], " of ", rhs, ", the input features, must have extent ", features / c.feature_groups,
         ", not ", summed);
  }
  TensorType result{lhs.dtype, Shape(static_cast<size_t>(rank))};
  const auto place = [&](size_t i) -> int64_t& { return result.shape[static_cast<size_t>(c.out[i])]; };
  place(0) = batch / c.batch_groups;
  place(1) = made;
  for (size_t i = 0; i < c.spatial(); ++i) {
    const int64_t spread = dilated(at(lhs.shape, c.lhs[i + 2]), c.lhs_dilation[i]);
    const int64_t padded = add_extents(spread, c.low[i] + c.high[i]);
    const int64_t window = dilated(at(rhs.shape, c.rhs[i + 2]), c.rhs_dilation[i]);
    if (std::max({spread, padded, window}) > kMostElements) {
      fail("along spatial dimension ", i, ", ", padded, " places of ", lhs,
           " with its dilation and padding, or ", window, " of a window of ", rhs, " are more than ",
           kMostElements, " (2^48), the most that there may be");
    }
    place(i + 2) = padded < window || padded < 0 ? 0 : (padded - window) / c.strides[i] + 1;
  }
  return {result};
}

// --- as a contraction

// What is summed over, in the order in which it lies in the lhs: 0 for the input features, and 1 + i for
// spatial dimension i.
std::vector<size_t> summed_order(const ConvolutionDims& c) {
  std::vector<std::pair<int64_t, size_t>> places;
  for (size_t i = 1; i < c.lhs.size(); ++i) places.emplace_back(c.lhs[i], i - 1);
  std::sort(places.begin(), places.end());
  std::vector<size_t> order;
  for (auto [place, which] : places) order.push_back(which);
  return order;
}

// Where the elements of lhs lie apart, only every so-manieth element of a window meets one, beginning at a
// place that depends on the window's: entry m is the first one for windows that begin at m, modulo the
// dilation. Empty where all elements of a window must be looked at.
std::vector<int64_t> first_in_window(const ConvolutionDims& c, size_t i, int64_t window) {
  const int64_t dilation = c.lhs_dilation[i];
  // The table has an entry per place between two elements; past this one, a look at all elements costs less.
  constexpr int64_t kLargestTable = 1024;
  if (dilation == 1 || dilation > kLargestTable || std::gcd(dilation, c.rhs_dilation[i]) != 1) return {};
  std::vector<int64_t> first(static_cast<size_t>(dilation), -1);
  for (int64_t start = 0; start < dilation; ++start) {
    for (int64_t k = dilation; k-- > 0;) {
      const int64_t step = c.reverse[i] ? window - 1 - k : k;
      if ((start + step * c.rhs_dilation[i] - c.low[i]) % dilation == 0)
        first[static_cast<size_t>(start)] = k;
    }
  }
  return first;
}

Shape summed_extents(const Op& op) {
  const ConvolutionDims c = ConvolutionDims::of(op.attributes());
  Shape extents;
  for (size_t which : summed_order(c)) {
    int64_t extent = at(op.operand(1)->shape(), c.rhs[which + 1]);
    if (which > 0 && !first_in_window(c, which - 1, extent).empty())
      extent = (extent + c.lhs_dilation[which - 1] - 1) / c.lhs_dilation[which - 1];
    extents.push_back(extent);
  }
  return extents;
}

ir::ContractionTerm convolution_index(const Op& op, std::span<const Index> result,
                                      std::span<const Index> summed) {
  const ConvolutionDims c = ConvolutionDims::of(op.attributes());
  const Shape &lhs = op.operand(0)->shape(), &rhs = op.operand(1)->shape();
  ir::ContractionTerm term{std::vector<Index>(lhs.size()), std::vector<Index>(rhs.size()), {}, {}};
  const auto out = [&](size_t i) { return result[static_cast<size_t>(c.out[i])]; };
  const auto lhs_at = [&](size_t i) -> Index& { return term.lhs[static_cast<size_t>(c.lhs[i])]; };
  const auto rhs_at = [&](size_t i) -> Index& { return term.rhs[static_cast<size_t>(c.rhs[i])]; };
  const std::vector<size_t> order = summed_order(c);
  for (size_t i = 0; i < order.size(); ++i) rhs_at(order[i] + 1) = summed[i];
  const int64_t made = at(rhs, c.rhs[0]), groups = std::max(c.feature_groups, c.batch_groups);
  const Index group = made == 0 ? Index(0) : out(1).floor_div(std::max<int64_t>(made / groups, 1));
  rhs_at(0) = out(1);
  lhs_at(0) = out(0);
  lhs_at(1) = rhs_at(1);
  if (c.batch_groups > 1) lhs_at(0) = out(0) + group * (at(lhs, c.lhs[0]) / groups);
  if (c.feature_groups > 1) lhs_at(1) = rhs_at(1) + group * (at(lhs, c.lhs[1]) / groups);
  for (size_t i = 0; i < c.spatial(); ++i) {
    const int64_t window = at(rhs, c.rhs[i + 2]), dilation = c.lhs_dilation[i];
    const int64_t extent = at(lhs, c.lhs[i + 2]);
    const Index start = out(i + 2) * c.strides[i];
    Index& k = rhs_at(i + 2);
    const std::vector<int64_t> first = first_in_window(c, i, window);
    if (!first.empty()) {
      k = k * dilation + start.mod(dilation).lookup(std::make_shared<const std::vector<int64_t>>(first));
      // Past the window's end there is no term: the other operand counts as zero too, since it may be
      // infinite.
      if (window % dilation != 0) {
        term.rhs_guards.push_back({k, 0, window});
        term.lhs_guards.push_back({k, 0, window});
      }
    }
    const Index in_window = c.reverse[i] ? Index(window - 1) - k : k;
    const Index place = start + in_window * c.rhs_dilation[i] - Index(c.low[i]);
    if (dilation > 1 && first.empty()) term.lhs_guards.push_back({place.mod(dilation), 0, 1});
    lhs_at(i + 2) = place.floor_div(dilation);
    term.lhs_guards.push_back({lhs_at(i + 2), 0, extent});
  }
  return term;
}

// --- reference

template <class T>
void convolve(const ConvolutionDims& c, const Tensor& lhs, const Tensor& rhs, Tensor& result) {
  using Acc = Accumulated<T>;
  const std::vector<int64_t> lhs_strides = strides_of(lhs.shape()), rhs_strides = strides_of(rhs.shape());
  const int64_t made = at(rhs.shape(), c.rhs[0]), summed = at(rhs.shape(), c.rhs[1]);
  const int64_t batches = at(lhs.shape(), c.lhs[0]) / c.batch_groups;
  Shape window;
  for (size_t i = 0; i < c.spatial(); ++i) window.push_back(at(rhs.shape(), c.rhs[i + 2]));
  std::vector<int64_t> out(result.shape().size(), 0);
  T* to = result.data<T>();
  for (int64_t n = 0; n < result.size(); ++n, next_index(result.shape(), out)) {
    const int64_t feature = at(out, c.out[1]);
    const int64_t first_batch = feature / (made / c.batch_groups) * batches;
    const int64_t first_feature = feature / (made / c.feature_groups) * summed;
    Acc sum = 0;
    std::vector<int64_t> k(window.size(), 0);
    for (bool more = element_count(window) > 0; more; more = next_index(window, k)) {
      int64_t from = (at(out, c.out[0]) + first_batch) * at(lhs_strides, c.lhs[0]);
      int64_t with = feature * at(rhs_strides, c.rhs[0]);
      bool inside = true;
      for (size_t i = 0; i < window.size(); ++i) {
        const int64_t step = c.reverse[i] ? window[i] - 1 - k[i] : k[i];
        const int64_t place = at(out, c.out[i + 2]) * c.strides[i] + step * c.rhs_dilation[i] - c.low[i];
        const int64_t dilation = c.lhs_dilation[i];
        inside =
            inside && place >= 0 && place % dilation == 0 && place / dilation < at(lhs.shape(), c.lhs[i + 2]);
        from += place / dilation * at(lhs_strides, c.lhs[i + 2]);
        with += k[i] * at(rhs_strides, c.rhs[i + 2]);
      }
      if (!inside) continue;
      for (int64_t i = 0; i < summed; ++i) {
        sum += static_cast<Acc>(lhs.data<T>()[from + (first_feature + i) * at(lhs_strides, c.lhs[1])]) *
               static_cast<Acc>(rhs.data<T>()[with + i * at(rhs_strides, c.rhs[1])]);
      }
    }
    to[n] = static_cast<T>(sum);
  }
}

Tensors convolution_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[0].dtype(), op.result()->shape());
  visit_dtype(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>)
      convolve<T>(ConvolutionDims::of(op.attributes()), x[0], x[1], result);
  });
  return {result};
}

// --- batching

// Puts the batch into a dimension that consists of groups: within each of them, before the rest. The result
// has no dimension for the batch any more.
Value* merge_batch(Batcher& batcher, const Batched& x, int64_t dim, int64_t groups) {
  const Value& value = *x.value;
  const int64_t now = batched_dim(dim, x.axis), extent = at(value.shape(), now);
  // [..., groups, rest, ...] with the batch where it was, then in between.
  Shape split;
  IntList order;
  int64_t group = 0, batch = 0;
  for (int64_t d = 0; d < value.rank(); ++d) {
    const auto place = static_cast<int64_t>(split.size());
    if (d == x.axis) batch = place;
    if (d == now) {
      group = place;
      split.insert(split.end(), {groups, extent / groups});
    } else {
      split.push_back(at(value.shape(), d));
    }
  }
  Shape merged;
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d == batch || d == group + 1) continue;
    order.push_back(d);
    merged.push_back(d == group ? batcher.size() * extent : at(split, d));
    if (d == group) order.insert(order.end(), {batch, group + 1});
  }
  Value* parts = batcher.make("reshape", {x.value}, {{"shape", split}})->result();
  parts = batcher.make("transpose", {parts}, {{"permutation", order}})->result();
  return batcher.make("reshape", {parts}, {{"shape", merged}})->result();
}

// The way back: the batch is taken out of a dimension, and stands before it.
Batched split_batch(Batcher& batcher, Value* value, int64_t dim, int64_t groups) {
  const int64_t rest = batcher.size() == 0 ? 0 : at(value->shape(), dim) / groups / batcher.size();
  Shape split = value->shape();
  split[static_cast<size_t>(dim)] = groups;
  split.insert(split.begin() + dim + 1, {batcher.size(), rest});
  Value* parts = batcher.make("reshape", {value}, {{"shape", split}})->result();
  if (groups == 1) {
    split.erase(split.begin() + dim);
    return {batcher.make("reshape", {parts}, {{"shape", split}})->result(), dim};
  }
  IntList order;
  Shape shape;
  for (int64_t d = 0; d < parts->rank(); ++d) order.push_back(d == dim ? dim + 1 : d == dim + 1 ? dim : d);
  parts = batcher.make("transpose", {parts}, {{"permutation", order}})->result();
  shape = value->shape();
  shape[static_cast<size_t>(dim)] = groups * rest;
  shape.insert(shape.begin() + dim, batcher.size());
  return {batcher.make("reshape", {parts}, {{"shape", shape}})->result(), dim};
}

// The batch of the lhs is more batch, that of the rhs more output features; where both have one, each of its
// elements is a group of its own.
Batches batch_convolution(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  ConvolutionDims c = ConvolutionDims::of(op.attributes());
  const int64_t groups = std::max(c.feature_groups, c.batch_groups);
  if (batcher.size() == 0) {  // no groups are no groups
    Value* zero = batcher.constant(Tensor(op.result()->dtype(), {}));
    const Shape shape = batched_shape(op.result()->shape(), 0, batcher);
    return {{batcher.make("broadcast", {zero}, {{"shape", shape}, {"dims", IntList()}})->result(), 0}};
  }
  Value *lhs = x[0].value, *rhs = x[1].value;
  int64_t out = c.out[1], out_groups = 1;
  if (x[1].shared()) {
    lhs = merge_batch(batcher, x[0], c.lhs[0], c.batch_groups);
    out = c.out[0];
  } else if (x[0].shared()) {
    rhs = merge_batch(batcher, x[1], c.rhs[0], groups);
    out_groups = groups;
  } else if (c.batch_groups > 1) {
    lhs = merge_batch(batcher, x[0], c.lhs[0], 1);
    rhs = merge_batch(batcher, x[1], c.rhs[0], 1);
    c.batch_groups *= batcher.size();
  } else {
    lhs = merge_batch(batcher, x[0], c.lhs[1], 1);
    rhs = merge_batch(batcher, x[1], c.rhs[0], 1);
    c.feature_groups *= batcher.size();
  }
  Value* result = batcher.make("convolution", {lhs, rhs}, c.attributes())->result();
  return {split_batch(batcher, result, out, out_groups)};
}

constinit const OpRecord convolution{
    .name = "convolution",
    .doc =
        "Sums of products of windows of lhs with rhs. `lhs_dims` says where the batch, the features and the "
        "spatial dimensions stand in lhs, `rhs_dims` where the output features, the input features and the "
        "spatial dimensions stand in rhs, `out_dims` where the batch, the features and the spatial "
        "dimensions "
        "stand in the result. Along each spatial dimension the elements of lhs lie `lhs_dilation` apart, "
        "with "
        "zeros between them and `low` and `high` zeros around them (negative: cut off); a window begins at "
        "every multiple of `strides`; its elements lie `rhs_dilation` apart and are taken backwards where "
        "`reverse` is 1. With `feature_groups`, input and output features consist of so many groups that do "
        "not see each other; with `batch_groups`, batch and output features do. Integers wrap around.",
    .operands = Arity{2, 2},
    .regions = 0,
    .attributes =
        AttributeList{attribute::list("lhs_dims"), attribute::list("rhs_dims"), attribute::list("out_dims"),
                      attribute::list("lhs_dilation"), attribute::list("low"), attribute::list("high"),
                      attribute::list("strides"), attribute::list("rhs_dilation"), attribute::list("reverse"),
                      attribute::integer("feature_groups"), attribute::integer("batch_groups")},
    .infer = infer_convolution,
    .batch = batch_convolution,
    .becomes = ir::Contraction{.term = convolution_index, .summed = summed_extents},
    .reference = convolution_reference,
    .identities = nullptr,
    .jvp = ir::Terms{convolution_term},
    .transpose = convolution_transpose,
    .stablehlo = "stablehlo.convolution",
};

constexpr const OpRecord* kConvolutionRecords[] = {&convolution};

}  // namespace

Records convolution_records() {
  return kConvolutionRecords;
}

}  // namespace ingot::ops
