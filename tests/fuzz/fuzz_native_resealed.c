/* Fuzz target for the native format behind its checksums: they are made right first, so that a
 * changed byte reaches the decoder. */
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_read.h"

#include "base/common.h"
#include "trace/checksum.h"
#include "trace/native_codec.h"

#include <string.h>

#define HEADER_BYTES 16 /* what its checksum covers */

static uint64_t count_events(const uint8_t *payload, size_t n) {
    rd_ctx *ctx = fuzz_ctx_new();
    rdi_event_list list = {.ctx = ctx};
    const char *wrong = NULL;
    rd_status ignored = rdi_events_decode(&list, payload, n, 0, &wrong);
    (void)ignored;
    uint64_t count = list.n;
    rdi_event_list_free(&list);
    fuzz_ctx_free(ctx);
    return count;
}

/* Walks over the frames as docs/trace-format.md lays them out, as far as they hang together. */
static void reseal(uint8_t *file, size_t n) {
    if (n < HEADER_BYTES + 8)
        return;
    rdi_store_le64(file + HEADER_BYTES, rdi_xxh64(file, HEADER_BYTES, 0));
    uint64_t references = 0, events = 0;
    for (size_t at = HEADER_BYTES + 8; n - at >= 16;) {
        size_t payload = rdi_load_le32(file + at + 4);
        if (payload > n - at - 16)
            return;
        uint64_t seed = references + (events << 40);
        rdi_store_le64(file + at + 8 + payload, rdi_xxh64(file + at, 8 + payload, seed));
        references += rdi_load_le32(file + at);
        if (rdi_load_le32(file + at) == 0)
            events += count_events(file + at + 8, payload);
        at += 16 + payload;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    uint8_t *file = malloc(n ? n : 1);
    FUZZ_CHECK(file, "no memory");
    if (n)
        memcpy(file, data, n);
    reseal(file, n);
    fuzz_read_trace("native", file, n);
    free(file);
    return 0;
}
