/* The state of rd_profile_show_own(), and the functions that own_view.c and own_renumber.c share. */
#ifndef RDI_OWN_VIEW_H
#define RDI_OWN_VIEW_H

#include "base/own_code.h"
#include "profile/details.h"

/* The place where a line is shown. */
typedef struct rdi_shown_line {
    const char *function, *file; /* innermost call frame of the user's own code; NULL: there is
                                    none, and the line is not merged with other lines */
    const char *module;
    uint64_t line;
    size_t old;  /* index of the old line */
    bool moved;  /* true: the call frame of own code is a caller of the line, not the line itself */
    size_t into; /* index of the new line */
} rdi_shown_line;

typedef struct rdi_own_view {
    rdi_arena *arena;
    const rd_details *d;
    const rd_attribution *old;
    const rdi_own *own;
    rd_attribution *is;
    rdi_shown_line *at; /* one per old line */
    rd_code_line *lines;
    rd_code_function *functions;
    rd_miss_causes *causes;
    rd_causes *line_causes, *function_causes;
} rdi_own_view;

/* The key by which lists are sorted: in descending order of misses, then references. */
typedef struct rdi_weighed {
    uint64_t misses, references;
    size_t index;
    bool last; /* true: the entry "(others)", which is sorted after all other entries */
} rdi_weighed;

int rdi_by_weight(const void *a, const void *b); /* compares rdi_weighed */

/* Renumbers and sums the entries that name lines: pairs, data and conflicts. (own_renumber.c) */
rd_status rdi_own_view_renumber(rdi_own_view *v);

#endif
