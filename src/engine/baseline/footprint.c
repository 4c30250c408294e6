/* footprint: counts distinct blocks and measures nothing else.
 *
 * The engine uses the table of `stream`, with the same tiles and prefetches, but without distances.
 * For every reference, an exact engine has to find and update the last reference to its block. So
 * the speed of this engine is the upper limit with which `reusedist bench` compares engines.
 *
 * Time: O(1) per reference. Memory: 21 to 32 bytes per block.
 */
#include "engine/fast/stream.h"

extern const rdi_engine_ops rdi_engine_stream;

static rd_status footprint_open(void *self, rdi_run *run) {
    rdi_stream *e = self;
    e->compact = UINT32_MAX; /* slots are written but never compared, so they may wrap around */
    RD_TRY(rdi_engine_stream.open(self, run));
    run->out.sums_unknown = true;
    e->counts_itself = false;
    run->out.counter = RDI_CORE_COUNTS;
    return RD_OK;
}

static void footprint_close(void *self) {
    rdi_engine_stream.close(self);
}

static rd_status footprint_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rdi_stream *e = self;
    (void)dist;
    for (size_t i = 0; i < n; i += RDI_STREAM_STEP) {
        RD_TRY(rdi_stream_table_room(e));
        e->kernel->lookup(e, blk + i, n - i < RDI_STREAM_STEP ? n - i : RDI_STREAM_STEP);
    }
    return RD_OK;
}

static rd_status footprint_finish(void *self) {
    rdi_stream *e = self;
    e->run->out.blocks = e->table.count;
    return RD_OK;
}

const rdi_engine_ops rdi_engine_footprint = {
    .info =
        {
            .name = "footprint",
            .summary =
                "counts distinct blocks only: shows the least time that an exact engine needs",
            .role = RD_ROLE_BASELINE,
            .card = "The engine counts distinct blocks as fast as possible, with the hash\n"
                    "table of engine stream. The additional time that stream needs is the cost of "
                    "the distances.",
            .caps = RD_CAP_NO_DISTANCE,
            .error_kind = "none",
        },
    .state_size = sizeof(rdi_stream),
    .open = footprint_open,
    .feed = footprint_feed,
    .finish = footprint_finish,
    .close = footprint_close,
};
