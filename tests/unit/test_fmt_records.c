/* Tests formats with binary records of fixed length: champsim, oraclegeneral, and binary with a
 * struct string. */
#include "support/traces.h"
#include "trace/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- champsim ---- */

enum { INSTRUCTIONS = 1000 };

/* Makes a plausible instruction: every fifth is a branch, every third a load, every seventh a
 * store. */
static void put_instruction(uint8_t *p, size_t bytes, size_t stores_at, size_t loads_at, size_t i) {
    memset(p, 0, bytes);
    rdi_store_le64(p, 0x400000 + i * 4);
    p[8] = i % 5 == 0;
    p[9] = i % 10 == 0;
    memset(p + 10, (int)(i % 64), 6);
    if (i % 3 == 0)
        rdi_store_le64(p + loads_at, 0x7fff12340000 + i * 8);
    if (i % 9 == 0)
        rdi_store_le64(p + loads_at + 24, 0x10000 + i);
    if (i % 7 == 0)
        rdi_store_le64(p + stores_at + 8, UINT64_C(0xffff888000000000) + i);
}

static size_t expect(const traces_result *r, size_t at, uint64_t addr, uint8_t kind, uint64_t pc) {
    assert_true(at < r->n);
    assert_int_equal(r->addr[at], addr);
    assert_int_equal(r->kind[at], kind);
    assert_int_equal(r->pc[at], pc);
    return at + 1;
}

static void assert_instructions(const traces_result *r) {
    assert_string_equal(r->error, "");
    assert_string_equal(r->format, "champsim");
    assert_int_equal(r->fields, RD_FIELD_KIND | RD_FIELD_PC);
    size_t at = 0;
    for (size_t i = 0; i < INSTRUCTIONS; i++) {
        uint64_t pc = 0x400000 + i * 4;
        at = expect(r, at, pc, RD_FETCH, pc);
        if (i % 3 == 0)
            at = expect(r, at, 0x7fff12340000 + i * 8, RD_LOAD, pc);
        if (i % 9 == 0)
            at = expect(r, at, 0x10000 + i, RD_LOAD, pc);
        if (i % 7 == 0)
            at = expect(r, at, UINT64_C(0xffff888000000000) + i, RD_STORE, pc);
    }
    assert_int_equal(at, r->n);
}

static void champsim_instructions_give_fetches_loads_and_stores(void **state) {
    (void)state;
    static uint8_t plain[INSTRUCTIONS * 64], cloudsuite[INSTRUCTIONS * 96];
    for (size_t i = 0; i < INSTRUCTIONS; i++) {
        put_instruction(plain + i * 64, 64, 16, 32, i);
        put_instruction(cloudsuite + i * 96, 96, 24, 56, i);
    }
    traces_result r = traces_read(NULL, plain, sizeof plain);
    assert_instructions(&r);
    traces_free(&r);
    r = traces_read("champsim:layout=cloudsuite", cloudsuite, sizeof cloudsuite);
    assert_instructions(&r);
    traces_free(&r);
    r = traces_read_pipe("champsim", plain, sizeof plain, 1000);
    assert_instructions(&r);
    traces_free(&r);
}

static void all_operands_of_every_instruction_fit_in_a_batch(void **state) {
    (void)state;
    enum { N = 3000 };
    uint8_t *full = malloc(N * 96);
    assert_non_null(full);
    for (size_t i = 0; i < N * 96 / 8; i++)
        rdi_store_le64(full + i * 8, 0x1000 + i);
    traces_result r = traces_read("champsim", full, N * 64);
    assert_int_equal(r.status, RD_OK);
    assert_int_equal(r.n, N * 7);
    traces_free(&r);
    r = traces_read("champsim:layout=cloudsuite", full, N * 96);
    assert_int_equal(r.n, N * 9);
    traces_free(&r);
    free(full);
}

/* ---- oraclegeneral ---- */

enum { REQUESTS = 500, OBJECTS = 37 };

static void put_requests(uint8_t *p, uint64_t first, int64_t none) {
    for (uint64_t i = 0; i < REQUESTS; i++, p += 24) {
        bool again = i + OBJECTS < REQUESTS;
        rdi_store_le32(p, (uint32_t)(1000 + i / 10));
        rdi_store_le64(p + 4, rdi_mix64(i % OBJECTS));
        rdi_store_le32(p + 12, (uint32_t)(i % 3 * 100));
        rdi_store_le64(p + 16, again ? i + OBJECTS + first : (uint64_t)none);
    }
}

