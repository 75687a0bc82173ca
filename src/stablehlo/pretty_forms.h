// The forms of their own that operations have in text, as data: one line each, in a small language.
//
//   ,  =  (  dim      these characters or this word
//   %                 an operand;  %* operands between commas, perhaps none;  %*, a comma behind each
//   $name:kind        the value of an attribute: int, ints [1, 2], bool, string, symbol, target @name as a
//   string,
//                     or enum:KIND for a word of that enumeration
//   {}                attributes in braces, if there are any
//   ?( ... )          all of this, if its first token is there
//   :same             : one type for all operands and the result, or a signature
//   :fn               : a signature (a, b) -> c
//   :each             : a, b -> c, one type for each operand, with or without brackets
//   :result           : the result's type
//   :operands         : one type for each operand
//   :all              : one type for all operands
//   :complex, :select, :tuple      what these operations have instead
//   <name>            a part that custom_part() in text_pretty.cc reads
#pragma once

#include <string_view>
#include <vector>

namespace ingot::stablehlo {

struct FormToken {
  enum class Kind {
    kPunctuation,
    kWord,
    kOperand,
    kOperands,
    kOperandsWithCommas,
    kAttribute,
    kDictionary,
    kOptional,  // up to `end`
    kTypes,
    kCustom
  };
  Kind kind;
  std::string_view text;          // the word, the attribute's name, or which types or custom part
  std::string_view value, which;  // of an attribute: its kind, and which enumeration
  size_t end = 0;                 // of an optional group: the token behind it
};

// The tokens of the operation's form, or null if it has none.
const std::vector<FormToken>* pretty_form_of(std::string_view operation);

}  // namespace ingot::stablehlo
