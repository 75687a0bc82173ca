// ingot_fingerprint: what the compiler makes of many programs, a line of digests for each. A change that
// should only move or rename code leaves all lines as they were; what others change is seen line by line.
//
//   ingot_fingerprint --random 5000 PROGRAMS.ir...    random programs of seeds 0 on, and files
//   ingot_fingerprint --keep DIR ...                  keeps the whole story of each in a folder of its own
//   ingot_fingerprint --jobs N ...                    processes at once (default: two)
//
// Each program is compiled for every vector width of at least 32 bytes that this machine has:
//
//   NAME WIDTH groups=D unscheduled=D scheduled=D assembly=D
//
// groups is the program after `fuse`, before what follows it; kernels count in the order of their names.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "ir/text.h"
#include "testing/golden.h"
#include "testing/numbers.h"
#include "testing/random_program.h"

namespace ingot::testing {
namespace {

namespace fs = std::filesystem;

// FNV-1a, so that lines of two builds may be compared.
std::string digest(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

// Functions of this process that kernels call by address lie elsewhere each time.
std::string without_addresses(const std::string& assembly) {
  static const std::regex address(R"(\$(9[34]|1[0-4])\d{13}\b)");  // 0x55... to 0x7f..., twelve digits
  return std::regex_replace(assembly, address, "$$ADDRESS");
}

// The digests of what a dump holds.
std::string digests(const fs::path& dump) {
  std::map<std::string, std::string> files;  // by name
  for (const auto& entry : fs::directory_iterator(dump)) files[entry.path().filename()] = entry.path();
  std::string groups, unscheduled, scheduled, assembly;
  for (const auto& [name, path] : files) {
    if (name.ends_with("_fuse.ir"))
      groups = read_file(path);
    else if (name.ends_with(".scheduled.kernel"))
      scheduled += read_file(path);
    else if (name.ends_with(".kernel"))
      unscheduled += read_file(path);
    else if (name.ends_with(".s"))
      assembly += without_addresses(read_file(path));
  }
  return "groups=" + digest(groups) + " unscheduled=" + digest(unscheduled) +
         " scheduled=" + digest(scheduled) + " assembly=" + digest(assembly);
}

struct Source {
  std::string name, text;  // without a text: a random program
  uint64_t seed = 0;
};

std::unique_ptr<ir::Module> module_of(const Source& source) {
  if (source.text.empty()) return random_program(source.seed, options_of_seed(source.seed)).module;
  return ir::parse(source.text, source.name);
}

// The programs of a file, be it one or the cases of a golden test.
void append_programs(std::vector<Source>& sources, const fs::path& file) {
  std::string name;  // the last three parts of the path
  const std::vector<fs::path> parts(file.begin(), file.end());
  for (size_t i = parts.size() - std::min<size_t>(3, parts.size()); i < parts.size(); ++i)
    name += (name.empty() ? "" : ".") + parts[i].stem().string();
  const std::vector<std::string> texts = golden_inputs(file);
  for (size_t i = 0; i < texts.size(); ++i)
    sources.push_back({name + (i ? "." + std::to_string(i) : ""), texts[i]});
}

std::string line(const Source& source, const kernel::Target& target, const fs::path& folder, bool keep) {
  const std::string width = std::to_string(target.vector_bytes * 8);
  const fs::path dump = folder / (source.name + "." + width);
  std::string text = source.name + " " + width + " ";
  try {
    compiler::Options options;
    options.target = target;
    options.dump_directory = dump;
    fs::create_directories(dump);
    compiler::compile(module_of(source), options);
    text += digests(dump);
  } catch (const std::exception& error) {
    text += std::string("error: ") + error.what();
    text = text.substr(0, text.find('\n'));
  }
  if (!keep) fs::remove_all(dump);
  return text + "\n";
}

// Every `jobs`-th program from the `job`-th on.
void work(const std::vector<Source>& sources, size_t job, size_t jobs, const fs::path& folder, bool keep) {
  std::ofstream out(folder / (std::to_string(job) + ".lines"));
  for (size_t i = job; i < sources.size(); i += jobs) {
    for (const kernel::Target& target : codegen::available_targets()) {
      if (target.tiles.count == 0 && target.vector_bytes >= 32) out << line(sources[i], target, folder, keep);
    }
    if (job == 0 && isatty(2)) std::fprintf(stderr, "\r%zu of %zu", i, sources.size());
  }
  out.close();
  if (!out) throw Error("cannot write to " + folder.string());
}

int run(int argc, char** argv) {
  std::vector<Source> sources;
  uint64_t random = 0;
  size_t jobs = 2;
  std::string kept;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error(word + " needs a value");
      return std::string(argv[++i]);
    };
    if (word == "--random")
      random = number_of<uint64_t>(word, value());
    else if (word == "--jobs")
      jobs = number_of<size_t>(word, value(), 1, 4096);
    else if (word == "--keep")
      kept = value();
    else if (word.starts_with("--"))
      throw Error("unknown option " + word + "; --random, --keep, --jobs are known");
    else
      append_programs(sources, word);
  }
  std::sort(sources.begin(), sources.end(), [](auto& a, auto& b) { return a.name < b.name; });
  for (uint64_t seed = 0; seed < random; ++seed)
    sources.push_back({"random." + std::to_string(seed), "", seed});

  std::string folder = kept;
  if (kept.empty()) {
    folder = (fs::temp_directory_path() / "fingerprint-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw Error("cannot make a folder like " + folder);
  }
  fs::create_directories(folder);
  for (size_t job = 0; job < jobs; ++job) {
    if (const pid_t child = fork(); child == 0) {
      work(sources, job, jobs, folder, !kept.empty());
      _exit(0);
    } else if (child < 0) {
      throw Error("cannot start a process");
    }
  }
  bool well = true;
  for (int status; wait(&status) > 0;) well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!well) throw Error("a process ended badly; see " + folder);
  std::vector<std::string> lines;
  for (size_t job = 0; job < jobs; ++job) {
    std::istringstream text(read_file(fs::path(folder) / (std::to_string(job) + ".lines")));
    for (std::string next; std::getline(text, next);) lines.push_back(next);
  }
  std::sort(lines.begin(), lines.end());
  for (const std::string& next : lines) std::puts(next.c_str());
  if (kept.empty()) fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace ingot::testing

int main(int argc, char** argv) {
  try {
    return ingot::testing::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ingot_fingerprint: %s\n", error.what());
    return 2;
  }
}
