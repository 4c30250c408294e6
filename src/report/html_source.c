/* Writes the source files with the most misses for the page: their whole text, and the counts of
 * each line.
 *
 * The text is read when the page is made. A profile is untrusted, and the user may give the page to others.
 * So the page must not contain a file only because a profile names it: the name of the file must have the
 * suffix of a source file, and its lines must be equal to the lines that the profile has. Otherwise the
 * page says why the text is missing. If the file has changed, the page shows the lines that the profile has.
 */
#include "report/html_data.h"

#include "base/arena.h"
#include "base/source_file.h"
#include "report/known_source.h"

#include <stdlib.h>
#include <string.h>

#define LEAST      0.001               /* files of libraries with a smaller share are left out */
#define FILES      48                  /* maximum number of files of one profile */
#define FILE_BYTES ((size_t)512 << 10) /* maximum size of a file */
#define LINES      ((size_t)100000)    /* maximum number of lines of a file that has changed */
#define ALL_BYTES  ((size_t)768 << 10) /* maximum size of all files of the page together */

/* The counts of one line of a source file, over all functions that have it. */
typedef struct line_counts {
    size_t source;
    uint64_t line, references, misses[RD_LEVELS_MAX];
} line_counts;

/* A source file: its lines with counts, its largest share of the references or of the misses of a
 * cache, and whether it is the user's own code. */
typedef struct file_counts {
    const line_counts *lines;
    size_t n;
    double share;
    bool own;
} file_counts;

/* ---- counts ---- */

static int by_place(const void *a, const void *b) {
    const line_counts *x = a, *y = b;
    return x->source != y->source ? (x->source > y->source) - (x->source < y->source)
                                  : (x->line > y->line) - (x->line < y->line);
}

/* Compares files: own code comes first, then the larger share. Files with equal shares keep the order of
 * the profile. */
static int by_share(const void *a, const void *b) {
    const file_counts *x = a, *y = b;
    return x->own != y->own       ? y->own - x->own
           : x->share != y->share ? (x->share < y->share) - (x->share > y->share)
                                  : (x->lines > y->lines) - (x->lines < y->lines);
}

/* Writes to `out` the counts of all lines whose file and line number are known, sorted by file and line number.
 * Returns the number of lines. */
static size_t gather_lines(const rd_attribution *a, line_counts *out) {
    size_t n = 0, merged = 0;
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_code_line *line = &a->lines[i];
        if (line->source >= a->n_sources || !line->line)
            continue;
        out[n] = (line_counts){line->source, line->line, line->share.references, {0}};
        memcpy(out[n++].misses, line->share.misses, sizeof out->misses);
    }
    qsort(out, n, sizeof *out, by_place);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_place(&out[merged - 1], &out[i]) != 0) {
            out[merged++] = out[i];
            continue;
        }
        out[merged - 1].references += out[i].references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            out[merged - 1].misses[k] += out[i].misses[k];
    }
    return merged;
}

static void add_counts(line_counts *to, const line_counts *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to->references += from[i].references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            to->misses[k] += from[i].misses[k];
    }
}

static int by_name(const void *key, const void *entry) {
    return strcmp(key, *(const char *const *)entry);
}

/* Divides the sorted lines into files, and sorts the files: own code first, then by descending share. Leaves
 * out files of libraries with a share below LEAST. Returns the number of files. */
static size_t gather_files(const rd_attribution *a, const line_counts *lines, size_t n,
                           file_counts *out) {
    line_counts all = {0};
    size_t files = 0;
    add_counts(&all, lines, n);
    for (size_t i = 0, end; i < n; i = end) {
        line_counts sum = {0};
        for (end = i; end < n && lines[end].source == lines[i].source;)
            end++;
        add_counts(&sum, &lines[i], end - i);
        double share = all.references ? (double)sum.references / (double)all.references : 0;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++) {
            double part = all.misses[k] ? (double)sum.misses[k] / (double)all.misses[k] : 0;
            share = part > share ? part : share;
        }
        const char *name = a->sources[lines[i].source];
        bool own = a->n_own && bsearch(name, a->own, a->n_own, sizeof *a->own, by_name);
        if (own || share >= LEAST)
            out[files++] = (file_counts){&lines[i], end - i, share, own};
    }
    qsort(out, files, sizeof *out, by_share);
    return files;
}

/* ---- text ---- */

/* Returns whether the name has the suffix of a source file of a compiled language. */
static bool is_source_name(const char *path) {
    static const char *const suffixes[] = {
        "ada", "adb",   "ads", "asm", "c",   "c++", "cc",  "cl",  "cpp", "cu",  "cuh",
        "cxx", "d",     "def", "f",   "f03", "f08", "f77", "f90", "f95", "for", "go",
        "h",   "h++",   "hh",  "hpp", "hs",  "hxx", "inc", "inl", "ipp", "l",   "m",
        "ml",  "mm",    "nim", "pas", "rs",  "s",   "sx",  "S",   "C",   "F",   "F90",
        "H",   "swift", "tcc", "tpp", "y",   "zig", "jl",  "cr",  "v",   "odin"};
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    for (size_t i = 0; dot && i < RDI_COUNT(suffixes); i++)
        if (strcmp(dot + 1, suffixes[i]) == 0)
            return true;
    return false;
}

