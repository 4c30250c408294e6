# harden(TARGET...): compiles and links programs and libraries so that a memory error is harder to exploit:
# checked copies (_FORTIFY_SOURCE), stack protector, stack probes, checked jumps, position-independent code, and
# tables of the linker that are read-only when the program starts. Each option is used if the compiler or linker
# supports it.
#
# The recorders are not hardened: the Valgrind tool has no C library to report a violation, and the recorder for
# clang becomes part of other people's programs. Builds with a sanitizer are not hardened either: the sanitizer
# checks more.
if(RD_HARDENING AND NOT RD_SANITIZE)
  include(CheckCCompilerFlag)
  include(CheckLinkerFlag)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  set(_hardening "")
  foreach(_flag stack-protector-strong stack-clash-protection cf-protection)
    check_c_compiler_flag(-f${_flag} RD_HAVE_${_flag})
    if(RD_HAVE_${_flag})
      list(APPEND _hardening $<$<COMPILE_LANGUAGE:C>:-f${_flag}>)
    endif()
  endforeach()
  # The checks of the C library need an optimizing compiler.
  list(APPEND _hardening
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  check_linker_flag(C LINKER:-z,relro,-z,now RD_HAVE_RELRO)
endif()

function(harden)
  if(NOT RD_HARDENING OR RD_SANITIZE)
    return()
  endif()
  set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  foreach(_target ${ARGN})
    target_compile_options(${_target} PRIVATE ${_hardening})
    if(RD_HAVE_RELRO)
      target_link_options(${_target} PRIVATE LINKER:-z,relro,-z,now)
    endif()
  endforeach()
endfunction()
