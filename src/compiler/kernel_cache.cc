#include "compiler/kernel_cache.h"

#include <chrono>
#include <map>
#include <mutex>
#include <tuple>

#include "kernel/schedule.h"

namespace ingot::compiler {
namespace {

// All that the machine code depends on besides the machine.
using Key = std::tuple<uint64_t, kernel::Target, bool, bool>;  // hash, target, fma, text kept

struct Cache {
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const CachedKernel>> kernels;
};

Cache& cache() {
  // Machine code may run until the very end of the process, on threads that outlive statics.
  static Cache* instance = new Cache;
  return *instance;
}

double ms_spent(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

CacheAnswer find_or_compile(std::vector<KernelRequest> requests, const kernel::Target& target,
                            const codegen::Options& options) {
  // One compilation at a time: two threads that want the same kernel must not both compile it.
  std::lock_guard lock(cache().mutex);
  CacheAnswer answer;
  auto key = [&](uint64_t hash) { return Key(hash, target, options.fma_contraction, options.keep_text); };
  auto start = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<CachedKernel>> missing;
  std::vector<const kernel::Kernel*> to_compile;
  std::map<uint64_t, bool> asked;
  for (KernelRequest& request : requests) {
    if (cache().kernels.count(key(request.hash)) || !asked.emplace(request.hash, true).second) continue;
    auto entry = std::make_shared<CachedKernel>();
    entry->hash = request.hash;
    entry->scheduled = kernel::schedule(std::move(request.kernel), target);
    missing.push_back(std::move(entry));
  }
  answer.schedule_ms = ms_spent(start);
  start = std::chrono::steady_clock::now();
  for (auto& entry : missing) to_compile.push_back(&entry->scheduled);
  std::vector<codegen::Code> codes = codegen::compile(to_compile, target, options);
  for (size_t i = 0; i < missing.size(); ++i) {
    missing[i]->code = std::move(codes[i]);
    cache().kernels[key(missing[i]->hash)] = missing[i];
  }
  answer.codegen_ms = ms_spent(start);
  answer.compiled = static_cast<int>(missing.size());
  for (const KernelRequest& request : requests)
    answer.kernels.push_back(cache().kernels.at(key(request.hash)));
  return answer;
}

}  // namespace ingot::compiler
