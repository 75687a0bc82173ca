#include "threads.h"

#include <algorithm>
#include <chrono>

namespace bench {
namespace {

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Threads::Threads() {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int i = 1; i < cores; ++i) workers_.emplace_back([this] { wait_for_jobs(); });
}

Threads::~Threads() {
  stop_ = true;
  ++job_;
  job_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Threads::run(Piece piece, const void* context, int64_t total, int64_t grain) {
  piece_ = piece;
  context_ = context;
  total_ = total;
  grain_ = grain;
  next_ = 0;
  busy_ = static_cast<int>(workers_.size());
  ++job_;
  job_.notify_all();
  work();
  while (busy_ != 0) pause();
}

void Threads::work() {
  for (int64_t begin; (begin = next_.fetch_add(grain_)) < total_;) {
    piece_(context_, begin, std::min(begin + grain_, total_));
  }
}

void Threads::wait_for_jobs() {
  constexpr auto kSpin = std::chrono::microseconds(200);
  for (uint32_t seen = 0;; ++seen) {
    const auto start = std::chrono::steady_clock::now();
    while (job_ == seen && std::chrono::steady_clock::now() - start < kSpin) pause();
    job_.wait(seen);
    if (stop_) return;
    work();
    --busy_;
  }
}

}  // namespace bench
