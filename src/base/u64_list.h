/* A growing list of numbers: blocks, distances, packed counts. */
#ifndef RDI_U64_LIST_H
#define RDI_U64_LIST_H

#include "base/common.h"

/* A zeroed one is empty. */
typedef struct rdi_u64_list {
    uint64_t *at;
    size_t n, room;
} rdi_u64_list;

/* Room for n in all. */
rd_status rdi_u64_list_reserve(rd_ctx *ctx, rdi_u64_list *list, size_t n);
rd_status rdi_u64_list_append(rd_ctx *ctx, rdi_u64_list *list, const uint64_t *numbers, size_t n);
/* Gives the memory back; the list is empty then. */
void rdi_u64_list_free(rd_ctx *ctx, rdi_u64_list *list);

#endif
