/* The caches of this host, as hwloc finds them. Where the kernel reports no caches, hwloc can ask
 * the processor itself. */
#ifndef RDI_HWLOC_CACHES_H
#define RDI_HWLOC_CACHES_H

#include "base/host_caches.h"

/* Writes at most `max` caches of the first processor to `out`, innermost first, and returns
 * their number. Returns 0 if hwloc finds no caches or this library was built without hwloc. `synthetic`
 * describes a machine in hwloc's own notation, for tests; NULL means this host. */
size_t rdi_hwloc_caches(const char *synthetic, rdi_host_cache *out, size_t max);

#endif
