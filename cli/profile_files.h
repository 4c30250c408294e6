/* Several profiles named on the command line. */
#ifndef RD_PROFILE_FILES_H
#define RD_PROFILE_FILES_H

#include "cli.h"

/* Reads n profiles into a new array; "-" is standard input, once. Returns the exit status, failures
 * having been reported. Free with free_profiles(). */
int read_profiles(rd_ctx *ctx, size_t n, char **paths, rd_profile ***out);
void free_profiles(rd_profile **profiles, size_t n);

#endif
