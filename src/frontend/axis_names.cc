#include "frontend/axis_names.h"

#include <limits>

#include "base/thread_value.h"
#include "frontend/apply.h"
#include "ingot/vmap.h"

namespace ingot {
namespace detail {
namespace {

struct NamedAxes {
  std::vector<NamedAxis> named;
};
std::vector<NamedAxis>& axes() {
  return thread_value<NamedAxes, NamedAxes>().named;
}

const NamedAxis& wanted_axis(const char* function, const std::string& name,
                             const std::source_location& where) {
  if (const NamedAxis* axis = find_axis(name)) return *axis;
  std::string known;
  for (const NamedAxis& axis : axes()) known += (known.empty() ? "'" : ", '") + axis.name + "'";
  fail(where, std::string(function) + ": there is no axis called '" + name + "' here; " +
                  (known.empty() ? "call it in a function that is mapped by vmap with this axis_name"
                                 : "the axes of the batches around are " + known));
}

}  // namespace

AxisScope::AxisScope(std::string name, int64_t size) : named_(!name.empty()) {
  if (named_) axes().push_back({std::move(name), size});
}

AxisScope::~AxisScope() {
  if (named_) axes().pop_back();
}

const NamedAxis* find_axis(const std::string& name) {
  const std::vector<NamedAxis>& around = axes();
  for (size_t i = around.size(); i-- > 0;) {
    if (around[i].name == name) return &around[i];
  }
  return nullptr;
}

bool in_named_axes() {
  return !axes().empty();
}

void sign_axes(Signature& signature) {
  for (const NamedAxis& axis : axes()) {
    signature.fixed(axis.name, {});
    signature.word(static_cast<uint64_t>(axis.size));
  }
}

namespace {

Array reduce_axis(const char* function, const char* combiner, const Operand& x,
                  const std::string& axis_name) {
  wanted_axis(function, axis_name, x.where());
  return emit("axis_reduce", {x.array()}, {{"axis_name", axis_name}, {"combiner", std::string(combiner)}},
              x.where());
}

}  // namespace
}  // namespace detail

Array psum(const Operand& x, const std::string& axis_name) {
  return detail::reduce_axis("psum", "add", x, axis_name);
}

Array pmean(const Operand& x, const std::string& axis_name) {
  const CallerScope caller(x.where());
  const Array total = detail::reduce_axis("pmean", "add", x, axis_name);
  if (!is_float(total.dtype()))
    detail::fail(x.where(),
                 "pmean: takes floats, but this is a " + total.type_string() + "; convert it with astype");
  return total / static_cast<double>(detail::find_axis(axis_name)->size);
}

Array pmax(const Operand& x, const std::string& axis_name) {
  return detail::reduce_axis("pmax", "max", x, axis_name);
}

Array pmin(const Operand& x, const std::string& axis_name) {
  return detail::reduce_axis("pmin", "min", x, axis_name);
}

Array axis_index(const std::string& axis_name, Where where) {
  const int64_t size = detail::wanted_axis("axis_index", axis_name, where).size;
  if (size - 1 > std::numeric_limits<int32_t>::max())
    detail::fail(where, "axis_index: the axis '" + axis_name + "' has " + std::to_string(size) +
                            " elements, and indices are s32; map over two axes");
  return detail::emit("axis_index", {}, {{"axis_name", axis_name}}, where);
}

int64_t axis_size(const std::string& axis_name, Where where) {
  return detail::wanted_axis("axis_size", axis_name, where).size;
}

}  // namespace ingot
