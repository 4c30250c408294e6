/* Prints source files with the references and misses of each line. See rd_report_annotate().
 *
 * The profile may have several entries for one line of a file, such as one for each instance of a template.
 * Their counts are summed. Files are sorted by the misses of the chosen cache.
 */
#include "report/report_details.h"

#include "base/arena.h"
#include "base/sized.h"
#include "base/source_file.h"
#include "profile/profile_build.h"
#include "report/known_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)16 << 20)

/* The counts of a line, a file, or all lines. */
typedef struct counts {
    uint64_t references, misses[RD_LEVELS_MAX];
} counts;

typedef struct annotated_line {
    size_t source; /* index of the source file in the attribution */
    uint64_t line;
    const char *text; /* source text from the profile; NULL: unknown */
    counts counts;
} annotated_line;

typedef struct annotated_file {
    size_t source;   /* index of the source file in the attribution */
    size_t first, n; /* its lines are the `n` elements of annotation.lines from index `first` on */
    counts counts;
    const char *given; /* path that the user gave for this file, or NULL */
} annotated_file;

/* A source file as it is now. If it has changed since the run, the texts of its lines come from the profile. */
typedef struct annotated_text {
    rdi_source_file now;
    bool changed;
} annotated_text;

typedef struct annotation {
    rdi_paper paper;
    const rd_details *d;
    const rd_annotation *config;
    rdi_arena arena;
    size_t value; /* 0: references, k + 1: misses of level k */
    annotated_line *lines;
    size_t n_lines;
    annotated_file *files;
    size_t n_files;
    counts total;
} annotation;

static uint64_t value_of(const annotation *a, const counts *c) {
    return a->value ? c->misses[a->value - 1] : c->references;
}

static void add_share(counts *to, const rd_share *share) {
    to->references += share->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += share->misses[k];
}

static void add_counts(counts *to, const counts *from) {
    to->references += from->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += from->misses[k];
}

static double share_of(const annotation *a, const counts *c) {
    uint64_t all = value_of(a, &a->total);
    return all ? (double)value_of(a, c) / (double)all : 0;
}

/* ---- lines and files ---- */

static int by_place(const void *x, const void *y) {
    const annotated_line *a = x, *b = y;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static rd_status list_lines(annotation *a) {
    const rd_attribution *at = a->d->attribution;
    a->lines = rdi_arena_alloc(&a->arena, at->n_lines, sizeof *a->lines);
    if (!a->lines)
        return RD_ENOMEM;
    for (size_t i = 0; i < at->n_lines; i++) {
        const rd_code_line *line = &at->lines[i];
        add_share(&a->total, &line->share);
        if (line->source == RD_NO_INDEX)
            continue;
        annotated_line *l = &a->lines[a->n_lines++];
        *l = (annotated_line){.source = line->source, .line = line->line, .text = line->text};
        add_share(&l->counts, &line->share);
    }
    size_t n = 0;
    if (a->n_lines)
        qsort(a->lines, a->n_lines, sizeof *a->lines, by_place);
    for (size_t i = 0; i < a->n_lines; i++) {
        if (n == 0 || by_place(&a->lines[n - 1], &a->lines[i]) != 0)
            a->lines[n++] = a->lines[i];
        else
            add_counts(&a->lines[n - 1].counts, &a->lines[i].counts);
    }
    a->n_lines = n;
    return RD_OK;
}

/* A file and the value by which files are sorted, in descending order. qsort() has no argument for the
 * annotation, so the value is copied. */
typedef struct sorted_file {
    uint64_t value;
    annotated_file file;
} sorted_file;

static int by_value(const void *x, const void *y) {
    const sorted_file *a = x, *b = y;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->file.source > b->file.source) - (a->file.source < b->file.source);
}

