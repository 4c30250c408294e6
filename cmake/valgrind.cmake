# Finds the files that an out-of-tree Valgrind tool needs: headers, the static core, the launcher, and the
# library that Valgrind preloads into every program. Sets RD_VALGRIND_FOUND and RD_VALGRIND_*.
set(RD_VALGRIND_FOUND FALSE)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(_libraries ${CMAKE_INSTALL_LIBDIR}/valgrind lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu/valgrind
      lib/valgrind lib64/valgrind libexec/valgrind)
  find_path(RD_VALGRIND_INCLUDE pub_tool_basics.h PATH_SUFFIXES valgrind)
  find_path(RD_VALGRIND_LIB libcoregrind-amd64-linux.a PATH_SUFFIXES ${_libraries} PATHS / /usr)
  find_path(RD_VALGRIND_LIBEXEC vgpreload_core-amd64-linux.so PATH_SUFFIXES ${_libraries} PATHS / /usr)
  # Debian's `valgrind` is a script that adds to the environment of the program.
  find_program(RD_VALGRIND_LAUNCHER NAMES valgrind.bin valgrind)
  if(RD_VALGRIND_INCLUDE AND RD_VALGRIND_LIB AND RD_VALGRIND_LIBEXEC AND RD_VALGRIND_LAUNCHER)
    execute_process(COMMAND ${RD_VALGRIND_LAUNCHER} --version OUTPUT_VARIABLE _version
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^valgrind-" "" RD_VALGRIND_VERSION "${_version}")
    set(RD_VALGRIND_FOUND TRUE)
  endif()
endif()
