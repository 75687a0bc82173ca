// Programs that must not compile, one for each number in MISTAKE, with what the compiler's first error says
// behind it. mistakes.cmake compiles them. Without a number all of it is right, and compiles.
#include <iostream>
#include <thread>
#include <unordered_map>

#include "ingot/ingot.h"

using ingot::Array;

class Private {
 public:
  Private() = default;

 private:
  Array w_, b_;
};
struct Holder {
  Array x;
  std::vector<Private> parts;
};
struct Many {
  Array a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4,
      c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8;
};
struct Node {
  Array value;
  std::vector<Node> children;
};

int main() {
  const Array x = Array::ones({3});
  Array y = x;
  int count = 0;
#if MISTAKE == 1  // ingot::scan: the body returns two values
  ingot::scan([](Array carry, Array y) { return carry + y; }, x, x);
#elif MISTAKE == 2   // ingot: the function does not take these arguments
  ingot::jit([](Array a, int n) { return a * n; })(x, 3);
#elif MISTAKE == 3   // ingot: the function does not take these arguments
  Array z = ingot::jit([](Array a, float lr) { return a * lr; })(x, 3.0f);
#elif MISTAKE == 4   // Parameters are values or const references
  ingot::jit([](Array& a) { return a += 1; })(x);
#elif MISTAKE == 5   // ingot::custom_jvp: the rule takes two std::tuples
  ingot::custom_jvp([](Array a) { return a; }, [](Array a, Array) { return a; })(x);
#elif MISTAKE == 6   // ingot::custom_vjp: the forward function takes the arguments
  ingot::custom_vjp([](Array a) { return a; }, [](Array a) { return a; },
                    [](Array a, Array) { return std::tuple(a); })(x);
#elif MISTAKE == 7   // ingot: the function does not take these arguments
  ingot::vmap([](Array a, int n) { return a * n; })(x, x);
#elif MISTAKE == 8   // ingot::custom_vmap: the rule takes
  ingot::custom_vmap([](Array a) { return a; }, [](Array a) { return a; })(x);
#elif MISTAKE == 9   // ingot: the function changes its own state (a mutable lambda)
  ingot::jit([count](Array a) mutable { return a + ++count; })(x);
#elif MISTAKE == 10  // ingot: the function changes its own state (a mutable lambda)
  ingot::grad([count](Array a) mutable { return sum(a) + ++count; })(x);
#elif MISTAKE == 11  // a class with private members
  ingot::jit([](Private, Array a) { return a; })(Private(), x);
#elif MISTAKE == 12  // a class with private members
  ingot::grad([](Array a, Holder) { return sum(a); })(x, Holder());
#elif MISTAKE == 13  // ingot: a struct with more than 48 fields
  ingot::jit([](Many m) { return m.a0; })(Many());
#elif MISTAKE == 14  // ingot::grad: the function takes fewer arguments
  ingot::grad<2>([](Array a, Array b) { return sum(a * b); })(x, x);
#elif MISTAKE == 15  // has no member named
  Array z = ingot::jit([](Array a) { return a.nonsense(); })(x);
#elif MISTAKE == 16  // has no member named
  ingot::grad([](const auto& a) { return a.nonsense(); })(x);
#elif MISTAKE == 17  // at(x, 0).set(5)
  y[0] = 5;
#elif MISTAKE == 18  // at(x, 0).add(5)
  y[0] += 5;
#elif MISTAKE == 19  // ingot::while_loop: the body takes the carry
  ingot::while_loop([](Array a) { return a[0] < 1; }, [](Array a, Array) { return a; }, x);
#elif MISTAKE == 20  // ingot::cond: both functions take the arguments
  ingot::cond(
      x[0] > 0, [](Array a) { return a; }, [](Array a, Array) { return a; }, x);
#elif MISTAKE == 21  // ingot::fori_loop: the body takes (i, carry)
  ingot::fori_loop(
      0, 3, [](Array a) { return a; }, x);
#elif MISTAKE == 22  // ingot: the function does not take these arguments
  ingot::jvp([](Array a, float b) { return a * b; }, std::tuple(x, 1.0f), std::tuple(x, 1.0f));
#elif MISTAKE == 23  // no match for call
  ingot::vmap([](const auto& a, int) { return a; })(x);
#elif MISTAKE == 24  // a map whose keys are no numbers, enums or texts
  ingot::jit([](std::map<std::thread::id, Array> m) { return m.begin()->second; })(
      std::map<std::thread::id, Array>{});
#elif MISTAKE == 25  // Parameters are values or const references
  Array z = ingot::checkpoint([](Array& a) { return a += 1; })(x);
#elif MISTAKE == 26  // ingot: the function does not take these arguments
  Array z = ingot::map([](Array a, float rate) { return a * rate; }, x);
#elif MISTAKE == 27  // a class with private members
  ingot::cond(
      x[0] > 0, [](Private a) { return a; }, [](Private a) { return a; }, Private());
#elif MISTAKE == 28  // ingot: the function returns nothing
  ingot::cond(
      x[0] > 0, [](Array) {}, [](Array) {}, x);
#elif MISTAKE == 29  // ingot: all functions of a cond or switch_ return the same type
  Array z =
      ingot::switch_(1, std::tuple([](Array a) { return a; }, [](Array a) { return std::pair(a, a); }), x);
#elif MISTAKE == 30  // a class with private members
  ingot::while_loop([](Private) { return Array(true); }, [](Private a) { return a; }, Private());
#elif MISTAKE == 31  // ingot: a struct with more than 48 fields
  auto [last, ys] = ingot::scan([](Many m, Array a) { return std::pair(m, a); }, Many(), x);
#elif MISTAKE == 32  // ingot: the function returns nothing
  ingot::value_and_grad([](Array) {})(x);
#elif MISTAKE == 33  // Parameters are values or const references
  ingot::hessian([](Array& a) { return sum(a); })(x);
#elif MISTAKE == 34  // ingot::vectorize: the function does not take so many arrays
  Array z = ingot::vectorize([](Array a, float rate) { return a * rate; })(x);
#elif MISTAKE == 35  // and a pointer, is none
  ingot::jit([](const Array* a) { return *a; })(&x);
#elif MISTAKE == 36  // ingot: all functions of a cond or switch_ return the same type
  Array z = ingot::cond(
      x[0] > 0, [](Array a) { return a; }, [](Array a) { return std::pair(a, a); }, x);
#elif MISTAKE == 37  // has no member named
  Array z = ingot::switch_(1, std::tuple([](Array a) { return a.nonsense(); }, [](Array a) { return a; }), x);
#elif MISTAKE == 38  // a class with private members
  ingot::vjp([](Array a) { return Holder{a, {}}; }, x);
#elif MISTAKE == 39  // ingot::associative_scan: the function takes (total, next)
  Array z = ingot::associative_scan([](Array a, float b) { return a * b; }, x);
#elif MISTAKE == 40  // a class with private members
  ingot::associative_scan([](Private a, Private) { return a; }, Private());
#elif MISTAKE == 41  // choose with where(predicate, x, y)
  y = ingot::cond(x[0] > 0, x, y);
#elif MISTAKE == 42  // the shape is a list: zeros({2, 3})
  y = ingot::zeros(2, 3);
#elif MISTAKE == 43  // the shape is a list: full({2, 3}, value)
  y = ingot::full(2, 3, 1.f);
#elif MISTAKE == 44  // reshape(x, {5, 4})
  y = ingot::reshape(x, 3, 1);
#elif MISTAKE == 45  // broadcast_to(x, {5, 4})
  y = ingot::broadcast_to(x, 2, 3);
#elif MISTAKE == 46  // concatenate({x, y}, axis)
  y = ingot::concatenate(x, x);
#elif MISTAKE == 47  // stack({x, y}, axis)
  y = ingot::stack(x, x, x);
#elif MISTAKE == 48  // hstack({x, y})
  y = ingot::hstack(x, x);
#elif MISTAKE == 49  // vstack({x, y})
  y = ingot::vstack(x, x);
#elif MISTAKE == 50  // where(pred, x, y), or nonzero(pred) for places
  y = ingot::where(x > 0, x);
#elif MISTAKE == 51  // f takes more or fewer
  y = ingot::jit([](Array a) { return a; })(x, x);
#elif MISTAKE == 52  // f takes more or fewer
  y = ingot::vmap([](Array a, Array b) { return a + b; })(x);
#elif MISTAKE == 53  // parts: auto [a, b] = random::split<2>(key)
  auto [a, b] = ingot::random::split(ingot::random::key(0));
#elif MISTAKE == 54  // for (Array row : unstack(x))
  for (Array row : x) y = row;
#elif MISTAKE == 55  // the shape is a list: ones({2, 3})
  y = ingot::ones(2, 3);
#elif MISTAKE == 56  // a function stands where arrays are asked for
  ingot::scan(
      x, [](Array c, Array v) { return std::pair(c + v, c); }, x);
#elif MISTAKE == 57  // a function stands where arrays are asked for
  ingot::while_loop(
      x, [](Array v) { return v[0] < 1; }, [](Array v) { return v + 1; });
#elif MISTAKE == 58  // the shape is second
  y = ingot::random::randint(ingot::random::key(0), 0, 10, {3});
#elif MISTAKE == 59  // keep the Array, or take to_vector
  auto v = (x + 1).view<float>();
#elif MISTAKE == 60  // no known conversion for argument 1
  y = x({1, {}}, 0);
#elif MISTAKE == 61  // no match for call to
  ingot::scan([](auto& c, auto& v) { return std::pair(c + v, c); }, x, x);
#elif MISTAKE == 62  // the shape is fourth
  y = ingot::random::ball(ingot::random::key(0), 3, {5});
#elif MISTAKE == 63  // x.at(0).get()
  std::cout << x.at(0);
#else
  y = y.reshape(-1).reshape(3, 1).transpose(1, 0) + ingot::random::normal(ingot::random::key(0), 3);
  ingot::scan([](Array carry, std::nullopt_t) { return std::pair(carry, std::nullopt); }, x, std::nullopt,
              {.length = 3});
  ingot::scan([](Array carry, Array y) { return std::pair(carry + y, y); }, Array(0.0f), x);
  ingot::jit([](Array a, Array n) { return a * n; })(x, 3);
  ingot::jit([](std::unordered_map<std::string, Array> m) { return m.at("x"); });
  ingot::jit([](Node n) { return n.value; })(Node{x, {}});
  y = ingot::at(y, 0).set(5 + count);
#endif
}