static rd_status list_files(annotation *a) {
    sorted_file *sorted = rdi_arena_alloc(&a->arena, a->n_lines, sizeof *sorted);
    a->files = rdi_arena_alloc(&a->arena, a->n_lines, sizeof *a->files);
    if (!sorted || !a->files)
        return RD_ENOMEM;
    for (size_t i = 0; i < a->n_lines; i++) {
        if (i == 0 || a->lines[i].source != a->lines[i - 1].source)
            sorted[a->n_files++].file = (annotated_file){.source = a->lines[i].source, .first = i};
        sorted_file *file = &sorted[a->n_files - 1];
        file->file.n++;
        add_counts(&file->file.counts, &a->lines[i].counts);
        file->value = value_of(a, &file->file.counts);
    }
    if (a->n_files)
        qsort(sorted, a->n_files, sizeof *sorted, by_value);
    for (size_t i = 0; i < a->n_files; i++)
        a->files[i] = sorted[i].file;
    return RD_OK;
}

/* ---- columns ---- */

#define COUNT_WIDTH 15
#define SHARE_WIDTH 8

static void put_counts(annotation *a, const counts *c) {
    char text[32];
    for (size_t k = 0; k <= a->d->n_levels; k++) {
        uint64_t x = !c ? 0 : k ? c->misses[k - 1] : c->references;
        rdi_format_grouped(x, text);
        rdi_paper_column(&a->paper, -COUNT_WIDTH, x ? text : ".");
    }
    rdi_format_share(c ? share_of(a, c) : 0, text);
    rdi_paper_column(&a->paper, -SHARE_WIDTH, c && value_of(a, c) ? text : ".");
    rdi_text_puts(&a->paper.t, "  ");
}

static void put_head(annotation *a) {
    char text[48], size[RDI_FORMAT_ROOM];
    rdi_paper_column(&a->paper, -COUNT_WIDTH, "references");
    for (size_t k = 0; k < a->d->n_levels; k++) {
        rd_format_bytes((double)a->d->levels[k].bytes, size);
        snprintf(text, sizeof text, "%.3s %.11s", a->d->levels[k].name, size);
        rdi_paper_column(&a->paper, -COUNT_WIDTH, text);
    }
    rdi_paper_column(&a->paper, -SHARE_WIDTH, "share");
    rdi_text_putc(&a->paper.t, '\n');
}

static void put_text(annotation *a, const char *text) {
    rdi_text_escaped(&a->paper.t, text);
}

/* Adds a line to the listing: in bold if it has at least a tenth of the total value, dimmed if it has no
 * counts (`c` is NULL). `differs` marks a line that is different in the file now. */
static void put_line(annotation *a, const counts *c, uint64_t number, const char *text,
                     bool differs) {
    char digits[24];
    rdi_ink ink = c && share_of(a, c) >= 0.1 ? RDI_INK_BOLD : c ? RDI_INK_PLAIN : RDI_INK_DIM;
    rdi_paper_ink(&a->paper, ink);
    put_counts(a, c);
    if (number)
        snprintf(digits, sizeof digits, "%5" PRIu64 " %c", number, differs ? '!' : ' ');
    else
        snprintf(digits, sizeof digits, "    ?  ");
    rdi_text_puts(&a->paper.t, digits);
    for (; text && *text == '\t'; text++)
        rdi_text_puts(&a->paper.t, "    ");
    if (text)
        put_text(a, text);
    rdi_paper_ink(&a->paper, RDI_INK_PLAIN);
    rdi_text_putc(&a->paper.t, '\n');
}

/* ---- a file ---- */

static bool is_hot(const annotation *a, const annotated_line *line) {
    return value_of(a, &line->counts) && share_of(a, &line->counts) >= a->config->threshold;
}

/* Returns whether line `number` is shown: because the whole file is shown, or because a hot line is near.
 * Line numbers must ascend from call to call. *next, at first the index of the first line with a number, becomes
 * the index of the first hot line of the file that is at most config->context lines before line `number`, or
 * comes later. */
static bool is_shown(const annotation *a, const annotated_file *file, uint64_t number,
                     size_t *next) {
    uint64_t around = a->config->context;
    if (a->config->whole)
        return true;
    while (*next < file->n && (a->lines[file->first + *next].line + around < number ||
                               !is_hot(a, &a->lines[file->first + *next])))
        ++*next;
    return *next < file->n && a->lines[file->first + *next].line <= number + around;
}

