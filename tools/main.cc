// The command as a process: its standard output, what of it was lost, and the signals that it does without.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <streambuf>

#include "tools/command.h"

namespace {

// Standard output through a buffer that remembers why the system refused a write: std::cout only knows that
// it did, and by the end of the command errno is another one's.
class StandardOutput : public std::streambuf {
 public:
  StandardOutput() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  int error() const { return error_; }  // an errno; 0: all is written

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }

  int sync() override {
    const char* at = pbase();
    while (error_ == 0 && at < pptr()) {
      const ssize_t written = write(STDOUT_FILENO, at, static_cast<size_t>(pptr() - at));
      if (written > 0)
        at += written;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  std::array<char, 1 << 14> buffer_;
  int error_ = 0;
};

// Where a standard stream was closed (>&-), the first file that is opened would get its number, and what is
// printed would end up in it. Nothing can be read from, or written to, what takes its place here: an input
// that was closed is an error to who reads it, and no empty file.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);  // gets that number
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ingot::tools;
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond its limit (ulimit -f) is an error of the write instead
  StandardOutput output;
  std::ostream out(&output);
  if (isatty(STDOUT_FILENO) != 0) out << std::unitbuf;
  std::cerr.tie(&out);  // as they are written, one after the other
  const int code = run_command({argv + 1, argv + argc}, {std::cin, out, std::cerr});
  out.flush();
  std::cerr.tie(nullptr);
  if (code == kInterrupted) {  // has said where it was
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  if (output.error() == 0) return code;
  std::cerr << "error: cannot write to standard output: " << std::strerror(output.error()) << "\n";
  return code == kInternalError ? code : kUserError;
}
