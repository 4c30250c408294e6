/* Allocates and empties the set of holes. See hole_set.h. */
#include "order/hole_set.h"

#include <string.h>

rd_status rdi_hole_set_reserve(rdi_hole_set *h, rd_ctx *ctx, uint64_t capacity) {
    for (unsigned k = 0; k < RDI_HOLE_LEVELS; k++) {
        void *words = h->words[k];
        rd_status status = rdi_pages_grow_array(ctx, &words, &h->room[k],
                                                (capacity >> 6 * (k + 1)) + 1, sizeof **h->words);
        h->words[k] = words;
        RD_TRY(status);
    }
    return RD_OK;
}

void rdi_hole_set_fini(rdi_hole_set *h, rd_ctx *ctx) {
    for (unsigned k = 0; k < RDI_HOLE_LEVELS; k++)
        rdi_pages_free(ctx, h->words[k], (size_t)h->room[k] * sizeof **h->words);
}

void rdi_hole_set_clear(rdi_hole_set *h, uint64_t end) {
    for (unsigned k = 1; k < RDI_HOLE_LEVELS; k++)
        memset(h->words[k], 0, ((end >> 6 * (k + 1)) + 1) * sizeof **h->words);
    h->top = 0;
}
