# Makes Debian packages with CPack: `cpack -G DEB` in a build directory, or scripts/package, which configures
# a build directory for /usr. There is one package per component; dpkg-shlibdeps finds the dependencies of
# programs. debian/ has the files that are only in packages.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reusedist)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${RD_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_BINARY_DIR}/package/copyright)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command shared development)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME reusedist)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "reuse-distance analyzer for programs and traces
Reads traces of many tools, records programs while they run, and shows miss
ratios of every cache size, working sets and how a change affects locality.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "clang") # reusedist-cc calls clang
if(RD_VALGRIND_FOUND) # the tool works with only one version of Valgrind's core
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _ ${RD_VALGRIND_VERSION})
  math(EXPR _next "${CMAKE_MATCH_2} + 1")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "valgrind (>= 1:${CMAKE_MATCH_1}.${CMAKE_MATCH_2}), \
valgrind (<< 1:${CMAKE_MATCH_1}.${_next})")
endif()

# The name of a shared library's package changes with its soname, so that several can be installed.
set(_shared libreusedist${_soversion})
set(CPACK_DEBIAN_SHARED_PACKAGE_NAME ${_shared})
set(CPACK_DEBIAN_SHARED_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_SHARED_DESCRIPTION "reuse-distance analysis - shared library
The library that programs and the Python package use.")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_SHARED_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libreusedist-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "reuse-distance analysis - development files
Headers, the static library, and files for CMake and pkg-config.")
set(_needs "${_shared} (= ${PROJECT_VERSION})")
if(LibArchive_FOUND)
  list(APPEND _needs libarchive-dev)
endif()
if(ZLIB_FOUND)
  list(APPEND _needs zlib1g-dev)
endif()
if(RDI_HAVE_LIBDW)
  list(APPEND _needs libdw-dev)
endif()
if(RDI_HAVE_HWLOC)
  list(APPEND _needs libhwloc-dev)
endif()
string(REPLACE ";" ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${_needs}")

if(MPI_C_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME reusedist-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "reusedist (= ${PROJECT_VERSION})") # for its manual pages and recorders
  set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "reuse-distance analyzer for clusters
The same command for traces that are too long for one machine.")
endif()
if(RD_PYTHON_FOLDER)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-reusedist)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3, python3-numpy, ${_shared} (>= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/python/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/python/prerm)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "reuse-distance analysis in Python
Takes trace files and numpy arrays, and returns distances, profiles and
miss-ratio curves.")
endif()
include(CPack)
