/* Parts of the profile file, each written as members of the object that is open. The report page
 * has some of them as well. docs/profile-format.md describes them. */
#ifndef RDI_PROFILE_WRITE_H
#define RDI_PROFILE_WRITE_H

#include "base/json_write.h"
#include "reusedist/attribution.h"
#include "reusedist/profile.h"

/* Facts and sources. */
void rdi_profile_write_head(rd_json_writer *w, const rd_profile *p);
/* "histogram": a row [low, high, count, sum] per bin; a sum that is not known is null. */
void rdi_profile_write_histogram(rd_json_writer *w, const rd_bin *bins, size_t n, bool sums_known,
                                 rd_json_layout layout);

/* "levels": names and bytes of caches (section_levels.c). */
void rdi_details_write_levels(rd_json_writer *w, const rd_level *levels, size_t n);
/* "levels" and whatever of "attribution", "windows" and "spatial" there is (details.c). */
void rdi_details_write(rd_json_writer *w, const rd_details *d);

#endif
