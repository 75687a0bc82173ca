// Operations in a form of their own: what the table (pretty_forms.h) says, and the parts that it names.
#include <charconv>

#include "stablehlo/text_reader.h"

namespace ingot::stablehlo {

void TextReader::pretty_form(Operation& operation, std::vector<const Type*>& results, size_t position) {
  const std::vector<FormToken>* tokens = pretty_form_of(operation.name);
  if (!tokens && operation.name.starts_with("sdy."))
    scanner_.fail(position, operation.name + ": " + std::string(kOneDevice));
  if (!tokens) {
    scanner_.fail(position, "no short form of " + operation.name +
                                " is known; what is read of every operation is \"" + operation.name +
                                "\"(%operands) {attributes} : (types) -> types");
  }
  Pretty pretty{&operation, {}, {}, position};
  follow(*tokens, 0, tokens->size(), pretty);
  results = std::move(pretty.results);
}

void TextReader::follow(const std::vector<FormToken>& tokens, size_t from, size_t to, Pretty& pretty) {
  using Kind = FormToken::Kind;
  const auto of = [&](std::string_view what) { return std::string(what) + "of " + pretty.operation->name; };
  for (size_t i = from; i < to; ++i) {
    const FormToken& token = tokens[i];
    switch (token.kind) {
      case Kind::kPunctuation:
        if (!scanner_.accept(token.text)) scanner_.expected(of("'" + std::string(token.text) + "' "));
        break;
      case Kind::kWord:
        if (!scanner_.accept_word(token.text)) scanner_.expected(of("'" + std::string(token.text) + "' "));
        break;
      case Kind::kOperand:
        pretty.uses.push_back(use());
        break;
      case Kind::kOperands:
        if (scanner_.peek() != '%') break;
        do {
          pretty.uses.push_back(use());
        } while (scanner_.accept(","));
        break;
      case Kind::kOperandsWithCommas:
        while (scanner_.peek() == '%') {
          pretty.uses.push_back(use());
          if (!scanner_.accept(",")) scanner_.expected(of("',' after an operand "));
        }
        break;
      case Kind::kAttribute: {
        const size_t at = scanner_.position();
        set(pretty.operation->attributes, std::string(token.text), pretty_attribute(token), at);
        break;
      }
      case Kind::kDictionary:
        optional_dictionary(pretty.operation->attributes);
        break;
      case Kind::kOptional: {
        const FormToken& first = tokens[i + 1];
        const bool there =
            first.kind == Kind::kTypes ? scanner_.peek() == ':' : scanner_.peek() == first.text[0];
        if (there) follow(tokens, i + 1, token.end, pretty);
        i = token.end - 1;
        break;
      }
      case Kind::kTypes:
        if (!scanner_.accept(":")) scanner_.expected(of("':' before the types "));
        types_of(token, pretty);
        break;
      case Kind::kCustom:
        custom_part(token, pretty);
        break;
    }
  }
}

Attribute TextReader::pretty_attribute(const FormToken& token) {
  const std::string_view what = token.text;
  if (token.value == "int") return Attribute(Integer{scanner_.integer(what), nullptr});
  if (token.value == "ints") return Attribute(int_list(what));
  if (token.value == "bool") return Attribute(boolean("true or false for " + std::string(what)));
  if (token.value == "string") return Attribute(scanner_.string(what));
  if (token.value == "symbol") return Attribute(Symbol{scanner_.symbol(what)});
  if (token.value == "target") return Attribute(scanner_.symbol(what));
  return Attribute(Enum{std::string(token.which), std::string(scanner_.word(what))});
}

void TextReader::types_of(const FormToken& token, Pretty& pretty) {
  const size_t at = scanner_.position();
  if (token.text == "same") return same_types(pretty);
  if (token.text == "result") {
    pretty.results = result_types();
    return;
  }
  Signature types;
  if (token.text == "fn") {
    types = signature();
  } else if (token.text == "operands") {
    types.from = type_list();
  } else if (token.text == "all") {
    types.from.assign(pretty.uses.size(), type());
  } else if (token.text == "each") {
    types.from = scanner_.peek() == '(' ? types_in_brackets() : type_list();
    scanner_.expect("->", "before the types of the results");
    types.to = result_types();
  } else if (token.text == "cast") {
    types.from = type_list();
    if (!scanner_.accept_word("to")) scanner_.expected("'to' before the types of the results");
    types.to = type_list();
  } else if (token.text == "tuple") {
    const Type* tuple = type();
    if (tuple->kind != Type::Kind::kTuple)
      scanner_.fail(at, "expected a tuple type, found " + to_string(*tuple));
    types = {tuple->parts, {tuple}};
  } else if (token.text == "complex" && scanner_.peek() != '(') {
    const Type* result = type();
    const std::string& element = result->element;
    if (!result->is_tensor() || !element.starts_with("complex<")) {
      scanner_.fail(at, "expected a tensor of complex numbers, found " + to_string(*result));
    }
    Type part = *result;
    part.element = element.substr(8, element.size() - 9);
    const Type* parts = module_->add(std::move(part));
    types = {{parts, parts}, {result}};
  } else if (token.text == "select" && scanner_.peek() != '(') {
    const Type* predicate = type();
    scanner_.expect(",", "after the type of the predicate");
    const Type* result = type();
    types = {{predicate, result, result}, {result}};
  } else {
    types = signature();
  }
  set_operands(*pretty.operation, pretty.uses, types.from, at);
  pretty.results = std::move(types.to);
}

void TextReader::same_types(Pretty& pretty) {
  const size_t at = scanner_.position();
  Signature types;
  if (scanner_.peek() == '(') {
    types = signature();
  } else {
    const Type* all = type();
    types.from.assign(pretty.uses.size(), all);
    types.to = {all};
  }
  set_operands(*pretty.operation, pretty.uses, types.from, at);
  pretty.results = std::move(types.to);
}

void TextReader::custom_part(const FormToken& token, Pretty& pretty) {
  Attributes& attributes = pretty.operation->attributes;
  const size_t at = scanner_.position();
  if (token.text == "constant") return constant_form(pretty);
  if (token.text == "expected") return expected_constant(pretty);
  if (token.text == "slice_ranges") return slice_ranges(pretty);
  if (token.text == "dot_dims") return dot_dims(pretty);
  if (token.text == "precision") return dot_precision(pretty);
  if (token.text == "conv_dims") return set(attributes, "dimension_numbers", convolution_dims(), at);
  if (token.text == "conv_window") return convolution_window(pretty);
  if (token.text == "reduce") return reduce_form(pretty);
  if (token.text == "while") return while_form(pretty);
  if (token.text == "barrier") return barrier_form(pretty);
  if (token.text == "scan") return scan_form(pretty);
  if (token.text == "sharding") {
    scanner_.expect("<", "of the sharding");
    scanner_.balanced('>', "the sharding");
    return set(attributes, "sharding", Attribute(Opaque{"#sdy.sharding" + std::string(scanner_.from(at))}),
               at);
  }
  // e8m23
  const std::string_view format = scanner_.word("a format such as e8m23");
  int32_t exponent = 0, mantissa = 0;
  const char* end = format.data() + format.size();
  const auto read = [&](const char* from,
                        int32_t& number) {  // null where there is no number, or a larger one
    const auto [behind, error] = std::from_chars(from, end, number);
    return error == std::errc() ? behind : nullptr;
  };
  const char* m = format[0] == 'e' ? read(format.data() + 1, exponent) : nullptr;
  if (m == nullptr || m == end || *m != 'm' || read(m + 1, mantissa) != end) {
    scanner_.fail(at, "expected a format such as e8m23, found '" + std::string(format) + "'");
  }
  set(attributes, "exponent_bits", Attribute(Integer{exponent, scalar_type("i32")}), at);
  set(attributes, "mantissa_bits", Attribute(Integer{mantissa, scalar_type("i32")}), at);
}

void TextReader::constant_form(Pretty& pretty) {
  Operation& operation = *pretty.operation;
  if (scanner_.peek() == '(') {  // () <{value = dense<...> : type}> : () -> type
    generic_form(operation, pretty.results);
    return;
  }
  optional_dictionary(operation.attributes);
  const size_t at = scanner_.position();
  Attribute value = attribute();
  const auto* elements = value.as<Elements>();
  if (!elements) scanner_.fail(at, "expected dense<...> : type");
  pretty.results = {elements->type};
  set(operation.attributes, "value", std::move(value), at);
}

// dense<...> : type, behind the array that is to have it
void TextReader::expected_constant(Pretty& pretty) {
  const size_t at = scanner_.position();
  Attribute value = attribute();
  const auto* elements = value.as<Elements>();
  if (!elements) scanner_.fail(at, "expected dense<...> : type");
  set_operands(*pretty.operation, pretty.uses, {elements->type}, at);
  set(pretty.operation->attributes, "value", std::move(value), at);
}

// [0:4, 1:8:2]
void TextReader::slice_ranges(Pretty& pretty) {
  const size_t at = scanner_.position();
  Ints starts, limits, strides;
  scanner_.expect("[", "before the ranges");
  if (!scanner_.accept("]")) {
    do {
      starts.push_back(scanner_.integer("where the slice begins"));
      scanner_.expect(":", "of the range");
      limits.push_back(scanner_.integer("where the slice ends"));
      strides.push_back(scanner_.accept(":") ? scanner_.integer("the stride") : 1);
    } while (scanner_.accept(","));
    scanner_.expect("]", "after the ranges");
  }
  Attributes& attributes = pretty.operation->attributes;
  set(attributes, "start_indices", Attribute(std::move(starts)), at);
  set(attributes, "limit_indices", Attribute(std::move(limits)), at);
  set(attributes, "strides", Attribute(std::move(strides)), at);
}

// batching_dims = [0] x [0], contracting_dims = [2] x [1]
void TextReader::dot_dims(Pretty& pretty) {
  const size_t at = scanner_.position();
  Attributes fields;
  const auto pair = [&](std::string_view word, const std::string& name, bool needed) {
    if (!scanner_.accept_word(word)) {
      if (needed) scanner_.expected("'" + std::string(word) + "' of dot_general");
      fields.emplace_back("lhs_" + name, Attribute(Ints()));
      fields.emplace_back("rhs_" + name, Attribute(Ints()));
      return false;
    }
    scanner_.expect("=", "after " + std::string(word));
    fields.emplace_back("lhs_" + name, Attribute(int_list("the dimensions of the left operand")));
    scanner_.expect("x", "between the dimensions");
    fields.emplace_back("rhs_" + name, Attribute(int_list("the dimensions of the right operand")));
    return true;
  };
  if (pair("batching_dims", "batching_dimensions", false))
    scanner_.expect(",", "before the contracting dimensions");
  pair("contracting_dims", "contracting_dimensions", true);
  set(pretty.operation->attributes, "dot_dimension_numbers", Attribute::record("dot", std::move(fields)), at);
}

// , precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = tf32, ...>
void TextReader::dot_precision(Pretty& pretty) {
  Attributes& attributes = pretty.operation->attributes;
  while (scanner_.accept(",")) {
    const size_t at = scanner_.position();
    if (scanner_.accept_word("precision")) {
      scanner_.expect("=", "after precision");
      scanner_.expect("[", "before the precisions");
      Attribute::Array items;
      if (!scanner_.accept("]")) {
        do {
          items.push_back(Attribute(Enum{"precision", std::string(scanner_.word("a precision"))}));
        } while (scanner_.accept(","));
        scanner_.expect("]", "after the precisions");
      }
      set(attributes, "precision_config", Attribute::array(std::move(items)), at);
    } else if (scanner_.accept_word("algorithm")) {
      scanner_.expect("=", "after algorithm");
      scanner_.expect("<", "of the algorithm");
      set(attributes, "algorithm", record_attribute("dot_algorithm"), at);
    } else {
      scanner_.expected("'precision' or 'algorithm'");
    }
  }
}

// stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = ..., rhs_dilate = ..., reverse = [false, true]
void TextReader::convolution_window(Pretty& pretty) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"stride", "window_strides"},
                                                                      {"pad", "padding"},
                                                                      {"lhs_dilate", "lhs_dilation"},
                                                                      {"rhs_dilate", "rhs_dilation"},
                                                                      {"reverse", "window_reversal"}};
  if (scanner_.peek() == '}') return;
  do {
    const size_t at = scanner_.position();
    const std::string_view word = scanner_.word("stride, pad, lhs_dilate, rhs_dilate or reverse");
    std::string_view name;
    for (const auto& [known, attribute] : kNames) {
      if (known == word) name = attribute;
    }
    if (name.empty()) {
      scanner_.fail(
          at, "expected stride, pad, lhs_dilate, rhs_dilate or reverse, found '" + std::string(word) + "'");
    }
    scanner_.expect("=", "after " + std::string(word));
    Ints list;
    scanner_.expect("[", "before the numbers");
    if (!scanner_.accept("]")) {
      do {
        if (scanner_.peek() == '[') {
          const Ints pair = int_list("the padding");
          if (pair.size() != 2) scanner_.fail(at, "padding is a pair [low, high] for each dimension");
          list.insert(list.end(), pair.begin(), pair.end());
        } else if (scanner_.sees_word("true") || scanner_.sees_word("false")) {
          list.push_back(boolean("true or false"));
        } else {
          list.push_back(scanner_.integer("a number"));
        }
      } while (scanner_.accept(","));
      scanner_.expect("]", "after the numbers");
    }
    set(pretty.operation->attributes, std::string(name), Attribute(std::move(list)), at);
  } while (scanner_.accept(","));
}

