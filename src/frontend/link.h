// Puts a program together: copies a function of a traced module, and all that it names, into one module.
// Functions that were traced on their own are copied once for all; the others belong to a traced module
// alone, as a transformation has left them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "frontend/trace.h"

namespace ingot::detail {

// What becomes of rules that are traced when they are first asked for (pending.h).
enum class Rules {
  kLeftOut,   // calls name none: nobody differentiates the program any more
  kDeclared,  // until someone defines them
  kTraced,    // now
};

class Linker {
 public:
  Linker(ir::Module& module, Rules rules) : module_(module), rules_(rules) {}
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Adds the function; its name in the module.
  std::string add(const TracedFunction& traced);
  // Those that are declared in the module, or were before they were defined.
  const PendingFunctions& pending() const { return pending_; }
  // Gives a declared one its body. The linker must not outlive what it is made of.
  void define(ir::Function& declared, const TracedFunction& traced);

 private:
  std::string copy(const TracedFunction& traced, ir::Function& from);
  void fill(const TracedFunction& traced, ir::Function& from, ir::Function& to);
  std::string copy_pending(const std::shared_ptr<const PendingFunction>& function, const ir::Function& from);

  ir::Module& module_;
  Rules rules_;
  PendingFunctions pending_;
  std::map<const ir::Function*, std::string> names_;
  std::map<const PendingFunction*, std::string> pending_names_;
  int rules_of_rules_ = 0;  // that are being traced, one for the other
};

// The whole program, the function first.
std::unique_ptr<ir::Module> linked(const TracedFunction& traced, Rules rules);

}  // namespace ingot::detail
