/* null: measures nothing; only the core counts the references. It shows the cost of reading and
 * mapping a trace and of passing batches to an engine. */
#include "engine/core/plugin.h"

static rd_status null_open(void *self, rdi_run *run) {
    (void)self;
    run->out.sums_unknown = true;
    return RD_OK;
}

static rd_status null_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    (void)self;
    (void)blk;
    (void)n;
    (void)dist;
    return RD_OK;
}

static void null_close(void *self) {
    (void)self;
}

const rdi_engine_ops rdi_engine_null = {
    .info =
        {
            .name = "null",
            .summary = "counts references only: shows the cost of reading and mapping",
            .role = RD_ROLE_BASELINE,
            .card =
                "The engine measures no distances. Compare its speed with that of another\n"
                "engine to see how much of the time is spent on reading and decoding the trace.",
            .caps = RD_CAP_BOUND | RD_CAP_NO_DISTANCE,
            .error_kind = "none",
        },
    .open = null_open,
    .feed = null_feed,
    .close = null_close,
};
