/* Several processes that analyse one trace together.
 *
 *   rd_cluster *c;
 *   rd_cluster_join(ctx, &c);
 *   if (rd_cluster_rank(c) > 0)
 *       rd_cluster_serve(c, &how_to_read_parts);      until rank 0 leaves
 *   else
 *       ... engine "parda" in this context now works with all of them ...
 *   rd_cluster_leave(c);
 *
 * Who the others are is a matter of the build: the command reusedist-mpi is linked with an
 * implementation on MPI. In the library itself a process is always alone.
 */
#ifndef REUSEDIST_CLUSTER_H
#define REUSEDIST_CLUSTER_H

#include "base.h"
#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_cluster rd_cluster;

/* Once per process, before anything else is done with the context. *out is NULL when alone. */
RD_API RD_CHECKED rd_status rd_cluster_join(rd_ctx *ctx, rd_cluster **out);

/* Of NULL: 0 of 1. */
RD_API unsigned rd_cluster_rank(const rd_cluster *c);
RD_API unsigned rd_cluster_size(const rd_cluster *c);

/* Ranks other than 0: analyse for rank 0 until that leaves. `parts` has the functions that read a
 * part of a trace. */
RD_API RD_CHECKED rd_status rd_cluster_serve(rd_cluster *c, const rd_parts *parts);

/* Waits for the others. In the middle of an analysis, that is after a failure, ends them instead,
 * and this process: it does not return then. */
RD_API void rd_cluster_leave(rd_cluster *c);

#ifdef __cplusplus
}
#endif
#endif
