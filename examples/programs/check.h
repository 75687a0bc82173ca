// What the examples that are compared with JAX share: numbers of jax_examples.txt, which jax_examples.py
// wrote.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ingot/ingot.h"

namespace programs {

// `--check FILE` asks for a small run that is compared with the file; any other arguments are the example's.
class Check {
 public:
  Check(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::string(argv[i]) == "--check" && i + 1 < argc) {
        read(argv[++i]);
      } else {
        arguments_.push_back(argv[i]);
      }
    }
  }
  bool wanted() const { return wanted_; }
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Whether the values are those of the file, up to tolerance * (1 + size).
  void expect(const std::string& name, const ingot::Array& actual, double tolerance) {
    if (!wanted_) return;
    const std::vector<double>& expected = values_[name];
    const std::vector<double> values = actual.astype(ingot::DType::kF64).to_vector<double>();
    bool same = values.size() == expected.size();
    for (size_t i = 0; i < values.size() && same; ++i)
      same = std::fabs(values[i] - expected[i]) <= tolerance * (1 + std::fabs(expected[i]));
    std::printf("%-20s %s\n", name.c_str(), same ? "as JAX has it" : "NOT as JAX has it");
    for (size_t i = 0; !same && i < values.size(); ++i)
      std::printf("  %.9g for %.9g\n", values[i], i < expected.size() ? expected[i] : NAN);
    good_ &= same;
  }
  int result() const { return good_ ? 0 : 1; }

 private:
  void read(const std::string& path) {
    wanted_ = true;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      for (double value; words >> value;) values_[name].push_back(value);
    }
  }

  bool wanted_ = false, good_ = true;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace programs
