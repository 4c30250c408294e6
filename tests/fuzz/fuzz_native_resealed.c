/* Fuzz target for the native format with valid checksums: the target corrects them first, so that a
 * changed byte reaches the decoder. */
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_read.h"

#include "base/common.h"
#include "trace/checksum.h"
#include "trace/native.h"

#include <string.h>

/* Reads the header and the descriptions of a file into *head. Returns false if they are invalid. */
static bool read_head(rd_ctx *ctx, const uint8_t *file, size_t n, rdi_native_head *head) {
    rdi_input *in = NULL;
    bool good = rdi_input_open_memory(ctx, "t", file, n, &in) == RD_OK &&
                rdi_native_head_read(in, head) == RD_OK;
    rdi_input_close(in);
    return good;
}

static uint64_t count_events(rd_ctx *ctx, const rdi_native_head *head, const uint8_t *payload,
                             size_t n) {
    rdi_event_list list = {.ctx = ctx};
    rdi_event_place place = {0};
    const char *wrong = NULL;
    rd_status ignored = rdi_events_decode(&list, &head->events, &place, payload, n, &wrong);
    (void)ignored;
    rdi_event_list_free(&list);
    return place.count;
}

static void reseal_head(uint8_t *file, size_t n) {
    size_t described = rdi_load_le32(file + 12);
    rdi_store_le64(file + 16, rdi_xxh64(file, 16, 0));
    if (file[8] == 2 && n - RDI_NATIVE_HEADER >= RDI_NATIVE_CHECK &&
        described <= n - RDI_NATIVE_HEADER - RDI_NATIVE_CHECK)
        rdi_store_le64(file + RDI_NATIVE_HEADER + described,
                       rdi_xxh64(file + RDI_NATIVE_HEADER, described, 0));
}

/* Corrects the checksums of the frames, which docs/trace-format.md specifies, up to the first frame that claims more
 * bytes than the file has left. */
static void reseal_frames(rd_ctx *ctx, uint8_t *file, size_t n, const rdi_native_head *head) {
    uint64_t references = 0, events = 0;
    for (size_t at = head->bytes; n - at >= 16;) {
        size_t payload = rdi_load_le32(file + at + 4);
        if (payload > n - at - 16)
            return;
        uint64_t seed = rdi_native_seed(references, events);
        rdi_store_le64(file + at + 8 + payload, rdi_xxh64(file + at, 8 + payload, seed));
        references += rdi_load_le32(file + at);
        if (rdi_load_le32(file + at) == 0)
            events += count_events(ctx, head, file + at + 8, payload);
        at += 16 + payload;
    }
}

static void reseal(uint8_t *file, size_t n) {
    if (n < RDI_NATIVE_HEADER)
        return;
    rd_ctx *ctx = fuzz_ctx_new();
    rdi_native_head head;
    reseal_head(file, n);
    if (read_head(ctx, file, n, &head))
        reseal_frames(ctx, file, n, &head);
    fuzz_ctx_free(ctx);
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
