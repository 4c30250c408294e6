/* Windows and phases. See windows.h. */
#include "attribution/windows.h"

#include <math.h>
#include <string.h>

/* Half the sum of the absolute differences between two signatures: from here on they
 * are different. */
#define PHASE_CHANGE 0.25

rd_status rdi_windows_init(rdi_windows *w, rd_ctx *ctx, size_t max) {
    *w = (rdi_windows){.ctx = ctx, .max = max & ~(size_t)1, .length = RDI_WINDOW_FIRST};
    w->row = rdi_calloc(ctx, w->max, sizeof *w->row);
    return w->row ? RD_OK : RD_ENOMEM;
}

void rdi_windows_fini(rdi_windows *w) {
    if (w->ctx)
        rdi_free(w->ctx, w->row);
    *w = (rdi_windows){0};
}

static void halve(rdi_windows *w) {
    for (size_t i = 0; i < w->n / 2; i++) {
        rdi_counts sum = w->row[2 * i];
        rdi_counts_add(&sum, &w->row[2 * i + 1]);
        w->row[i] = sum;
    }
    w->n /= 2;
    w->length *= 2;
}

rdi_counts *rdi_windows_now(rdi_windows *w) {
    if (w->left == 0) {
        if (w->n == w->max)
            halve(w);
        memset(&w->row[w->n++], 0, sizeof *w->row);
        w->left = w->length;
    }
    return &w->row[w->n - 1];
}

/* ---- phases ---- */

#define BINS (RD_LOG_BINS + 1) /* one more for infinite distances */

typedef struct signature {
    double bin[BINS]; /* share of the references per bin */
} signature;

static signature signature_of(const rd_share *s) {
    signature g = {{0}};
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        g.bin[k] = (double)s->bins[k] / (double)s->references;
    g.bin[BINS - 1] = (double)s->infinite / (double)s->references;
    return g;
}

static double difference(const signature *a, const signature *b) {
    double sum = 0;
    for (size_t k = 0; k < BINS; k++)
        sum += fabs(a->bin[k] - b->bin[k]);
    return sum / 2;
}

/* Includes window number `n` of a phase, counted from 1, in its mean. */
static void take_in(signature *mean, const signature *window, size_t n) {
    for (size_t k = 0; k < BINS; k++)
        mean->bin[k] =
            n == 1 ? window->bin[k] : mean->bin[k] + (window->bin[k] - mean->bin[k]) / (double)n;
}

/* A phase ends where two consecutive windows differ from its mean; a single different window is no
 * new phase. If the two also differ from each other, the first one is a transition between two
 * phases and is not included in the mean of the next. */
static size_t find_phases(const rd_window *rows, size_t n, size_t *phases) {
    signature mean = {{0}};
    size_t found = 0, length = 0;
    for (size_t i = 0; i < n; i++) {
        signature now = signature_of(&rows[i].share);
        signature next = signature_of(&rows[i + 1 < n ? i + 1 : i].share);
        bool begins = i == 0, odd = length && difference(&mean, &now) > PHASE_CHANGE;
        if (odd && i + 1 < n && difference(&mean, &next) > PHASE_CHANGE) {
            begins = true;
            length = 0;
        }
        if (begins)
            phases[found++] = i;
        if (begins ? difference(&now, &next) <= PHASE_CHANGE : !odd)
            take_in(&mean, &now, ++length);
    }
    return found;
}

rd_status rdi_windows_finish(const rdi_windows *w, const rdi_steps *steps, rdi_arena *arena,
                             const rd_windows **out) {
    rd_windows *result = rdi_arena_alloc(arena, 1, sizeof *result);
    rd_window *rows = rdi_arena_alloc(arena, w->n, sizeof *rows);
    size_t *phases = rdi_arena_alloc(arena, w->n, sizeof *phases);
    if (!result || !rows || !phases)
        return RD_ENOMEM;
    for (size_t i = 0; i < w->n; i++) {
        rows[i].from = i * w->length;
        rdi_counts_to_share(steps, &w->row[i], &rows[i].share);
    }
    size_t n_phases = find_phases(rows, w->n, phases);
    *result = (rd_windows){w->length, rows, w->n, phases, n_phases};
    *out = result;
    return RD_OK;
}
