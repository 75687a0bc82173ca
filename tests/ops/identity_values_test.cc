// The algebraic rules of element-wise operations hold for every value: all pairs of 8-bit integers, all f16
// numbers against 64 special ones. Bits do not change, but for the payload of NaNs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ops/rewriting.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

using ir::Attributes;
using ir::IntList;

// Every value of a dtype of at most 16 bits.
Tensor all_values(DType dtype) {
  const int64_t count = dtype == DType::kPred ? 2 : int64_t{1} << (8 * byte_size(dtype));
  Tensor tensor(dtype, {count});
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    std::memcpy(tensor.raw() + static_cast<size_t>(i) * byte_size(dtype), &bits, byte_size(dtype));
  }
  return tensor;
}

Tensor scalar_of(DType dtype, uint16_t bits) {
  Tensor scalar(dtype, {});
  std::memcpy(scalar.raw(), &bits, byte_size(dtype));
  return scalar;
}

// Constants to combine with: all of 8 bits; of f16 those where something begins or ends, of both signs.
std::vector<Tensor> constants_of(DType dtype) {
  std::vector<Tensor> constants;
  if (dtype != DType::kF16) {
    for (int64_t i = 0; i < all_values(dtype).size(); ++i)
      constants.push_back(scalar_of(dtype, static_cast<uint16_t>(i)));
    return constants;
  }
  for (uint16_t bits :
       {0x0000, 0x0001, 0x0002, 0x0200, 0x03fe, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800, 0x1400,
        0x2e66, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4200, 0x4248, 0x4900,
        0x5bff, 0x5c00, 0x63ff, 0x6400, 0x67ff, 0x6800, 0x7bff, 0x7c00, 0x7c01, 0x7e00}) {
    for (int sign : {0, 0x8000}) constants.push_back(scalar_of(dtype, static_cast<uint16_t>(bits | sign)));
  }
  return constants;
}

std::string bits_differ(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return "the type has changed";
  const size_t size = byte_size(a.dtype());
  for (int64_t i = 0; i < a.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::memcmp(a.raw() + at, b.raw() + at, size) == 0) continue;
    if (is_float(a.dtype()) && std::isnan(a.get_double(i)) && std::isnan(b.get_double(i))) continue;
    return "element " + std::to_string(i) + " has changed";
  }
  return "";
}

// All values of a dtype, the same backwards, and preds in turn.
struct Arguments {
  explicit Arguments(DType dtype) : x(all_values(dtype)), y(dtype, x.shape()), p(DType::kPred, x.shape()) {
    for (int64_t i = 0; i < x.size(); ++i) {
      copy_element(y, i, x, x.size() - 1 - i);
      p.set_int(i, i % 3 == 0);
    }
  }
  Tensor x, y, p;

  static const Arguments& of(DType dtype) {
    static std::map<DType, Arguments> made;
    return made.try_emplace(dtype, dtype).first->second;
  }
};

// A function of such arguments under construction.
class Program {
 public:
  explicit Program(DType dtype)
      : x_(Arguments::of(dtype).x), y_(Arguments::of(dtype).y), p_(Arguments::of(dtype).p) {
    ir::Region& body = module_.add_function("f")->body();
    x = body.add_argument({dtype, x_.shape()}, "x");
    y = body.add_argument({dtype, x_.shape()}, "y");
    p = body.add_argument({DType::kPred, x_.shape()}, "p");
  }

  Value* make(std::string_view record, std::vector<Value*> operands, Attributes attributes = {}) {
    return ir::Builder(module_.entry()->body()).value(record, std::move(operands), std::move(attributes));
  }
  Value* splat(const Tensor& scalar) {
    Value* value = ir::Builder(module_.entry()->body()).constant(scalar);
    return make("broadcast", {value}, {{"dims", IntList{}}, {"shape", x_.shape()}});
  }

  // Rewrites as long as rules apply and compares. The rules that did are added to `fired`.
  void check(Value* result, std::set<std::string>& fired) {
    module_.entry()->body().set_results({result});
    const auto before = clone(module_);
    std::vector<std::string> rules;
    ir::Region& body = module_.entry()->body();
    while (rules.size() < 20 && rewrite_one(body, rules)) erase_dead(body);
    if (rules.empty()) return;
    fired.insert(rules.begin(), rules.end());
    const std::vector<Tensor> arguments = {x_, y_, p_};
    EXPECT_EQ(bits_differ(interpret(module_, arguments)[0], interpret(*before, arguments)[0]), "")
        << to_string(*before);
  }

  Value *x, *y, *p;

 private:
  ir::Module module_;
  Tensor x_, y_, p_;
};

// Builds and checks; programs that the type rule refuses are none.
template <class Build>
void try_program(DType dtype, std::set<std::string>& fired, Build build) {
  Program program(dtype);
  Value* result = nullptr;
  try {
    result = build(program);
  } catch (const Error&) {
    return;
  }
  program.check(result, fired);
}

void check_binary(const std::string& name, const Attributes& attributes, DType dtype,
                  std::set<std::string>& fired) {
  try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.x, f.x}, attributes); });
  const std::vector<Tensor> constants = constants_of(dtype);
  for (const Tensor& c : constants) {
    try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.x, f.splat(c)}, attributes); });
    try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.splat(c), f.x}, attributes); });
  }
  if (name == "compare") return;
  // Two constants in a row: all of them, then a few.
  for (const Tensor& a : constants) {
    for (size_t k = 1; k < constants.size(); k = 4 * k + 3) {
      if (is_float(dtype) && k > 7) break;
      try_program(dtype, fired, [&](Program& f) {
        return f.make(name, {f.make(name, {f.x, f.splat(a)}), f.splat(constants[k])});
      });
    }
  }
}

