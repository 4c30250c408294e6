/* The data of the section "stretches", and the function that makes it. */
#ifndef RDI_SECTION_STRETCHES_H
#define RDI_SECTION_STRETCHES_H

#include "base/arena.h"
#include "profile/sections.h"
#include "reusedist/objects.h"

/* The data of the section. The first member is the public struct. */
typedef struct rdi_stretches_section {
    rd_stretches is; /* points into the arena */
    rdi_arena arena;
} rdi_stretches_section;

/* Makes a section with a copy of all stretches. */
rd_status rdi_stretches_section_new(rd_ctx *ctx, const rd_stretches *all,
                                    rdi_stretches_section **out);

#endif
