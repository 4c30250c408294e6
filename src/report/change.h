/* Sentences about the change from one profile to another, for `compare` and for the page. */
#ifndef RDI_CHANGE_H
#define RDI_CHANGE_H

#include "base/text.h"
#include "reusedist/report.h"

typedef struct rdi_change {
    rd_profile *const *profiles; /* two profiles: before and after the change */
    const char *const *names;
    const rd_level *levels; /* caches to report on, in addition to the cache size that differs
                               most */
    size_t n_levels;
} rdi_change;

/* Writes sentences, each on its own line. The main sentence says that the profiles are identical or cannot be
 * compared, or it says whether locality got better or worse, at which cache size most, and by how much. It comes
 * first, with two exceptions. If the misses of a named cache of the first profile changed, the sentences about the
 * named caches come before it. If the run became shorter, the sentences about the lengths of the runs and the numbers
 * of misses come before it. Names are written without folders and ".json", unless both would be the same, and are not
 * escaped. */
rd_status rdi_change_say(rd_ctx *ctx, const rdi_change *change, rdi_text *out);

/* Adds an empty line and a list of the functions whose misses changed most. Adds nothing if a profile has no
 * functions or is a sample, if the caches of the profiles differ, or if no misses changed. (code_change.c) */
rd_status rdi_change_functions(rd_ctx *ctx, const rdi_change *change, rdi_text *out);

#define RDI_CHANGE_NAME 80 /* bytes of a name in sentences */
/* Writes the names of two profiles for sentences: file names without folder and ".json", or whole
 * names if both would be the same. */
void rdi_change_names(const char *const *names, char out[2][RDI_CHANGE_NAME]);

#endif
