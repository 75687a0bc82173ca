#include "ingot/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace ingot::detail {
namespace {

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string duration(double seconds) {
  if (seconds < 100) return number("%.0f s", seconds);
  if (seconds < 100 * 60) return number("%.0f min", seconds / 60);
  return number("%.1f h", seconds / 3600);
}

int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string progress_text(const std::string& name, int64_t done, int64_t total, double seconds) {
  std::string text = name + (name.empty() ? "" : "  ") + std::to_string(done);
  if (total >= 0) text += "/" + std::to_string(total);
  if (total > 0)
    text += number("  %.0f%%", std::floor(100 * static_cast<double>(done) / static_cast<double>(total)));
  if (done > 0 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    text += number(rate < 100 ? "  %.1f/s" : "  %.0f/s", rate);
    if (total > done) text += "  " + duration(static_cast<double>(total - done) / rate) + " left";
    if (total == done) text += "  in " + duration(seconds);
  }
  return text;
}

ProgressLine::ProgressLine(std::string name, int64_t total)
    : name_(std::move(name)), total_(total), shown_(isatty(STDERR_FILENO) != 0), start_(nanoseconds()) {
  next_ = start_;
  if (shown_) show(start_);
}

ProgressLine::~ProgressLine() {
  if (!shown_) return;
  show(nanoseconds());
  std::fputc('\n', stderr);
}

void ProgressLine::advance() {
  ++done_;
  if (!shown_) return;
  if (const int64_t now = nanoseconds(); now >= next_) show(now);
}

void ProgressLine::show(int64_t now) {
  std::string text = progress_text(name_, done_, total_, 1e-9 * static_cast<double>(now - start_));
  const size_t width = text.size();
  if (width < width_) text.append(width_ - width, ' ');  // over what stood there
  width_ = width;
  std::fprintf(stderr, "\r%s", text.c_str());
  std::fflush(stderr);
  next_ = now + 100'000'000;
}

}  // namespace ingot::detail