/* Returns the text of a line, or NULL if it is unknown. `counted` is the line's entry in the list of lines, or
 * NULL if it has no counts. If the file has changed, only the profile knows the text. */
static const char *text_of(const annotation *a, const annotated_file *file,
                           const annotated_line *counted, const annotated_text *text,
                           uint64_t number) {
    if (!text->changed)
        return rdi_source_file_line(&text->now, number);
    return counted && counted->text
               ? counted->text
               : rdi_source_snippet_line(a->d->attribution, file->source, number);
}

static void put_source(annotation *a, const annotated_file *file, const annotated_text *text) {
    size_t at = a->lines[file->first].line == 0, next = at; /* line 0: the line is not known */
    bool gap = false;
    for (uint64_t number = 1; number <= text->now.n; number++) {
        while (at < file->n && a->lines[file->first + at].line < number)
            at++;
        const annotated_line *line = &a->lines[file->first + at];
        const annotated_line *counted = at < file->n && line->line == number ? line : NULL;
        const char *known = text_of(a, file, counted, text, number);
        if (!is_shown(a, file, number, &next) || (!known && !counted)) {
            gap = true;
            continue;
        }
        if (gap)
            rdi_text_puts(&a->paper.t, "--\n");
        gap = false;
        put_line(a, counted ? &counted->counts : NULL, number, known,
                 text->changed && known &&
                     !rdi_source_same_line(rdi_source_file_line(&text->now, number), known));
    }
}

/* Lists the code without a line number and the lines beyond the end of the source file, if they are hot or whole
 * files are shown. A file that cannot be read ends at line 0, so every line is beyond its end. */
static void put_lines_after(annotation *a, const annotated_file *file, const annotated_text *text) {
    uint64_t end = text->now.n;
    for (size_t i = 0; i < file->n; i++) {
        const annotated_line *line = &a->lines[file->first + i];
        if ((line->line > 0 && line->line <= end) || !(a->config->whole || is_hot(a, line)))
            continue;
        put_line(a, &line->counts, line->line,
                 line->line ? line->text : "code without a line number", text->changed);
    }
}

/* Sets the member `given` of each source file whose path matches `given`, unless it is set already. If no path
 * matches, `given` may be an old copy with another name. The copy is assigned to a source file if it contains all
 * known lines of the file; if there are several such files, to the file with the most known lines. */
static rd_status place_given(annotation *a, const char *given) {
    annotated_file *best = NULL;
    size_t most = 0;
    bool matches = false;
    for (size_t i = 0; i < a->n_files; i++)
        if (rdi_source_path_matches(given, a->d->attribution->sources[a->files[i].source])) {
            a->files[i].given = a->files[i].given ? a->files[i].given : given;
            matches = true;
        }
    if (matches)
        return RD_OK;
    rdi_source_file text = {0};
    RD_TRY(rdi_source_file_read(a->arena.ctx, given, FILE_MAX, &text));
    for (size_t i = 0; i < a->n_files && text.lines; i++) {
        rdi_source_check check = rdi_source_compare(a->d->attribution, a->files[i].source, &text);
        if (!check.changed && check.known > most) {
            most = check.known;
            best = &a->files[i];
        }
    }
    if (best)
        best->given = given;
    rdi_source_file_fini(a->arena.ctx, &text);
    return RD_OK;
}

static void put_note(annotation *a, const char *text) {
    rdi_text_printf(&a->paper.t, "Note: %s\n", text);
}

/* Reads the source file. If it cannot be read, or has changed and the file that the user gave for it has not, reads
 * that file instead. Adds a note if no file could be read, if the file has changed, or if the profile cannot tell
 * whether it has changed and the file is newer than the profile. */
