// Trees that take each other's place leaf by leaf: where their structures differ, the Error says how, at the
// user's line.
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::line;
using Vector = std::vector<Array>;
using Map = std::map<std::string, Array>;
using Maybe = std::optional<Array>;
using Two = std::pair<Maybe, Maybe>;
enum class Mode { kTrain, kTest };
struct Counted {
  Array a;
  int n = 0;
};
struct Named {
  Array a;
  std::string name;
  Mode mode = Mode::kTrain;
  double rate = 0.1;
  bool on = false;
};
struct WeightBias {
  Array w, b;
};
struct BiasWeight {
  Array b, w;
};

Array counting(int64_t n) {
  return arange(n).astype(DType::kF32);
}

// The error of a scan over this carry, with a step that makes it this.
template <class Carry>
std::string scan_error(const Carry& init, const Carry& next, bool in_jit = false) {
  int at = 0;
  const auto run = [&](const Carry& from, const Array& xs) {
    at = __LINE__ + 1;
    return scan([&](Carry, Array x) { return std::pair(next, x); }, from, xs).second;
  };
  const std::string error =
      in_jit ? error_of([&] { jit(run)(init, counting(3)); }) : error_of([&] { run(init, counting(3)); });
  const std::string begin = line(at) + "scan: ";
  EXPECT_TRUE(error.starts_with(begin)) << error;
  const size_t end = error.find("; a carry keeps its structure");
  EXPECT_NE(end, std::string::npos) << error;
  return error.substr(begin.size(), end - begin.size());
}

TEST(StructureTest, CarryOfScanKeepsIt) {
  const Array one(1.0f);
  for (const bool in_jit : {false, true}) {
    EXPECT_EQ(scan_error(Counted{one, 1}, Counted{one, 2}, in_jit),
              "carry.n comes in as 1, but a step makes it 2");
    EXPECT_EQ(scan_error(Named{one, "a"}, Named{one, "b"}, in_jit),
              "carry.name comes in as \"a\", but a step makes it \"b\"");
    EXPECT_EQ(scan_error(Named{one, ""}, Named{one, "", Mode::kTest}, in_jit),
              "carry.mode comes in as 0, but a step makes it 1");
    EXPECT_EQ(scan_error(Named{one, ""}, Named{one, "", Mode::kTrain, 0.1 + 1e-15}, in_jit),
              "carry.rate comes in as 0.1, but a step makes it 0.100000000000001");
    EXPECT_EQ(scan_error(Named{one, ""}, Named{one, "", Mode::kTrain, 0.1, true}, in_jit),
              "carry.on comes in as false, but a step makes it true");
    EXPECT_EQ(scan_error(Vector{one}, Vector{one, one}, in_jit),
              "carry comes in as a vector of 1, but a step makes it a vector of 2");
    EXPECT_EQ(
        scan_error(std::vector<Vector>{{one, one}, {one}}, std::vector<Vector>{{one}, {one, one}}, in_jit),
        "carry[0] comes in as a vector of 2, but a step makes it a vector of 1");
    EXPECT_EQ(scan_error(Map{{"a", one}}, Map{{"b", one}}, in_jit),
              "carry comes in as a map with it, but a step makes it a map without the key \"a\"");
    EXPECT_EQ(scan_error(Map{{"a", one}}, Map{{"a", one}, {"b", one}}, in_jit),
              "carry comes in as a map without it, but a step makes it a map with the key \"b\"");
    EXPECT_EQ(scan_error(std::map<int, Array>{{3, one}}, std::map<int, Array>{{4, one}}, in_jit),
              "carry comes in as a map with it, but a step makes it a map without the key 3");
    EXPECT_EQ(scan_error(Two{one, std::nullopt}, Two{std::nullopt, one}, in_jit),
              "carry[0] comes in as an optional with a value, but a step makes it an empty optional");
    using Variant = std::variant<Array, std::tuple<Array>>;
    EXPECT_EQ(scan_error(Variant(one), Variant(std::tuple(one)), in_jit),
              "carry comes in as alternative 0 of a variant, but a step makes it alternative 1 of a variant");
  }
  // What stays may be there.
  const auto [last, ys] = scan(
      [](Named c, Array x) {
        c.a = c.a + x;
        return std::pair(c, x);
      },
      Named{one, "a", Mode::kTest, 0.5, true}, counting(3));
  EXPECT_EQ(last.a.item<float>(), 4);
  EXPECT_EQ(last.name, "a");
}

