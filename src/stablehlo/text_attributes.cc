// Attributes in text.
#include <algorithm>
#include <unordered_set>

#include "stablehlo/text_reader.h"

namespace ingot::stablehlo {
namespace {

bool is_record(std::string_view kind) {
  constexpr std::string_view kRecords[] = {"gather",          "scatter",        "dot",
                                           "dot_algorithm",   "channel_handle", "output_operand_alias",
                                           "result_accuracy", "ragged_dot"};
  return std::find(std::begin(kRecords), std::end(kRecords), kind) != std::end(kRecords);
}

}  // namespace

void TextReader::set(Attributes& attributes, std::string name, Attribute value, size_t position) {
  if (stablehlo::find(attributes, name))
    scanner_.fail(position, "the attribute " + name + " stands there twice");
  attributes.emplace_back(std::move(name), std::move(value));
}

void TextReader::dictionary(Attributes& attributes) {
  const Level level(*this);
  scanner_.expect("{", "before the attributes");
  if (scanner_.accept("}")) return;
  constexpr size_t kFew = 16;  // names that are looked through; more are found by a hash
  std::unordered_set<std::string> names;
  do {
    const size_t at = scanner_.position();
    std::string name = scanner_.peek() == '"' ? scanner_.string("an attribute's name")
                                              : std::string(scanner_.word("an attribute's name"));
    Attribute value = scanner_.accept("=") ? attribute() : Attribute(Unit());
    if (attributes.size() < kFew) {
      set(attributes, std::move(name), std::move(value), at);
      continue;
    }
    if (names.empty()) {
      for (const auto& [known, other] : attributes) names.insert(known);
    }
    if (!names.insert(name).second) scanner_.fail(at, "the attribute " + name + " stands there twice");
    attributes.emplace_back(std::move(name), std::move(value));
  } while (scanner_.accept(","));
  scanner_.expect("}", "after the attributes");
}

void TextReader::optional_dictionary(Attributes& attributes) {
  if (scanner_.peek() == '{') dictionary(attributes);
}

bool TextReader::boolean(std::string_view what) {
  if (scanner_.accept_word("true")) return true;
  if (!scanner_.accept_word("false")) scanner_.expected(what);
  return false;
}

Ints TextReader::int_list(std::string_view what) {
  Ints list;
  scanner_.expect("[", "before " + std::string(what));
  if (scanner_.accept("]")) return list;
  do {
    list.push_back(scanner_.integer(what));
  } while (scanner_.accept(","));
  scanner_.expect("]", "after " + std::string(what));
  return list;
}

Attribute TextReader::attribute() {
  const Level level(*this);
  const size_t start = scanner_.position();
  pay({0, 1}, start);
  const char next = scanner_.peek();
  if (next == '"') {
    std::string text = scanner_.string("a string");
    if (scanner_.accept(":")) type();
    return Attribute(std::move(text));
  }
  if (next == '@') return Attribute(Symbol{scanner_.symbol("a symbol")});
  if (next == '[') {
    scanner_.accept("[");
    return array_attribute();
  }
  if (next == '{') {
    Attributes items;
    ++dictionaries_;
    dictionary(items);
    --dictionaries_;
    return Attribute::dictionary(std::move(items));
  }
  if (next == '#') return dialect_attribute();
  if (next == '-' || (next >= '0' && next <= '9')) return number_attribute();
  if (next == '!' || next == '(') return Attribute(type());
  if (scanner_.accept_word("true")) return Attribute(true);
  if (scanner_.accept_word("false")) return Attribute(false);
  if (scanner_.accept_word("unit")) return Attribute(Unit());
  if (scanner_.accept_word("dense")) return dense();
  if (scanner_.accept_word("array")) return dense_array();
  if (scanner_.sees_word("loc")) {
    optional_location();
    return Attribute(Opaque{std::string(scanner_.from(start))});
  }
  for (std::string_view other :
       {"affine_map", "affine_set", "strided", "dense_resource", "sparse", "distinct"}) {
    if (!scanner_.accept_word(other)) continue;
    if (scanner_.accept("[")) scanner_.balanced(']', "the attribute");
    scanner_.expect("<", "of the attribute");
    scanner_.balanced('>', "the attribute");
    if (scanner_.accept(":")) type();
    return Attribute(Opaque{std::string(scanner_.from(start))});
  }
  return Attribute(type());
}

Attribute TextReader::array_attribute() {
  Attribute::Array items;
  if (!scanner_.accept("]")) {
    do {
      items.push_back(attribute());
    } while (scanner_.accept(","));
    scanner_.expect("]", "after the attributes");
  }
  return Attribute::array(std::move(items));
}

// 3, 3 : i32, 1.5 : f32, 0x7FC00000 : f32
Attribute TextReader::number_attribute() {
  const size_t start = scanner_.position();
  const std::string_view token = scanner_.number();
  if (token.empty()) scanner_.expected("a number");
  const Type* number_type = scanner_.accept(":") ? type() : nullptr;
  const size_t behind = scanner_.position();
  const bool real_type = number_type && !number_type->element.empty() &&
                         (number_type->element[0] == 'f' || number_type->element[0] == 'b');
  scanner_.go_to(start);
  Attribute value;
  if (token.find('.') != std::string_view::npos || real_type) {
    value = Attribute(Real{
        real_number(number_type ? dtype_of(*number_type).value_or(DType::kF64) : DType::kF64), number_type});
  } else {
    value = Attribute(
        Integer{number_type ? scanner_.integer_bits("a number") : scanner_.integer("a number"), number_type});
  }
  scanner_.go_to(behind);
  return value;
}

Attribute TextReader::dense_array() {
  scanner_.expect("<", "of the array");
  const std::string element = element_type();
  Ints list;
  Attribute::Array reals;
  const bool real = element[0] == 'f' || element[0] == 'b';
  if (scanner_.accept(":")) {
    const Type* list_type = scalar_type(element);
    do {
      if (scanner_.accept_word("true")) {
        list.push_back(1);
      } else if (scanner_.accept_word("false")) {
        list.push_back(0);
      } else if (real) {
        reals.push_back(Attribute(Real{real_number(dtype_of(*list_type).value_or(DType::kF64)), list_type}));
      } else {
        list.push_back(list_type->element == "ui64" ? scanner_.integer_bits("a number")
                                                    : scanner_.integer("a number"));
      }
    } while (scanner_.accept(","));
  }
  scanner_.expect(">", "after the array");
  if (dictionaries_ > 0) {  // what is handed on as it is, type and all: dense elements, as in artifacts
    const auto count = static_cast<int64_t>(real ? reals.size() : list.size());
    Elements elements{module_->tensor(element, {count}), {}, false};
    if (const std::optional<DType> dtype = dtype_of(*elements.type)) {
      elements.values = Tensor(*dtype, {count});
      for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        if (real) {
          elements.values.set_double(i, reals[at].as<Real>()->value);
        } else {
          elements.values.set_int(i, list[at]);
        }
      }
      return Attribute::elements(std::move(elements));
    }
  }
  if (real) return Attribute::array(std::move(reals));
  return Attribute(std::move(list));
}

