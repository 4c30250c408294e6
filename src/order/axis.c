/* The time axis: memory, restart, and the counts of newly used slots. See axis.h. */
#include "order/axis.h"

#include <string.h>

const uint16_t rdi_axis_iota16[32]
    __attribute__((aligned(64))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
const uint32_t rdi_axis_iota32[16]
    __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define AT(w) (UINT64_C(1) << (9 * (w)))
const uint64_t rdi_axis_one_after[8] = {
    AT(1) + AT(2) + AT(3) + AT(4) + AT(5) + AT(6),
    AT(2) + AT(3) + AT(4) + AT(5) + AT(6),
    AT(3) + AT(4) + AT(5) + AT(6),
    AT(4) + AT(5) + AT(6),
    AT(5) + AT(6),
    AT(6),
    0,
    0,
};

/* Reserves `n` items of `size` bytes, rounded up to cache lines, at the end of *total bytes. */
static size_t carve(size_t *total, uint64_t n, size_t size) {
    size_t at = *total;
    *total +=
        /* One spare line, because clear() works on whole groups. */
        ((size_t)n * size + 127) & ~(size_t)63;
    return at;
}

rd_status rdi_axis_init(rd_ctx *ctx, rdi_axis *a, uint64_t slots) {
    uint64_t lines = slots / RDI_AXIS_LINE_SLOTS + 1; /* slot 0 is unused */
    lines = (lines + 31) & ~UINT64_C(31);
    size_t bytes = 0;
    size_t line = carve(&bytes, lines, sizeof(rdi_axis_line));
    size_t level0 = carve(&bytes, lines, sizeof(uint16_t));
    size_t level1 = carve(&bytes, (lines >> 5) + 1, sizeof(uint32_t));
    size_t level2 = carve(&bytes, (lines >> 9) + 1, sizeof(uint32_t));
    size_t level3 = carve(&bytes, (lines >> 13) + 1, sizeof(uint32_t));
    size_t top = carve(&bytes, (lines >> 17) + 2, sizeof(uint64_t));
    char *memory = rdi_pages_alloc(ctx, bytes);
    if (!memory)
        return RD_ENOMEM;
    *a = (rdi_axis){
        .line = (rdi_axis_line *)(void *)(memory + line),
        .level0 = (uint16_t *)(void *)(memory + level0),
        .level1 = (uint32_t *)(void *)(memory + level1),
        .level2 = (uint32_t *)(void *)(memory + level2),
        .level3 = (uint32_t *)(void *)(memory + level3),
        .top = (uint64_t *)(void *)(memory + top),
        .next = rdi_axis_slot(0),
        .lines = lines,
        .memory = memory,
        .bytes = bytes,
    };
    return RD_OK;
}

void rdi_axis_fini(rd_ctx *ctx, rdi_axis *a) {
    rdi_pages_free(ctx, a->memory, a->bytes);
    *a = (rdi_axis){0};
}

/* Number of live slots in a line. */
static uint64_t line_total(const rdi_axis_line *line) {
    return (line->before >> 54 & 511) + (uint64_t)__builtin_popcountll(line->word[6]);
}

/* Computes the counts of line n from the finished line before it. */
static void open_line(rdi_axis *a, uint64_t n) {
    uint64_t q = n - 1, count = line_total(&a->line[q]) + a->level0[q];
    a->level0[n] = (uint16_t)(n & 31 ? count : 0);
    if (n & 31)
        return;
    count += a->level1[q >> 5];
    a->level1[n >> 5] = (uint32_t)(n & 511 ? count : 0);
    if (n & 511)
        return;
    count += a->level2[q >> 9];
    a->level2[n >> 9] = (uint32_t)(n & 8191 ? count : 0);
    if (n & 8191)
        return;
    count += a->level3[q >> 13];
    a->level3[n >> 13] = (uint32_t)(n & 131071 ? count : 0);
    if (n & 131071)
        return;
    a->top[n >> 17] = count + a->top[q >> 17];
}

void rdi_axis_open_word(rdi_axis *a, uint64_t slot) {
    uint64_t n = slot >> 9;
    unsigned w = (unsigned)(slot >> 6) & 7;
    rdi_axis_line *line = &a->line[n];
    if (w == 0) {
        line->before = 0;
        if (n > 0)
            open_line(a, n);
        return;
    }
    uint64_t count =
        (line->before >> 9 * (w - 1) & 511) + (uint64_t)__builtin_popcountll(line->word[w - 1]);
    line->before = (line->before & ~(UINT64_C(511) << 9 * w)) | count << 9 * w;
}

void rdi_axis_recount(rdi_axis *a) {
    a->level0[0] = 0;
    a->level1[0] = a->level2[0] = a->level3[0] = 0;
    a->top[0] = 0;
    uint64_t last = a->next >> 9;
    for (uint64_t n = 0; n <= last && n < a->lines; n++)
        for (unsigned w = 0; w < 7; w++)
            rdi_axis_open_word(a, n * 512 + w * 64);
    /* The rank of the newest slot is the number of live slots. */
    uint64_t end = a->next;
    bool full = (end & 511) == 0; /* `next` lies in a line that may not exist */
    uint64_t newest = full ? end - 512 + RDI_AXIS_LINE_SLOTS - 1 : end - 1;
    a->live = rdi_axis_index(end) == 0 ? 0 : rdi_axis_rank(a, newest);
}

void rdi_axis_restart(rdi_axis *a, uint64_t n) {
    uint64_t used = (a->next >> 9) + 1;
    memset(a->line, 0, (size_t)(used < a->lines ? used : a->lines) * sizeof *a->line);
    a->next = rdi_axis_slot(n);
    uint64_t whole = a->next >> 9;
    for (uint64_t i = 0; i < whole; i++)
        memset(a->line[i].word, 0xff, sizeof a->line[i].word);
    for (uint64_t bit = 0; bit < (a->next & 511); bit++)
        a->line[whole].word[bit / 64] |= UINT64_C(1) << bit % 64;
    a->line[0].word[0] &= ~UINT64_C(1); /* slot 0 means "none" */
    rdi_axis_recount(a);
}
