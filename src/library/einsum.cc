// einsum and the products that are spelled by it.
//
// Labels that one operand alone has and the result lacks are summed at once; repeated ones become diagonals,
// which are views. Then, as long as there are several, the two operands are contracted whose product costs
// the fewest multiplications. Each such step is one dot_general whose operands stay as they are; only the
// result is permuted, by a view.
#include <algorithm>
#include <cctype>
#include <map>

#include "frontend/apply.h"

namespace ingot {
namespace {

using detail::fail;

using Labels = std::vector<int>;  // letters; the axes of an ellipsis count down from -1, the last one

struct Term {
  Array array;
  Labels labels;
};

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

class Einsum {
 public:
  Einsum(std::string_view text, std::vector<Array> arrays, Optional<DType> wide,
         const std::source_location& where)
      : text_(text), wide_(wide), where_(where) {
    parse(arrays);
  }

  Array run() {
    for (Term& term : terms_) {
      take_diagonals(term);
      sum_alone(term);
    }
    while (terms_.size() > 1) contract_cheapest();
    return permuted(terms_[0]);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { fail(where_, "einsum '" + text_ + "': " + why); }
  Operand operand(const Array& array) const { return {array, where_}; }

  // --- the text

  void parse(const std::vector<Array>& arrays) {
    std::string text;
    for (const char c : text_) {
      if (c != ' ') text += c;
    }
    const size_t arrow = text.find("->");
    std::vector<std::string> inputs(1);
    for (const char c : text.substr(0, arrow)) {
      if (c == ',')
        inputs.emplace_back();
      else
        inputs.back() += c;
    }
    if (inputs.size() != arrays.size()) {
      refuse("describes " + std::to_string(inputs.size()) + " arrays, but " + std::to_string(arrays.size()) +
             " were given");
    }
    for (size_t i = 0; i < arrays.size(); ++i)
      terms_.push_back({arrays[i], labels_of(inputs[i], arrays[i].rank(), &arrays[i])});
    for (size_t i = 0; i < arrays.size(); ++i) note_extents(terms_[i]);
    result_ = arrow == std::string::npos ? implied_result() : labels_of(text.substr(arrow + 2), -1, nullptr);
    for (const int label : result_) {
      if (extents_.count(label) == 0)
        refuse("the result has the label '" + name(label) + "', which no array has");
      if (std::count(result_.begin(), result_.end(), label) > 1)
        refuse("the result has the label '" + name(label) + "' twice");
    }
  }

  Labels labels_of(const std::string& text, int64_t rank, const Array* array) {
    Labels labels;
    const size_t dots = text.find("...");
    const auto letters = static_cast<int64_t>(text.size()) - (dots == std::string::npos ? 0 : 3);
    const int64_t hidden = dots == std::string::npos ? 0 : array ? rank - letters : hidden_;
    if (array && (hidden < 0 || (dots == std::string::npos && letters != rank))) {
      refuse("'" + text + "' names " + std::to_string(letters) + " axes of an array that has " +
             std::to_string(rank) + ", " + array->type_string());
    }
    hidden_ = std::max(hidden_, hidden);
    for (size_t i = 0; i < text.size(); ++i) {
      if (i == dots) {
        for (int64_t axis = hidden; axis > 0; --axis) labels.push_back(static_cast<int>(-axis));
        i += 2;
      } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
        labels.push_back(text[i]);
      } else {
        refuse(std::string("'") + text[i] + "' is no label; letters are, and '...' stands for any axes");
      }
    }
    return labels;
  }

  // What an ellipsis stands for broadcasts: an axis of extent 1 is dropped where another array has more.
  void note_extents(Term& term) {
    for (size_t i = 0; i < term.labels.size(); ++i) {
      const int64_t extent = term.array.shape(static_cast<int64_t>(i));
      auto [known, fresh] = extents_.emplace(term.labels[i], extent);
      if (fresh || known->second == extent) continue;
      if (term.labels[i] < 0 && (known->second == 1 || extent == 1)) {
        known->second = std::max(known->second, extent);
        continue;
      }
      refuse("the label '" + name(term.labels[i]) + "' stands for axes of " + std::to_string(known->second) +
             " and of " + std::to_string(extent) + " elements");
    }
  }

  Labels implied_result() const {
    std::map<int, int> count;
    for (const Term& term : terms_) {
      for (const int label : term.labels) ++count[label];
    }
    Labels result;
    for (int64_t axis = hidden_; axis > 0; --axis) result.push_back(static_cast<int>(-axis));
    for (const auto& [label, times] : count) {
      if (label > 0 && times == 1) result.push_back(label);
    }
    return result;
  }

  static std::string name(int label) { return label < 0 ? "..." : std::string(1, static_cast<char>(label)); }

  // --- one operand

  void take_diagonals(Term& term) {
    for (size_t i = 0; i < term.labels.size(); ++i) {
      auto again =
          std::find(term.labels.begin() + static_cast<int64_t>(i) + 1, term.labels.end(), term.labels[i]);
      if (again == term.labels.end()) continue;
      // Both axes last, as one, of which every (n + 1)-th element is taken.
      const auto j = static_cast<size_t>(again - term.labels.begin());
      const int label = term.labels[i];
      std::vector<int64_t> order;
      Labels rest;
      for (size_t k = 0; k < term.labels.size(); ++k) {
        if (k == i || k == j) continue;
        order.push_back(static_cast<int64_t>(k));
        rest.push_back(term.labels[k]);
      }
      order.push_back(static_cast<int64_t>(i));
      order.push_back(static_cast<int64_t>(j));
      const int64_t n = extents_.at(label), last = static_cast<int64_t>(rest.size());
      Array x = transpose(operand(term.array), order);
      Shape shape(x.shape().begin(), x.shape().end() - 2);
      shape.push_back(n * n);
      x = reshape(operand(x), shape);
      term.array = slice_axis(operand(x), last, 0, n * n, n + 1);
      rest.push_back(label);
      term.labels = rest;
      i = static_cast<size_t>(-1);  // there may be more
    }
  }

