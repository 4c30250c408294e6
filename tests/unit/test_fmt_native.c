/* Tests the native format: round trips, the example of the specification, damage and hostile
 * files. */
#include "support/faults.h"
#include "support/files.h"
#include "support/traces.h"
#include "trace/checksum.h"
#include "trace/format.h"
#include "trace/native_encoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_MAX = 140000, HEADER = 24 };

/* The columns to write, with room for the largest trace of these tests. */
static struct {
    uint64_t addr[N_MAX], pc[N_MAX];
    uint32_t size[N_MAX], thread[N_MAX];
    uint8_t kind[N_MAX];
} col;

static rd_refs refs_with(uint32_t fields, size_t n) {
    return (rd_refs){
        .n = n,
        .fields = fields,
        .addr = col.addr,
        .size = fields & RD_FIELD_SIZE ? col.size : NULL,
        .kind = fields & RD_FIELD_KIND ? col.kind : NULL,
        .pc = fields & RD_FIELD_PC ? col.pc : NULL,
        .thread = fields & RD_FIELD_THREAD ? col.thread : NULL,
    };
}

/* ---- traces with different properties ---- */

static const uint8_t kinds[] = {RD_LOAD, RD_STORE, RD_FETCH};

/* Makes references as in a program: code continues or jumps, and data accesses walk through a few
 * arrays. */
static void like_a_program(rdi_rng *rng, size_t i) {
    static uint64_t code;
    bool fetch = rdi_rng_below(rng, 4) != 0;
    if (i == 0 || rdi_rng_below(rng, 20) == 0)
        code = 0x401000 + rdi_rng_below(rng, 1 << 15);
    col.size[i] = fetch ? 2 + code % 5 : 1u << rdi_rng_below(rng, 4);
    col.addr[i] = fetch ? code : (rdi_rng_below(rng, 4) << 40) + 0x7f0000000000 + i % 512 * 8;
    col.kind[i] = fetch ? RD_FETCH : kinds[rdi_rng_below(rng, 2)];
    col.pc[i] = code;
    col.thread[i] = (uint32_t)(i / 5000 * 7919);
    code += fetch ? col.size[i] : 0;
}

/* Makes incompressible references: all bits of every column are random. */
static void like_noise(rdi_rng *rng, size_t i) {
    col.addr[i] = rdi_rng_next(rng);
    col.size[i] = 1 + (uint32_t)rdi_rng_below(rng, UINT32_MAX);
    col.kind[i] = kinds[rdi_rng_below(rng, 3)];
    col.pc[i] = rdi_rng_next(rng);
    col.thread[i] = (uint32_t)rdi_rng_next(rng);
}

/* Makes differences of every width and both signs, and the limits of every range of numbers. */
static void like_extremes(rdi_rng *rng, size_t i) {
    static const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    uint64_t pick = rdi_rng_below(rng, 8);
    uint64_t power = UINT64_C(1) << rdi_rng_below(rng, 64);
    uint64_t before = i ? col.addr[i - 1] : 0;
    col.addr[i] = pick < RDI_COUNT(ends) ? ends[pick] : pick == 7 ? before - power : before + power;
    col.size[i] = rdi_rng_below(rng, 2) ? UINT32_MAX : 1 + (uint32_t)(power >> 33);
    col.kind[i] = kinds[rdi_rng_below(rng, 3)];
    col.pc[i] = ~col.addr[i];
    col.thread[i] = rdi_rng_below(rng, 2) ? UINT32_MAX : 0;
}

static void like_one_variable(rdi_rng *rng, size_t i) {
    (void)rng;
    col.addr[i] = UINT64_MAX - 7;
    col.size[i] = 8;
    col.kind[i] = RD_STORE;
    col.pc[i] = 0x400000;
    col.thread[i] = 77;
}

