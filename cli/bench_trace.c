/* Loads traces into memory. See bench.h. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_generator(const char *what) {
    size_t len = strcspn(what, ":");
    for (size_t i = 0; rd_generator_info_at(i); i++) {
        const char *name = rd_generator_info_at(i)->name;
        if (strlen(name) == len && memcmp(name, what, len) == 0)
            return true;
    }
    return false;
}

static rd_status open_trace(bench *b, const char *what, rd_trace **out) {
    if (!is_generator(what))
        return rd_trace_open(b->ctx, what, NULL, out);
    char spec[512];
    bool has_refs = strstr(what, "refs=") != NULL;
    uint64_t refs = b->options->refs ? b->options->refs : 50000000;
    snprintf(spec, sizeof spec,
             has_refs            ? "%s"
             : strchr(what, ':') ? "%s,refs=%" PRIu64
                                 : "%s:refs=%" PRIu64,
             what, refs);
    return rd_trace_generate(b->ctx, spec, out);
}

static bool append(bench_trace *t, size_t *room, const uint64_t *blocks, size_t n) {
    if (t->n + n > *room) {
        size_t grown = *room ? *room * 2 : 1 << 20;
        uint64_t *p = realloc(t->blocks, grown * sizeof *p);
        if (!p)
            return false;
        t->blocks = p;
        *room = grown;
    }
    memcpy(t->blocks + t->n, blocks, n * sizeof *blocks);
    t->n += n;
    return true;
}

static rd_status read_blocks(bench *b, rd_trace *trace, rd_mapper *mapper, bench_trace *t) {
    size_t room = 0;
    while (true) {
        const rd_refs *refs = NULL;
        rd_status status = rd_trace_read(trace, &refs);
        if (status != RD_OK || refs->n == 0)
            return status;
        rd_mapper_feed(mapper, refs);
        const uint64_t *blocks = NULL;
        size_t n = 0;
        while ((status = rd_mapper_next(mapper, &blocks, &n)) == RD_OK && n > 0)
            if (!append(t, &room, blocks, n)) {
                b->status =
                    fail("out of memory after reading %zu references; use a shorter trace", t->n);
                return RD_ENOMEM;
            }
        if (status != RD_OK)
            return status;
    }
}

bool bench_load(bench *b, const char *what, bench_trace *out) {
    rd_trace *trace = NULL;
    rd_mapper *mapper = NULL;
    const char *slash = strrchr(what, '/');
    *out = (bench_trace){.name = slash ? slash + 1 : what};
    rd_status status = open_trace(b, what, &trace);
    rd_mapping mapping = {.size = sizeof mapping, .block_bytes = 64};
    if (status == RD_OK && rd_trace_has_ids(trace))
        mapping.block_bytes = 0;
    if (status == RD_OK && b->options->block && strcmp(b->options->block, "addr") == 0)
        mapping.block_bytes = 0;
    else if (status == RD_OK && b->options->block)
        status = rd_parse_size(b->ctx, b->options->block, &mapping.block_bytes);
    if (status == RD_OK)
        status = rd_mapper_new(b->ctx, &mapping, &mapper);
    if (status == RD_OK)
        status = read_blocks(b, trace, mapper, out);
    if (status != RD_OK && b->status == EXIT_OK)
        b->status = fail_status(b->ctx, status);
    rd_mapper_free(mapper);
    rd_trace_close(trace);
    if (status != RD_OK)
        bench_unload(out);
    return status == RD_OK;
}

void bench_unload(bench_trace *t) {
    free(t->blocks);
    t->blocks = NULL;
}

static const char *const usual_traces[] = {"zipf:blocks=4M,alpha=0.99", "uniform:blocks=4M"};

bool bench_each_trace(bench *b, int n, char **traces,
                      bool (*work)(bench *b, const bench_trace *t)) {
    size_t count = n > 0 ? (size_t)n : sizeof usual_traces / sizeof *usual_traces;
    for (size_t i = 0; i < count; i++) {
        bench_trace t;
        if (!bench_load(b, n > 0 ? traces[i] : usual_traces[i], &t))
            return false;
        bool ok = work(b, &t);
        bench_unload(&t);
        if (!ok)
            return false;
    }
    return true;
}
