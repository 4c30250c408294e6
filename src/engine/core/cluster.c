/* Implements the cluster of a process that runs alone. In reusedist-mpi, mpi/cluster_mpi.c replaces
 * this file. */
#include "reusedist/cluster.h"

#include "base/common.h"

rd_status rd_cluster_join(rd_ctx *ctx, rd_cluster **out) {
    RDI_NEED(ctx, ctx, out);
    *out = NULL;
    return RD_OK;
}

unsigned rd_cluster_rank(const rd_cluster *c) {
    (void)c;
    return 0;
}

unsigned rd_cluster_size(const rd_cluster *c) {
    (void)c;
    return 1;
}

rd_status rd_cluster_serve(rd_cluster *c, const rd_parts *parts) {
    (void)c;
    (void)parts;
    return RD_OK;
}

void rd_cluster_leave(rd_cluster *c) {
    (void)c;
}
