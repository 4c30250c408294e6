/* Fuzz target for rdi_demangle(), rdi_demangle_rust() and rdi_name_shorten(): the first line of the input is a symbol.
 * C++ symbols are not demangled, because the C++ runtime library reads them. */
#include "fuzz/fuzz.h"

#include "symbols/demangle.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    rd_ctx *ctx = fuzz_ctx_new();
    rdi_arena arena = {.ctx = ctx};
    char *symbol = calloc(n + 1, 1), name[RDI_NAME_ROOM];
    const char *out = NULL, *again = NULL;
    FUZZ_CHECK(symbol, "out of memory");
    memcpy(symbol, data, n);
    symbol[strcspn(symbol, "\n")] = '\0';
    if (rdi_demangle_rust(symbol, name))
        FUZZ_CHECK(*name && strlen(name) < sizeof name, "the readable name is empty or too long");
    else if (strncmp(symbol, "_Z", 2) != 0)
        FUZZ_CHECK(rdi_demangle(&arena, symbol, &out) == RD_OK, "cannot demangle '%s'", symbol);
    FUZZ_CHECK(rdi_name_shorten(&arena, symbol, &out) == RD_OK, "cannot shorten '%s'", symbol);
    FUZZ_CHECK(rdi_name_shorten_plain(&arena, symbol, &out) == RD_OK, "cannot shorten '%s'",
               symbol);
    FUZZ_CHECK(strlen(out) <= strlen(symbol) + 1, "'%s' grew to '%s'", symbol, out);
    FUZZ_CHECK(rdi_name_shorten(&arena, out, &again) == RD_OK, "cannot shorten '%s'", out);
    if (rdi_demangle_rust(symbol, name))
        FUZZ_CHECK(rdi_name_shorten(&arena, name, &out) == RD_OK, "cannot shorten '%s'", name);
    free(symbol);
    rdi_arena_fini(&arena);
    fuzz_ctx_free(ctx);
    return 0;
}
