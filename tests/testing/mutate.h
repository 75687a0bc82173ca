// Texts and files with mistakes in them: what a person, a broken disk or an attacker would hand to the
// parsers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testing/tensors.h"

namespace ingot::testing {

// One of the texts with a few changes: bytes, tokens, numbers (one or all of a value, often to an extreme),
// names of operations and element types, lines lost, repeated or swapped, ends cut off, pieces of another.
std::string mutated_ir(const std::vector<std::string>& texts, Random& random);

// Bytes with a few changes: flipped, lost, repeated, cut off, and fields of 2, 4 and 8 bytes set to extremes.
std::string mutated_bytes(std::string bytes, Random& random);

// Programs of the IR's text in a folder: files *.ir, and the parts of *.txt between lines of = and -.
std::vector<std::string> programs_in(const std::string& folder);

// Reads the text as the command does and does everything with it that costs little: verifies it, prints it
// and reads that again, and where it is a small program, interprets it; with `compile` also compiles it, and
// where it is a very small one that means one thing, runs it and compares (check_compiled, judged). Returns
// what is wrong: another exception than ingot::Error, an error without its place, another text, other values.
// An empty string if all is well. The seed draws arguments and the way of compiling; `stages` counts how far
// texts came.
struct Stages {
  int64_t read = 0, interpreted = 0, compiled = 0, compared = 0;
};
std::string try_ir(const std::string& text, bool compile, uint64_t seed, Stages& stages);

// StableHLO modules in a folder: files *.mlir. They are changed as programs are (mutated_ir).
std::vector<std::string> modules_in(const std::string& folder);
// Reads such a text, prints it and reads that again, imports it, and does with the program what try_ir does.
std::string try_stablehlo(const std::string& text, bool compile, uint64_t seed, Stages& stages);
// One of the artifacts (MLIR bytecode) with a few bytes changed, many into small numbers: what refers to
// something refers to something else.
std::string mutated_artifact(const std::vector<std::string>& artifacts, Random& random);
// Reads such bytes, prints and imports the module, and does with the program what try_ir does.
std::string try_artifact(const std::string& bytes, bool compile, uint64_t seed, Stages& stages);

}  // namespace ingot::testing
