/* The optional part of a profile: attribution, windows, spatial. */
#ifndef RDI_DETAILS_H
#define RDI_DETAILS_H

#include "base/arena.h"
#include "profile/profile_build.h"
#include "reusedist/attribution.h"

typedef struct rdi_details {
    rd_details is; /* points into the arena */
    rdi_arena arena;
} rdi_details;

rd_status rdi_details_new(rd_ctx *ctx, rdi_details **out);
void rdi_details_free(rdi_details *d); /* NULL is allowed */

/* Takes ownership; what was there is freed. */
void rdi_profile_set_details(rd_profile *p, rdi_details *details);

/* What contradicts the profile or itself, or NULL. Indexes are right already. */
const char *rdi_details_mistake(const rd_profile_facts *facts, const rd_details *d);

/* "0" for bin 0, else 2^(k-1) to 2^k - 1; the last ends at 2^64 - 2. */
uint64_t rdi_log_bin_low(size_t bin);
uint64_t rdi_log_bin_high(size_t bin);

extern const char *const rdi_data_kind_names[4];

#endif
