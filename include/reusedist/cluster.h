/* A cluster: several processes that analyze one trace together.
 *
 *   rd_cluster *c;
 *   rd_cluster_join(ctx, &c);
 *   if (rd_cluster_rank(c) > 0)
 *       rd_cluster_serve(c, &how_to_read_parts);      (returns when rank 0 leaves)
 *   else
 *       ... engine "parda" in this context now uses all processes ...
 *   rd_cluster_leave(c);
 *
 * The command reusedist-mpi is linked with an implementation of these functions that uses MPI. With
 * the implementation in the library itself, a process is always alone.
 */
#ifndef REUSEDIST_CLUSTER_H
#define REUSEDIST_CLUSTER_H

#include "base.h"
#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_cluster rd_cluster;

/* Joins the cluster. Call this function once per process, before any other use of the context. *out
 * may be NULL if this process is alone. */
RD_API RD_CHECKED rd_status rd_cluster_join(rd_ctx *ctx, rd_cluster **out);

/* These functions return the rank of this process and the number of processes. `c` NULL means that
 * this process is alone: rank 0 of 1. */
RD_API unsigned rd_cluster_rank(const rd_cluster *c);
RD_API unsigned rd_cluster_size(const rd_cluster *c);

/* Analyzes parts of traces for rank 0 until rank 0 leaves. Every rank except 0 calls this function.
 * `parts` has the functions that read a part of a trace. */
RD_API RD_CHECKED rd_status rd_cluster_serve(rd_cluster *c, const rd_parts *parts);

/* Leaves the cluster and waits until all other ranks have left. If an analysis is still running,
 * which happens after a failure, the function terminates all processes, this one included, and does
 * not return. */
RD_API void rd_cluster_leave(rd_cluster *c);

#ifdef __cplusplus
}
#endif
#endif
