/* The source locations of sites. Sites are grouped into lines, and lines into functions. */
#ifndef RDI_PLACES_H
#define RDI_PLACES_H

#include "attribution/attributor.h"
#include "base/own_code.h"

#define RDI_NO_OWN SIZE_MAX

/* A function or a line that has sites. Unknown texts are NULL. */
typedef struct rdi_place {
    const char *function, *module, *source;
    uint64_t line;               /* number of the line; 0: unknown */
    uint64_t function_line;      /* line where the function begins; 0: unknown */
    const char *function_source; /* file of the function */
    const char *full_name; /* whole name of the function; equal to `function` if that is whole */
    const char *const *inlined_from;
    const char *const *inlined_functions; /* parallel to inlined_from */
    size_t n_inlined_from;
    /* The first frame in the user's own code: 0 is the line itself, i the call inlined_from[i - 1];
     * RDI_NO_OWN: none. */
    size_t own;
    uint32_t function_number; /* for a line: the index of its function in rdi_places.functions */
    uint32_t site;            /* number of the site; used only while sites are grouped */
} rdi_place;

typedef struct rdi_places {
    rdi_place *lines, *functions;
    size_t n_lines, n_functions;
    /* The line of each site; RDI_OTHERS for the site that stands for all further program
     * counters. */
    uint32_t *line_of;
} rdi_places;

/* Finds the place of `pc` at `epoch`. The texts of *out are in the arena or borrowed from the
 * modules. */
rd_status rdi_place_of(const rdi_modules *modules, rdi_own own, rdi_arena *arena, uint64_t pc,
                       uint32_t epoch, rdi_place *out);
/* Returns the definition of the user's own code from the configuration. */
rdi_own rdi_attributor_own(const rd_attributor *a);

/* Sets *file and *number to the line of the user's own code that a place belongs to, or to the line
 * of the place itself if there is no such line. *file is borrowed or in the arena. */
rd_status rdi_place_own_line(const rdi_place *place, rdi_arena *arena, const char **file,
                             uint64_t *number);

/* Finds the places of all sites. The results are in the arena, except for texts that are borrowed
 * from the modules. */
rd_status rdi_places_find(const rd_attributor *a, rdi_arena *arena, rdi_places *out);

/* Returns the index in p->lines of the line that contains a place, or RDI_OTHERS if no site is on
 * that line. */
uint32_t rdi_places_line(const rdi_places *p, const rdi_place *place);

#endif