// (%x init: %i), (%y init: %j) applies stablehlo.add across dimensions = [1] : (...) -> ..., or with a region
// behind "reducer"
void TextReader::reduce_form(Pretty& pretty) {
  std::vector<Use> initial;
  const size_t operands_at = scanner_.position();
  do {
    scanner_.expect("(", "before an operand of reduce");
    pretty.uses.push_back(use());
    if (!scanner_.accept_word("init")) scanner_.expected("'init:' after the operand");
    scanner_.expect(":", "after init");
    initial.push_back(use());
    scanner_.expect(")", "after the initial value");
  } while (scanner_.accept(","));
  pretty.uses.insert(pretty.uses.end(), initial.begin(), initial.end());
  std::string inner;
  if (scanner_.accept_word("applies")) inner = std::string(scanner_.word("the operation to reduce with"));
  const size_t at = scanner_.position();
  if (!scanner_.accept_word("across")) scanner_.expected("'across dimensions' of reduce");
  if (!scanner_.accept_word("dimensions")) scanner_.expected("'dimensions' of reduce");
  scanner_.expect("=", "after dimensions");
  set(pretty.operation->attributes, "dimensions", Attribute(int_list("the dimensions to reduce")), at);
  optional_dictionary(pretty.operation->attributes);
  scanner_.expect(":", "before the types of reduce");
  Signature types = signature();
  set_operands(*pretty.operation, pretty.uses, types.from, operands_at);
  pretty.results = std::move(types.to);
  reduce_region(pretty, std::move(inner));
}

