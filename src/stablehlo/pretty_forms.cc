// The table (pretty_forms.h), after the assembly formats of the StableHLO and CHLO dialects.
#include "stablehlo/pretty_forms.h"

#include <unordered_map>

#include "base/check.h"

namespace ingot::stablehlo {
namespace {

constexpr std::string_view kUnary = "% {} :same", kBinary = "% , % {} :same", kEach = "% {} :each",
                           kEachOfTwo = "% , % {} :each", kFunctional = "%* {} :fn";

struct PrettyForm {
  std::string_view name, form;
};
constexpr PrettyForm kForms[] = {
    {"stablehlo.abs", kUnary},
    {"stablehlo.cbrt", kUnary},
    {"stablehlo.ceil", kUnary},
    {"stablehlo.convert", kUnary},
    {"stablehlo.cosine", kUnary},
    {"stablehlo.count_leading_zeros", kUnary},
    {"stablehlo.exponential", kUnary},
    {"stablehlo.exponential_minus_one", kUnary},
    {"stablehlo.floor", kUnary},
    {"stablehlo.imag", kUnary},
    {"stablehlo.log", kUnary},
    {"stablehlo.log_plus_one", kUnary},
    {"stablehlo.logistic", kUnary},
    {"stablehlo.negate", kUnary},
    {"stablehlo.not", kUnary},
    {"stablehlo.popcnt", kUnary},
    {"stablehlo.real", kUnary},
    {"stablehlo.round_nearest_afz", kUnary},
    {"stablehlo.round_nearest_even", kUnary},
    {"stablehlo.rsqrt", kUnary},
    {"stablehlo.sign", kUnary},
    {"stablehlo.sine", kUnary},
    {"stablehlo.sqrt", kUnary},
    {"stablehlo.tan", kUnary},
    {"stablehlo.tanh", kUnary},
    {"stablehlo.uniform_dequantize", kUnary},
    {"stablehlo.uniform_quantize", kUnary},
    {"stablehlo.is_finite", kFunctional},

    {"stablehlo.add", kBinary},
    {"stablehlo.and", kBinary},
    {"stablehlo.atan2", kBinary},
    {"stablehlo.divide", kBinary},
    {"stablehlo.maximum", kBinary},
    {"stablehlo.minimum", kBinary},
    {"stablehlo.multiply", kBinary},
    {"stablehlo.or", kBinary},
    {"stablehlo.power", kBinary},
    {"stablehlo.remainder", kBinary},
    {"stablehlo.shift_left", kBinary},
    {"stablehlo.shift_right_arithmetic", kBinary},
    {"stablehlo.shift_right_logical", kBinary},
    {"stablehlo.subtract", kBinary},
    {"stablehlo.xor", kBinary},
    {"stablehlo.complex", "% , % {} :complex"},
    {"stablehlo.clamp", "% , % , % {} :same"},
    {"stablehlo.select", "% , % , % {} :select"},
    {"stablehlo.compare",
     "$comparison_direction:enum:comparison_direction , % , % ?( , $compare_type:enum:comparison_type ) {} "
     ":fn"},
    {"stablehlo.reduce_precision", "% , format = <exponent_mantissa> {} :same"},

    {"stablehlo.constant", "<constant>"},
    {"stablehlo.iota", "dim = $iota_dimension:int {} :result"},
    {"stablehlo.dynamic_iota", "% , dim = $iota_dimension:int {} :fn"},
    {"stablehlo.create_token", "{} :result"},
    {"stablehlo.after_all", "%* {} :same"},
    {"stablehlo.replica_id", "{} :result"},
    {"stablehlo.partition_id", "{} :result"},

    {"stablehlo.bitcast_convert", kFunctional},
    {"stablehlo.broadcast", "% , sizes = $broadcast_sizes:ints {} :fn"},
    {"stablehlo.broadcast_in_dim", "% , dims = $broadcast_dimensions:ints {} :fn"},
    {"stablehlo.dynamic_broadcast_in_dim", "% , % , dims = $broadcast_dimensions:ints {} :fn"},
    {"stablehlo.concatenate", "%*, dim = $dimension:int {} :fn"},
    {"stablehlo.dynamic_slice", "% , %*, sizes = $slice_sizes:ints {} :fn"},
    {"stablehlo.dynamic_update_slice", kFunctional},
    {"stablehlo.dynamic_reshape", kFunctional},
    {"stablehlo.dynamic_pad", kFunctional},
    {"stablehlo.real_dynamic_slice", kFunctional},
    {"stablehlo.get_dimension_size", "% , dim = $dimension:int {} :fn"},
    {"stablehlo.set_dimension_size", "% , % , dim = $dimension:int {} :fn"},
    {"stablehlo.pad",
     "% , % , low = $edge_padding_low:ints , high = $edge_padding_high:ints , "
     "interior = $interior_padding:ints {} :fn"},
    {"stablehlo.reshape", kFunctional},
    {"stablehlo.reverse", "% , dims = $dimensions:ints {} :same"},
    {"stablehlo.slice", "% <slice_ranges> {} :fn"},
    {"stablehlo.transpose", "% , dims = $permutation:ints {} :fn"},

    {"stablehlo.cholesky", "% ?( , lower = $lower:bool ) {} :same"},
    {"stablehlo.convolution", "( %* ) dim_numbers = <conv_dims> , window = { <conv_window> } {} :fn"},
    {"stablehlo.dynamic_conv", "( %* ) dim_numbers = <conv_dims> , window = { <conv_window> } {} :fn"},
    {"stablehlo.dot", "% , % <precision> {} :fn"},
    {"stablehlo.dot_general", "% , % , <dot_dims> <precision> {} :fn"},
    {"stablehlo.einsum", "% , % , config = $einsum_config:string {} :fn"},
    {"stablehlo.unary_einsum", "% , config = $einsum_config:string {} :fn"},
    {"stablehlo.fft", "% , type = $fft_type:enum:fft_type , length = $fft_length:ints {} :fn"},
    {"stablehlo.rng", "% , % , % , distribution = $rng_distribution:enum:rng_distribution {} :fn"},
    {"stablehlo.rng_bit_generator", "% , algorithm = $rng_algorithm:enum:rng_algorithm {} :fn"},

    {"stablehlo.reduce", "<reduce>"},
    {"stablehlo.while", "<while>"},
    {"stablehlo.optimization_barrier", "<barrier>"},
    {"stablehlo.tuple", "%* {} :tuple"},
    {"stablehlo.get_tuple_element", "% [ $index:int ] {} :fn"},
    {"stablehlo.composite", "$name:string %* {} :fn"},
    {"stablehlo.custom_call", "$call_target_name:target ( %* ) {} :fn"},
    {"stablehlo.return", "%* {} ?( :operands )"},
    {"func.return", "%* {} ?( :operands )"},
    {"func.call", "$callee:symbol ( %* ) {} :fn"},
    {"sdy.sharding_constraint", "% <sharding> {} :same"},
    {"sdy.return", "%* {} ?( :operands )"},
    {"builtin.unrealized_conversion_cast", "%* :cast {}"},

    {"check.expect_almost_eq", "% , % {} :all"},
    {"check.expect_almost_eq_const", "% , <expected>"},
    {"check.expect_close",
     "% , % ?( , max_ulp_difference = $max_ulp_difference:int ) "
     "?( , min_ulp_difference = $min_ulp_difference:int ) {} :operands"},
    {"check.expect_eq", "% , % {} :all"},
    {"check.expect_eq_const", "% , <expected>"},

    {"chlo._asin_acos_kernel", kEach},
    {"chlo.acos", kEach},
    {"chlo.acosh", kEach},
    {"chlo.asin", kEach},
    {"chlo.asinh", kEach},
    {"chlo.atan", kEach},
    {"chlo.atanh", kEach},
    {"chlo.bessel_i1e", kEach},
    {"chlo.conj", kEach},
    {"chlo.cosh", kEach},
    {"chlo.digamma", kEach},
    {"chlo.erf", kEach},
    {"chlo.erf_inv", kEach},
    {"chlo.erfc", kEach},
    {"chlo.is_inf", kEach},
    {"chlo.is_neg_inf", kEach},
    {"chlo.is_pos_inf", kEach},
    {"chlo.lgamma", kEach},
    {"chlo.sinh", kEach},
    {"chlo.square", kEach},
    {"chlo.tan", kEach},
    {"chlo.mulhi", kEachOfTwo},
    {"chlo.next_after", kEachOfTwo},
    {"chlo.polygamma", kEachOfTwo},
    {"chlo.zeta", kEachOfTwo},
    {"chlo.constant", "<constant>"},
    {"chlo.top_k", "( % , k = $k:int ?( , is_stable = $is_stable:bool ) ) {} :each"},
    {"chlo.broadcast_add", "% , % {} :fn"},
    {"chlo.broadcast_and", "% , % {} :fn"},
    {"chlo.broadcast_atan2", "% , % {} :fn"},
    {"chlo.broadcast_divide", "% , % {} :fn"},
    {"chlo.broadcast_maximum", "% , % {} :fn"},
    {"chlo.broadcast_minimum", "% , % {} :fn"},
    {"chlo.broadcast_multiply", "% , % {} :fn"},
    {"chlo.broadcast_or", "% , % {} :fn"},
    {"chlo.broadcast_power", "% , % {} :fn"},
    {"chlo.broadcast_remainder", "% , % {} :fn"},
    {"chlo.broadcast_select", "% , % , % {} :fn"},
    {"chlo.broadcast_subtract", "% , % {} :fn"},
    {"chlo.broadcast_xor", "% , % {} :fn"},
    {"chlo.broadcast_compare", "% , % {} :fn"},
    {"chlo.broadcast_complex", "% , % {} :fn"},
    {"chlo.broadcast_next_after", "% , % {} :fn"},
    {"chlo.broadcast_polygamma", "% , % {} :fn"},
    {"chlo.broadcast_shift_left", "% , % {} :fn"},
    {"chlo.broadcast_shift_right_arithmetic", "% , % {} :fn"},
    {"chlo.broadcast_shift_right_logical", "% , % {} :fn"},
    {"chlo.broadcast_zeta", "% , % {} :fn"},
    {"chlo.scan", "<scan>"},
};

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

FormToken token_of(std::string_view text) {
  using Kind = FormToken::Kind;
  if (text == "%") return {Kind::kOperand, text, {}, {}};
  if (text == "%*") return {Kind::kOperands, text, {}, {}};
  if (text == "%*,") return {Kind::kOperandsWithCommas, text, {}, {}};
  if (text == "{}") return {Kind::kDictionary, text, {}, {}};
  if (text == "?(") return {Kind::kOptional, text, {}, {}};
  if (text[0] == ':') return {Kind::kTypes, text.substr(1), {}, {}};
  if (text[0] == '<') return {Kind::kCustom, text.substr(1, text.size() - 2), {}, {}};
  if (text[0] == '$') {
    const size_t colon = text.find(':'), second = text.find(':', colon + 1);
    return {Kind::kAttribute, text.substr(1, colon - 1), text.substr(colon + 1, second - colon - 1),
            second == std::string_view::npos ? std::string_view() : text.substr(second + 1)};
  }
  return {begins_word(text[0]) ? Kind::kWord : Kind::kPunctuation, text, {}, {}};
}

std::vector<FormToken> tokens_of(std::string_view form) {
  std::vector<FormToken> tokens;
  std::vector<size_t> open;  // brackets: of groups, and others, which are npos
  while (!form.empty()) {
    const size_t space = std::min(form.find(' '), form.size());
    const std::string_view text = form.substr(0, space);
    form.remove_prefix(std::min(space + 1, form.size()));
    if (text == ")" && !open.empty() && open.back() != std::string_view::npos) {
      tokens[open.back()].end = tokens.size();
      open.pop_back();
      continue;
    }
    if (text == ")" && !open.empty()) open.pop_back();
    if (text == "(") open.push_back(std::string_view::npos);
    if (text == "?(") open.push_back(tokens.size());
    tokens.push_back(token_of(text));
  }
  check(open.empty(), "a form has a bracket that does not close");
  return tokens;
}

}  // namespace

const std::vector<FormToken>* pretty_form_of(std::string_view operation) {
  static const auto table = [] {
    std::unordered_map<std::string_view, std::vector<FormToken>> forms;
    for (const PrettyForm& form : kForms) forms.emplace(form.name, tokens_of(form.form));
    return forms;
  }();
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace ingot::stablehlo
