/* Chooses the demangler of a symbol by the language of the symbol. See demangle.h.
 *
 * The demangler of C++ symbols is a function of the C++ runtime library. This library is loaded
 * when the first C++ symbol appears, so libreusedist does not depend on it.
 */
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- C++ ---- */

/* Longer symbols stay as they are, because nested substitutions can make their names huge. */
#define CXX_SYMBOL_MAX 2048

typedef char *(*cxx_demangler)(const char *symbol, char *room, size_t *n, int *status);

static cxx_demangler call_cxx; /* NULL: the library is not installed */

static void load_cxx(void) {
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < RDI_COUNT(libraries) && !call_cxx; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
        /* C has no cast from a data pointer to a function pointer. */
        memcpy(&call_cxx, &found, sizeof found);
    }
}

static rd_status demangle_cxx(rdi_arena *arena, const char *symbol, const char **out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = 0;
    pthread_once(&once, load_cxx);
    char *name =
        call_cxx && strlen(symbol) < CXX_SYMBOL_MAX ? call_cxx(symbol, NULL, NULL, &status) : NULL;
    if (!name)
        return RD_OK;
    bool fits = strlen(name) < RDI_NAME_ROOM;
    const char *copy = fits ? rdi_arena_strdup(arena, name) : symbol;
    free(name);
    *out = copy;
    return copy ? RD_OK : RD_ENOMEM;
}

/* ---- Fortran ---- */

/* Sets *out to "mod::name" for the symbol __mod_MOD_name, which gfortran makes for a procedure or
 * variable `name` of module `mod`. Leaves *out unchanged for other symbols. */
static rd_status demangle_fortran(rdi_arena *arena, const char *symbol, const char **out) {
    static const char mark[] = "_MOD_";
    const char *module = symbol + 2, *at = strstr(module, mark);
    if (!at || at == module || !at[sizeof mark - 1])
        return RD_OK;
    char *name = rdi_arena_alloc(arena, strlen(module), 1);
    if (!name)
        return RD_ENOMEM;
    memcpy(name, module, (size_t)(at - module));
    stpcpy(stpcpy(name + (at - module), "::"), at + sizeof mark - 1);
    *out = name;
    return RD_OK;
}

/* ---- all ---- */

/* Removes the suffixes that compilers append to the symbols of clones and versions: ".isra.0",
 * ".part.2", ".cold", "@@GLIBC_2.2.5". Any other dot belongs to the name, as in Go's "main.run". */
static rd_status without_suffix(rdi_arena *arena, const char *symbol, const char **out) {
    static const char *const suffixes[] = {".isra.", ".part.", ".constprop.", ".cold", ".lto_priv.",
                                           ".llvm.", "@"};
    size_t n = strlen(symbol), end = n;
    for (size_t i = 0; i < RDI_COUNT(suffixes); i++) {
        const char *found = strstr(symbol, suffixes[i]);
        if (found && found > symbol && (size_t)(found - symbol) < end)
            end = (size_t)(found - symbol);
    }
    *out = symbol;
    if (end == n)
        return RD_OK;
    char *name = rdi_arena_alloc(arena, end + 1, 1);
    if (!name)
        return RD_ENOMEM;
    memcpy(name, symbol, end);
    *out = name;
    return RD_OK;
}

rd_status rdi_demangle(rdi_arena *arena, const char *symbol, const char **out) {
    char name[RDI_NAME_ROOM];
    RD_TRY(without_suffix(arena, symbol, out));
    symbol = *out;
    if (rdi_demangle_rust(symbol, name)) {
        *out = rdi_arena_strdup(arena, name);
        return *out ? RD_OK : RD_ENOMEM;
    }
    if (strncmp(symbol, "_Z", 2) == 0)
        return demangle_cxx(arena, symbol, out);
    if (strncmp(symbol, "__", 2) == 0)
        return demangle_fortran(arena, symbol, out);
    return RD_OK;
}

rd_status rdi_symbol_names(rdi_arena *arena, const char *symbol, const char **full,
                           const char **name) {
    RD_TRY(rdi_demangle(arena, symbol, full));
    /* A readable name is never the beginning of its symbol, which begins with "_". */
    bool plain = strncmp(symbol, *full, strlen(*full)) == 0;
    RD_TRY(rdi_name_bound(arena, *full, full));
    return plain ? rdi_name_shorten_plain(arena, *full, name)
                 : rdi_name_shorten(arena, *full, name);
}
