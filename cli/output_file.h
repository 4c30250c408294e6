/* Results to a file or standard output: whole or not at all. */
#ifndef RD_OUTPUT_FILE_H
#define RD_OUTPUT_FILE_H

#include <stddef.h>

/* Writes a finished result; NULL and "-" are standard output. A regular file appears under its name
 * only when every byte is in it: until then an old file of that name stays as it was. Devices and
 * pipes are written as they are. Returns the exit status, a failure having been reported. */
int output_text(const char *path, const char *text, size_t n);

#endif
