# Writes a C file that contains files as arrays of bytes, and lists them in the array ARRAY (src/base/asset.h):
# cmake -DOUTPUT=FILE.c -DARRAY=NAME -DFILES=A|B|C -P embed.cmake
string(REPLACE "|" ";" _files "${FILES}")
set(_arrays "")
set(_table "")
set(_number 0)
foreach(_file ${_files})
  get_filename_component(_name ${_file} NAME)
  file(READ ${_file} _hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _bytes "${_hex}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" _bytes "${_bytes}")
  string(APPEND _arrays "static const unsigned char file_${_number}[] = {\n${_bytes}0};\n")
  string(APPEND _table "    {\"${_name}\", file_${_number}, sizeof file_${_number} - 1},\n")
  math(EXPR _number "${_number} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by cmake/embed.cmake. */\n#include \"base/asset.h\"\n\n${_arrays}\n"
  "const rdi_asset ${ARRAY}[] = {\n${_table}    {0, 0, 0},\n};\n")
