/* Every engine of the registry against the oracle, on thousands of traces with fixed seeds.
 *
 * usage: test_conformance FIRST_SEED TRACES [LONGEST]
 */
#include "reusedist/reusedist.h"
#include "support/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ENGINES_MAX 256

static int report(const rd_difference *d) {
    fprintf(stderr, "engine %s, seed %" PRIu64 " (%s; %s): %s\nshrunk trace:", d->engine, d->seed,
            d->trace, d->setup, d->what);
    for (size_t i = 0; i < d->n; i++)
        fprintf(stderr, " %" PRIu64, d->blocks[i]);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

/* A run that checked nothing is not a success. */
static int check_counts(const rd_verify *v, uint64_t traces) {
    for (size_t i = 0; rd_verified_at(v, i); i++) {
        const rd_verified *done = rd_verified_at(v, i);
        printf("%-28s %" PRIu64 " traces, %" PRIu64 " references%s%s\n", done->engine, done->traces,
               done->references, done->unchecked ? ", not checked: " : "",
               done->unchecked ? done->unchecked : "");
        if (!done->unchecked && (done->traces != traces || done->references < traces))
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static int verify(rd_verify *v, rd_ctx *ctx, uint64_t traces) {
    for (uint64_t i = 0; i < traces; i++) {
        if (rd_verify_next(v) != RD_OK) {
            fprintf(stderr, "%s\n", rd_last_error(ctx));
            return EXIT_FAILURE;
        }
        if (rd_verify_difference(v))
            return report(rd_verify_difference(v));
    }
    return check_counts(v, traces);
}

/* Number of engines whose names are there then. */
static size_t list_engines(const char *names[ENGINES_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < ENGINES_MAX && rd_engine_info_at(i); i++)
        if (registry_is_worthwhile(rd_engine_info_at(i)))
            names[n++] = rd_engine_info_at(i)->name;
    return n;
}

int main(int argc, char **argv) {
    const char *engines[ENGINES_MAX];
    if (argc < 3 || rd_engine_info_at(ENGINES_MAX))
        return EXIT_FAILURE;
    rd_verify_config config = {.seed = strtoull(argv[1], NULL, 10),
                               .longest = argc > 3 ? strtoull(argv[3], NULL, 10) : 0,
                               .engines = engines,
                               .n_engines = list_engines(engines)};
    uint64_t traces = strtoull(argv[2], NULL, 10);
    rd_ctx *ctx = NULL;
    rd_verify *v = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK || rd_verify_new(ctx, &config, &v) != RD_OK)
        return EXIT_FAILURE;
    int result = verify(v, ctx, traces);
    rd_verify_free(v);
    if (rd_ctx_live_bytes(ctx) != 0) {
        fprintf(stderr, "%zu bytes leak\n", rd_ctx_live_bytes(ctx));
        result = EXIT_FAILURE;
    }
    rd_ctx_free(ctx);
    return result;
}
