/* Implements lists of numbers. See u64_list.h. */
#include "base/u64_list.h"

#include <string.h>

/* Lists with a capacity of this many numbers or more are kept in whole pages, which grow by moving
 * instead of copying. */
#define PAGED ((size_t)1 << 18)

static uint64_t *resize(rd_ctx *ctx, const rdi_u64_list *list, size_t room) {
    size_t old = list->room * sizeof *list->at, bytes = room * sizeof *list->at;
    if (room < PAGED || room > SIZE_MAX / 2 / sizeof *list->at)
        return rdi_resize(ctx, list->at, room, sizeof *list->at);
    if (list->room >= PAGED)
        return rdi_pages_grow(ctx, list->at, old, bytes);
    uint64_t *pages = rdi_pages_alloc(ctx, bytes);
    if (!pages)
        return NULL;
    if (list->n)
        memcpy(pages, list->at, list->n * sizeof *pages);
    rdi_free(ctx, list->at);
    return pages;
}

rd_status rdi_u64_list_reserve(rd_ctx *ctx, rdi_u64_list *list, size_t n) {
    if (n <= list->room)
        return RD_OK;
    size_t room = n < 2 * list->room ? 2 * list->room : n;
    uint64_t *grown = resize(ctx, list, room);
    if (!grown)
        return RD_ENOMEM;
    list->at = grown;
    list->room = room;
    return RD_OK;
}

rd_status rdi_u64_list_append(rd_ctx *ctx, rdi_u64_list *list, const uint64_t *numbers, size_t n) {
    if (n == 0)
        return RD_OK;
    RD_TRY(rdi_u64_list_reserve(ctx, list, list->n + n));
    memcpy(list->at + list->n, numbers, n * sizeof *numbers);
    list->n += n;
    return RD_OK;
}

void rdi_u64_list_free(rd_ctx *ctx, rdi_u64_list *list) {
    if (list->room < PAGED)
        rdi_free(ctx, list->at);
    else
        rdi_pages_free(ctx, list->at, list->room * sizeof *list->at);
    *list = (rdi_u64_list){0};
}
