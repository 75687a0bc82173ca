#include "frontend/jit_state.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/fork.h"
#include "base/options.h"

namespace ingot::detail {
namespace {
constexpr size_t kManyTraces = 8;
}

template class SmallVector<Leaf, 12>;
template class SmallVector<uint64_t, 32>;
template class SmallVector<uint32_t, 8>;
template class SmallVector<Array, 4>;

uint64_t type_word(const Array& array, const std::source_location& where) {
  const ArrayNode& node = checked_node(array, where);
  return reinterpret_cast<uintptr_t>(node.type);
}

uint64_t type_word(const Array& array, const std::source_location& where, size_t argument,
                   const tree::Path& path) {
  try {
    return type_word(array, where);
  } catch (const Error& error) {
    if (argument == 0) throw;  // no argument has begun: these are not those of a call
    // Calls name their arguments by place only where it is needed, which is here.
    std::string leaf = "arg" + std::to_string(argument - 1);
    for (const std::string& step : leaf_path(path)) leaf += step;
    const std::string line = at(where);
    const std::string what = error.what();
    if (!what.starts_with(line)) throw;
    throw Error(line + leaf + ": " + what.substr(line.size()));
  }
}

uint64_t type_word(DType dtype) {
  static const auto words = [] {
    std::array<uint64_t, std::size(kAllDTypes)> result{};
    for (DType d : kAllDTypes)
      result[static_cast<size_t>(d)] = reinterpret_cast<uintptr_t>(intern_type(d, {}, true));
    return result;
  }();
  return words[static_cast<size_t>(dtype)];
}

namespace {
// Before there are threads, of which one might fork while another one initialises the words.
[[maybe_unused]] const uint64_t first_word = type_word(DType::kF32);
}  // namespace

void Description::add_leaf(const tree::Path& path, const std::string& type) {
  names.push_back(to_string(path));
  paths.push_back(leaf_path(path));
  lines.push_back(names.back() + ": " + type);
}

void Description::fixed(const Literal& value, const tree::Path& path) {
  add_fixed(path, text_of(value));
}

void Description::add_fixed(const tree::Path& path, const std::string& value) {
  lines.push_back(to_string(path) + " = " + value);
}

LeafPath leaf_path(const tree::Path& path) {
  LeafPath steps = path.parent != nullptr ? leaf_path(*path.parent) : LeafPath();
  std::string step = tree::to_string(tree::Path{nullptr, path.name, path.index, path.key});
  if (path.parent != nullptr && path.index < 0 && !path.key) step = "." + step;
  steps.push_back(std::move(step));
  return steps;
}

std::string text_of(const LeafPath& path, size_t steps) {
  std::string text;
  for (size_t i = 0; i < steps; ++i) text += path[i];
  return path[0].empty() ? "the result" + text : text;
}

std::vector<std::string> argument_names(const Description& description) {
  std::vector<std::string> names;
  for (const std::string& name : description.names) {
    std::string& clean = names.emplace_back(name);
    for (char& c : clean) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    for (size_t i; (i = clean.find("__")) != std::string::npos;) clean.erase(i, 1);
    while (clean.ends_with('_')) clean.pop_back();
  }
  return names;
}

bool CacheEntry::matches(const Signature& signature) const {
  return hash == signature.hash && words.size() == signature.words.size() &&
         std::equal(words.begin(), words.end(), signature.words.begin());
}

JitState::~JitState() = default;

CacheEntry* JitState::find(const Signature& signature) const {
  CacheEntry* entry = buckets_[signature.hash % kBuckets].load(std::memory_order_acquire);
  while (entry != nullptr && !entry->matches(signature)) entry = entry->next;
  return entry;
}

CacheEntry& JitState::entry(const Signature& signature, const Callable& callable) {
  if (CacheEntry* known = find(signature)) return *known;
  auto entry = std::make_unique<CacheEntry>();
  entry->hash = signature.hash;
  entry->words.assign(signature.words.begin(), signature.words.end());
  entry->argument_starts.assign(signature.argument_starts.begin(), signature.argument_starts.end());
  entry->description = callable.describe();
  for (const Leaf& leaf : signature.leaves) {
    entry->types.push_back(leaf.array != nullptr ? leaf.array->node()->type
                                                 : intern_type(leaf.literal.dtype, {}, true));
  }
  donated_leaves(*entry);        // throws where one is asked for that there is not
  const ShortLock lock(mutex_);  // not before: the user's trees have been asked
  if (CacheEntry* known = find(signature)) return *known;
  std::atomic<CacheEntry*>& bucket = buckets_[signature.hash % kBuckets];
  entry->next = bucket.load(std::memory_order_relaxed);
  if (logs(LogTopic::kCompile)) {
    std::fprintf(stderr, "ingot: %s: %s\n", name_.c_str(), why_missed(*entry).c_str());
  }
  entries_.push_back(std::move(entry));
  bucket.store(entries_.back().get(), std::memory_order_release);
  // Functions of the library's own have no line.
  if (entries_.size() == kManyTraces && where_.line() != 0) {
    const std::string told = many_traces();
    if (!told.empty()) std::fprintf(stderr, "%s\n", told.c_str());
  }
  return *entries_.back();
}

std::string JitState::many_traces() const {
  // Of "params.lr = 0.1": what stands before the value, and the values that there were.
  constexpr std::string_view kIs = " = ";
  std::map<std::string, std::set<std::string>> values;
  std::set<std::string> types;
  for (const auto& entry : entries_) {
    std::string all;
    for (const std::string& line : entry->description.lines) {
      const size_t at = line.find(kIs);
      if (at == std::string::npos)
        all += line + ",";
      else
        values[line.substr(0, at)].insert(line.substr(at + kIs.size()));
    }
    types.insert(all);
  }
  if (types.size() == entries_.size()) return "";  // each call has other shapes
  for (const auto& [path, given] : values) {
    if (given.size() + 2 < entries_.size()) continue;
    const bool length = given.begin()->starts_with('<');
    return at(where_) + "'" + name_ + "' is traced and compiled for the " + std::to_string(entries_.size()) +
           "th time, since " + path + " differs from call to call (" + *given.begin() + ", " +
           *given.rbegin() + ", ..), and " +
           (length ? "lengths of containers are part of a program; let it be one array with an axis for its "
                     "elements"
                   : "numbers and texts inside of structs are part of a program; let it be an Array, or an "
                     "argument "
                     "of its own, if it is to change") +
           ". INGOT_LOG=compile tells each trace";
  }
  return "";
}

namespace {

// The first leaves of a call's arguments, and how many more there are.
std::string signature_of(const std::vector<std::string>& lines) {
  constexpr size_t kMostTold = 8;
  std::string signature;
  const size_t told = lines.size() <= kMostTold ? lines.size() : kMostTold / 2;
  for (size_t i = 0; i < told; ++i) signature += (i == 0 ? "" : ", ") + lines[i];
  if (told < lines.size()) signature += ", and " + std::to_string(lines.size() - told) + " more";
  return "(" + signature + ")";
}

}  // namespace

// What tells the new entry from the most similar one.
std::string JitState::why_missed(const CacheEntry& entry) const {
  const std::vector<std::string>& wanted = entry.description.lines;
  const std::string signature = signature_of(wanted);
  size_t best_common = 0;
  const std::vector<std::string>* closest = nullptr;
  for (const auto& other : entries_) {
    const std::vector<std::string>& lines = other->description.lines;
    size_t common = 0;
    for (size_t i = 0; i < std::min(lines.size(), wanted.size()); ++i)
      common += lines[i] == wanted[i] ? 1 : 0;
    if (closest == nullptr || common > best_common) closest = &lines, best_common = common;
  }
  if (closest == nullptr) return "new function " + signature;
  const size_t most = std::max(closest->size(), wanted.size());
  for (size_t i = 0; i < most; ++i) {
    const std::string now = i < wanted.size() ? wanted[i] : "no more";
    const std::string before = i < closest->size() ? (*closest)[i] : "no more";
    if (now == before) continue;
    const size_t others = most - best_common - 1;
    return "not in the cache " + signature + ", because " + now + " was " + before +
           (others == 0 ? "" : ", and " + std::to_string(others) + " more differ");
  }
  return "not in the cache " + signature + ", because the C++ types of the arguments differ";
}

namespace {

// Makes this thread the maker of an entry; a function that calls itself is an Error at the line of the call.
std::unique_ptr<MakerScope> maker_of(CacheEntry& entry, const std::string& name,
                                     const std::source_location& where) {
  try {
    return std::make_unique<MakerScope>(entry.maker, "'" + name + "'");
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

}  // namespace

std::shared_ptr<const TracedFunction> JitState::traced(CacheEntry& entry, const Callable& callable,
                                                       TraceFrame* outer, const std::source_location& where) {
  const auto maker = maker_of(entry, name_, where.line() != 0 ? where : where_);
  return traced_locked(entry, callable, outer);
}

std::shared_ptr<const TracedFunction> JitState::trace_anew(const Signature& signature,
                                                           const Callable& callable) {
  return trace(entry(signature, callable), callable, nullptr);
}

void JitState::note_program(const KeptProgram* program) {
  const ShortLock lock(mutex_);
  const size_t many = entries_.size() + kManyTraces - 1;  // each entry has one of its own
  if (told_programs_ || !programs_.insert(program).second || programs_.size() < many) return;
  told_programs_ = true;
  programs_.clear();
  const std::string text = at(where_) + "'" + name_ + "' is compiled for the " + std::to_string(many) +
                           "th time, since what it captures makes another program from call to call, as "
                           "C++ numbers do; let it be an Array, or an argument. INGOT_LOG=compile tells each "
                           "trace";
  std::fprintf(stderr, "%s\n", text.c_str());
}

std::shared_ptr<const TracedFunction> JitState::trace(const CacheEntry& entry, const Callable& callable,
                                                      TraceFrame* outer) {
  const TraceBody body = [&](const std::vector<Array>& arguments) { return callable.trace(arguments); };
  auto traced = trace_function(name_, entry.types, argument_names(entry.description), body, outer, where_);
  traces_.fetch_add(1, std::memory_order_relaxed);
  if (logs(LogTopic::kCompile))
    std::fprintf(stderr, "ingot: %s: traced in %.2f ms\n", name_.c_str(), traced->trace_ms);
  return traced;
}

std::shared_ptr<const TracedFunction> JitState::traced_locked(CacheEntry& entry, const Callable& callable,
                                                              TraceFrame* outer) {
  const uint64_t in = tracing() ? current_frame()->trace : 0;
  const bool holds = !traces_each_call() || (in != 0 && in == entry.traced_in);
  if (entry.traced != nullptr && holds &&
      (outer != nullptr ? entry.traced->usable() : entry.traced->closed())) {
    return entry.traced;
  }
  auto traced = trace(entry, callable, outer);
  const ForkSection section;
  entry.traced = std::move(traced);
  entry.traced_in = in;
  return entry.traced;
}

std::vector<int> JitState::donated_leaves(const CacheEntry& entry) const {
  std::vector<int> leaves;
  const auto arguments = static_cast<int>(entry.argument_starts.size());
  for (int argument : options_.donate) {
    if (argument < 0 || argument >= arguments) {
      fail(where_, "'" + name_ + "': argument " + std::to_string(argument) + " is to be donated, but " +
                       (arguments == 0   ? "the call has no arguments"
                        : arguments == 1 ? "the call has one argument, number 0"
                                         : "the call has " + std::to_string(arguments) +
                                               " arguments, numbers 0 to " + std::to_string(arguments - 1)));
    }
    const auto begin = static_cast<int>(entry.argument_starts[static_cast<size_t>(argument)]);
    const int end = argument + 1 < arguments
                        ? static_cast<int>(entry.argument_starts[static_cast<size_t>(argument) + 1])
                        : static_cast<int>(entry.types.size());
    for (int leaf = begin; leaf < end; ++leaf) leaves.push_back(leaf);
  }
  return leaves;
}

std::shared_ptr<const Program> JitState::program(CacheEntry& entry, const Callable& callable,
                                                 const std::source_location& where) {
  const auto maker = maker_of(entry, name_, where.line() != 0 ? where : where_);
  if (entry.compiled_from != nullptr) return program_locked(entry, entry.compiled_from);
  return program_locked(entry, traced_locked(entry, callable, nullptr));
}

std::shared_ptr<const Program> JitState::program(CacheEntry& entry,
                                                 std::shared_ptr<const TracedFunction> traced) {
  if (traces_each_call())
    return std::make_shared<const Program>(std::move(traced), donated_leaves(entry), options_.interpret);
  const MakerScope maker(entry.maker, "'" + name_ + "'");
  return program_locked(entry, std::move(traced));
}

std::shared_ptr<const Program> JitState::program_locked(CacheEntry& entry,
                                                        std::shared_ptr<const TracedFunction> traced) {
  if (std::shared_ptr<const Program> ready = entry.program.share()) return ready;
  if (entry.compiled_from != nullptr) traced = entry.compiled_from;
  if (logs(LogTopic::kCompile) && entry.compiled_from != nullptr)
    std::fprintf(stderr, "ingot: %s: compiled again, since the cache was full\n", name_.c_str());
  auto made = std::make_shared<const Program>(traced, donated_leaves(entry), options_.interpret);
  {
    const ForkSection section;
    entry.compiled_from = std::move(traced);
  }
  entry.program.install(made);
  return made;
}

}  // namespace ingot::detail
