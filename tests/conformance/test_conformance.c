/* Compares every engine of the registry with the oracle, on random traces with fixed seeds.
 *
 * usage: test_conformance FIRST_SEED TRACES [SHORTEST LONGEST [defaults]]
 *
 * With `defaults`, engines run with their default options only. Otherwise they also run with their
 * variants, which have small rounds, chunks and tables, so that a short trace has many of each.
 */
#include "reusedist/reusedist.h"
#include "support/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ENGINES_MAX 256
/* Minimum mean number of references per trace, if the shortest length is not given. */
#define MEAN_MIN 1000

static int report(const rd_difference *d) {
    fprintf(stderr, "engine %s, seed %" PRIu64 " (%s; %s): %s\nshrunk trace:", d->engine, d->seed,
            d->trace, d->setup, d->what);
    for (size_t i = 0; i < d->n; i++)
        fprintf(stderr, " %" PRIu64, d->blocks[i]);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

/* Checks that every engine that was checked has processed all traces and at least `references` references, because a
 * run that checked little is not a success. */
static int check_counts(const rd_verify *v, uint64_t traces, uint64_t references) {
    for (size_t i = 0; rd_verified_at(v, i); i++) {
        const rd_verified *done = rd_verified_at(v, i);
        printf("%-28s %" PRIu64 " traces, %" PRIu64 " references%s%s\n", done->engine, done->traces,
               done->references, done->unchecked ? ", not checked: " : "",
               done->unchecked ? done->unchecked : "");
        if (!done->unchecked && (done->traces != traces || done->references < references)) {
            fprintf(stderr, "engine %s: fewer than %" PRIu64 " traces and %" PRIu64 " references\n",
                    done->engine, traces, references);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static int verify(rd_verify *v, rd_ctx *ctx, uint64_t traces, uint64_t references) {
    for (uint64_t i = 0; i < traces; i++) {
        if (rd_verify_next(v) != RD_OK) {
            fprintf(stderr, "%s\n", rd_last_error(ctx));
            return EXIT_FAILURE;
        }
        if (rd_verify_difference(v))
            return report(rd_verify_difference(v));
    }
    return check_counts(v, traces, references);
}

/* The engines to check, with or without their variants. Under ThreadSanitizer, these are only engines
 * with threads. */
typedef struct engine_list {
    const char *spec[ENGINES_MAX];
    char text[ENGINES_MAX][64];
    size_t n;
} engine_list;

static void list_engines(bool defaults, engine_list *list) {
    for (size_t i = 0; i < ENGINES_MAX && rd_engine_info_at(i); i++) {
        const rd_engine_info *info = rd_engine_info_at(i);
        if (!registry_is_worthwhile(info))
            continue;
        snprintf(list->text[list->n], sizeof *list->text, "%s%s", info->name, defaults ? ":" : "");
        list->spec[list->n] = list->text[list->n];
        list->n++;
    }
}

int main(int argc, char **argv) {
    static engine_list list;
    if (argc < 3 || rd_engine_info_at(ENGINES_MAX))
        return EXIT_FAILURE;
    rd_verify_config config = {.size = sizeof config,
                               .seed = strtoull(argv[1], NULL, 10),
                               .shortest = argc > 4 ? strtoull(argv[3], NULL, 10) : 0,
                               .longest = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
                               .engines = list.spec};
    list_engines(argc > 5, &list);
    config.n_engines = list.n;
    uint64_t traces = strtoull(argv[2], NULL, 10);
    uint64_t mean = config.shortest ? config.shortest : MEAN_MIN;
    rd_ctx *ctx = NULL;
    rd_verify *v = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK || rd_verify_new(ctx, &config, &v) != RD_OK)
        return EXIT_FAILURE;
    int result = verify(v, ctx, traces, traces * mean);
    rd_verify_free(v);
    if (rd_ctx_live_bytes(ctx) != 0) {
        fprintf(stderr, "%zu bytes were not freed\n", rd_ctx_live_bytes(ctx));
        result = EXIT_FAILURE;
    }
    rd_ctx_free(ctx);
    return result;
}
