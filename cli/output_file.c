/* Checks where results go, and writes them. See output_file.h. */
#include "output_file.h"

#include "reusedist/experimental.h"

#include <string.h>

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static const char *path_of(const output_place *place) {
    return place->path ? place->path : "-";
}

static const char *name_of(const output_place *place) {
    return is_standard(place->path) ? "(standard output)" : place->path;
}

/* Returns whether a file is also the file of standard output, as with `-o x >x`. Names such as
 * /dev/stdout mean standard output and are not a mistake. */
static bool is_standard_output_too(const output_place *place) {
    bool device = strncmp(place->path, "/dev/", 5) == 0 || strncmp(place->path, "/proc/", 6) == 0;
    return !device && rd_output_is_same(place->path, "-");
}

static int check_writable(rd_ctx *ctx, const output_place *place) {
    rd_status status = is_standard(place->path) ? RD_OK : rd_output_check(ctx, place->path);
    if (status == RD_EINVAL)
        return fail_usage("%s: %s", place->option, rd_last_error(ctx));
    if (status == RD_OK && !is_standard(place->path) && is_standard_output_too(place))
        return fail_usage("%s: %s is also standard output; name another file", place->option,
                          place->path);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

static int check_inputs(const output_place *place, const char *const *inputs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (inputs[i] && rd_output_is_input(path_of(place), inputs[i]))
            return fail_usage("%s: %s is also an input; write the result to another file",
                              place->option, name_of(place));
    return EXIT_OK;
}

static int check_distinct(const output_place *place, const output_place *others, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (is_standard(place->path) && others[i].path && is_standard(others[i].path))
            return fail_usage(
                "%s and %s both write to standard output; name a file for one of them",
                place->option, others[i].option);
        if (is_standard(place->path) && !others[i].path)
            return fail_usage(
                "%s=-: the result also goes to standard output; write it to a file with -o FILE",
                place->option);
        if (rd_output_is_same(path_of(place), path_of(&others[i])))
            return fail_usage("%s and %s name the same file, %s; name two files", place->option,
                              others[i].option, name_of(place));
    }
    return EXIT_OK;
}

int output_check(rd_ctx *ctx, const output_place *places, size_t n_places,
                 const char *const *inputs, size_t n_inputs) {
    int status = EXIT_OK;
    for (size_t i = 0; i < n_places && status == EXIT_OK; i++) {
        status = check_writable(ctx, &places[i]);
        if (status == EXIT_OK)
            status = check_inputs(&places[i], inputs, n_inputs);
        if (status == EXIT_OK)
            status = check_distinct(&places[i], places, i);
    }
    return status;
}

int output_check_sources(const output_place *place, const rd_profile *profile) {
    const rd_details *details = rd_profile_details(profile);
    const rd_attribution *a = details ? details->attribution : NULL;
    return a ? check_inputs(place, a->sources, a->n_sources) : EXIT_OK;
}

int output_text(rd_ctx *ctx, const char *path, const char *text, size_t n) {
    fflush(stdout); /* keeps the order of the output */
    rd_status status = rd_text_write(ctx, path ? path : "-", text, n);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

int output_made(rd_ctx *ctx, const char *path, rd_status made, char *text, size_t n) {
    if (made != RD_OK)
        return fail_status(ctx, made);
    int status = output_text(ctx, path, text, n);
    rd_text_free(ctx, text);
    return status;
}
