/* Tests rdi_id_read(), which makes a 64-bit id of a text: which texts are numbers, which are names,
 * and that distinct ids stay distinct. */
#include "support/traces.h"
#include "trace/id_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rd_ctx *ctx;
static rdi_id_table table;

static int setup(void **state) {
    (void)state;
    memset(&table, 0, sizeof table);
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return -1;
    rdi_id_table_init(&table, ctx);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    rdi_id_table_fini(&table);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
    return 0;
}

static uint64_t read_id(const char *text) {
    uint64_t id = 0;
    rd_status status = rdi_id_read(&table, text, strlen(text), &id);
    if (status != RD_OK)
        fail_msg("%s: %s", text, rd_last_error(ctx));
    return id;
}

static void assert_name(const char *text) {
    assert_int_equal(read_id(text), rdi_id_hash(table.seed, text, strlen(text)));
}

static void auto_takes_canonical_numbers_and_hashes_the_rest(void **state) {
    (void)state;
    assert_int_equal(read_id("0"), 0);
    assert_int_equal(read_id("17"), 17);
    assert_int_equal(read_id("18446744073709551615"), UINT64_MAX);
    assert_int_equal(read_id("0x0"), 0);
    assert_int_equal(read_id("0XfF"), 255);
    assert_int_equal(read_id("0x00000000000000000000ff"), 255);
    const char *const names[] = {"00",  "017", "-1", "+1",  "1 2",      "12a", "ff",
                                 "0x",  "0xg", "x",  "1.0", "\xc3\xa4", "a",   "key:with:colons",
                                 "0x 1"};
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        assert_name(names[i]);
}

static void other_bases_take_everything_their_way(void **state) {
    (void)state;
    table.base = RDI_ID_DEC;
    assert_int_equal(read_id("0017"), 17);
    table.base = RDI_ID_HEX;
    assert_int_equal(read_id("17"), 0x17);
    assert_int_equal(read_id("0x17"), 0x17);
    assert_int_equal(read_id("deadBEEF"), 0xdeadbeef);
    table.base = RDI_ID_STRING;
    assert_name("17");
    assert_name("0x17");
    assert_name("99999999999999999999");
}

static void names_are_told_apart_and_found_again(void **state) {
    (void)state;
    enum { N = 20000 };
    static uint64_t ids[N];
    char name[64];
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < N; i++) {
            sprintf(name, "%.*s%zu", (int)(i % 40), "a-rather-long-prefix-of-changing-length-here",
                    i);
            uint64_t id = read_id(name);
            if (round)
                assert_int_equal(id, ids[i]);
            ids[i] = id;
        }
    assert_int_equal(table.used, N);
}

static void the_hash_depends_on_every_byte_the_length_and_the_seed(void **state) {
    (void)state;
    char text[33] = "abcdefghijklmnopqrstuvwxyz012345";
    for (size_t n = 1; n <= 32; n++) {
        uint64_t h = rdi_id_hash(0, text, n);
        assert_int_not_equal(h, rdi_id_hash(1, text, n));
        assert_int_not_equal(h, rdi_id_hash(0, text, n - 1));
        for (size_t i = 0; i < n; i++) {
            text[i] ^= 1;
            assert_int_not_equal(h, rdi_id_hash(0, text, n));
            text[i] ^= 1;
        }
    }
}

/* Finds two names of 16 bytes with the same hash under a seed. The hash takes eight bytes at a time
 * with h = mix(h ^ word), so for any two first words there are second words that make the hashes
 * equal. The function draws words at random until all bytes are printable characters. */
static void make_collision(uint64_t seed, char a[17], char b[17]) {
    rdi_rng rng = {seed + 1};
    uint64_t start = rdi_mix64(seed + UINT64_C(0x9e3779b97f4a7c15) * 17);
    while (true) {
        uint8_t words[3][8];
        for (size_t i = 0; i < sizeof words; i++)
            ((uint8_t *)words)[i] = (uint8_t)('a' + rdi_rng_below(&rng, 26));
        uint64_t second = rdi_mix64(start ^ rdi_load_le64(words[0])) ^
                          rdi_mix64(start ^ rdi_load_le64(words[1])) ^ rdi_load_le64(words[2]);
        uint8_t other[8];
        bool fine = true;
        rdi_store_le64(other, second);
        for (size_t i = 0; i < 8; i++)
            fine &= other[i] > ' ' && other[i] < 0x7f;
        if (!fine)
            continue;
        memcpy(a, words[0], 8);
        memcpy(a + 8, words[2], 8);
        memcpy(b, words[1], 8);
        memcpy(b + 8, other, 8);
        a[16] = b[16] = '\0';
        return;
    }
}