TEST(StructureTest, AssociativeScanKeepsIt) {
  const std::string error = error_of([] {
    associative_scan(
        [](Counted a, Counted b) {
          return Counted{a.a + b.a, a.n + b.n};
        },
        Counted{counting(3), 1});
  });
  EXPECT_NE(error.find("structure_test.cc:"), std::string::npos) << error;
  EXPECT_NE(
      error.find("associative_scan: of what the function returns, result.n is 2, but must be 1, as in x.n"),
      std::string::npos)
      << error;
}

TEST(StructureTest, LoopsAndBranchesKeepIt) {
  const Array one(1.0f), few(3);
  const auto more = [](Counted c) { return c.a < 5; };
  const auto grows = [](Counted c) { return Counted{c.a + 1, c.n + 1}; };
  const std::string n = ".n comes in as 1, but a step makes it 2; a carry keeps its structure";
  for (const bool in_jit : {false, true}) {
    const auto error = [&](const auto& f) {
      const std::string text =
          error_of([&] { in_jit ? void(jit([&](Array) { return f(), Array(0.0f); })(one)) : f(); });
      EXPECT_NE(text.find("structure_test.cc:"), std::string::npos) << text;
      return text;
    };
    const auto has = [](const std::string& text, const std::string& part) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    has(error([&] { while_loop(more, grows, Counted{one, 1}); }), "while_loop: carry" + n);
    const auto step = [&](Array, Counted c) { return grows(c); };
    has(error([&] { fori_loop(0, 3, step, Counted{one, 1}); }), "fori_loop: carry" + n);
    has(error([&] { fori_loop(0, few, step, Counted{one, 1}); }), n);
    const auto as_1 = [](Array x) { return Counted{x, 1}; };
    const auto as_2 = [](Array x) { return Counted{x, 2}; };
    const std::string alike = "; all must return trees of the same structure";
    has(error([&] { cond(one > 0, as_1, as_2, one); }),
        "cond: the result.n is 1 from the function for true, but 2 from the one for false" + alike);
    has(error([&] { switch_(few, std::tuple(as_1, as_1, as_2), one); }),
        "switch_: the result.n is 2 from branch 2, but 1 from branch 0" + alike);
    const auto many = [](Array x) { return Vector{x, x}; };
    const auto single = [](Array x) { return Vector{x}; };
    has(error([&] { cond(one > 0, many, single, one); }),
        "cond: the result is a vector of 2 from the function for true, but a vector of 1 from the one for "
        "false");
  }
  EXPECT_EQ(while_loop(
                more,
                [](Counted c) {
                  return Counted{c.a + 1, c.n};
                },
                Counted{one, 1})
                .n,
            1);
}

