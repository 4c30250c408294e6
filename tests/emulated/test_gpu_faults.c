/* Tests that engines on the emulated device survive every failing allocation, including those of
 * the device, and what `gpu` says if a round cannot hold the live blocks. The program is built with a
 * small RDI_GPU_POSITIONS. */
#include "reusedist/reusedist.h"
#include "support/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 3000u

static rd_status swallow(void *user, const uint64_t *distances, size_t n) {
    (void)user;
    (void)distances;
    (void)n;
    return RD_OK;
}

static rd_status feed_and_finish(rd_engine *e) {
    uint64_t x = 1, blocks[REFERENCES / 6];
    rd_status status = RD_OK;
    for (unsigned part = 0; part < 6 && status == RD_OK; part++) {
        for (unsigned i = 0; i < REFERENCES / 6; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
            blocks[i] = (x >> 33) % (1 + part * 150);
        }
        status = rd_engine_feed(e, blocks, REFERENCES / 6, NULL);
    }
    return status == RD_OK ? rd_engine_finish(e) : status;
}

typedef struct work {
    const char *spec;
    rd_engine_config config;
} work;

static rd_status run(rd_ctx *ctx, void *user) {
    const work *w = user;
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, w->spec, &w->config, &e);
    if (status == RD_OK)
        status = feed_and_finish(e);
    rd_engine_close(e);
    return status;
}

static void inject(const char *spec, rd_engine_config config) {
    work w = {spec, config};
    faults_inject(spec, run, &w, RD_OK);
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    inject("gpu:batch=700", (rd_engine_config){.size = sizeof(rd_engine_config)});
    inject("gpu:batch=700", (rd_engine_config){.size = sizeof(rd_engine_config), .bound = 100});
    inject("gpu:batch=700",
           (rd_engine_config){.size = sizeof(rd_engine_config), .binning = {RD_BINS_FULL, 0}});
    inject("gpu:batch=700", (rd_engine_config){.size = sizeof(rd_engine_config), .sink = swallow});
    inject("geometric:backend=cuda,phase=900",
           (rd_engine_config){.size = sizeof(rd_engine_config), .threads = 2});
    inject("geometric:backend=cuda,phase=900,next=range:1K",
           (rd_engine_config){.size = sizeof(rd_engine_config), .bound = 100});
    inject("levels:backend=cuda,phase=900",
           (rd_engine_config){.size = sizeof(rd_engine_config), .bound = 100});
    inject("hprda:backend=cuda,N=1K,ST=64",
           (rd_engine_config){.size = sizeof(rd_engine_config), .sink = swallow});
}

static void a_round_that_is_too_small_for_the_live_blocks_says_so(void **state) {
    (void)state;
    rd_engine_config config = {.size = sizeof config};
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    rd_status status = RD_OK;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_engine_open(ctx, "gpu:batch=700", &config, &e), RD_OK);
    for (uint64_t block = 0; block < 5000 && status == RD_OK; block++)
        status = rd_engine_feed(e, &block, 1, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    assert_int_equal(status, RD_EDEVICE);
    assert_non_null(strstr(rd_last_error(ctx),
                           " live blocks leave too little room for references in a "
                           "round, which has at most 4096 positions: "));
    rd_engine_close(e);
    rd_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(a_round_that_is_too_small_for_the_live_blocks_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
