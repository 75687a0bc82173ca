#include "transform/extract.h"

#include "base/check.h"
#include "ir/op_record.h"

namespace ingot::transform {
namespace {

void copy(const ir::Function& from, ir::Module& to) {
  if (to.find(from.name()) != nullptr) return;
  ir::Function* made = to.add_function(from.name());
  walk(const_cast<ir::Function&>(from).body(), [&](const ir::Op& op) {
    for (const auto& [name, attribute] : op.attributes().items()) {
      const auto* symbol = std::get_if<ir::Symbol>(&attribute);
      if (symbol == nullptr) continue;
      const ir::Function* callee = from.module()->find(symbol->name);
      check(callee != nullptr, "a function that is not there: @" + symbol->name);
      copy(*callee, to);
    }
  });
  clone_region(from.body(), made->body());
}

}  // namespace

std::unique_ptr<ir::Module> extract(const ir::Function& function) {
  auto module = std::make_unique<ir::Module>();
  copy(function, *module);
  return module;
}

}  // namespace ingot::transform
