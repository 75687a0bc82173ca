// Views, reductions and contractions of random programs.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "ir/op_record.h"
#include "ops/convolution.h"
#include "testing/random_body.h"

namespace ingot::testing {
namespace {

IntList random_permutation(Random& random, int64_t rank) {
  IntList permutation(static_cast<size_t>(rank));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[random() % i]);
  return permutation;
}

// A random subset of 0 .. rank-1, ascending.
IntList random_subset(Random& random, int64_t rank) {
  IntList subset;
  for (int64_t i = 0; i < rank; ++i) {
    if (random() % 2 == 0) subset.push_back(i);
  }
  return subset;
}

// The extents merged where chance wants, and split where they can be.
Shape reshaped(Random& random, const Shape& shape) {
  Shape result;
  for (int64_t extent : shape) {
    if (!result.empty() && random() % 2 == 0) {
      result.back() *= extent;
    } else {
      result.push_back(extent);
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    for (int64_t factor : {2, 3, 4, 5}) {
      if (result[i] > factor && result[i] % factor == 0 && random() % 3 == 0) {
        result[i] /= factor;
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(i), factor);
        break;
      }
    }
  }
  if (random() % 4 == 0) result.push_back(1);
  return result;
}

Tensor neutral(const std::string& record, DType dtype) {
  return (*std::get<ir::ScalarRecipe>(*ir::find_record(record)->becomes).identity)(dtype);
}

}  // namespace

void RandomBody::view() {
  Value* x = pick();
  switch (below(10)) {
    case 0:
    case 1:
    case 2:
      return shape_view(x);
    case 3:
    case 4:
    case 5:
      return picking_view(x);
    case 6:
      return indexed(x);
    default:
      return joining_view(x);
  }
}

void RandomBody::shape_view(Value* x) {
  switch (below(4)) {
    case 0:
      add("transpose", {x}, {{"permutation", random_permutation(random_, x->rank())}}, info(x));
      break;
    case 1:
      add("reshape", {x}, {{"shape", reshaped(random_, x->shape())}}, info(x));
      break;
    case 2:
      add("reverse", {x}, {{"axes", random_subset(random_, x->rank())}}, info(x));
      break;
    default: {
      Shape shape = x->shape();
      IntList dims(shape.size());
      std::iota(dims.begin(), dims.end(), 0);
      size_t at = below(shape.size() + 1);
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), random_integer(random_, 1, 5));
      for (int64_t& dim : dims) dim += dim >= static_cast<int64_t>(at) ? 1 : 0;
      add("broadcast", {x}, {{"shape", shape}, {"dims", dims}}, info(x));
    }
  }
}

void RandomBody::picking_view(Value* x) {
  if (x->rank() == 0) return;
  if (chance(50)) {
    IntList starts, limits, strides;
    for (int64_t extent : x->shape()) {
      starts.push_back(chance(50) ? 0 : random_integer(random_, 0, std::min<int64_t>(extent, 3)));
      limits.push_back(chance(50) ? extent : random_integer(random_, starts.back(), extent));
      strides.push_back(chance(70) ? 1 : random_integer(random_, 2, 3));
    }
    add("slice", {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}}, info(x));
    return;
  }
  int64_t axis = static_cast<int64_t>(below(static_cast<size_t>(x->rank())));
  int64_t extent = x->shape()[static_cast<size_t>(axis)];
  IntList indices;
  for (int64_t n = extent == 0 ? 0 : random_integer(random_, 0, 9); n > 0; --n) {
    indices.push_back(random_integer(random_, 0, extent - 1));
  }
  add("take", {x}, {{"axis", axis}, {"indices", indices}}, info(x));
}

// Rows along an axis at indices that are values of the program, read or written.
void RandomBody::indexed(Value* x) {
  if (x->rank() == 0) return;
  const auto axis = below(static_cast<size_t>(x->rank()));
  if (x->shape()[axis] == 0) return;
  constexpr DType kIndices[] = {DType::kS8,  DType::kS16, DType::kS64, DType::kU8,
                                DType::kU16, DType::kU32, DType::kU64};
  Value* indices = make(
      {chance(60) ? DType::kS32 : kIndices[below(std::size(kIndices))], {random_integer(random_, 0, 9)}});
  if (indices == nullptr) return;
  IntList windows;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (d != static_cast<int64_t>(axis)) windows.push_back(d);
  }
  const bool fills = options_.special_values || !is_inexact(x->dtype());  // with NaN
  Shape sizes = x->shape(), rows = x->shape();
  sizes[axis] = 1;
  rows[axis] = indices->shape()[0];
  Attributes attributes{{"offset_dims", windows},
                        {"collapsed_slice_dims", IntList{static_cast<int64_t>(axis)}},
                        {"operand_batching_dims", IntList{}},
                        {"start_indices_batching_dims", IntList{}},
                        {"start_index_map", IntList{static_cast<int64_t>(axis)}},
                        {"index_vector_dim", int64_t{1}},
                        {"slice_sizes", sizes},
                        {"mode", std::string(std::array{"clip", "zero", "fill"}[below(fills ? 3 : 2)])}};
  if (chance(60)) {
    Info all = info(x);
    if (attributes.get<std::string>("mode") == "fill") {
      all.values = is_inexact(x->dtype()) ? std::max(all.values, Values::kInfinite) : all.values;
      if (!is_inexact(x->dtype())) all.bound = largest(x->dtype());
    }
    add("gather", {x, indices}, attributes, all);
    return;
  }
  Value* updates = x->dtype() == DType::kPred ? nullptr : make({x->dtype(), rows});
  if (updates == nullptr) return;
  const char* combiners[] = {"set", "add", "max", "min", "mul"};
  const std::string combiner = combiners[below(is_complex(x->dtype()) ? 2 : 5)];
  attributes.set("combiner", combiner);
  Info all = merged(info(x), info(updates));
  if (combiner == "add") {
    const double count = 1 + static_cast<double>(rows[axis]);
    all = rounded(x->dtype(), all.bound * count, all.error * count, count);
  } else if (combiner == "mul") {
    const double count = 1 + static_cast<double>(rows[axis]), bound = std::max(all.bound, 1.0);
    all = rounded(x->dtype(), std::pow(bound, count), count * std::pow(bound, count - 1) * all.error, count);
  }
  add("scatter", {x, indices, updates}, attributes, all);
}

