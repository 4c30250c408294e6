/* Implements the verifier, which runs engines on random traces and compares their distances,
 * histograms and totals with the oracle, engine `stack`.
 *
 * Exact engines must agree bit for bit, and approximate engines within the error that they state
 * (verify_compare.c). A trace that shows a difference is shrunk to a few references before it is
 * reported, together with the seed that reproduces it. */
#include "reusedist/verify.h"

#include "base/sized.h"
#include "verify/verifier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_LONGEST 20000
#define SHRINK_WORK     5000000 /* shrinking ends when it has fed about this many references */

/* An engine with options, which is verified. */
typedef struct subject {
    const rd_engine_info *info;
    char *spec;
    rd_verified done;
    char *missing; /* message that says what the options in `spec` need but this machine lacks;
                      NULL: nothing */
} subject;

struct rd_verify {
    rd_ctx *ctx;
    subject *subjects;
    size_t n_subjects;
    uint64_t seed;
    size_t shortest, longest;
    rdi_verify_trace trace;
    uint64_t *expected, *scratch, *candidate; /* each has room for `longest` references */
    bool found;
    rd_difference difference;
    char trace_text[64], setup_text[160];
    rdi_verify_outcome outcome;
};

/* ---- subjects ---- */

/* Adds the subject "NAME", or "NAME:options" if there are options. Fails if the options are wrong.
 * If this machine lacks something that the options need, the subject is added but not checked. */
