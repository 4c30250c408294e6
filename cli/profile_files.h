/* Profiles named on the command line, read and written. */
#ifndef RD_PROFILE_FILES_H
#define RD_PROFILE_FILES_H

#include "cli.h"

/* Reads a profile and tells the user what it was read without. Returns the exit status, a failure
 * having been reported. */
int read_profile(rd_ctx *ctx, const char *path, rd_profile **out);
/* Tells the user the note of a profile, if it has one. */
void tell_profile_note(const char *path, const rd_profile *profile);

/* Reads n profiles into a new array; "-" is standard input, once. Returns the exit status, failures
 * having been reported. Free with free_profiles(). */
int read_profiles(rd_ctx *ctx, size_t n, char **paths, rd_profile ***out);
void free_profiles(rd_profile **profiles, size_t n);

/* Profiles of different things can be compared, but hardly are what the user meant: warns of other
 * block sizes and bounds than the first one's. */
void warn_unlike(rd_profile *const *profiles, size_t n, char **paths);

/* Writes a profile file as output_text() does. Returns the exit status, a failure having been
 * reported. */
int write_profile(rd_ctx *ctx, rd_profile *profile, const char *path);

#endif
