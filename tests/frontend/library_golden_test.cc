// The functions that users of numpy and JAX expect, against JAX: values, dtypes and shapes, one by one and in
// a program, gradients, and batches against themselves. The lines are those of docs/from_jax.md.
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "frontend/library_lines.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::Inputs;
using testing::Line;
using testing::Results;

struct Expected {
  std::string type;  // "f32 2 3"
  std::vector<double> values;
};

struct Golden {
  std::string of;
  std::vector<Expected> results;
  std::optional<Expected> gradient;
};

Expected read_array(std::istringstream& words) {
  Expected array;
  std::string word;
  while (words >> word && word != ":") array.type += (array.type.empty() ? "" : " ") + word;
  while (words >> word) array.values.push_back(std::stod(word));
  return array;
}

struct File {
  std::map<std::string, Expected> inputs;
  std::map<std::string, Golden> cases;
};

const File& file() {
  static const File& all = *[] {
    auto* read = new File;
    std::ifstream stream(INGOT_TEST_DIR "/golden/jax_library.txt");
    std::string text;
    Golden* golden = nullptr;
    while (std::getline(stream, text)) {
      std::istringstream words(text);
      std::string kind, name;
      words >> kind;
      if (kind == "input") {
        words >> name;
        read->inputs[name] = read_array(words);
      } else if (kind == "case") {
        golden = &read->cases[text.substr(5)];
        *golden = {};
      } else if (kind == "of") {
        words >> golden->of;
      } else if (kind == "result") {
        golden->results.push_back(read_array(words));
      } else {
        golden->gradient = read_array(words);
      }
    }
    return read;
  }();
  return all;
}

Array input(const std::string& name) {
  const Expected& given = file().inputs.at(name);
  std::istringstream words(given.type);
  std::string dtype;
  words >> dtype;
  Shape shape;
  for (int64_t extent; words >> extent;) shape.push_back(extent);
  if (dtype == "c64") {
    std::vector<std::complex<float>> values;
    for (size_t i = 0; i < given.values.size(); i += 2)
      values.emplace_back(static_cast<float>(given.values[i]), static_cast<float>(given.values[i + 1]));
    return Array::from(shape, values);
  }
  return Array::from(shape, given.values).astype(*parse_dtype(dtype));
}

Inputs inputs() {
  return {input("x"), input("y"), input("t"), input("m"), input("s"), input("i"), input("k"), input("p"),
          input("q"), input("n"), input("c"), input("e"), input("a"), input("w"), input("u")};
}

Array& member(Inputs& in, const std::string& name) {
  auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
  const std::map<std::string, Array*> members = {{"x", &x}, {"y", &y}, {"t", &t}, {"m", &m}, {"s", &s},
                                                 {"i", &i}, {"k", &k}, {"p", &p}, {"q", &q}, {"n", &n},
                                                 {"c", &c}, {"e", &e}, {"a", &a}, {"w", &w}, {"u", &u}};
  return *members.at(name);
}

Results run_with(const Line& line, Inputs in, const std::string& name, const Array& value) {
  member(in, name) = value;
  return line.run(in);
}

std::string type_of(const Array& array) {
  std::string text(name_of(array.dtype()));
  for (const int64_t extent : array.shape()) text += " " + std::to_string(extent);
  return text;
}

std::vector<double> values_of(const Array& array) {
  if (!is_complex(array.dtype())) return array.astype(DType::kF64).to_vector<double>();
  std::vector<double> values;
  for (const std::complex<float>& z : array.to_vector<std::complex<float>>())
    values.insert(values.end(), {z.real(), z.imag()});
  return values;
}

// What cancels in another order in JAX: sums of nearly opposite numbers, and zeros whose sign it has from a
// sum.
bool cancels(const std::string& line) {
  return line == "corrcoef(x)" || line == "toeplitz(c)" || line == "norm(m, kInf)" ||
         line == "matrix_norm(m, 1)";
}