  void sum_alone(Term& term) {
    std::vector<int64_t> broadcast, alone;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      const int label = term.labels[i];
      const auto axis = static_cast<int64_t>(i);
      if (term.array.shape(axis) != extents_.at(label))
        broadcast.push_back(axis);
      else if (!wanted_elsewhere(label, &term, nullptr))
        alone.push_back(axis);
    }
    if (!alone.empty()) term.array = sum(operand(term.array), alone, true);
    alone.insert(alone.end(), broadcast.begin(), broadcast.end());
    if (alone.empty()) return;
    term.array = squeeze(operand(term.array), alone);
    Labels kept;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (std::find(alone.begin(), alone.end(), static_cast<int64_t>(i)) == alone.end())
        kept.push_back(term.labels[i]);
    }
    term.labels = kept;
  }

  bool wanted_elsewhere(int label, const Term* a, const Term* b) const {
    if (has(result_, label)) return true;
    return std::any_of(terms_.begin(), terms_.end(),
                       [&](const Term& term) { return &term != a && &term != b && has(term.labels, label); });
  }

  // --- two operands

  double multiplications(const Term& a, const Term& b) const {
    double count = 1;
    for (const int label : a.labels) count *= static_cast<double>(extents_.at(label));
    for (const int label : b.labels) {
      if (!has(a.labels, label)) count *= static_cast<double>(extents_.at(label));
    }
    return count;
  }

  void contract_cheapest() {
    size_t first = 0, second = 1;
    for (size_t i = 0; i < terms_.size(); ++i) {
      for (size_t j = i + 1; j < terms_.size(); ++j) {
        if (multiplications(terms_[i], terms_[j]) < multiplications(terms_[first], terms_[second]))
          first = i, second = j;
      }
    }
    Term product = contracted(terms_[first], terms_[second]);
    terms_.erase(terms_.begin() + static_cast<int64_t>(second));
    terms_[first] = std::move(product);
  }

  Term contracted(const Term& a, const Term& b) const {
    DotDims dims{.result = wide_};
    Labels batch, left, right;
    for (size_t i = 0; i < a.labels.size(); ++i) {
      const int label = a.labels[i];
      const auto other = std::find(b.labels.begin(), b.labels.end(), label);
      if (other == b.labels.end()) {
        left.push_back(label);
        continue;
      }
      const bool kept = wanted_elsewhere(label, &a, &b);
      (kept ? dims.lhs_batch : dims.lhs_contract).push_back(static_cast<int64_t>(i));
      (kept ? dims.rhs_batch : dims.rhs_contract).push_back(other - b.labels.begin());
      if (kept) batch.push_back(label);
    }
    for (const int label : b.labels) {
      if (!has(a.labels, label)) right.push_back(label);
    }
    Labels labels = batch;
    labels.insert(labels.end(), left.begin(), left.end());
    labels.insert(labels.end(), right.begin(), right.end());
    return {dot_general(operand(a.array), operand(b.array), dims), labels};
  }

  Array permuted(const Term& term) const {
    std::vector<int64_t> order;
    for (const int label : result_) {
      const auto at = std::find(term.labels.begin(), term.labels.end(), label);
      order.push_back(at - term.labels.begin());
    }
    return std::is_sorted(order.begin(), order.end()) ? term.array : transpose(operand(term.array), order);
  }

  std::string text_;
  std::optional<DType> wide_;  // of products and sums
  std::source_location where_;
  std::vector<Term> terms_;
  Labels result_;
  int64_t hidden_ = 0;  // axes that the longest ellipsis stands for
  std::map<int, int64_t> extents_;
};

}  // namespace

Array einsum(std::string_view subscripts, const Operands& operands, Optional<DType> result) {
  const std::source_location& where = operands.where();
  if (operands.items().empty()) detail::fail(where, "einsum: there is no array to take the shape from");
  const CallerScope caller(where);
  const std::vector<Array> arrays = detail::same_dtype("einsum", operands.items(), where);
  std::vector<int64_t> words(subscripts.begin(), subscripts.end());
  if (result) words.push_back(static_cast<int64_t>(*result));
  return detail::apply("einsum", arrays, words, where, [&](const std::vector<Array>& traced) {
    const Array sums = Einsum(subscripts, traced, result, where).run();
    return result ? astype(Operand(sums, where), *result) : sums;
  });
}

Array tensordot(const Operand& x, const Operand& y, const std::vector<int64_t>& x_axes,
                const std::vector<int64_t>& y_axes) {
  return dot_general(x, y, {.lhs_contract = x_axes, .rhs_contract = y_axes});
}

Array tensordot(const Operand& x, const Operand& y, int64_t axes) {
  std::vector<int64_t> x_axes, y_axes;
  if (axes < 0 || axes > x.array().rank() || axes > y.array().rank()) {
    fail(x.where(), "tensordot: " + std::to_string(axes) + " axes cannot be contracted of " +
                        x.array().type_string() + " and " + y.array().type_string());
  }
  for (int64_t i = 0; i < axes; ++i) {
    x_axes.push_back(x.array().rank() - axes + i);
    y_axes.push_back(i);
  }
  return tensordot(x, y, x_axes, y_axes);
}

Array outer(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where());
  return dot_general(reshape(x, {-1}), reshape(y, {-1}), {});
}

Array vdot(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where());
  return dot_general(reshape(conj(x), {-1}), reshape(y, {-1}), {.lhs_contract = {0}, .rhs_contract = {0}});
}

}  // namespace ingot
