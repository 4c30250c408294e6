/* Tests rdi_read_ahead: several decoders that read ahead deliver the same as one reader, that is, the same blocks in
 * the same order, and the same failure at the same position. */
#include "analysis/read_ahead.h"
#include "base/common.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define N 20000
/* Room for the blocks. References have at most 200 bytes, so they span fewer than four blocks of 64
 * bytes on average. */
#define MOST     (4 * N)
#define DECODERS 5

static uint64_t addr[N], expected[MOST], got[MOST];
static uint32_t size[N];
static uint8_t kind[N];
static char *path;
static char message[1200], damage[1200];

static int setup(void **state) {
    rdi_rng rng = {51};
    for (size_t i = 0; i < N; i++) {
        addr[i] = 4096 + 8 * rdi_rng_below(&rng, i % 7 ? 100 : 100000);
        size[i] = 1 + (uint32_t)rdi_rng_below(&rng, i % 5 ? 8 : 200);
        kind[i] = (uint8_t)(1u << rdi_rng_below(&rng, 3));
    }
    path = files_path();
    return new_ctx(state);
}

static int teardown(void **state) {
    files_remove(path);
    return free_ctx(state);
}

static void write_trace(const char *spec) {
    rd_refs refs = {
        .n = N, .fields = RD_FIELD_SIZE | RD_FIELD_KIND, .addr = addr, .size = size, .kind = kind};
    traces_write_file(path, spec, &refs);
}

static void flip_byte(long offset) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, offset < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
    fputc(byte ^ 0x55, f);
    assert_int_equal(fclose(f), 0);
}

/* Reads with one reader. Writes the blocks to `expected`, and the message of a failure to `damage`,
 * or "" if nothing fails. Returns the number of blocks. */
