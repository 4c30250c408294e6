/* The data of the section "sharing", for the code that makes and reads it. */
#ifndef RDI_SECTION_SHARING_H
#define RDI_SECTION_SHARING_H

#include "base/arena.h"
#include "profile/sections.h"
#include "reusedist/sharing.h"

/* The data of the section. The first member is the public struct. */
typedef struct rdi_sharing_section {
    rd_shared_data is; /* points into the arena */
    rdi_arena arena;
} rdi_sharing_section;

/* Makes a section without data. Returns NULL if there is not enough memory. */
rdi_sharing_section *rdi_sharing_section_new(rd_ctx *ctx);
void rdi_sharing_section_free(rd_ctx *ctx, void *data);

#endif
