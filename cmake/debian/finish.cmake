# Adds the files that Debian expects in every package to the staged files: copyright, changelog and lintian
# overrides; and compresses the manual pages. CPack runs this script before it makes the packages.
set(_source ${CMAKE_CURRENT_LIST_DIR})
find_program(_gzip gzip REQUIRED)

# The changelog has the time of SOURCE_DATE_EPOCH, if that is set.
string(TIMESTAMP DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

function(compress)
  execute_process(COMMAND ${_gzip} -9nf ${ARGN} RESULT_VARIABLE _status)
  if(NOT _status EQUAL 0)
    message(FATAL_ERROR "gzip failed")
  endif()
endfunction()

foreach(_component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${_component} _upper)
  set(_package ${CPACK_DEBIAN_${_upper}_PACKAGE_NAME})
  set(_share ${CPACK_TEMPORARY_DIRECTORY}/${_component}/usr/share)
  file(COPY ${CPACK_RESOURCE_FILE_LICENSE} DESTINATION ${_share}/doc/${_package})
  configure_file(${_source}/changelog.in ${_share}/doc/${_package}/changelog @ONLY)
  if(EXISTS ${_source}/overrides/${_component})
    configure_file(${_source}/overrides/${_component} ${_share}/lintian/overrides/${_package} COPYONLY)
  endif()
  file(GLOB _pages ${_share}/man/man1/*.1)
  compress(${_pages} ${_share}/doc/${_package}/changelog)
endforeach()
