#include "runtime/launch_log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/source_lines.h"
#include "runtime/routine.h"

namespace ingot::runtime {
namespace {

// The list of observers is replaced, never changed, so that a launch calls them without holding the lock.
using ObserverList = std::vector<std::shared_ptr<const LaunchObserver>>;

struct Observers {
  std::mutex mutex;
  std::shared_ptr<const ObserverList> list = std::make_shared<ObserverList>();
};

Observers& observers() {
  static Observers& instance = *new Observers;  // handles may be destroyed late
  return instance;
}

std::shared_ptr<const ObserverList> current_observers() {
  Observers& all = observers();
  const ShortLock lock(all.mutex);
  return all.list;
}

template <class Change>
void change_observers(Change&& change) {
  Observers& all = observers();
  const ShortLock lock(all.mutex);
  auto list = std::make_shared<ObserverList>(*all.list);
  change(*list);
  set_log_topic(LogTopic::kObservers, !list->empty());
  all.list = std::move(list);
}

// Stands in for a kernel's function and counts the threads that come by.
struct CountedRange {
  const CompiledKernel& kernel;
  void* const* buffers;
  uint64_t launch;
  std::atomic<int64_t> threads{0};
};

thread_local constinit uint64_t last_counted_launch = 0;
std::atomic<uint64_t> launches{0};

void run_counted(void* const* buffers, int64_t begin, int64_t end, void* scratch) {
  CountedRange& range = *static_cast<CountedRange*>(const_cast<void*>(static_cast<const void*>(buffers)));
  if (std::exchange(last_counted_launch, range.launch) != range.launch)
    range.threads.fetch_add(1, std::memory_order_relaxed);
  run_units(range.kernel, range.buffers, begin, end, scratch);
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string rounded(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof(text),
                value < 10    ? "%.2f %s"
                : value < 100 ? "%.1f %s"
                              : "%.0f %s",
                value, unit);
  return text;
}

std::string bytes_text(int64_t bytes) {
  double value = static_cast<double>(bytes);
  if (bytes < 1000) return std::to_string(bytes) + " B";
  if (bytes < 1'000'000) return rounded(value / 1e3, "KB");
  if (bytes < 1'000'000'000) return rounded(value / 1e6, "MB");
  return rounded(value / 1e9, "GB");
}

std::string parameters_text(const CompiledKernel& kernel, bool outputs) {
  std::string text;
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (parameter.is_output != outputs) continue;
    if (!text.empty()) text += ", ";
    text += type_text(parameter);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::shared_ptr<void> observe_launches(LaunchObserver observer) {
  auto entry = std::make_shared<const LaunchObserver>(std::move(observer));
  change_observers([&](ObserverList& list) { list.push_back(entry); });
  return std::shared_ptr<void>(nullptr, [entry](void*) {
    change_observers([&](ObserverList& list) { list.erase(std::find(list.begin(), list.end(), entry)); });
  });
}

std::string describe(const LaunchRecord& record) {
  const CompiledKernel& kernel = record.kernel;
  const MovedBytes moved = record.moved();
  const auto bytes = static_cast<double>(moved.sum());
  double nanoseconds = std::max<double>(1, static_cast<double>(record.duration_ns));
  std::string text = kernel.name + " (" + parameters_text(kernel, false) + ") -> " +
                     parameters_text(kernel, true) + ": " + bytes_text(moved.read) + " read, " +
                     bytes_text(moved.written) + " written, " +
                     (kernel.counts_flops() ? std::to_string(kernel.flops) + " flops, " : "") +
                     rounded(nanoseconds / 1e3, "us") + ", " + rounded(bytes / nanoseconds, "GB/s") + ", " +
                     std::to_string(record.threads) + (record.threads == 1 ? " thread" : " threads") + ", " +
                     std::to_string(kernel.units) + (kernel.units == 1 ? " unit" : " units");
  if (!record.source_lines.empty()) text += ", " + from_lines(record.source_lines);
  return text;
}

void launch_watched(const CompiledKernel& kernel, void* const* buffers,
                    const std::vector<std::string>& source_lines, bool again) {
  CountedRange range{kernel, buffers, launches.fetch_add(1, std::memory_order_relaxed) + 1};
  CompiledKernel counted;  // the same work, with the counting in between
  counted.function = run_counted;
  counted.units = kernel.units;
  counted.barriers = kernel.barriers;
  counted.kept_phases = kernel.kept_phases;
  counted.unit_cost_ns = kernel.unit_cost_ns;
  for (size_t phase = 0; phase < kernel.unit_cost_ns.size(); ++phase)
    counted.unit_cost_ns[phase] = unit_cost(kernel, buffers, phase);
  counted.scratch_bytes = kernel.scratch_bytes;

  RoutineThreads threads;
  int64_t start = now_ns();
  if (kernel.function == nullptr)
    run_program(kernel, buffers, &threads);
  else
    launch_unlogged(counted, static_cast<void* const*>(static_cast<const void*>(&range)), again);
  int64_t duration = now_ns() - start;

  LaunchRecord record{kernel, buffers, source_lines, duration,
                      std::max({int64_t{1}, range.threads.load(), threads.count()})};
  if (logs(LogTopic::kKernels)) {
    std::string line = "ingot: kernel " + describe(record) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);  // in one call, so that lines of threads do not mix
  }
  auto list = current_observers();
  for (const auto& observer : *list) (*observer)(record);
}

}  // namespace ingot::runtime