void TextReader::reduce_region(Pretty& pretty, std::string inner) {
  Operation& operation = *pretty.operation;
  if (inner.empty()) {
    if (!scanner_.accept_word("reducer")) scanner_.expected("'reducer' before the region of reduce");
    std::vector<Argument> first, second;
    while (scanner_.accept("(")) {
      first.push_back(argument(false));
      scanner_.expect(",", "between the arguments of the reducer");
      second.push_back(argument(false));
      scanner_.expect(")", "after the arguments of the reducer");
    }
    first.insert(first.end(), second.begin(), second.end());
    scanner_.expect("{", "before the region of reduce");
    operation.regions.push_back(region(first));
    return;
  }
  Type scalar;
  scalar.kind = Type::Kind::kTensor;
  scalar.element = type_of(pretty.uses.front())->element;
  const Type* element = module_->add(std::move(scalar));
  Region body;
  body.arguments = {function_->add_value(element), function_->add_value(element)};
  Operation combine, back;
  combine.name = std::move(inner);
  combine.operands = body.arguments;
  combine.results = {function_->add_value(element)};
  back.name = "stablehlo.return";
  back.operands = combine.results;
  for (Operation* made : {&combine, &back}) {
    made->line = operation.line;
    made->column = operation.column;
  }
  body.operations.push_back(std::move(combine));
  body.operations.push_back(std::move(back));
  operation.regions.push_back(std::move(body));
}