static void oracle_records_are_found_and_read(void **state) {
    (void)state;
    static const int64_t none[] = {-1, INT64_MAX};
    for (uint64_t first = 0; first < 2; first++) {
        static uint8_t file[REQUESTS * 24];
        put_requests(file, first, none[first]);
        traces_result r = traces_read(NULL, file, sizeof file);
        assert_string_equal(r.error, "");
        assert_string_equal(r.format, "oraclegeneral");
        assert_true(r.ids);
        assert_int_equal(r.n, REQUESTS);
        for (uint64_t i = 0; i < REQUESTS; i++) {
            assert_int_equal(r.addr[i], rdi_mix64(i % OBJECTS));
            assert_int_equal(r.size[i], i % 3 ? i % 3 * 100 : 1);
        }
        traces_free(&r);
    }
}

static void cut_off_records_are_reported(void **state) {
    (void)state;
    static uint8_t file[REQUESTS * 24];
    put_requests(file, 0, -1);
    traces_result r = traces_read("oraclegeneral", file, sizeof file - 1);
    assert_int_equal(r.n, REQUESTS - 1);
    assert_string_equal(r.error, "t: byte 11976: the last record is incomplete: it has 23 of the "
                                 "24 bytes of a record of format oraclegeneral");
    traces_free(&r);
    r = traces_read("champsim", file, 65);
    assert_string_equal(r.error, "t: byte 64: the last record is incomplete: it has 1 of the 64 "
                                 "bytes of a record of format champsim");
    traces_free(&r);
}

/* ---- other files are not mistaken for these formats ---- */

static void assert_not_records(const void *data, size_t n) {
    traces_result r = traces_read(NULL, data, n);
    if (r.format) {
        assert_string_not_equal(r.format, "champsim");
        assert_string_not_equal(r.format, "oraclegeneral");
    }
    traces_free(&r);
}

static void other_files_are_not_taken_for_records(void **state) {
    (void)state;
    enum { WORDS = 24 * 64 };
    uint8_t file[WORDS * 8];
    for (unsigned shape = 0; shape < 6; shape++) {
        rdi_rng rng = {shape};
        for (uint64_t i = 0; i < WORDS; i++) {
            uint64_t values[] = {
                i, i << 6, 0, i << 16, rdi_rng_below(&rng, 1000), rdi_rng_next(&rng) >> 17};
            rdi_store_le64(file + i * 8, values[shape]);
        }
        assert_not_records(file, sizeof file);
    }
    memset(file, 'x', sizeof file);
    assert_not_records(file, sizeof file);
    for (size_t i = 0; i + 8 < sizeof file; i += 8)
        snprintf((char *)file + i, 9, "%07zu\n", i);
    assert_not_records(file, sizeof file - 8);
}

/* ---- binary ---- */

static void struct_strings_describe_records(void **state) {
    (void)state;
    /* u8 kind, 2 bytes padding, i16 thread, 3 characters, u32 size, u64 address, f32, u64 pc */
    static const uint8_t little[] = {'W', 9, 9, 0x34, 0x12, 'a', 'b', 'c', 4, 3,   2,
                                     1,   8, 7, 6,    5,    4,   3,   2,   1, 0,   0,
                                     0,   0, 1, 0,    0,    0,   0,   0,   0, 0xff};
    traces_result r = traces_read("binary:format=<B2xh3sIQfQ,kind=1,thread=2,size=4,addr=5,pc=7",
                                  little, sizeof little);
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 1);
    assert_int_equal(r.fields, 15);
    assert_false(r.ids);
    assert_int_equal(r.kind[0], RD_STORE);
    assert_int_equal(r.thread[0], 0x1234);
    assert_int_equal(r.size[0], 0x01020304);
    assert_int_equal(r.addr[0], 0x0102030405060708);
    assert_int_equal(r.pc[0], UINT64_C(0xff00000000000001));
    traces_free(&r);
    r = traces_read("binary:format=>B2xh3sIQfQ,kind=1,thread=2,size=4,id=5,pc=7", little,
                    sizeof little);
    assert_true(r.ids);
    assert_int_equal(r.thread[0], 0x3412);
    assert_int_equal(r.size[0], 0x04030201);
    assert_int_equal(r.addr[0], 0x0807060504030201);
    traces_free(&r);
}

