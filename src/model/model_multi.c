/* Multi-model prediction: every bin is a mixture of patterns (Zhong, Shen, Ding 2009, section 3.4).
 *
 * The histogram of the largest training input is the standard. Each of its bins is split into one
 * piece per pattern, and the shares of these pieces are the unknowns. For an input of size s, a
 * piece with pattern f lies in the range of its bin, multiplied by f(s) / f(standard size).
 * References are assumed to be spread evenly over a bin, so every bin of that input gets the
 * fraction of the piece that the bin covers. Every bin of every training input is therefore an
 * equation. The model is the best solution without negative unknowns.
 *
 * Some equations cannot distinguish patterns: references at distance 0 stay there in every training
 * input, for every pattern. The descent starts at zero and visits the patterns in their order. So
 * the pattern with the slowest growth that explains such references gets all of them.
 */
#include "model/locality.h"
#include "model/nnls.h"
#include "profile/binning.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SWEEPS          20000u
#define STANDARD_WEIGHT 10
#define NARROWEST       1e-6 /* minimum width of a cell of reference groups */
/* Maximum number of log-linear bins, for distances up to 8.6 * 10^9. */
#define CELLS_MOST (UINT64_C(1) << 22)

/* The references of a cell: their share of all finite references, and the range in which their
 * distances are assumed to lie. */
typedef struct content {
    double share, low, high;
} content;

/* Bins that together cover all distances. Cell i extends from edge[i] to edge[i + 1]. After the
 * last edge there is one more cell, without references. */
typedef struct cells {
    double *edge;
    content *content;
    size_t n;
} cells;

static rd_status cells_alloc(rd_ctx *ctx, size_t n, cells *out) {
    out->n = n;
    out->edge = rdi_calloc(ctx, n + 1, sizeof *out->edge);
    out->content = rdi_calloc(ctx, n, sizeof *out->content);
    return out->edge && out->content ? RD_OK : RD_ENOMEM;
}

static void cells_free(rd_ctx *ctx, cells *c) {
    rdi_free(ctx, c->edge);
    rdi_free(ctx, c->content);
}

static uint64_t finite_references(const rd_bin *rows, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += rows[i].count;
    return sum;
}

/* Returns the share of a row in `total` references, and the range over which these references are
 * assumed to be spread evenly: the widest range inside the bin that has their mean in the middle.
 * The range is at least one block wide, and wide enough for the precision of a double. */
static content content_of(const rd_bin *row, double total) {
    double low = (double)row->low, high = (double)row->high + 1, mean = rd_bin_mean(row) + 0.5;
    double least = fmax(0.5, mean * 0x1p-50);
    double reach = fmax(least, fmin(mean - low, high - mean));
    return (content){(double)row->count / total, fmax(low, mean - reach), fmin(high, mean + reach)};
}

static rd_status fill_from_bins(rd_ctx *ctx, rd_binning binning, const rd_bin *rows, size_t n,
                                cells *out) {
    double total = (double)finite_references(rows, n);
    uint64_t n_cells = rdi_bin_index(binning, rows[n - 1].low) + 1;
    if (n_cells > CELLS_MOST)
        return rdi_fail(ctx, RD_EINVAL,
                        "distances of up to %" PRIu64 " need more than %" PRIu64
                        " log-linear bins, the maximum for training; use log bins",
                        rows[n - 1].high, CELLS_MOST);
    RD_TRY(cells_alloc(ctx, (size_t)n_cells, out));
    for (size_t i = 0; i < out->n; i++) {
        rd_bin bin;
        rdi_bin_range(binning, i, &bin);
        out->edge[i] = (double)bin.low;
        out->edge[i + 1] = (double)bin.high + 1;
    }
    for (size_t i = 0; i < n; i++)
        out->content[rdi_bin_index(binning, rows[i].low)] = content_of(&rows[i], total);
    return RD_OK;
}

/* Makes `groups` cells with the same number of references each. The rows are in ascending order of
 * distance, and are divided at every multiple of 1 / `groups` of their references. */
static rd_status fill_with_groups(rd_ctx *ctx, size_t groups, const rd_bin *rows, size_t n,
                                  cells *out) {
    double total = (double)finite_references(rows, n), size = 1.0 / (double)groups, below = 0;
    size_t cell = 0;
    RD_TRY(cells_alloc(ctx, groups, out));
    for (size_t i = 0; i < n; i++) {
        content c = content_of(&rows[i], total);
        while (cell + 1 < groups && below + c.share >= size * (double)(cell + 1)) {
            double part = (size * (double)(cell + 1) - below) / c.share;
            double edge = c.low + part * (c.high - c.low);
            out->edge[cell + 1] = fmax(edge, out->edge[cell] + NARROWEST);
            cell++;
        }
        below += c.share;
        out->edge[groups] = fmax(c.high, out->edge[cell] + NARROWEST);
    }
    for (size_t i = 0; i < groups; i++)
        out->content[i] = (content){size, out->edge[i], out->edge[i + 1]};
    return RD_OK;
}

static rd_status cells_of_run(rd_ctx *ctx, const rdi_training_run *run, rd_binning binning,
                              cells *out) {
    bool reference = binning.kind == RD_BINS_REFERENCE;
    rd_bin *rows = NULL;
    size_t n = 0;
    RD_TRY(rdi_profile_rows_as(
        ctx, run->profile, reference ? (rd_binning){RD_BINS_LOGLINEAR, 0} : binning, &rows, &n));
    rd_status status = reference ? fill_with_groups(ctx, (size_t)binning.param, rows, n, out)
                                 : fill_from_bins(ctx, binning, rows, n, out);
    rdi_free(ctx, rows);
    return status;
}