/* Makes references to objects of many sizes. */
static void like_a_store(rdi_rng *rng, size_t i) {
    uint64_t id = rdi_rng_below(rng, 5000);
    col.addr[i] = rdi_mix64(id);
    col.size[i] = 1 + (uint32_t)(rdi_mix64(id + 1) >> (32 + id % 32));
    col.kind[i] = RD_LOAD;
    col.pc[i] = id;
    col.thread[i] = (uint32_t)rdi_rng_below(rng, 3);
}

typedef void (*character)(rdi_rng *rng, size_t i);
static const character characters[] = {like_a_program, like_noise, like_extremes, like_one_variable,
                                       like_a_store};

static void fill(character make, size_t n, uint64_t seed) {
    rdi_rng rng = {seed};
    for (size_t i = 0; i < n; i++)
        make(&rng, i);
}

/* ---- round trips ---- */

/* Checks that the result consists of the first n references of `col`. */
static void assert_prefix(const traces_result *r, uint32_t fields, size_t n) {
    assert_int_equal(r->n, n);
    if (n == 0)
        return;
    assert_memory_equal(r->addr, col.addr, n * sizeof *col.addr);
    if (fields & RD_FIELD_SIZE)
        assert_memory_equal(r->size, col.size, n * sizeof *col.size);
    if (fields & RD_FIELD_KIND)
        assert_memory_equal(r->kind, col.kind, n * sizeof *col.kind);
    if (fields & RD_FIELD_PC)
        assert_memory_equal(r->pc, col.pc, n * sizeof *col.pc);
    if (fields & RD_FIELD_THREAD)
        assert_memory_equal(r->thread, col.thread, n * sizeof *col.thread);
}

static void check_round_trip(const char *spec, uint32_t fields, size_t n, bool ids) {
    rd_refs refs = refs_with(fields, n);
    size_t bytes = 0;
    uint8_t *file = traces_write(spec, &refs, ids, &bytes);
    traces_result r = traces_read(NULL, file, bytes);
    assert_string_equal(r.error, "");
    assert_string_equal(r.format, "native");
    assert_int_equal(r.ids, ids);
    if (n > 0)
        assert_int_equal(r.fields, fields);
    assert_prefix(&r, fields, n);
    traces_free(&r);
    free(file);
}

static void every_set_of_columns_round_trips(void **state) {
    (void)state;
    for (size_t c = 0; c < RDI_COUNT(characters); c++) {
        fill(characters[c], 3000, 100 + c);
        for (uint32_t fields = 0; fields < 16; fields++)
            check_round_trip("native", fields, 3000, (fields + c) % 2 != 0);
    }
}

static void every_length_round_trips(void **state) {
    (void)state;
    static const size_t lengths[] = {0,
                                     1,
                                     2,
                                     RDI_REFS_MAX - 1,
                                     RDI_REFS_MAX,
                                     RDI_REFS_MAX + 1,
                                     RDI_FRAME_REFS - 1,
                                     RDI_FRAME_REFS,
                                     RDI_FRAME_REFS + 1,
                                     N_MAX};
    for (size_t c = 0; c < RDI_COUNT(characters); c++) {
        fill(characters[c], N_MAX, c);
        for (size_t i = 0; i < RDI_COUNT(lengths); i++)
            check_round_trip("native", 15, lengths[i], false);
    }
}

static void every_frame_length_round_trips(void **state) {
    (void)state;
    static const unsigned frames[] = {1, 2, 7, 99, 100, 101};
    for (size_t c = 0; c < RDI_COUNT(characters); c++) {
        fill(characters[c], 100, 50 + c);
        for (size_t i = 0; i < RDI_COUNT(frames); i++) {
            char spec[32];
            snprintf(spec, sizeof spec, "native:frame=%u", frames[i]);
            check_round_trip(spec, 15, 100, false);
        }
    }
}

