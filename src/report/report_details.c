/* Makes tables of the lines, pairs and data with the most misses, and a few sentences about misses,
 * words and phases. See report_details.h. */
#include "report/report_details.h"

#include "profile/hist.h"
#include "profile/profile_build.h"
#include "report/line_words.h"
#include "report/report_calls.h"
#include "reusedist/attribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN      10 /* maximum number of entries in a table */
#define CALL_PATHS 5  /* maximum number of call paths in the table of call paths */
/* An entry is shown if it has more than this fraction of the misses of some level. The first entry
 * is always shown. */
#define TELLING      0.001
#define LEVEL_WIDTH  11
#define COUNT_WIDTH  11
#define NAME_LEAST   20
#define CALLS_INDENT 4 /* columns before the calls of a call path that have a line of their own */

typedef struct details_report {
    rdi_paper *paper;
    const rd_profile *p;
    const rd_details *d;
    rd_share all; /* sum over the whole profile */
} details_report;

/* ---- names ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void rdi_name_line(const rd_attribution *a, size_t index, char *label) {
    const rd_code_line *line = index == RD_NO_INDEX ? NULL : &a->lines[index];
    const char *function =
        line && line->function != RD_NO_INDEX ? a->functions[line->function].name : "(others)";
    const char *module =
        line && line->function != RD_NO_INDEX ? a->functions[line->function].module : NULL;
    if (line && line->source != RD_NO_INDEX)
        snprintf(label, RDI_LABEL_ROOM, "%.200s:%" PRIu64 " %.300s%s%.300s",
                 base_name(a->sources[line->source]), line->line, function,
                 line->library ? ", in " : "", line->library ? line->library : "");
    else if (module)
        snprintf(label, RDI_LABEL_ROOM, "%.300s in %.200s", function, module);
    else
        snprintf(label, RDI_LABEL_ROOM, "%.400s", function);
}

void rdi_name_place(const rd_attribution *a, size_t index, char *label) {
    rdi_name_line(a, index, label);
    if (index != RD_NO_INDEX && a->lines[index].source != RD_NO_INDEX)
        label[strcspn(label, " ")] = '\0';
}

static void name_pair(const details_report *r, const rd_reuse_pair *pair, char *label) {
    char use[RDI_LABEL_ROOM], reuse[RDI_LABEL_ROOM];
    if (pair->use == RD_NO_INDEX) {
        strcpy(label, "(others)");
        return;
    }
    rdi_name_place(r->d->attribution, pair->use, use);
    rdi_name_place(r->d->attribution, pair->reuse, reuse);
    snprintf(label, RDI_LABEL_ROOM, "%.200s %s %.200s", use,
             r->paper->style.unicode ? "\xe2\x86\x92" : "->", reuse);
}

void rdi_name_data(const rd_data_region *data, char *label, char size[16]) {
    static const char *const kinds[] = {"", "heap: ", "", ""};
    if (data->bytes && data->kind != RD_DATA_STACK)
        rd_format_bytes((double)data->bytes, size);
    snprintf(label, RDI_LABEL_ROOM, "%s%.400s", kinds[data->kind], data->name);
}

/* ---- tables ---- */

static unsigned name_width(const details_report *r) {
    unsigned used = 3 + COUNT_WIDTH + LEVEL_WIDTH * (unsigned)r->d->n_levels;
    return r->paper->style.width > used + NAME_LEAST ? r->paper->style.width - used : NAME_LEAST;
}

/* Adds a name and, unless `size` is empty, `size` after it. A long name is cut, but `size` never
 * is. */
static void put_name(const details_report *r, const char *label, const char *size) {
    unsigned width = name_width(r), of_size = *size ? rdi_text_columns(size) + 2 : 0;
    unsigned room = width - of_size;
    rdi_text_puts(&r->paper->t, "  ");
    unsigned columns = rdi_paper_label(r->paper, label, room, !*size);
    if (!*size)
        return;
    rdi_text_printf(&r->paper->t, ", %s", size);
    rdi_text_fill(&r->paper->t, ' ', columns < room ? room - columns : 0);
}

/* Adds a row: the name, its fraction of all misses of each level, and the number of references. */
static void put_row(const details_report *r, const char *label, const char *size,
                    const uint64_t *misses, uint64_t references) {
    char text[RDI_FORMAT_ROOM];
    put_name(r, label, size);
    for (size_t k = 0; k < r->d->n_levels; k++) {
        double all = (double)r->all.misses[k];
        rdi_format_share(all > 0 ? (double)misses[k] / all : 0, text);
        rdi_paper_column(r->paper, -LEVEL_WIDTH, text);
    }
    rd_format_count((double)references, text);
    rdi_paper_column(r->paper, -COUNT_WIDTH, text);
    rdi_text_putc(&r->paper->t, '\n');
}