// #stablehlo<comparison_direction LT>, #stablehlo.gather<...>, an alias, or what only others understand
Attribute TextReader::dialect_attribute() {
  const size_t start = scanner_.position();
  const std::string_view name = scanner_.name('#', "an attribute");
  if (const auto alias = attribute_aliases_.find(name); alias != attribute_aliases_.end()) {
    pay(alias->second.extent, start);
    return alias->second.value;
  }
  if (const auto alias = location_aliases_.find(name);
      alias != location_aliases_.end() && alias->second.defined) {
    pay({0, alias->second.text.size() / kBytesPerPart}, start);
    return Attribute(Opaque{std::string(alias->second.text)});
  }
  const size_t dot = name.find('.');
  const std::string_view dialect = name.substr(0, dot);
  const bool ours = dialect == "stablehlo" || dialect == "chlo";
  if (dot == std::string_view::npos && scanner_.peek() != '<') {
    scanner_.fail(start, "there is no attribute alias #" + std::string(name) +
                             " up to here; only the location of an operation or argument may be defined "
                             "behind its uses");
  }
  if (ours && scanner_.accept("<")) {
    if (dot == std::string_view::npos) {
      std::string kind(scanner_.word("the name of an enumeration"));
      if (is_record(kind)) {  // #stablehlo<gather<...>>
        scanner_.expect("<", "of the attribute");
        Attribute value = record_attribute(kind);
        scanner_.expect(">", "after the attribute");
        return value;
      }
      std::string_view value = scanner_.balanced('>', "the attribute");
      while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
      while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
      return Attribute(Enum{std::move(kind), std::string(value)});
    }
    const std::string kind(name.substr(dot + 1));
    if (kind == "conv") {
      Attribute dims = scanner_.accept_word("raw") ? raw_convolution() : convolution_dims();
      scanner_.expect(">", "after the dimension numbers");
      return dims;
    }
    if (is_record(kind)) return record_attribute(kind);
    std::string_view value = scanner_.balanced('>', "the attribute");
    if (kind.ends_with("_mode") || kind == "precision") return Attribute(Enum{kind, std::string(value)});
  } else if (scanner_.accept("<")) {
    scanner_.balanced('>', "the attribute");
  }
  const std::string_view text = scanner_.from(start);
  pay({0, text.size() / kBytesPerPart}, start);
  return Attribute(Opaque{std::string(text)});
}

