# Settings that every target shares, and the functions that declare our targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# The tree in the build folder mirrors the installed one, so that the program finds its plugins alike.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(APRX_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/aprx/plugins)

# Libraries that the set-up script unpacked because the distribution's are too old.
set(APRX_DEPS_PREFIX ${CMAKE_SOURCE_DIR}/build/deps/usr CACHE PATH "Prefix of unpacked dependencies")
if(EXISTS ${APRX_DEPS_PREFIX})
  list(PREPEND CMAKE_PREFIX_PATH ${APRX_DEPS_PREFIX})
endif()

find_package(Threads REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # an installed program then needs no newer Boost beside it
find_package(Boost 1.83 REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

find_program(APRX_CCACHE ccache)
if(APRX_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this, ccache compiles whatever uses a precompiled header anew.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${APRX_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
include(AprxPrecompile)

# Warnings and sanitizers for code of ours.
add_library(aprx_options INTERFACE)
target_include_directories(aprx_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/sdk/include)
target_compile_options(aprx_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                              -Woverloaded-virtual -Wextra-semi)
# g++ 12 sees overlaps and sizes that can't be wherever a literal and a text are joined (GCC PR 105651, PR 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(aprx_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
# std::stable_sort of g++ 12's library calls a function that it has itself marked as deprecated.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(aprx_options INTERFACE -Wno-deprecated-declarations)
endif()
# The linker then leaves out what nothing reaches, and scripts/unreached can list it.
target_compile_options(aprx_options INTERFACE -ffunction-sections)
target_link_options(aprx_options INTERFACE -Wl,--gc-sections)
if(APRX_WARNINGS_AS_ERRORS)
  target_compile_options(aprx_options INTERFACE -Werror)
endif()
if(APRX_SANITIZE)
  target_compile_options(aprx_options INTERFACE -fsanitize=${APRX_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(aprx_options INTERFACE -fsanitize=${APRX_SANITIZE})
endif()

# aprx_library(NAME [LIBS…]): a static library of every .cc file below the current folder.
function(aprx_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC aprx_options ${ARGN})
endfunction()

# aprx_test(NAME SOURCES… [LIBS lib…] LABELS label): a Catch2 program, one ctest entry a test case. One label, since
# catch_discover_tests takes a list for pairs, and then doesn't tell ctest which exit code means skipped.
function(aprx_test name)
  cmake_parse_arguments(T "" "LABELS" "LIBS" ${ARGN})
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE aprx_options ${T_LIBS} Catch2::Catch2WithMain)
  target_compile_definitions(${name} PRIVATE APRX_SOURCE_DIR="${CMAKE_SOURCE_DIR}" APRX_BINARY_DIR="${CMAKE_BINARY_DIR}")
  list(LENGTH T_UNPARSED_ARGUMENTS files)
  if(files GREATER_EQUAL 4)
    aprx_precompile(${name} <catch2/catch_test_macros.hpp>)
  endif()
  catch_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${T_LABELS}" TIMEOUT 300)
endfunction()

# aprx_plugin(NAME SOURCES… [LIBS lib…]): a plugin, a module that exports its table and nothing else.
# Libraries that come as archives are linked into it, and their symbols stay hidden.
function(aprx_plugin name)
  cmake_parse_arguments(P "" "" "LIBS" ${ARGN})
  set(exports ${CMAKE_SOURCE_DIR}/sdk/cmake/exports.map)
  add_library(${name} MODULE ${P_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE aprx_options ${P_LIBS})
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--exclude-libs,ALL)
  # clang leaves the sanitizer run-time to the program, so a module has undefined symbols there.
  if(NOT (APRX_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${exports}
                                           LIBRARY_OUTPUT_DIRECTORY ${APRX_PLUGIN_OUTPUT_DIRECTORY})
endfunction()
