// What this machine offers, asked of the processor and the system at run time.
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#endif

#include <fstream>
#include <string_view>

#include "base/options.h"
#include "codegen/codegen.h"
#include "codegen/cpu/room.h"

namespace ingot::codegen {
namespace {

// The part of the third level that one processor sees: sysconf adds up those of the whole package.
int64_t last_cache_bytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  int64_t size = 0;
  char unit = 0;
  if (!(file >> size)) return 0;
  file >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

kernel::Target with_caches(kernel::Target target) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) target.l1_bytes = bytes;
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) target.l2_bytes = bytes;
#endif
  if (const int64_t bytes = last_cache_bytes(); bytes > 0) target.l3_bytes = bytes;
  return target;
}

#if defined(__x86_64__)
// A process must ask the system for the state that matrix tiles are, before the first instruction for them.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}
#endif

std::vector<kernel::Target> find_targets() {
  const Room room;
  std::vector<kernel::Target> targets;
#if defined(__x86_64__)
  const auto features = llvm::sys::getHostCPUFeatures();
  auto has = [&](const char* name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512dq") && has("avx512bw") && has("avx512vl")) {
    kernel::Target wide = with_caches(kernel::Target::avx512());
    wide.bf16_products = has("avx512bf16");
    if (has("amx-tile") && has("amx-bf16") && may_use_tiles()) {
      targets.push_back(wide);
      targets.back().tiles = {8, 16, 64};
    }
    targets.push_back(wide);
  }
  if (has("avx2") && has("fma")) targets.push_back(with_caches(kernel::Target::avx2()));
  targets.push_back(with_caches(kernel::Target::vectors(16, 16)));
#else
  targets.push_back(with_caches(kernel::Target::vectors(16, 32)));
#endif
  return targets;
}

}  // namespace

std::vector<kernel::Target> available_targets() {
  static const auto& targets = *new std::vector<kernel::Target>(find_targets());
  return targets;
}

kernel::Target detect_target() {
  const std::vector<kernel::Target> targets = available_targets();
  const std::string wanted = ingot::Options::global().target();
  if (wanted.empty()) return targets.front();
  const int width = wanted == "avx512" ? 64 : wanted == "avx2" ? 32 : 16;
  for (const kernel::Target& target : targets) {
    if (target.tiles.count == 0 && target.vector_bytes == width) return target;
  }
  throw Error("INGOT_TARGET: this machine has no " + wanted + "; its widest vectors have " +
              std::to_string(targets.front().vector_bytes) + " bytes");
}

}  // namespace ingot::codegen
