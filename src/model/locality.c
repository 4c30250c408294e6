/* Trains a model: makes the model object, and does the checks and preparations that both methods
 * share. */
#include "model/locality.h"
#include "base/sized.h"

#include "model/mrc.h"
#include "profile/profile_build.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the object ---- */

rd_status rdi_model_new(rd_ctx *ctx, rd_model **out) {
    rd_model *m = rdi_calloc(ctx, 1, sizeof *m);
    if (!m)
        return RD_ENOMEM;
    m->ctx = ctx;
    *out = m;
    return RD_OK;
}

void rd_model_free(rd_model *m) {
    if (!m)
        return;
    rdi_profile_free_string(m->ctx, m->facts.size_unit);
    rdi_free(m->ctx, m->pieces);
    rdi_free(m->ctx, m);
}

rd_status rdi_model_add(rd_model *m, rdi_piece piece) {
    if (m->n == m->room) {
        size_t room = m->room ? 2 * m->room : 256;
        rdi_piece *grown = rdi_resize(m->ctx, m->pieces, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        m->pieces = grown;
        m->room = room;
    }
    m->pieces[m->n++] = piece;
    return RD_OK;
}

double rdi_model_sum(rd_model *m) {
    double sum = 0;
    memset(m->facts.shares, 0, sizeof m->facts.shares);
    for (size_t i = 0; i < m->n; i++) {
        m->facts.shares[m->pieces[i].pattern] += m->pieces[i].share;
        sum += m->pieces[i].share;
    }
    return sum;
}

void rdi_model_complete(rd_model *m) {
    double sum = rdi_model_sum(m);
    for (size_t i = 0; i < m->n && sum > 0; i++)
        m->pieces[i].share /= sum;
    rdi_model_sum(m);
}

const rd_model_facts *rd_model_facts_of(const rd_model *m) {
    return m ? &m->facts : NULL;
}

rd_status rd_model_set_size_unit(rd_model *m, const char *unit) {
    RDI_NEED(m ? m->ctx : NULL, m, unit);
    char *copy = rdi_strdup(m->ctx, unit);
    if (!copy)
        return RD_ENOMEM;
    rdi_profile_free_string(m->ctx, m->facts.size_unit);
    m->facts.size_unit = copy;
    return RD_OK;
}

/* ---- checking the training inputs ---- */

static rd_status check_config(rd_ctx *ctx, const rd_model_config *c) {
    rd_binning_kind kind = c->binning.kind;
    if (c->patterns)
        RD_TRY(rdi_patterns_check(ctx, c->patterns));
    if (c->method != RD_MODEL_SINGLE && c->method != RD_MODEL_MULTI)
        return rdi_fail(
            ctx, RD_EINVAL,
            "unknown prediction method %d (valid: %d for RD_MODEL_SINGLE, %d for RD_MODEL_MULTI)",
            (int)c->method, (int)RD_MODEL_SINGLE, (int)RD_MODEL_MULTI);
    if (c->method == RD_MODEL_SINGLE && kind != RD_BINS_REFERENCE)
        return rdi_fail(ctx, RD_EINVAL,
                        "method single needs reference groups as bins, for example reference:1000");
    bool loglinear = kind == RD_BINS_LOGLINEAR && c->binning.param == 0;
    if (kind != RD_BINS_REFERENCE && kind != RD_BINS_LOG && !loglinear)
        return rdi_fail(ctx, RD_EINVAL,
                        "method multi needs log, loglinear (without a width) or reference bins");
    if (kind == RD_BINS_REFERENCE && (c->binning.param < 1 || c->binning.param > 1000000))
        return rdi_fail(ctx, RD_EINVAL,
                        "the number of reference groups is %" PRIu64
                        "; it must be from 1 to 1000000",
                        c->binning.param);
    return RD_OK;
}

/* Refuses a profile whose distances a model cannot learn. */
static rd_status check_distances(rd_ctx *ctx, const rd_profile *p, size_t number) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    RD_TRY(rdi_mrc_check(ctx, p));
    if (rd_profile_private(p))
        return rdi_fail(
            ctx, RD_EINVAL,
            "profile %zu has private stacks: a model cannot predict coherence misses; analyze "
            "without --stacks=private",
            number);
    if (!f->sums_known)
        return rdi_fail(
            ctx, RD_EINVAL,
            "profile %zu has no mean distances per bin: engine %s does not measure them; use "
            "another engine",
            number, f->engine ? f->engine : "(unknown)");
    if (f->bound)
        return rdi_fail(ctx, RD_EINVAL,
                        "profile %zu ends at its bound of %" PRIu64
                        " blocks: a prediction needs all distances; analyze without --bound",
                        number, f->bound);
    return RD_OK;
}

