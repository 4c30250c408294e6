/* The caches of this host, as Linux reports them. */
#ifndef RDI_HOST_CACHES_H
#define RDI_HOST_CACHES_H

#include "base/common.h"

/* The folder that describes the caches of the first processor. */
#define RDI_HOST_CACHES "/sys/devices/system/cpu/cpu0/cache"

typedef struct rdi_host_cache {
    unsigned level;      /* 1, 2 ... */
    bool data, fetch;    /* whether the cache holds data, and whether it holds instructions */
    uint64_t bytes;      /* at least 1 */
    uint64_t ways;       /* 0: unknown or fully associative */
    uint64_t line_bytes; /* 0: unknown */
    unsigned processors; /* number of logical processors that share the cache; 0: unknown */
} rdi_host_cache;

/* Writes at most `max` caches that the files in `folder` describe to `out`, in the order of the
 * system, and returns their number. Returns 0 if the folder describes no caches. */
size_t rdi_host_caches(const char *folder, rdi_host_cache *out, size_t max);

#endif
