/* Reads the source lines that the result mentions, if their files exist.
 *
 * Each file is read once, completely. Files that rdi_source_file_read() cannot read, or that have
 * more than FILE_MAX bytes, are skipped.
 */
#include "attribution/attributor.h"
#include "base/source_file.h"

#include <string.h>

#define FILE_MAX      ((size_t)16 << 20)
#define SNIPPETS_MAX  20
#define SNIPPET_LINES 4 /* maximum number of lines before and after the line */

/* Copies a line, but at most RDI_SOURCE_LINE_MAX bytes of it. */
static rd_status copy_line(rdi_arena *arena, const char *from, const char **out) {
    size_t n = strnlen(from, RDI_SOURCE_LINE_MAX);
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

static rd_status make_snippet(rdi_arena *arena, const rdi_source_file *s, const rd_code_line *line,
                              rd_snippet *out) {
    const char **lines = rdi_arena_alloc(arena, 2 * SNIPPET_LINES + 1, sizeof *lines), *at;
    if (!lines)
        return RD_ENOMEM;
    uint64_t first = line->line > SNIPPET_LINES ? line->line - SNIPPET_LINES : 1;
    *out = (rd_snippet){.source = line->source, .first = first, .lines = lines};
    while (first + out->n <= line->line + SNIPPET_LINES &&
           (at = rdi_source_file_line(s, first + out->n))) {
        RD_TRY(copy_line(arena, at, &lines[out->n]));
        out->n++;
    }
    return RD_OK;
}

/* Sets the text of all lines in source file number `source`, whose content is `s`. */
static rd_status tell_lines(rdi_arena *arena, const rdi_source_file *s, size_t source,
                            const rd_attribution *a, rd_code_line *lines) {
    for (size_t i = 0; i < a->n_lines; i++) {
        const char *at = lines[i].source == source ? rdi_source_file_line(s, lines[i].line) : NULL;
        if (at)
            RD_TRY(copy_line(arena, at, &lines[i].text));
    }
    return RD_OK;
}

static rd_status read_all(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines,
                          const rd_code_line *shown, rdi_source_file *texts) {
    rd_snippet *snippets = rdi_arena_alloc(arena, SNIPPETS_MAX, sizeof *snippets);
    if (!snippets)
        return RD_ENOMEM;
    for (size_t i = 0; i < a->n_sources; i++) {
        RD_TRY(rdi_source_file_read(ctx, a->sources[i], FILE_MAX, &texts[i]));
        RD_TRY(tell_lines(arena, &texts[i], i, a, lines));
    }
    for (size_t i = 0; i < a->n_lines && i < SNIPPETS_MAX; i++)
        if (lines[i].function != RD_NO_INDEX && shown[i].source != RD_NO_INDEX &&
            rdi_source_file_line(&texts[shown[i].source], shown[i].line) &&
            !is_shown(snippets, a->n_snippets, &shown[i]))
            RD_TRY(make_snippet(arena, &texts[shown[i].source], &shown[i],
                                &snippets[a->n_snippets++]));
    a->snippets = snippets;
    return RD_OK;
}

rd_status rdi_snippets_read(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines,
                            const rd_code_line *shown) {
    rdi_source_file *texts = rdi_calloc(ctx, a->n_sources ? a->n_sources : 1, sizeof *texts);
    if (!texts)
        return RD_ENOMEM;
    rd_status status = read_all(ctx, arena, a, lines, shown, texts);
    for (size_t i = 0; i < a->n_sources; i++)
        rdi_source_file_fini(ctx, &texts[i]);
    rdi_free(ctx, texts);
    return status;
}
