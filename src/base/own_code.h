/* Decides which source files are the user's own code, and which belong to libraries and
 * compilers. */
#ifndef RDI_OWN_CODE_H
#define RDI_OWN_CODE_H

#include "base/common.h"

/* The user's choice (--own). If there are no paths, all source files are the user's own code,
 * except source files in the folders of compilers, packages and the system, source files of
 * programs and libraries in folders of the system, and source files with a relative path and an
 * unknown module. */
typedef struct rdi_own {
    const char *const *paths; /* folders or files; a relative path may begin at any folder */
    size_t n;
} rdi_own;

/* Returns whether the source file, as debug information names it, is the user's own. `module` is
 * the path of the program or library with the code; NULL: unknown. */
bool rdi_own_file(const rdi_own *own, const char *source, const char *module);

#endif
