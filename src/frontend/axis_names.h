// The axes of the batches that functions being traced are mapped over, by name.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/signature.h"

namespace ingot::detail {

struct NamedAxis {
  std::string name;
  int64_t size;
};

// While one lives, this thread traces a function that is mapped over that axis. An empty name names nothing.
class AxisScope {
 public:
  AxisScope(std::string name, int64_t size);
  ~AxisScope();
  AxisScope(const AxisScope&) = delete;
  AxisScope& operator=(const AxisScope&) = delete;

 private:
  bool named_;
};

// The innermost axis of that name, or null.
const NamedAxis* find_axis(const std::string& name);
// Whether there are any.
bool in_named_axes();
// Adds the axes to a key: a function that is traced inside of them is another one elsewhere.
void sign_axes(Signature& signature);

}  // namespace ingot::detail
