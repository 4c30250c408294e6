/* Lists of numbers. See u64_list.h. */
#include "base/u64_list.h"

#include <string.h>

rd_status rdi_u64_list_reserve(rd_ctx *ctx, rdi_u64_list *list, size_t n) {
    if (n <= list->room)
        return RD_OK;
    size_t room = n < 2 * list->room ? 2 * list->room : n;
    uint64_t *grown = rdi_resize(ctx, list->at, room, sizeof *grown);
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
    rdi_free(ctx, list->at);
    *list = (rdi_u64_list){0};
}
