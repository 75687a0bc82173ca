#include "frontend/eager_moves.h"

#include <algorithm>
#include <numeric>

#include "frontend/apply.h"
#include "runtime/launch_log.h"
#include "runtime/plan_copy.h"

namespace ingot::detail {
namespace {

// Elements that one thread copies one by one in a tenth of the time that compiling a kernel takes (some 4
// ms).
constexpr int64_t kFewElements = 1 << 17;

// Where the elements of a result lie in the operand: strides and start in elements.
struct Strided {
  Shape shape;
  std::vector<int64_t> strides;
  int64_t start = 0;
};

Strided full_view(const Shape& shape) {
  Strided view{shape, std::vector<int64_t>(shape.size(), 1)};
  for (size_t d = shape.size(); d-- > 1;) view.strides[d - 1] = view.strides[d] * shape[d];
  return view;
}

// The lists that `words` holds, each behind its length (views.cc).
std::optional<std::vector<std::vector<int64_t>>> lists_of(const std::vector<int64_t>& words, size_t count) {
  std::vector<std::vector<int64_t>> lists;
  for (size_t i = 0; i < words.size();) {
    const auto length = static_cast<size_t>(words[i++]);
    if (length > words.size() - i) return std::nullopt;
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    lists.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
    i += length;
  }
  if (lists.size() != count) return std::nullopt;
  return lists;
}

std::optional<Strided> reshaped(const Shape& from, const std::vector<int64_t>& words) {
  const auto lists = lists_of(words, 1);
  if (!lists || element_count((*lists)[0]) != element_count(from)) return std::nullopt;
  return full_view((*lists)[0]);
}

std::optional<Strided> sliced(const Shape& from, const std::vector<int64_t>& words) {
  const auto lists = lists_of(words, 3);
  if (!lists) return std::nullopt;
  const auto &starts = (*lists)[0], &limits = (*lists)[1], &steps = (*lists)[2];
  if (starts.size() != from.size() || limits.size() != from.size() || steps.size() != from.size())
    return std::nullopt;
  Strided view = full_view(from);
  for (size_t d = 0; d < from.size(); ++d) {
    if (starts[d] < 0 || limits[d] < starts[d] || limits[d] > from[d] || steps[d] < 1) return std::nullopt;
    view.shape[d] = (limits[d] - starts[d] + steps[d] - 1) / steps[d];
    view.start += starts[d] * view.strides[d];
    view.strides[d] *= steps[d];
  }
  return view;
}

std::optional<Strided> indexed(const Shape& from, const std::vector<int64_t>& words) {
  const auto axis = static_cast<size_t>(words[0]);
  Strided view = full_view(from);
  view.start = words[1] * view.strides[axis];
  view.shape.erase(view.shape.begin() + words[0]);
  view.strides.erase(view.strides.begin() + words[0]);
  return view;
}

std::optional<Strided> transposed(const Shape& from, const std::vector<int64_t>& words) {
  const auto lists = lists_of(words, 1);
  if (!lists) return std::nullopt;
  const Strided all = full_view(from);
  Strided view = all;
  for (size_t d = 0; d < from.size(); ++d) {
    const auto axis = static_cast<size_t>((*lists)[0][d]);
    view.shape[d] = from[axis];
    view.strides[d] = all.strides[axis];
  }
  return view;
}

std::optional<Strided> reversed(const Shape& from, const std::vector<int64_t>& words) {
  const auto lists = lists_of(words, 1);
  if (!lists) return std::nullopt;
  Strided view = full_view(from);
  for (int64_t axis : (*lists)[0]) {
    const auto d = static_cast<size_t>(axis);
    view.start += std::max<int64_t>(from[d] - 1, 0) * view.strides[d];
    view.strides[d] = -view.strides[d];
  }
  return view;
}

std::optional<Strided> view_of(std::string_view name, const Shape& from, const std::vector<int64_t>& words) {
  if (name == "reshape") return reshaped(from, words);
  if (name == "slice") return sliced(from, words);
  if (name == "index_axis") return indexed(from, words);
  if (name == "transpose") return transposed(from, words);
  if (name == "reverse") return reversed(from, words);
  return std::nullopt;
}

// Dimensions of extent 1 are dropped, and neighbours that lie one behind the other become one.
Strided collapsed(const Strided& view) {
  Strided result{{}, {}, view.start};
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] == 1) continue;
    if (!result.shape.empty() && result.strides.back() == view.strides[d] * view.shape[d]) {
      result.shape.back() *= view.shape[d];
      result.strides.back() = view.strides[d];
    } else {
      result.shape.push_back(view.shape[d]);
      result.strides.push_back(view.strides[d]);
    }
  }
  return result;
}

