// ingot_fuzz: random programs, compiled against interpreted, for as long as one likes.
//
//   ingot_fuzz --from 0 --to 10000        seeds 0 .. 9999
//   ingot_fuzz --seconds 600              from a seed of today's clock on
//   ingot_fuzz --kernels ...              kernels as the kernel interpreter runs them, without machine code
//   ingot_fuzz --updates ...              small programs whose state is changed in part
//   ingot_fuzz --one-way ...              each program compiled in one way, drawn by its seed: more programs
//   ingot_fuzz --jobs 2 ...               that many at once: most of the time is LLVM's, on one thread for
//   small programs ingot_fuzz --keep-going ...           reports all failures, not just the first ingot_fuzz
//   --out DIR ...              where reduced programs go (default: the current folder) ingot_fuzz --program
//   FILE.ir          reduces one program
//
// Half of the programs have infinite and extreme values in their arguments. All run on one thread, and unit
// by unit on two and three, in memory between pages that nobody may touch (testing/differential.h).
//
// Programs are built and run in child processes, so a crash or an endless loop is a failure like any other. A
// failing program is made small and written to a file.

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "ir/text.h"
#include "testing/differential.h"
#include "testing/numbers.h"
#include "testing/random_program.h"
#include "testing/reduce_program.h"

namespace ingot::testing {
namespace {

constexpr int kSecondsPerProgram = 40;  // of computing; ten times as much if it waits

void limit_time() {
  const itimerval computing{{0, 0}, {kSecondsPerProgram, 0}};
  setitimer(ITIMER_VIRTUAL, &computing, nullptr);
  alarm(10 * kSecondsPerProgram);
}

struct Arguments {
  uint64_t from = 0, to = UINT64_MAX;
  double seconds = 1e18;
  uint64_t jobs = 1;
  bool kernels = false, keep_going = false, one_way = false, updates = false;
  std::string out = ".", program;
};

RandomProgramOptions options_for(uint64_t seed, const Arguments& arguments) {
  RandomProgramOptions options = options_of_seed(seed);
  if (arguments.updates) {
    options = {};
    options.updates = true;
    options.operations = 3;
    options.functions = 0;
  }
  if (arguments.kernels) options.max_elements = std::min<int64_t>(options.max_elements, 1000);
  return options;
}

// Runs `body` in a child process, which writes its findings to a pipe. Returns what it wrote, and how it
// ended.
template <class Body>
std::string in_child(Body body) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("cannot make a pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a child process");
  if (child == 0) {
    close(ends[0]);
    body([&](const std::string& text) {
      size_t done = 0;
      while (done < text.size()) {
        const ssize_t n = write(ends[1], text.data() + done, text.size() - done);
        if (n <= 0) _exit(3);
        done += static_cast<size_t>(n);
      }
    });
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    text += signal == SIGALRM || signal == SIGVTALRM ? "\nF timeout: it ran for too long"
                                                     : std::string("\nF crash: ") + strsignal(signal);
  } else if (WEXITSTATUS(status) != 0) {
    text += "\nF crash: exit status " + std::to_string(WEXITSTATUS(status));
  }
  return text;
}

std::string failure_in(const std::string& text) {
  const size_t at = text.find("\nF ");
  return at == std::string::npos ? "" : text.substr(at + 3);
}

// What must stay the same while a program is reduced: the kind, and of errors the words that are no names or
// numbers.
std::string kind_of(const std::string& failure) {
  const std::string kind = failure.substr(0, failure.find(':'));
  if (kind != "error") return kind;
  std::istringstream words(failure.substr(0, failure.find('\n')));
  std::string word, text;
  while (words >> word) {
    if (word == "kernel")
      words >> word;  // its name
    else if (word.find_first_of("0123456789_%'@") == std::string::npos)
      text += word + " ";
  }
  return text;
}

std::string check_in_child(const ir::Module& module, uint64_t seed, const DifferentialOptions& options) {
  return failure_in(in_child([&](auto report) {
    limit_time();
    const std::string failure = check_compiled(module, {}, seed, options);
    if (!failure.empty()) report("\nF " + failure);
  }));
}

void reduce_and_write(const ir::Module& module, uint64_t seed, const std::string& failure,
                      const Arguments& arguments, const DifferentialOptions& options) {
  const std::string kind = kind_of(failure);
  const std::string name = arguments.out + "/fuzz_" + std::to_string(seed);
  std::ofstream(name + "_whole.ir") << ir::to_string(module, {.version = true});
  std::unique_ptr<ir::Module> small = reduce_program(module, [&](const ir::Module& variant) {
    return kind_of(check_in_child(variant, seed, options)) == kind;
  });
  const std::string file = name + ".ir";
  std::ofstream out(file);
  const std::string last = check_in_child(*small, seed, options);
  std::istringstream lines(last.empty() ? failure : last);
  std::string line;
  std::getline(lines, line);
  out << "// " << line << "\n" << ir::to_string(*small, {.version = true});
  std::printf("reduced to %s:\n%s\n", file.c_str(), ir::to_string(*small).c_str());
}

int fuzz(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  DifferentialOptions options;
  options.machine_code = !arguments.kernels;
  options.one_way = arguments.one_way;
  const uint64_t step = arguments.jobs;  // this one's seeds are so far apart
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(arguments.from));
  std::fflush(stdout);
  int failures = 0;
  uint64_t seed = arguments.from;
  while (seed < arguments.to && elapsed() < arguments.seconds) {
    // A child takes seeds until one fails.
    const std::string text = in_child([&](auto report) {
      const uint64_t end = std::min(arguments.to, seed + 200 * step);
      for (uint64_t s = seed; s < end && elapsed() < arguments.seconds; s += step) {
        report("\nS " + std::to_string(s));
        limit_time();
        RandomProgram program = random_program(s, options_for(s, arguments));
        const std::string failure = check_compiled(*program.module, program.tolerances, s, options);
        if (!failure.empty()) return report("\nF " + failure);
      }
    });
    const std::string failure = failure_in(text);
    const size_t last = text.rfind("\nS ", text.find("\nF "));
    if (last != std::string::npos) seed = std::strtoull(text.c_str() + last + 3, nullptr, 10);
    if (failure.empty()) {
      std::printf("%.0f s: seeds up to %llu, %d failures\n", elapsed(), static_cast<unsigned long long>(seed),
                  failures);
      std::fflush(stdout);
      seed += step;
      continue;
    }
    ++failures;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), failure.c_str());
    std::fflush(stdout);
    RandomProgram program = random_program(seed, options_for(seed, arguments));
    reduce_and_write(*program.module, seed, failure, arguments, options);
    if (!arguments.keep_going) return 1;
    seed += step;
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

