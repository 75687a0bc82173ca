// ingot passes: the compiler's pass list, with the reason of each pass.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <set>

#include "compiler/pipeline.h"
#include "pass/passes.h"
#include "tools/command.h"
#include "tools/show.h"

namespace ingot::tools {

// In pipeline order; a pass that runs again is explained the first time. Then what can be asked for by name
// only.
void list_passes(std::ostream& out) {
  Table table({"nr", "pass", "why"});
  std::set<std::string> seen;
  int number = 0;
  for (const auto& pass : compiler::pipeline()) {
    const bool first = seen.insert(std::string(pass->name())).second;
    table.add(
        {std::to_string(++number), std::string(pass->name()), first ? std::string(pass->why()) : "(again)"});
  }
  for (const pass::PassEntry& entry : pass::all_passes()) {
    if (!seen.insert(std::string(entry.name)).second) continue;
    table.add({"-", std::string(entry.name), std::string(entry.make()->why())});
  }
  out << table.text({true, false, false});
}

void add_passes(CLI::App& app, const Streams& streams) {
  CLI::App* command =
      app.add_subcommand("passes", "list the passes in the order in which the compiler runs them");
  command->callback([&streams] { list_passes(streams.out); });
}

}  // namespace ingot::tools
