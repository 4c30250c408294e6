/* Tests the device layer: data that is written to a device comes back, the time between two
 * events of the device (rdi_event) is not negative, and sorting is stable. A build with CUDA skips
 * these tests on a machine without a GPU. */
#include "engine/gpu/device.h"
#include "reusedist/reusedist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define N 3000u

typedef struct fixture {
    rd_ctx *ctx;
    rdi_device *device;
} fixture;

static fixture *opened(void **state) {
    fixture *f = *state;
    if (rdi_device_open(f->ctx, &f->device) == RD_OK)
        return f;
    print_message("skipped: %s\n", rd_last_error(f->ctx));
    skip();
    return NULL;
}

static int setup(void **state) {
    static fixture f;
    f = (fixture){0};
    *state = &f;
    return rd_ctx_new(NULL, &f.ctx) != RD_OK;
}

static int teardown(void **state) {
    fixture *f = *state;
    rdi_device_close(f->device);
    bool leaks = rd_ctx_live_bytes(f->ctx) != 0;
    rd_ctx_free(f->ctx);
    return leaks;
}

static void copies_come_back(void **state) {
    fixture *f = opened(state);
    uint64_t sent[N], received[N];
    rdi_device_buffer buffer = {0};
    for (size_t i = 0; i < N; i++)
        sent[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    assert_int_equal(rdi_device_reserve(f->device, &buffer, sizeof sent), RD_OK);
    assert_int_equal(rdi_device_upload(f->device, RDI_STREAM_IN, buffer.at, sent, sizeof sent),
                     RD_OK);
    assert_int_equal(rdi_device_wait(f->device, RDI_STREAM_IN), RD_OK);
    assert_int_equal(rdi_device_clear(f->device, RDI_STREAM_WORK, buffer.at, 8), RD_OK);
    assert_int_equal(rdi_device_wait(f->device, RDI_STREAM_WORK), RD_OK);
    assert_int_equal(
        rdi_device_download(f->device, RDI_STREAM_OUT, received, buffer.at, sizeof sent), RD_OK);
    assert_int_equal(rdi_device_wait(f->device, RDI_STREAM_OUT), RD_OK);
    sent[0] = 0;
    assert_memory_equal(sent, received, sizeof sent);
    rdi_device_release(f->device, &buffer);
}

static void time_goes_forward_between_events(void **state) {
    fixture *f = opened(state);
    rdi_event *from = NULL, *to = NULL;
    double seconds = -1;
    assert_int_equal(rdi_event_new(f->device, &from), RD_OK);
    assert_int_equal(rdi_event_new(f->device, &to), RD_OK);
    assert_int_equal(rdi_event_record(f->device, from, RDI_STREAM_WORK), RD_OK);
    assert_int_equal(rdi_event_record(f->device, to, RDI_STREAM_WORK), RD_OK);
    assert_int_equal(rdi_event_elapsed(f->device, from, to, &seconds), RD_OK);
    assert_true(seconds >= 0);
    rdi_event_free(f->device, from);
    rdi_event_free(f->device, to);
}

/* Checks that keys of `key_bytes` bytes are sorted by their lowest `key_bits` bits, and that equal
 * keys keep their order. */
static void check_sort(fixture *f, unsigned key_bytes, unsigned key_bits) {
    uint64_t keys[N], wide[N];
    uint32_t narrow[N], values[N];
    rdi_rng rng = {key_bits};
    rdi_device_buffer buffer[4] = {{0}}, scratch = {0};
    for (size_t i = 0; i < N; i++) {
        keys[i] = rdi_rng_next(&rng) >> (64 - key_bits);
        narrow[i] = (uint32_t)keys[i];
        values[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rdi_device_reserve(f->device, &buffer[i], N * 8), RD_OK);
    rdi_device_pairs pairs = {.keys = {buffer[0].at, buffer[1].at},
                              .values = {buffer[2].at, buffer[3].at},
                              .n = N,
                              .key_bytes = key_bytes,
                              .key_bits = key_bits};
    const void *from = key_bytes == 4 ? (const void *)narrow : keys;
    void *to = key_bytes == 4 ? (void *)narrow : wide;
    rdi_stream s = RDI_STREAM_WORK;
    unsigned result = 2;
    assert_int_equal(rdi_device_upload(f->device, s, pairs.keys[0], from, N * key_bytes), RD_OK);
    assert_int_equal(rdi_device_upload(f->device, s, pairs.values[0], values, sizeof values),
                     RD_OK);
    assert_int_equal(rdi_device_sort(f->device, &pairs, &scratch, &result), RD_OK);
    assert_true(result < 2);
    assert_int_equal(rdi_device_download(f->device, s, to, pairs.keys[result], N * key_bytes),
                     RD_OK);
    assert_int_equal(rdi_device_download(f->device, s, values, pairs.values[result], sizeof values),
                     RD_OK);
    assert_int_equal(rdi_device_wait(f->device, s), RD_OK);
    for (size_t i = 0; i < N; i++) {
        assert_true(keys[values[i]] == (key_bytes == 4 ? narrow[i] : wide[i]));
        uint64_t before = i ? keys[values[i - 1]] : 0, here = keys[values[i]];
        assert_true(i == 0 || before < here || (before == here && values[i - 1] < values[i]));
    }
    for (size_t i = 0; i < 4; i++)
        rdi_device_release(f->device, &buffer[i]);
    rdi_device_release(f->device, &scratch);
}

static void sorting_is_stable(void **state) {
    fixture *f = opened(state);
    check_sort(f, 4, 1);
    check_sort(f, 4, 5);
    check_sort(f, 4, 22);
    check_sort(f, 4, 32);
    check_sort(f, 8, 33);
    check_sort(f, 8, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(time_goes_forward_between_events, setup, teardown),
        cmocka_unit_test_setup_teardown(sorting_is_stable, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