static void a_pipe_gives_the_same_as_a_file(void **state) {
    (void)state;
    fill(like_a_program, 70000, 9);
    rd_refs refs = refs_with(15, 70000);
    size_t bytes = 0;
    uint8_t *file = traces_write("native:frame=10000", &refs, false, &bytes);
    traces_result whole = traces_read(NULL, file, bytes);
    traces_result piped = traces_read_pipe(NULL, file, bytes, 4099);
    traces_assert_equal(&whole, &piped);
    assert_prefix(&piped, 15, 70000);
    traces_free(&whole);
    traces_free(&piped);
    free(file);
}

static void program_traces_take_less_than_two_bytes(void **state) {
    (void)state;
    fill(like_a_program, N_MAX, 1);
    rd_refs refs = refs_with(RD_FIELD_SIZE | RD_FIELD_KIND, N_MAX);
    size_t bytes = 0;
    free(traces_write("native", &refs, false, &bytes));
    assert_true(bytes < 2 * (size_t)N_MAX);
}

/* Tests that columns with only one symbol take almost no space, because they have no control bytes. */
static void regular_columns_take_no_space(void **state) {
    (void)state;
    fill(like_one_variable, N_MAX, 1);
    for (size_t i = 0; i < N_MAX; i++)
        col.addr[i] = UINT64_MAX - 10000 + i * 8;
    rd_refs refs = refs_with(15, N_MAX);
    size_t bytes = 0;
    free(traces_write("native", &refs, false, &bytes));
    assert_true(bytes < 500);
}

/* ---- the example of docs/trace-format.md ---- */

#include "native_example.h"

static void load_example(void) {
    for (size_t i = 0; i < RDI_COUNT(example_refs); i++) {
        col.addr[i] = example_refs[i].addr;
        col.size[i] = example_refs[i].size;
        col.kind[i] = example_refs[i].kind;
    }
}

static void the_example_of_the_specification_is_read(void **state) {
    (void)state;
    load_example();
    traces_result r = traces_read(NULL, example_bytes, sizeof example_bytes);
    assert_string_equal(r.error, "");
    assert_int_equal(r.fields, RD_FIELD_SIZE | RD_FIELD_KIND);
    assert_prefix(&r, RD_FIELD_SIZE | RD_FIELD_KIND, RDI_COUNT(example_refs));
    traces_free(&r);
}

static void the_example_of_the_specification_is_written(void **state) {
    (void)state;
    load_example();
    rd_refs refs = refs_with(RD_FIELD_SIZE | RD_FIELD_KIND, RDI_COUNT(example_refs));
    size_t bytes = 0;
    uint8_t *file = traces_write("native", &refs, false, &bytes);
    assert_int_equal(bytes, sizeof example_bytes);
    assert_memory_equal(file, example_bytes, bytes);
    free(file);
}

static void checksum_gives_the_published_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t sum;
    } known[] = {
        {"", UINT64_C(0xef46db3751d8e999)},
        {"a", UINT64_C(0xd24ec4f1a98c6e5b)},
        {"abc", UINT64_C(0x44bc2cf5ad770999)},
        {"Nobody inspects the spammish repetition", UINT64_C(0xfbcea83c8a378bf1)},
    };
    for (size_t i = 0; i < RDI_COUNT(known); i++)
        assert_int_equal(rdi_xxh64((const uint8_t *)known[i].text, strlen(known[i].text), 0),
                         known[i].sum);
}

/* ---- damage ---- */

enum { DAMAGED_REFS = 120, DAMAGED_FRAME = 40 };

static uint8_t *small_file(size_t *bytes) {
    fill(like_a_program, DAMAGED_REFS, 5);
    rd_refs refs = refs_with(15, DAMAGED_REFS);
    return traces_write("native:frame=40", &refs, true, bytes);
}

/* Checks that exactly the whole frames before the damage are delivered. */
static void assert_frames_before(const traces_result *r, size_t frames) {
    assert_int_equal(r->status, RD_EFORMAT);
    bool empty = strcmp(r->error, "t: the file is empty") == 0;
    assert_true(empty || strstr(r->error, "t: byte "));
    assert_prefix(r, 15, frames * DAMAGED_FRAME);
}