/* Returns why the page cannot show the text of file number `source`, or NULL if it can. */
static const char *why_not(const rd_attribution *a, size_t source, const rdi_source_file *text) {
    rdi_source_check check = rdi_source_compare(a, source, text);
    return text->lines && check.changed ? "changed"
           : !check.known               ? "unknown"
           : !text->lines               ? "missing"
                                        : NULL;
}

/* Returns the size of the text on the page. */
static size_t bytes_of(const rdi_source_file *text) {
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++)
        n += text->lines[i] ? strnlen(text->lines[i], RDI_HTML_STRING) + strlen("\"\",")
                            : strlen("null,");
    return n;
}

/* Replaces the text of a file by the lines that the profile has of it. The other lines are NULL. Leaves out
 * lines above LINES, which only a damaged profile or a generated file has. */
static rd_status take_known_lines(rd_ctx *ctx, const rd_attribution *a, size_t source,
                                  rdi_source_file *text) {
    rdi_source_file_fini(ctx, text);
    *text = (rdi_source_file){.lines = rdi_calloc(ctx, LINES, sizeof *text->lines)};
    if (!text->lines)
        return RD_ENOMEM;
    for (size_t i = 0; i < a->n_snippets; i++)
        for (size_t k = 0; k < a->snippets[i].n && a->snippets[i].source == source; k++) {
            uint64_t line = a->snippets[i].first + k;
            if (line - 1 < LINES)
                text->lines[line - 1] = a->snippets[i].lines[k];
        }
    for (size_t i = 0; i < a->n_lines; i++)
        if (a->lines[i].source == source && a->lines[i].text && a->lines[i].line - 1 < LINES)
            text->lines[a->lines[i].line - 1] = a->lines[i].text;
    for (size_t i = 0; i < LINES; i++)
        text->n = text->lines[i] ? i + 1 : text->n;
    return RD_OK;
}

/* ---- the whole list ---- */

static void put_counts(rd_json_writer *w, const file_counts *file, size_t n_levels) {
    rd_json_begin_array(w, "counts", RD_JSON_INLINE);
    for (size_t i = 0; i < file->n; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, file->lines[i].line);
        rd_json_put_u64(w, NULL, file->lines[i].references);
        for (size_t k = 0; k < n_levels; k++)
            rd_json_put_u64(w, NULL, file->lines[i].misses[k]);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

/* Writes a file. *room is the number of bytes that are left for the text. */
static rd_status put_file(rd_json_writer *w, const rd_details *details, const file_counts *file,
                          size_t *room) {
    const rd_attribution *a = details->attribution;
    size_t source = file->lines->source;
    rdi_source_file text = {0};
    if (is_source_name(a->sources[source]))
        RD_TRY(rdi_source_file_read(w->text.ctx, a->sources[source], FILE_BYTES, &text));
    const char *reason = why_not(a, source, &text);
    bool changed = reason && strcmp(reason, "changed") == 0;
    if (changed)
        RD_TRY(take_known_lines(w->text.ctx, a, source, &text));
    bool fits = bytes_of(&text) <= *room;
    if (!reason && !fits)
        reason = "large";
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "source", source);
    if (reason)
        rd_json_put_string(w, "reason", reason);
    if (!reason || (changed && fits)) {
        *room -= bytes_of(&text);
        put_counts(w, file, details->n_levels);
        rd_json_begin_array(w, "text", RD_JSON_INLINE);
        for (size_t i = 0; i < text.n; i++)
            if (text.lines[i])
                rd_json_put_string(w, NULL, text.lines[i]);
            else
                rd_json_put_null(w, NULL);
        rd_json_end_array(w);
    }
    rd_json_end_object(w);
    rdi_source_file_fini(w->text.ctx, &text);
    return RD_OK;
}

rd_status rdi_html_sources(rd_json_writer *w, const rd_profile *p, size_t n_profiles) {
    const rd_details *details = rd_profile_details(p);
    const rd_attribution *a = details ? details->attribution : NULL;
    if (!a)
        return RD_OK;
    rdi_arena arena = {.ctx = w->text.ctx};
    line_counts *lines = rdi_arena_alloc(&arena, a->n_lines + 1, sizeof *lines);
    file_counts *files = rdi_arena_alloc(&arena, a->n_sources + 1, sizeof *files);
    rd_status status = lines && files ? RD_OK : RD_ENOMEM;
    if (status == RD_OK) {
        size_t n = gather_files(a, lines, gather_lines(a, lines), files),
               room = ALL_BYTES / n_profiles;
        rd_json_begin_array(w, "files", RD_JSON_INLINE);
        for (size_t i = 0; i < n && i < FILES && status == RD_OK; i++)
            status = put_file(w, details, &files[i], &room);
        rd_json_end_array(w);
    }
    rdi_arena_fini(&arena);
    return status;
}
