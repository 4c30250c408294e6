/* Where sites are in the source: sites grouped into lines, and lines into functions. */
#ifndef RDI_PLACES_H
#define RDI_PLACES_H

#include "attribution/attributor.h"

/* A function or line that has sites. Texts may be NULL: unknown. */
typedef struct rdi_place {
    const char *function, *module, *source;
    uint64_t line;               /* 0: unknown */
    uint64_t function_line;      /* where the function begins, 0: unknown ... */
    const char *function_source; /* ... and in which file */
    const char *const *inlined_from;
    size_t n_inlined_from;
    uint32_t function_number; /* of a line: among the functions */
    uint32_t site;            /* scratch */
} rdi_place;

typedef struct rdi_places {
    rdi_place *lines, *functions;
    size_t n_lines, n_functions;
    uint32_t *line_of; /* per site; RDI_OTHERS for the site of all further program counters */
} rdi_places;

/* Of one program counter. Texts are in the arena, or borrowed from the modules. */
rd_status rdi_place_of(const rdi_modules *modules, rdi_arena *arena, uint64_t pc, uint32_t epoch,
                       rdi_place *out);

/* Of all sites. All of it in the arena. */
rd_status rdi_places_find(const rd_attributor *a, rdi_arena *arena, rdi_places *out);

/* The line of a place, if sites are on it; else RDI_OTHERS. */
uint32_t rdi_places_line(const rdi_places *p, const rdi_place *place);

#endif
