# Build tools that are used when they are there: ccache, lld; and the switches of the presets.

option(INGOT_WERROR "Treat warnings as errors (continuous integration does)" OFF)
option(INGOT_FUZZERS "Targets for libFuzzer, which clang has: the preset fuzzers" OFF)
set(INGOT_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, 'address,undefined' or 'thread'")

find_program(INGOT_CCACHE ccache)
if(INGOT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # So that it keeps files, too, that are compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${INGOT_CCACHE})
endif()

# From nothing, several files at once are twice as fast, since they share headers and instantiations;
# after a change of one file, all of its batch is compiled. So it is for builds from nothing: `make` switches
# it on where nothing has been built yet, and continuous integration does; presets by themselves do not.
# Names in unnamed namespaces of one layer must differ for it.
option(INGOT_UNITY "Compile the files of a layer in batches: fast from nothing, slow after a change" OFF)
set(CMAKE_UNITY_BUILD ${INGOT_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld INGOT_HAS_LLD)
if(INGOT_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Aggregates that leave members to their default values are meant to.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror=return-type -Werror=switch)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 raises these falsely for "literal" + std::string and for moves of std::variant.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
if(INGOT_WERROR)
  add_compile_options(-Werror)
endif()

# A null pointer that is read ends the process anyway; looking for it is a seventh of the compile time. The
# presets take clang, which compiles sanitized files in half of GCC's time; calls of compiled kernels have no
# type that its check of functions could read.
if(INGOT_SANITIZE)
  add_compile_options(-fsanitize=${INGOT_SANITIZE} -fno-sanitize=null -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INGOT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fno-sanitize=function)
    if(INGOT_SANITIZE MATCHES address)  # its library is shared: tests that were built without it run with it
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE runtime_dir
        OUTPUT_STRIP_TRAILING_WHITESPACE)
      add_link_options(-shared-libsan -Wl,-rpath,${runtime_dir})
    endif()
  endif()
endif()
