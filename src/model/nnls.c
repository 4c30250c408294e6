/* Implements coordinate descent over sparse columns. The residual A x - b is kept up to date, so
 * finding the best value of one unknown takes one pass over its column. Sweeps over the nonzero
 * unknowns are cheap and do most of the work. A sweep over all unknowns decides whether the descent
 * ends. */
#include "model/nnls.h"

#include <math.h>

typedef struct entry {
    size_t row;
    double value;
} entry;

struct rdi_nnls {
    rd_ctx *ctx;
    size_t rows, columns, entries;
    size_t columns_room, entries_room;
    double *residual; /* A x - b; before solving it is -b */
    size_t *start;    /* index of each column's first entry, and the end of the last column */
    entry *entry;
};

#define TOLERANCE 1e-13 /* smallest relevant change of the residual, relative to |b| */
/* Maximum number of sweeps over the nonzero unknowns between two sweeps over all unknowns. */
#define INNER 16

rd_status rdi_nnls_new(rd_ctx *ctx, size_t rows, rdi_nnls **out) {
    rdi_nnls *s = rdi_calloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->ctx = ctx;
    s->rows = rows;
    s->residual = rdi_calloc(ctx, rows ? rows : 1, sizeof *s->residual);
    s->columns_room = 64;
    s->start = rdi_calloc(ctx, s->columns_room, sizeof *s->start);
    if (!s->residual || !s->start) {
        rdi_nnls_free(s);
        return RD_ENOMEM;
    }
    *out = s;
    return RD_OK;
}

void rdi_nnls_free(rdi_nnls *s) {
    if (!s)
        return;
    rdi_free(s->ctx, s->residual);
    rdi_free(s->ctx, s->start);
    rdi_free(s->ctx, s->entry);
    rdi_free(s->ctx, s);
}

void rdi_nnls_set(rdi_nnls *s, size_t row, double b) {
    s->residual[row] = -b;
}

rd_status rdi_nnls_add_column(rdi_nnls *s, size_t *column) {
    if (s->columns + 2 > s->columns_room) {
        size_t *grown = rdi_resize(s->ctx, s->start, 2 * s->columns_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        s->start = grown;
        s->columns_room *= 2;
    }
    *column = s->columns++;
    s->start[s->columns] = s->entries;
    return RD_OK;
}

rd_status rdi_nnls_add_entry(rdi_nnls *s, size_t row, double coefficient) {
    if (s->entries == s->entries_room) {
        size_t room = s->entries_room ? 2 * s->entries_room : 256;
        entry *grown = rdi_resize(s->ctx, s->entry, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        s->entry = grown;
        s->entries_room = room;
    }
    s->entry[s->entries++] = (entry){row, coefficient};
    s->start[s->columns] = s->entries;
    return RD_OK;
}

static void add_multiple(rdi_nnls *s, size_t column, double factor) {
    for (size_t i = s->start[column]; i < s->start[column + 1]; i++)
        s->residual[s->entry[i].row] += factor * s->entry[i].value;
}

/* Sets one unknown to its best value. Returns the length of the change of the residual. */
static double improve(rdi_nnls *s, size_t column, double *x) {
    double square = 0, slope = 0;
    for (size_t i = s->start[column]; i < s->start[column + 1]; i++) {
        const entry *e = &s->entry[i];
        square += e->value * e->value;
        slope += e->value * s->residual[e->row];
    }
    if (square == 0)
        return 0;
    double best = fmax(0, x[column] - slope / square), change = best - x[column];
    if (change == 0)
        return 0;
    x[column] = best;
    add_multiple(s, column, change);
    return fabs(change) * sqrt(square);
}

static double sweep(rdi_nnls *s, double *x, bool all) {
    double most = 0;
    for (size_t column = 0; column < s->columns; column++)
        if (all || x[column] > 0)
            most = fmax(most, improve(s, column, x));
    return most;
}

static double squares(const rdi_nnls *s) {
    double sum = 0;
    for (size_t row = 0; row < s->rows; row++)
        sum += s->residual[row] * s->residual[row];
    return sum;
}

double rdi_nnls_solve(rdi_nnls *s, double *x, unsigned sweeps) {
    double enough = TOLERANCE * sqrt(squares(s));
    for (size_t column = 0; column < s->columns; column++)
        add_multiple(s, column, x[column]);
    while (sweeps > 0) {
        double moved = sweep(s, x, true);
        sweeps--;
        if (moved <= enough)
            break;
        for (unsigned i = 0; i < INNER && sweeps > 0 && sweep(s, x, false) > enough; i++)
            sweeps--;
    }
    return squares(s);
}
