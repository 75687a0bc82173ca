// The text of a program, in which long literals are written when someone reads it: numbers take some ten
// times as long to write as to compute, and three times as much memory, and few read the text of a compiled
// program.
#pragma once

#include <string>
#include <vector>

#include "ir/text.h"

namespace ingot::ir {

class DeferredText {
 public:
  DeferredText() = default;
  explicit DeferredText(const Module& module);

  std::string str() const;  // as to_string(module)
  size_t bytes() const;     // that it takes until then

 private:
  struct Literal {
    size_t position;  // in text_, where its elements belong
    Tensor value;
  };
  friend class Printer;
  std::string text_;
  std::vector<Literal> literals_;
};

}  // namespace ingot::ir
