#include "base/source_lines.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ingot {
namespace {

constexpr size_t kToldApart = 3;  // lines of one file and scope

struct Place {
  std::string_view file, scope;  // up to the colon before the line, and behind the line
  std::vector<int> lines;        // none: what is no file and line is told as it is
};

Place place_of(std::string_view text) {
  const size_t end = std::min(text.find(" in "), text.size());
  const size_t colon = text.rfind(':', end);
  int line = 0;
  if (colon == std::string_view::npos || colon > end) return {text, {}, {}};
  const char *first = text.data() + colon + 1, *last = text.data() + end;
  const auto read = std::from_chars(first, last, line);
  if (read.ec != std::errc() || read.ptr != last) return {text, {}, {}};
  return {text.substr(0, colon + 1), text.substr(end), {line}};
}

std::string runs_of(std::vector<int> lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::string text;
  for (size_t i = 0; i < lines.size();) {
    size_t end = i + 1;
    while (end < lines.size() && lines[end] == lines[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(lines[i]);
    if (end > i + 1) text += "-" + std::to_string(lines[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace

std::string from_lines(const std::vector<std::string>& lines) {
  std::vector<Place> places;
  for (const std::string& text : lines) {
    Place place = place_of(text);
    const auto known = std::find_if(places.begin(), places.end(), [&](const Place& other) {
      return !place.lines.empty() && !other.lines.empty() && other.file == place.file &&
             other.scope == place.scope;
    });
    if (known != places.end()) {
      known->lines.push_back(place.lines[0]);
    } else {
      places.push_back(std::move(place));
    }
  }
  std::string text;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "from " : ", ") + piece; };
  for (const Place& place : places) {
    const std::string file(place.file), scope(place.scope);
    if (place.lines.size() > kToldApart) {
      add(file + runs_of(place.lines) + scope);
    } else if (place.lines.empty()) {
      add(file);
    }
    for (size_t i = 0; i < place.lines.size() && place.lines.size() <= kToldApart; ++i)
      add(file + std::to_string(place.lines[i]) + scope);
  }
  return text;
}

}  // namespace ingot
