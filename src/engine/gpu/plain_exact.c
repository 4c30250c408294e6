/* Implements the stages of engine `gpu` in plain C, with the functions that the kernels use. See
 * exact.h. This code is written for comparison with exact.cu, stage by stage, not for speed. */
#include "engine/gpu/exact.h"

#include <string.h>

rd_status rdi_exact_range(rdi_device *d, const uint64_t *ids, size_t n, uint64_t *range) {
    (void)d;
    for (size_t i = 0; i < n; i++) {
        range[0] = ~ids[i] > range[0] ? ~ids[i] : range[0];
        range[1] = ids[i] > range[1] ? ids[i] : range[1];
    }
    return RD_OK;
}

static uint64_t id_at(const rdi_exact_round *b, uint32_t position) {
    uint32_t stack_n = b->shape.stack_n;
    return position < stack_n ? b->stack[position] : b->refs[position - stack_n];
}

rd_status rdi_exact_keys(rdi_device *d, const rdi_exact_round *b) {
    (void)d;
    for (uint32_t p = 0; p < b->shape.n; p++) {
        uint64_t key = id_at(b, p) - b->least_id;
        if (b->pairs.key_bytes == 4)
            ((uint32_t *)b->pairs.keys[0])[p] = (uint32_t)key;
        else
            ((uint64_t *)b->pairs.keys[0])[p] = key;
        b->pairs.values[0][p] = p;
    }
    return RD_OK;
}

static bool same_key(const rdi_exact_round *b, size_t i, size_t j) {
    const void *keys = b->pairs.keys[b->sorted];
    return b->pairs.key_bytes == 4 ? ((const uint32_t *)keys)[i] == ((const uint32_t *)keys)[j]
                                   : ((const uint64_t *)keys)[i] == ((const uint64_t *)keys)[j];
}

rd_status rdi_exact_links(rdi_device *d, const rdi_exact_round *b) {
    (void)d;
    const uint32_t *position = b->pairs.values[b->sorted];
    for (size_t i = 0; i < b->shape.n; i++) {
        bool has_prev = i > 0 && same_key(b, i - 1, i);
        bool has_next = i + 1 < b->shape.n && same_key(b, i, i + 1);
        b->links[position[i]] = (rdi_exact_link){has_prev ? position[i - 1] + 1 : 0,
                                                 has_next ? position[i + 1] : RDI_EXACT_NONE};
    }
    return RD_OK;
}

/* ---- the table ---- */

/* Adds the references of a tile to the histogram, which counts references by the bucket of the
 * previous reference. */
static void count_buckets(const rdi_exact_round *b, uint32_t tile, uint32_t *histogram) {
    const rdi_exact_shape *s = &b->shape;
    uint32_t begin = s->stack_n + tile * RDI_EXACT_TILE;
    for (uint32_t p = begin; p < s->n && p < begin + RDI_EXACT_TILE; p++)
        if (b->links[p].prev_plus_1)
            histogram[(b->links[p].prev_plus_1 - 1) / RDI_EXACT_TILE]++;
}

static rd_status fill_rows(const rdi_exact_round *b, uint32_t *histogram) {
    const rdi_exact_shape *s = &b->shape;
    uint32_t *panel_counts = histogram + s->pitch;
    for (uint32_t tile = 0; tile < s->tiles; tile++) {
        if (tile % RDI_EXACT_PANEL == 0) {
            uint32_t *row = b->panels + (size_t)(tile / RDI_EXACT_PANEL) * s->pitch, above = 0;
            for (uint32_t q = s->pitch; q-- > 0; above += panel_counts[q])
                row[q] = above;
            memset(histogram, 0, s->pitch * sizeof *histogram);
        }
        uint16_t *row = b->rows + (size_t)tile * s->pitch;
        uint32_t above = 0;
        for (uint32_t q = s->pitch; q-- > 0; above += histogram[q])
            row[q] = (uint16_t)above;
        count_buckets(b, tile, histogram);
        count_buckets(b, tile, panel_counts);
    }
    return RD_OK;
}

rd_status rdi_exact_table(rdi_device *d, const rdi_exact_round *b) {
    size_t bytes = 2 * (size_t)b->shape.pitch * sizeof(uint32_t);
    RD_TRY(rdi_device_reserve(d, b->scratch, bytes));
    memset(b->scratch->at, 0, bytes);
    return fill_rows(b, b->scratch->at);
}

/* ---- tiles ---- */

typedef struct tile_memory {
    rdi_exact_key keys[RDI_EXACT_TILE];
    uint8_t flags[RDI_EXACT_TILE];
    uint32_t marks[RDI_EXACT_TILE / 16];
    uint32_t by_place[RDI_EXACT_TILE];
} tile_memory;

/* Marks the places of the keys whose bit `bit` is one. Returns the number of zeros. */
static uint32_t mark_bits(tile_memory *t, int bit) {
    uint32_t ones = 0;
    for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
        t->flags[rdi_exact_place(&t->keys[i])] = t->keys[i].key >> bit & 1;
    for (uint32_t word = 0; word < RDI_EXACT_TILE / 16; word++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < 16; i++)
            bits |= (uint32_t)t->flags[word * 16 + i] << i;
        t->marks[word] = rdi_exact_mark(ones, bits);
        ones += (uint32_t)__builtin_popcount(bits);
    }
    return RDI_EXACT_TILE - ones;
}

