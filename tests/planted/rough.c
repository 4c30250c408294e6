/* `rough` and `guess`: approximate engines with deliberate mistakes in rare circumstances, to prove
 * that verify detects the mistakes. `rough` states a relative error bound of 0.1; `guess` states none.
 *
 * Both take the oracle's distances and reduce them by up to a tenth.
 */
#include "engine/core/plugin.h"

#define ERROR_BOUND 0.1

enum { MISTAKE_BELOW, MISTAKE_ABOVE, MISTAKE_COUNT, MISTAKE_BATCH, MISTAKE_NONE };

typedef struct rough_engine {
    rdi_run *run;
    uint32_t mistake;
    rd_engine *oracle;
} rough_engine;

static const rd_opt rough_opts[] = {
    {.name = "mistake",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(rough_engine, mistake),
     .def = "none",
     .choices = "below|above|count|batch|none",
     .help = "the mistake to make"},
    {0},
};

static rd_status rough_open(void *self, rdi_run *run) {
    rough_engine *e = self;
    e->run = run;
    run->out.error_bound = ERROR_BOUND;
    run->out.counter = RDI_ENGINE_COUNTS;
    return rd_engine_open(run->ctx, "stack", NULL, &e->oracle);
}

static uint64_t roughen(const rough_engine *e, uint64_t d, size_t batch) {
    if (d == RD_COLD)
        return d;
    uint64_t least = d - d / 10;
    if (e->mistake == MISTAKE_BELOW && d > 20 && d % 10 == 7)
        return least - 1;
    if (e->mistake == MISTAKE_ABOVE && d == 31)
        return d + 1;
    return e->mistake == MISTAKE_BATCH && batch % 2 ? d : least;
}

static rd_status rough_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rough_engine *e = self;
    uint64_t room[RDI_FEED_MAX], *out = dist ? dist : room;
    RD_TRY(rdi_engine_measure(e->oracle, blk, n, out));
    for (size_t i = 0; i < n; i++)
        out[i] = roughen(e, out[i], n);
    for (size_t i = 0; i < n && (!dist || e->run->count_too); i++) {
        bool twice = !dist && e->mistake == MISTAKE_COUNT && out[i] == 7 && i == 11;
        RD_TRY(rdi_hist_add_many(e->run->out.hist, out[i], twice ? 2 : 1));
    }
    return RD_OK;
}

static void rough_close(void *self) {
    rough_engine *e = self;
    rd_engine_close(e->oracle);
}

#define ROUGH_TABLE(engine_name, kind)                                                             \
    {                                                                                              \
        .info =                                                                                    \
            {                                                                                      \
                .name = engine_name,                                                               \
                .summary = "deliberately wrong",                                                   \
                .card = "Exists in tests only.",                                                   \
                .caps = RD_CAP_DISTANCES,                                                          \
                .error_kind = kind,                                                                \
                .opts = rough_opts,                                                                \
            },                                                                                     \
        .state_size = sizeof(rough_engine), .open = rough_open, .feed = rough_feed,                \
        .close = rough_close,                                                                      \
    }

const rdi_engine_ops rdi_engine_rough = ROUGH_TABLE("rough", "relative");
const rdi_engine_ops rdi_engine_guess = ROUGH_TABLE("guess", "statistical");