// Equal to some units in the last places: of the value, and of 1, the size of the inputs, since sums cancel.
// What is so small that only a tail can be is equal in itself, and so are integers and the signs of zeros.
bool equal(double a, double e, bool integer, bool may_cancel) {
  if (std::isnan(e)) return std::isnan(a);
  if (std::isinf(e) || integer) return a == e;
  if (a == 0 && e == 0) return std::signbit(a) == std::signbit(e) || may_cancel;
  const bool tail = e != 0 && std::fabs(e) < 1e-8 && !may_cancel;
  return std::fabs(a - e) <= 2e-5 * std::fabs(e) + (tail ? 0 : 8 * 0x1p-23);
}

std::string difference(const Array& actual, const Expected& expected, const std::string& line) {
  if (type_of(actual) != expected.type) return " is " + type_of(actual) + " for " + expected.type;
  const std::vector<double> values = values_of(actual);
  const bool integer = !is_float(actual.dtype()) && !is_complex(actual.dtype());
  std::ostringstream text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!equal(values[i], expected.values[i], integer, cancels(line)))
      text << " [" << i << "] " << values[i] << " for " << expected.values[i];
  }
  return text.str();
}

void expect_results(const char* how, const Line& line, const Results& actual,
                    const std::vector<Expected>& expected) {
  ASSERT_EQ(actual.size(), expected.size()) << how << ": " << line.text;
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_EQ(difference(actual[i], expected[i], line.text), "")
        << how << ": " << line.text << ", result " << i;
}

// Those whose gradient is another than JAX's, and why.
const std::map<std::string, std::string> kOtherGradients = {
    {"polyfit(t, y, 2)", "JAX: NaN, from the power 0 of 0"},
    {"polyfit(t, m.T(), 1)", "the same"},
    {"polyfit(t, y, 1, {.weights = y})", "the same"},
    {"x(Array({9, -9}))", "JAX: an index that is cut off has none"},
    {"a(kNewAxis, i % 2, kNewAxis, kNewAxis, i)", "the same"},
    {"copysign(w, -1)", "of -0 and NaN: by their sign"},
    {"logaddexp2(w, w)", "of infinities, as logaddexp"},
    {"m.at(Slice{.step = 2}, Slice{1, Slice::kEnd, 2}).mul(y(Slice{0, 2}))",
     "of products none in the values"},
    {"zeta(y + 1.5, 2.0)", "none in its first operand; docs/autodiff.md"},
    {"ldexp(w, 3)", "of zeros and infinities: JAX: 1"},
    {"expm(s)", "JAX's has an error of 2e-5 in its first element"},
};
// Those that look at values, since no size is given.
const std::set<std::string> kNotInPrograms = {"repeat(x, k)",
                                              "nonzero(i)",
                                              "argwhere(p)",
                                              "unique(k)",
                                              "unique(stack({n, n}))",
                                              "unique_all(k)",
                                              "bincount(k)",
                                              "unique(stack({k, i, k}), {.axis = 0})",
                                              "intersect1d(i, k)",
                                              "union1d(x, t)",
                                              "setdiff1d(i, k)",
                                              "setxor1d(i, k)",
                                              "x[p]",
                                              "m(m > 0)",
                                              "a(a(Slice{}, Slice{}, 0) > 0)",
                                              "m(Slice{}, x > 0)",
                                              "m(i(Slice{0, 3}) > 0)"};

// The sum of all floats times 1, 2, ..., and of the parts of complex numbers as if they were floats one after
// the other.
Array weighted(const Results& results) {
  Array total(0.0f);
  int64_t next = 1;
  for (const Array& result : results) {
    if (!is_inexact(result.dtype())) continue;
    const Array row = ravel(result);
    const Array floats =
        is_complex(row.dtype()) ? ravel(stack({real(row), imag(row)}, 1)) : row.astype(DType::kF32);
    const int64_t count = floats.size();
    if (count > 0) total = total + sum(floats * arange(next, next + count).astype(DType::kF32));
    next += count;
  }
  return total;
}