void RandomBody::joining_view(Value* x) {
  if (x->rank() == 0) return;
  if (chance(50)) {
    int64_t axis = static_cast<int64_t>(below(static_cast<size_t>(x->rank())));
    std::vector<Value*> parts{x};
    Info all = info(x);
    for (int64_t n = random_integer(random_, 0, 2); n > 0; --n) {
      TensorType type = x->type();
      if (chance(30)) type.shape[static_cast<size_t>(axis)] = random_integer(random_, 0, 3);
      Value* part = make(type);
      if (part == nullptr) return;
      parts.push_back(part);
      all = merged(all, info(part));
    }
    add("concatenate", parts, {{"axis", axis}}, all);
    return;
  }
  Value* filler = make({x->dtype(), {}});
  if (filler == nullptr) return;
  IntList low, high, interior;
  for (int64_t i = 0; i < x->rank(); ++i) {
    low.push_back(random_integer(random_, 0, 2));
    high.push_back(random_integer(random_, 0, 2));
    interior.push_back(chance(70) ? 0 : random_integer(random_, 1, 2));
  }
  add("pad", {x, filler}, {{"low", low}, {"high", high}, {"interior", interior}},
      merged(info(x), info(filler)));
}

// Reductions of reductions among them, which kernels may join.
void RandomBody::reduce() {
  Value* x = pick();
  do {
    x = reduced(x);
  } while (x != nullptr && x->rank() > 0 && chance(30));
}

Value* RandomBody::reduced(Value* x) {
  const DType dtype = x->dtype();
  IntList axes = random_subset(random_, x->rank());
  double n = 1;
  for (int64_t axis : axes) n *= static_cast<double>(x->shape()[static_cast<size_t>(axis)]);
  std::vector<std::string> names = {"and", "or", "xor"};
  if (is_float(dtype)) names = {"add", "add", "max", "min", "mul"};
  if (is_complex(dtype)) names = {"add", "add", "mul"};
  if (is_integer(dtype)) names = {"add", "mul", "max", "min", "and", "or", "xor"};
  std::vector<Value*> arrays{x};
  if (chance(15)) {  // two arrays at once
    std::vector<Value*> others;
    std::copy_if(pool_.begin(), pool_.end(), std::back_inserter(others),
                 [&](const Value* other) { return other->type() == x->type(); });
    arrays.push_back(others.empty() ? x : others[below(others.size())]);
  }
  std::vector<std::string> combiners;
  Info result{largest(dtype), 0};
  for (size_t k = 0; k < arrays.size(); ++k) {
    std::string name = names[below(names.size())];
    const Info i = info(arrays[k]);
    if (is_inexact(dtype)) {
      if (name == "mul" && n > 3) name = "add";
      if (n == 0) name = "add";  // the neutral element of max is no small number
      Info own = i;
      if (name == "add") own = rounded(dtype, n * i.bound, n * i.error, n + 1);
      if (name == "mul") {
        double bound = std::pow(std::max(i.bound, 1.0), n);
        own = rounded(dtype, bound, n * bound * i.error, n + 1);
      }
      result = k == 0 ? own : merged(result, own);
    }
    combiners.push_back(name);
  }
  // The first of the greatest elements, and what stands beside it: all in their order.
  const bool chooses =
      is_integer(dtype) && chance(20) && is_signed(dtype) &&
      std::all_of(arrays.begin(), arrays.end(), [&](Value* array) {
        return info(array).bound < largest(dtype) / 2;  // none is the value that it begins with
      });
  if (chooses) combiners.assign(arrays.size(), "max");
  std::vector<Value*> operands = arrays;
  for (const std::string& name : combiners) {
    Value* start = add_value("constant", {}, {{"value", neutral(name, dtype)}}, {0, 0});
    pool_.pop_back();  // infinities and the like are for nobody else
    operands.push_back(start);
  }
  auto region = builder_.make_region();
  const size_t count = arrays.size();
  for (size_t k = 0; k < 2 * count; ++k) region->add_argument({dtype, {}}, k < count ? "acc" : "element");
  ir::Builder inner(*region);
  std::vector<Value*> combined;
  Value* first = nullptr;
  if (chooses)
    first = inner.value("compare", {region->argument(0), region->argument(int(count))},
                        {{"direction", std::string("ge")}});
  for (size_t k = 0; k < count; ++k) {
    Value *acc = region->argument(int(k)), *element = region->argument(int(k + count));
    combined.push_back(chooses ? inner.value("select", {first, acc, element})
                               : inner.value(combiners[k], {acc, element}));
  }
  region->set_results(combined);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  ir::Op* op = add("reduce", operands, {{"axes", axes}}, result, std::move(regions));
  return op == nullptr ? nullptr : op->result(static_cast<int>(below(count)));
}

