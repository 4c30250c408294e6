/* Reads and writes the profiles named on the command line. */
#ifndef RD_PROFILE_FILES_H
#define RD_PROFILE_FILES_H

#include "cli.h"

/* Reads a profile and prints its note. Reports a failure and returns the exit status. */
int read_profile(rd_ctx *ctx, const char *path, rd_profile **out);
/* Prints the note of a profile, if it has one. */
void tell_profile_note(const char *path, const rd_profile *profile);

/* Tells the user that a result is an estimate if the profile is approximate and has no confidence
 * band. Results of samples, and of profiles whose recorder skipped references, say so
 * themselves. */
void tell_estimate(const rd_profile *profile);

/* Reads n profiles into a new array; one of them may be "-", standard input. Reports failures and
 * returns the exit status. Free the array with free_profiles(). */
int read_profiles(rd_ctx *ctx, size_t n, char **paths, rd_profile ***out);
void free_profiles(rd_profile **profiles, size_t n);

/* Warns about profiles that differ from the first profile in their block size, bound, kinds, stacks,
 * order of the references, warm-up or expiry, and about incomplete profiles. Such profiles can be compared, but the
 * user probably did not intend this. */
void warn_unlike(rd_profile *const *profiles, size_t n, char **paths);
/* Warns only about profiles that differ from the first profile in the kinds or the order of their references. */
void warn_unlike_references(rd_profile *const *profiles, size_t n, char **paths);

/* Calls rd_profile_show_own() with the paths of --own, and warns if no source file of the profile is in
 * them. */
rd_status show_own(rd_profile *profile, const rd_strings *own);
/* Warns about the paths of --own like show_own(), after an analysis with them. */
void warn_no_own(const rd_profile *profile, const rd_strings *own);

/* Writes a profile file like output_text(). Reports a failure and returns the exit status. */
int write_profile(rd_ctx *ctx, rd_profile *profile, const char *path);

#endif
