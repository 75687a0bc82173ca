// Lines of programs, as reports tell them.
#pragma once

#include <string>
#include <vector>

namespace ingot {

// "from a.cc:3, b.cc:7 in scope", or nothing for no lines. More than three lines of one file and scope are
// told together, as "a.cc:3,5-9,12": a kernel of a program that JAX has exported comes from dozens.
std::string from_lines(const std::vector<std::string>& lines);

}  // namespace ingot
