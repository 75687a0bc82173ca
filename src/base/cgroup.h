// What a container may use: limits of the control groups that the process is in, of both versions. Parsing
// is apart from reading, so that tests can show it the files of other systems.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ingot {

struct CgroupLimits {
  std::optional<double> processors;  // CPU time per time
  std::optional<int64_t> memory_bytes;
  bool operator==(const CgroupLimits&) const = default;
};

// The text of a file, or nothing.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// The smallest limits among the groups of the process and those around them, as far as they can be seen.
CgroupLimits cgroup_limits(const ReadFile& read);
const CgroupLimits& cgroup_limits();  // of this process, read once

// --- the parts

// "200000 100000" is 2, "max 100000" nothing.
std::optional<double> parse_cpu_max(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 is none.
std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period);
// memory.max and memory.limit_in_bytes; "max", and what no machine has, is none.
std::optional<int64_t> parse_memory_limit(std::string_view text);

// Threads for a share of the processors: a fraction counts as one more thread, which uses all of the share at
// the price of some waiting. At least 1.
int64_t threads_for(int64_t processors, std::optional<double> share);

}  // namespace ingot
