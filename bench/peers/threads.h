// The threads of the hand-written peers: as many as cores, waiting for chunks of work. They spin for a while
// before they sleep, so that a run which follows soon pays no wake-up.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

class Threads {
 public:
  Threads();
  ~Threads();
  int count() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(begin, end) for pieces of [0, total), each at most `grain` long, claimed from a counter.
  template <class Body>
  void split(int64_t total, int64_t grain, const Body& body) {
    run([](const void* context, int64_t begin,
           int64_t end) { (*static_cast<const Body*>(context))(begin, end); },
        &body, total, grain);
  }

 private:
  using Piece = void (*)(const void* context, int64_t begin, int64_t end);
  void run(Piece piece, const void* context, int64_t total, int64_t grain);
  void work();  // claims pieces until none is left
  void wait_for_jobs();

  Piece piece_ = nullptr;
  const void* context_ = nullptr;
  int64_t total_ = 0, grain_ = 1;
  std::atomic<int64_t> next_{0};
  std::atomic<uint32_t> job_{0};  // counts jobs; workers wait for it to change
  std::atomic<int> busy_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace bench