static size_t read_alone(const char *format, const rd_mapping *mapping) {
    rd_trace *t = NULL;
    rd_mapper *m = NULL;
    const rd_refs *refs = NULL;
    size_t total = 0, n = 1;
    rd_status status;
    *damage = 0;
    assert_int_equal(rd_trace_open(ctx, path, format, &t), RD_OK);
    assert_int_equal(rd_mapper_new(ctx, mapping, &m), RD_OK);
    while ((status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
        const uint64_t *blocks;
        rd_mapper_feed(m, refs);
        for (n = 1; n > 0; total += n) {
            if (rd_mapper_next(m, &blocks, &n) != RD_OK) {
                snprintf(damage, sizeof damage, "%s: %s", path, rd_last_error(ctx));
                goto out;
            }
            assert_true(total + n <= MOST);
            if (n)
                memcpy(expected + total, blocks, n * sizeof *blocks);
        }
    }
    if (status != RD_OK)
        snprintf(damage, sizeof damage, "%s", rd_last_error(ctx));
out:
    rd_mapper_free(m);
    rd_trace_close(t);
    return total;
}

/* The batches that stay valid, oldest first, and the last blocks in `got`, which they must have. */
typedef struct kept_batches {
    const rdi_read_ahead_batch *batch[RDI_READ_AHEAD_KEPT + 1];
    size_t n, blocks;
} kept_batches;

/* Adds a batch, after which only `most` earlier batches are valid, and asserts that all batches have
 * their blocks. `total` is the number of blocks in `got`. */
static void check_kept(kept_batches *k, const rdi_read_ahead_batch *batch, size_t most,
                       size_t total) {
    static size_t length[RDI_READ_AHEAD_KEPT + 1];
    if (k->n > most) {
        k->blocks -= length[0];
        k->n--;
        memmove(k->batch, k->batch + 1, k->n * sizeof *k->batch);
        memmove(length, length + 1, k->n * sizeof *length);
    }
    length[k->n] = batch->n;
    k->batch[k->n++] = batch;
    k->blocks += batch->n;
    for (size_t i = 0, at = total - k->blocks; i < k->n; at += length[i++]) {
        assert_int_equal(k->batch[i]->n, length[i]);
        assert_memory_equal(k->batch[i]->blocks, got + at, length[i] * sizeof *got);
    }
}

/* Reads the trace with several decoders. Writes the blocks to `got`, the number of references to *references, and the
 * message of a failure to `message`, or "" if nothing fails. Returns the number of blocks. */
static size_t read_together(const rdi_read_ahead_config *config, uint64_t *references) {
    rdi_read_ahead *r = NULL;
    assert_int_equal(rdi_read_ahead_open(ctx, config, &r), RD_OK);
    const rdi_read_ahead_batch *batch = NULL;
    size_t total = 0;
    uint64_t bytes = 0;
    kept_batches kept = {.n = 0};
    *references = 0;
    *message = 0;
    while (true) {
        if (rdi_read_ahead_next(r, &batch) != RD_OK) {
            snprintf(message, sizeof message, "%s", rd_last_error(ctx));
            break;
        }
        if (!batch)
            break;
        assert_true(total + batch->n <= MOST);
        memcpy(got + total, batch->blocks, batch->n * sizeof *got);
        total += batch->n;
        check_kept(&kept, batch, config->kept, total);
        *references += batch->references;
        assert_true(batch->bytes >= bytes);
        bytes = batch->bytes;
    }
    rdi_read_ahead_close(r);
    return total;
}

static void assert_same(const char *format, rd_mapping mapping) {
    static const uint64_t slices[] = {333, 4096, 7777, N, N + 5};
    size_t n = read_alone(format, &mapping);
    for (size_t i = 0; i < RDI_COUNT(slices); i++)
        for (uint64_t decoders = 1; decoders <= DECODERS; decoders += 2) {
            rdi_read_ahead_config config = {.path = path,
                                            .format = format,
                                            .mapping = mapping,
                                            .references = N,
                                            .slice = slices[i],
                                            .kept = (decoders + i) % (RDI_READ_AHEAD_KEPT + 1),
                                            .decoders = decoders};
            uint64_t references;
            assert_int_equal(read_together(&config, &references), n);
            assert_memory_equal(got, expected, n * sizeof *got);
            assert_string_equal(message, damage);
            if (!*damage)
                assert_int_equal(references, N);
        }
}

static void blocks_come_in_order(void **state) {
    (void)state;
    write_trace("u64");
    assert_same("u64", (rd_mapping){.size = sizeof(rd_mapping)});
    write_trace("native:frame=5000"); /* a thread writes a frame while the next one is collected */
    assert_same(NULL, (rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64});
    write_trace("native:frame=777");
    assert_same(
        NULL,
        (rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64, .kinds = RD_STORE | RD_FETCH});
    assert_string_equal(damage, "");
}

/* Tests that of several damaged places only the first in the file is reported, whichever place a decoder finds
 * first. */
static void first_damage_counts_and_what_is_before_it_is_exact(void **state) {
    (void)state;
    write_trace("native:frame=500");
    flip_byte(20000);
    flip_byte(21000);
    flip_byte(30000);
    assert_same(NULL, (rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64});
    assert_non_null(strstr(damage, "checksum"));
}

static void damage_at_the_very_end_is_found(void **state) {
    (void)state;
    write_trace("native");
    flip_byte(-1);
    assert_same(NULL, (rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64});
    assert_non_null(strstr(damage, "checksum"));
}

static void messages_count_references_from_the_beginning(void **state) {
    (void)state;
    addr[15000] = UINT64_MAX;
    size[15000] = 2;
    write_trace("native");
    assert_same(NULL, (rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64});
    assert_non_null(strstr(damage, ": reference 15001: "));
}

/* Tests that a reference may span more blocks than all buffers together hold. */
static void spanning_references_need_no_more_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < N; i++)
        size[i] = i % 5000 == 4999 ? 3u << 20 : 1;
    write_trace("native");
    rdi_read_ahead_config config = {.path = path,
                                    .mapping = {.size = sizeof(rd_mapping), .block_bytes = 1},
                                    .references = N,
                                    .slice = 700,
                                    .kept = RDI_READ_AHEAD_KEPT,
                                    .decoders = 3};
    rdi_read_ahead *r = NULL;
    assert_int_equal(rdi_read_ahead_open(ctx, &config, &r), RD_OK);
    const rdi_read_ahead_batch *batch = NULL;
    size_t at = 0;
    uint64_t inside = 0; /* index of the next block among the blocks of reference `at` */
    while (rdi_read_ahead_next(r, &batch) == RD_OK && batch)
        for (size_t i = 0; i < batch->n; i++) {
            if (batch->blocks[i] != addr[at] + inside)
                fail_msg("wrong block of reference %zu", at);
            if (++inside == size[at]) {
                inside = 0;
                at++;
            }
        }
    assert_int_equal(at, N);
    assert_string_equal(rd_last_error(ctx), "");
    assert_true(rd_ctx_peak_bytes(ctx) < (size_t)40 << 20);
    rdi_read_ahead_close(r);
}

static void reading_can_end_early(void **state) {
    (void)state;
    write_trace("native");
    rdi_read_ahead_config config = {.path = path,
                                    .mapping = {.size = sizeof(rd_mapping), .block_bytes = 1},
                                    .references = N,
                                    .slice = 10,
                                    .decoders = 4};
    for (unsigned batches = 0; batches < 4; batches++) {
        rdi_read_ahead *r = NULL;
        assert_int_equal(rdi_read_ahead_open(ctx, &config, &r), RD_OK);
        const rdi_read_ahead_batch *batch = NULL;
        for (unsigned i = 0; i < batches; i++)
            assert_int_equal(rdi_read_ahead_next(r, &batch), RD_OK);
        rdi_read_ahead_close(r);
    }
    rdi_read_ahead_close(NULL);
}

static void vanished_file_is_reported(void **state) {
    (void)state;
    write_trace("native");
    rdi_read_ahead_config config = {.path = path,
                                    .mapping = {.size = sizeof(rd_mapping), .block_bytes = 64},
                                    .references = N,
                                    .slice = 9,
                                    .decoders = 2};
    assert_int_equal(unlink(path), 0);
    uint64_t references;
    assert_int_equal(read_together(&config, &references), 0);
    assert_non_null(strstr(message, "cannot open"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(blocks_come_in_order),
        TEST(first_damage_counts_and_what_is_before_it_is_exact),
        TEST(damage_at_the_very_end_is_found),
        TEST(messages_count_references_from_the_beginning),
        TEST(spanning_references_need_no_more_memory),
        TEST(reading_can_end_early),
        TEST(vanished_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
