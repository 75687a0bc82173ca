#include "ingot/vectorize.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "frontend/compose.h"
#include "ingot/shapes.h"

namespace ingot::detail {
namespace {

using CoreAxes = std::vector<std::vector<std::string>>;

// The names of the core axes of each argument and of each result: "(m,n),(n)->(m)" gives {{m, n}, {n}} and
// {{m}}.
std::pair<CoreAxes, CoreAxes> core_axes(const std::string& signature, const std::source_location& where) {
  const auto wrong = [&] {
    fail(where, "the signature \"" + signature + "\" should be like \"(m,n),(n)->(m)\"");
  };
  const auto parse = [&](const std::string& part) {
    std::string text;
    for (const char c : part) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
    }
    CoreAxes all;
    for (size_t i = 0; i < text.size();) {
      if (!all.empty() && text[i++] != ',') wrong();
      const size_t end = text.find(')', i);
      if (i >= text.size() || text[i] != '(' || end == std::string::npos) wrong();
      std::vector<std::string>& axes = all.emplace_back();
      for (size_t at = i + 1; at < end;) {
        const size_t comma = std::min(text.find(',', at), end);
        if (comma == at) wrong();
        axes.push_back(text.substr(at, comma - at));
        at = comma + 1;
      }
      i = end + 1;
    }
    return all;
  };
  const size_t arrow = signature.find("->");
  if (arrow == std::string::npos) wrong();
  return {parse(signature.substr(0, arrow)), parse(signature.substr(arrow + 2))};
}

}  // namespace

Vectorized vectorized(const std::string& signature, const std::vector<Array>& arguments,
                      const std::source_location& where) {
  CoreAxes axes(arguments.size()), of_results;
  if (!signature.empty()) std::tie(axes, of_results) = core_axes(signature, where);
  if (axes.size() != arguments.size())
    fail(where, "the signature \"" + signature + "\" is of " + std::to_string(axes.size()) +
                    " arguments, but the call has " + std::to_string(arguments.size()));
  std::map<std::string, int64_t> extents;
  std::vector<Array> leading;
  for (size_t i = 0; i < arguments.size(); ++i) {
    checked_node(arguments[i], where);
    const Shape& shape = arguments[i].shape();
    if (shape.size() < axes[i].size())
      fail(where, "argument " + std::to_string(i) + " is " + arguments[i].type_string() +
                      ", but should have " + std::to_string(axes[i].size()) + " axes or more, by \"" +
                      signature + "\"");
    const size_t outer = shape.size() - axes[i].size();
    for (size_t k = 0; k < axes[i].size(); ++k) {
      const auto [known, added] = extents.emplace(axes[i][k], shape[outer + k]);
      if (!added && known->second != shape[outer + k])
        fail(where, "axis " + axes[i][k] + " of \"" + signature + "\" has the extents " +
                        std::to_string(known->second) + " and " + std::to_string(shape[outer + k]));
    }
    leading.push_back(
        Array::abstract(DType::kPred, Shape(shape.begin(), shape.begin() + static_cast<int64_t>(outer))));
  }
  Vectorized result{
      {}, broadcast_shape("vectorize", leading, where), signature, std::move(of_results), extents};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = arguments[i].shape();
    const Shape core(shape.end() - static_cast<int64_t>(axes[i].size()), shape.end());
    Shape whole = result.shape, flat = {element_count(result.shape)};
    whole.insert(whole.end(), core.begin(), core.end());
    flat.insert(flat.end(), core.begin(), core.end());
    result.arguments.push_back(
        reshape(Operand(broadcast_to(Operand(arguments[i], where), whole), where), flat));
  }
  return result;
}

void check_results(const Vectorized& all, const std::vector<const Array*>& results,
                   const std::source_location& where) {
  if (all.signature.empty()) return;
  if (results.size() != all.results.size())
    fail(where, "the signature \"" + all.signature + "\" is of " + std::to_string(all.results.size()) +
                    " results, but the function returns " + std::to_string(results.size()));
  std::map<std::string, int64_t> extents = all.extents;
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape shape(results[i]->shape().begin() + 1, results[i]->shape().end());
    bool fits = shape.size() == all.results[i].size();
    for (size_t k = 0; k < shape.size() && fits; ++k)
      fits = extents.emplace(all.results[i][k], shape[k]).first->second == shape[k];
    if (fits) continue;
    fail(where, "result " + std::to_string(i) + " of the function is " +
                    Array::abstract(results[i]->dtype(), shape).type_string() + ", which does not fit \"" +
                    all.signature + "\"");
  }
}

Array with_leading(const Array& x, const Shape& shape, const std::source_location& where) {
  Shape whole = shape;
  whole.insert(whole.end(), x.shape().begin() + 1, x.shape().end());
  return reshape(Operand(x, where), whole);
}

Array axis_last(const Array& x, int64_t axis, const std::source_location& where) {
  checked_node(x, where);
  return moveaxis(Operand(x, where), checked_axis("apply_along_axis", axis, x.rank(), where), -1);
}

Array result_axes(const Array& x, const Shape& others, int64_t axis, const std::source_location& where) {
  const Array whole = with_leading(x, others, where);
  const auto given = static_cast<int64_t>(others.size());
  const int64_t place = axis < 0 ? axis + given + 1 : axis, count = whole.rank() - given;
  std::vector<int64_t> from, to;
  for (int64_t i = 0; i < count; ++i) from.push_back(given + i), to.push_back(place + i);
  return count == 0 ? whole : moveaxis(Operand(whole, where), from, to);
}

}  // namespace ingot::detail
