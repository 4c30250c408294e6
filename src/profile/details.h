/* The details of a profile: one object that the sections "levels", "attribution", "windows",
 * "spatial", "causes" and "contexts" share. */
#ifndef RDI_DETAILS_H
#define RDI_DETAILS_H

#include "base/arena.h"
#include "profile/sections.h"
#include "reusedist/attribution.h"

/* The data of these sections. The first member is the public rd_details. */
typedef struct rdi_details {
    rd_details is; /* the public details, which point into the arena */
    /* The public details before the first call of rd_profile_show_own(). Each call begins from
     * them. */
    rd_details recorded;
    bool shown; /* true: `recorded` is set */
    rdi_arena arena;
} rdi_details;

rd_status rdi_details_new(rd_ctx *ctx, rdi_details **out);
void rdi_details_free(rdi_details *d); /* NULL is allowed */

/* Sets the details of a profile. Takes ownership of `details`, and frees the previous details. */
void rdi_profile_set_details(rd_profile *p, rdi_details *details);

/* Returns *data, the details that a section is read into, and sets r->arena to their arena. If
 * *data is NULL, makes the details first. Returns NULL after a failure. */
rdi_details *rdi_read_details(rdi_profile_reader *r, void **data);

/* Returns a text that describes a contradiction between the details and the profile or among the
 * details, or NULL if there is none. */
const char *rdi_details_mistake(const rd_profile_facts *facts, const rd_details *d);

/* Returns a text that says what in the causes of misses contradicts the simulated caches, or NULL if
 * nothing does. Both may be NULL. (section_causes.c) */
const char *rdi_causes_mistake(const rd_miss_causes *c, const rd_simulation *s);

/* These functions return the first and the last distance of a log bin. They are 0 and 0 for bin 0,
 * and 2^(k-1) and 2^k-1 for bin k. The last bin ends at 2^64 - 2. */
uint64_t rdi_log_bin_low(size_t bin);
uint64_t rdi_log_bin_high(size_t bin);

#endif