void check_line(const Line& line) {
  const Golden& golden = file().cases.at(line.text);
  const Inputs in = inputs();
  expect_results("eager", line, line.run(in), golden.results);
  if (golden.of.empty() || kNotInPrograms.contains(line.text)) return;
  Inputs copy = in;
  const Array value = member(copy, golden.of);
  const auto f = [&](Array v) { return run_with(line, in, golden.of, v); };
  expect_results("jit", line, jit(f)(value), golden.results);
  // A batch of the input and of the same elements backwards.
  Array backwards = value;
  for (int64_t axis = 0; axis < value.rank(); ++axis) backwards = flip(backwards, axis);
  const Results batch = vmap(f)(stack({value, backwards}));
  Results first, second;
  for (const Array& result : batch) {
    first.push_back(result[0]);
    second.push_back(result[1]);
  }
  std::vector<Expected> alone;
  for (const Array& result : f(backwards)) alone.push_back({type_of(result), values_of(result)});
  expect_results("vmap, first", line, first, golden.results);
  expect_results("vmap, second", line, second, alone);
  if (!golden.gradient || kOtherGradients.contains(line.text)) return;
  const Array slope = grad([&](Array v) { return weighted(f(v)); })(value);
  EXPECT_EQ(difference(slope, *golden.gradient, line.text), "") << "gradient: " << line.text;
}

void check_lines(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    ASSERT_TRUE(file().cases.contains(line.text)) << line.text;
    try {
      check_line(line);
    } catch (const std::exception& error) {
      ADD_FAILURE() << line.text << "\n" << error.what();
    }
  }
}

TEST(LibraryGoldenTest, SlowFirstLinesAreThoseOfJax) {
  check_lines(testing::library_lines_1());
}
TEST(LibraryGoldenTest, SlowSecondLinesAreThoseOfJax) {
  check_lines(testing::library_lines_2());
}
TEST(LibraryGoldenTest, SlowThirdLinesAreThoseOfJax) {
  check_lines(testing::library_lines_3());
}
TEST(LibraryGoldenTest, SlowFourthLinesAreThoseOfJax) {
  check_lines(testing::library_lines_4());
}
TEST(LibraryGoldenTest, SlowFifthLinesAreThoseOfJax) {
  check_lines(testing::library_lines_5());
}

// What a line records stands in the file that the line is in, and not in the library.
TEST(LibraryGoldenTest, ReportsNameTheLinesOfUsers) {
  const Inputs in = inputs();
  for (const auto& lines :
       {testing::library_lines_1(), testing::library_lines_2(), testing::library_lines_3(),
        testing::library_lines_4(), testing::library_lines_5()})
    for (const Line& line : lines) {
      const std::string& of = file().cases.at(line.text).of;
      // Of a number that is known when it is traced, the program is a constant.
      if (of.empty() || kNotInPrograms.contains(line.text) || line.text.starts_with("Array(") ||
          line.text == "array_equal(x, m)")
        continue;
      Inputs copy = in;
      const std::string text =
          jit([&](Array v) { return run_with(line, in, of, v); }).lower(member(copy, of)).text();
      for (size_t at = text.find("loc(\""); at != std::string::npos; at = text.find("loc(\"", at + 1))
        EXPECT_EQ(text.substr(at, 200).find("library_lines_") != std::string::npos, true)
            << line.text << ": " << text.substr(at, 100);
    }
}

// Every line of the page stands in a program of these tests, as it is there.
TEST(LibraryGoldenTest, TheLinesOfThePageAreTested) {
  std::set<std::string> tested;
  for (const auto& lines :
       {testing::library_lines_1(), testing::library_lines_2(), testing::library_lines_3(),
        testing::library_lines_4(), testing::library_lines_5()})
    for (const Line& line : lines) tested.insert(line.text);
  std::ifstream page(INGOT_TEST_DIR "/../../docs/from_jax.md");
  std::string text;
  int rows = 0;
  while (std::getline(page, text)) {
    const size_t begin = text.find("` | `");
    if (!text.starts_with("| `") || begin == std::string::npos) continue;
    std::string cell = text.substr(begin + 5, text.rfind('`') - begin - 5);
    for (size_t at = cell.find("\\|"); at != std::string::npos; at = cell.find("\\|", at)) cell.erase(at, 1);
    EXPECT_TRUE(tested.contains(cell)) << cell << "\nrun tests/frontend/golden/jax_library.py";
    ++rows;
  }
  EXPECT_GE(rows, 150);
}

}  // namespace
}  // namespace ingot
