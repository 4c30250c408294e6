/* Functions that build profiles inside the library. */
#ifndef RDI_PROFILE_H
#define RDI_PROFILE_H

#include "base/common.h"
#include "reusedist/profile.h"

#define RDI_PROFILE_FAMILY "reusedist.profile/"
#define RDI_PROFILE_SCHEMA                                                                         \
    RDI_PROFILE_FAMILY "1" /* a file with newer sections has ".1" and so on
                                                     after it */

/* Error kinds that several files use. */
#define RDI_KIND_SAMPLED "sampled"
#define RDI_KIND_BURSTS  "bursts"
#define RDI_KIND_PARTS   "parts"
#define RDI_KIND_TIME    "time" /* the error kind of a profile with time distances */

/* Makes a profile with copies of all data, including strings. Sums become 0 if facts->sums_known is
 * false. If facts->skipped is not 0, the error kind becomes RDI_KIND_PARTS, as
 * rd_profile_set_skipped() describes. */
rd_status rdi_profile_new(rd_ctx *ctx, const rd_profile_facts *facts, const rd_bin *bins, size_t n,
                          rd_profile **out);
/* Sets the text that rd_profile_note() returns. The text is copied. */
rd_status rdi_profile_set_note(rd_profile *p, const char *note);
rd_status rdi_profile_add_sources(rd_profile *p, const rd_source *sources, size_t n);

/* Returns the kinds of references that were analyzed, as a mask of bits for 'L', 'S' and 'I'. */
unsigned rdi_profile_kinds(const rd_profile_facts *f);

/* Writes a block size as the value of option -b, such as "64", or "addr" for 0, and returns
 * `text`. */
#define RDI_BLOCK_ROOM 24
const char *rdi_block_text(uint64_t bytes, char text[RDI_BLOCK_ROOM]);

/* Makes the rows of p in the bins of `to`, like rd_profile_rebin(). The caller frees *out. */
rd_status rdi_profile_rows_as(rd_ctx *ctx, const rd_profile *p, rd_binning to, rd_bin **out,
                              size_t *n);

/* Returns the size of the smallest cache that a sample resolves, or 0 if every size is resolved. The
 * size is in blocks; a profile of objects has blocks of 1 byte. */
uint64_t rdi_profile_resolution(const rd_profile *p);

/* Frees a string of facts or sources. The pointers to such strings are const even in structs that
 * own the strings. */
void rdi_profile_free_string(rd_ctx *ctx, const char *text);
rd_ctx *rdi_profile_ctx(const rd_profile *p);
/* Returns the share of the program's references that the recorder kept; NAN: unknown. */
double rdi_profile_kept(const rd_profile *p);

#endif
