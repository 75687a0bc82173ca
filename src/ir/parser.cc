// Text to IR. The parser infers nothing: every type is written, and then checked against the operation's
// record.
//
// A region is closed, so each one is read with a scope of its own; names are unique within a function, which
// makes every mistake with a name a precise message. Calls are checked at the end, when all functions are
// known.

#include <algorithm>
#include <unordered_map>

#include "base/array_size.h"
#include "base/check.h"
#include "ir/builder.h"
#include "ir/call_rules.h"
#include "ir/depth.h"
#include "ir/literal.h"
#include "ir/op_record.h"
#include "ir/text.h"
#include "ir/text_cursor.h"

namespace ingot::ir {
namespace {

// What passes print must be read again, and they put operations into loops and kernels of their own:
// attention in blocks of keys, in a loop over the batch, in a kernel, reduced by a region.
constexpr int kMostRead = kMostNested + 12;

struct Scope {
  Region& region;
  int depth;
  std::unordered_map<std::string, Value*> values;
};

class Parser {
 public:
  // A byte order mark says nothing: the text is UTF-8 in any case.
  Parser(std::string_view text, std::string_view file)
      : cursor_(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text, file) {}

  std::unique_ptr<Module> run() {
    module_ = std::make_unique<Module>();
    parse_version();
    while (!cursor_.at_end()) parse_function();
    for (const Call& call : calls_) check_types(*call.op, call.position);
    check_calls();
    return std::move(module_);
  }

 private:
  void parse_version();
  void parse_function();
  std::vector<TensorType> parse_results_header();
  void parse_arguments(Scope& scope, Function* function);
  void parse_ops(Scope& scope);
  void parse_op(Scope& scope);
  void parse_return(Scope& scope);
  std::vector<std::string> parse_result_names();
  const OpRecord& parse_record();
  std::vector<Value*> parse_operands(Scope& scope);
  Value* parse_value(Scope& scope);
  std::vector<std::unique_ptr<Region>> parse_regions(Scope& scope, const OpRecord& record);
  std::vector<TensorType> parse_types();
  TensorType parse_type();
  Shape parse_extents(DType dtype);
  Attributes parse_attributes();
  Attribute parse_attribute();
  Attribute parse_word_or_number();
  IntList parse_int_list();
  Tensor parse_dense();
  Provenance parse_location();

  struct Call {
    Op* op;
    size_t position;
    int depth;  // of the regions around it, within its function
  };
  std::string declare(std::string name, size_t position);
  void check_types(Op& op, size_t position);
  void check_calls();
  void check_function_results(const Function& function, const std::vector<TensorType>& written,
                              size_t position);