static void put_heading(const details_report *r, const char *title, const char *counted) {
    char text[RDI_LABEL_ROOM], size[RDI_FORMAT_ROOM];
    rdi_paper_heading(r->paper, title);
    put_name(r,
             r->d->n_levels == 0     ? ""
             : r->paper->block_bytes ? "share of the misses in"
                                     : "misses by objects",
             "");
    for (size_t k = 0; k < r->d->n_levels; k++) {
        const rd_level *level = &r->d->levels[k];
        rd_format_bytes((double)level->bytes, size);
        snprintf(text, sizeof text, "%.3s %s", level->name, size);
        if (!r->paper->block_bytes)
            rdi_format_objects(level->bytes, text);
        rdi_paper_column(r->paper, -LEVEL_WIDTH, text);
    }
    rdi_paper_column(r->paper, -COUNT_WIDTH, counted);
    rdi_text_putc(&r->paper->t, '\n');
}

/* Returns whether entry i of a table is shown: it must be one of the first SHOWN entries, and
 * either the first one or above TELLING at some level. */
static bool is_telling(const details_report *r, size_t i, const uint64_t *misses) {
    bool telling = i == 0;
    for (size_t k = 0; k < r->d->n_levels; k++)
        telling = telling || (double)misses[k] > TELLING * (double)r->all.misses[k];
    return telling && i < SHOWN;
}

/* Adds a row for a call path. If its name is longer than the column, the calls get a line of their own. */
static void put_call_path(const details_report *r, const rdi_call_path *path) {
    const rd_contexts *c = r->d->contexts;
    bool unicode = r->paper->style.unicode;
    const char *arrow = unicode ? "\xe2\x86\x90" : "<-", *dots = unicode ? "\xe2\x80\xa6" : "...";
    unsigned width = name_width(r), room = r->paper->style.width - CALLS_INDENT;
    rdi_text label = rdi_text_start(r->paper->t.ctx), calls = rdi_text_start(r->paper->t.ctx);
    rdi_name_node(c, path->node, &label);
    rdi_name_calls(c, path->node, arrow, dots, room, &calls);
    bool fits = !calls.data || !label.data ||
                rdi_text_columns(label.data) + 1 + rdi_text_columns(calls.data) <= width;
    if (fits && calls.data)
        rdi_text_printf(&label, " %s", calls.data);
    put_row(r, label.data ? label.data : "", "", path->misses, path->references);
    if (!fits) {
        rdi_text_fill(&r->paper->t, ' ', CALLS_INDENT);
        rdi_paper_label(r->paper, calls.data, room, false);
        rdi_text_putc(&r->paper->t, '\n');
    }
    rdi_text_drop(&label);
    rdi_text_drop(&calls);
}

/* Adds the call paths with the most misses. A path of one frame says no more than its line does, so
 * the table needs a path with a call. */
static void put_call_paths(const details_report *r) {
    rdi_call_path paths[CALL_PATHS];
    const rd_contexts *c = r->d->contexts;
    size_t n = rdi_call_paths_find(r->paper->t.ctx, r->d, paths, CALL_PATHS);
    bool calls = false;
    for (size_t i = 0; i < n; i++)
        calls = calls || c->nodes[paths[i].node].parent != RD_NO_INDEX;
    if (!calls)
        return;
    put_heading(r, "Call paths", "references");
    for (size_t i = 0; i < n && is_telling(r, i, paths[i].misses); i++)
        put_call_path(r, &paths[i]);
}

static void put_tables(const details_report *r) {
    const rd_attribution *a = r->d->attribution;
    char label[RDI_LABEL_ROOM];
    put_heading(r, "Lines", "references");
    for (size_t i = 0; i < a->n_lines && is_telling(r, i, a->lines[i].share.misses); i++) {
        rdi_name_line(r->d->attribution, i, label);
        put_row(r, label, "", a->lines[i].share.misses, a->lines[i].share.references);
    }
    put_call_paths(r);
    if (a->n_pairs)
        put_heading(r,
                    r->paper->style.unicode ? "Use \xe2\x86\x92 reuse of a block"
                                            : "Use -> reuse of a block",
                    "reuses");
    for (size_t i = 0; i < a->n_pairs && is_telling(r, i, a->pairs[i].misses); i++) {
        name_pair(r, &a->pairs[i], label);
        put_row(r, label, "", a->pairs[i].misses, a->pairs[i].count);
    }
    put_heading(r, "Data", "references");
    for (size_t i = 0; i < a->n_data && is_telling(r, i, a->data[i].share.misses); i++) {
        char size[16] = "";
        rdi_name_data(&a->data[i], label, size);
        put_row(r, label, size, a->data[i].share.misses, a->data[i].share.references);
    }
}

