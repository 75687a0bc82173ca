#include "base/options.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/cgroup.h"
#include "base/fork.h"
#include "base/lapack.h"
#include "ingot/error.h"

namespace ingot {
namespace {

struct TopicName {
  std::string_view name;
  LogTopic topic;
};

constexpr TopicName kTopics[] = {
    {"kernels", LogTopic::kKernels}, {"compile", LogTopic::kCompile}, {"passes", LogTopic::kPasses}};

constexpr uint32_t kNamedTopics = static_cast<uint32_t>(LogTopic::kKernels) |
                                  static_cast<uint32_t>(LogTopic::kCompile) |
                                  static_cast<uint32_t>(LogTopic::kPasses);

// The words of a comma-separated list.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) words.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return words;
}

uint32_t parse_topics(std::string_view text) {
  uint32_t bits = 0;
  for (const std::string& word : words_of(text)) {
    uint32_t bit = 0;
    for (const TopicName& entry : kTopics) {
      if (entry.name == word) bit = static_cast<uint32_t>(entry.topic);
    }
    if (bit == 0)
      throw Error("INGOT_LOG: there is no topic '" + word +
                  "'; write a comma-separated list of kernels, compile, passes");
    bits |= bit;
  }
  return bits;
}

// An option is a number, kept in a member, or has a parser of its own.
struct Entry {
  std::string_view name;
  std::atomic<int64_t> Options::*number;
  int64_t most;  // of a number
  std::string_view doc;
};

constexpr int64_t kMostMegabytes = INT64_MAX >> 20;

constexpr Entry kTable[] = {
    {"INGOT_NUM_THREADS", &Options::num_threads, Options::kMostThreads,
     "threads that kernels run on and are compiled by, up to 4096; 0 or unset: all processors that the "
     "process "
     "may use, by its affinity and by the quota of its control groups (a fraction of a processor counts as "
     "one)"},
    {"INGOT_MEMORY_LIMIT_MB", &Options::memory_limit_mb, kMostMegabytes,
     "MiB that the buffer pool may take from the system; 0 or unset: nine tenths of the machine's "
     "memory, or of what its control groups allow, if that is less"},
    {"INGOT_POOL_RETAIN_MB", &Options::pool_retain_mb, kMostMegabytes,
     "MiB of unused buffers that the pool keeps; 0 or unset: a quarter of its limit"},
    {"INGOT_CACHE_LIMIT_MB", &Options::cache_limit_mb, kMostMegabytes,
     "MiB that compiled programs and kernels may take together; 0 or unset: 512"},
    {"INGOT_TARGET", nullptr, 0,
     "instructions that kernels may use: sse4, avx2 or avx512 (without matrix tiles); unset: all that the "
     "machine has"},
    {"INGOT_BACKEND", nullptr, 0,
     "the device that programs are compiled for: cpu, or interpret (kernels are interpreted, scalar by "
     "scalar, "
     "in memory that the host cannot touch: for tests); unset: cpu"},
    {"INGOT_LAPACK", nullptr, 0,
     "the shared library of LAPACK that eigenvalues and singular values are computed by; unset: "
     "libopenblas.so.0 or liblapack.so.3"},
    {"INGOT_SKIP_PASSES", nullptr, 0,
     "passes that compilations leave out, a comma-separated list of names (ingot opt --list-passes)"},
    {"INGOT_LOG", nullptr, 0,
     "what to report on stderr, a comma-separated list: kernels (each launch), compile (each compilation "
     "with its times), passes (each pass, rewrite and refusal)"},
};

constinit std::atomic<void (*)(const std::vector<std::string>&)> passes_check = nullptr;
constinit std::atomic<void (*)(const std::string&)> backend_check = nullptr;

constexpr std::string_view kTargets[] = {"sse4", "avx2", "avx512"};

// What Ingot's own tests read from the environment.
constexpr std::string_view kOfTests[] = {"INGOT_UPDATE_TESTS", "INGOT_UPDATE_GOLDEN"};

int64_t parse_number(const Entry& entry, std::string_view value) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0 || number > entry.most)
    throw Error(std::string(entry.name) + ": '" + std::string(value) + "' is not a whole number from 0 to " +
                std::to_string(entry.most));
  return number;
}

