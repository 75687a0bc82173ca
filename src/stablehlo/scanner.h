// A place in MLIR text: skips space and comments, reads words, names, strings and numbers, and reports errors
// as "file:line:column: expected ..., found ...". Knows MLIR's lexical form and nothing of its grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot::stablehlo {

class Scanner {
 public:
  struct Place {
    int line = 1, column = 1;
  };

  Scanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  size_t position() {  // of the next token
    if (position_ < text_.size() && (text_[position_] <= ' ' || text_[position_] == '/')) skip_space();
    return position_;
  }
  void go_to(size_t position) { position_ = position; }
  char peek() { return at_end() ? '\0' : text_[position_]; }  // its first character; '\0' at the end
  bool at_end() { return position() == text_.size(); }
  std::string_view text() const { return text_; }
  std::string_view from(size_t start) const { return text_.substr(start, position_ - start); }

  bool accept(std::string_view punctuation) {
    if (!begins_with(punctuation)) return false;
    position_ += punctuation.size();
    return true;
  }
  bool accept_word(std::string_view word);  // a whole word
  bool sees_word(std::string_view word);    // without taking it
  void expect(std::string_view punctuation, std::string_view context);

  std::string_view word(std::string_view what);  // letters, digits, _ . $; begins with none of the digits
  // What follows %, @, #, ! or ^: digits, or letters, digits and $ . _ -; @ may have a string instead.
  std::string_view name(char sigil, std::string_view what);
  std::string symbol(std::string_view what);           // @name, @"any text", @a::@b; without the first @
  std::string string(std::string_view what);           // "text" with its escapes resolved
  std::string_view raw_string(std::string_view what);  // as it stands between the quotes
  int64_t integer(std::string_view what);              // -3, 0x10
  int64_t integer_bits(std::string_view what);         // the same; of a number from 2^63 to 2^64 - 1 its bits
  std::string_view digits();  // as many digits as come at once, without skipping space first
  bool accept_now(char c);    // the very next character
  // The number that comes, as it stands: -1.5e+10, 42, 0x7FC0. Empty if there is none.
  std::string_view number();
  // Everything up to the closing bracket that belongs to the one that has just been taken, which is taken
  // too:
  // <, (, [ and { nest, strings are skipped.
  std::string_view balanced(char close, std::string_view what);

  Place place_of(size_t position);
  [[noreturn]] void fail(size_t position, const std::string& message);
  [[noreturn]] void expected(std::string_view what);  // at the next token

 private:
  void skip_space();
  bool begins_with(std::string_view what) {  // the next token
    const size_t at = position();
    return at < text_.size() && text_[at] == what[0] && text_.compare(at, what.size(), what) == 0;
  }
  std::string found();

  std::string_view text_, file_;
  size_t position_ = 0;
  // The last place that was asked for: places come in order, so that no line is counted twice.
  size_t placed_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace ingot::stablehlo
