#include <iostream>

#include "tools/command.h"

int main(int argc, char** argv) {
  return ingot::tools::run_command({argv + 1, argv + argc}, {std::cin, std::cout, std::cerr});
}