/* Refuses a profile that cannot be used together with the first one. */
static rd_status check_profile(rd_ctx *ctx, const rd_profile *p, const rd_profile *first,
                               size_t number) {
    uint32_t different = rd_profile_differences(first, p);
    RD_TRY(check_distances(ctx, p, number));
    if (different & RD_DIFFERENT_BLOCKS) {
        char blocks[2][RDI_BLOCK_ROOM];
        return rdi_fail(ctx, RD_EINVAL,
                        "the block sizes differ: -b %s in profile 1, -b %s in profile %zu; analyze "
                        "all inputs with the same -b",
                        rdi_block_text(rd_profile_facts_of(first)->block_bytes, blocks[0]),
                        rdi_block_text(rd_profile_facts_of(p)->block_bytes, blocks[1]), number);
    }
    if (different & RD_DIFFERENT_KINDS)
        return rdi_fail(ctx, RD_EINVAL,
                        "profile %zu has different kinds of references than profile 1; analyze all "
                        "inputs with the same --kinds",
                        number);
    if (different & RD_DIFFERENT_ORDERS)
        return rdi_fail(ctx, RD_EINVAL,
                        "profile %zu has another order of the threads' references than profile 1; "
                        "analyze all inputs with the same --interleave",
                        number);
    return RD_OK;
}

static rd_status check_sizes(rd_ctx *ctx, const rdi_training_run *runs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(runs[i].size > 0 && isfinite(runs[i].size)))
            return rdi_fail(ctx, RD_EINVAL,
                            "the input size is %.10g; it must be a finite number above 0",
                            runs[i].size);
    for (size_t i = 1; i < n; i++)
        if (runs[i].size == runs[i - 1].size)
            return rdi_fail(ctx, RD_EINVAL,
                            "two training inputs have the same size, %.10g: sizes must differ",
                            runs[i].size);
    return RD_OK;
}

static int by_size(const void *a, const void *b) {
    double x = ((const rdi_training_run *)a)->size, y = ((const rdi_training_run *)b)->size;
    return (x > y) - (x < y);
}

/* ---- preparing ---- */

rd_status rdi_run_group(rd_ctx *ctx, rdi_training_run *run, uint64_t groups) {
    rd_binning to = {RD_BINS_REFERENCE, groups};
    RD_TRY(rdi_profile_rows_as(ctx, run->profile, to, &run->groups, &run->n_groups));
    if (run->n_groups < groups)
        return rdi_fail(ctx, RD_EINVAL,
                        "the number of reuses in a training profile is %zu, but %" PRIu64
                        " reference groups need at least one reuse each; train with larger inputs, "
                        "or with fewer groups if --hist=reference:K sets them",
                        run->n_groups, groups);
    return RD_OK;
}

static uint64_t count_reuses(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    return f->references - f->infinite;
}

/* Maximum exponent with which a total may grow with the input size. If a total shrinks, or grows
 * faster than this, the sizes do not explain the total. This happens if two sizes are nearly
 * equal. */
#define STEEPEST 4

/* Fits total = factor * size^exponent: a straight line through the logarithms. If the sizes do not
 * explain the total, the exponent is 0 and the factor is the geometric mean. */