void expect_in(const std::string& text, const std::string& error) {
  EXPECT_NE(error.find("structure_test.cc:"), std::string::npos) << error;
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

TEST(StructureTest, TangentsAndCotangentsHaveIt) {
  const Array x = counting(3);
  const auto of_map = [](Map m) { return m["a"] * 2 + m["b"]; };
  const Map ab{{"a", x}, {"b", x}}, bc{{"b", x}, {"c", x}};
  const std::string keys = "is a map without the key \"a\", but must be a map with it, as in ";
  expect_in("jvp: tangent " + keys + "arg0", error_of([&] { jvp(of_map, ab, bc); }));
  expect_in("jvp: tangent[1] " + keys + "arg1", error_of([&] {
              jvp([&](Array y, Map m) { return y + of_map(m); }, std::tuple(x, ab), std::tuple(x, bc));
            }));
  expect_in("linearize: tangent " + keys + "arg0", error_of([&] { linearize(of_map, ab).second(bc); }));
  const auto to_map = [](Array y) { return Map{{"a", y}, {"b", y * 2}}; };
  expect_in("vjp: cotangent " + keys + "result", error_of([&] { vjp(to_map, x).second(bc); }));
  expect_in("hvp: vector " + keys + "arg0",
            error_of([&] { hvp([&](Map m) { return sum(square(of_map(m))); }, ab, bc); }));
  const auto first = [](Two t) { return *t.first * 3; };
  expect_in("jvp: tangent[0] is an empty optional, but must be an optional with a value, as in arg0[0]",
            error_of([&] {
              jvp(first, Two{x, std::nullopt}, Two{std::nullopt, x});
            }));
  const auto counted = [](Counted c) { return Counted{c.a * c.n, c.n}; };
  expect_in("jvp: tangent.n is 7, but must be 2, as in arg0.n", error_of([&] {
              jvp(counted, Counted{x, 2}, Counted{x, 7});
            }));
  expect_in("vjp: cotangent.n is 7, but must be 2, as in result.n", error_of([&] {
              vjp(counted, Counted{x, 2}).second(Counted{x, 7});
            }));
  // Trees of another type, whose arrays have other names.
  const auto weighed = [](WeightBias p) { return p.w * 2 + p.b; };
  expect_in("jvp: tangent.b stands where arg0.w must", error_of([&] {
              jvp(weighed, WeightBias{x, x}, BiasWeight{x, x});
            }));
  // In a program as well.
  expect_in("jvp: tangent " + keys + "arg0",
            error_of([&] { jit([&](Map m, Map t) { return jvp(of_map, m, t).second; })(ab, bc); }));
  // Static arguments have no tangents.
  const auto scaled = [](Array y, Static<int> n) { return y * n.value; };
  const std::vector<float> twice{0, 2, 4};
  EXPECT_EQ(jvp(scaled, std::tuple(x, Static{2}), std::tuple(x, std::tuple<>())).second.to_vector<float>(),
            twice);
  EXPECT_EQ(jvp(scaled, std::tuple(x, Static{2}), std::tuple(x, Static{3})).second.to_vector<float>(), twice);
  EXPECT_EQ(std::get<0>(vjp(scaled, std::tuple(x, Static{2})).second(x)).to_vector<float>(), twice);
}

TEST(StructureTest, RulesKeepIt) {
  const Array x = counting(3);
  const auto f = [](Array y) { return Map{{"a", y}, {"b", y * y}}; };
  const auto other = [](Array y) { return Map{{"b", y * y}, {"c", y}}; };
  using One = std::tuple<Array>;
  const std::string keys = "is a map without the key \"a\", but must be a map with it, as in ";
  const auto rule = [&](One p, One t) { return std::pair(other(std::get<0>(p)), f(std::get<0>(t))); };
  expect_in("custom_jvp: the rule returns another tree: result " + keys + "result",
            error_of([&] { custom_jvp(f, rule)(x); }));
  const auto tangent_rule = [&](One p, One t) { return std::pair(f(std::get<0>(p)), other(std::get<0>(t))); };
  expect_in("custom_jvp: as the tangent, the rule returns another tree: tangent " + keys + "result",
            error_of([&] { custom_jvp(f, tangent_rule)(x); }));
  const auto forward = [&](Array y) { return std::pair(other(y), y); };
  const auto backward = [](Array y, Map) { return std::tuple(y); };
  expect_in("custom_vjp: the forward function returns another tree: result " + keys + "result",
            error_of([&] { custom_vjp(f, forward, backward)(x); }));
  const auto of_map = [](Map m, Array y) { return m["a"] * y; };
  const auto keeps = [=](Map m, Array y) { return std::pair(of_map(m, y), y); };
  const auto renames = [&](Array y, Array ct) { return std::tuple(other(ct), y); };
  expect_in("custom_vjp: the backward function returns another tree: cotangents[0] " + keys + "arg0",
            error_of([&] { custom_vjp(of_map, keeps, renames)(f(x), x); }));
  const auto transpose = [&](Array, Array ct) { return other(ct); };
  const auto linear = [](Array y, Map m) { return m["a"] * y + m["b"]; };
  expect_in("custom_transpose: the transpose returns another tree: cotangent " + keys + "arg1",
            error_of([&] { custom_transpose(linear, transpose)(x, f(x)); }));
  const auto batch = [&](int64_t, std::vector<bool>, Array y) { return other(y); };
  expect_in("custom_vmap: for a batch of 3, the rule returns another tree: result " + keys + "result",
            error_of([&] { vmap(custom_vmap(f, batch))(x); }));
  // A static argument needs no cotangent.
  const auto scaled = custom_vjp([](Array y, Static<int> n) { return sum(y) * n.value; },
                                 [](Array y, Static<int> n) { return std::pair(sum(y) * n.value, y); },
                                 [](Array y, Array ct) { return std::tuple(y * ct, std::tuple<>()); });
  EXPECT_EQ(grad([&](Array y) { return scaled(y, Static{2}); })(x).to_vector<float>(),
            (std::vector<float>{0, 1, 2}));
}

}  // namespace
}  // namespace ingot
