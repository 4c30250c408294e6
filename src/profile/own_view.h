/* The state of rd_profile_show_own(), and the functions that own_view.c, own_callers.c, own_divide.c
 * and own_renumber.c share. Old lines are the lines of the recorded profile, and new lines are the
 * lines that are shown instead. */
#ifndef RDI_OWN_VIEW_H
#define RDI_OWN_VIEW_H

#include "base/own_code.h"
#include "profile/details.h"

/* The place where an old line, or the share of it that one caller causes, is shown. */
typedef struct rdi_shown_line {
    const char *function, *file; /* innermost call frame of the user's own code; NULL: there is
                                    none, and the line is not merged with other lines */
    const char *module;
    uint64_t line;
    size_t old;  /* index of the old line */
    bool moved;  /* true: the call frame of own code is a caller of the line, not the line itself */
    size_t into; /* index of the new line */
    const rd_share *share;   /* the counts of this share */
    const rd_causes *causes; /* one element per simulated cache */
} rdi_shown_line;

typedef struct rdi_own_view {
    rdi_arena *arena;
    const rd_details *d;
    const rd_attribution *old;
    const rdi_own *own;
    rd_attribution *is;
    rd_contexts *contexts;  /* NULL: the profile has no calling contexts */
    rdi_shown_line *placed; /* one per old line: the place that inlined calls give it */
    /* The shares of the old lines: the shares of line i are at[first[i]] to at[first[i + 1] - 1],
     * the heaviest first. A line has at least one share. */
    rdi_shown_line *at;
    size_t *first, n_at;
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

/* Copies the calling contexts. If v->own has paths, they decide which frames of the copy are own
 * code. (own_callers.c) */
rd_status rdi_own_view_frames(rdi_own_view *v);

/* Makes the shares of all old lines from v->placed and, for library lines, from the calling contexts. The
 * shares of a line sum to the line. (own_callers.c) */
rd_status rdi_own_view_divide(rdi_own_view *v);

/* Sets at[k], for k from 0 to n_levels, to the number of references that miss in the k smallest caches and hit
 * in the next one. (own_divide.c) */
void rdi_classes_of(size_t n_levels, uint64_t references, const uint64_t *misses, uint64_t *at);

/* Sets the misses of each level from the numbers that rdi_classes_of() makes, and returns the number of
 * references. (own_divide.c) */
uint64_t rdi_classes_to_misses(size_t n_levels, const uint64_t *at, uint64_t *misses);

/* Divides `total` in proportion to n weights. The results sum to `total`. If all weights are 0, the first
 * result is `total`. (own_divide.c) */
void rdi_deal(uint64_t total, const uint64_t *weights, size_t n, uint64_t *out);

/* Divides the distances of a line among its n shares, whose references and misses are set.
 * (own_divide.c) */
rd_status rdi_divide_share(rdi_own_view *v, const rd_share *all, rd_share *parts, size_t n);

/* Divides the causes of the misses of a line among its n shares. The causes of share i in the
 * simulated cache k become out[i * number of caches + k]. (own_divide.c) */
rd_status rdi_divide_causes(rdi_own_view *v, const rd_causes *all, const rd_share *parts, size_t n,
                            rd_causes *out);

/* Renumbers and sums the entries that name lines: pairs, data and conflicts. (own_renumber.c) */
rd_status rdi_own_view_renumber(rdi_own_view *v);

#endif
