// Whole files.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace ingot::io {

inline constexpr int64_t kMostTextBytes = int64_t{1} << 30;

// Throw ingot::Error with the path and the system's reason.
std::string read_file(const std::string& path);
// The same of a file that begins with one of these (of equal length); the Error `other` of another file, of
// which no more is read: it may have no end.
std::string read_file_that_begins(const std::string& path, std::span<const std::string_view> beginnings,
                                  const std::string& other);
// All that is left in the stream behind `text`. A device or a pipe may have no end, so there is a limit.
std::string rest_of(std::istream& in, const std::string& path, int64_t most, std::string text = {});
// The file is there whole or as it was: it is written beside its place first.
void write_file(const std::string& path, const std::string& text);
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace ingot::io
