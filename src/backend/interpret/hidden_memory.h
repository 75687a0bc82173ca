// Memory whose addresses are handles: pages that nobody may touch stand for those that hold the bytes, which
// lie elsewhere. A host that reads or writes through a handle gets a signal at once, as it would silently
// read nonsense, or worse, on a device with memory of its own.
#pragma once

#include "runtime/device.h"

namespace ingot::backend {

const runtime::DeviceMemory& hidden_memory();

// Where the bytes of a handle are, for what runs on the device.
void* bytes_behind(const void* handle);

}  // namespace ingot::backend
