/* Functions that write members of the profile file into the open JSON object. The report page also
 * uses some of them. docs/profile-format.md describes the file. */
#ifndef RDI_PROFILE_WRITE_H
#define RDI_PROFILE_WRITE_H

#include "base/json_write.h"
#include "reusedist/attribution.h"
#include "reusedist/profile.h"

/* Writes facts and sources. */
void rdi_profile_write_head(rd_json_writer *w, const rd_profile *p);
/* Writes "histogram": a row [low, high, count, sum] per bin, with null for an unknown sum. */
void rdi_profile_write_histogram(rd_json_writer *w, const rd_bin *bins, size_t n, bool sums_known,
                                 rd_json_layout layout);

/* Writes "interleaving" if the profile has it (section_interleaving.c). */
void rdi_profile_write_interleaving(rd_json_writer *w, const rd_profile *p);

/* Writes "levels": names and sizes of caches (section_levels.c). */
void rdi_details_write_levels(rd_json_writer *w, const rd_level *levels, size_t n);
/* Writes "levels", and all other sections of the details that the profile has (details.c). */
void rdi_details_write(rd_json_writer *w, const rd_details *d);

#endif
