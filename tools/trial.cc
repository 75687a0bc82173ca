#include "tools/trial.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/check.h"

namespace ingot::tools {
namespace {

Trial failed(std::string what) {
  return {false, std::move(what), 0};
}

// In the child: the answer is one line "good rewrites" followed by what there is to say.
[[noreturn]] void answer(int pipe, const std::function<Trial()>& body) {
  Trial trial;
  try {
    trial = body();
  } catch (const Error& error) {
    trial = failed(std::string("error: ") + error.what());
  } catch (const std::exception& error) {
    trial = failed(std::string("internal error: ") + error.what());
  }
  const std::string text =
      std::to_string(trial.good) + " " + std::to_string(trial.rewrites) + "\n" + trial.what;
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  _exit(0);  // no destructors: threads may still run
}

// All that the child writes until it ends or time is up; false if time was up.
bool read_answer(int pipe, int seconds, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{pipe, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char buffer[4096];
    const ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

Trial run_apart(const std::function<Trial()>& body, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], body);
  }
  close(ends[1]);
  std::string text;
  const bool in_time = read_answer(ends[0], seconds, text);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return failed("no answer within " + std::to_string(seconds) + " seconds");
  if (WIFSIGNALED(status)) {
    return failed("crashed with signal " + std::to_string(WTERMSIG(status)) + " (" +
                  strsignal(WTERMSIG(status)) + ")");
  }
  const size_t line = text.find('\n');
  const size_t space = text.find(' ');
  if (line == std::string::npos || space > line) return failed("ended without an answer");
  Trial trial;
  trial.good = text.starts_with("1");
  trial.rewrites = std::stoll(text.substr(space + 1, line - space - 1));
  trial.what = text.substr(line + 1);
  return trial;
}

}  // namespace ingot::tools
