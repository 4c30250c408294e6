/* Building profiles inside the library. */
#ifndef RDI_PROFILE_H
#define RDI_PROFILE_H

#include "base/common.h"
#include "reusedist/profile.h"

#define RDI_PROFILE_FAMILY "reusedist.profile/"
#define RDI_PROFILE_SCHEMA RDI_PROFILE_FAMILY "1" /* ".1" and so on with later sections */

/* Kinds of error that more than one place knows. */
#define RDI_KIND_SAMPLED "sampled"
#define RDI_KIND_TIME    "time" /* the kind of error of a profile that holds time distances */

/* Copies everything, strings included; sums that are not known become 0. */
rd_status rdi_profile_new(rd_ctx *ctx, const rd_profile_facts *facts, const rd_bin *bins, size_t n,
                          rd_profile **out);
/* What rd_profile_note() gives; copied. */
rd_status rdi_profile_set_note(rd_profile *p, const char *note);
rd_status rdi_profile_add_sources(rd_profile *p, const rd_source *sources, size_t n);

/* The kinds of references analysed: 'L', 'S', 'I' as bits. */
unsigned rdi_profile_kinds(const rd_profile_facts *f);

/* The rows of p in other bins, as rd_profile_rebin() makes them; caller frees. */
rd_status rdi_profile_rows_as(rd_ctx *ctx, const rd_profile *p, rd_binning to, rd_bin **out,
                              size_t *n);

/* Facts and sources point to their strings by const pointers, also where they own them. */
void rdi_profile_free_string(rd_ctx *ctx, const char *text);
rd_ctx *rdi_profile_ctx(const rd_profile *p);

#endif
