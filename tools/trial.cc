#include "tools/trial.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <new>

#include "base/check.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

// What the last byte of a process that ends by itself says.
constexpr char kDone = 'D', kFailed = 'F';
constexpr int kEnded = 0, kThrew = 1;  // exit codes

void write_all(int pipe, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(kThrew);  // nobody listens any more
    written += static_cast<size_t>(n);
  }
}

// Bytes that the system could give without taking them from anybody; 0 if it does not tell.
rlim_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  rlim_t kilobytes = 0;
  while (file >> name >> kilobytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

// Sanitizers map more than there is.
constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

// A child that asks for too much gets an exception rather than the machine into trouble, and if the system
// must end somebody, it is the child. It ends with its parent, and leaves no core file.
void limit_this_process() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::ofstream("/proc/self/oom_score_adj") << "1000";
  const rlim_t memory = available_memory();
  if (kSanitized || memory == 0) return;
  const rlimit data{memory, memory};
  setrlimit(RLIMIT_DATA, &data);
}

[[noreturn]] void answer(int pipe, const std::function<void(const Say&)>& body) {
  limit_this_process();
  std::string failure;
  try {
    body([pipe](const std::string& text) { write_all(pipe, text); });
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  } catch (const Error& error) {
    failure = std::string("error: ") + error.what();
  } catch (const std::exception& error) {
    failure = std::string("internal error: ") + error.what();
  }
  // The failure, its length and a mark come last, so that they can be told from what was said.
  const uint64_t length = failure.size();
  std::string end = failure;
  end.append(reinterpret_cast<const char*>(&length), sizeof length);
  write_all(pipe, end + (failure.empty() ? kDone : kFailed));
  _exit(kEnded);  // no destructors: threads may still run
}

// All that the child writes until it ends or time is up; false if time was up.
bool read_answer(int pipe, const Deadline& deadline, std::string& text) {
  std::string buffer(1 << 16, '\0');
  while (true) {
    const double left = deadline.left();
    if (left <= 0) return false;
    pollfd wait{pipe, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(std::min(left, 1e6) * 1000) + 1) <= 0) continue;
    const ssize_t n = read(pipe, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n > 0) text.append(buffer, 0, static_cast<size_t>(n));
  }
}

// Takes the end off what a child wrote that ended by itself.
void split(Answer& answer) {
  constexpr size_t kTail = sizeof(uint64_t) + 1;
  std::string& text = answer.said;
  uint64_t length = 0;
  if (text.size() >= kTail) std::memcpy(&length, text.data() + text.size() - kTail, sizeof length);
  if (text.size() < kTail || (text.back() != kDone && text.back() != kFailed) ||
      length > text.size() - kTail) {
    answer.failure = "ended without an answer";
    return;
  }
  answer.failure = text.substr(text.size() - kTail - length, length);
  text.resize(text.size() - kTail - length);
}

}  // namespace

Answer ask_apart(const std::function<void(const Say&)>& body, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const Deadline deadline(seconds);
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], body);
  }
  close(ends[1]);
  Answer result;
  result.timed_out = !read_answer(ends[0], deadline, result.said);
  close(ends[0]);
  if (result.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (result.timed_out) {
    result.failure = "no answer within " + show_number(std::round(seconds * 10) / 10) + " seconds";
  } else if (WIFSIGNALED(status)) {
    result.failure =
        "crashed with signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    if (WTERMSIG(status) == SIGKILL) result.failure += ", as the system does where memory runs out";
  } else {
    split(result);
  }
  return result;
}

Trial run_apart(const std::function<Trial()>& body, double seconds) {
  const Answer answer = ask_apart(
      [&](const Say& say) {
        const Trial trial = body();
        say(std::to_string(trial.good) + " " + std::to_string(trial.rewrites) + "\n" + trial.what);
      },
      seconds);
  Trial trial;
  trial.timed_out = answer.timed_out;
  if (!answer.failure.empty()) {
    trial.good = false;
    trial.what = answer.failure;
    return trial;
  }
  const size_t line = answer.said.find('\n'), space = answer.said.find(' ');
  check(line != std::string::npos && space < line, "run_apart: a trial without an answer");
  trial.good = answer.said.starts_with("1");
  trial.rewrites = std::stoll(answer.said.substr(space + 1, line - space - 1));
  trial.what = answer.said.substr(line + 1);
  return trial;
}

}  // namespace ingot::tools
