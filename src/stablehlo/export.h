// A program of Ingot's becomes a StableHLO module (module.h), which print.cc writes as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "stablehlo/module.h"

namespace ingot::stablehlo {

struct ExportOptions {
  std::string name = "ingot";  // of the module
};

// The program as it is written: functions that the entry calls become private ones, the entry becomes @main,
// names and lines come along, rules for derivatives do not. Throws ingot::Error at the user's line for an
// operation that StableHLO has no words for (not_exported()).
//
// What StableHLO does not have is written out in what it has. Functions without a counterpart (exp2) are
// composites "ingot.NAME" with a decomposition, which the importer takes for the operation again.
std::unique_ptr<Module> export_module(const ir::Module& module, const ExportOptions& options = {});

// Its text, with names, and with the user's lines if they are wanted.
std::string export_text(const ir::Module& module, bool locations = true, const ExportOptions& options = {});

// The same as a portable artifact, with lines.
std::string export_bytecode(const ir::Module& module, const ExportOptions& options = {});

// Whether operations of that record are exported; and if not, why not, or "".
bool is_exported(std::string_view record);
std::string_view not_exported(std::string_view record);

}  // namespace ingot::stablehlo
