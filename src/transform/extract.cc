#include "transform/extract.h"

#include "base/check.h"
#include "ir/op_record.h"

namespace ingot::transform {

void copy_callees(const ir::Region& region, const ir::Module& from, ir::Module& to) {
  walk(const_cast<ir::Region&>(region), [&](const ir::Op& op) {
    for (const auto& [name, attribute] : op.attributes().items()) {
      const auto* symbol = std::get_if<ir::Symbol>(&attribute);
      if (symbol == nullptr || to.find(symbol->name) != nullptr) continue;
      const ir::Function* callee = from.find(symbol->name);
      check(callee != nullptr, "a function that is not there: @" + symbol->name);
      ir::Function* made = to.add_function(callee->name());
      made->declared = callee->declared;
      copy_callees(callee->body(), from, to);
      clone_region(callee->body(), made->body());
    }
  });
}

std::unique_ptr<ir::Module> extract(const ir::Function& function) {
  auto module = std::make_unique<ir::Module>();
  ir::Function* made = module->add_function(function.name());
  copy_callees(function.body(), *function.module(), *module);
  clone_region(function.body(), made->body());
  return module;
}

}  // namespace ingot::transform