Attribute TextReader::record_attribute(std::string kind) {
  const Level level(*this);
  Attributes fields;
  if (!scanner_.accept(">")) {
    do {
      const size_t at = scanner_.position();
      std::string name(scanner_.word("the name of a field"));
      scanner_.expect("=", "after the name of a field");
      set(fields, std::move(name), record_value(), at);
    } while (scanner_.accept(",") && scanner_.peek() != '>');
    scanner_.expect(">", "after the fields");
  }
  return Attribute::record(std::move(kind), std::move(fields));
}

Attribute TextReader::record_value() {
  if (scanner_.peek() == '[') return Attribute(int_list("the dimensions"));
  return attribute();
}

// raw input_batch_dimension = 0, ...
Attribute TextReader::raw_convolution() {
  Attributes fields;
  do {
    const size_t at = scanner_.position();
    std::string name(scanner_.word("the name of a field"));
    scanner_.expect("=", "after the name of a field");
    set(fields, std::move(name), record_value(), at);
  } while (scanner_.accept(","));
  return Attribute::record("conv", std::move(fields));
}

Attribute TextReader::convolution_dims() {
  Attributes fields;
  // [b, 0, 1, f]: which dimension is which; numbers are the spatial ones, ? none of those that are known.
  const auto dims = [&](const std::string& prefix, char first, const std::string& first_name, char second,
                        const std::string& second_name) {
    const size_t start = scanner_.position();
    int64_t places[2] = {-1, -1};
    std::vector<std::pair<int64_t, int64_t>> spatial;
    scanner_.expect("[", "before the dimensions");
    int64_t place = 0;
    do {
      const size_t at = scanner_.position();
      const char next = scanner_.peek();
      if (next >= '0' && next <= '9') {
        spatial.emplace_back(scanner_.integer("a dimension"), place);
      } else if (next == '?') {
        scanner_.accept("?");
      } else {
        const std::string_view word = scanner_.word("b, f, i, o or the number of a spatial dimension");
        if (word.size() != 1 || (word[0] != first && word[0] != second)) {
          scanner_.fail(at, std::string("expected '") + first + "', '" + second +
                                "' or the number of a spatial dimension, found '" + std::string(word) + "'");
        }
        places[word[0] == first ? 0 : 1] = place;
      }
      ++place;
    } while (scanner_.accept(","));
    scanner_.expect("]", "after the dimensions");
    std::sort(spatial.begin(), spatial.end());
    Ints list;
    for (size_t i = 0; i < spatial.size(); ++i) {
      if (spatial[i].first != static_cast<int64_t>(i))
        scanner_.fail(start, "the spatial dimensions are not 0, 1, ...");
      list.push_back(spatial[i].second);
    }
    if (places[0] < 0 || places[1] < 0) {
      scanner_.fail(start, std::string("the dimensions lack '") + (places[0] < 0 ? first : second) + "'");
    }
    fields.emplace_back(prefix + first_name, Attribute(Integer{places[0], nullptr}));
    fields.emplace_back(prefix + second_name, Attribute(Integer{places[1], nullptr}));
    fields.emplace_back(prefix + "spatial_dimensions", Attribute(std::move(list)));
  };
  dims("input_", 'b', "batch_dimension", 'f', "feature_dimension");
  scanner_.expect("x", "between the dimensions of the operands");
  dims("kernel_", 'i', "input_feature_dimension", 'o', "output_feature_dimension");
  scanner_.expect("->", "before the dimensions of the result");
  dims("output_", 'b', "batch_dimension", 'f', "feature_dimension");
  return Attribute::record("conv", std::move(fields));
}

}  // namespace ingot::stablehlo
