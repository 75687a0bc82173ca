#include "testing/mutate.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/op_record.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/control.h"
#include "ops/identities.h"
#include "stablehlo/bytecode/bytecode.h"
#include "stablehlo/import.h"
#include "stablehlo/text.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/tensors.h"

namespace ingot::testing {
namespace {

constexpr const char* kExtremes[] = {"0",
                                     "-1",
                                     "1",
                                     "2",
                                     "3",
                                     "7",
                                     "-2147483648",
                                     "4294967296",
                                     "281474976710656",
                                     "281474976710657",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "9223372036854775808",
                                     "1e400",
                                     "-0",
                                     "nan",
                                     "inf",
                                     "-inf",
                                     "0.5",
                                     "nan(0x7fc00001)",
                                     "65536",
                                     "1048576"};
constexpr const char* kPunctuation[] = {"(", ")",  "{", "}", "[",  "]",  ",", ":",
                                        "=", "->", "%", "@", "\"", "//", "#"};
constexpr const char* kWords[] = {"func",    "return", "loc",   "dense",  "true", "false",
                                  "donated", "by",     "from",  "callee", "axis", "dims",
                                  "shape",   "axes",   "value", "dtype",  "\n"};

size_t below(Random& random, size_t count) {
  return count == 0 ? 0 : static_cast<size_t>(random() % count);
}

template <class List>
std::string one_of(const List& list, Random& random) {
  return std::string(list[below(random, std::size(list))]);
}

struct Token {
  size_t begin, end;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (is_word(text[i]) || text[i] == '-') {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    if (std::isspace(static_cast<unsigned char>(text[i])) == 0) tokens.push_back({i, end});
    i = end;
  }
  return tokens;
}

std::vector<Token> numbers_of(const std::string& text) {
  std::vector<Token> numbers;
  for (const Token& token : tokens_of(text)) {
    const char last = text[token.end - 1];
    const bool name = token.begin > 0 && (text[token.begin - 1] == '%' || text[token.begin - 1] == '@');
    const char first = text[token.begin];
    if (!name && std::isdigit(static_cast<unsigned char>(last)) != 0 &&
        (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '-'))
      numbers.push_back(token);
  }
  return numbers;
}

std::string number(Random& random) {
  return random() % 3 == 0 ? std::to_string(random() % 9) : one_of(kExtremes, random);
}

constexpr const char* kStablehloWords[] = {"tensor<2xf32>",
                                           "tensor<",
                                           "xf32>",
                                           "i1",
                                           "i32",
                                           "ui8",
                                           "f64",
                                           "complex<f32>",
                                           "?",
                                           "x",
                                           "tuple<",
                                           "stablehlo.add",
                                           "stablehlo.while",
                                           "\"stablehlo.case\"",
                                           "stablehlo.constant",
                                           "dense",
                                           "dense<",
                                           "\"0x",
                                           "array<i64: 1>",
                                           "#stablehlo",
                                           "loc(#loc1)",
                                           "unknown",
                                           "callsite(",
                                           "fused[",
                                           "^bb0",
                                           "%0",
                                           "%arg0",
                                           "%0#1",
                                           ":2",
                                           "call",
                                           "@main",
                                           "attributes",
                                           "private",
                                           "{",
                                           "}",
                                           "({",
                                           "})",
                                           "<{",
                                           "}>",
                                           "dims",
                                           "across",
                                           "init",
                                           "applies",
                                           "cond",
                                           "do"};

// A word of the language.
std::string word(Random& random, bool stablehlo) {
  if (stablehlo && random() % 2 == 0) return one_of(kStablehloWords, random);
  switch (random() % 5) {
    case 0: {
      const auto records = ir::all_records();
      return std::string(*records[below(random, records.size())]->name);
    }
    case 1:
      return std::string(name_of(kAllDTypes[below(random, std::size(kAllDTypes))]));
    case 2:
      return number(random);
    case 3:
      return one_of(kPunctuation, random);
    default:
      return one_of(kWords, random);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void replace_all(std::string& text, const std::vector<Token>& tokens, const std::string& from,
                 const std::string& to) {
  for (size_t i = tokens.size(); i-- > 0;) {
    const auto [begin, end] = tokens[i];
    if (text.compare(begin, end - begin, from) == 0) text.replace(begin, end - begin, to);
  }
}

void mutate_lines(std::string& text, const std::vector<std::string>& texts, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return;
  const size_t i = below(random, lines.size()), k = below(random, lines.size());
  switch (random() % 4) {
    case 0:
      std::swap(lines[i], lines[k]);
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), lines[k]);
      break;
    case 2:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    default: {
      const std::vector<std::string> others = lines_of(texts[below(random, texts.size())]);
      if (!others.empty()) lines[i] = others[below(random, others.size())];
    }
  }
  text = joined(lines);
}

void mutate_once(std::string& text, const std::vector<std::string>& texts, Random& random) {
  const std::vector<Token> tokens = tokens_of(text), numbers = numbers_of(text);
  if (tokens.empty()) return;
  const Token token = tokens[below(random, tokens.size())], other = tokens[below(random, tokens.size())];
  const bool stablehlo = text.find("stablehlo.") != std::string::npos;
  switch (random() % 12) {
    case 0:
      text[below(random, text.size())] = static_cast<char>(random());
      break;
    case 1:
      text.replace(token.begin, token.end - token.begin, word(random, stablehlo));
      break;
    case 2:
      text.replace(token.begin, token.end - token.begin, text.substr(other.begin, other.end - other.begin));
      break;
    case 3:
    case 4: {  // one number
      if (numbers.empty()) break;
      const Token n = numbers[below(random, numbers.size())];
      text.replace(n.begin, n.end - n.begin, number(random));
      break;
    }
    case 5:
    case 6:
    case 10: {  // all numbers of a value: extents that belong together stay together
      if (numbers.empty()) break;
      const Token n = numbers[below(random, numbers.size())];
      replace_all(text, numbers, text.substr(n.begin, n.end - n.begin), number(random));
      break;
    }
    case 7:
    case 11: {  // all of a word, as an element type or an operation
      replace_all(text, tokens, text.substr(token.begin, token.end - token.begin), word(random, stablehlo));
      break;
    }
    case 8:
      mutate_lines(text, texts, random);
      break;
    default:
      random() % 4 == 0 ? text.resize(below(random, text.size()))
                        : static_cast<void>(text.erase(token.begin, token.end - token.begin));
  }
}

constexpr int64_t kStepsTried = 30;  // of a loop of unknown length

// A change may well make a loop one without an end: all get a bound.
void bound_loops(ir::Module& module) {
  for (const auto& function : module.functions()) {
    walk(function->body(), [](ir::Op& op) {
      const auto loop = ops::as<ops::WhileOp>(op);
      if (!loop.has_value()) return;
      ops::WhileForm form = loop->form();
      form.max_steps = std::min(form.max_steps.value_or(kStepsTried), kStepsTried);
      form.write(op.attributes());
    });
  }
}

// What interpreting a region costs, in elements; a loop's body as often as it runs.
double work_of(const ir::Region& region) {
  double work = 0;
  for (const auto& op : region.ops()) {
    double elements = 1, inside = 0;
    for (const ir::Value* operand : op->operands())
      elements += static_cast<double>(operand->type().elements());
    for (const ir::Value* result : op->results()) elements += static_cast<double>(result->type().elements());
    for (int i = 0; i < op->region_count(); ++i) inside += 1 + work_of(op->region(i));
    const double times = ops::is<ops::ScanOp>(*op)    ? static_cast<double>(ops::ScanOp(*op).length())
                         : ops::is<ops::WhileOp>(*op) ? kStepsTried * elements
                         : op->region_count() > 0     ? elements
                                                      : 1;
    work += elements + inside * times;
    if (std::holds_alternative<ir::Contraction>(*op->record().becomes)) work += elements * elements;
    if (ops::has_callee(*op)) {
      const ir::Function* callee = region.function()->module()->find(ops::callee_name(*op));
      work += callee == nullptr ? 0 : work_of(callee->body());
    }
  }
  return work;
}

// Reductions are in no fixed order: what they compute is only told where the initial value is neutral to an
// associative combiner (ops/reduce.cc), which a mutation may well break.
bool has_one_meaning(const ir::Module& module) {
  bool one = true;
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](const ir::Op& op) {
      if (!std::holds_alternative<ir::Reduction>(*op.record().becomes)) return;
      const ir::Region& region = op.region();
      const ir::Op* combine = region.ops().size() == 2 ? region.ops().front().get() : nullptr;
      const auto* recipe =
          combine == nullptr ? nullptr : std::get_if<ir::ScalarRecipe>(&*combine->record().becomes);
      const std::optional<Tensor> init = ops::splat(op.operand(op.operand_count() - 1));
      one = one && op.operand_count() == 2 && recipe != nullptr && *recipe->identity != nullptr &&
            combine->operand_count() == 2 && combine->operand(0) != combine->operand(1) &&
            combine->operand(0)->op() == nullptr && combine->operand(1)->op() == nullptr &&
            region.results()[0]->op() == combine && init && *init == (*recipe->identity)(init->dtype());
    });
  }
  return one;
}

