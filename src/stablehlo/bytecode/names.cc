// After the StableHLO project's description of vhlo (VhloBytecode, VhloOps, VhloEnums) and of how it becomes
// StableHLO.
#include "stablehlo/bytecode/names.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace ingot::stablehlo {
namespace {

// By their codes; others have parts.
constexpr std::string_view kVhloTypes[] = {
    "i1",       "",         "bf16",     "f16",        "f32",        "f64",
    "f8E4M3FN", "f8E5M2",   "",         "index",      "i4",         "i8",
    "i16",      "i32",      "i64",      "ui4",        "ui8",        "ui16",
    "ui32",     "ui64",     "",         "",           "",           "",
    "",         "",         "",         "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ",
    "",         "i2",       "ui2",      "none",       "tf32",       "f8E4M3",
    "f8E3M4",   "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",   "f8E8M0FNU"};
constexpr std::string_view kBuiltinTypes[] = {"",    "index", "", "bf16", "f16", "f32", "f64",
                                              "f80", "f128",  "", "",     "",    "none"};

constexpr EnumNames kEnums[] = {{3, "comparison_direction", "EQ NE GE GT LE LT"},
                                {4, "comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
                                {5, "",
                                 "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING "
                                 "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"},
                                {7, "fft_type", "FFT IFFT RFFT IRFFT"},
                                {11, "precision", "DEFAULT HIGH HIGHEST"},
                                {12, "rng_algorithm", "DEFAULT THREE_FRY PHILOX"},
                                {13, "rng_distribution", "UNIFORM NORMAL", 1},
                                {16, "transpose", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT"},
                                {19, "result_accuracy_mode", "DEFAULT HIGHEST TOLERANCE"}};

struct Properties {
  std::string_view operation, names;
};
constexpr Properties kPropertyNames[] = {
    {"builtin.module", "sym_name? sym_visibility?"},
    {"chlo.broadcast_add", "broadcast_dimensions?"},
    {"chlo.broadcast_and", "broadcast_dimensions?"},
    {"chlo.broadcast_atan2", "broadcast_dimensions?"},
    {"chlo.broadcast_compare", "broadcast_dimensions? compare_type? comparison_direction"},
    {"chlo.broadcast_complex", "broadcast_dimensions?"},
    {"chlo.broadcast_divide", "broadcast_dimensions?"},
    {"chlo.broadcast_maximum", "broadcast_dimensions?"},
    {"chlo.broadcast_minimum", "broadcast_dimensions?"},
    {"chlo.broadcast_multiply", "broadcast_dimensions?"},
    {"chlo.broadcast_next_after", "broadcast_dimensions?"},
    {"chlo.broadcast_or", "broadcast_dimensions?"},
    {"chlo.broadcast_polygamma", "broadcast_dimensions?"},
    {"chlo.broadcast_power", "broadcast_dimensions?"},
    {"chlo.broadcast_remainder", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_left", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_arithmetic", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_logical", "broadcast_dimensions?"},
    {"chlo.broadcast_subtract", "broadcast_dimensions?"},
    {"chlo.broadcast_xor", "broadcast_dimensions?"},
    {"chlo.broadcast_zeta", "broadcast_dimensions?"},
    {"chlo.constant", "value"},
    {"chlo.top_k", "k"},
    {"func.call", "arg_attrs? callee no_inline? res_attrs?"},
    {"func.func", "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?"},
    {"sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", "mesh sym_name"},
    {"sdy.reshard", "sharding"},
    {"sdy.sharding_constraint", "sharding"},
    {"sdy.sharding_group", "group_id"},
    {"vhlo.all_gather_v1", "all_gather_dim channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_reduce_v1", "channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_reduce_v2", "channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_to_all_v1", "channel_id concat_dimension replica_groups split_count split_dimension"},
    {"vhlo.all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension"},
    {"vhlo.batch_norm_grad_v1", "epsilon feature_index"},
    {"vhlo.batch_norm_inference_v1", "epsilon feature_index"},
    {"vhlo.batch_norm_training_v1", "epsilon feature_index"},
    {"vhlo.broadcast_in_dim_v1", "broadcast_dimensions"},
    {"vhlo.broadcast_v1", "broadcast_sizes"},
    {"vhlo.call_v1", "callee"},
    {"vhlo.cbrt_v2", "result_accuracy"},
    {"vhlo.cholesky_v1", "lower"},
    {"vhlo.collective_broadcast_v1", "channel_id replica_groups"},
    {"vhlo.collective_broadcast_v2", "channel_id has_dynamic_root replica_groups"},
    {"vhlo.collective_permute_v1", "channel_id source_target_pairs"},
    {"vhlo.collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids"},
    {"vhlo.compare_v1", "compare_type comparison_direction"},
    {"vhlo.composite_v1", "composite_attributes decomposition name version"},
    {"vhlo.composite_v2", "composite_attributes decomposition name version"},
    {"vhlo.concatenate_v1", "dimension"},
    {"vhlo.constant_v1", "value"},
    {"vhlo.convolution_v1",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config rhs_dilation window_reversal "
     "window_strides"},
    {"vhlo.cosine_v2", "result_accuracy"},
    {"vhlo.cross-replica-sum_v1", "replica_groups"},
    {"vhlo.custom_call_v1",
     "api_version backend_config call_target_name called_computations has_side_effect "
     "operand_layouts output_operand_aliases result_layouts"},
    {"vhlo.custom_call_v2",
     "api_version backend_config call_target_name called_computations has_side_effect "
     "operand_layouts output_operand_aliases result_layouts result_tilings"},
    {"vhlo.dot_general_v1",
     "lhs_batching_dimensions lhs_contracting_dimensions precision_config "
     "rhs_batching_dimensions rhs_contracting_dimensions"},
    {"vhlo.dot_general_v2",
     "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions "
     "lhs_component_count lhs_contracting_dimensions lhs_precision_type "
     "num_primitive_operations precision_config rhs_batching_dimensions rhs_component_count "
     "rhs_contracting_dimensions rhs_precision_type"},
    {"vhlo.dot_v1", "precision_config"},
    {"vhlo.dynamic_broadcast_in_dim_v1",
     "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    {"vhlo.dynamic_conv_v1",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config rhs_dilation window_reversal "
     "window_strides"},
    {"vhlo.dynamic_conv_v2",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides"},
    {"vhlo.dynamic_gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map"},
    {"vhlo.dynamic_gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
     "operand_batching_dims start_index_map start_indices_batching_dims"},
    {"vhlo.dynamic_iota_v1", "iota_dimension"},
    {"vhlo.dynamic_slice_v1", "slice_sizes"},
    {"vhlo.einsum_v1", "einsum_config"},
    {"vhlo.exponential_minus_one_v2", "result_accuracy"},
    {"vhlo.exponential_v2", "result_accuracy"},
    {"vhlo.fft_v1", "fft_length fft_type"},
    {"vhlo.func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"vhlo.gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
     "start_index_map"},
    {"vhlo.gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
     "operand_batching_dims slice_sizes start_index_map start_indices_batching_dims"},
    {"vhlo.get_dimension_size_v1", "dimension"},
    {"vhlo.get_tuple_element_v1", "index"},
    {"vhlo.infeed_v1", "infeed_config layout"},
    {"vhlo.iota_v1", "iota_dimension"},
    {"vhlo.log_plus_one_v2", "result_accuracy"},
    {"vhlo.log_v2", "result_accuracy"},
    {"vhlo.logistic_v2", "result_accuracy"},
    {"vhlo.map_v1", "dimensions"},
    {"vhlo.outfeed_v1", "outfeed_config"},
    {"vhlo.pad_v1", "edge_padding_high edge_padding_low interior_padding"},
    {"vhlo.recv_v1", "channel_id channel_type is_host_transfer"},
    {"vhlo.recv_v2", "channel_id channel_type is_host_transfer source_target_pairs"},
    {"vhlo.reduce_precision_v1", "exponent_bits mantissa_bits"},
    {"vhlo.reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"vhlo.reduce_v1", "dimensions"},
    {"vhlo.reduce_window_v1", "base_dilations padding window_dilations window_dimensions window_strides"},
    {"vhlo.reverse_v1", "dimensions"},
    {"vhlo.rng_bit_generator_v1", "rng_algorithm"},
    {"vhlo.rng_v1", "rng_distribution"},
    {"vhlo.rsqrt_v2", "result_accuracy"},
    {"vhlo.scatter_v1",
     "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims "
     "unique_indices update_window_dims"},
    {"vhlo.scatter_v2",
     "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
     "scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices "
     "update_window_dims"},
    {"vhlo.select_and_scatter_v1", "padding window_dimensions window_strides"},
    {"vhlo.send_v1", "channel_id channel_type is_host_transfer"},
    {"vhlo.send_v2", "channel_id channel_type is_host_transfer source_target_pairs"},
    {"vhlo.set_dimension_size_v1", "dimension"},
    {"vhlo.sine_v2", "result_accuracy"},
    {"vhlo.slice_v1", "limit_indices start_indices strides"},
    {"vhlo.sort_v1", "dimension is_stable"},
    {"vhlo.sqrt_v2", "result_accuracy"},
    {"vhlo.tan_v2", "result_accuracy"},
    {"vhlo.tanh_v2", "result_accuracy"},
    {"vhlo.torch_index_select_v1", "batch_dims dim"},
    {"vhlo.transpose_v1", "permutation"},
    {"vhlo.triangular_solve_v1", "left_side lower transpose_a unit_diagonal"},
    {"vhlo.unary_einsum_v1", "einsum_config"},
};

constexpr std::string_view kCollectives =
    "all_gather all_reduce all_to_all collective_broadcast collective_permute "
    "collective_reduce reduce_scatter";
constexpr std::string_view kConvolutions = "convolution dynamic_conv";
constexpr std::string_view kMessages = "send recv";
constexpr std::string_view kGathers = "gather dynamic_gather";

constexpr DefaultValue kDefaults[] = {
    {"*", "result_accuracy", "default"},
    {kCollectives, "channel_id", "0"},
    {kCollectives, "use_global_device_ids", "false"},
    {kCollectives, "has_dynamic_root", "false"},
    {"cholesky", "lower", "false"},
    {"compare", "compare_type", "NOTYPE"},
    {"composite", "version", "0"},
    {"composite", "composite_attributes", "empty"},
    {kConvolutions, "window_strides", "ones"},
    {kConvolutions, "padding", "zeros"},
    {kConvolutions, "lhs_dilation", "ones"},
    {kConvolutions, "rhs_dilation", "ones"},
    {kConvolutions, "window_reversal", "zeros"},
    {"convolution dynamic_conv dot dot_general", "precision_config", "all DEFAULT"},
    {"custom_call", "has_side_effect", "false"},
    {"custom_call", "backend_config", "empty"},
    {"custom_call", "api_version", "1"},
    {"custom_call", "called_computations", "empty"},
    {"custom_call", "operand_layouts", "empty"},
    {"custom_call", "result_layouts", "empty"},
    {"custom_call", "output_operand_aliases", "empty"},
    {"custom_call", "result_tilings", "empty"},
    {"dynamic_broadcast_in_dim", "known_expanding_dimensions", "empty"},
    {"dynamic_broadcast_in_dim", "known_nonexpanding_dimensions", "empty"},
    {"func", "sym_visibility", "empty"},
    {"func", "arg_attrs", "empty"},
    {"func", "res_attrs", "empty"},
    {kGathers, "indices_are_sorted", "false"},
    {"infeed", "infeed_config", "empty"},
    {"infeed", "layout", "empty"},
    {"outfeed", "outfeed_config", "empty"},
    {kMessages, "is_host_transfer", "false"},
    {kMessages, "source_target_pairs", "empty"},
    {"reduce_window", "window_strides", "ones"},
    {"reduce_window", "base_dilations", "ones"},
    {"reduce_window", "window_dilations", "ones"},
    {"reduce_window", "padding", "zeros"},
    {"scatter", "indices_are_sorted", "false"},
    {"scatter", "unique_indices", "false"},
    {"select_and_scatter", "window_strides", "ones"},
    {"select_and_scatter", "padding", "zeros"},
    {"sort", "dimension", "-1"},
    {"sort", "is_stable", "false"}};

constexpr AttributeGroup kGroups[] = {
    {kConvolutions, "dimension_numbers", "conv",
     "input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension "
     "kernel_output_feature_dimension kernel_spatial_dimensions output_batch_dimension "
     "output_feature_dimension output_spatial_dimensions"},
    {"dot_general", "dot_dimension_numbers", "dot",
     "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions rhs_contracting_dimensions"},
    {"dot_general", "algorithm", "dot_algorithm",
     "lhs_precision_type rhs_precision_type accumulation_type lhs_component_count rhs_component_count "
     "num_primitive_operations allow_imprecise_accumulation"},
    {kGathers, "dimension_numbers", "gather",
     "offset_dims collapsed_slice_dims operand_batching_dims start_indices_batching_dims start_index_map "
     "index_vector_dim"},
    {"scatter", "scatter_dimension_numbers", "scatter",
     "update_window_dims inserted_window_dims input_batching_dims scatter_indices_batching_dims "
     "scatter_dims_to_operand_dims index_vector_dim"},
    {kMessages, "channel_handle", "channel_handle", "channel_id:handle channel_type:type"}};

// Lists of whole numbers that StableHLO has as array<i64: ...>, and names of functions.
constexpr AttributeForm kAttributeForms[] = {{"base_dilations", Form::kInts},
                                             {"broadcast_dimensions", Form::kInts},
                                             {"broadcast_sizes", Form::kInts},
                                             {"dimensions", Form::kInts},
                                             {"edge_padding_high", Form::kInts},
                                             {"edge_padding_low", Form::kInts},
                                             {"fft_length", Form::kInts},
                                             {"interior_padding", Form::kInts},
                                             {"known_expanding_dimensions", Form::kInts},
                                             {"known_nonexpanding_dimensions", Form::kInts},
                                             {"lhs_dilation", Form::kInts},
                                             {"limit_indices", Form::kInts},
                                             {"permutation", Form::kInts},
                                             {"rhs_dilation", Form::kInts},
                                             {"slice_sizes", Form::kInts},
                                             {"start_indices", Form::kInts},
                                             {"strides", Form::kInts},
                                             {"window_dilations", Form::kInts},
                                             {"window_dimensions", Form::kInts},
                                             {"window_reversal", Form::kInts},
                                             {"window_strides", Form::kInts},
                                             {"callee", Form::kSymbol},
                                             {"decomposition", Form::kSymbol},
                                             {"called_computations", Form::kSymbols},
                                             {"use_global_device_ids", Form::kUnit},
                                             {"has_dynamic_root", Form::kUnit},
                                             {"channel_id", Form::kChannel}};

}  // namespace

std::string_view simple_vhlo_type(uint64_t code) {
  return code < std::size(kVhloTypes) ? kVhloTypes[code] : std::string_view();
}

std::string_view simple_builtin_type(uint64_t code) {
  return code < std::size(kBuiltinTypes) ? kBuiltinTypes[code] : std::string_view();
}

const EnumNames* vhlo_enum(uint64_t code) {
  for (const EnumNames& names : kEnums) {
    if (names.code == code) return &names;
  }
  return nullptr;
}

const std::string_view* properties_of(std::string_view operation) {
  static const auto& table = *new const auto([] {
    std::unordered_map<std::string_view, std::string_view> names;
    for (const Properties& properties : kPropertyNames) names.emplace(properties.operation, properties.names);
    return names;
  }());
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : &found->second;
}

std::span<const DefaultValue> default_values() {
  return kDefaults;
}

std::span<const AttributeGroup> attribute_groups() {
  return kGroups;
}

const AttributeForm* form_of(std::string_view attribute) {
  for (const AttributeForm& form : kAttributeForms) {
    if (form.attribute == attribute) return &form;
  }
  return nullptr;
}

std::string_view next_word(std::string_view& words) {
  const size_t end = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

bool has_word(std::string_view words, std::string_view word) {
  if (words == "*") return true;
  while (!words.empty()) {
    if (next_word(words) == word) return true;
  }
  return false;
}

}  // namespace ingot::stablehlo
