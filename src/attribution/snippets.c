/* Reads the source lines that the result mentions, if their files exist.
 *
 * Each file is read once, completely. Files that cannot be opened, are not regular files or have
 * more than FILE_MAX bytes are skipped.
 */
#include "attribution/attributor.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX      ((size_t)16 << 20)
#define TEXT_MAX      200 /* maximum number of bytes of a line that are kept */
#define SNIPPETS_MAX  20
#define SNIPPET_LINES 4 /* maximum number of lines before and after the line */

typedef struct source_text {
    char *text; /* the text, terminated by NUL; NULL: the file could not be read */
    size_t n;
} source_text;

static rd_status read_source(rd_ctx *ctx, const char *path, source_text *out) {
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    *out = (source_text){0};
    if (!file)
        return RD_OK;
    size_t bytes = info.st_size > 0 ? (size_t)info.st_size : 0;
    rd_status status = RD_OK;
    if (bytes <= FILE_MAX && !(out->text = rdi_alloc(ctx, bytes + 1, 1)))
        status = RD_ENOMEM;
    if (out->text) {
        out->n = fread(out->text, 1, bytes, file);
        out->text[out->n] = '\0';
    }
    fclose(file);
    return status;
}

/* Returns the beginning of line `number`, counted from 1, or NULL if the file is shorter. */
static const char *find_line(const source_text *s, uint64_t number) {
    const char *at = s->text, *end = s->text + s->n;
    for (; at && at < end && number > 1; number--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return at && at < end ? at : NULL;
}

/* Copies the text up to the end of the line, but at most TEXT_MAX bytes. */
static rd_status copy_line(rdi_arena *arena, const char *from, const char **out) {
    size_t n = strcspn(from, "\r\n");
    n = n < TEXT_MAX ? n : TEXT_MAX;
    char *copy = rdi_arena_alloc(arena, n + 1, 1);
    if (!copy)
        return RD_ENOMEM;
    memcpy(copy, from, n);
    *out = copy;
    return RD_OK;
}

static bool is_shown(const rd_snippet *snippets, size_t n, const rd_code_line *line) {
    for (size_t i = 0; i < n; i++)
        if (snippets[i].source == line->source && line->line >= snippets[i].first &&
            line->line < snippets[i].first + snippets[i].n)
            return true;
    return false;
}

static rd_status make_snippet(rdi_arena *arena, const source_text *s, const rd_code_line *line,
                              rd_snippet *out) {
    const char **lines = rdi_arena_alloc(arena, 2 * SNIPPET_LINES + 1, sizeof *lines), *at;
    if (!lines)
        return RD_ENOMEM;
    uint64_t first = line->line > SNIPPET_LINES ? line->line - SNIPPET_LINES : 1;
    *out = (rd_snippet){.source = line->source, .first = first, .lines = lines};
    while (first + out->n <= line->line + SNIPPET_LINES && (at = find_line(s, first + out->n))) {
        RD_TRY(copy_line(arena, at, &lines[out->n]));
        out->n++;
    }
    return RD_OK;
}

/* Sets the text of all lines in source file number `source`, whose content is `s`. */
static rd_status tell_lines(rdi_arena *arena, const source_text *s, size_t source,
                            const rd_attribution *a, rd_code_line *lines) {
    for (size_t i = 0; i < a->n_lines; i++) {
        const char *at =
            lines[i].source == source && lines[i].line ? find_line(s, lines[i].line) : NULL;
        if (at)
            RD_TRY(copy_line(arena, at, &lines[i].text));
    }
    return RD_OK;
}

static rd_status read_all(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines,
                          source_text *texts) {
    rd_snippet *snippets = rdi_arena_alloc(arena, SNIPPETS_MAX, sizeof *snippets);
    if (!snippets)
        return RD_ENOMEM;
    for (size_t i = 0; i < a->n_sources; i++) {
        RD_TRY(read_source(ctx, a->sources[i], &texts[i]));
        if (texts[i].text)
            RD_TRY(tell_lines(arena, &texts[i], i, a, lines));
    }
    for (size_t i = 0; i < a->n_lines && i < SNIPPETS_MAX; i++)
        if (lines[i].text && !is_shown(snippets, a->n_snippets, &lines[i]))
            RD_TRY(make_snippet(arena, &texts[lines[i].source], &lines[i],
                                &snippets[a->n_snippets++]));
    a->snippets = snippets;
    return RD_OK;
}

rd_status rdi_snippets_read(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines) {
    source_text *texts = rdi_calloc(ctx, a->n_sources ? a->n_sources : 1, sizeof *texts);
    if (!texts)
        return RD_ENOMEM;
    rd_status status = read_all(ctx, arena, a, lines, texts);
    for (size_t i = 0; i < a->n_sources; i++)
        rdi_free(ctx, texts[i].text);
    rdi_free(ctx, texts);
    return status;
}
