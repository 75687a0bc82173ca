// ingot_mutate: mistakes in IR text, StableHLO text and artifacts, .npz and .npy files, for as long as one
// likes: whatever is in them, the answer is a program, an array, or an error that says what is wrong and
// where.
//
//   ingot_mutate --from 0 --to 200000     seeds 0 .. 199999: a quarter each IR, StableHLO in
//   text and artifacts, an eighth .npz and .npy
//   ingot_mutate --seconds 30             from a seed of today's clock on; the seed is printed
//   ingot_mutate --show 17                the text or file of one seed, on stdout
//   ingot_mutate --out DIR ...            where inputs that failed go (default: the current folder)
//
// Inputs are tried in child processes with limits on time and memory, some hundred in each, so that a crash
// or an endless loop is a failure like any other.

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/options.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/zip.h"
#include "testing/mutate.h"
#include "testing/numbers.h"

namespace ingot::testing {
namespace {

constexpr int kSecondsPerInput = 20;  // of computing; ten times as much if it waits
constexpr uint64_t kBatch = 250;
constexpr size_t kMemory = size_t{8} << 30;  // of addresses
constexpr uint64_t kCompiled = 4;            // one text in so many is compiled

struct Arguments {
  uint64_t from = 0, to = UINT64_MAX;
  double seconds = 1e18;
  bool show = false;
  std::string out = ".";
};

// What children tell, in memory that the parent shares.
struct Shared {
  uint64_t seed;
  Stages stages;
  int64_t arrays, findings;
  char finding[4000];
};

enum class Kind { kIr, kStablehlo, kArtifact, kNpz, kNpy };

Kind kind_of(uint64_t seed) {
  constexpr Kind kKinds[] = {Kind::kIr,       Kind::kStablehlo, Kind::kIr,  Kind::kStablehlo,
                             Kind::kArtifact, Kind::kArtifact,  Kind::kNpz, Kind::kNpy};
  return kKinds[seed % 8];
}

const char* suffix(Kind kind) {
  return kind == Kind::kIr          ? ".ir"
         : kind == Kind::kStablehlo ? ".mlir"
         : kind == Kind::kArtifact  ? ".mlirbc"
         : kind == Kind::kNpz       ? ".npz"
                                    : ".npy";
}

void append(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// An archive as numpy.savez and numpy.savez_compressed write it.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries, bool compressed) {
  std::string bytes, directory;
  for (const auto& [name, contents] : entries) {
    const std::string packed = compressed ? deflated(contents) : contents;
    std::string common;
    append(common, 20, 2);
    append(common, 0, 2);
    append(common, compressed ? 8 : 0, 2);
    append(common, 0x210000, 4);
    append(common, crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()), 4);
    append(common, packed.size(), 4);
    append(common, contents.size(), 4);
    append(common, name.size(), 2);
    append(common, 0, 2);
    append(directory, 0x02014b50, 4);
    append(directory, 20, 2);
    directory += common;
    append(directory, 0, 6);
    append(directory, 0, 4);
    append(directory, bytes.size(), 4);
    directory += name;
    append(bytes, 0x04034b50, 4);
    bytes += common + name + packed;
  }
  const uint64_t start = bytes.size();
  bytes += directory;
  append(bytes, 0x06054b50, 4);
  append(bytes, 0, 4);
  append(bytes, entries.size(), 2);
  append(bytes, entries.size(), 2);
  append(bytes, directory.size(), 4);
  append(bytes, start, 4);
  append(bytes, 0, 2);
  return bytes;
}

Tensor some_tensor(Random& random) {
  Shape shape;
  for (uint64_t d = random() % 4; d > 0; --d) shape.push_back(static_cast<int64_t>(random() % 5));
  DType dtype;
  do {  // of those that .npy has names for
    dtype = kAllDTypes[random() % std::size(kAllDTypes)];
  } while (is_small_integer(dtype) || is_small_float(dtype));
  return random_tensor(random, dtype, shape);
}

std::string npy_header_replaced(std::string bytes, Random& random) {
  constexpr const char* kHeaders[] = {"'shape': (4294967296, 4294967296)",
                                      "'shape': (-1,)",
                                      "'shape': (1e9,)",
                                      "'shape': (9223372036854775807, 3)",
                                      "'shape': ()",
                                      "'descr': '>f4'",
                                      "'descr': [('a', '<f4')]",
                                      "'descr': '<f16'",
                                      "'fortran_order': True",
                                      "'shape': (0, 99999999999, 99999999999)",
                                      "'descr': '|O'",
                                      "'shape': (3, (4,))"};
  const std::string header = kHeaders[random() % std::size(kHeaders)];
  const size_t at = bytes.find(header.substr(0, header.find(':')));
  if (at == std::string::npos || at + header.size() > bytes.size()) return bytes;
  return bytes.replace(at, header.size(), header);
}

std::string npy_of(Random& random) {
  std::string bytes = io::write_npy(some_tensor(random));
  if (random() % 3 == 0) return npy_header_replaced(std::move(bytes), random);
  // The header is where most can go wrong.
  if (random() % 2 == 0) return mutated_bytes(bytes.substr(0, 128), random) + bytes.substr(128);
  return mutated_bytes(std::move(bytes), random);
}

std::string npz_of(Random& random) {
  std::vector<std::pair<std::string, std::string>> entries;
  const bool inside = random() % 2 == 0;  // the mistake is in an array, the archive around it is right
  for (uint64_t i = 0, count = random() % 4; i < count; ++i)
    entries.emplace_back("arg" + std::to_string(i) + ".npy",
                         inside ? npy_of(random) : io::write_npy(some_tensor(random)));
  const std::string bytes = zipped(entries, random() % 2 == 0);
  return inside ? bytes : mutated_bytes(bytes, random);
}

const std::vector<std::string>& programs() {
  static const std::vector<std::string> list = programs_in(INGOT_SOURCE_DIR "/tests");
  return list;
}

const std::vector<std::string>& modules() {
  static const std::vector<std::string> list = modules_in(INGOT_SOURCE_DIR "/tests/stablehlo/texts");
  return list;
}

const std::vector<std::string>& artifacts() {
  static const std::vector<std::string> list = modules_in(INGOT_SOURCE_DIR "/tests/stablehlo/artifacts");
  return list;
}

std::string input_of(uint64_t seed) {
  Random random(seed);
  switch (kind_of(seed)) {
    case Kind::kIr:
      return mutated_ir(programs(), random);
    case Kind::kStablehlo:
      return mutated_ir(modules(), random);
    case Kind::kArtifact:
      return mutated_artifact(artifacts(), random);
    case Kind::kNpz:
      return npz_of(random);
    default:
      return npy_of(random);
  }
}

std::string try_file(uint64_t seed, const std::string& bytes, const std::string& scratch, Shared& shared) {
  try {
    if (kind_of(seed) == Kind::kNpy) {
      const Tensor array = io::read_npy(bytes, scratch);
      if (!(io::read_npy(io::write_npy(array), scratch) == array))
        return "an array that is another one when it has been written and read again";
    } else {
      std::ofstream(scratch, std::ios::binary) << bytes;
      const io::NamedTensors arrays = io::read_npz(scratch);
      io::write_npz(scratch, arrays);
      if (io::read_npz(scratch) != arrays)
        return "arrays that are others when they have been written and read again";
    }
    ++shared.arrays;
  } catch (const Error& error) {
    const bool named = std::string_view(error.what()).starts_with(scratch);
    return named ? "" : std::string("an error that does not name the file: ") + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void run_batch(uint64_t from, uint64_t to, const std::string& scratch, Shared& shared) {
  const rlimit memory{kMemory, kMemory}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  Options::global().set("INGOT_MEMORY_LIMIT_MB", "1024");
  set_num_threads(1);
  for (uint64_t seed = from; seed < to; ++seed) {
    shared.seed = seed;
    const itimerval computing{{0, 0}, {kSecondsPerInput, 0}};
    setitimer(ITIMER_VIRTUAL, &computing, nullptr);
    alarm(10 * kSecondsPerInput);
    const std::string input = input_of(seed);
    const bool compile = seed / 8 % kCompiled == 0;
    const std::string wrong =
        kind_of(seed) == Kind::kIr          ? try_ir(input, compile, seed, shared.stages)
        : kind_of(seed) == Kind::kStablehlo ? try_stablehlo(input, compile, seed, shared.stages)
        : kind_of(seed) == Kind::kArtifact  ? try_artifact(input, compile, seed, shared.stages)
                                            : try_file(seed, input, scratch, shared);
    if (wrong.empty()) continue;
    std::strncpy(shared.finding, wrong.c_str(), sizeof shared.finding - 1);
    _exit(2);
  }
  _exit(0);
}

void report(uint64_t seed, const std::string& what, const Arguments& arguments) {
  const std::string path = arguments.out + "/seed" + std::to_string(seed) + suffix(kind_of(seed));
  std::ofstream(path, std::ios::binary) << input_of(seed);
  std::printf("seed %llu: %s\n  input in %s\n", static_cast<unsigned long long>(seed), what.c_str(),
              path.c_str());
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) throw Error("cannot share memory with child processes");
  const std::string scratch =
      std::filesystem::temp_directory_path() / ("ingot_mutate_" + std::to_string(getpid()) + ".npz");
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  (void)programs();
  (void)modules();
  (void)artifacts();
  uint64_t next = arguments.from;
  while (next < arguments.to && seconds() < arguments.seconds) {
    const uint64_t end = std::min(next + kBatch, arguments.to);
    shared->finding[0] = '\0';
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw Error("cannot start a child process");
    if (child == 0) run_batch(next, end, scratch, *shared);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      next = end;
      continue;
    }
    ++shared->findings;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    std::string what = shared->finding;
    if (what.empty()) {
      what = signal == SIGVTALRM || signal == SIGALRM ? "hangs"
             : signal != 0                            ? std::string("dies of: ") + strsignal(signal)
                                                      : "ends with " + std::to_string(WEXITSTATUS(status));
    }
    report(shared->seed, what, arguments);
    next = shared->seed + 1;
  }
  std::filesystem::remove(scratch);
  const Stages& stages = shared->stages;
  std::printf(
      "%llu inputs from seed %llu in %.0f s: %lld texts read, %lld interpreted, %lld compiled, %lld "
      "compared; %lld files "
      "read; %lld findings\n",
      static_cast<unsigned long long>(next - arguments.from), static_cast<unsigned long long>(arguments.from),
      seconds(), static_cast<long long>(stages.read), static_cast<long long>(stages.interpreted),
      static_cast<long long>(stages.compiled), static_cast<long long>(stages.compared),
      static_cast<long long>(shared->arrays), static_cast<long long>(shared->findings));
  return shared->findings == 0 ? 0 : 1;
}

int main_of(int count, char** words) {
  Arguments arguments;
  bool from_given = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (i + 1 >= count) throw Error(word + ": a value is missing");
    const char* value = words[++i];
    if (word == "--from" || word == "--show") {
      arguments.from = number_of<uint64_t>(word, value);
      from_given = true;
      arguments.show = word == "--show";
    } else if (word == "--to") {
      arguments.to = number_of<uint64_t>(word, value);
    } else if (word == "--seconds") {
      arguments.seconds = number_of<double>(word, value, 0, 1e9);
    } else if (word == "--out") {
      arguments.out = value;
    } else {
      throw Error("there is no option " + word + "; there are --from, --to, --seconds, --show and --out");
    }
  }
  if (arguments.show) {
    const std::string input = input_of(arguments.from);
    std::fwrite(input.data(), 1, input.size(), stdout);
    return 0;
  }
  if (!from_given) {
    arguments.from = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) /
                     1000000 * 1000000;
    std::printf("from seed %llu\n", static_cast<unsigned long long>(arguments.from));
  }
  return run(arguments);
}

}  // namespace
}  // namespace ingot::testing

int main(int count, char** words) {
  try {
    return ingot::testing::main_of(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
