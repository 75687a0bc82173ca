// ingot ops: the operations, as their records describe them; --markdown writes docs/operations.md.

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ir/op_record.h"
#include "tools/command.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

struct BecomesName {
  std::string operator()(const ir::ScalarRecipe&) const { return "scalar recipe"; }
  std::string operator()(const ir::View&) const { return "view"; }
  std::string operator()(const ir::Literal&) const { return "literal"; }
  std::string operator()(const ir::Reduction&) const { return "reduction"; }
  std::string operator()(const ir::Contraction&) const { return "contraction"; }
  std::string operator()(const ir::RegionControl&) const { return "region control"; }
  std::string operator()(const ir::Gather&) const { return "gather"; }
  std::string operator()(const ir::Scatter&) const { return "scatter"; }
  std::string operator()(const ir::Expanded&) const { return "other operations (a pass writes them)"; }
  std::string operator()(const ir::Collective&) const { return "collective"; }
  std::string operator()(const ir::LibraryRoutine&) const { return "library routine"; }
};

std::string becomes(const ir::OpRecord& record) {
  return std::visit(BecomesName{}, *record.becomes);
}

// What derivative the operation has.
struct DerivativeText {
  std::string operator()(const ir::NotDifferentiable& none) const {
    return "none: " + std::string(none.reason);
  }
  std::string operator()(const ir::LocallyConstant&) const { return "zero"; }
  std::string operator()(const ir::Linear& linear) const {
    return linear.first == 0 ? "linear" : "linear from operand " + std::to_string(linear.first) + " on";
  }
  std::string operator()(const ir::Terms&) const { return "a term per operand"; }
  std::string operator()(const ir::AllTangents&) const { return "of all results at once"; }
  std::string operator()(const ir::Structural&) const { return "that of its regions or callees"; }
};

std::string derivative(const ir::OpRecord& record) {
  return std::visit(DerivativeText{}, *record.jvp);
}

std::string arity(const ir::OpRecord& record) {
  const ir::Arity& operands = *record.operands;
  std::string text = std::to_string(operands.min);
  if (operands.max == ir::Arity::kAny) return text + " or more";
  return operands.max == operands.min ? text : text + " to " + std::to_string(operands.max);
}

std::string stablehlo(const ir::OpRecord& record) {
  return record.stablehlo->empty() ? "-" : std::string(*record.stablehlo);
}

std::string presence(const ir::AttributeSpec& spec) {
  if (spec.presence == ir::AttributeSpec::Presence::kOptional) return "optional";
  return spec.presence == ir::AttributeSpec::Presence::kPerResult ? "optional, one for each result" : "";
}

// "`axis`: an integer; `shape`: a list of integers".
std::string attributes(const ir::OpRecord& record) {
  std::string text;
  for (const ir::AttributeSpec& spec : record.attributes->specs()) {
    text += (text.empty() ? "`" : "; `") + std::string(spec.name) + "`: " + std::string(describe(spec.kind));
    if (!presence(spec).empty()) text += " (" + presence(spec) + ")";
  }
  return text;
}

Json attributes_json(const ir::OpRecord& record) {
  Json list = Json::array();
  for (const ir::AttributeSpec& spec : record.attributes->specs()) {
    list.push_back({{"name", spec.name},
                    {"holds", describe(spec.kind)},
                    {"optional", spec.presence != ir::AttributeSpec::Presence::kAlways},
                    {"per_result", spec.presence == ir::AttributeSpec::Presence::kPerResult}});
  }
  return list;
}

// How programs are written, which the parser's messages take for known.
constexpr const char* kGrammar = R"(## The text of a program

