// What the types of regions of scalars must be, as the module writes them, and the wider dtype in which they
// may combine the operation's arrays.
#include <algorithm>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {

void OpImport::want_regions_of_scalars() const {
  const auto want = [&](const std::vector<ValueId>& values, const char* does) {
    const auto is_array = [&](ValueId id) {
      const Type& type = function_->type_of(id);
      return type.is_tensor() && type.ranked && !type.shape.empty();
    };
    if (std::none_of(values.begin(), values.end(), is_array)) return;
    std::string scalars;
    for (ValueId id : values) {
      Type type = function_->type_of(id);
      type.shape.clear();
      scalars += (scalars.empty() ? "" : ", ") + to_string(type);
    }
    fail(std::string("its region ") + does + " " + types_of(*function_, values) +
         ", but must do so with scalars: (" + scalars + ")");
  };
  for (const Region& region : op_->regions) {
    want(region.arguments, "takes");
    if (!region.operations.empty()) want(region.operations.back().operands, "returns");
  }
}

void OpImport::promote(size_t i, const Region& region, size_t argument) {
  if (argument >= region.arguments.size()) fail("its region has the wrong number of arguments");
  const Type& type = function_->type_of(region.arguments[argument]);
  const std::optional<DType> to = type.is_tensor() ? dtype_of(type) : std::nullopt;
  ir::Value* x = operand(i);
  if (!to || *to == x->dtype()) return;
  const auto both = [&](bool (*is_kind)(DType)) { return is_kind(x->dtype()) && is_kind(*to); };
  const bool of_a_kind = both(is_integer) || both(is_float) || both(is_complex);
  if (!of_a_kind || byte_size(*to) < byte_size(x->dtype())) {
    fail("operand " + std::to_string(i) + " is " + ir::to_string(x->type()) + ", but the region's argument " +
         std::to_string(argument) + " is a " + to_string(type) +
         ", which is to be of the same dtype, or of a wider one of its kind");
  }
  promoted_[i] = convert(x, *to);
}

void OpImport::want_combining_region(const Region& region, size_t n) const {
  const std::vector<ValueId>& arguments = region.arguments;
  if (arguments.size() != 2 * n || region.operations.empty())
    fail("its region has the wrong number of arguments");
  const std::vector<ValueId>& returned = region.operations.back().operands;
  const auto type = [&](ValueId id) { return to_string(function_->type_of(id)); };
  bool agree = returned.size() == n;
  for (size_t i = 0; i < n; ++i) {
    if (type(arguments[i]) != type(arguments[n + i]))
      fail("its region takes " + types_of(*function_, arguments) +
           ", but must take two of one type for each " + "array");
    agree = agree && type(returned[i]) == type(arguments[i]);
  }
  if (agree) return;
  fail("its region returns " + types_of(*function_, returned) + ", but must return " +
       types_of(*function_, {arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(n)}) +
       ", as it takes");
}

void OpImport::promote_reduced(size_t n) {
  want_regions_of_scalars();
  const Region& region = op_->regions.front();
  want_combining_region(region, n);
  for (size_t i = 0; i < n; ++i) {
    if (operand(n + i)->rank() != 0)
      fail("operand " + std::to_string(n + i) + ", an initial value, is " +
           ir::to_string(operand(n + i)->type()) + ", but must be a scalar");
    promote(n + i, region, i);
    promote(i, region, i);
  }
}

}  // namespace ingot::stablehlo
