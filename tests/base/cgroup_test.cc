// Files as they stand in containers and on plain systems.
#include "base/cgroup.h"

#include <gtest/gtest.h>

#include <map>

namespace ingot {
namespace {

using Files = std::map<std::string, std::string>;

CgroupLimits limits_of(const Files& files) {
  return cgroup_limits([&](const std::string& path) -> std::optional<std::string> {
    auto it = files.find(path);
    return it == files.end() ? std::nullopt : std::optional(it->second);
  });
}

constexpr const char* kVersion2Mounts =
    "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n"
    "24 22 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw\n"
    "29 23 0:25 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";

TEST(CgroupTest, ParsesQuotas) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("200000 100000\n"), 2.0);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("50000"), 0.5);  // the period's default
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(parse_cpu_max("nonsense 7"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("100000 0"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("400000\n", "100000\n"), 4.0);
  EXPECT_EQ(parse_cfs_quota("", "100000\n"), std::nullopt);
}

TEST(CgroupTest, ParsesMemory) {
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("536870912\n"), 536870912);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("18446744073709551615\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit(""), std::nullopt);
}

TEST(CgroupTest, AFractionIsOneMoreThread) {
  EXPECT_EQ(threads_for(8, std::nullopt), 8);
  EXPECT_EQ(threads_for(8, 2.0), 2);
  EXPECT_EQ(threads_for(8, 2.5), 3);
  EXPECT_EQ(threads_for(8, 0.1), 1);
  EXPECT_EQ(threads_for(4, 16.0), 4);  // more than the processors that the process may use
  EXPECT_EQ(threads_for(0, std::nullopt), 1);
}

TEST(CgroupTest, NoFilesNoLimits) {
  EXPECT_EQ(limits_of({}), CgroupLimits());
}

TEST(CgroupTest, Version2OnAPlainSystem) {
  const Files files = {
      {"/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n"},
      {"/proc/self/mountinfo", kVersion2Mounts},
      {"/sys/fs/cgroup/user.slice/user-1000.slice/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/user.slice/user-1000.slice/memory.max", "max\n"},
  };
  EXPECT_EQ(limits_of(files), CgroupLimits());
}

TEST(CgroupTest, Version2TakesTheLeastOfNestedGroups) {
  const Files files = {
      {"/proc/self/cgroup", "0::/kubepods.slice/pod7.slice/cri-9.scope\n"},
      {"/proc/self/mountinfo", kVersion2Mounts},
      {"/sys/fs/cgroup/kubepods.slice/cpu.max", "1600000 100000\n"},
      {"/sys/fs/cgroup/kubepods.slice/memory.max", "34359738368\n"},
      {"/sys/fs/cgroup/kubepods.slice/pod7.slice/cpu.max", "250000 100000\n"},
      {"/sys/fs/cgroup/kubepods.slice/pod7.slice/memory.max", "1073741824\n"},
      {"/sys/fs/cgroup/kubepods.slice/pod7.slice/cri-9.scope/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/kubepods.slice/pod7.slice/cri-9.scope/memory.max", "2147483648\n"},
  };
  EXPECT_EQ(limits_of(files), (CgroupLimits{2.5, 1073741824}));
}

// A namespace of its own: the container sees its group as the root.
TEST(CgroupTest, Version2InDocker) {
  const Files files = {
      {"/proc/self/cgroup", "0::/\n"},
      {"/proc/self/mountinfo",
       "1180 1060 0:258 / / rw,relatime master:397 - overlay overlay "
       "rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
       "1186 1185 0:29 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate\n"},
      {"/sys/fs/cgroup/cpu.max", "50000 100000\n"},
      {"/sys/fs/cgroup/memory.max", "268435456\n"},
  };
  EXPECT_EQ(limits_of(files), (CgroupLimits{0.5, 268435456}));
}

// The namespace of the host, but only the container's own group mounted.
TEST(CgroupTest, Version1InDocker) {
  const Files files = {
      {"/proc/self/cgroup",
       "12:pids:/docker/4f1c\n11:memory:/docker/4f1c\n4:cpu,cpuacct:/docker/4f1c\n1:name=systemd:/docker/"
       "4f1c\n"
       "0::/system.slice/containerd.service\n"},
      {"/proc/self/mountinfo",
       "713 712 0:27 /docker/4f1c /sys/fs/cgroup/systemd ro,nosuid master:11 - cgroup cgroup "
       "rw,xattr,name=systemd\n"
       "715 712 0:31 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:16 - cgroup cgroup "
       "rw,cpu,cpuacct\n"
       "719 712 0:36 /docker/4f1c /sys/fs/cgroup/memory ro,nosuid master:21 - cgroup cgroup rw,memory\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"},
  };
  EXPECT_EQ(limits_of(files), (CgroupLimits{3.0, 2147483648}));
}

TEST(CgroupTest, Version1Nested) {
  const Files files = {
      {"/proc/self/cgroup", "5:cpuacct,cpu:/a/b\n3:memory:/a/b\n"},
      {"/proc/self/mountinfo",
       "31 23 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpu,cpuacct\n"
       "33 23 0:28 / /sys/fs/cgroup/memory rw shared:14 - cgroup cgroup rw,memory\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576000\n"},
      {"/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"},
  };
  EXPECT_EQ(limits_of(files), (CgroupLimits{2.0, 1048576000}));
}

// A group outside of the namespace, a blank in the mount point, a group with a colon.
TEST(CgroupTest, OddPaths) {
  const std::string mounts = "29 23 0:25 / /sys/fs/my\\040groups rw shared:9 - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(limits_of({{"/proc/self/cgroup", "0::/../../other\n"},
                       {"/proc/self/mountinfo", mounts},
                       {"/sys/fs/my groups/cpu.max", "100000 100000\n"}}),
            (CgroupLimits{1.0, std::nullopt}));
  EXPECT_EQ(limits_of({{"/proc/self/cgroup", "0::/a:b\n"},
                       {"/proc/self/mountinfo", mounts},
                       {"/sys/fs/my groups/a:b/memory.max", "4096000\n"}}),
            (CgroupLimits{std::nullopt, 4096000}));
}

}  // namespace
}  // namespace ingot
