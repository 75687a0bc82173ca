// A place in a text that is being parsed: skips space and comments, reads words, names and tokens, and
// reports errors as "file:line:column: message". Knows the lexical form of the IR and nothing of its grammar.
#pragma once

#include <string>
#include <string_view>

namespace ingot::ir {

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // The position of the next token: space and comments (// and #, to the end of the line) are skipped.
  size_t position();
  char peek();  // its first character; '\0' at the end
  bool at_end() { return position() == text_.size(); }

  bool accept(std::string_view punctuation);
  bool accept_word(std::string_view word);
  // Fails with "expected ')' after the operands, found '...'".
  void expect(std::string_view punctuation, std::string_view context);

  std::string_view word(std::string_view what);         // letters, digits and _; fails with "expected <what>"
  std::string name(char sigil, std::string_view what);  // %name, @name or %"any text"
  std::string quoted(std::string_view what);
  // A number or a word as it stands in literals: -1.5e+10, true, nan(0x7fc00001). Empty if there is none.
  std::string_view literal();
  int64_t integer(std::string_view what);

  int line_of(size_t position) const;
  [[noreturn]] void fail(size_t position, const std::string& message) const;
  // "expected <what>, found '...'" at the next token.
  [[noreturn]] void expected(std::string_view what);

  // True for names that need no quotes.
  static bool is_plain_name(std::string_view name);

 private:
  std::string found();

  std::string_view text_;
  std::string_view file_;
  size_t position_ = 0;
};

// A word of a text as errors show it: what is long is cut off.
std::string shortened(std::string_view word);

// The candidate nearest to `word` in spelling, near enough to be meant; empty if there is none.
template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates);
size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string_view nearest_word(std::string_view word, const Range& candidates) {
  std::string_view best;
  if (word.size() > 100) return best;  // nobody meant it, and distances take the product of the lengths
  size_t best_distance = word.size() / 3 + 1;
  for (std::string_view candidate : candidates) {
    size_t distance = edit_distance(word, candidate);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace ingot::ir
