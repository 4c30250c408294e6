/* Describes this host as a machine. */
#ifndef RDI_MACHINE_HOST_H
#define RDI_MACHINE_HOST_H

#include "base/host_caches.h"
#include "reusedist/machine.h"

/* Describes this host: its caches as hwloc finds them, or else as Linux reports them. */
RD_CHECKED rd_status rdi_machine_host(rd_ctx *ctx, rd_machine *out);

/* Describes a host that has the n caches `host`. The name of the processor comes from the file
 * `processor`, which has the form of /proc/cpuinfo. `source` says where the caches come from, for
 * people. */
RD_CHECKED rd_status rdi_machine_of(rd_ctx *ctx, const rdi_host_cache *host, size_t n,
                                    const char *processor, const char *source, rd_machine *out);

#endif