// Each job has every n-th seed, in a process of its own.
int fuzz_in_jobs(const Arguments& arguments) {
  if (arguments.jobs == 1) return fuzz(arguments);
  std::vector<pid_t> jobs;
  std::fflush(nullptr);
  for (uint64_t job = 0; job < arguments.jobs; ++job) {
    const pid_t child = fork();
    if (child < 0) throw Error("cannot start a child process");
    if (child > 0) {
      jobs.push_back(child);
      continue;
    }
    Arguments own = arguments;
    own.from += job;
    const int result = fuzz(own);
    std::fflush(nullptr);
    _exit(result);
  }
  int worst = 0;
  for (const pid_t job : jobs) {
    int status = 0;
    waitpid(job, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  return worst;
}

int reduce_file(const Arguments& arguments) {
  std::ifstream file(arguments.program);
  std::ostringstream text;
  text << file.rdbuf();
  std::unique_ptr<ir::Module> module = ir::parse(text.str(), arguments.program);
  DifferentialOptions options;
  options.machine_code = !arguments.kernels;
  options.one_way = arguments.one_way;
  const std::string failure = check_in_child(*module, arguments.from, options);
  std::printf("%s\n", failure.empty() ? "it does not fail" : failure.c_str());
  if (!failure.empty()) reduce_and_write(*module, arguments.from, failure, arguments, options);
  return failure.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  Arguments arguments;
  bool seeds_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    auto value = [&] {
      if (i + 1 >= argc) throw Error(name + " needs a value");
      return std::string(argv[++i]);
    };
    if (name == "--from")
      arguments.from = number_of<uint64_t>(name, value()), seeds_given = true;
    else if (name == "--to")
      arguments.to = number_of<uint64_t>(name, value()), seeds_given = true;
    else if (name == "--seconds")
      arguments.seconds = number_of<double>(name, value(), 0, 1e9);
    else if (name == "--jobs")
      arguments.jobs = number_of<uint64_t>(name, value(), 1, 1024);
    else if (name == "--kernels")
      arguments.kernels = true;
    else if (name == "--updates")
      arguments.updates = true;
    else if (name == "--one-way")
      arguments.one_way = true;
    else if (name == "--keep-going")
      arguments.keep_going = true;
    else if (name == "--out")
      arguments.out = value();
    else if (name == "--program")
      arguments.program = value();
    else
      throw Error("unknown option " + name +
                  "; --from, --to, --seconds, --jobs, --kernels, --updates, --one-way, --keep-going, --out, "
                  "--program are known");
  }
  if (!arguments.program.empty()) return reduce_file(arguments);
  if (!seeds_given)
    arguments.from =
        static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() / 1000);
  return fuzz_in_jobs(arguments);
}

}  // namespace
}  // namespace ingot::testing

int main(int argc, char** argv) {
  try {
    return ingot::testing::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ingot_fuzz: %s\n", error.what());
    return 2;
  }
}
