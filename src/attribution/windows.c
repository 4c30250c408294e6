/* Counts references per window. See windows.h. */
#include "attribution/windows.h"

#include <string.h>

#include "attribution/phases.h"

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

rd_status rdi_windows_finish(const rdi_windows *w, const rdi_steps *steps, rdi_arena *arena,
                             const rd_windows **out) {
    rd_windows *result = rdi_arena_alloc(arena, 1, sizeof *result);
    rd_window *rows = rdi_arena_alloc(arena, w->n, sizeof *rows);
    size_t *phases = rdi_arena_alloc(arena, w->n, sizeof *phases), n_phases = 0;
    size_t *numbers = rdi_arena_alloc(arena, w->n, sizeof *numbers);
    if (!result || !rows || !phases || !numbers)
        return RD_ENOMEM;
    for (size_t i = 0; i < w->n; i++) {
        rows[i].from = i * w->length;
        rdi_counts_to_share(steps, &w->row[i], &rows[i].share);
    }
    RD_TRY(rdi_phases_find(w->ctx, rows, w->n, phases, numbers, &n_phases));
    *result = (rd_windows){w->length, rows, w->n, phases, n_phases, numbers};
    *out = result;
    return RD_OK;
}
