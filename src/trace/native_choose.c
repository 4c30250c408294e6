/* Chooses the symbols of a frame. See native_encoder.h.
 *
 * A symbol can represent a shape that many differences have, or one difference that recurs exactly
 * and then needs no data bytes. The encoder chooses the symbols that save the most data bytes. A
 * shape that got no symbol uses the symbol of a wider shape, or the symbol for all shapes of its
 * slot and kind.
 */
#include "trace/native_encoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns approximately the mean number of references from one counted difference to the next. */
static unsigned sample_step(size_t n) {
    return n < SAMPLE_FROM ? 1 : 8;
}

/* Counts how often each shape, and each difference of 1 to 4 bytes, occurs in a sample of the n references.
 * When e->exacts is half full, differences that it does not contain yet are ignored. */
static void count_sample(rdi_column_encoder *e, size_t n) {
    uint64_t random = 1;
    e->exact_count = 0;
    for (size_t i = 0, step = sample_step(n); i < n;
         i += step == 1 ? 1 : 1 + (size_t)(random >> 60)) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        unsigned width = shape_width(e->shape[i]);
        e->shape_count[e->shape[i]]++;
        if (width == 0 || width > 4)
            continue;
        uint64_t key = exact_key(e->shape[i], e->delta[i]);
        uint32_t at = (uint32_t)(hash(key) >> (64 - EXACT_BITS));
        while (e->exacts[at] != 0 && e->exacts[at] >> COUNT_BITS != key)
            at = (at + 1) % EXACT_ROOM;
        if (e->exacts[at] == 0) {
            if (e->exact_count == EXACT_ROOM / 2)
                continue;
            e->exact_used[e->exact_count++] = (uint16_t)at;
            e->exacts[at] = key << COUNT_BITS;
        }
        e->exacts[at]++;
    }
}

/* Returns the key of the difference at `index` in `exacts`. */
static uint64_t exact_at(const rdi_column_encoder *e, uint32_t index) {
    return e->exacts[index] >> COUNT_BITS;
}

static uint32_t exact_shape(const rdi_column_encoder *e, uint32_t index) {
    return (uint32_t)(exact_at(e, index) >> 32);
}

static int by_gain(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    /* Equal gains are ordered by shape, so that the file is the same on every machine. */
    return x->shape < y->shape ? -1 : x->shape > y->shape;
}

static void add_candidate(rdi_column_encoder *e, uint32_t gain, uint32_t shape) {
    if (gain > RDI_SYMBOL_BYTES)
        e->candidates[e->candidate_count++] = (candidate){gain, shape};
}

static void collect_candidates(rdi_column_encoder *e, size_t n) {
    e->candidate_count = 0;
    for (size_t i = 0; i < e->used_count; i++) {
        uint32_t shape = e->used[i];
        unsigned bytes = shape_width(shape) + explicit_bytes(shape_class(shape));
        unsigned saved = bytes < ESCAPE_BYTES ? ESCAPE_BYTES - bytes : 1;
        add_candidate(e, e->shape_count[shape] * sample_step(n) * saved, shape);
    }
    for (size_t i = 0; i < e->exact_count; i++) {
        uint32_t index = e->exact_used[i], count = e->exacts[index] & ((1 << COUNT_BITS) - 1);
        if (count > 1) /* a difference that occurs once in the sample is probably rare */
            add_candidate(e, count * sample_step(n) * shape_width(exact_shape(e, index)),
                          SHAPES + index);
    }
}

/* Returns the number of the bucket for a gain, which grows with the gain. Buckets distinguish the
 * three bits after the highest one. */
static unsigned gain_bucket(uint32_t gain) {
    unsigned width = rdi_bit_width(gain);
    return width * 8 + (width > 3 ? gain >> (width - 4) & 7 : gain & 7);
}

/* Sorts at least the `room` candidates that save most, or all if there are fewer. Drops most of the
 * other candidates, because sorting all would take longer than encoding. */
static void sort_best(rdi_column_encoder *e, size_t room) {
    uint32_t in_bucket[33 * 8] = {0};
    size_t kept = 0, above = 0;
    unsigned lowest = RDI_COUNT(in_bucket);
    for (size_t i = 0; i < e->candidate_count; i++)
        in_bucket[gain_bucket(e->candidates[i].gain)]++;
    while (lowest > 0 && above < room)
        above += in_bucket[--lowest];
    for (size_t i = 0; i < e->candidate_count; i++)
        if (gain_bucket(e->candidates[i].gain) >= lowest)
            e->candidates[kept++] = e->candidates[i];
    e->candidate_count = kept;
    qsort(e->candidates, kept, sizeof *e->candidates, by_gain);
}

/* Returns the constant with which `width` unsigned bytes represent differences of both signs. */
static uint64_t bias(unsigned width) {
    return width == 0 || width == 8 ? 0 : 0 - (UINT64_C(1) << (8 * width - 1));
}

static int16_t add_symbol(rdi_column_encoder *e, uint32_t shape, unsigned width, unsigned class,
                          uint64_t add) {
    assert(e->symbol_count < RDI_SYMBOLS_MAX);
    e->symbols[e->symbol_count] = (symbol){
        .slot = (uint8_t)shape_slot(shape),
        .width = (uint8_t)width,
        .size_width = (uint8_t)explicit_bytes(class),
        .kind = code_kind(shape_kind(shape)),
        .size = class_size(class),
        .add = add,
    };
    return (int16_t)e->symbol_count++;
}