void check_conversions(const std::string& name, DType dtype, std::set<std::string>& fired) {
  for (DType middle : kAllDTypes) {
    try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.x}, {{"dtype", middle}}); });
    for (DType last : {dtype, DType::kS8, DType::kU8, DType::kF16}) {
      try_program(dtype, fired, [&](Program& f) {
        return f.make(name, {f.make(name, {f.x}, {{"dtype", middle}})}, {{"dtype", last}});
      });
    }
  }
}

void check_select(DType dtype, std::set<std::string>& fired) {
  try_program(dtype, fired, [](Program& f) { return f.make("select", {f.p, f.x, f.x}); });
  try_program(dtype, fired, [](Program& f) { return f.make("select", {f.make("not", {f.p}), f.x, f.y}); });
  for (uint16_t known : {0, 1}) {
    try_program(dtype, fired, [&](Program& f) {
      return f.make("select", {f.splat(scalar_of(DType::kPred, known)), f.x, f.y});
    });
  }
  // x > y ? x : max(x, y), with every constant for y, and the same with <, min, and operands in turn.
  if (is_complex(dtype)) return;
  std::vector<Tensor> constants = constants_of(dtype);
  for (size_t k = 0; k <= constants.size(); ++k) {
    for (const auto& [direction, extreme] : {std::pair("gt", "max"), std::pair("lt", "min")}) {
      for (const bool turned : {false, true}) {
        try_program(dtype, fired, [&](Program& f) {
          Value* y = k < constants.size() ? f.splat(constants[k]) : f.y;
          Value* chosen = f.make("compare", {f.x, y}, {{"direction", std::string(direction)}});
          return f.make("select", {chosen, f.x, f.make(extreme, {turned ? y : f.x, turned ? f.x : y})});
        });
      }
    }
  }
}

std::set<std::string> check_all() {
  std::set<std::string> fired;
  for (const ir::OpRecord* record : ir::all_records()) {
    if (!std::holds_alternative<ir::ScalarRecipe>(*record->becomes) || *record->identities == nullptr)
      continue;
    const std::string name(*record->name);
    for (DType dtype : {DType::kPred, DType::kS8, DType::kU8, DType::kF16}) {
      if (name == "compare") {
        for (const char* direction : {"eq", "ne", "lt", "le", "gt", "ge"})
          check_binary(name, {{"direction", std::string(direction)}}, dtype, fired);
      } else if (name == "convert" || name == "bitcast") {
        check_conversions(name, dtype, fired);
      } else if (name == "select") {
        check_select(dtype, fired);
      } else {
        try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.make(name, {f.x})}); });
        try_program(dtype, fired, [&](Program& f) { return f.make(name, {f.x, f.y}); });
        check_binary(name, {}, dtype, fired);
      }
    }
  }
  return fired;
}

// The rules that identities.txt shows in functions that consist of element-wise operations.
std::set<std::string> known_rules() {
  std::set<std::string> rules;
  std::ifstream file(INGOT_TEST_DIR "/identities.txt");
  bool elementwise = true, before = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("func ")) {
      before = !before;
      if (before) elementwise = true;
    }
    if (line.starts_with("---- ") && elementwise) {
      std::istringstream words(line.substr(5));
      for (std::string rule; words >> rule;) rules.insert(rule);
    }
    const size_t at = line.find(" = ");
    if (!before || at == std::string::npos) continue;
    const std::string name = line.substr(at + 3, line.find('(') - at - 3);
    const ir::OpRecord* record = ir::find_record(name);
    elementwise = elementwise && record != nullptr &&
                  (std::holds_alternative<ir::ScalarRecipe>(*record->becomes) || name == "constant" ||
                   name == "broadcast");
  }
  for (const char* rule : {"none", "broadcast_to_same", "broadcast_of_broadcast", "broadcast_is_transpose"})
    rules.erase(rule);
  return rules;
}

TEST(IdentityValuesTest, RulesHoldForAllPairsOfBytesAndAllHalves) {
  const std::set<std::string> fired = check_all();
  EXPECT_GT(fired.size(), 20u);
  for (const std::string& rule : known_rules()) EXPECT_TRUE(fired.count(rule)) << rule << " was never tried";
}

// What the comparison is there to find: x + 0 is not x, where x is -0, and only there.
TEST(IdentityValuesTest, TheSignOfOneZeroIsSeen) {
  ir::Module module;
  ir::Region& body = module.add_function("f")->body();
  const Tensor all = all_values(DType::kF16);
  Value* x = body.add_argument({DType::kF16, all.shape()}, "x");
  ir::Builder builder(body);
  Value* zero = builder.value("broadcast", {builder.constant(scalar_of(DType::kF16, 0))},
                              {{"dims", IntList{}}, {"shape", all.shape()}});
  body.set_results({builder.value("add", {x, zero})});
  EXPECT_EQ(bits_differ(interpret(module, std::vector<Tensor>{all})[0], all), "element 32768 has changed");
}

}  // namespace
}  // namespace ingot::ops
