/* Describes this host as a machine. */
#ifndef RDI_MACHINE_HOST_H
#define RDI_MACHINE_HOST_H

#include "reusedist/machine.h"

/* Describes the host whose caches the folder `caches` reports, see base/host_caches.h, and whose
 * processor the file `processor` describes in the form of /proc/cpuinfo. */
RD_CHECKED rd_status rdi_machine_host(rd_ctx *ctx, const char *caches, const char *processor,
                                      rd_machine *out);

#endif
