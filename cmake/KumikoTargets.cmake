# One static library per folder of src/, one test program per folder that has *_test.cc files.
# The links name the arrows of docs/ARCHITECTURE.md; scripts/check holds the includes to them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
if(KUMIKO_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()

add_library(kumiko_options INTERFACE)
target_include_directories(kumiko_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(kumiko_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch-enum -Wnon-virtual-dtor -Wold-style-cast -Werror)
if(KUMIKO_SANITIZE)
  # GCC 12 sees uninitialised values in instrumented optionals that are not there.
  target_compile_options(kumiko_options INTERFACE -Wno-maybe-uninitialized)
  if(KUMIKO_SANITIZE STREQUAL "thread")
    # ThreadSanitizer knows no fences. Those of Asio order handlers that its locks order already.
    target_compile_definitions(kumiko_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  target_compile_options(kumiko_options INTERFACE -fsanitize=${KUMIKO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kumiko_options INTERFACE -fsanitize=${KUMIKO_SANITIZE})
else()
  # Thousands of small objects with short lives: jemalloc places a pod in half the time that glibc's malloc takes.
  find_library(JEMALLOC jemalloc REQUIRED)
  target_link_libraries(kumiko_options INTERFACE ${JEMALLOC})
endif()

# In a release these are compiled for speed; the others, where a person or a socket waits, for a quick first build.
set(KUMIKO_HOT_FOLDERS base cel gpu allocator)

# kumiko_folder(NAME DEPENDS <folders> LIBRARIES <third-party, private>)
function(kumiko_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(kumiko_${name} STATIC ${sources})
  target_link_libraries(kumiko_${name} PUBLIC kumiko_options)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(kumiko_${name} PUBLIC kumiko_${dependency})
  endforeach()
  target_link_libraries(kumiko_${name} PRIVATE ${ARG_LIBRARIES})
  if(CMAKE_CXX_FLAGS MATCHES "-O2" AND NOT name IN_LIST KUMIKO_HOT_FOLDERS)
    target_compile_options(kumiko_${name} PRIVATE -O1)
  endif()
  if(KUMIKO_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE kumiko_${name} GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest)
    target_compile_definitions(${name}_test PRIVATE KUMIKO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${name})
  endif()
endfunction()