constexpr double kWork = 2e6;         // that is interpreted once
constexpr double kWorkToJudge = 1e5;  // that is interpreted several times, and run in several ways

std::string with(const char* stage, const std::string& what) {
  return std::string(stage) + ": " + what;
}

// Whether it begins with a place: "%value: " or "file:12: ".
bool has_place(const std::string& what) {
  const std::string place = what.substr(0, what.find(": "));
  if (place.size() == what.size()) return false;
  if (place.starts_with('%')) return place.find(' ') == std::string::npos;
  const size_t digits = place.find_last_not_of("0123456789") + 1;
  return digits > 1 && digits < place.size() && place[digits - 1] == ':';
}

}  // namespace

std::string mutated_ir(const std::vector<std::string>& texts, Random& random) {
  std::string text = texts[below(random, texts.size())];
  const int changes = random() % 3 < 2 ? 1 : 2 + static_cast<int>(random() % 2);  // most are seen, so few
  for (int i = 0; i < changes; ++i) mutate_once(text, texts, random);
  return text;
}

std::string mutated_bytes(std::string bytes, Random& random) {
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const size_t at = below(random, bytes.size()), length = 1 + below(random, 40);
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        break;
      case 2: {  // a field of 2, 4 or 8 bytes
        constexpr uint64_t kValues[] = {0,          1,         0x7fff,     0xffff,  0x7fffffff,
                                        0xffffffff, INT64_MAX, UINT64_MAX, 1u << 20};
        const uint64_t value = kValues[below(random, std::size(kValues))];
        const size_t width = size_t{2} << (random() % 3);
        for (size_t b = 0; b < width && at + b < bytes.size(); ++b)
          bytes[at + b] = static_cast<char>(value >> (8 * b));
        break;
      }
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(random, bytes.size()), length));
        break;
      default:
        if (random() % 4 == 0) bytes.resize(at);
    }
  }
  return bytes;
}