/* Stores the offsets of all frames in `at`, followed by the offset of the end mark. Returns the number of
 * offsets. */
static size_t find_frames(const uint8_t *file, size_t bytes, size_t *at) {
    size_t n = 0;
    for (size_t p = HEADER; p < bytes; p += 16 + rdi_load_le32(file + p + 4))
        at[n++] = p;
    return n;
}

static size_t frame_of(const size_t *at, size_t n, size_t byte) {
    size_t frame = 0;
    while (frame + 1 < n && at[frame + 1] <= byte)
        frame++;
    return byte < HEADER ? 0 : frame;
}

static void every_damaged_byte_is_found(void **state) {
    (void)state;
    size_t bytes = 0, at[8];
    uint8_t *file = small_file(&bytes);
    size_t frames = find_frames(file, bytes, at);
    assert_int_equal(frames, DAMAGED_REFS / DAMAGED_FRAME + 1);
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < bytes; i++)
        for (size_t f = 0; f < RDI_COUNT(flips); f++) {
            file[i] ^= flips[f];
            traces_result r = traces_read("native", file, bytes);
            assert_frames_before(&r, frame_of(at, frames, i));
            traces_free(&r);
            file[i] ^= flips[f];
        }
    free(file);
}

static void every_truncation_is_found(void **state) {
    (void)state;
    size_t bytes = 0, at[8];
    uint8_t *file = small_file(&bytes);
    size_t frames = find_frames(file, bytes, at);
    for (size_t n = 0; n < bytes; n++) {
        traces_result r = traces_read("native", file, n);
        size_t frame = n == 0 ? 0 : frame_of(at, frames, n);
        assert_frames_before(&r, frame);
        traces_free(&r);
    }
    free(file);
}

static void frames_in_another_order_are_found(void **state) {
    (void)state;
    size_t bytes = 0, at[8];
    uint8_t *file = small_file(&bytes);
    find_frames(file, bytes, at);
    /* Drops the second frame. The frame after it then has the wrong position. */
    memmove(file + at[1], file + at[2], bytes - at[2]);
    traces_result r = traces_read("native", file, bytes - (at[2] - at[1]));
    assert_frames_before(&r, 1);
    traces_free(&r);
    free(file);
}

static void bytes_behind_the_end_are_found(void **state) {
    (void)state;
    size_t bytes = 0;
    uint8_t *file = small_file(&bytes);
    uint8_t *longer = malloc(bytes + 1);
    assert_non_null(longer);
    memcpy(longer, file, bytes);
    longer[bytes] = 0;
    traces_result r = traces_read("native", longer, bytes + 1);
    assert_frames_before(&r, DAMAGED_REFS / DAMAGED_FRAME);
    assert_non_null(strstr(r.error, "the end mark is followed by extra bytes"));
    traces_free(&r);
    free(longer);
    free(file);
}

static void newer_versions_are_refused_by_name(void **state) {
    (void)state;
    size_t bytes = 0;
    uint8_t *file = small_file(&bytes);
    file[8] = 3;
    traces_result r = traces_read(NULL, file, bytes);
    assert_string_equal(r.error, "t: byte 8: this is a native trace of version 3, but this release "
                                 "reads only versions 1 and 2; use a later release");
    traces_free(&r);
    free(file);
}

/* ---- hostile files: the checksums are valid, but the content is not ---- */

static void seal(uint8_t *file, size_t bytes) {
    rdi_store_le64(file + 16, rdi_xxh64(file, 16, 0));
    uint64_t before = 0;
    for (size_t p = HEADER; p + 16 <= bytes;) {
        size_t payload = rdi_load_le32(file + p + 4);
        if (payload > bytes - p - 16)
            break;
        rdi_store_le64(file + p + 8 + payload, rdi_xxh64(file + p, 8 + payload, before));
        before += rdi_load_le32(file + p);
        p += 16 + payload;
    }
}

