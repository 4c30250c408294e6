/* Reads and writes profiles. See profile_files.h. */
#include "profile_files.h"

#include "output_file.h"

#include <stdlib.h>
#include <string.h>

static bool is_standard_twice(size_t n, char **paths) {
    int times = 0;
    for (size_t i = 0; i < n; i++)
        times += strcmp(paths[i], "-") == 0;
    return times > 1;
}

void tell_profile_note(const char *path, const rd_profile *profile) {
    if (rd_profile_note(profile))
        tell_user("%s: %s", strcmp(path, "-") == 0 ? "(standard input)" : path,
                  rd_profile_note(profile));
}

int read_profile(rd_ctx *ctx, const char *path, rd_profile **out) {
    rd_status status = rd_profile_read(ctx, path, out);
    if (status != RD_OK)
        return fail_status(ctx, status);
    tell_profile_note(path, *out);
    return EXIT_OK;
}

int read_profiles(rd_ctx *ctx, size_t n, char **paths, rd_profile ***out) {
    if (is_standard_twice(n, paths))
        return fail_usage(
            "only one of the profiles can be standard input; name files for the others");
    rd_profile **profiles = calloc(n, sizeof(rd_profile *));
    if (!profiles)
        return fail("out of memory");
    for (size_t i = 0; i < n; i++) {
        int status = read_profile(ctx, paths[i], &profiles[i]);
        if (status != EXIT_OK) {
            free_profiles(profiles, n);
            return status;
        }
    }
    *out = profiles;
    return EXIT_OK;
}

void free_profiles(rd_profile **profiles, size_t n) {
    for (size_t i = 0; profiles && i < n; i++)
        rd_profile_free(profiles[i]);
    free(profiles);
}

void warn_unlike(rd_profile *const *profiles, size_t n, char **paths) {
    const rd_profile_facts *first = rd_profile_facts_of(profiles[0]);
    for (size_t i = 1; i < n; i++) {
        const rd_profile_facts *f = rd_profile_facts_of(profiles[i]);
        if (f->block_bytes != first->block_bytes)
            tell_user(
                "warning: %s and %s have different block sizes, so their distances do not mean "
                "the same; analyze both with the same --block",
                paths[0], paths[i]);
        else if (f->bound != first->bound)
            tell_user(
                "warning: %s and %s have different bounds, so only distances below both bounds "
                "can be compared; analyze both with the same --bound",
                paths[0], paths[i]);
    }
}

int write_profile(rd_ctx *ctx, rd_profile *profile, const char *path) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_profile_json(profile, &text, &n);
    return output_made(ctx, path, status, text, n);
}