std::vector<std::string> modules_in(const std::string& folder) {
  std::vector<std::string> modules;
  for (const std::filesystem::path& path : files_in(folder)) modules.push_back(read_file(path));
  return modules;
}

std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".ir" || entry.path().filename() == "identities.txt")
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the same on every machine
  std::vector<std::string> programs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path);
    std::string program;
    const auto flush = [&] {
      if (program.size() > 1 && program.size() < 20000) programs.push_back(program);
      program.clear();
    };
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("====") || line.starts_with("---"))
        flush();
      else
        program += line + "\n";
    }
    flush();
  }
  return programs;
}

std::string try_ir(const std::string& text, bool compile, uint64_t seed, Stages& stages) {
  const char* stage = "parse";
  try {
    std::unique_ptr<ir::Module> module;
    try {
      module = ir::parse(text, "seed.ir");
    } catch (const Error& error) {
      const std::string what = error.what();
      const bool placed = what.starts_with("seed.ir:") && has_place(what);
      return placed ? "" : with("an error without its place", what);
    }
    ++stages.read;
    stage = "verify";
    ir::verify(*module);
    stage = "print";
    const std::string printed = ir::to_string(*module);
    stage = "parse what was printed";
    if (const auto again = ir::parse(printed, "printed.ir"); ir::to_string(*again) != printed)
      return "the printed text is not that of what it is read as";
    bound_loops(*module);
    if (module->entry() == nullptr || work_of(module->entry()->body()) > kWork) return "";
    double most = 0;
    for (const auto& function : module->functions()) {
      double work = work_of(function->body());
      for (const ir::Value* argument : function->body().arguments())
        work += static_cast<double>(argument->type().elements());
      if (work > kWork) return "";
      most = std::max(most, work);
    }
    stage = "interpret";
    bool interpreted = false;
    try {
      Random random(seed);
      (void)interpret(*module, random_arguments(random, *module));
      ++stages.interpreted;
      interpreted = true;
    } catch (const Error& error) {
      // A loop that goes on behind its bound, or an operation that only makes sense in a batch.
      if (!has_place(error.what()))
        return with("an error of the interpreter without its place", error.what());
    }
    if (!compile) return "";
    stage = "compile";
    try {
      (void)compiler::compile(clone(*module));
      ++stages.compiled;
    } catch (const Error& error) {
      return has_place(error.what()) ? "" : with("an error of the compiler without its place", error.what());
    }
    if (!interpreted || most > kWorkToJudge || !has_one_meaning(*module)) return "";
    stage = "compare";
    const std::string wrong = check_compiled(*module, {}, seed, {.one_way = true, .judged = true});
    if (!wrong.empty()) return with(stage, wrong);
    ++stages.compared;
  } catch (const std::exception& error) {
    return with(stage, error.what());
  }
  return "";
}

