/* Temporary files for tests: named, written, read and removed. */
#ifndef RD_TEST_FILES_H
#define RD_TEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a new path without a file, in a new directory. Free it with files_remove(). */
char *files_path(void);
/* Like files_path(), for a file with this name. */
char *files_named(const char *name);
/* Removes the file, if it exists, and its directory, and frees the path. Does nothing for NULL. */
void files_remove(char *path);

bool files_exist(const char *path);
void files_write(const char *path, const void *data, size_t n);
/* Returns the contents of the file, which the caller frees with free(), and sets *n to their
 * length. */
uint8_t *files_read(const char *path, size_t *n);

#endif
