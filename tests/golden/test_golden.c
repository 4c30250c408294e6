/* Prints results that must never change, as CSV.
 *
 * usage: test_golden TRACE...
 *
 * For each trace, block size and bound, a line "exact" has the result of the oracle. An exact
 * engine that disagrees gets a line of its own, and so does an exact engine with bins of its own.
 * So a new exact engine that agrees changes nothing here. Approximate engines are left out, because
 * they may change their results within their error bounds, which the conformance tests check.
 */
#include "reusedist/reusedist.h"
#include "support/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setup {
    const char *trace; /* path of the trace */
    uint64_t block_bytes, bound;
} setup;

typedef struct result {
    uint64_t references, blocks, infinite, digest;
} result;

static void check(rd_ctx *ctx, rd_status status) {
    if (status != RD_OK) {
        fprintf(stderr, "%s: %s\n", rd_status_name(status), rd_last_error(ctx));
        exit(EXIT_FAILURE);
    }
}

/* Adds a number to an FNV-1a hash. */
static void digest_add(uint64_t *digest, uint64_t x) {
    for (int i = 0; i < 8; i++)
        *digest = (*digest ^ (x >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
}

static result summarize(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    result r = {facts->references, facts->blocks, facts->infinite, UINT64_C(0xcbf29ce484222325)};
    for (size_t i = 0; i < n; i++) {
        digest_add(&r.digest, bins[i].low);
        digest_add(&r.digest, bins[i].high);
        digest_add(&r.digest, bins[i].count);
        if (facts->sums_known) {
            digest_add(&r.digest, bins[i].sum.low);
            digest_add(&r.digest, bins[i].sum.high);
        }
    }
    return r;
}

static void feed_trace(rd_ctx *ctx, const setup *s, rd_engine *e) {
    rd_trace *t = NULL;
    rd_mapper *m = NULL;
    const rd_refs *refs = NULL;
    const uint64_t *blocks = NULL;
    size_t n = 0;
    /* The format follows from the file name, because the format of an empty trace cannot be
     * detected. */
    const char *dot = strrchr(s->trace, '.');
    check(ctx, rd_trace_open(ctx, s->trace, strcmp(dot, ".txt") == 0 ? "text" : NULL, &t));
    check(ctx,
          rd_mapper_new(
              ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = s->block_bytes}, &m));
    for (check(ctx, rd_trace_read(t, &refs)); refs->n > 0; check(ctx, rd_trace_read(t, &refs))) {
        rd_mapper_feed(m, refs);
        for (check(ctx, rd_mapper_next(m, &blocks, &n)); n > 0;
             check(ctx, rd_mapper_next(m, &blocks, &n)))
            check(ctx, rd_engine_feed(e, blocks, n, NULL));
    }
    rd_mapper_free(m);
    rd_trace_close(t);
}

/* Returns false if this machine cannot run the engine with these options. */
static bool analyze(rd_ctx *ctx, const setup *s, const char *spec, result *out) {
    rd_engine_config config = {
        .size = sizeof config, .bound = s->bound, .binning = {RD_BINS_FULL, 0}};
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_status status = rd_engine_open(ctx, spec, &config, &e);
    if (status == RD_EUNSUPPORTED)
        return false;
    check(ctx, status);
    feed_trace(ctx, s, e);
    check(ctx, rd_engine_finish(e));
    check(ctx, rd_engine_profile(e, &p));
    *out = summarize(p);
    rd_profile_free(p);
    rd_engine_close(e);
    return true;
}

static void print_number(uint64_t x) {
    if (x == RD_UNKNOWN)
        printf(",");
    else
        printf("%" PRIu64 ",", x);
}

static void print_line(const setup *s, const char *engine, const result *r) {
    const char *slash = strrchr(s->trace, '/');
    printf("%s,", slash ? slash + 1 : s->trace);
    if (s->block_bytes)
        printf("%" PRIu64 ",", s->block_bytes);
    else
        printf("addr,");
    print_number(s->bound ? s->bound : RD_UNKNOWN);
    printf("\"%s\",", engine);
    print_number(r->references);
    print_number(r->blocks);
    print_number(r->infinite);
    printf("%016" PRIx64 "\n", r->digest);
}

static void run_spec(rd_ctx *ctx, const setup *s, const char *spec, const result *exact) {
    result r;
    if (!analyze(ctx, s, spec, &r))
        return;
    if (memcmp(&r, exact, sizeof r) != 0)
        print_line(s, spec, &r);
}

static void run_engines(rd_ctx *ctx, const setup *s) {
    result exact;
    if (!analyze(ctx, s, registry_oracle(), &exact))
        exit(EXIT_FAILURE);
    print_line(s, "exact", &exact);
    for (size_t i = 0; rd_engine_info_at(i); i++) {
        const rd_engine_info *info = rd_engine_info_at(i);
        if (rd_engine_unavailable(info) || strcmp(info->error_kind, "exact") != 0 ||
            (s->bound && !(info->caps & RD_CAP_BOUND)))
            continue;
        run_spec(ctx, s, info->name, &exact);
        for (const char *const *v = info->variants; v && *v; v++) {
            char spec[256];
            snprintf(spec, sizeof spec, "%s:%s", info->name, *v);
            run_spec(ctx, s, spec, &exact);
        }
    }
}

int main(int argc, char **argv) {
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return EXIT_FAILURE;
    puts("trace,block,bound,engine,references,blocks,infinite,histogram digest");
    for (int i = 1; i < argc; i++)
        for (uint64_t block = 0; block <= 64; block += 64)
            for (uint64_t bound = 0; bound <= 16; bound += 16)
                run_engines(ctx, &(setup){argv[i], block, bound});
    rd_ctx_free(ctx);
    return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
