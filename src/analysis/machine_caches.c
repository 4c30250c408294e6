/* Implements rd_machine_caches(), which finds the data caches of this machine. See
 * reusedist/analysis.h. */
#include "base/common.h"
#include "base/host_caches.h"
#include "reusedist/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_CACHES_MAX 16

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const rd_level *)a)->bytes, y = ((const rd_level *)b)->bytes;
    return (x > y) - (x < y);
}

size_t rd_machine_caches(rd_level *out, bool *known) {
    static const rd_level usual[] = {{"L1", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}};
    rdi_host_cache host[HOST_CACHES_MAX];
    size_t n = 0;
    if (!out)
        return 0;
    size_t found = rdi_host_caches(RDI_HOST_CACHES, host, HOST_CACHES_MAX);
    for (size_t i = 0; i < found && n < RD_LEVELS_MAX; i++)
        if (host[i].data) {
            snprintf(out[n].name, sizeof out[n].name, "L%u", host[i].level);
            out[n++].bytes = host[i].bytes;
        }
    if (known)
        *known = n > 0;
    if (n == 0) {
        memcpy(out, usual, sizeof usual);
        n = RDI_COUNT(usual);
    }
    qsort(out, n, sizeof *out, by_bytes);
    return n;
}