  TextCursor cursor_;
  std::unique_ptr<Module> module_;
  std::unordered_map<std::string, size_t> declared_;  // the names of the function being read, and where
  std::vector<Call> calls_;
  std::unordered_map<const Function*, int> depth_;  // of nested regions, without those of callees
};

std::string list_types(std::span<const TensorType> types) {
  std::string text;
  for (const TensorType& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

std::string list_types(std::span<Value* const> values) {
  std::vector<TensorType> types;
  for (const Value* value : values) types.push_back(value->type());
  return list_types(types);
}

// --- functions and regions

// Where a later version changes the meaning of a text, what is read before it becomes what it is now here.
void Parser::parse_version() {
  if (!cursor_.accept_word("version")) return;
  const size_t position = cursor_.position();
  const int64_t version = cursor_.integer("the number of the text's version, as in 'version 1'");
  if (version < 1) cursor_.fail(position, "there is no version " + std::to_string(version) + " of this text");
  if (version <= kTextVersion) return;
  cursor_.fail(position, "this text is of version " + std::to_string(version) +
                             ", but this Ingot reads versions up to " + std::to_string(kTextVersion) +
                             "; a later Ingot wrote it");
}

void Parser::parse_function() {
  if (!cursor_.accept_word("func")) cursor_.expected("'func'");
  size_t position = cursor_.position();
  std::string name = cursor_.name('@', "the function's name, as in @main");
  if (module_->find(name) != nullptr)
    cursor_.fail(position, "there are two functions called @" + shortened(name));
  declared_.clear();
  Function* function = module_->add_function(name);
  Scope scope{function->body(), 1, {}};
  parse_arguments(scope, function);
  size_t results_position = cursor_.position();
  std::vector<TensorType> results = parse_results_header();
  parse_ops(scope);
  check_function_results(*function, results, results_position);
}

std::vector<TensorType> Parser::parse_results_header() {
  cursor_.expect("->", "and the types of the results, as in -> (f32[4])");
  cursor_.expect("(", "before the types of the results");
  std::vector<TensorType> types;
  if (cursor_.peek() != ')') types = parse_types();
  cursor_.expect(")", "after the types of the results");
  return types;
}

void Parser::check_function_results(const Function& function, const std::vector<TensorType>& written,
                                    size_t position) {
  std::vector<TensorType> returned;
  for (const Value* value : function.body().results()) returned.push_back(value->type());
  if (returned == written) return;
  cursor_.fail(position, "@" + function.name() + " is declared to return (" + list_types(written) +
                             "), but returns (" + list_types(returned) + ")");
}

void Parser::parse_arguments(Scope& scope, Function* function) {
  cursor_.expect("(", "before the arguments");
  while (cursor_.peek() != ')') {
    size_t position = cursor_.position();
    std::string name = declare(cursor_.name('%', "an argument, as in %x: f32[4]"), position);
    cursor_.expect(":", "and the type of %" + name);
    Value* argument = scope.region.add_argument(parse_type(), name);
    scope.values[name] = argument;
    if (function != nullptr && cursor_.accept_word("donated")) function->donated.insert(argument->index());
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect(")", "after the arguments");
}

void Parser::parse_ops(Scope& scope) {
  if (scope.depth > kMostRead)
    cursor_.fail(cursor_.position(), "regions are nested deeper than " + std::to_string(kMostRead));
  if (const std::string problem = stack_problem(scope.depth); !problem.empty())
    cursor_.fail(cursor_.position(),
                 "regions are nested " + std::to_string(scope.depth) + " deep, " + problem);
  int& deepest = depth_[scope.region.function()];
  deepest = std::max(deepest, scope.depth);
  cursor_.expect("{", "before the operations");
  while (!scope.region.terminated()) {
    if (cursor_.peek() == '}' || cursor_.at_end()) cursor_.expected("an operation or 'return'");
    if (cursor_.accept_word("return")) {
      parse_return(scope);
    } else {
      parse_op(scope);
    }
  }
  cursor_.expect("}", "after 'return'");
}

void Parser::parse_return(Scope& scope) {
  std::vector<Value*> values;
  if (cursor_.peek() == '%') {
    do {
      values.push_back(parse_value(scope));
    } while (cursor_.accept(","));
  }
  scope.region.insert(return_record(), std::move(values), {}, {}, parse_location());
}

// --- operations

void Parser::parse_op(Scope& scope) {
  std::vector<std::string> names = parse_result_names();
  size_t position = cursor_.position();
  const OpRecord& record = parse_record();
  std::vector<Value*> operands = parse_operands(scope);
  Attributes attributes = parse_attributes();
  auto regions = parse_regions(scope, record);
  std::vector<TensorType> types;
  if (!names.empty()) {
    cursor_.expect(":", "and the type of %" + names.front());
    size_t types_position = cursor_.position();
    types = parse_types();
    if (types.size() != names.size()) {
      cursor_.fail(types_position, std::to_string(names.size()) + " results are named, but " +
                                       std::to_string(types.size()) + " types are written");
    }
  }
  Provenance provenance = parse_location();
  Op* op = scope.region.insert(record, std::move(operands), std::move(attributes), std::move(types),
                               std::move(provenance), nullptr, std::move(regions), names);
  for (int i = 0; i < op->result_count(); ++i) scope.values[names[static_cast<size_t>(i)]] = op->result(i);
  if (op->attributes().has("callee")) {
    calls_.push_back({op, position, scope.depth});
  } else {
    check_types(*op, position);
  }
}

std::vector<std::string> Parser::parse_result_names() {
  std::vector<std::string> names;
  if (cursor_.peek() != '%') return names;
  do {
    size_t position = cursor_.position();
    names.push_back(declare(cursor_.name('%', "the name of a result"), position));
  } while (cursor_.accept(","));
  cursor_.expect("=", "after the names of the results");
  return names;
}

const OpRecord& Parser::parse_record() {
  size_t position = cursor_.position();
  std::string_view name = cursor_.word("the name of an operation");
  if (const OpRecord* record = find_record(name)) return *record;
  std::vector<std::string_view> known;
  for (const OpRecord* record : all_records()) known.push_back(*record->name);
  std::string_view near = nearest_word(name, known);
  cursor_.fail(position, "there is no operation called '" + shortened(name) + "'" +
                             (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
}

std::vector<Value*> Parser::parse_operands(Scope& scope) {
  std::vector<Value*> operands;
  cursor_.expect("(", "before the operands");
  while (cursor_.peek() != ')') {
    operands.push_back(parse_value(scope));
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect(")", "after the operands");
  return operands;
}

Value* Parser::parse_value(Scope& scope) {
  size_t position = cursor_.position();
  std::string name = cursor_.name('%', "a value, as in %x");
  if (auto it = scope.values.find(name); it != scope.values.end()) return it->second;
  if (auto it = declared_.find(name); it != declared_.end()) {
    cursor_.fail(position,
                 "%" + name + " (line " + std::to_string(cursor_.line_of(it->second)) +
                     ") cannot be used here: a region uses only its own arguments and earlier results; "
                     "make it an operand of the operation that holds the region");
  }
  std::vector<std::string_view> known;
  for (const auto& [key, value] : scope.values) known.push_back(key);
  std::string_view near = nearest_word(name, known);
  cursor_.fail(position, "there is no value called %" + shortened(name) + " before this point" +
                             (near.empty() ? "" : "; did you mean %" + std::string(near) + "?"));
}

std::vector<std::unique_ptr<Region>> Parser::parse_regions(Scope& scope, const OpRecord& record) {
  std::vector<std::unique_ptr<Region>> regions;
  size_t position = cursor_.position();
  while (cursor_.peek() == '(') {
    regions.push_back(scope.region.function()->make_region());
    Scope inner{*regions.back(), scope.depth + 1, {}};
    parse_arguments(inner, nullptr);
    parse_ops(inner);
  }
  if (!record.takes_regions(static_cast<int>(regions.size()))) {
    const bool some = *record.regions == OpRecord::kSomeRegions;
    cursor_.fail(position, std::string(*record.name) + " has " +
                               (some ? "one or more" : std::to_string(*record.regions)) + " regions, but " +
                               std::to_string(regions.size()) + " are written");
  }
  return regions;
}

std::string Parser::declare(std::string name, size_t position) {
  auto [it, fresh] = declared_.emplace(name, position);
  if (!fresh) {
    cursor_.fail(position, "%" + name + " is already the name of a value at line " +
                               std::to_string(cursor_.line_of(it->second)) +
                               "; names are unique within a function");
  }
  return name;
}

void Parser::check_types(Op& op, size_t position) {
  std::vector<const Region*> regions;
  for (int i = 0; i < op.region_count(); ++i) regions.push_back(&op.region(i));
  std::vector<TensorType> inferred;
  try {
    inferred = infer_types(op.record(), op.operands(), op.attributes(), regions, module_.get(), {});
    check_rules(op, *module_);
  } catch (const Error& error) {
    cursor_.fail(position, error.what());
  }
  std::vector<TensorType> written;
  for (const Value* result : op.results()) written.push_back(result->type());
  if (written == inferred) return;
  std::string of = op.operand_count() > 0 ? " of (" + list_types(op.operands()) + ")" : "";
  cursor_.fail(position, std::string(op.name()) + of + " gives (" + list_types(inferred) + "), but (" +
                             list_types(written) + ") is written");
}

// No function may call itself, directly or through others, nor may calls be nested too deeply.
void Parser::check_calls() {
  struct Edge {
    const Function* callee;
    size_t position;
    int depth;
    bool is_rule;  // of a derivative: it does not run inside of the call
  };
  std::unordered_map<const Function*, std::vector<Edge>> calls;
  for (const Call& call : calls_) {
    const std::string& callee = call.op->attributes().get<Symbol>("callee").name;
    calls[call.op->function()].push_back({module_->find(callee), call.position, call.depth, false});
    for (const Function* rule : rules_of(*call.op, *module_))
      calls[call.op->function()].push_back({rule, call.position, call.depth, true});
  }
  const auto told = [&](const Function* callee, size_t position) {
    return " calls @" + callee->name() + " at line " + std::to_string(cursor_.line_of(position));
  };
  const auto want = [&](int depth, size_t position) {
    const std::string problem = depth > kMostRead
                                    ? "of which " + std::to_string(kMostRead) + " may be nested at most"
                                    : stack_problem(depth);
    if (problem.empty()) return;
    cursor_.fail(position, "functions that call each other, and regions in them, are nested " +
                               std::to_string(depth) + " deep here, " + problem);
  };
  std::unordered_map<const Function*, int>
      known;  // how deeply a function is nested, with those that it calls
  std::vector<const Function*> path;
  std::vector<size_t> positions;  // of the call of each function of the path but the first
  const auto visit = [&](const auto& self, const Function* function, int above) -> int {
    if (const auto it = known.find(function); it != known.end()) return it->second;
    path.push_back(function);
    int deepest = depth_[function];
    for (const auto& [callee, position, depth, is_rule] : calls[function]) {
      if (const auto start = std::find(path.begin(), path.end(), callee); start != path.end()) {
        std::string cycle = "@" + (*start)->name();
        const auto first = start - path.begin();
        for (size_t i = static_cast<size_t>(first); i < positions.size(); ++i)
          cycle += told(path[i + 1], positions[i]) + ", which";
        const size_t at =
            static_cast<size_t>(first) < positions.size() ? positions[static_cast<size_t>(first)] : position;
        cursor_.fail(at, cycle + told(callee, position) +
                             "; a function may not call itself, neither directly nor through others");
      }
      want(above + depth + 1, position);
      positions.push_back(position);
      const int below = depth + self(self, callee, above + depth);
      if (!is_rule) deepest = std::max(deepest, below);
      positions.pop_back();
      want(deepest, position);
    }
    path.pop_back();
    return known[function] = deepest;
  };
  for (const auto& function : module_->functions()) visit(visit, function.get(), 0);
}

// --- types, attributes, locations

std::vector<TensorType> Parser::parse_types() {
  std::vector<TensorType> types;
  do {
    types.push_back(parse_type());
  } while (cursor_.accept(","));
  return types;
}

TensorType Parser::parse_type() {
  size_t position = cursor_.position();
  std::string_view word = cursor_.word("a type, as in f32[4,3]");
  std::optional<DType> dtype = parse_dtype(word);
  if (!dtype) {
    std::vector<std::string_view> known;
    for (DType candidate : kAllDTypes) known.push_back(name_of(candidate));
    std::string_view near = nearest_word(word, known);
    cursor_.fail(position, "there is no element type called '" + shortened(word) + "'" +
                               (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
  }
  return {*dtype, parse_extents(*dtype)};
}

Shape Parser::parse_extents(DType dtype) {
  cursor_.expect("[", "and the extents (a scalar is written f32[])");
  const size_t position = cursor_.position();
  Shape shape;
  while (cursor_.peek() != ']') {
    shape.push_back(cursor_.integer("an extent"));
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect("]", "after the extents");
  try {
    element_count(dtype, shape);
  } catch (const Error& error) {
    cursor_.fail(position, error.what());
  }
  return shape;
}

Attributes Parser::parse_attributes() {
  Attributes attributes;
  if (!cursor_.accept("{")) return attributes;
  while (cursor_.peek() != '}') {
    size_t position = cursor_.position();
    std::string name(cursor_.word("the name of an attribute"));
    if (attributes.has(name))
      cursor_.fail(position, "the attribute '" + shortened(name) + "' is given twice");
    cursor_.expect("=", "after the attribute's name");
    attributes.set(name, parse_attribute());
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect("}", "after the attributes");
  return attributes;
}

Attribute Parser::parse_attribute() {
  switch (cursor_.peek()) {
    case '"':
      return cursor_.quoted("a string");
    case '@':
      return Symbol{cursor_.name('@', "a function")};
    case '[':
      return parse_int_list();
    default:
      break;
  }
  if (cursor_.accept_word("dense")) return parse_dense();
  return parse_word_or_number();
}

Attribute Parser::parse_word_or_number() {
  size_t position = cursor_.position();
  std::string_view token = cursor_.literal();
  if (token.empty())
    cursor_.expected("a value: true, 3, 0.5, \"text\", f32, [1,2], @f or dense f32[2]{1, 2}");
  if (token == "true" || token == "false") return token == "true";
  if (std::optional<DType> dtype = parse_dtype(token)) return *dtype;
  Tensor number(DType::kS64, {});
  if (read_element(token, number, 0).empty()) return number.get_int(0);
  double value = 0;
  std::string problem = read_double(token, value);
  if (!problem.empty()) {
    cursor_.fail(position,
                 "'" + shortened(token) +
                     "' is no value: true, 3, 0.5, \"text\", f32, [1,2], @f and dense f32[2]{1, 2} are");
  }
  return value;
}

IntList Parser::parse_int_list() {
  IntList list;
  cursor_.expect("[", "before the numbers");
  while (cursor_.peek() != ']') {
    list.push_back(cursor_.integer("an integer"));
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect("]", "after the numbers");
  return list;
}

Tensor Parser::parse_dense() {
  TensorType type = parse_type();
  size_t start = cursor_.position();
  cursor_.expect("{", "before the elements");
  if (cursor_.peek() == '.') {
    cursor_.fail(cursor_.position(), "this literal was shortened when it was printed; print it in full");
  }
  // The type may claim any number of elements, so memory is taken only for those that are there.
  std::vector<std::pair<size_t, std::string_view>> tokens;
  while (cursor_.peek() != '}') {
    size_t position = cursor_.position();
    tokens.emplace_back(position, cursor_.literal());
    if (tokens.back().second.empty()) cursor_.expected("an element");
    if (!cursor_.accept(",")) break;
  }
  cursor_.expect("}", "after the elements");
  if (static_cast<int64_t>(tokens.size()) != type.elements()) {
    cursor_.fail(start, to_string(type) + " has " + std::to_string(type.elements()) + " elements, but " +
                            std::to_string(tokens.size()) + " are written");
  }
  Tensor tensor(type.dtype, type.shape);
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string problem = read_element(tokens[i].second, tensor, static_cast<int64_t>(i));
    if (!problem.empty()) cursor_.fail(tokens[i].first, problem);
  }
  return tensor;
}

Provenance Parser::parse_location() {
  Provenance provenance;
  if (!cursor_.accept_word("loc")) return provenance;
  cursor_.expect("(", "after 'loc'");
  if (cursor_.peek() == '"') {
    provenance.file = cursor_.quoted("a file name");
    cursor_.expect(":", "and the line");
    provenance.line = static_cast<int>(cursor_.integer("a line number"));
  }
  if (cursor_.accept_word("in")) provenance.scope = cursor_.quoted("the name of a scope, in quotes");
  while (cursor_.accept_word("and")) provenance.also.push_back(cursor_.quoted("a file and line, in quotes"));
  if (cursor_.accept_word("by")) provenance.made_by = cursor_.quoted("the name of a pass, in quotes");
  if (cursor_.accept_word("from"))
    provenance.made_from = cursor_.quoted("the name of an operation, in quotes");
  cursor_.expect(")", "after the location");
  return provenance;
}

}  // namespace

std::unique_ptr<Module> parse(std::string_view text, std::string_view file) {
  return Parser(text, file).run();
}

}  // namespace ingot::ir