/* Returns the index of the cell that contains a distance, or c->n after the last edge. */
static size_t find_cell(const cells *c, double distance) {
    size_t low = 0, high = c->n + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (c->edge[middle] <= distance)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds the coefficients of a piece that is spread from `low` to `high` over the cells: `weight`
 * times the fraction of the piece in each cell. `row` is the equation of the first cell. */
static rd_status add_spread(rdi_nnls *system, const cells *c, size_t row, double low, double high,
                            double weight) {
    for (size_t i = find_cell(c, low); i <= c->n; i++) {
        double from = fmax(low, c->edge[i]), to = i < c->n ? fmin(high, c->edge[i + 1]) : high;
        if (to > from)
            RD_TRY(rdi_nnls_add_entry(system, row + i, weight * (to - from) / (high - low)));
        if (i == c->n || high <= c->edge[i + 1])
            break;
    }
    return RD_OK;
}

typedef struct fit {
    rd_model *m;
    const rdi_training_run *runs;
    size_t n;                     /* number of runs; the last one is the standard */
    cells cells[RD_TRAINING_MAX]; /* the cells of each run */
    rdi_nnls *system;
} fit;

/* Returns the weight of a run's equations. The pieces of a bin of the standard must sum to the
 * references of the bin. All other runs only help to distinguish the pieces, so their equations
 * weigh less. */
static double weight_of(const fit *f, size_t run) {
    return run == f->n - 1 ? STANDARD_WEIGHT : 1;
}

/* Adds the unknowns of a cell of the standard: one column per pattern, in the order of the
 * patterns. */
static rd_status add_unknowns(fit *f, size_t cell) {
    const cells *standard = &f->cells[f->n - 1];
    double low = standard->content[cell].low, high = standard->content[cell].high;
    for (rd_pattern p = 0; p < RD_PATTERN_COUNT; p++) {
        size_t column, row = 0;
        if (!rdi_patterns_has(f->m->facts.patterns, p))
            continue;
        RD_TRY(rdi_nnls_add_column(f->system, &column));
        for (size_t i = 0; i < f->n; i++) {
            double scale =
                rdi_pattern_at(p, f->runs[i].size) / rdi_pattern_at(p, f->runs[f->n - 1].size);
            RD_TRY(add_spread(f->system, &f->cells[i], row, low * scale, high * scale,
                              weight_of(f, i)));
            row += f->cells[i].n + 1;
        }
    }
    return RD_OK;
}

static rd_status set_up(fit *f, size_t *unknowns) {
    size_t rows = 0, at = 0, filled = 0;
    const cells *standard = &f->cells[f->n - 1];
    for (size_t i = 0; i < f->n; i++)
        rows += f->cells[i].n + 1;
    RD_TRY(rdi_nnls_new(f->m->ctx, rows, &f->system));
    for (size_t i = 0; i < f->n; i++) {
        for (size_t k = 0; k < f->cells[i].n; k++)
            rdi_nnls_set(f->system, at + k, weight_of(f, i) * f->cells[i].content[k].share);
        at += f->cells[i].n + 1;
    }
    for (size_t cell = 0; cell < standard->n; cell++)
        if (standard->content[cell].share > 0) {
            RD_TRY(add_unknowns(f, cell));
            filled++;
        }
    *unknowns = filled * (size_t)__builtin_popcount(f->m->facts.patterns);
    return RD_OK;
}

/* Adds a piece to the model for each unknown of the solution that is above 0, in the order of the
 * unknowns. */
static rd_status keep_pieces(fit *f, const double *x) {
    const cells *standard = &f->cells[f->n - 1];
    double size = f->runs[f->n - 1].size;
    for (size_t cell = 0; cell < standard->n; cell++)
        for (rd_pattern p = 0; p < RD_PATTERN_COUNT && standard->content[cell].share > 0; p++) {
            if (!rdi_patterns_has(f->m->facts.patterns, p))
                continue;
            double low = standard->content[cell].low, high = standard->content[cell].high;
            double share = *x++, scale = rdi_pattern_at(p, size);
            rdi_piece piece = {p, share, {0, low / scale}, {0, high / scale}};
            if (p == RD_PATTERN_CONSTANT)
                piece = (rdi_piece){p, share, {low, 0}, {high, 0}};
            if (share > 0)
                RD_TRY(rdi_model_add(f->m, piece));
        }
    return RD_OK;
}

static rd_status solve(fit *f) {
    size_t unknowns = 0;
    RD_TRY(set_up(f, &unknowns));
    double *x = rdi_calloc(f->m->ctx, unknowns, sizeof *x);
    if (!x)
        return RD_ENOMEM;
    rdi_nnls_solve(f->system, x, SWEEPS);
    rd_status status = keep_pieces(f, x);
    rdi_free(f->m->ctx, x);
    return status;
}

rd_status rdi_model_train_multi(rd_model *m, const rdi_training_run *runs, size_t n) {
    fit f = {.m = m, .runs = runs, .n = n};
    rd_status status = RD_OK;
    for (size_t i = 0; i < n && status == RD_OK; i++)
        status = cells_of_run(m->ctx, &runs[i], m->facts.binning, &f.cells[i]);
    if (status == RD_OK)
        status = solve(&f);
    rdi_nnls_free(f.system);
    for (size_t i = 0; i < n; i++)
        cells_free(m->ctx, &f.cells[i]);
    return status;
}