static rd_status read_source(annotation *a, const annotated_file *file, annotated_text *out) {
    const char *source = a->d->attribution->sources[file->source];
    struct stat facts;
    RD_TRY(rdi_source_file_read(a->arena.ctx, source, FILE_MAX, &out->now));
    rdi_source_check check = rdi_source_compare(a->d->attribution, file->source, &out->now);
    if (file->given && (!out->now.lines || check.changed)) {
        rdi_source_file given = {0};
        RD_TRY(rdi_source_file_read(a->arena.ctx, file->given, FILE_MAX, &given));
        rdi_source_check other = rdi_source_compare(a->d->attribution, file->source, &given);
        bool better = given.lines && (!out->now.lines || !other.changed);
        rdi_source_file_fini(a->arena.ctx, better ? &out->now : &given);
        if (better) {
            source = file->given;
            out->now = given;
            check = other;
        }
    }
    out->changed = out->now.lines && check.changed;
    if (!out->now.lines)
        put_note(a, "the source file cannot be read, so only lines with counts are listed.");
    else if (out->changed)
        put_note(
            a,
            "the source file has changed since the run. The text below is from the profile. A !\n"
            "marks lines that are different in the file now; lines with unknown text are left\n"
            "out. To see all lines, name a copy of the old file: annotate PROFILE OLD_SOURCE.");
    else if (!check.known && a->config->written && stat(source, &facts) == 0 &&
             (int64_t)facts.st_mtime > a->config->written)
        put_note(a, "the source file is newer than the profile, so lines may have moved.");
    return RD_OK;
}

static rd_status put_file(annotation *a, const annotated_file *file) {
    const char *source = a->d->attribution->sources[file->source];
    annotated_text text = {0};
    rdi_text_putc(&a->paper.t, '\n');
    rdi_paper_ink(&a->paper, RDI_INK_BOLD);
    put_text(a, source);
    rdi_paper_ink(&a->paper, RDI_INK_PLAIN);
    rdi_text_putc(&a->paper.t, '\n');
    rd_status status = read_source(a, file, &text);
    if (status == RD_OK) {
        put_head(a);
        put_counts(a, &file->counts);
        rdi_text_puts(&a->paper.t, "all lines of this file\n");
        put_source(a, file, &text);
        put_lines_after(a, file, &text);
    }
    rdi_source_file_fini(a->arena.ctx, &text.now);
    return status;
}

/* ---- all ---- */

static bool is_own(const rd_attribution *a, const char *file) {
    for (size_t i = 0; i < a->n_own; i++)
        if (strcmp(a->own[i], file) == 0)
            return true;
    return a->n_own == 0;
}

/* Returns whether a file is annotated. If the user named files, only these files are annotated; otherwise
 * the files of own code whose share reaches the threshold. */
static bool is_chosen(const annotation *a, const annotated_file *file) {
    const char *source = a->d->attribution->sources[file->source];
    if (a->config->n_sources)
        return file->given != NULL;
    return is_own(a->d->attribution, source) && share_of(a, &file->counts) >= a->config->threshold;
}

/* Adds the sums: of the files above, of all other code, and of the whole profile. */
static void put_sums(annotation *a, const counts *shown) {
    counts rest = a->total;
    rest.references -= shown->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        rest.misses[k] -= shown->misses[k];
    rdi_text_putc(&a->paper.t, '\n');
    put_head(a);
    put_counts(a, shown);
    rdi_text_puts(&a->paper.t, "files above\n");
    put_counts(a, &rest);
    rdi_text_puts(&a->paper.t, "other files, libraries and code without lines\n");
    put_counts(a, &a->total);
    rdi_text_puts(&a->paper.t, "whole profile\n");
}

/* Returns whether the profile has lines of the file `given`, an element of config->sources, or of a file of which
 * `given` is an old copy. */
static bool is_listed(const annotation *a, const char *given) {
    for (size_t i = 0; i < a->n_files; i++)
        if (a->files[i].given == given ||
            rdi_source_path_matches(given, a->d->attribution->sources[a->files[i].source]))
            return true;
    return false;
}

