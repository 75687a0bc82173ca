#include "ir/text_cursor.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "ingot/error.h"

namespace ingot::ir {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name_char(char c) {
  return is_word_char(c) || c == '.' || c == '$';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool TextCursor::is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_char);
}

size_t TextCursor::position() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '#' || text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      break;
    }
  }
  return position_;
}

char TextCursor::peek() {
  return at_end() ? '\0' : text_[position_];
}

bool TextCursor::accept(std::string_view punctuation) {
  if (text_.substr(position(), punctuation.size()) != punctuation) return false;
  position_ += punctuation.size();
  return true;
}

bool TextCursor::accept_word(std::string_view word) {
  if (text_.substr(position(), word.size()) != word) return false;
  size_t end = position_ + word.size();
  if (end < text_.size() && is_word_char(text_[end])) return false;
  position_ = end;
  return true;
}

void TextCursor::expect(std::string_view punctuation, std::string_view context) {
  if (!accept(punctuation)) expected("'" + std::string(punctuation) + "' " + std::string(context));
}

std::string_view TextCursor::word(std::string_view what) {
  size_t start = position();
  while (position_ < text_.size() && is_word_char(text_[position_])) ++position_;
  if (position_ == start) expected(what);
  return text_.substr(start, position_ - start);
}

std::string TextCursor::name(char sigil, std::string_view what) {
  if (peek() != sigil) expected(what);
  size_t start = ++position_;
  if (position_ < text_.size() && text_[position_] == '"') return quoted(what);
  while (position_ < text_.size() && is_name_char(text_[position_])) ++position_;
  if (position_ == start) fail(start - 1, "expected a name after '" + std::string(1, sigil) + "'");
  return std::string(text_.substr(start, position_ - start));
}

std::string TextCursor::quoted(std::string_view what) {
  if (peek() != '"') expected(what);
  size_t start = position_++;
  std::string content;
  while (true) {
    if (position_ >= text_.size() || text_[position_] == '\n') fail(start, "the string has no closing '\"'");
    char c = text_[position_++];
    if (c == '"') return content;
    if (c != '\\') {
      content += c;
      continue;
    }
    char escape = position_ < text_.size() ? text_[position_++] : '\0';
    int high = position_ + 1 < text_.size() ? hex_digit(text_[position_]) : -1;
    int low = position_ + 1 < text_.size() ? hex_digit(text_[position_ + 1]) : -1;
    if (escape == '"' || escape == '\\') {
      content += escape;
    } else if (escape == 'n') {
      content += '\n';
    } else if (escape == 'x' && high >= 0 && low >= 0) {
      content += static_cast<char>(high * 16 + low);
      position_ += 2;
    } else {
      fail(position_ - 2, "unknown escape in a string; known are \\\", \\\\, \\n and \\x00 to \\xff");
    }
  }
}

std::string_view TextCursor::literal() {
  size_t start = position();
  auto take = [&](auto accept) {
    while (position_ < text_.size() && accept(text_[position_])) ++position_;
  };
  const auto number = [](char c) { return is_word_char(c) || c == '.' || c == '-' || c == '+'; };
  take(number);
  while (text_.substr(start, position_ - start).ends_with("nan") && position_ < text_.size() &&
         text_[position_] == '(') {
    ++position_;
    take(is_word_char);
    if (position_ < text_.size() && text_[position_] == ')') ++position_;
    take(number);  // the other part of a complex number
  }
  return text_.substr(start, position_ - start);
}

int64_t TextCursor::integer(std::string_view what) {
  size_t start = position();
  std::string_view token = literal();
  int64_t value = 0;
  auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (token.empty() || result.ec != std::errc() || result.ptr != token.data() + token.size()) {
    position_ = start;
    expected(what);
  }
  return value;
}

int TextCursor::line_of(size_t position) const {
  return 1 + static_cast<int>(
                 std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

void TextCursor::fail(size_t position, const std::string& message) const {
  size_t line_start = position == 0 ? std::string_view::npos : text_.rfind('\n', position - 1);
  size_t column = line_start == std::string_view::npos ? position + 1 : position - line_start;
  throw Error(std::string(file_) + ":" + std::to_string(line_of(position)) + ":" + std::to_string(column) +
              ": " + message);
}

void TextCursor::expected(std::string_view what) {
  fail(position(), "expected " + std::string(what) + ", found " + found());
}

std::string TextCursor::found() {
  if (at_end()) return "the end of the text";
  constexpr size_t kMost = 24;
  size_t end = position_ + 1;
  if (const auto first = static_cast<unsigned char>(text_[position_]); first >= 0x80 || first < ' ') {
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    const std::string_view character = text_.substr(position_, length);
    const bool whole = length > 1 && character.size() == length &&
                       std::all_of(character.begin() + 1, character.end(),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
    if (whole) return "'" + std::string(character) + "'";
    constexpr const char* kDigits = "0123456789abcdef";
    return std::string("the byte 0x") + kDigits[first >> 4] + kDigits[first & 15];
  }
  if (is_name_char(text_[position_]) || text_[position_] == '%' || text_[position_] == '@') {
    while (end < text_.size() && end - position_ < kMost && is_name_char(text_[end])) ++end;
  }
  return "'" + std::string(text_.substr(position_, end - position_)) + "'";
}

std::string shortened(std::string_view word) {
  constexpr size_t kMost = 60;
  if (word.size() <= kMost) return std::string(word);
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;  // no part of a character
  return std::string(word.substr(0, end)) + "... (" + std::to_string(word.size()) + " bytes)";
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace ingot::ir
