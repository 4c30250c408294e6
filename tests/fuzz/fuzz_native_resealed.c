/* Fuzz target for the native format behind its checksums: they are made right first, so that a
 * changed byte reaches the decoder. */
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_read.h"

#include "base/base.h"
#include "trace/checksum.h"

#include <string.h>

#define HEADER_BYTES 16 /* what its checksum covers */

/* Walks over the frames as docs/trace-format.md lays them out, as far as they hang together. */
static void reseal(uint8_t *file, size_t n) {
    if (n < HEADER_BYTES + 8)
        return;
    rdi_store_le64(file + HEADER_BYTES, rdi_xxh64(file, HEADER_BYTES, 0));
    uint64_t references = 0;
    for (size_t at = HEADER_BYTES + 8; n - at >= 16;) {
        size_t payload = rdi_load_le32(file + at + 4);
        if (payload > n - at - 16)
            return;
        rdi_store_le64(file + at + 8 + payload, rdi_xxh64(file + at, 8 + payload, references));
        references += rdi_load_le32(file + at);
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