// (%a = %0, %b = %1) : types attributes {...} cond { ... } do { ... }
void TextReader::while_form(Pretty& pretty) {
  Operation& operation = *pretty.operation;
  std::vector<Argument> arguments;
  scanner_.expect("(", "before the carries of while");
  if (!scanner_.accept(")")) {
    do {
      Argument carry;
      carry.position = scanner_.position();
      carry.name = scanner_.name('%', "the name of a carry");
      scanner_.expect("=", "after the name of a carry");
      pretty.uses.push_back(use());
      arguments.push_back(std::move(carry));
    } while (scanner_.accept(","));
    scanner_.expect(")", "after the carries");
  }
  if (!arguments.empty()) {
    scanner_.expect(":", "before the types of the carries");
    const size_t at = scanner_.position();
    pretty.results = type_list();
    set_operands(operation, pretty.uses, pretty.results, at);
    for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = pretty.results[i];
  }
  if (scanner_.accept_word("attributes")) optional_dictionary(operation.attributes);
  for (std::string_view word : {"cond", "do"}) {
    if (!scanner_.accept_word(word))
      scanner_.expected("'" + std::string(word) + "' before a region of while");
    scanner_.expect("{", "before a region of while");
    operation.regions.push_back(region(arguments));
  }
}

// (%x, %y) inits(%a) dimension=0 attributes {...} { ... } : (...) -> ...
void TextReader::scan_form(Pretty& pretty) {
  Operation& operation = *pretty.operation;
  const size_t at = scanner_.position();
  Ints segments;
  scanner_.expect("(", "before the arrays of scan");
  pretty.uses = uses_until(')');
  segments.push_back(static_cast<int64_t>(pretty.uses.size()));
  if (!scanner_.accept_word("inits")) scanner_.expected("'inits' of scan");
  scanner_.expect("(", "before the initial values of scan");
  for (const Use& initial : uses_until(')')) pretty.uses.push_back(initial);
  segments.push_back(static_cast<int64_t>(pretty.uses.size()) - segments[0]);
  if (!scanner_.accept_word("dimension")) scanner_.expected("'dimension' of scan");
  scanner_.expect("=", "after dimension");
  set(operation.attributes, "dimension",
      Attribute(Integer{scanner_.integer("the dimension of scan"), nullptr}), at);
  if (scanner_.accept_word("attributes")) optional_dictionary(operation.attributes);
  set(operation.attributes, "operandSegmentSizes", Attribute(std::move(segments)), at);
  scanner_.expect("{", "before the region of scan");
  operation.regions.push_back(region({}));
  scanner_.expect(":", "before the types of scan");
  Signature types = signature();
  set_operands(operation, pretty.uses, types.from, at);
  pretty.results = std::move(types.to);
}

void TextReader::barrier_form(Pretty& pretty) {
  optional_dictionary(pretty.operation->attributes);
  if (scanner_.accept("(")) {
    scanner_.expect(")", "of a barrier without operands");
    return;
  }
  do {
    pretty.uses.push_back(use());
  } while (scanner_.accept(","));
  scanner_.expect(":", "before the types of the barrier");
  const size_t at = scanner_.position();
  pretty.results = scanner_.peek() == '(' ? types_in_brackets() : type_list();
  set_operands(*pretty.operation, pretty.uses, pretty.results, at);
}

}  // namespace ingot::stablehlo
