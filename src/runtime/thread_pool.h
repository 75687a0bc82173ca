// Splits work over the threads of the process. The calling thread always takes part and could finish alone:
// workers help when they come in time, and nobody waits for a worker that has claimed nothing.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ingot::runtime {

using RangeFunction = void (*)(void* context, int64_t begin, int64_t end);

// How long ranges are: `whole` to begin with, and `least` for the last ones (two for each thread, if they
// were whole), so that threads finish together.
struct Grain {
  Grain(int64_t all) : whole(all), least(all) {}  // NOLINT: one length
  Grain(int64_t whole, int64_t least) : whole(whole), least(least) {}
  int64_t whole, least;
};

// Calls fn(context, begin, end) for ranges that together cover [0, units) once. A range begins at a multiple
// of grain.least, and is of one of both lengths, but for the last one. Returns when all are done. The first
// exception that a range throws is thrown again here, after the ranges that had begun are done; ranges not
// begun are dropped then.
//
// Any number of threads may call this at once; a call from inside a range runs on the calling thread alone.
// The number of threads is num_threads() of base/options.h; a change takes effect at the next call.
void parallel_for(int64_t units, Grain grain, RangeFunction fn, void* context);

// The same for a callable that takes (begin, end).
template <class Body>
void parallel_for(int64_t units, Grain grain, Body&& body) {
  parallel_for(
      units, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// True inside of a range of a parallel_for that has been given to several threads.
bool in_parallel_range();

}  // namespace ingot::runtime