/* ---- sentences ---- */

/* Returns the level that the sentences are about, which is also the level that the page chooses:
 * the level whose misses cost most time, if a miss costs four times as much in each further level.
 * First touches do not count, because no cache avoids them. Returns RD_NO_INDEX if all misses are
 * first touches. */
static size_t telling_level(const details_report *r) {
    size_t level = RD_NO_INDEX;
    double most = 0, weight = 1;
    for (size_t k = 0; k < r->d->n_levels; k++, weight *= 4) {
        double cost = weight * (double)(r->all.misses[k] - r->all.infinite);
        if (cost > most) {
            most = cost;
            level = k;
        }
    }
    return level;
}

/* Returns the end of the sentence about a line. It mentions first touches if they are more than a
 * twentieth of the line's misses. With a bound or coherence misses, their number is not known. */
static const char *end_of_reuse(const details_report *r, const rd_share *share, size_t level) {
    const rd_profile_facts *f = rd_profile_facts_of(r->p);
    bool known = f->infinite == f->cold;
    return known && share->infinite > share->misses[level] / 20
               ? ", and touches blocks for the first time."
               : ".";
}

/* Says which data the line reuses: a region with more than half of the line's misses, or blocks in
 * general. */
static void say_data(const details_report *r, rdi_text *words, size_t line, const rd_share *share,
                     size_t level) {
    const rd_attribution *a = r->d->attribution;
    const char *end = end_of_reuse(r, share, level);
    for (size_t i = 0; i < a->n_line_data; i++) {
        const rd_data_region *data = &a->data[a->line_data[i].data];
        uint64_t misses = 0;
        if (!rdi_is_same_line(a, a->line_data[i].line, line) || data->kind == RD_DATA_OTHER)
            continue;
        for (size_t k = 0; k < a->n_line_data; k++)
            if (a->line_data[k].data == a->line_data[i].data &&
                rdi_is_same_line(a, a->line_data[k].line, line))
                misses += a->line_data[k].misses[level];
        if (misses <= share->misses[level] / 2)
            continue;
        rdi_text_printf(words, ": it reuses %s%s after it was evicted%s",
                        data->kind == RD_DATA_HEAP ? "memory from " : "", data->name, end);
        return;
    }
    rdi_text_printf(words, ": it reuses blocks after they were evicted%s", end);
}

/* Returns the words for the worst line, for a sentence that says that this line also used the blocks last. Without
 * debug information, the entry of a line is a function or an instruction. */
static const char *same_place(const rd_attribution *a, size_t line) {
    if (a->lines[line].source != RD_NO_INDEX)
        return "the same line";
    return strncmp(a->functions[a->lines[line].function].name, "0x", 2) == 0
               ? "the same instruction"
               : "the same function";
}

/* Says which line used the blocks last before they missed, if one line did so in more than a
 * quarter of the misses. */
static void say_pair(const details_report *r, rdi_text *words, size_t line,
                     const rd_share *share_of, size_t level) {
    const rd_attribution *a = r->d->attribution;
    const rd_reuse_pair *most = NULL;
    for (size_t i = 0; i < a->n_pairs; i++)
        if (a->pairs[i].use != RD_NO_INDEX && a->pairs[i].reuse != RD_NO_INDEX &&
            rdi_is_same_line(a, a->pairs[i].reuse, line) &&
            (!most || a->pairs[i].misses[level] > most->misses[level]))
            most = &a->pairs[i];
    uint64_t misses = share_of->misses[level];
    if (!most || most->misses[level] <= misses / 4)
        return;
    char share[RDI_FORMAT_ROOM], place[RDI_LABEL_ROOM];
    rdi_format_share((double)most->misses[level] / (double)misses, share);
    rdi_name_place(r->d->attribution, most->use, place);
    rdi_text_printf(words, " In %s of these misses, %s used the block last.", share,
                    rdi_is_same_line(a, most->use, line) ? same_place(a, line) : place);
}

