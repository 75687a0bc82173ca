// The text form of the IR, with an exact round trip: parse(print(m)) prints the same text.
//
//   func @softmax(%x: f32[8,4]) -> (f32[8,4]) {
//     %zero = constant() {value = dense f32[]{-inf}} : f32[] loc("a.cc":3)
//     %m = reduce(%x, %zero) {axes = [1]} (%a: f32[], %b: f32[]) {
//       %c = max(%a, %b) : f32[]
//       return %c
//     } : f32[8] loc("a.cc":3 in "attention" by "views" from "transpose")
//     return %y
//   }
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace ingot::ir {

// Of this text. A file may say which one it is of by a first line `version 1`; without, it is this one. Older
// ones are read for good.
inline constexpr int64_t kTextVersion = 1;

struct PrintOptions {
  bool locations = true;
  bool version = false;  // of a module: the line that says it, for files that are to be kept
  // Arrays of more elements print as dense f32[1000]{...}, which does not parse. -1: never shorten.
  int64_t max_literal_elements = -1;
};

std::string to_string(const Module& module, const PrintOptions& options = {});
std::string to_string(const Function& function, const PrintOptions& options = {});
std::string to_string(const Op& op, const PrintOptions& options = {});

// Throws ingot::Error "file:line:column: what is wrong, and what would have been right". `file` names the
// text.
std::unique_ptr<Module> parse(std::string_view text, std::string_view file = "<text>");

}  // namespace ingot::ir