```
func @main(%x: f32[4,3], %w: f32[3]) -> (f32[4], f32[]) {        // the first function is the one that runs
  %y = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[4]
  %low = constant() {value = dense f32[]{-inf}} : f32[]
  %m = reduce(%y, %low) {axes = [0]} (%a: f32[], %b: f32[]) {    // a region, with arguments of its own
    %c = max(%a, %b) : f32[]
    return %c
  } : f32[]
  %s, %t = call(%y, %m) {callee = @scale} : f32[4], f32[]
  return %s, %t
}

func @scale(%v: f32[4], %k: f32[]) -> (f32[4], f32[]) {
  %l = broadcast(%k) {dims = [], shape = [4]} : f32[4]
  %d = div(%v, %l) : f32[4] loc("model.cc":12)
  return %d, %k
}
```

An operation has operands, attributes in braces, regions, and the types of its results behind a colon. A name stands for one
value of a function, its regions included. A region sees its own arguments alone: what it uses from outside is an operand of the
operation that holds it (`scan`, `while`, `cond`) or is made inside (constants). Attributes are `3`, `0.5`, `true`, `"text"`,
`f32`, `[1,2]`, `@function` and arrays, `dense s32[2]{1, 2}`. `loc(..)` is optional, `//` begins a comment. A first line
`version 1` says of which version the text is; without it, it is of the current one.

)";

void print_markdown(std::ostream& out) {
  out << "# Operations\n\n"
         "Generated from the records in `src/ops/` by `ingot ops --markdown`; a test fails where it is out "
         "of "
         "date.\n\n"
      << kGrammar
      << "## How to read what follows\n\n"
         "*Becomes* says what a kernel makes of the operation: one scalar of the result from one scalar of "
         "each "
         "operand (scalar recipe), another index into an operand (view), and so on.\n";
  for (const ir::OpRecord* record : ir::all_records()) {
    out << "\n## " << *record->name << "\n\n" << *record->doc << "\n\n";
    out << "- operands: " << arity(*record) << "\n";
    if (*record->regions == ir::OpRecord::kSomeRegions) out << "- regions: 1 or more\n";
    if (*record->regions > 0) out << "- regions: " << *record->regions << "\n";
    if (const std::string text = attributes(*record); !text.empty()) out << "- attributes: " << text << "\n";
    out << "- becomes: " << becomes(*record) << "\n";
    out << "- StableHLO: " << (record->stablehlo->empty() ? "none" : "`" + stablehlo(*record) + "`") << "\n";
    out << "- identities: " << (*record->identities != nullptr ? "yes" : "none") << "\n";
    out << "- derivative: " << derivative(*record) << "\n";
    const bool transposes = !std::holds_alternative<ir::NotLinear>(*record->transpose);
    out << "- transpose: " << (transposes ? "yes" : "none") << "\n";
  }
}

void print_ops_json(std::ostream& out) {
  Json list = Json::array();
  for (const ir::OpRecord* record : ir::all_records()) {
    list.push_back({{"name", *record->name},
                    {"operands", {{"min", record->operands->min}, {"max", record->operands->max}}},
                    {"regions", *record->regions},
                    {"attributes", attributes_json(*record)},
                    {"becomes", becomes(*record)},
                    {"derivative", derivative(*record)},
                    {"stablehlo", *record->stablehlo},
                    {"doc", *record->doc}});
  }
  out << json_text(list) << "\n";
}

void print_op_table(std::ostream& out) {
  Table table({"name", "operands", "becomes", "stablehlo", "doc"});
  for (const ir::OpRecord* record : ir::all_records()) {
    table.add({std::string(*record->name), arity(*record), becomes(*record), stablehlo(*record),
               std::string(*record->doc)});
  }
  out << table.text({false, false, false, false, false});
}

}  // namespace

void add_ops(CLI::App& app, const Streams& streams) {
  struct OpsOptions {
    bool markdown = false, json = false;
  };
  auto options = std::make_shared<OpsOptions>();
  CLI::App* command = app.add_subcommand("ops", "list the operations");
  auto* markdown = command->add_flag("--markdown", options->markdown, "as docs/operations.md");
  command->add_flag("--json", options->json, "as a JSON array")->excludes(markdown);
  command->callback([options, &streams] {
    (options->markdown ? print_markdown : options->json ? print_ops_json : print_op_table)(streams.out);
  });
}

}  // namespace ingot::tools