/* Returns the file of own code with the largest share, or NULL. */
static const char *example_file(const annotation *a) {
    for (size_t i = 0; i < a->n_files; i++)
        if (is_own(a->d->attribution, a->d->attribution->sources[a->files[i].source]))
            return a->d->attribution->sources[a->files[i].source];
    return NULL;
}

/* Adds a note for each path from the user that matches no file of the profile. */
static void put_unlisted(annotation *a) {
    for (size_t i = 0; i < a->config->n_sources; i++) {
        const char *given = a->config->sources[i];
        if (is_listed(a, given))
            continue;
        rdi_text_puts(&a->paper.t, "\nNote: the profile has no lines of ");
        put_text(a, given);
        if (example_file(a)) {
            rdi_text_puts(&a->paper.t, "; it has lines of files such as ");
            put_text(a, example_file(a));
        }
        rdi_text_puts(&a->paper.t, ".\n");
    }
}

static rd_status annotate(annotation *a, const rd_profile *p) {
    counts shown = {0};
    size_t n = 0;
    RD_TRY(list_lines(a));
    RD_TRY(list_files(a));
    for (size_t i = 0; i < a->config->n_sources; i++)
        RD_TRY(place_given(a, a->config->sources[i]));
    rdi_paper_title(&a->paper, p);
    rdi_text_printf(&a->paper.t, "Shares are of the %s%s; files with larger shares come first.\n",
                    a->value ? a->d->levels[a->value - 1].name : "references",
                    a->value ? " misses" : "");
    for (size_t i = 0; i < a->n_files; i++)
        if (is_chosen(a, &a->files[i])) {
            RD_TRY(put_file(a, &a->files[i]));
            add_counts(&shown, &a->files[i].counts);
            n++;
        }
    if (n == 0 && !a->config->n_sources)
        rdi_text_puts(&a->paper.t, "\nNo file of own code reaches the threshold.\n");
    put_unlisted(a);
    put_sums(a, &shown);
    rdi_paper_unknown_code(&a->paper, a->d);
    return RD_OK;
}

static rd_status choose_value(annotation *a) {
    const char *cache = a->config->cache;
    a->value = a->d->n_levels > 0;
    if (!cache)
        return RD_OK;
    for (a->value = 1; a->value <= a->d->n_levels; a->value++)
        if (strcmp(a->d->levels[a->value - 1].name, cache) == 0)
            return RD_OK;
    a->value = 0;
    if (strcmp(cache, "references") == 0)
        return RD_OK;
    return a->d->n_levels
               ? rdi_fail(a->arena.ctx, RD_EINVAL,
                          "the profile has no cache '%.40s'; name one of its caches, such as %s, "
                          "or 'references'",
                          cache, a->d->levels[0].name)
               : rdi_fail(a->arena.ctx, RD_EINVAL,
                          "the profile has no misses of caches; use 'references', not '%.40s'",
                          cache);
}

rd_status rd_report_annotate(rd_profile *p, const rd_annotation *config,
                             const rd_report_style *style, char **text, size_t *n) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    rd_annotation known;
    RDI_NEED(ctx, p, config, text, n);
    RD_TRY(rdi_sized_copy(ctx, "rd_annotation", config, &known, sizeof known));
    if (known.n_sources)
        RDI_NEED(ctx, known.sources);
    annotation a = {.paper = rdi_paper_start(p, style),
                    .d = rd_profile_details(p),
                    .config = &known,
                    .arena = {.ctx = ctx}};
    rd_status status = RD_OK;
    if (!a.d || !a.d->attribution)
        status = rdi_fail(ctx, RD_EINVAL,
                          "the profile has no information about code; record it with --attribute");
    if (status == RD_OK)
        status = choose_value(&a);
    if (status == RD_OK)
        status = annotate(&a, p);
    rdi_arena_fini(&a.arena);
    if (status == RD_OK)
        return rdi_text_take(&a.paper.t, text, n);
    rdi_text_drop(&a.paper.t);
    return status;
}
