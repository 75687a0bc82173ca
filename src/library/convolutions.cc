// Convolutions: options become the attributes of the one operation.
#include "ingot/conv.h"

#include <algorithm>

#include "frontend/apply.h"
#include "ops/convolution.h"

namespace ingot {
namespace {

using detail::fail;
using ops::ConvolutionDims;
using IntList = std::vector<int64_t>;

struct Call {
  const char* name;
  const std::source_location& where;
};

// A list with an entry per spatial dimension.
IntList per_dimension(const Call& call, const IntList& list, size_t spatial, const char* option) {
  if (list.empty()) return IntList(spatial, 1);
  if (list.size() == 1) return IntList(spatial, list[0]);
  if (list.size() != spatial) {
    fail(call.where, std::string(call.name) + ": " + option + " has " + std::to_string(list.size()) +
                         " entries, but there are " + std::to_string(spatial) +
                         " spatial dimensions; give one per dimension, or one for all");
  }
  return list;
}

// Where the two special dimensions and the spatial ones stand; these in the order of `spatial`, which the
// first layout determines.
IntList places(const Call& call, std::string layout, const char* option, const char* special, size_t rank,
               std::string& spatial) {
  const bool rhs = special[0] == 'O';
  if (layout.empty()) {
    std::string letters = spatial;
    for (size_t i = letters.size(); i + 2 < rank; ++i) letters += static_cast<char>('0' + i);
    layout = rhs ? letters + "IO" : "N" + letters + "C";
  }
  const auto wrong = [&](const std::string& reason) {
    fail(call.where, std::string(call.name) + ": " + option + " is \"" + layout + "\", but " + reason);
  };
  if (layout.size() != rank)
    wrong("the array has " + std::to_string(rank) + " dimensions; give one letter per dimension");
  if (spatial.empty()) {
    for (char letter : layout) {
      if (letter != special[0] && letter != special[1]) spatial += letter;
    }
  }
  IntList result;
  for (char letter : std::string(special) + spatial) {
    if (std::count(layout.begin(), layout.end(), letter) != 1)
      wrong(std::string("should have the letter ") + letter + " once");
    result.push_back(static_cast<int64_t>(layout.find(letter)));
  }
  if (result.size() != rank) wrong("lhs_layout has other spatial dimensions");
  return result;
}

// Letters in one layout say nothing where the default of lhs has none.
void check_letters(const Call& call, const ConvOptions& options) {
  if (!options.lhs_layout.empty()) return;
  for (const auto& [option, layout, special] : {std::tuple("rhs_layout", &options.rhs_layout, "OI"),
                                                std::tuple("out_layout", &options.out_layout, "NC")}) {
    std::string letters;
    for (char letter : *layout) {
      if (letter != special[0] && letter != special[1]) letters += letter;
    }
    if (letters.size() + 2 != layout->size() || layout->find(special[0]) == std::string::npos ||
        layout->find(special[1]) == std::string::npos)
      continue;  // told with the layout
    if (std::all_of(letters.begin(), letters.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    fail(call.where, std::string(call.name) + ": " + option + " is \"" + *layout +
                         "\", but there is no lhs_layout, which says where these dimensions stand in the "
                         "first array; give one, such as \"N" +
                         letters + "C\"");
  }
}

int64_t extent_at(const Array& x, const IntList& dims, size_t spatial) {
  return x.shape()[static_cast<size_t>(dims[spatial + 2])];
}

void set_padding(const Call& call, const ConvPadding& padding, const Array& lhs, const Array& rhs,
                 ConvolutionDims& dims) {
  const size_t spatial = dims.spatial();
  dims.low.assign(spatial, 0);
  dims.high.assign(spatial, 0);
  detail::checked_choice(call.name, "the padding's kind", padding.kind(), 3, call.where);
  if (padding.kind() == ConvPadding::kPairs) {
    const auto& pairs = padding.pairs();
    if (pairs.size() != spatial && pairs.size() != 1) {
      fail(call.where, std::string(call.name) + ": padding has " + std::to_string(pairs.size()) +
                           " pairs, but there are " + std::to_string(spatial) +
                           " spatial dimensions; give one pair per dimension, or one for all");
    }
    for (size_t i = 0; i < spatial; ++i)
      std::tie(dims.low[i], dims.high[i]) = pairs[pairs.size() == 1 ? 0 : i];
  } else if (padding.kind() == ConvPadding::kSame) {
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t extent = ops::dilated(extent_at(lhs, dims.lhs, i), dims.lhs_dilation[i]);
      const int64_t window = ops::dilated(extent_at(rhs, dims.rhs, i), dims.rhs_dilation[i]);
      const int64_t stride = std::max<int64_t>(dims.strides[i], 1),
                    out = extent / stride + (extent % stride != 0 ? 1 : 0);
      const int64_t total =
          std::max<int64_t>(add_extents(multiply_extents(out - 1, stride), window - extent), 0);
      dims.low[i] = total / 2;
      dims.high[i] = total - total / 2;
    }
  }
}

Array convolve(const Call& call, const Operand& lhs, const Operand& rhs, const ConvOptions& options) {
  const std::vector<Array> arrays = detail::same_dtype(call.name, {lhs, rhs}, call.where);
  const Array &x = arrays[0], &w = arrays[1];
  if (x.rank() != w.rank() || x.rank() < 2) {
    fail(call.where, std::string(call.name) + ": the arrays " + x.type_string() + " and " + w.type_string() +
                         " must have one rank: the spatial dimensions, and two more for batch or features");
  }
  const auto rank = static_cast<size_t>(x.rank());
  std::string spatial;
  check_letters(call, options);
  ConvolutionDims dims{};
  dims.lhs = places(call, options.lhs_layout, "lhs_layout", "NC", rank, spatial);
  dims.rhs = places(call, options.rhs_layout, "rhs_layout", "OI", rank, spatial);
  dims.out = places(call, options.out_layout.empty() ? options.lhs_layout : options.out_layout, "out_layout",
                    "NC", rank, spatial);
  dims.strides = per_dimension(call, options.strides, rank - 2, "strides");
  dims.lhs_dilation = per_dimension(call, options.lhs_dilation, rank - 2, "lhs_dilation");
  dims.rhs_dilation = per_dimension(call, options.rhs_dilation, rank - 2, "rhs_dilation");
  dims.reverse.assign(rank - 2, options.flip ? 1 : 0);
  dims.feature_groups = options.feature_groups;
  dims.batch_groups = options.batch_groups;
  set_padding(call, options.padding, x, w, dims);
  IntList words = {dims.feature_groups, dims.batch_groups, static_cast<int64_t>(rank)};
  for (const IntList* list : {&dims.lhs, &dims.rhs, &dims.out, &dims.strides, &dims.low, &dims.high,
                              &dims.lhs_dilation, &dims.rhs_dilation, &dims.reverse})
    words.insert(words.end(), list->begin(), list->end());
  return detail::apply_op("convolution", arrays, dims.attributes(), words, call.where);
}

Array with_rank(const char* name, int64_t spatial, const Operand& lhs, const Operand& rhs,
                const ConvOptions& options) {
  const Array& x = lhs.array();
  detail::checked_node(x, lhs.where());
  if (x.rank() != spatial + 2) {
    fail(lhs.where(), std::string(name) + ": takes arrays of " + std::to_string(spatial + 2) +
                          " dimensions (batch, features, and " + std::to_string(spatial) +
                          " spatial), but the first is " + x.type_string());
  }
  return convolve({name, lhs.where()}, lhs, rhs, options);
}

}  // namespace

ConvPadding::ConvPadding(Kind kind) : kind_(kind) {}
ConvPadding::ConvPadding(std::vector<std::pair<int64_t, int64_t>> pairs)
    : kind_(kPairs), pairs_(std::move(pairs)) {}
ConvPadding::ConvPadding(std::initializer_list<std::pair<int64_t, int64_t>> pairs)
    : kind_(kPairs), pairs_(pairs) {}
ConvPadding::ConvPadding(const ConvPadding& other) = default;
ConvPadding& ConvPadding::operator=(const ConvPadding& other) = default;
ConvPadding::~ConvPadding() = default;

Array conv_general(const Operand& lhs, const Operand& rhs, const ConvOptions& options) {
  return convolve({"conv_general", lhs.where()}, lhs, rhs, options);
}

Array conv1d(const Operand& lhs, const Operand& rhs, const ConvOptions& options) {
  return with_rank("conv1d", 1, lhs, rhs, options);
}

Array conv2d(const Operand& lhs, const Operand& rhs, const ConvOptions& options) {
  return with_rank("conv2d", 2, lhs, rhs, options);
}

Array conv3d(const Operand& lhs, const Operand& rhs, const ConvOptions& options) {
  return with_rank("conv3d", 3, lhs, rhs, options);
}

Array conv_transpose(const Operand& lhs, const Operand& rhs, ConvOptions options) {
  const Call call{"conv_transpose", lhs.where()};
  const Array x = lhs.array(), w = rhs.array();
  detail::checked_node(x, call.where);
  detail::checked_node(w, call.where);
  if (!options.lhs_dilation.empty())
    fail(call.where, "conv_transpose: the strides are the dilation of lhs; leave lhs_dilation empty");
  const size_t spatial = static_cast<size_t>(std::max<int64_t>(x.rank() - 2, 0));
  detail::checked_choice(call.name, "the padding's kind", options.padding.kind(), 3, call.where);
  const IntList strides = per_dimension(call, options.strides, spatial, "strides");
  const IntList dilation = per_dimension(call, options.rhs_dilation, spatial, "rhs_dilation");
  if (options.padding.kind() != ConvPadding::kPairs && x.rank() == w.rank()) {
    std::string letters;
    check_letters(call, options);
    places(call, options.lhs_layout, "lhs_layout", "NC", spatial + 2, letters);
    const IntList dims = places(call, options.rhs_layout, "rhs_layout", "OI", spatial + 2, letters);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t window = ops::dilated(extent_at(w, dims, i), dilation[i]), stride = strides[i];
      const bool same = options.padding.kind() == ConvPadding::kSame;
      const int64_t total =
          add_extents(add_extents(window, stride) - 2, same ? 0 : std::max<int64_t>(window - stride, 0));
      const int64_t low = !same || stride > window - 1 ? window - 1 : total / 2 + total % 2;
      pairs.emplace_back(low, total - low);
    }
    options.padding = ConvPadding(pairs);
  }
  options.lhs_dilation = strides;
  options.strides = {};
  return convolve(call, lhs, rhs, options);
}

Array depthwise_conv(const Operand& lhs, const Operand& rhs, ConvOptions options) {
  const Call call{"depthwise_conv", lhs.where()};
  const Array& x = lhs.array();
  detail::checked_node(x, call.where);
  if (x.rank() < 2)
    fail(call.where,
         "depthwise_conv: takes arrays of at least two dimensions, but the first is " + x.type_string());
  std::string letters;
  const IntList dims =
      places(call, options.lhs_layout, "lhs_layout", "NC", static_cast<size_t>(x.rank()), letters);
  options.feature_groups = std::max<int64_t>(x.shape()[static_cast<size_t>(dims[1])], 1);
  return convolve(call, lhs, rhs, options);
}

}  // namespace ingot
