// A function that is traced when it is first asked for, as a rule for derivatives, which most programs never
// use. Modules that name it declare it meanwhile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/maker.h"

namespace ingot::detail {

struct TracedFunction;

class PendingFunction {
 public:
  using Make = std::function<std::shared_ptr<const TracedFunction>()>;
  // `what` names it where threads wait for each other.
  PendingFunction(std::string what, Make make);
  PendingFunction(const PendingFunction&) = delete;
  PendingFunction& operator=(const PendingFunction&) = delete;

  // Runs the user's code, once.
  std::shared_ptr<const TracedFunction> traced() const;
  // Null as long as nobody has asked for it.
  std::shared_ptr<const TracedFunction> known() const;

 private:
  std::string what_;
  Make make_;
  mutable Maker maker_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TracedFunction> traced_;
};

// By their names in a module.
using PendingFunctions = std::map<std::string, std::shared_ptr<const PendingFunction>>;

}  // namespace ingot::detail