// The collapsed view in pieces of memory: rows of them, `between` of these.
struct RunsOfMemory {
  int64_t bytes, count, stride;  // of a piece; in a row; from one to the next, in bytes
  Strided rows;
};

RunsOfMemory runs_of(Strided view, int64_t element_bytes) {
  RunsOfMemory pieces{element_bytes, 1, 0, {}};
  if (!view.shape.empty() && view.strides.back() == 1) {
    pieces.bytes *= view.shape.back();
    view.shape.pop_back();
    view.strides.pop_back();
  }
  if (!view.shape.empty()) {
    pieces.count = view.shape.back();
    pieces.stride = view.strides.back() * element_bytes;
    view.shape.pop_back();
    view.strides.pop_back();
  }
  pieces.rows = std::move(view);
  return pieces;
}

void copy_view(const runtime::DeviceMemory& memory, std::byte* to, const std::byte* from,
               const RunsOfMemory& pieces, int64_t element_bytes, const runtime::CopyReason& reason) {
  const Shape& rows = pieces.rows.shape;
  std::vector<int64_t> at(rows.size(), 0);
  int64_t offset = pieces.rows.start;
  for (int64_t left = element_count(rows); left > 0; --left) {
    runtime::copy_pieces(memory, to, pieces.bytes, from + offset * element_bytes, pieces.stride, pieces.count,
                         pieces.bytes, reason);
    to += pieces.bytes * pieces.count;
    for (size_t d = rows.size(); d-- > 0;) {
      offset += pieces.rows.strides[d];
      if (++at[d] < rows[d]) break;
      offset -= pieces.rows.strides[d] * rows[d];
      at[d] = 0;
    }
  }
}

}  // namespace

std::optional<Array> move_eagerly(std::string_view name, const std::vector<Array>& operands,
                                  const std::vector<int64_t>& words, const std::source_location& where) {
  if (operands.size() != 1) return std::nullopt;
  const ArrayNode& node = checked_node(operands[0], where);
  if (!node.concrete() || node.type->elements == 0) return std::nullopt;
  const std::optional<Strided> view = view_of(name, node.type->shape, words);
  if (!view) return std::nullopt;
  const auto element_bytes = static_cast<int64_t>(byte_size(node.type->dtype));
  const ArrayType* type = intern_type(node.type->dtype, view->shape, node.type->weak);
  const RunsOfMemory pieces = runs_of(collapsed(*view), element_bytes);
  // What a kernel would do in blocks, on lanes and on all threads.
  const bool scattered = !pieces.rows.shape.empty() || pieces.bytes == element_bytes;
  if (scattered && type->elements > kFewElements) return std::nullopt;
  std::shared_ptr<runtime::Buffer> buffer = allocate(type, "a part of an array", where);
  runtime::CopyReason reason;
  if (runtime::launches_watched()) {
    const std::source_location& line = user_line(where);
    reason = {to_string(*node.type) + " by " + std::string(name),
              {std::string(line.file_name()) + ":" + std::to_string(line.line())}};
  }
  if (node.kind == ArrayNode::Kind::kLiteral) {
    buffer->memory().write(buffer->data(), node.host_data(), static_cast<size_t>(type->bytes));
    return make_concrete(type, std::move(buffer), user_line(where));
  }
  copy_view(buffer->memory(), static_cast<std::byte*>(buffer->data()),
            static_cast<const std::byte*>(node.buffer->data()), pieces, element_bytes, reason);
  return make_concrete(type, std::move(buffer), user_line(where));
}

}  // namespace ingot::detail