static rdi_power fit_power(const rdi_training_run *runs, size_t n,
                           uint64_t (*total)(const rd_profile *)) {
    double mean_x = 0, mean_y = 0, square = 0, product = 0;
    for (size_t i = 0; i < n; i++) {
        mean_x += log(runs[i].size) / (double)n;
        mean_y += log(fmax(1, (double)total(runs[i].profile))) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double x = log(runs[i].size) - mean_x;
        square += x * x;
        product += x * (log(fmax(1, (double)total(runs[i].profile))) - mean_y);
    }
    double exponent = square > 0 ? product / square : 0;
    double factor = exp(mean_y - exponent * mean_x);
    if (!(exponent >= 0 && exponent <= STEEPEST && factor >= DBL_MIN && factor <= DBL_MAX))
        return (rdi_power){exp(mean_y), 0};
    return (rdi_power){factor, exponent};
}

static uint64_t count_blocks(const rd_profile *p) {
    uint64_t blocks = rd_profile_facts_of(p)->blocks;
    return blocks == RD_UNKNOWN ? 0 : blocks;
}

static rd_status learn(rd_model *m, rdi_training_run *runs, size_t n) {
    const rd_profile_facts *first = rd_profile_facts_of(runs[0].profile);
    bool reference = m->facts.binning.kind == RD_BINS_REFERENCE;
    qsort(runs, n, sizeof *runs, by_size);
    RD_TRY(check_sizes(m->ctx, runs, n));
    m->facts.block_bytes = first->block_bytes;
    m->facts.sampling = first->sampling;
    m->facts.exact = true;
    m->facts.n_sizes = n;
    for (size_t i = 0; i < n; i++) {
        const rd_profile_facts *facts = rd_profile_facts_of(runs[i].profile);
        RD_TRY(
            rdi_run_group(m->ctx, &runs[i], reference ? m->facts.binning.param : RDI_MODEL_GROUPS));
        m->facts.sizes[i] = runs[i].size;
        m->facts.exact = m->facts.exact && facts->exact && !facts->partial && !facts->skipped;
    }
    m->reuses = fit_power(runs, n, count_reuses);
    m->blocks = fit_power(runs, n, count_blocks);
    double error;
    if (!m->facts.patterns)
        m->facts.patterns = rdi_patterns_choose(runs, n, &error);
    RD_TRY(m->facts.method == RD_MODEL_SINGLE ? rdi_model_train_single(m, runs, n)
                                              : rdi_model_train_multi(m, runs, n));
    rdi_model_complete(m);
    return rd_model_set_size_unit(m, "given");
}

static rd_status complete_config(rd_ctx *ctx, const rd_model_config *config, rd_model_config *out) {
    RD_TRY(rdi_sized_copy(ctx, "rd_model_config", config, out, sizeof *out));
    if (out->method == RD_MODEL_SINGLE && out->binning.kind == RD_BINS_LOGLINEAR)
        out->binning = (rd_binning){RD_BINS_REFERENCE, RDI_MODEL_GROUPS};
    return RD_OK;
}

rd_status rd_model_train(rd_ctx *ctx, const rd_training *training, size_t n,
                         const rd_model_config *config, rd_model **out) {
    RDI_NEED(ctx, ctx, training, out);
    rd_model_config c;
    rdi_training_run runs[RD_TRAINING_MAX] = {{0}};
    RD_TRY(complete_config(ctx, config, &c));
    RD_TRY(check_config(ctx, &c));
    if (n < 2)
        return rdi_fail(ctx, RD_EINVAL, "a model needs profiles of at least two inputs, not %zu",
                        n);
    if (n > RD_TRAINING_MAX)
        return rdi_fail(ctx, RD_EINVAL, "a model takes at most %d training inputs, not %zu",
                        RD_TRAINING_MAX, n);
    for (size_t i = 0; i < n; i++) {
        RDI_NEED(ctx, training[i].profile);
        runs[i] = (rdi_training_run){.size = training[i].size, .profile = training[i].profile};
        RD_TRY(check_profile(ctx, training[i].profile, training[0].profile, i + 1));
    }
    rd_model *m = NULL;
    RD_TRY(rdi_model_new(ctx, &m));
    m->facts.method = c.method;
    m->facts.binning = c.binning;
    m->facts.patterns = c.patterns;
    rd_status status = learn(m, runs, n);
    for (size_t i = 0; i < n; i++)
        rdi_free(ctx, runs[i].groups);
    if (status == RD_OK)
        *out = m;
    else
        rd_model_free(m);
    return status;
}