static void assert_sane(const traces_result *r) {
    if (r->status != RD_OK)
        assert_int_equal(r->status, RD_EFORMAT);
    for (size_t i = 0; i < r->n; i++) {
        assert_true(r->size[i] >= 1);
        assert_true(r->kind[i] == RD_LOAD || r->kind[i] == RD_STORE || r->kind[i] == RD_FETCH);
    }
}

static void sealed_nonsense_does_no_harm(void **state) {
    (void)state;
    rdi_rng rng = {2024};
    size_t refused = 0;
    for (size_t round = 0; round < 30; round++) {
        fill(characters[round % RDI_COUNT(characters)], DAMAGED_REFS, round);
        rd_refs refs = refs_with((uint32_t)(round % 16), DAMAGED_REFS);
        size_t bytes = 0;
        uint8_t *file = traces_write("native:frame=40", &refs, false, &bytes);
        uint8_t *copy = malloc(bytes);
        assert_non_null(copy);
        for (size_t trial = 0; trial < 200; trial++) {
            memcpy(copy, file, bytes);
            for (size_t k = rdi_rng_below(&rng, 3); k < 3; k++) {
                /* Half of the changes are in the heads of the file, of a frame and of a column,
                 * where they have the most effect. */
                size_t range = rdi_rng_below(&rng, 2) ? bytes : HEADER + 80;
                copy[8 + rdi_rng_below(&rng, range - 8)] = (uint8_t)rdi_rng_next(&rng);
            }
            seal(copy, bytes);
            traces_result r = traces_read("native", copy, bytes);
            assert_sane(&r);
            refused += r.status != RD_OK;
            traces_free(&r);
        }
        free(copy);
        free(file);
    }
    assert_true(refused > 1000);
}

/* ---- one error at a time, with valid checksums ---- */

/* The offsets of the first frame, its column block and the fields of this block, in a file whose
 * only symbol has a size and a kind. */
enum {
    FRAME = HEADER,
    BLOCK = FRAME + 8,
    BASE = BLOCK + 8,
    SYMBOL = BASE + 8,
    SYMBOL_ADD = SYMBOL + 8
};

static void assert_refused(size_t offset, uint8_t value, const char *message) {
    fill(like_one_variable, 100, 0);
    for (size_t i = 0; i < 100; i++)
        col.addr[i] = i * 8;
    rd_refs refs = refs_with(RD_FIELD_SIZE | RD_FIELD_KIND, 100);
    size_t bytes = 0;
    uint8_t *file = traces_write("native", &refs, false, &bytes);
    file[offset] = value;
    seal(file, bytes);
    traces_result r = traces_read("native", file, bytes);
    assert_int_equal(r.status, RD_EFORMAT);
    if (!strstr(r.error, message))
        fail_msg("the message '%s' does not contain '%s'", r.error, message);
    traces_free(&r);
    free(file);
}

static void each_impossible_field_has_its_message(void **state) {
    (void)state;
    assert_refused(9, 0x10,
                   "byte 9: the header has columns that this release does not know, bits 0x10; "
                   "use a later release");
    assert_refused(10, 0x08,
                   "byte 10: the header has flags that this release does not know, bits 0x08; "
                   "use a later release");
    assert_refused(11, 0x01, "byte 11: a reserved byte of the header is 1, not 0");
    assert_refused(
        15, 0x01,
        "byte 12: the header announces 16777216 bytes of descriptions; at most 0 are valid");
    assert_refused(FRAME + 2, 0x10, "its length is invalid");
    assert_refused(FRAME + 6, 0x10, "its length is invalid");
    assert_refused(BLOCK, 0, "the head of a column is invalid");
    assert_refused(BLOCK, 17, "the head of a column is invalid");
    assert_refused(BLOCK + 1, 1, "the head of a column is invalid");
    assert_refused(BLOCK + 2, 0, "the head of a column is invalid");
    assert_refused(BLOCK + 3, 2, "the head of a column is invalid");
    assert_refused(BLOCK + 2, 2, "cut off");
    assert_refused(BLOCK + 4, 1, "cut off");
    assert_refused(SYMBOL, 1, "slot that does not exist");
    assert_refused(SYMBOL + 1, 9, "too wide");
    assert_refused(SYMBOL + 1, 1, "does not match its symbols");
    assert_refused(SYMBOL + 2, 5, "too wide");
    assert_refused(SYMBOL + 3, 3, "a symbol has an invalid kind");
    assert_refused(SYMBOL + 4, 0, "a symbol has an invalid size");
}

