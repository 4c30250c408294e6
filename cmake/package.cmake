# Makes Debian packages with CPack: `cpack -G DEB` in a build directory, or scripts/package, which configures
# one for /usr. There is one package per component; dpkg-shlibdeps finds the dependencies of programs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reusedist)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The reusedist project <reusedist@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Measure, approximate, parallelise and predict reuse distance")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME reusedist)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Reuse distances of programs and traces
What would another cache do? Reads traces of many tools, records programs while
they run, and tells miss ratios, working sets and what a change did to them.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "clang") # for programs built with reusedist-cc
if(RD_VALGRIND_FOUND) # the tool is made for one version of Valgrind's core
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _ ${RD_VALGRIND_VERSION})
  math(EXPR _next "${CMAKE_MATCH_2} + 1")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "valgrind (>= 1:${CMAKE_MATCH_1}.${CMAKE_MATCH_2}), \
valgrind (<< 1:${CMAKE_MATCH_1}.${_next})")
endif()

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libreusedist-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Reuse distances: library
Headers, shared and static library, files for CMake and pkg-config.")
set(_needs "")
if(LibArchive_FOUND)
  list(APPEND _needs libarchive-dev)
endif()
if(ZLIB_FOUND)
  list(APPEND _needs zlib1g-dev)
endif()
if(RDI_HAVE_LIBDW)
  list(APPEND _needs libdw-dev)
endif()
string(REPLACE ";" ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${_needs}")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)

if(MPI_C_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME reusedist-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "reusedist (= ${PROJECT_VERSION})") # manual, recorders
  set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "Reuse distances on many processes
The same command for traces that are too long for one machine.")
endif()
if(RD_PYTHON_FOLDER)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-reusedist)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3, python3-numpy, libreusedist-dev (>= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Reuse distances of numpy arrays
Arrays in, distances, profiles and miss-ratio curves out, without copies.")
endif()
include(CPack)