static rd_status add_subject(rd_verify *v, const rd_engine_info *info, const char *options) {
    subject *grown = rdi_resize(v->ctx, v->subjects, v->n_subjects + 1, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    v->subjects = grown;
    size_t room = strlen(info->name) + (options ? strlen(options) + 1 : 0) + 1;
    char *spec = rdi_alloc(v->ctx, room, 1);
    if (!spec)
        return RD_ENOMEM;
    snprintf(spec, room, "%s%s%s", info->name, options ? ":" : "", options ? options : "");
    subject *s = &v->subjects[v->n_subjects++];
    *s = (subject){.info = info, .spec = spec};
    s->done = (rd_verified){.engine = spec,
                            .promise = rdi_verify_promise(info),
                            .unchecked = rdi_verify_unchecked(info)};
    if (rd_engine_unavailable(info))
        return RD_OK;
    rd_engine *e = NULL; /* opened only so that wrong options fail here, not later */
    rd_status status = rd_engine_open(v->ctx, spec, NULL, &e);
    rd_engine_close(e);
    if (status != RD_EUNSUPPORTED)
        return status;
    s->missing = rdi_strdup(v->ctx, rd_last_error(v->ctx));
    s->done.unchecked = s->missing;
    return s->missing ? RD_OK : RD_ENOMEM;
}

static rd_status add_with_variants(rd_verify *v, const rd_engine_info *info) {
    RD_TRY(add_subject(v, info, NULL));
    for (const char *const *variant = info->variants; variant && *variant; variant++)
        RD_TRY(add_subject(v, info, *variant));
    return RD_OK;
}

static rd_status add_spec(rd_verify *v, const char *spec) {
    char *name = NULL, *options = NULL;
    RD_TRY(rdi_spec_split(v->ctx, spec, &name, &options));
    const rd_engine_info *info = rd_engine_info_find(name);
    rd_status status;
    if (!info) {
        rd_engine *e = NULL; /* fails with a message that lists the valid names */
        status = rd_engine_open(v->ctx, name, NULL, &e);
        rd_engine_close(e);
    } else {
        status = options ? add_subject(v, info, options) : add_with_variants(v, info);
    }
    rdi_free(v->ctx, name);
    return status;
}

static rd_status add_subjects(rd_verify *v, const rd_verify_config *config) {
    for (size_t i = 0; i < config->n_engines; i++) {
        RDI_NEED(v->ctx, config->engines);
        RDI_NEED(v->ctx, config->engines[i]);
        RD_TRY(add_spec(v, config->engines[i]));
    }
    if (config->n_engines == 0)
        for (size_t i = 0; rd_engine_info_at(i); i++)
            RD_TRY(add_with_variants(v, rd_engine_info_at(i)));
    return RD_OK;
}

rd_status rd_verify_new(rd_ctx *ctx, const rd_verify_config *config, rd_verify **out) {
    RDI_NEED(ctx, ctx, out);
    rd_verify_config known;
    RD_TRY(rdi_sized_copy(ctx, "rd_verify_config", config, &known, sizeof known));
    config = &known;
    size_t longest = config->longest ? config->longest : DEFAULT_LONGEST;
    if (config->shortest > longest)
        return rdi_fail(ctx, RD_EINVAL,
                        "verify: the shortest trace (%zu references) is longer than the longest "
                        "trace (%zu references)",
                        config->shortest, longest);
    rd_verify *v = rdi_calloc(ctx, 1, sizeof *v);
    if (!v)
        return RD_ENOMEM;
    v->ctx = ctx;
    v->seed = config->seed;
    v->shortest = config->shortest;
    v->longest = longest;
    v->trace.block = rdi_alloc(ctx, v->longest, sizeof *v->trace.block);
    v->expected = rdi_alloc(ctx, v->longest, sizeof *v->expected);
    v->scratch = rdi_alloc(ctx, v->longest, sizeof *v->scratch);
    v->candidate = rdi_alloc(ctx, v->longest, sizeof *v->candidate);
    bool room = v->trace.block && v->expected && v->scratch && v->candidate;
    rd_status status = room ? add_subjects(v, config) : RD_ENOMEM;
    if (status != RD_OK) {
        rd_verify_free(v);
        return status;
    }
    *out = v;
    return RD_OK;
}

void rd_verify_free(rd_verify *v) {
    if (!v)
        return;
    for (size_t i = 0; i < v->n_subjects; i++) {
        rdi_free(v->ctx, v->subjects[i].spec);
        rdi_free(v->ctx, v->subjects[i].missing);
    }
    rdi_free(v->ctx, v->subjects);
    rdi_free(v->ctx, v->trace.block);
    rdi_free(v->ctx, v->expected);
    rdi_free(v->ctx, v->scratch);
    rdi_free(v->ctx, v->candidate);
    rdi_free(v->ctx, v);
}

/* ---- shrinking: v->trace is the smallest trace so far that shows the difference ---- */

typedef struct shrinking {
    rd_verify *v;
    const subject *s;
    const rdi_verify_setup *setup;
    uint64_t work; /* number of references fed so far, and one more per trace */
} shrinking;

/* Sets *taken to whether the first n references of v->candidate also show a difference. If so, they
 * replace v->trace. */
static rd_status try_candidate(shrinking *sh, size_t n, bool *taken) {
    rd_verify *v = sh->v;
    rdi_verify_outcome outcome;
    sh->work += n + 1;
    RD_TRY(rdi_verify_oracle(v->ctx, v->candidate, n, v->expected));
    RD_TRY(rdi_verify_run(v->ctx, sh->s->spec, sh->setup, v->candidate, n, v->expected, v->scratch,
                          &outcome));
    *taken = outcome.different;
    if (outcome.different) {
        if (n)
            memcpy(v->trace.block, v->candidate, n * sizeof *v->candidate);
        v->trace.n = n;
        v->outcome = outcome;
    }
    return RD_OK;
}

/* Tries the trace without the references [from, from + count). */
static rd_status try_without(shrinking *sh, size_t from, size_t count, bool *taken) {
    const rdi_verify_trace *t = &sh->v->trace;
    uint64_t *c = sh->v->candidate;
    memcpy(c, t->block, from * sizeof *c);
    memcpy(c + from, t->block + from + count, (t->n - from - count) * sizeof *c);
    return try_candidate(sh, t->n - count, taken);
}

/* Tries the trace with blocks numbered 0, 1, 2 ... by first appearance. */
static rd_status try_small_ids(shrinking *sh) {
    const rdi_verify_trace *t = &sh->v->trace;
    uint64_t *c = sh->v->candidate, next = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t same = 0;
        while (t->block[same] != t->block[i])
            same++;
        c[i] = same < i ? c[same] : next++;
    }
    bool taken = false;
    return try_candidate(sh, t->n, &taken);
}

/* Tries to remove each range of `chunk` consecutive references. */
static rd_status remove_chunks(shrinking *sh, size_t chunk) {
    const rdi_verify_trace *t = &sh->v->trace;
    for (size_t at = 0; at + chunk <= t->n && sh->work < SHRINK_WORK;) {
        bool taken = false;
        RD_TRY(try_without(sh, at, chunk, &taken));
        if (!taken)
            at += chunk;
    }
    return RD_OK;
}

/* Cuts the trace to a short prefix that still shows a difference. The search is binary, because an
 * error usually persists once it has occurred. */