static void say_worst(const details_report *r, rdi_text *words, size_t level) {
    size_t line = rdi_worst_line(r->d->attribution, level);
    if (line == RD_NO_INDEX)
        return;
    char share[RDI_FORMAT_ROOM], ratio[RDI_FORMAT_ROOM], place[RDI_LABEL_ROOM];
    const rd_share of_line = rdi_share_of_line(r->d->attribution, line);
    rdi_format_share((double)of_line.misses[level] / (double)r->all.misses[level], share);
    rdi_format_share((double)r->all.misses[level] / (double)r->all.references, ratio);
    rdi_name_line(r->d->attribution, line, place);
    const char *name = r->d->levels[level].name;
    if (r->paper->block_bytes)
        rdi_text_printf(words, "%s would miss %s of the references. %s causes %s of the %s misses",
                        name, ratio, place, share, name);
    else
        rdi_text_printf(words,
                        "A cache of %s would miss %s of the references. %s causes %s of its misses",
                        name, ratio, place, share);
    say_data(r, words, line, &of_line, level);
    say_pair(r, words, line, &of_line, level);
    rdi_text_putc(words, ' ');
    rdi_say_distance(r->p, level, words);
}

static void say_words_used(const details_report *r, rdi_text *words) {
    const rd_spatial *s = r->d->spatial;
    uint64_t per_block = s ? r->paper->block_bytes / s->word_bytes : 0;
    if (!s || r->d->n_levels == 0 || s->levels[0].fetched == 0)
        return;
    rdi_text_printf(words,
                    "%sThe program uses %.1f of the %" PRIu64
                    " words of a block between its fetch into %s and its eviction.",
                    words->n ? " " : "", (double)s->levels[0].words / (double)s->levels[0].fetched,
                    per_block, r->d->levels[0].name);
}

/* Maximum number of intervals whose phase numbers are listed, if phases recur. */
#define ORDER_MAX 16

static void say_phases(const details_report *r, rdi_text *words) {
    const rd_windows *w = r->d->windows;
    size_t phases = 0;
    if (!w || w->n_phases < 2)
        return;
    for (size_t i = 0; i < w->n_phases; i++)
        phases = w->phase_numbers[i] > phases ? w->phase_numbers[i] : phases;
    rdi_text_printf(words, "%sThe run has %zu phases", words->n ? " " : "", phases);
    if (phases < w->n_phases)
        rdi_text_printf(words, " in %zu intervals:", w->n_phases);
    for (size_t i = 0; phases < w->n_phases && i < w->n_phases && i < ORDER_MAX; i++)
        rdi_text_printf(words, " %zu", w->phase_numbers[i]);
    rdi_text_printf(words, "%s.", phases < w->n_phases && w->n_phases > ORDER_MAX ? " .." : "");
}

static void say_advice(const details_report *r, rdi_text *words, size_t level) {
    rdi_text advice = rdi_text_start(r->paper->t.ctx);
    rdi_say_advice(r->p, level == RD_NO_INDEX ? 0 : level, &advice);
    if (advice.status == RD_OK && advice.n)
        rdi_text_printf(words, "%s%s", words->n ? " " : "", advice.data);
    else if (advice.status != RD_OK)
        words->status = advice.status;
    rdi_text_drop(&advice);
}

static void put_sentences(const details_report *r) {
    rdi_text words = rdi_text_start(r->paper->t.ctx), safe = rdi_text_start(r->paper->t.ctx);
    size_t level = telling_level(r);
    if (r->d->attribution && level != RD_NO_INDEX)
        say_worst(r, &words, level);
    say_advice(r, &words, level);
    say_words_used(r, &words);
    say_phases(r, &words);
    rdi_say_unknown_code(r->d, &words);
    if (words.status == RD_OK && words.n) {
        rdi_text_escaped(&safe, words.data);
        rdi_text_putc(&r->paper->t, '\n');
    }
    if (safe.status == RD_OK && safe.data)
        rdi_paper_wrap(r->paper, safe.data);
    if (words.status != RD_OK || safe.status != RD_OK)
        r->paper->t.status = RD_ENOMEM;
    rdi_text_drop(&words);
    rdi_text_drop(&safe);
}

/* ---- all details ---- */

static void add_share(rd_share *sum, const rd_share *part) {
    sum->references += part->references;
    sum->infinite += part->infinite;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        sum->misses[k] += part->misses[k];
}

void rdi_report_details(rdi_paper *paper, const rd_profile *p) {
    details_report r = {.paper = paper, .p = p, .d = rd_profile_details(p)};
    if (!r.d || !r.d->attribution || rd_profile_facts_of(p)->references == 0)
        return;
    for (size_t i = 0; i < r.d->attribution->n_functions; i++)
        add_share(&r.all, &r.d->attribution->functions[i].share);
    put_tables(&r);
    put_sentences(&r);
}
