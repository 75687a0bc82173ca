#include "stablehlo/scanner.h"

#include <algorithm>
#include <charconv>

#include "ingot/error.h"

namespace ingot::stablehlo {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_word(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '$';
}
bool in_name(char c) {
  return in_word(c) || c == '-';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
int hex_value(char c) {
  return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

// Where the next quote of the line stands, if it has one. By searches for one character, which are fast, in
// blocks that stay in a cache from one search to the other: constants may be of many megabytes.
size_t closing_quote(std::string_view text, size_t from) {
  constexpr size_t kBlock = 16384;
  for (; from < text.size(); from += kBlock) {
    const std::string_view block = text.substr(from, kBlock);
    const size_t quote = block.find('"');
    if (block.substr(0, quote).find('\n') != std::string_view::npos) break;
    if (quote != std::string_view::npos) return from + quote;
  }
  return std::string_view::npos;
}

}  // namespace

void Scanner::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      break;
    }
  }
}

bool Scanner::sees_word(std::string_view word) {
  if (!begins_with(word)) return false;
  const size_t end = position_ + word.size();
  return end >= text_.size() || !in_word(text_[end]);
}

bool Scanner::accept_word(std::string_view word) {
  if (!sees_word(word)) return false;
  position_ += word.size();
  return true;
}

void Scanner::expect(std::string_view punctuation, std::string_view context) {
  if (!accept(punctuation)) expected("'" + std::string(punctuation) + "' " + std::string(context));
}

std::string_view Scanner::word(std::string_view what) {
  const size_t start = position();
  if (start == text_.size() || !is_letter(text_[start])) expected(what);
  while (position_ < text_.size() && in_word(text_[position_])) ++position_;
  return from(start);
}

std::string_view Scanner::name(char sigil, std::string_view what) {
  if (peek() != sigil) expected(what);
  const size_t start = ++position_;
  if (position_ < text_.size() && is_digit(text_[position_])) {
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
  } else {
    while (position_ < text_.size() && in_name(text_[position_])) {
      if (text_.compare(position_, 2, "->") == 0) break;
      ++position_;
    }
  }
  if (position_ == start) fail(start - 1, "expected a name after '" + std::string(1, sigil) + "'");
  return from(start);
}

std::string Scanner::symbol(std::string_view what) {
  std::string all;
  do {
    if (!all.empty()) all += "::@";
    if (peek() != '@') expected(what);
    if (position_ + 1 < text_.size() && text_[position_ + 1] == '"') {
      ++position_;
      all += string(what);
    } else {
      all += name('@', what);
    }
  } while (accept("::"));
  return all;
}

std::string_view Scanner::raw_string(std::string_view what) {
  if (peek() != '"') expected(what);
  const size_t start = position_ + 1;
  size_t end = start;
  while (true) {
    end = closing_quote(text_, end);
    if (end == std::string_view::npos) fail(start - 1, "the string has no closing '\"'");
    size_t escapes = 0;  // backslashes before the quote: an odd number makes it one of the string
    while (end - escapes > start && text_[end - escapes - 1] == '\\') ++escapes;
    if (escapes % 2 == 0) break;
    ++end;
  }
  position_ = end + 1;
  return text_.substr(start, end - start);
}

std::string Scanner::string(std::string_view what) {
  const std::string_view raw = raw_string(what);
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string content;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      content += raw[i];
      continue;
    }
    const char next = raw[++i];  // there is one: a string does not end behind a backslash
    if (next == '"' || next == '\\') {
      content += next;
    } else if (is_hex(next) && i + 1 < raw.size() && is_hex(raw[i + 1])) {
      content += static_cast<char>(hex_value(next) * 16 + hex_value(raw[i + 1]));
      ++i;
    } else if (next == 'n' || next == 't') {
      content += next == 'n' ? '\n' : '\t';
    } else {
      fail(static_cast<size_t>(raw.data() - text_.data()) + i - 1,
           "unknown escape in a string; known are \\\", \\\\, \\n, \\t and two hexadecimal digits");
    }
  }
  return content;
}

std::string_view Scanner::digits() {
  const size_t start = position_;
  while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
  return from(start);
}

