/* The section "objects" while it is made. */
#ifndef RDI_SECTION_OBJECTS_H
#define RDI_SECTION_OBJECTS_H

#include "base/arena.h"
#include "profile/sections.h"
#include "reusedist/objects.h"

/* The data of the section. The first member is the public part. */
typedef struct rdi_objects_section {
    rd_objects_facts is; /* points into the arena */
    rdi_arena arena;
} rdi_objects_section;

/* Makes a section with a copy of all facts. */
rd_status rdi_objects_section_new(rd_ctx *ctx, const rd_objects_facts *facts,
                                  rdi_objects_section **out);

#endif