static void repeated_and_signed_fields_are_counted(void **state) {
    (void)state;
    static const uint8_t records[] = {1, 0, 2, 0, 0xfe, 0xff, 3, 0, 4, 0, 0xff, 0xff};
    traces_result r = traces_read("binary:format=2Hh,id=3,size=2", records, sizeof records);
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 2);
    assert_int_equal(r.addr[0], UINT64_MAX - 1);
    assert_int_equal(r.addr[1], UINT64_MAX);
    assert_int_equal(r.size[0], 2);
    assert_int_equal(r.size[1], 4);
    traces_free(&r);
}

/* Tests that the message names the position of an invalid record, and that the records before it
 * are delivered. */
static void bad_values_are_reported_with_their_place(void **state) {
    (void)state;
    enum { N = 5000 };
    uint8_t *file = calloc(N, 12);
    assert_non_null(file);
    file[4711 * 12 + 8] = 7;
    traces_result r = traces_read("binary:format=<QI,addr=1,kind=2", file, N * 12);
    assert_int_equal(r.n, 4711);
    assert_string_equal(
        r.error,
        "t: byte 56532: the kind of this record is not 0, 1, 2 or one of the letters R L W S I: 7");
    traces_free(&r);
    memset(file + 4711 * 12 + 8, 0xff, 4);
    r = traces_read("binary:format=<Qi,addr=1,size=2", file, N * 12);
    assert_int_equal(r.n, 4711);
    assert_string_equal(
        r.error, "t: byte 56532: the size of this record is not from 0 to 4,294,967,295: -1");
    traces_free(&r);
    r = traces_read("binary:format=<Qi,addr=1,thread=2", file, N * 12);
    assert_string_equal(
        r.error, "t: byte 56532: the thread of this record is not from 0 to 4,294,967,295: -1");
    traces_free(&r);
    memset(file, 0xff, 8);
    r = traces_read("binary:format=<QI,addr=2,size=1", file, N * 12);
    assert_string_equal(r.error,
                        "t: byte 0: the size of this record is not from 0 to 4,294,967,295: "
                        "18446744073709551615");
    traces_free(&r);
    free(file);
}

static void mistakes_in_the_description_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"binary", "describe a record, for example -f binary:format=<IQI,id=2"},
        {"binary:format=", "describe a record"},
        {"binary:format=<,id=1", "character 2: the record is empty"},
        {"binary:format=@IQ,id=1", "character 1: name the byte order"},
        {"binary:format=<IZ,id=1", "character 3: expected one of b B"},
        {"binary:format=<I4,id=1", "character 4: expected one of b B"},
        {"binary:format=<I5000x,id=1", "character 3: the record is longer"},
        {"binary:format=<99999999999999999999Q,id=1", "longer than 4096 bytes"},
        {"binary:format=<4000s100s,id=1", "longer than 4096 bytes"},
        {"binary:format=<65B,id=1", "the record has more than 64 fields"},
        {"binary:format=<IQI", "give exactly one of id= and addr="},
        {"binary:format=<IQI,id=1,addr=2", "give exactly one of id= and addr="},
        {"binary:format=<IQI,id=4", "id=4: '<IQI' has 3 fields"},
        {"binary:format=<Id,id=1,pc=2", "pc=2: this field of '<Id' is not an integer"},
        {"binary:format=<I,id=1,color=2", "valid: format, id, addr"},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        traces_result r = traces_read(cases[i].spec, "xxxxxxxx", 8);
        assert_int_equal(r.status, RD_EINVAL);
        if (!strstr(r.error, cases[i].message))
            fail_msg("the message for '%s' is '%s'", cases[i].spec, r.error);
        traces_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(champsim_instructions_give_fetches_loads_and_stores),
        cmocka_unit_test(all_operands_of_every_instruction_fit_in_a_batch),
        cmocka_unit_test(oracle_records_are_found_and_read),
        cmocka_unit_test(cut_off_records_are_reported),
        cmocka_unit_test(other_files_are_not_taken_for_records),
        cmocka_unit_test(struct_strings_describe_records),
        cmocka_unit_test(repeated_and_signed_fields_are_counted),
        cmocka_unit_test(bad_values_are_reported_with_their_place),
        cmocka_unit_test(mistakes_in_the_description_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
