// The command as a process: streams, limits, signals, exit codes.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/tools/invoke.h"

namespace ingot::tools {
namespace {

// The command in a shell, which may redirect its streams and set limits before it.
Outcome in_shell(const std::string& before, const std::string& arguments, const std::string& redirections) {
  const TemporaryFolder folder;
  const std::string line = "( " + before + " '" INGOT_COMMAND "' " + arguments + " < /dev/null " +
                           redirections + " 2> " + folder.file("err") + " )";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", file_text(folder.file("err"))};
}

TEST(Binary, OutputThatIsLostIsAnError) {
  const std::string file = data_file("softmax.ir");
  const std::vector<std::string> commands = {"run " + file + " --random 1",
                                             "run --json " + file + " --random 1",
                                             "bench --reps 1 " + file + " --random 1",
                                             "interpret " + file + " --random 1",
                                             "kernels " + file,
                                             "kernels --json " + file,
                                             "opt " + file,
                                             "bisect " + file,
                                             "ops",
                                             "passes",
                                             "--help",
                                             ""};
  for (const std::string& command : commands) {
    const Outcome full = in_shell("", command, "> /dev/full");
    EXPECT_EQ(full.code, 1) << command;
    expect_contains(full.err, "error: cannot write to standard output: No space left on device\n");
    const Outcome closed = in_shell("", command, ">&-");
    EXPECT_EQ(closed.code, 1) << command;
    expect_contains(closed.err, "error: cannot write to standard output: Bad file descriptor\n");
  }
  EXPECT_EQ(in_shell("", "run --nonsense", "> /dev/full").code, 1);
}

// What was never given is no empty program.
TEST(Binary, ClosedStandardInputIsAnError) {
  for (const char* command : {"run", "interpret", "kernels", "opt", "bisect", "bench"}) {
    const Outcome closed = in_shell("", std::string(command) + " -", "<&-");
    EXPECT_EQ(closed.code, 1) << command;
    EXPECT_EQ(closed.err, "error: cannot read <stdin>: Bad file descriptor\n") << command;
  }
}

// Nothing of what is printed lands in a file that got the number of a closed standard output.
TEST(Binary, ClosedStandardOutputIsNoOtherFile) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.npz");
  in_shell("", "interpret " + data_file("softmax.ir") + " --random 1 --out " + out, "> /dev/null");
  const std::string expected = file_text(out);
  in_shell("", "interpret " + data_file("softmax.ir") + " --random 1 --out " + out, ">&-");
  EXPECT_EQ(file_text(out), expected);
}

TEST(Binary, FilesBeyondTheirLimitAreErrorsOfTheWrite) {
  const TemporaryFolder folder;
  const Outcome outcome =
      in_shell("ulimit -f 1;", "run " + data_file("softmax.ir") + " --random 1 --dump " + folder.file("d"),
               "> /dev/null");
  EXPECT_EQ(outcome.code, 1);
  expect_contains(outcome.err, "error: cannot write " + folder.file("d"));
  expect_contains(outcome.err, ": File too large");
}

// What has no end, or is no file, ends in an error that names it.
TEST(Binary, ReadsNoMoreThanThereMayBe) {
  const TemporaryFolder folder;
  const std::string softmax = data_file("softmax.ir"), fifo = folder.file("fifo");
  ASSERT_EQ(std::system(("mkfifo " + fifo).c_str()), 0);
  const std::string small = "export INGOT_MEMORY_LIMIT_MB=2;";
  const struct {
    std::string before, arguments, redirections, error;
  } cases[] = {
      {small, "run /dev/zero", "",
       "/dev/zero: there are more than 2097152 bytes in it, the most that may be"},
      {small, "opt -", "< /dev/zero", "<stdin>: there are more than 2097152 bytes in it"},
      {small + "yes > " + fifo + " &", "kernels " + fifo, "",
       "fifo: there are more than 2097152 bytes in it"},
      {small, "run " + softmax + " --args /dev/zero", "", "/dev/zero: not a .npz file"},
      {small + "(printf 'PK\\003\\004'; yes) > " + fifo + " &", "run " + softmax + " --args " + fifo, "",
       "fifo: there are more than 2097152 bytes in it"},
      {"", "run " + softmax + " --args " + folder.file(""), "", "is a folder, not a file"},
      {"", "bisect " + folder.file(""), "", "is a folder, not a file"},
      {"", "run /proc/self/mem", "", "cannot read /proc/self/mem: Input/output error"},
      {"", "run /dev/null", "", "/dev/null: there is no function in it"},
  };
  for (const auto& one : cases) {
    const Outcome outcome =
        in_shell(one.before + " timeout 60", one.arguments, "> /dev/null " + one.redirections);
    EXPECT_EQ(outcome.code, 1) << one.arguments;
    expect_contains(outcome.err, one.error);
  }
}

struct Streamed {
  const char* arguments;  // $ stands for the folder of test data
  int code;
  bool prints;     // to standard output
  bool has_error;  // on standard error: "error: ..."
};

// Results go to standard output, errors to standard error, and the exit code is the same for all subcommands.
TEST(Binary, EachSubcommandUsesItsStreamsAndCodes) {
  constexpr Streamed kAll[] = {
      {"", 0, true, false},
      {"--help", 0, true, false},
      {"--list-passes", 0, true, false},
      {"passes", 0, true, false},
      {"passes x", 1, false, true},
      {"ops", 0, true, false},
      {"ops --json", 0, true, false},
      {"ops x", 1, false, true},
      {"fly", 1, false, true},
      {"run --help", 0, true, false},
      {"export $/scale.ir", 0, true, false},
      {"export", 1, false, true},
      {"run", 1, false, true},
      {"run $/scale.ir", 1, false, true},
      {"run $/scale.ir --random 1", 0, true, false},
      {"run $/scale.ir --random 1 --json", 0, true, false},
      {"run $/scale.ir --random 1 --out /none/x.npz", 1, false, true},
      {"run /none", 1, false, true},
      {"interpret $/scale.ir --random 1", 0, true, false},
      {"interpret $/scale.ir --random 1 --compare", 0, true, false},
      {"interpret /none", 1, false, true},
      {"bench $/scale.ir --random 1 --reps 1", 0, true, false},
      {"bench /none", 1, false, true},
      {"kernels $/scale.ir", 0, true, false},
      {"kernels $/scale.ir --json --graph", 1, false, true},
      {"kernels /none", 1, false, true},
      {"opt $/scale.ir", 0, true, false},
      {"opt $/scale.ir --pipeline --timing", 0, true, false},
      {"opt $/scale.ir --passes nosuch", 1, false, true},
      {"opt /none", 1, false, true},
      {"bisect $/scale.ir", 0, true, false},
      {"bisect $/scale.ir --plant fuse.fuse", 2, true, false},
      {"bisect /none", 1, false, true},
  };
  for (const Streamed& one : kAll) {
    std::string arguments = one.arguments;
    if (const size_t at = arguments.find('$'); at != std::string::npos)
      arguments.replace(at, 1, data_file("").substr(0, data_file("").size() - 1));
    const TemporaryFolder folder;
    const Outcome outcome = in_shell("timeout 100", arguments, "> " + folder.file("out"));
    EXPECT_EQ(outcome.code, one.code) << arguments << outcome.err;
    EXPECT_EQ(!file_text(folder.file("out")).empty(), one.prints) << arguments;
    EXPECT_EQ(("\n" + outcome.err).find("\nerror: ") != std::string::npos, one.has_error) << outcome.err;
    EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << outcome.err;
  }
}

// A reader that goes (| head) ends the command as any other, by SIGPIPE, and so does Ctrl-C, with all that it
// has started.
TEST(Binary, EndsBySignals) {
  const TemporaryFolder folder;
  const std::string code = folder.file("code");
  const std::string line = "( ( sleep 0.2; '" INGOT_COMMAND "' ops --markdown; echo $? > " + code +
                           " ) | true ) 2> " + folder.file("err");
  EXPECT_EQ(std::system(line.c_str()), 0);
  for (int i = 0; i < 200 && (!std::filesystem::exists(code) || file_text(code).empty()); ++i) usleep(50000);
  EXPECT_EQ(file_text(code), std::to_string(128 + SIGPIPE) + "\n");
  EXPECT_EQ(file_text(folder.file("err")), "");

  // A program whose judgement takes minutes.
  std::ofstream(folder.file("long.ir")) << "func @main(%x: f32[900,900]) -> (f32[900,900]) {\n"
                                           "  %y = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], "
                                           "rhs_batch = [], rhs_contract = [0]} : "
                                           "f32[900,900]\n  return %y\n}\n";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    std::signal(SIGINT, SIG_DFL);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(INGOT_COMMAND, "ingot", "bisect", folder.file("long.ir").c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 1);  // it has begun
  usleep(300000);
  EXPECT_EQ(kill(child, SIGINT), 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  // What it had started has the pipe open, until it is gone.
  while (read(ends[0], &c, 1) == 1) {
  }
  close(ends[0]);
}

int exit_code(const std::string& arguments) {
  const std::string line =
      std::string(INGOT_COMMAND) + " " + arguments + " > /dev/null 2> /dev/null < /dev/null";
  const int status = std::system(line.c_str());
  return WEXITSTATUS(status);
}

TEST(Binary, ExitsWithTheCode) {
  EXPECT_EQ(exit_code("run " + data_file("scale.ir") + " --random 1"), 0);
  EXPECT_EQ(exit_code("run " + data_file("scale.ir")), 1);
  EXPECT_EQ(exit_code("--nothing"), 1);
  EXPECT_EQ(exit_code("bisect " + data_file("scale.ir")), 0);
}

// Whether the process has a handler for the signal (proc(5): SigCgt has a bit for each, in hexadecimal).
bool catches(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigCgt:", 0) == 0)
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

// The first Ctrl-C ends a run between two steps, with where it was; then the process ends by the signal.
TEST(Binary, CtrlCTellsWhereARunWas) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("endless.ir"))
      << "func @main(%x: f32[8]) -> (f32[8]) {\n"
         "  %y = while(%x) {carries = 1} (%a: f32[8]) {\n"
         "    %t = constant() {value = dense pred[]{true}} : pred[]\n    return %t\n  } (%b: f32[8]) {\n"
         "    %s = sin(%b) : f32[8] loc(\"model.py\":3)\n    return %s\n  } : f32[8] loc(\"model.py\":2)\n"
         "  return %y\n}\n";
  for (const char* command : {"run", "interpret", "bench"}) {
    const std::string err = folder.file(std::string(command) + ".err");
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGINT, SIG_DFL);
      if (std::freopen("/dev/null", "w", stdout) == nullptr ||
          std::freopen(err.c_str(), "w", stderr) == nullptr)
        _exit(126);
      const char* watch = command == std::string("interpret") ? "--json" : "--log";
      execl(INGOT_COMMAND, "ingot", command, folder.file("endless.ir").c_str(), "--random", "1", watch,
            nullptr);
      _exit(127);
    }
    // A run that launches says so; of the interpreter, which says nothing, the system knows that it listens.
    const auto has_begun = [&] {
      if (command == std::string("interpret")) return catches(child, SIGINT);
      return std::filesystem::exists(err) && std::filesystem::file_size(err) > 0;
    };
    int status = 0;
    for (int i = 0; i < 1200 && !has_begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(kill(child, SIGINT), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << command << " " << status;
    const std::string told = file_text(err);
    expect_contains(told, "stopped, since it was interrupted, ");
    if (command != std::string("interpret")) expect_contains(told, " of the loop @");
    if (command != std::string("interpret")) expect_contains(told, "model.py:2");
  }
}

}  // namespace
}  // namespace ingot::tools
