/* Finds the kinds and threads of the references that blocks come from. See block_kinds.h.
 *
 * Few references span several blocks, so most blocks belong to consecutive references, one block to
 * each reference. The kinds of such blocks are copied many at a time. */
#include "analysis/block_kinds.h"

#include "base/common.h"

#include <string.h>

#define RUN 64 /* number of kinds that are copied together */

/* Returns whether RUN blocks belong to consecutive references, one block to each reference. */
static bool are_consecutive(const uint32_t *origins) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < RUN; i++)
        differ |= origins[i] ^ (origins[0] + i);
    return differ == 0;
}

void rdi_block_kinds(const rd_refs *refs, const uint32_t *origins, size_t n, uint8_t *kinds) {
    if (!refs->kind) {
        memset(kinds, RD_LOAD, n);
        return;
    }
    for (size_t at = 0; at < n; at += RUN) {
        size_t end = n - at < RUN ? n : at + RUN;
        if (end == at + RUN && are_consecutive(origins + at))
            memcpy(kinds + at, refs->kind + origins[at], RUN);
        else
            for (size_t i = at; i < end; i++)
                kinds[i] = refs->kind[origins[i]];
    }
}

void rdi_block_threads(const rd_refs *refs, const uint32_t *origins, size_t n, bool processes,
                       uint64_t *threads) {
    for (size_t i = 0; i < n; i++) {
        uint32_t thread = refs->thread ? refs->thread[origins[i]] : 0;
        threads[i] = rdi_thread_key(processes, refs->addr[origins[i]], thread);
    }
}

void rdi_threads_see_more(rdi_threads_seen *seen, const rdi_threads_seen *other) {
    if (!other->any)
        return;
    seen->several = seen->several || other->several || (seen->any && seen->first != other->first);
    seen->first = other->first;
    seen->any = true;
}

void rdi_threads_see(rdi_threads_seen *seen, const rd_refs *refs, bool processes) {
    if (seen->several || !refs->thread || refs->n == 0)
        return;
    uint32_t differ = 0;
    uint64_t differ_addr = 0;
    for (size_t i = 0; i < refs->n; i++)
        differ |= refs->thread[i] ^ refs->thread[0];
    for (size_t i = 0; processes && i < refs->n; i++)
        differ_addr |= refs->addr[i] ^ refs->addr[0];
    rdi_threads_seen batch = {true, differ || differ_addr >> 48,
                              rdi_thread_key(processes, refs->addr[0], refs->thread[0])};
    rdi_threads_see_more(seen, &batch);
}