/* Counts the greater keys before each key of the tile, like count_greater() in exact.cu. */
static void count_greater(tile_memory *t) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
        differ |= t->keys[i].key ^ t->keys[0].key;
    for (int bit = (int)rdi_bit_width(differ) - 1; bit >= 0; bit--) {
        bool far = false;
        for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
            far |= rdi_exact_is_far(&t->keys[i]);
        if (!far) {
            for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
                t->by_place[rdi_exact_place(&t->keys[i])] = t->keys[i].key;
            for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
                rdi_exact_compare(&t->keys[i], t->by_place);
            return;
        }
        uint32_t zeros = mark_bits(t, bit);
        for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
            rdi_exact_descend(&t->keys[i], bit, t->marks, zeros);
    }
}

static void count_bucket(const rdi_exact_round *b, tile_memory *t, uint32_t bucket) {
    uint32_t last = bucket * RDI_EXACT_TILE + RDI_EXACT_TILE - 1;
    for (uint32_t i = 0; i < RDI_EXACT_TILE; i++) {
        bool there = last - i < b->shape.n;
        uint32_t key = there ? rdi_exact_bucket_key(b->shape, b->links[last - i]) : 0;
        t->keys[i] = rdi_exact_key_at(i, key);
    }
    count_greater(t);
    for (uint32_t i = 0; i < RDI_EXACT_TILE; i++)
        if (last - i < b->shape.n)
            b->beside[last - i] = (uint16_t)t->keys[i].greater;
}

/* Sets *out to room for a tile in the scratch memory, where the data of the previous stage is no
 * longer needed. */
static rd_status tile_room(rdi_device *d, const rdi_exact_round *b, tile_memory **out) {
    RD_TRY(rdi_device_reserve(d, b->scratch, sizeof(tile_memory)));
    *out = b->scratch->at;
    return RD_OK;
}

rd_status rdi_exact_buckets(rdi_device *d, const rdi_exact_round *b) {
    tile_memory *t = NULL;
    RD_TRY(tile_room(d, b, &t));
    for (uint32_t bucket = 0; bucket < b->shape.buckets; bucket++)
        count_bucket(b, t, bucket);
    return RD_OK;
}

/* ---- distances ---- */

static void put_distance(const rdi_exact_round *b, uint32_t reference, uint32_t distance) {
    const rdi_exact_counts *c = &b->counts;
    bool infinite = distance >= b->bound; /* true also for RDI_EXACT_NONE */
    if (b->distances) {
        b->distances[reference] = infinite ? UINT64_MAX : distance;
    } else if (infinite) {
        ++*c->infinite;
    } else {
        uint32_t bin = rdi_exact_bin(c->bins, distance), rest = rdi_exact_rest(c->bins, distance);
        c->references[bin]++;
        if (rest) /* bins with one distance have no sums */
            c->sums[bin] += rest;
    }
}

static void finish_tile(const rdi_exact_round *b, const tile_memory *t, uint32_t tile) {
    const rdi_exact_shape *s = &b->shape;
    uint32_t first = tile * RDI_EXACT_TILE;
    for (uint32_t i = 0; i < RDI_EXACT_TILE && first + i < s->refs_n; i++) {
        uint32_t position = s->stack_n + first + i, distance = RDI_EXACT_NONE;
        if (t->keys[i].key) {
            uint32_t prev = t->keys[i].key - 1;
            uint32_t table =
                rdi_exact_table_count(*s, b->rows, b->panels, tile, prev / RDI_EXACT_TILE);
            distance =
                rdi_exact_distance(position, prev, table + b->beside[prev] + t->keys[i].greater);
        }
        put_distance(b, first + i, distance);
    }
}

rd_status rdi_exact_tiles(rdi_device *d, const rdi_exact_round *b) {
    const rdi_exact_shape *s = &b->shape;
    tile_memory *t = NULL;
    RD_TRY(tile_room(d, b, &t));
    for (uint32_t tile = 0; tile < s->tiles; tile++) {
        uint32_t begin = s->stack_n + tile * RDI_EXACT_TILE;
        for (uint32_t i = 0; i < RDI_EXACT_TILE; i++) {
            uint32_t key = begin + i < s->n ? rdi_exact_tile_key(b->links[begin + i]) : 0;
            t->keys[i] = rdi_exact_key_at(i, key);
        }
        count_greater(t);
        finish_tile(b, t, tile);
    }
    return RD_OK;
}

rd_status rdi_exact_carry(rdi_device *d, const rdi_exact_round *b) {
    (void)d;
    uint32_t n = 0;
    for (uint32_t p = 0; p < b->shape.n; p++)
        if (b->links[p].next == RDI_EXACT_NONE)
            b->stack_out[n++] = id_at(b, p);
    *b->stack_out_n = n;
    return RD_OK;
}
