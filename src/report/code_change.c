/* Lists the functions whose misses changed most from one profile to another. See change.h.
 *
 * Functions are matched by their names, because the numbers of lines change when a program is edited. The entry
 * "(others)" of each profile, the sum of the functions beyond a limit, is left out. So a function that only one
 * profile lists counts as having no misses in the other profile, where it has few misses.
 */
#include "report/change.h"

#include "base/arena.h"
#include "profile/profile_build.h"
#include "report/paper.h"
#include "reusedist/attribution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 3 /* maximum number of functions */
#define TELLING                                                                                    \
    100 /* a function is left out if the largest change is at least this many times its change */

/* The misses of a function in one of the profiles or, after combine(), in both. */
typedef struct named_misses {
    const char *name;
    uint64_t misses[2]; /* before and after the change */
} named_misses;

static int by_name(const void *a, const void *b) {
    return strcmp(((const named_misses *)a)->name, ((const named_misses *)b)->name);
}

static uint64_t change_of(const named_misses *f) {
    return f->misses[0] > f->misses[1] ? f->misses[0] - f->misses[1] : f->misses[1] - f->misses[0];
}

static int by_change(const void *a, const void *b) {
    uint64_t x = change_of(a), y = change_of(b);
    return x != y ? (x < y) - (x > y) : by_name(a, b);
}

/* Returns the level whose misses in the first profile cost most time, if a miss costs four times as much in each
 * further level. First touches do not count. */
static size_t costly_level(const rd_details *d) {
    size_t level = 0;
    double most = 0, weight = 1;
    for (size_t k = 0; k < d->n_levels; k++, weight *= 4) {
        double cost = 0;
        for (size_t i = 0; i < d->attribution->n_functions; i++) {
            const rd_share *share = &d->attribution->functions[i].share;
            cost += weight * ((double)share->misses[k] - (double)share->infinite);
        }
        if (cost > most) {
            most = cost;
            level = k;
        }
    }
    return level;
}

/* Returns whether the misses of functions at `level` can be compared. */
static bool is_comparable(const rdi_change *change, const rd_details *const d[2], size_t level) {
    for (int i = 0; i < 2; i++)
        if (level >= d[i]->n_levels || d[i]->levels[level].bytes != d[0]->levels[level].bytes ||
            rd_profile_facts_of(change->profiles[i])->skipped)
            return false;
    return true;
}

/* Writes the functions of both profiles to `out`, one entry for each name. Returns their number. */
static size_t combine(const rd_details *const d[2], size_t level, named_misses *out) {
    size_t n = 0, combined = 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < d[i]->attribution->n_functions; k++) {
            const rd_code_function *f = &d[i]->attribution->functions[k];
            out[n] = (named_misses){.name = f->name};
            out[n].misses[i] = f->share.misses[level];
            n += strcmp(f->name, "(others)") != 0;
        }
    if (n)
        qsort(out, n, sizeof *out, by_name);
    for (size_t i = 0; i < n; i++) {
        if (combined == 0 || by_name(&out[combined - 1], &out[i]) != 0) {
            out[combined++] = out[i];
            continue;
        }
        for (int k = 0; k < 2; k++)
            out[combined - 1].misses[k] += out[i].misses[k];
    }
    return combined;
}

static void add_functions(const rd_level *level, const named_misses *functions, size_t n,
                          rdi_text *out) {
    char size[RDI_FORMAT_ROOM], text[2][RDI_FORMAT_ROOM];
    rd_format_bytes((double)level->bytes, size);
    rdi_text_puts(out, "\nfunctions whose ");
    rdi_text_escaped(out, level->name);
    rdi_text_printf(out, " misses (%s) change most, from 1 to 2\n", size);
    for (size_t i = 0;
         i < n && i < SHOWN && change_of(&functions[i]) > change_of(&functions[0]) / TELLING; i++) {
        for (int k = 0; k < 2; k++)
            rd_format_count((double)functions[i].misses[k], text[k]);
        rdi_text_printf(out, "  %8s -> %8s  ", text[0], text[1]);
        rdi_text_escaped(out, functions[i].name);
        rdi_text_putc(out, '\n');
    }
}

rd_status rdi_change_functions(rd_ctx *ctx, const rdi_change *change, rdi_text *out) {
    const rd_details *const d[2] = {rd_profile_details(change->profiles[0]),
                                    rd_profile_details(change->profiles[1])};
    for (int i = 0; i < 2; i++)
        if (!d[i] || !d[i]->attribution || !rd_profile_facts_of(change->profiles[i])->block_bytes)
            return RD_OK;
    size_t level = costly_level(d[0]);
    if (!is_comparable(change, d, level))
        return RD_OK;
    rdi_arena arena = {.ctx = ctx};
    named_misses *all = rdi_arena_alloc(
        &arena, d[0]->attribution->n_functions + d[1]->attribution->n_functions + 1, sizeof *all);
    if (all) {
        size_t n = combine(d, level, all);
        if (n)
            qsort(all, n, sizeof *all, by_change);
        if (n && change_of(&all[0]))
            add_functions(&d[0]->levels[level], all, n, out);
    }
    rdi_arena_fini(&arena);
    return all ? out->status : RD_ENOMEM;
}
