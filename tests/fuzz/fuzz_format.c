/* Fuzz target for one reader, FUZZ_FORMAT. "auto" detects the format from the content, which may be
 * compressed. */
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char spec[256];
    size_t taken = fuzz_take_spec(FUZZ_FORMAT, data, n, spec, sizeof spec);
    fuzz_read_trace(spec, data + taken, n - taken);
    return 0;
}