void RandomBody::dot() {
  Value* x = pick();
  if (x->dtype() == DType::kPred || x->rank() == 0) return;
  // Each dimension of x is batched, contracted or free; the other operand gets matching ones, and free ones
  // of its own.
  struct Dim {
    int64_t extent;
    int64_t lhs;  // which dimension of x; -1: free
    bool batch;
  };
  IntList lhs_batch, lhs_contract;
  std::vector<Dim> dims;
  double n = 1;
  for (int64_t d = 0; d < x->rank(); ++d) {
    int64_t extent = x->shape()[static_cast<size_t>(d)];
    size_t role = below(3);
    if (role == 2) continue;
    dims.push_back({extent, d, role == 0});
    if (role == 1) n *= static_cast<double>(extent);
  }
  for (size_t free = below(3); free > 0; --free) dims.push_back({random_integer(random_, 1, 9), -1, false});
  for (size_t i = dims.size(); i > 1; --i) std::swap(dims[i - 1], dims[below(i)]);
  TensorType type{x->dtype(), {}};
  IntList rhs_batch, rhs_contract;
  for (const Dim& dim : dims) {
    int64_t position = type.rank();
    type.shape.push_back(dim.extent);
    if (dim.lhs < 0) continue;
    (dim.batch ? lhs_batch : lhs_contract).push_back(dim.lhs);
    (dim.batch ? rhs_batch : rhs_contract).push_back(position);
  }
  if (type.elements() > options_.max_elements || type.rank() > options_.max_rank + 1) return;
  Value* y = make(type);
  if (y == nullptr) return;
  const Info a = info(x), b = info(y);
  Info result{largest(x->dtype()), 0};
  if (is_inexact(x->dtype())) {
    result = rounded(x->dtype(), n * a.bound * b.bound, n * (a.bound * b.error + b.bound * a.error), n + 1);
  }
  add("dot_general", {x, y},
      {{"lhs_batch", lhs_batch},
       {"rhs_batch", rhs_batch},
       {"lhs_contract", lhs_contract},
       {"rhs_contract", rhs_contract}},
      result);
}

// Any two dimensions of x are the batch and the features; windows slide over the others.
void RandomBody::convolve() {
  Value* x = pick();
  if (x->dtype() == DType::kPred || x->rank() < 2) return;
  const auto shuffled = [&](int64_t rank) {
    IntList order(static_cast<size_t>(rank));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  };
  ops::ConvolutionDims dims;
  dims.lhs = shuffled(x->rank());
  dims.rhs = shuffled(x->rank());
  dims.out = shuffled(x->rank());
  const int64_t features = x->shape()[static_cast<size_t>(dims.lhs[1])];
  dims.feature_groups = features > 0 && chance(30) ? features : 1;
  dims.batch_groups = 1;
  TensorType window{x->dtype(), Shape(x->shape().size())};
  const auto extent = [&](int64_t which) -> int64_t& {
    return window.shape[static_cast<size_t>(dims.rhs[static_cast<size_t>(which)])];
  };
  extent(0) = dims.feature_groups * random_integer(random_, 1, 3);
  extent(1) = features / std::max<int64_t>(dims.feature_groups, 1);
  double n = static_cast<double>(extent(1));
  for (int64_t d = 2; d < x->rank(); ++d) {
    extent(d) = random_integer(random_, 1, 3);
    n *= static_cast<double>(extent(d));
    dims.strides.push_back(random_integer(random_, 1, 3));
    dims.low.push_back(random_integer(random_, -1, 2));
    dims.high.push_back(random_integer(random_, 0, 2));
    dims.lhs_dilation.push_back(random_integer(random_, 1, 2));
    dims.rhs_dilation.push_back(random_integer(random_, 1, 2));
    dims.reverse.push_back(chance(30));
  }
  if (window.elements() > options_.max_elements) return;
  Value* y = make(window);
  if (y == nullptr) return;
  const Info a = info(x), b = info(y);
  Info result{largest(x->dtype()), 0};
  if (is_inexact(x->dtype()))
    result = rounded(x->dtype(), n * a.bound * b.bound, n * (a.bound * b.error + b.bound * a.error), n + 1);
  add("convolution", {x, y}, dims.attributes(), result);
}

}  // namespace ingot::testing
