/* Tests rd_trace_writer: batches of any size, missing columns, the order of calls, and raw
 * formats. */
#include "support/files.h"
#include "trace/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rd_ctx *ctx;

static int setup(void **state) {
    (void)state;
    return rd_ctx_new(NULL, &ctx) == RD_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
    return 0;
}

static void write_addresses(const char *path, const char *format, const uint64_t *addr, size_t n) {
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, format, 0, false, &w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &(rd_refs){.n = n, .addr = addr}), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
}

static void read_addresses_back(const char *path, const char *format, const uint64_t *addr,
                                size_t n) {
    rd_trace *t = NULL;
    assert_int_equal(rd_trace_open(ctx, path, format, &t), RD_OK);
    size_t at = 0;
    const rd_refs *refs = NULL;
    while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
        assert_true(at + refs->n <= n);
        assert_memory_equal(refs->addr, addr + at, refs->n * sizeof *addr);
        at += refs->n;
    }
    assert_int_equal(at, n);
    rd_trace_close(t);
}

static void raw_formats_round_trip(void **state) {
    (void)state;
    enum { N = 3 * RDI_REFS_MAX + 5 };
    static uint64_t addr[N];
    rdi_rng rng = {7};
    for (size_t i = 0; i < N; i++)
        addr[i] = rdi_rng_next(&rng) >> 32;
    addr[0] = 0;
    addr[1] = UINT32_MAX;
    char *path = files_path();
    write_addresses(path, "u32", addr, N);
    read_addresses_back(path, "u32", addr, N);
    addr[2] = UINT64_MAX;
    write_addresses(path, "u64", addr, N);
    read_addresses_back(path, "u64", addr, N);
    files_remove(path);
}

static void u32_refuses_what_does_not_fit(void **state) {
    (void)state;
    char *path = files_path();
    rd_trace_writer *w = NULL;
    const uint64_t addr[] = {1, UINT64_C(1) << 32};
    rd_refs refs = {.n = 2, .addr = addr};
    assert_int_equal(rd_trace_writer_open(ctx, path, "u32", 0, false, &w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &(rd_refs){.n = 1, .addr = addr}), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &refs), RD_ERANGE);
    assert_non_null(strstr(rd_last_error(ctx), "reference 3: the address 0x100000000"));
    assert_int_equal(rd_trace_writer_finish(w), RD_ERANGE);
    rd_trace_writer_close(w);
    assert_false(files_exist(path));
    files_remove(path);
}

static void leftover_bytes_of_u32_are_reported(void **state) {
    (void)state;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_open_memory(ctx, "odd", "\1\0\0\0\2\0", 6, "u32", &t), RD_OK);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    assert_int_equal(refs->n, 1);
    assert_int_equal(refs->addr[0], 1);
    assert_int_equal(rd_trace_read(t, &refs), RD_EFORMAT);
    assert_string_equal(rd_last_error(ctx), "odd: byte 4: the last record is incomplete: it has 2 "
                                            "of the 4 bytes of a record of format u32");
    rd_trace_close(t);
}

static const char *detected(const void *data, size_t n) {
    rd_trace *t = NULL;
    if (rd_trace_open_memory(ctx, "probe", data, n, NULL, &t) != RD_OK)
        return "none";
    const char *name = rd_trace_format(t)->name;
    rd_trace_close(t);
    return name;
}

static void small_ids_are_told_apart_by_width(void **state) {
    (void)state;
    enum { N = 1000 };
    uint8_t narrow[N * 4], wide[N * 8], addresses[N * 8];
    rdi_rng rng = {3};
    for (size_t i = 0; i < N; i++) {
        uint64_t id = rdi_rng_below(&rng, 30000);
        uint64_t region = UINT64_C(0x7ff000000000) + (rdi_rng_below(&rng, 8) << 32);
        rdi_store_le32(narrow + i * 4, (uint32_t)id);
        rdi_store_le64(wide + i * 8, id);
        rdi_store_le64(addresses + i * 8, region + id);
    }
    assert_string_equal(detected(narrow, sizeof narrow), "u32");
    assert_string_equal(detected(wide, sizeof wide), "u64");
    assert_string_equal(detected(addresses, sizeof addresses), "u64");
}

static void mistakes_are_found_before_the_file_is_touched(void **state) {
    (void)state;
    char *path = files_path();
    files_write(path, "precious", 8);
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, "nonsense", 0, false, &w), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "u64"));
    assert_int_equal(rd_trace_writer_open(ctx, path, "u64:x=1", 0, false, &w), RD_EINVAL);
    assert_null(w);
    size_t n = 0;
    uint8_t *data = files_read(path, &n);
    assert_int_equal(n, 8);
    free(data);
    files_remove(path);
}

static void calls_in_the_wrong_order_are_refused(void **state) {
    (void)state;
    char *path = files_path();
    rd_trace_writer *w = NULL;
    const uint64_t addr = 1;
    rd_refs refs = {.n = 1, .addr = &addr};
    assert_int_equal(rd_trace_writer_open(ctx, path, "u64", 0, false, &w), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &refs), RD_ESTATE);
    assert_int_equal(rd_trace_writer_finish(w), RD_ESTATE);
    rd_trace_writer_close(w);
    assert_true(files_exist(path));
    files_remove(path);
}

static void impossible_references_are_refused(void **state) {
    (void)state;
    const uint64_t addr = 1;
    const uint32_t size = 0;
    const uint8_t kind = RD_LOAD | RD_STORE;
    const rd_refs bad[] = {{.n = 1, .addr = &addr, .size = &size},
                           {.n = 1, .addr = &addr, .kind = &kind}};
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        char *path = files_path();
        rd_trace_writer *w = NULL;
        assert_int_equal(
            rd_trace_writer_open(ctx, path, "u64", RD_FIELD_SIZE | RD_FIELD_KIND, false, &w),
            RD_OK);
        assert_int_equal(rd_trace_writer_write(w, &bad[i]), RD_EINVAL);
        rd_trace_writer_close(w);
        files_remove(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(raw_formats_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(u32_refuses_what_does_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(leftover_bytes_of_u32_are_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(small_ids_are_told_apart_by_width, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_found_before_the_file_is_touched, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(calls_in_the_wrong_order_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(impossible_references_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
