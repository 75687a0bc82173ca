#include "compiler/dump.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ir/text.h"

namespace ingot::compiler {
namespace {

std::string hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016lx", static_cast<unsigned long>(value));
  return text;
}

std::string ms(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", value);
  return text;
}

// A kernel's name as a file's: letters, digits and marks that mean nothing to a shell or a file system.
// Others are replaced, and as two names may become one so, the hash goes behind.
std::string file_name(const std::string& name, uint64_t hash) {
  constexpr size_t kLongest = 150;
  std::string safe = name.substr(0, kLongest);
  for (char& c : safe) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '_' && c != '-' && c != '.') c = '_';
  }
  return safe == name ? name : safe + "_" + hex(hash);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  if (out) out << text;
  if (out) out.close();  // what is short is written here
  if (!out) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

Dump::Dump(std::string directory) : directory_(std::move(directory)) {
  if (!wanted()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) throw Error("cannot make the folder " + directory_ + " for the dump: " + error.message());
}

void Dump::write(const std::string& file, const std::string& text, const std::string& what) {
  write_file(directory_ + "/" + file, text);
  index_ += "- [" + file + "](" + file + "): " + what + "\n";
}

void Dump::pass(int index, std::string_view name, const ir::Module& module) {
  char number[8];
  std::snprintf(number, sizeof number, "%02d", index);
  std::string text = ir::to_string(module, {.version = true});
  const bool same = index > 0 && text == last_program_;
  write(std::string(number) + "_" + std::string(name) + ".ir", text,
        index == 0 ? "the program as it came" : "after " + std::string(name) + (same ? " (unchanged)" : ""));
  last_program_ = std::move(text);
}

void Dump::kernel(const kernel::Kernel& unscheduled, const CachedKernel& cached) {
  const std::string base = "kernel_" + file_name(unscheduled.name, cached.hash);
  if (index_.find("[" + base + ".kernel]") != std::string::npos) return;
  write(base + ".kernel", kernel::to_string(unscheduled), "loop nest, hash " + hex(cached.hash));
  write(base + ".scheduled.kernel", kernel::to_string(cached.scheduled), "the same with its schedule");
  for (const backend::CodeText& text : cached.code.texts)
    write(base + "." + text.suffix, text.text, text.title);
}

void Dump::finish(const Compiled& compiled) {
  if (!wanted()) return;
  if (compiled.executable)
    write("plan.txt", runtime::to_string(*compiled.executable), "launches and buffers");
  std::string refusals, notes, names;
  for (const pass::Refusal& r : compiled.refusals) refusals += to_string(r) + "\n";
  write("refusals.txt", refusals,
        std::to_string(compiled.refusals.size()) + " fusions that were not made, and why");
  for (const pass::Note& note : compiled.notes)
    notes += note.pass + ": " + note.about + " " + note.text + "\n";
  write("notes.txt", notes, "what passes decided");
  for (const ir::Fate& fate : compiled.fates) names += ir::to_string(fate) + "\n";
  write("names.txt", names, "what became of values and functions that passes took away");
  std::string head = "# Compilation\n\n| pass | ms | rewrites |\n| --- | --- | --- |\n";
  for (const PassReport& p : compiled.passes) {
    head += "| " + p.name + " | " + ms(p.ms) + " | " + std::to_string(p.rewrites) + " |\n";
  }
  head += "\nPasses " + ms(compiled.passes_ms) + ", kernels " + ms(compiled.kernels_ms) +
          ", code generation " + ms(compiled.codegen_ms) + ", " + std::to_string(compiled.kernels_compiled) +
          " kernels compiled.\n\n";
  write_file(directory_ + "/index.md", head + index_);
}

}  // namespace ingot::compiler
