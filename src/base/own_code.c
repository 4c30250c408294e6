/* Decides from the paths of files whether code is the user's own. See own_code.h. */
#include "base/own_code.h"

#include <string.h>

static bool begins_with(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether the path is in a folder of the system, where neither source files nor modules are the
 * user's own. */
static bool is_of_system(const char *path) {
    static const char *const folders[] = {"/usr/", "/lib/", "/lib64/", "/nix/store/", "/snap/"};
    for (size_t i = 0; i < RDI_COUNT(folders); i++)
        if (begins_with(path, folders[i]))
            return !begins_with(path, "/usr/src/") && !begins_with(path, "/usr/home/");
    return false;
}

/* Returns whether the source file is in a folder of a compiler, a package manager or a package
 * builder. "/rust/deps/" has the packages that Rust's standard library uses, such as hashbrown for
 * HashMap. "/usr/src/rustc-1.63.0/" is the standard library of Debian's rustc. */
static bool is_of_library(const char *source) {
    static const char *const beginnings[] = {
        "/rustc/",         "/rust/deps/", "/usr/src/rustc-", "/build/",       "/builddir/",
        "/usr/src/debug/", "<",           "library/std/",    "library/core/", "library/alloc/"};
    static const char *const anywhere[] = {
        "/include/c++/",  "/.cargo/registry/", "/.cargo/git/",    "/.rustup/toolchains/",
        "/pkg/mod/",      "/go/src/runtime/",  "/site-packages/", "/dist-packages/",
        "/node_modules/", "/third_party/",     "/vendor/",        "/sysdeps/",
        "/libstdc++-v3/", "/libgfortran/",     "/.conan",         "/vcpkg_installed/"};
    for (size_t i = 0; i < RDI_COUNT(beginnings); i++)
        if (begins_with(source, beginnings[i]))
            return true;
    for (size_t i = 0; i < RDI_COUNT(anywhere); i++)
        if (strstr(source, anywhere[i]))
            return true;
    return false;
}

/* Returns whether the source file belongs to the standard library of Go, which is in the folder "src"
 * of a Go installation: "/opt/go/src/fmt/print.go", "/root/sdk/go1.22/src/sort/sort.go". */
static bool is_of_go(const char *source) {
    const char *go = strstr(source, "/go");
    size_t n = strlen(source);
    if (n < 3 || strcmp(source + n - 3, ".go") != 0)
        return false;
    for (; go; go = strstr(go + 1, "/go"))
        if (begins_with(go + 3 + strspn(go + 3, "-.0123456789"), "/src/") &&
            !strstr(go, "/src/main/") && !strchr(go + 3, '@'))
            return true;
    return false;
}

/* Returns whether the file `source` is `path` or lies in the folder `path`. A relative `path` may begin
 * at any folder of `source`. */
static bool lies_in(const char *source, const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *at = *path == '/' ? source : strstr(source, path);
    for (; n > 0 && at; at = *path == '/' ? NULL : strstr(at + 1, path))
        if ((at == source || at[-1] == '/' || *path == '/') && strncmp(at, path, n) == 0 &&
            (at[n] == '/' || at[n] == '\0' || (n == 1 && *path == '/')))
            return true;
    return false;
}

bool rdi_own_file(const rdi_own *own, const char *source, const char *module) {
    if (!source || !*source)
        return false;
    for (size_t i = 0; i < own->n; i++)
        if (lies_in(source, own->paths[i]))
            return true;
    if (own->n)
        return false;
    if (*source != '/' && (!module || is_of_system(module)))
        return false; /* debug information names the C library's source files by relative paths */
    return !is_of_system(source) && !is_of_library(source) && !is_of_go(source) &&
           !(module && is_of_system(module));
}
