// Programs as StableHLO: what JAX exports becomes a function of arrays, and a function a program that JAX
// reads.
//
//   auto model = ingot::load("model.mlir");             // jax.jit(f).lower(x, y).as_text(), in a file
//   std::vector<Array> results = model(x, y);
//   auto loss = ingot::load<Array>("loss.mlir");        // one result
//   Array g = ingot::grad(loss)(w, x);
//   std::string text = ingot::to_stablehlo(ingot::jit(f).lower(x, y));
//
// Of the library ingot_stablehlo: find_package(ingot COMPONENTS stablehlo), ingot::ingot_stablehlo.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ingot/jit.h"

namespace ingot {

namespace detail {
struct LoadedProgram;
std::shared_ptr<const LoadedProgram> load_program(std::string_view bytes, const std::string& file,
                                                  const std::source_location& where);
std::shared_ptr<const LoadedProgram> load_file(const std::string& file, const std::source_location& where);
std::vector<Array> call_program(const LoadedProgram& program, const std::vector<Array>& arguments,
                                const std::source_location& where);
// Error unless the program has so many results.
void want_results(const LoadedProgram& program, size_t count, const std::source_location& where);
std::string type_text(const LoadedProgram& program);
int64_t import_count(const LoadedProgram& program);

template <class T>
struct ResultsOf {
  static_assert(std::is_same_v<T, Array>,
                "ingot::load: the results are an Array, a std::tuple of Arrays, or "
                "std::vector<Array> for any number of them");
  static constexpr size_t count = 1;
  static Array make(std::vector<Array>&& arrays) { return std::move(arrays[0]); }
};
template <>
struct ResultsOf<std::vector<Array>> {
  static std::vector<Array> make(std::vector<Array>&& arrays) { return std::move(arrays); }
};
template <class... T>
struct ResultsOf<std::tuple<T...>> {
  static_assert((std::is_same_v<T, Array> && ...), "ingot::load: the results are a std::tuple of Arrays");
  static constexpr size_t count = sizeof...(T);
  static std::tuple<T...> make(std::vector<Array>&& arrays) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>{std::move(arrays[I])...};
    }
    (std::index_sequence_for<T...>());
  }
};
}  // namespace detail

// A function whose arguments are the program's, by position, and which jit, grad and vmap take. An argument
// of another type than the program's is an Error that names it, at the line of the call.
template <class Results = std::vector<Array>>
class LoadedFunction : public detail::CallOperator<LoadedFunction<Results>, void> {
 public:
  explicit LoadedFunction(std::shared_ptr<const detail::LoadedProgram> program,
                          const std::source_location& where)
      : program_(std::move(program)), where_(where) {
    if constexpr (!std::is_same_v<Results, std::vector<Array>>)
      detail::want_results(*program_, detail::ResultsOf<Results>::count, where);
  }

  using detail::CallOperator<LoadedFunction, void>::operator();
  // Any number of arguments.
  Results operator()(const std::vector<Array>& arguments,
                     const std::source_location& where = std::source_location::current()) const {
    return call(where, arguments);
  }

  // The same with the line that reports name.
  template <class... Args>
  Results call(const std::source_location& where, const Args&... arguments) const {
    constexpr bool kArrays = (std::is_convertible_v<const Args&, Array> && ...);
    static_assert(kArrays,
                  "ingot::load: the arguments of a loaded function are Arrays or numbers, or one "
                  "std::vector<Array>");
    if constexpr (kArrays) {
      return call(where, std::vector<Array>{Array(arguments)...});
    }
  }
  Results call(const std::source_location& where, const std::vector<Array>& arguments) const {
    return detail::ResultsOf<Results>::make(
        detail::call_program(*program_, arguments, where.line() != 0 ? where : where_));
  }

  std::string type() const { return detail::type_text(*program_); }  // "(x: f32[3,4], n: s32[]) -> (f32[4])"
  // For how many lists of types it is imported now; 1 where all shapes are fixed.
  int64_t imports() const { return detail::import_count(*program_); }

 private:
  std::shared_ptr<const detail::LoadedProgram> program_;
  std::source_location where_;  // that loaded it
};

// A program of symbolic shapes (jax.export with export.symbolic_shape) takes arrays of any extents there, and
// is imported for each list of types that it is called with, when it first is; what was called least recently
// goes with its program (cache.h), and is imported again when it is called. Error with the place in the
// file where it is no program, or has operations that Ingot has not: docs/conformance.md.
template <class Results = std::vector<Array>>
LoadedFunction<Results> load(const std::string& file,
                             const std::source_location& where = std::source_location::current()) {
  return LoadedFunction<Results>(detail::load_file(file, where), where);
}
// The same of a program in memory; `name` stands for the file in errors.
template <class Results = std::vector<Array>>
LoadedFunction<Results> load_stablehlo(std::string_view bytes, const std::string& name = "<memory>",
                                       const std::source_location& where = std::source_location::current()) {
  return LoadedFunction<Results>(detail::load_program(bytes, name, where), where);
}

// --- the way out

// The program as it was traced, as StableHLO text: what JAX reads, and load_stablehlo(). Functions stay
// functions, values and lines keep their names, captured arrays are constants; rules for derivatives stay
// behind, and so does `max_steps` of a loop. Error, at its line, where there are no words for an operation.
std::string to_stablehlo(const Lowered& lowered, bool locations = true);
std::string to_stablehlo(const Compiled& compiled, bool locations = true);
// The same as a portable artifact, MLIR bytecode in the versioned dialect vhlo: what jax.export writes into
// files.
std::string to_stablehlo_artifact(const Lowered& lowered);
std::string to_stablehlo_artifact(const Compiled& compiled);

}  // namespace ingot
