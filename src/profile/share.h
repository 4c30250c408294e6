/* Functions that read, write and check rd_share, which the entries of several sections contain. */
#ifndef RDI_SHARE_H
#define RDI_SHARE_H

#include "profile/profile_reader.h"
#include "reusedist/attribution.h"

void rdi_read_bins(rdi_profile_reader *r, void *field);

/* Rows of an rdi_json_field table for an rd_share at the offset `at`. */
#define RDI_SHARE_FIELDS(at)                                                                       \
    {"references", rdi_read_u64, (at) + offsetof(rd_share, references), true},                     \
        {"infinite", rdi_read_u64, (at) + offsetof(rd_share, infinite), true},                     \
        {"distance_sum", rdi_read_sum, (at) + offsetof(rd_share, distance_sum), true},             \
        {"misses", rdi_read_misses, (at) + offsetof(rd_share, misses), true}, {                    \
        "bins", rdi_read_bins, (at) + offsetof(rd_share, bins), true                               \
    }

/* Writes the members of a share into the open object. */
void rdi_put_share(rd_json_writer *w, const rd_details *d, const rd_share *s);
void rdi_put_sum(rd_json_writer *w, rd_sum sum); /* writes the member "distance_sum" */

/* Returns whether the misses per level are at least `least`, at most `most`, and do not increase
 * from level to level, and whether the misses of levels that d does not have are 0. */
bool rdi_misses_are_possible(const rd_details *d, const uint64_t *misses, uint64_t least,
                             uint64_t most);
/* Returns whether the n shares that begin at `first`, `stride` bytes apart, are valid and their
 * references and infinite distances sum to the profile's. */
bool rdi_shares_sum_up(const rd_profile_facts *facts, const rd_details *d, const rd_share *first,
                       size_t n, size_t stride);

#endif
