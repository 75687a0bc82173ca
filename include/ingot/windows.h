// Reductions over windows of an array that slide along its axes: pooling.
#pragma once

#include <functional>

#include "ingot/conv.h"

namespace ingot {

// Lists have an entry per dimension that the window has, or one entry for all of them, or none for 1
// everywhere. Around x stand neutral elements: `padding` before and after each dimension (kSame: as many as
// make the result ceil(extent / stride) long, the odd one at the end), x_dilation - 1 between elements.
struct WindowOptions {
  detail::ByName by_name = detail::ByName();
  std::vector<int64_t> strides = {};  // from window to window
  ConvPadding padding = {};
  std::vector<int64_t> x_dilation = {};       // distance of the elements of x
  std::vector<int64_t> window_dilation = {};  // distance of the elements of a window
};

// Combines all elements of each window; `window` has an extent for each dimension of x. f is associative,
// `neutral` its neutral element. Long windows cost no more than short ones: their work does not grow with the
// extent. Derivatives are those of f; a maximum shares its derivative among equal elements.
Array reduce_window(const std::function<Array(Array, Array)>& f, const Operand& x, const Operand& neutral,
                    const std::vector<int64_t>& window, const WindowOptions& options = {},
                    Where where = Where::current());

// Over x of [batch, spatial..., features]: the window and the options are those of the spatial dimensions.
// The derivative of max_pool and min_pool goes to the first NaN, else to the first of equal elements.
Array max_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options = {});
Array min_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options = {});
Array sum_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options = {});
// The sum divided by the number of elements of a window; with count_padding = false by those that are x's.
Array avg_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options = {},
               bool count_padding = true);

}  // namespace ingot
