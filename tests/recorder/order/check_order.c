/* usage: check_order TRACE ADDRESS BYTES LAST: counts the lengths of turns, from 1 to LAST references, for which
 * lockstep keeps the recorded order of the references to these bytes, in all processes together. */
#include "reusedist/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct uses {
    uint64_t n, changes; /* number of references, and how often the thread changes */
    uint64_t hash;       /* hash of threads, addresses and kinds, in order */
} uses;

static void check(rd_ctx *ctx, rd_status status) {
    if (status == RD_OK)
        return;
    printf("%s\n", rd_last_error(ctx));
    exit(1);
}

/* Reads the trace with turns of `turn` references, or in recorded order if `turn` is 0. */
static uses read_uses(rd_ctx *ctx, const char *path, uint64_t address, uint64_t bytes,
                      uint64_t turn) {
    rd_trace *source = NULL, *ordered = NULL;
    const rd_refs *refs = NULL;
    rd_interleave config = {.size = sizeof config, .turn = turn};
    uses u = {0};
    uint64_t last = UINT64_MAX;
    check(ctx, rd_trace_open(ctx, path, NULL, &source));
    if (turn)
        check(ctx, rd_trace_interleave(ctx, source, &config, &ordered));
    do {
        check(ctx, rd_trace_read(ordered ? ordered : source, &refs));
        for (size_t i = 0; i < refs->n; i++) {
            uint64_t process = refs->addr[i] >> 48, thread = process << 32 | refs->thread[i];
            if ((refs->addr[i] ^ process << 48) - address >= bytes)
                continue;
            u.n++;
            u.changes += thread != last;
            last = thread;
            u.hash = (u.hash ^ refs->addr[i] ^ thread << 13 ^ (uint64_t)refs->kind[i] << 60) *
                     UINT64_C(0x9e3779b97f4a7c15);
            u.hash ^= u.hash >> 29;
        }
    } while (refs->n > 0);
    rd_trace_close(ordered);
    rd_trace_close(source);
    return u;
}

int main(int argc, char **argv) {
    rd_ctx *ctx = NULL;
    if (argc != 5 || rd_ctx_new(NULL, &ctx) != RD_OK)
        return 2;
    uint64_t address = strtoull(argv[2], NULL, 0), bytes = strtoull(argv[3], NULL, 0);
    uint64_t last = strtoull(argv[4], NULL, 10), same = 0;
    uses recorded = read_uses(ctx, argv[1], address, bytes, 0);
    for (uint64_t turn = 1; turn <= last; turn++) {
        uses u = read_uses(ctx, argv[1], address, bytes, turn);
        same += memcmp(&u, &recorded, sizeof u) == 0;
    }
    printf("%s, the order is the same for %" PRIu64 " of %" PRIu64 " lengths of turns\n",
           recorded.n && recorded.changes > 1 ? "several threads" : "only one thread", same, last);
    rd_ctx_free(ctx);
    return 0;
}
