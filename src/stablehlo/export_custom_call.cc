// Calls of functions of the host: custom_call @target, which a program that reads the module has to know.
#include "ingot/error.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_custom_call(OpExport& op) {
  const ir::Attributes& attributes = op.attributes();
  const auto& target = attributes.get<std::string>("target");
  if (!op.list("batch").empty() && !attributes.flag("batches"))
    throw Error("custom_call '" + target +
                "' is called for each element of a batch, which StableHLO has no "
                "word for; let the function take batches");
  const std::string config = attributes.has("config") ? attributes.get<std::string>("config") : "";
  // Attributes are for functions of the typed interface, which is version 4.
  const bool dictionary = attributes.has("dictionary") && attributes.flag("dictionary");
  op.set_made("stablehlo.custom_call", op.operands(),
              {{"api_version", op.i32(dictionary ? 4 : 2)},
               {"backend_config", dictionary ? op.exporter().attribute(config) : Attribute(config)},
               {"call_target_name", Attribute(target)},
               {"called_computations", Attribute::array({})},
               {"has_side_effect", Attribute(false)},
               {"output_operand_aliases", Attribute::array({})}});
}

constexpr NamedExport kCustomCallExports[] = {{"custom_call", export_custom_call}};

}  // namespace

ExportRules custom_call_exports() {
  return kCustomCallExports;
}

}  // namespace ingot::stablehlo
