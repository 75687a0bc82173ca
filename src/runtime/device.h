// Where memory and work live. The CPU is the only kind so far; buffers carry these already, so that another
// kind changes no signature.
#pragma once

#include <cstdint>

namespace ingot::runtime {

enum class DeviceKind : uint8_t { kCpu };

struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int32_t id = 0;

  bool operator==(const Device&) const = default;
};

enum class MemorySpace : uint8_t { kHost };

}  // namespace ingot::runtime
