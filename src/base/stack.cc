#include "base/stack.h"

#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <limits>

namespace ingot {
namespace {

// The lowest address of this thread's stack; 0 if it is not known. That of the main thread grows up to the
// limit (ulimit -s), which is what the system tells.
uintptr_t lowest() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* address = nullptr;
  size_t size = 0;
  const int status = pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  return status == 0 ? reinterpret_cast<uintptr_t>(address) : 0;
}

}  // namespace

size_t stack_left() {
  thread_local const uintptr_t low = lowest();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return low == 0 || here < low ? std::numeric_limits<size_t>::max() : here - low;
}

bool run_on_stack(size_t bytes, void (*fn)(void* context), void* context) {
  constexpr size_t kPage = 64 << 10;
  struct Call {
    void (*fn)(void* context);
    void* context;
    size_t bytes;
    size_t missing;  // of these bytes, in the thread that was made
  } call{fn, context, bytes, 0};
  const auto run = [](void* what) -> void* {
    auto& call = *static_cast<Call*>(what);
    const size_t left = stack_left();
    call.missing = left < call.bytes ? call.bytes - left : 0;
    if (call.missing == 0) call.fn(call.context);
    return nullptr;
  };
  // A thread's own variables lie in its stack: few, unless a library of the program has large ones. Too
  // little for them is EINVAL, and what they left only the thread can tell.
  constexpr size_t kMostForThread = size_t{1} << 30;
  for (size_t for_thread = kPage; for_thread < kMostForThread; for_thread = 4 * for_thread + call.missing) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_t thread;
    const size_t size = (bytes + for_thread + kPage - 1) / kPage * kPage;
    int status = pthread_attr_setstacksize(&attributes, size);
    if (status == 0) status = pthread_create(&thread, &attributes, run, &call);
    pthread_attr_destroy(&attributes);
    if (status == EINVAL) continue;
    if (status != 0 || pthread_join(thread, nullptr) != 0) return false;
    if (call.missing == 0) return true;
  }
  return false;
}

}  // namespace ingot
