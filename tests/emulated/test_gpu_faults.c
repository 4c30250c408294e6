/* The gpu engine on the device of plain memory survives every failing allocation: with it those of
 * the device fail. */
#include "reusedist/reusedist.h"
#include "support/faults.h"

#include <setjmp.h>
#include <stdarg.h>

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

static rd_status run(rd_ctx *ctx, void *config) {
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, "gpu:batch=700", config, &e);
    if (status == RD_OK)
        status = feed_and_finish(e);
    rd_engine_close(e);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    rd_engine_config plain = {0}, bounded = {.bound = 100}, full = {.binning = {RD_BINS_FULL, 0}};
    rd_engine_config distances = {.sink = swallow};
    faults_inject("histogram", run, &plain, RD_OK);
    faults_inject("bounded", run, &bounded, RD_OK);
    faults_inject("full histogram", run, &full, RD_OK);
    faults_inject("distances", run, &distances, RD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