std::string mutated_artifact(const std::vector<std::string>& artifacts, Random& random) {
  std::string bytes = artifacts[below(random, artifacts.size())];
  if (random() % 2 == 0) return mutated_bytes(std::move(bytes), random);
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < changes; ++i)
    bytes[below(random, bytes.size())] = static_cast<char>(random() % 64 * 2 + 1);
  return bytes;
}

std::string try_artifact(const std::string& bytes, bool compile, uint64_t seed, Stages& stages) {
  std::string program;
  const char* stage = "read";
  try {
    const auto module = stablehlo::read_bytecode(bytes, "seed.mlirbc");
    ++stages.read;
    stage = "print";
    (void)stablehlo::to_string(*module, true);
    stage = "import";
    program = ir::to_string(*stablehlo::import_module(*module).module);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.starts_with("seed.mlirbc") ? "" : with(stage, "an error without its place: " + what);
  } catch (const std::exception& error) {
    return with(stage, error.what());
  }
  return program.size() > 200000 ? "" : try_ir(program, compile, seed, stages);
}

std::string try_stablehlo(const std::string& text, bool compile, uint64_t seed, Stages& stages) {
  std::string program;
  const char* stage = "read";
  try {
    const auto module = stablehlo::read_text(text, "seed.mlir");
    ++stages.read;
    stage = "print";
    const std::string printed = stablehlo::to_string(*module, true);
    stage = "read what was printed";
    if (stablehlo::to_string(*stablehlo::read_text(printed, "seed.mlir"), true) != printed)
      return "the printed text is not that of what it is read as";
    stage = "import";
    program = ir::to_string(*stablehlo::import_module(*module).module);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.starts_with("seed.mlir:") && stage != std::string_view("read what was printed")
               ? ""
               : with(stage, "an error without its place: " + what);
  } catch (const std::exception& error) {
    return with(stage, error.what());
  }
  return program.size() > 200000 ? "" : try_ir(program, compile, seed, stages);
}

}  // namespace ingot::testing
