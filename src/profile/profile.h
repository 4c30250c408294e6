/* Building profiles inside the library. */
#ifndef RDI_PROFILE_H
#define RDI_PROFILE_H

#include "base/base.h"
#include "reusedist/profile.h"

/* Copies everything, strings included. */
rd_status rdi_profile_new(rd_ctx *ctx, const rd_profile_facts *facts, const rd_bin *bins, size_t n,
                          rd_profile **out);
rd_ctx *rdi_profile_ctx(const rd_profile *p);

#endif