static bool size_in_data(const rdi_column_encoder *e, uint32_t index) {
    uint32_t shape = index < SHAPES ? index : exact_shape(e, index - SHAPES);
    return explicit_bytes(shape_class(shape)) > 0;
}

/* Keeps the candidates that save most, at most `room`, and returns their number. A difference gets
 * no symbol if its entry in `probe` is taken. */
static size_t keep_best(rdi_column_encoder *e, size_t room) {
    size_t kept = 0;
    memset(e->probe, 0xff, sizeof e->probe); /* NO_KEY */
    for (size_t i = 0; i < e->candidate_count && kept < room; i++) {
        candidate c = e->candidates[i];
        if (c.shape >= SHAPES) {
            uint64_t key = exact_at(e, c.shape - SHAPES), *place = probe_of(e, key);
            if (*place != NO_KEY)
                continue;
            *place = key << 8;
        }
        e->candidates[kept++] = c;
    }
    return kept;
}

static void take_candidate(rdi_column_encoder *e, uint32_t index) {
    if (index < SHAPES) {
        unsigned width = shape_width(index);
        e->shape_symbol[index] = add_symbol(e, index, width, shape_class(index), bias(width));
    } else {
        uint64_t key = exact_at(e, index - SHAPES);
        uint32_t shape = (uint32_t)(key >> 32);
        uint64_t delta = (uint64_t)(int64_t)(int32_t)(uint32_t)key;
        *probe_of(e, key) |= (uint64_t)add_symbol(e, shape, 0, shape_class(shape), delta);
    }
}

/* Returns the symbol of the narrowest wider shape that has a symbol and is otherwise equal to
 * `shape`, or NO_SYMBOL if there is none. */
static int16_t find_wider(const rdi_column_encoder *e, uint32_t shape) {
    for (unsigned w = shape_width(shape) + 1; w < WIDTHS; w++) {
        int16_t found = e->shape_symbol[shape - shape_width(shape) + w];
        if (found != NO_SYMBOL)
            return found;
    }
    return NO_SYMBOL;
}

/* The symbol for all shapes of one slot and kind that have no symbol of their own and cannot use
 * the symbol of a wider shape. It has room for the widest difference and the largest size of these
 * shapes. */
typedef struct escape {
    unsigned width, size_bytes;
    int16_t symbol;
} escape;

static escape *escape_of(escape *escapes, uint32_t shape) {
    return &escapes[shape_slot(shape) * KINDS + shape_kind(shape)];
}

static void widen_escape(escape *x, uint32_t shape) {
    unsigned class = shape_class(shape), width = shape_width(shape);
    unsigned size_bytes =
        class < SIZE_EXPLICIT ? bytes_of(class_size(class)) : explicit_bytes(class);
    x->width = width > x->width ? width : x->width;
    x->size_bytes = size_bytes > x->size_bytes ? size_bytes : x->size_bytes;
}

static void place_leftover_shapes(rdi_column_encoder *e) {
    escape escapes[SLOTS * KINDS] = {0};
    for (size_t i = 0; i < e->used_count; i++) {
        uint32_t shape = e->used[i];
        if (e->shape_symbol[shape] == NO_SYMBOL)
            e->shape_symbol[shape] = find_wider(e, shape);
        if (e->shape_symbol[shape] == NO_SYMBOL)
            widen_escape(escape_of(escapes, shape), shape);
    }
    for (size_t i = 0; i < e->used_count; i++) {
        uint32_t shape = e->used[i];
        if (e->shape_symbol[shape] != NO_SYMBOL)
            continue;
        escape *x = escape_of(escapes, shape);
        if (x->symbol == 0) {
            unsigned class = x->size_bytes ? SIZE_EXPLICIT + x->size_bytes - 1 : SIZE_NONE;
            x->symbol = (int16_t)(1 + add_symbol(e, shape, x->width, class, bias(x->width)));
        }
        e->shape_symbol[shape] = (int16_t)(x->symbol - 1);
    }
}

static void forget_symbols(rdi_column_encoder *e) {
    e->symbol_count = 0;
    for (size_t i = 0; i < e->used_count; i++) {
        uint32_t narrowest = e->used[i] - shape_width(e->used[i]);
        for (unsigned w = 0; w < WIDTHS; w++)
            e->shape_symbol[narrowest + w] = NO_SYMBOL;
    }
}

static void clear_counts(rdi_column_encoder *e) {
    for (size_t i = 0; i < e->used_count; i++)
        e->shape_count[e->used[i]] = e->occurs[e->used[i]] = 0;
    for (size_t i = 0; i < e->exact_count; i++)
        e->exacts[e->exact_used[i]] = 0;
}

void rdi_choose_symbols(rdi_column_encoder *e, size_t n, bool kinded) {
    count_sample(e, n);
    forget_symbols(e);
    collect_candidates(e, n);
    size_t escapes = e->slots * (kinded ? KINDS - 1 : 1);
    size_t room = RDI_SYMBOLS_MAX - escapes;
    sort_best(e, room + room / 4); /* sorts a quarter more, because keep_best() rejects differences
                                      whose entry in `probe` is taken */
    size_t kept = keep_best(e, room);
    /* The candidates with a size in the data come last, because decoding is fast for symbols before
     * the first of them. */
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < kept; i++)
            if (size_in_data(e, e->candidates[i].shape) == last)
                take_candidate(e, e->candidates[i].shape);
    place_leftover_shapes(e);
    clear_counts(e);
}
