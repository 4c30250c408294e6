/* The data of the section "threads", for the code that makes and reads it. */
#ifndef RDI_SECTION_THREADS_H
#define RDI_SECTION_THREADS_H

#include "base/arena.h"
#include "profile/sections.h"
#include "reusedist/sharing.h"

/* The data of the section. The first member is the public struct. */
typedef struct rdi_threads_section {
    rd_private_stacks is; /* points into the arena */
    rdi_arena arena;
} rdi_threads_section;

/* Makes a section with a copy of all threads. */
rd_status rdi_threads_section_new(rd_ctx *ctx, const rd_private_stacks *all,
                                  rdi_threads_section **out);

void rdi_private_counts_add(rd_private_counts *sum, const rd_private_counts *c);

#endif