bool Scanner::accept_now(char c) {
  if (position_ >= text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

std::string_view Scanner::number() {
  const size_t start = position();
  size_t at = start;
  const auto more = [&](auto accepts) {
    const size_t from = at;
    while (at < text_.size() && accepts(text_[at])) ++at;
    return at > from;
  };
  if (at < text_.size() && text_[at] == '-') ++at;
  if (text_.compare(at, 2, "0x") == 0 && at + 2 < text_.size() && is_hex(text_[at + 2])) {
    at += 2;
    more(is_hex);
  } else {
    if (!more(is_digit)) return {};
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      more(is_digit);
      if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
        size_t exponent = at + 1;
        if (exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+')) ++exponent;
        if (exponent < text_.size() && is_digit(text_[exponent])) {
          at = exponent;
          more(is_digit);
        }
      }
    } else if (at + 1 < text_.size() && (text_[at] == 'e' || text_[at] == 'E') &&
               (is_digit(text_[at + 1]) || text_[at + 1] == '-' || text_[at + 1] == '+')) {
      const std::string digits(text_.substr(start, at - start));
      fail(start, "a number with an exponent has a point: " + digits + ".0e...");
    }
  }
  position_ = at;
  return from(start);
}

int64_t Scanner::integer(std::string_view what) {
  const size_t start = position();
  const bool negative = start < text_.size() && text_[start] == '-';
  const int64_t value = integer_bits(what);
  if (!negative && value < 0) fail(start, "the number does not fit into 64 bits with a sign");
  return value;
}

int64_t Scanner::integer_bits(std::string_view what) {
  const size_t start = position();
  std::string_view token = number();
  const bool negative = token.starts_with("-");
  std::string_view magnitude = negative ? token.substr(1) : token;
  const int base = magnitude.starts_with("0x") ? 16 : 10;
  if (base == 16) magnitude.remove_prefix(2);
  uint64_t value = 0;
  const char* end = magnitude.data() + magnitude.size();
  const auto result = std::from_chars(magnitude.data(), end, value, base);
  // The least signed number has a magnitude of its own; of ui64 the bits are kept.
  if (magnitude.empty() || result.ec != std::errc() || result.ptr != end ||
      (negative && value > uint64_t{1} << 63)) {
    position_ = start;
    if (result.ec == std::errc::result_out_of_range) fail(start, "the number does not fit into 64 bits");
    expected(what);
  }
  return static_cast<int64_t>(negative ? 0 - value : value);
}

std::string_view Scanner::balanced(char close, std::string_view what) {
  const size_t start = position_;
  std::string expecting(1, close);  // a stack of what closes
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '"') {
      raw_string(what);
      continue;
    }
    ++position_;
    if (c == '-' && position_ < text_.size() && text_[position_] == '>') {
      ++position_;
    } else if (c == '<' || c == '(' || c == '[' || c == '{') {
      expecting += c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      if (c != expecting.back()) {
        fail(position_ - 1, "expected '" + std::string(1, expecting.back()) + "' in " + std::string(what) +
                                ", found '" + std::string(1, c) + "'");
      }
      expecting.pop_back();
      if (expecting.empty()) return text_.substr(start, position_ - 1 - start);
    }
  }
  fail(start, std::string(what) + " does not end: there is no '" + std::string(1, expecting.back()) + "'");
}

Scanner::Place Scanner::place_of(size_t position) {
  if (position < placed_) {
    placed_ = line_start_ = 0;
    line_ = 1;
  }
  for (size_t at = placed_;;) {
    const size_t newline = text_.substr(0, position).find('\n', at);
    if (newline == std::string_view::npos) break;
    ++line_;
    line_start_ = at = newline + 1;
  }
  placed_ = position;
  return {line_, static_cast<int>(position - line_start_) + 1};
}

void Scanner::fail(size_t position, const std::string& message) {
  const Place place = place_of(position);
  throw Error(std::string(file_) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
              ": " + message);
}

void Scanner::expected(std::string_view what) {
  const size_t at = position();
  fail(at, "expected " + std::string(what) + ", found " + found());
}

std::string Scanner::found() {
  if (at_end()) return "the end of the text";
  constexpr size_t kMost = 24;
  const auto first = static_cast<unsigned char>(text_[position_]);
  if (first < ' ' || first >= 0x7f) {
    constexpr const char* kDigits = "0123456789abcdef";
    return std::string("the byte 0x") + kDigits[first >> 4] + kDigits[first & 15];
  }
  size_t end = position_ + 1;
  while (end < text_.size() && end - position_ < kMost && in_name(text_[end])) ++end;
  return "'" + std::string(text_.substr(position_, end - position_)) + "'";
}

}  // namespace ingot::stablehlo
