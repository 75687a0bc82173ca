// Files of cases: input text, a line "// ----", expected text; cases are set apart by lines "// ====".
// INGOT_UPDATE_GOLDEN=1 in the environment rewrites what is expected.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ingot::testing {

std::string read_file(const std::filesystem::path& path);

// The files of a folder, sorted.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// Runs every case of the file and expects what stands there. To be called in a gtest.
void check_golden_file(const std::filesystem::path& file,
                       const std::function<std::string(const std::string& input)>& run);

// The inputs of its cases.
std::vector<std::string> golden_inputs(const std::filesystem::path& file);

// The rest of the line in `input` that begins with "// <name>: ", or "".
std::string golden_option(const std::string& input, const std::string& name);

}  // namespace ingot::testing