/* ---- instruction sets ---- */

/* Tests that the encoder writes the same bytes with and without AVX2. */
static void every_instruction_set_writes_the_same(void **state) {
    (void)state;
    static uint8_t blocks[2][RDI_BLOCK_MAX(RDI_FRAME_REFS)];
    rd_ctx *ctx = NULL;
    rdi_column_encoder *e = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rdi_column_encoder_new(ctx, &e), RD_OK);
    bool best = e->avx2;
    for (size_t c = 0; c < RDI_COUNT(characters); c++)
        for (size_t n = 1; n <= RDI_FRAME_REFS; n *= 16) {
            fill(characters[c], n, c);
            size_t bytes[2];
            for (int avx2 = 0; avx2 < 2; avx2++) {
                e->avx2 = best && avx2;
                memset(e->guess, 0, sizeof e->guess);
                bytes[avx2] = rdi_column_encode(e, n, col.addr, col.size, col.kind, blocks[avx2]);
            }
            assert_int_equal(bytes[0], bytes[1]);
            assert_memory_equal(blocks[0], blocks[1], bytes[0]);
        }
    rdi_column_encoder_free(e);
    rd_ctx_free(ctx);
}

/* ---- memory ---- */

static rd_status write_and_read(rd_ctx *ctx, void *user) {
    const char *path = user;
    rd_refs refs = refs_with(15, 5000);
    rd_trace_writer *w = NULL;
    rd_status status = rd_trace_writer_open(ctx, path, "native", 15, false, &w);
    if (status == RD_OK)
        status = rd_trace_writer_write(w, &refs);
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    rd_trace_writer_close(w);
    rd_trace *t = NULL;
    if (status == RD_OK)
        status = rd_trace_open(ctx, path, NULL, &t);
    const rd_refs *back = NULL;
    do
        status = status == RD_OK ? rd_trace_read(t, &back) : status;
    while (status == RD_OK && back->n > 0);
    rd_trace_close(t);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    char *path = files_path();
    fill(like_a_program, 5000, 3);
    assert_true(faults_inject("native", write_and_read, path, RD_OK) > 5);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_columns_round_trips),
        cmocka_unit_test(every_length_round_trips),
        cmocka_unit_test(every_frame_length_round_trips),
        cmocka_unit_test(a_pipe_gives_the_same_as_a_file),
        cmocka_unit_test(every_instruction_set_writes_the_same),
        cmocka_unit_test(program_traces_take_less_than_two_bytes),
        cmocka_unit_test(regular_columns_take_no_space),
        cmocka_unit_test(the_example_of_the_specification_is_read),
        cmocka_unit_test(the_example_of_the_specification_is_written),
        cmocka_unit_test(checksum_gives_the_published_values),
        cmocka_unit_test(every_damaged_byte_is_found),
        cmocka_unit_test(every_truncation_is_found),
        cmocka_unit_test(frames_in_another_order_are_found),
        cmocka_unit_test(bytes_behind_the_end_are_found),
        cmocka_unit_test(newer_versions_are_refused_by_name),
        cmocka_unit_test(sealed_nonsense_does_no_harm),
        cmocka_unit_test(each_impossible_field_has_its_message),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
