// How many threads programs run on.
#pragma once

#include <cstdint>
#include <source_location>

namespace ingot {

// Threads that programs run on; 0: as many as the process may use (also INGOT_NUM_THREADS). Results do not
// depend on their number. Error for a number that is negative or beyond 4096.
void set_num_threads(int64_t count, const std::source_location& where = std::source_location::current());
int64_t num_threads();

}  // namespace ingot