static void names_with_the_same_hash_are_an_error(void **state) {
    (void)state;
    char a[17], b[17], expected[512];
    make_collision(0, a, b);
    uint64_t hash = rdi_id_hash(0, a, 16), id = 0;
    assert_int_equal(hash, rdi_id_hash(0, b, 16));
    assert_string_not_equal(a, b);
    assert_int_equal(read_id(a), hash);
    assert_int_equal(rdi_id_read(&table, b, 16, &id), RD_EFORMAT);
    snprintf(expected, sizeof expected,
             "ids '%s' and '%s' are both 0x%016llx as a 64-bit number; choose another hash with "
             "seed=N (now 0)",
             a, b, (unsigned long long)hash);
    assert_string_equal(rd_last_error(ctx), expected);
    assert_int_equal(read_id(a), hash); /* the id that came first stays valid */
}

static void a_number_may_not_be_the_hash_of_a_name(void **state) {
    (void)state;
    char number[32];
    uint64_t id = 0;
    sprintf(number, "%llu", (unsigned long long)rdi_id_hash(0, "name", 4));
    assert_name("name");
    assert_int_equal(rdi_id_read(&table, number, strlen(number), &id), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(ctx), "ids 'name' and '"));
    assert_non_null(strstr(rd_last_error(ctx), number));
}

static void a_name_may_not_hash_to_a_number_before_it(void **state) {
    (void)state;
    char number[32], expected[64];
    uint64_t id = 0;
    sprintf(number, "0x%llx", (unsigned long long)rdi_id_hash(0, "name", 4));
    read_id(number);
    assert_int_equal(rdi_id_read(&table, "name", 4, &id), RD_EFORMAT);
    sprintf(expected, "ids '%llu' and 'name' are both",
            (unsigned long long)rdi_id_hash(0, "name", 4));
    assert_non_null(strstr(rd_last_error(ctx), expected));
}

static void the_text_format_reports_collisions_and_another_seed_helps(void **state) {
    (void)state;
    char a[17], b[17], text[64];
    make_collision(5, a, b);
    sprintf(text, "x\n%s\n%s\n", a, b);
    traces_result r = traces_read_text("text:seed=5", text);
    assert_int_equal(r.status, RD_EFORMAT);
    assert_int_equal(r.n, 2);
    assert_memory_equal(r.error, "t: line 3: ids '", 16);
    assert_non_null(strstr(r.error, "seed=N (now 5)"));
    traces_free(&r);
    r = traces_read_text("text:seed=6", text);
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 3);
    assert_int_not_equal(r.addr[1], r.addr[2]);
    traces_free(&r);
}

static void numbers_alone_are_not_remembered_for_long(void **state) {
    (void)state;
    char text[32];
    for (size_t i = 0; i < RDI_ID_NUMBERS_MAX; i++) {
        sprintf(text, "%zu", i);
        assert_int_equal(read_id(text), i);
    }
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    uint64_t id = 0;
    assert_int_equal(rdi_id_read(&table, "name", 4, &id), RD_EFORMAT);
    assert_string_equal(rd_last_error(ctx), "'name' is not a number, but the first 65536 ids were "
                                            "(base=string takes all ids as names)");
    assert_int_equal(read_id("7"), 7);
}

static void numbers_beside_names_are_remembered(void **state) {
    (void)state;
    char text[32];
    assert_name("name");
    for (size_t i = 0; i < RDI_ID_NUMBERS_MAX + 10; i++) {
        sprintf(text, "%zu", i);
        assert_int_equal(read_id(text), i);
    }
    assert_int_equal(table.used, RDI_ID_NUMBERS_MAX + 11);
    assert_name("another");
}

/* Tests that allocation failures at any point leave a table that still works. */
static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    char text[64];
    uint64_t id = 0;
    size_t failures = 0;
    for (size_t i = 0; i < 3000; i++) {
        sprintf(text, "name-%zu", i);
        rd_ctx_set_limit(ctx, rd_ctx_live_bytes(ctx) + 1);
        rd_status status = rdi_id_read(&table, text, strlen(text), &id);
        rd_ctx_set_limit(ctx, 0);
        failures += status == RD_ENOMEM;
        assert_true(status == RD_OK || status == RD_ENOMEM);
        assert_name(text);
    }
    assert_true(failures > 2);
    assert_int_equal(table.used, 3000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(auto_takes_canonical_numbers_and_hashes_the_rest),
        TEST(other_bases_take_everything_their_way),
        TEST(names_are_told_apart_and_found_again),
        TEST(the_hash_depends_on_every_byte_the_length_and_the_seed),
        TEST(names_with_the_same_hash_are_an_error),
        TEST(a_number_may_not_be_the_hash_of_a_name),
        TEST(a_name_may_not_hash_to_a_number_before_it),
        TEST(the_text_format_reports_collisions_and_another_seed_helps),
        TEST(numbers_alone_are_not_remembered_for_long),
        TEST(numbers_beside_names_are_remembered),
        TEST(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
