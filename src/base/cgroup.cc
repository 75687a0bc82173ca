// /proc/self/cgroup says in which group of each hierarchy the process is, /proc/self/mountinfo where the
// hierarchies are mounted, and which group each mount shows as its root. The limits of a group hold together
// with those of all groups around it, up to the root of the mount.
#include "base/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

namespace ingot {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

std::optional<int64_t> number(std::string_view text) {
  text = trimmed(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Blanks and the like stand in mountinfo as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t k) {
      return i + k < text.size() && text[i + k] >= '0' && text[i + k] <= '7';
    };
    if (text[i] == '\\' && digit(1) && digit(2) && digit(3)) {
      plain.push_back(
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

bool contains(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Mount {
  std::string root, point;
  bool version_2;
  std::string options;  // of version 1: the controllers are among them
};

// "31 23 0:26 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:9 - cgroup cgroup rw,cpu,cpuacct"
std::vector<Mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (std::string_view line : split(mountinfo, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto before = split(line.substr(0, dash), ' '), behind = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || behind.size() < 3) continue;
    if (behind[0] != "cgroup" && behind[0] != "cgroup2") continue;
    mounts.push_back(
        {unescaped(before[3]), unescaped(before[4]), behind[0] == "cgroup2", std::string(behind[2])});
  }
  return mounts;
}

// The folders of the group and of those around it. A group outside of what the mount shows, as another
// namespace may have it, counts as the mount's root.
std::vector<std::string> folders(const Mount& mount, std::string_view group) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  std::string below;
  if (group.substr(0, root.size()) == root && (group.size() == root.size() || group[root.size()] == '/'))
    below = group.substr(root.size());
  if (below.find("/..") != std::string::npos) below.clear();
  while (!below.empty() && below.back() == '/') below.pop_back();
  std::vector<std::string> found;
  for (;;) {
    found.push_back(mount.point + below);
    if (below.empty()) return found;
    below.resize(below.rfind('/'));
  }
}

template <class T>
void lower(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

}  // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
  const auto words = split(trimmed(text), ' ');
  const auto quota = number(words[0]);  // "max" is no number
  const auto period = words.size() > 1 ? number(words[1]) : std::optional<int64_t>(100000);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
  const auto q = number(quota), p = number(period);
  if (!q || !p || *q <= 0 || *p <= 0) return std::nullopt;
  return static_cast<double>(*q) / static_cast<double>(*p);
}

std::optional<int64_t> parse_memory_limit(std::string_view text) {
  const auto bytes = number(text);
  // Version 1 says "none" as the largest multiple of a page.
  if (!bytes || *bytes <= 0 || *bytes >= int64_t{1} << 60) return std::nullopt;
  return bytes;
}

int64_t threads_for(int64_t processors, std::optional<double> share) {
  if (share) {
    // Not up for what is a rounding error of a quota's period.
    const double whole = std::ceil(*share - 1e-6);
    if (whole < static_cast<double>(processors)) processors = static_cast<int64_t>(whole);
  }
  return std::max<int64_t>(1, processors);
}

CgroupLimits cgroup_limits(const ReadFile& read) {
  CgroupLimits limits;
  const auto groups = read("/proc/self/cgroup"), mountinfo = read("/proc/self/mountinfo");
  if (!groups || !mountinfo) return limits;
  const std::vector<Mount> mounts = cgroup_mounts(*mountinfo);
  const auto text = [&](const std::string& path) { return read(path).value_or(""); };
  for (std::string_view line : split(*groups, '\n')) {
    // "4:cpu,cpuacct:/docker/ab" of version 1, "0::/user.slice" of version 2; the group may hold colons.
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1),
                           group = line.substr(second + 1);
    for (const Mount& mount : mounts) {
      const bool version_2 = controllers.empty();
      if (version_2 != mount.version_2) continue;
      const auto has = [&](std::string_view controller) {
        return contains(controllers, controller) && contains(mount.options, controller);
      };
      for (const std::string& folder : folders(mount, group)) {
        if (version_2) {
          lower(limits.processors, parse_cpu_max(text(folder + "/cpu.max")));
          lower(limits.memory_bytes, parse_memory_limit(text(folder + "/memory.max")));
        }
        if (has("cpu")) {
          lower(limits.processors,
                parse_cfs_quota(text(folder + "/cpu.cfs_quota_us"), text(folder + "/cpu.cfs_period_us")));
        }
        if (has("memory"))
          lower(limits.memory_bytes, parse_memory_limit(text(folder + "/memory.limit_in_bytes")));
      }
    }
  }
  return limits;
}

const CgroupLimits& cgroup_limits() {
  static const CgroupLimits limits = cgroup_limits([](const std::string& path) -> std::optional<std::string> {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  });
  return limits;
}

}  // namespace ingot
