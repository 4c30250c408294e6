/* A growing list of 64-bit numbers. */
#ifndef RDI_U64_LIST_H
#define RDI_U64_LIST_H

#include "base/common.h"

/* A list whose fields are all 0 is empty. */
typedef struct rdi_u64_list {
    uint64_t *at;
    size_t n, room;
} rdi_u64_list;

/* Reserves room for `n` numbers, including those in the list. */
rd_status rdi_u64_list_reserve(rd_ctx *ctx, rdi_u64_list *list, size_t n);
rd_status rdi_u64_list_append(rd_ctx *ctx, rdi_u64_list *list, const uint64_t *numbers, size_t n);
/* Frees the memory and leaves an empty list. */
void rdi_u64_list_free(rd_ctx *ctx, rdi_u64_list *list);

#endif