std::string parse_target(std::string_view value) {
  if (value.empty() || std::find(std::begin(kTargets), std::end(kTargets), value) != std::end(kTargets))
    return std::string(value);
  throw Error("INGOT_TARGET: there is no target '" + std::string(value) +
              "'; there are sse4, avx2 and avx512 (leave it unset for all that the machine has)");
}

const Entry* find_entry(std::string_view name) {
  for (const Entry& entry : kTable) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const Entry& entry_of(std::string_view name) {
  if (const Entry* entry = find_entry(name)) return *entry;
  throw Error("there is no option '" + std::string(name) + "'; the options are\n" + Options::help());
}

// Tells, once, of variables that look like options and are none: a typing error would go unseen.
void warn_of_unknown() {
  static std::atomic<bool> told{false};
  if (environ == nullptr || told.exchange(true)) return;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("INGOT_") || find_entry(name) != nullptr) continue;
    if (std::find(std::begin(kOfTests), std::end(kOfTests), name) != std::end(kOfTests)) continue;
    std::string known;
    for (const Entry& entry : kTable) known += (known.empty() ? "" : ", ") + std::string(entry.name);
    std::fprintf(stderr, "ingot: warning: the environment has %.*s, which is no option; the options are %s\n",
                 static_cast<int>(name.size()), name.data(), known.c_str());
  }
}

}  // namespace

Options::Options() {
  warn_of_unknown();
  for (const Entry& entry : kTable) {
    const char* value = std::getenv(entry.name.data());
    if (value != nullptr && *value != '\0') set(entry.name, value);
  }
  log_topics.fetch_and(~kLogUnread);
}

Options& Options::global() {
  static Options& options = *new Options;  // threads may ask while the process ends
  return options;
}

void Options::set(std::string_view name, std::string_view value) {
  const Entry& entry = entry_of(name);
  if (entry.number != nullptr) {
    (this->*entry.number).store(parse_number(entry, value));
    return;
  }
  if (name == "INGOT_SKIP_PASSES") {
    std::vector<std::string> names = words_of(value);
    if (const auto check = passes_check.load()) check(names);
    const ShortLock lock(mutex_);
    skipped_passes_ = std::move(names);
    return;
  }
  if (name == "INGOT_LAPACK") return lapack::set_library(std::string(value));
  if (name == "INGOT_TARGET") {
    std::string target = parse_target(value);
    const ShortLock lock(mutex_);
    target_ = std::move(target);
    return;
  }
  if (name == "INGOT_BACKEND") {
    std::string backend(value);
    if (const auto check = backend_check.load(); check != nullptr && !backend.empty()) check(backend);
    const ShortLock lock(mutex_);
    backend_ = std::move(backend);
    return;
  }
  uint32_t topics = parse_topics(value);
  log_topics.fetch_and(~kNamedTopics);
  log_topics.fetch_or(topics);
}

std::vector<std::string> Options::skipped_passes() const {
  const ShortLock lock(mutex_);
  return skipped_passes_;
}

std::string Options::target() const {
  const ShortLock lock(mutex_);
  return target_;
}

std::string Options::backend() const {
  const ShortLock lock(mutex_);
  return backend_;
}

std::string Options::help() {
  std::string text;
  for (const Entry& entry : kTable) {
    text += std::string(entry.name) + "\n    " + std::string(entry.doc) + "\n";
  }
  return text;
}

void check_skipped_passes(void (*check)(const std::vector<std::string>& names)) {
  passes_check = check;
}

void check_backend(void (*check)(const std::string& name)) {
  backend_check = check;
}

bool logs_slow(uint32_t topics) {
  Options::global();
  return (log_topics.load(std::memory_order_relaxed) & topics) != 0;
}

void set_log(std::string_view topics) {
  Options::global().set("INGOT_LOG", topics);
}

void set_log_topic(LogTopic topic, bool on) {
  Options::global();
  uint32_t bit = static_cast<uint32_t>(topic);
  on ? log_topics.fetch_or(bit) : log_topics.fetch_and(~bit);
}

int64_t memory_limit_bytes() {
  const int64_t megabytes = Options::global().memory_limit_mb.load(std::memory_order_relaxed);
  static const int64_t machine =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  static const int64_t usable = std::min(machine, cgroup_limits().memory_bytes.value_or(machine)) / 10 * 9;
  return megabytes > 0 ? megabytes << 20 : usable;
}

}  // namespace ingot