static rd_status cut_tail(shrinking *sh) {
    size_t good = 0; /* length of a prefix that shows no difference */
    while (sh->v->trace.n - good > 1) {
        size_t keep = good + (sh->v->trace.n - good) / 2;
        bool taken = false;
        RD_TRY(try_without(sh, keep, sh->v->trace.n - keep, &taken));
        if (!taken)
            good = keep;
    }
    return RD_OK;
}

/* Shrinks v->trace: cuts off its tail, removes shorter and shorter ranges, and tries small ids. The
 * lengths of the ranges are powers of two, so that differences that depend on the position in a
 * batch are more likely to remain. */
static rd_status shrink(shrinking *sh) {
    rd_verify *v = sh->v;
    RD_TRY(cut_tail(sh));
    for (unsigned bits = rdi_bit_width(v->trace.n); bits > 0; bits--)
        RD_TRY(remove_chunks(sh, (size_t)1 << (bits - 1)));
    size_t before;
    do { /* repeats, because removing one reference may have made another one unnecessary */
        before = v->trace.n;
        RD_TRY(remove_chunks(sh, 1));
    } while (v->trace.n < before && sh->work < SHRINK_WORK);
    return try_small_ids(sh);
}

static rd_status report(rd_verify *v, const subject *s, const rdi_verify_setup *setup,
                        uint64_t seed) {
    snprintf(v->trace_text, sizeof v->trace_text, "%s, %s, %zu reference%s", v->trace.pattern,
             v->trace.ids, v->trace.n, v->trace.n == 1 ? "" : "s");
    rdi_verify_describe_setup(setup, v->setup_text, sizeof v->setup_text);
    shrinking sh = {.v = v, .s = s, .setup = setup};
    RD_TRY(shrink(&sh));
    v->difference = (rd_difference){
        .engine = s->spec,
        .seed = seed,
        .trace = v->trace_text,
        .setup = v->setup_text,
        .what = v->outcome.what,
        .reference = v->outcome.reference,
        .blocks = v->trace.block,
        .n = v->trace.n,
    };
    v->found = true;
    return RD_OK;
}

/* ---- one trace ---- */

static uint64_t count_cold(const uint64_t *distances, size_t n) {
    uint64_t cold = 0;
    for (size_t i = 0; i < n; i++)
        cold += distances[i] == RD_COLD;
    return cold;
}

/* Returns the seed of the settings. It depends only on the seed of the trace and on the engine, not
 * on the other engines that are checked. */
static uint64_t setup_seed(uint64_t seed, const char *spec) {
    uint64_t hash = rdi_mix64(seed);
    for (; *spec; spec++)
        hash = rdi_mix64(hash + (unsigned char)*spec);
    return hash;
}

static rd_status fail_engine(rd_verify *v, const subject *s, uint64_t seed, rd_status status) {
    return rdi_fail(v->ctx, status, "engine %s fails on the trace of seed %" PRIu64 ": %s", s->spec,
                    seed, rd_last_error(v->ctx));
}

rd_status rd_verify_next(rd_verify *v) {
    RDI_NEED(NULL, v);
    if (v->found)
        return rdi_fail(v->ctx, RD_ESTATE,
                        "a difference was found already; start a new verification");
    uint64_t seed = v->seed++;
    rdi_verify_make(seed, v->shortest, v->longest, &v->trace);
    size_t n = v->trace.n;
    RD_TRY(rdi_verify_oracle(v->ctx, v->trace.block, n, v->expected));
    uint64_t blocks = count_cold(v->expected, n);
    for (size_t i = 0; i < v->n_subjects && !v->found; i++) {
        subject *s = &v->subjects[i];
        if (s->done.unchecked)
            continue;
        rdi_verify_setup setup =
            rdi_verify_draw_setup(s->info, setup_seed(seed, s->spec), n, blocks);
        rd_status status = rdi_verify_run(v->ctx, s->spec, &setup, v->trace.block, n, v->expected,
                                          v->scratch, &v->outcome);
        if (status != RD_OK)
            return fail_engine(v, s, seed, status);
        s->done.traces++;
        s->done.references += n;
        if (v->outcome.different)
            RD_TRY(report(v, s, &setup, seed));
    }
    return RD_OK;
}

const rd_difference *rd_verify_difference(const rd_verify *v) {
    return v && v->found ? &v->difference : NULL;
}

const rd_verified *rd_verified_at(const rd_verify *v, size_t index) {
    return v && index < v->n_subjects ? &v->subjects[index].done : NULL;
}
