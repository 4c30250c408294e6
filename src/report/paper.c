/* Implements columns, bars, colors and wrapped text. See paper.h. */
#include "report/paper.h"

#include "base/number.h"
#include "base/sized.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of objects from this number on are printed with a unit instead of all digits. */
#define GROUPED_MAX   10000000
#define DEFAULT_WIDTH 80
#define MIN_WIDTH     40
#define MAX_WIDTH     1000

rdi_paper rdi_paper_start(rd_profile *p, const rd_report_style *style) {
    rdi_paper paper = {.t = rdi_text_start(rdi_profile_ctx(p)),
                       .block_bytes = rd_profile_facts_of(p)->block_bytes};
    paper.t.status =
        rdi_sized_copy(paper.t.ctx, "rd_report_style", style, &paper.style, sizeof paper.style);
    unsigned *width = &paper.style.width;
    if (*width == 0)
        *width = DEFAULT_WIDTH;
    *width = *width < MIN_WIDTH ? MIN_WIDTH : *width > MAX_WIDTH ? MAX_WIDTH : *width;
    return paper;
}

void rdi_paper_ink(rdi_paper *paper, rdi_ink ink) {
    static const char *const codes[] = {[RDI_INK_PLAIN] = "\033[0m",
                                        [RDI_INK_BOLD] = "\033[1m",
                                        [RDI_INK_DIM] = "\033[2m",
                                        [RDI_INK_DRAWING] = "\033[36m"};
    if (paper->style.color)
        rdi_text_puts(&paper->t, codes[ink]);
}

void rdi_paper_heading(rdi_paper *paper, const char *text) {
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_text_puts(&paper->t, text);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static unsigned columns_of(const char *text, size_t bytes) {
    unsigned n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

unsigned rdi_text_columns(const char *text) {
    return columns_of(text, strlen(text));
}

void rdi_paper_column(rdi_paper *paper, int columns, const char *text) {
    unsigned used = rdi_text_columns(text), wanted = (unsigned)(columns < 0 ? -columns : columns);
    unsigned space = used < wanted ? wanted - used : 0;
    if (columns < 0)
        rdi_text_fill(&paper->t, ' ', space);
    rdi_text_puts(&paper->t, text);
    if (columns > 0)
        rdi_text_fill(&paper->t, ' ', space);
}

void rdi_paper_count(rdi_paper *paper, int columns, uint64_t count) {
    char text[16];
    rd_format_count((double)count, text);
    rdi_paper_column(paper, columns, text);
}

void rdi_paper_share(rdi_paper *paper, int columns, uint64_t part, uint64_t all) {
    char text[RDI_FORMAT_ROOM] = "";
    if (all)
        rdi_format_share((double)part / (double)all, text);
    rdi_paper_column(paper, columns, text);
}

/* Bars of one eighth to eight eighths of a cell. */
static const char *const eighths[] = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

unsigned rdi_paper_bar(rdi_paper *paper, double share, unsigned cells) {
    unsigned parts = paper->style.unicode ? 8 : 1;
    unsigned n = (unsigned)(share * cells * parts + 0.5), used = 0;
    n = n == 0 && share > 0 ? 1 : n > cells * parts ? cells * parts : n;
    rdi_paper_ink(paper, RDI_INK_DRAWING);
    for (; n >= parts; n -= parts, used++)
        rdi_text_puts(&paper->t, paper->style.unicode ? eighths[7] : "#");
    if (n > 0) {
        rdi_text_puts(&paper->t, eighths[n - 1]);
        used++;
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    return used;
}

void rdi_paper_divided_bar(rdi_paper *paper, const uint64_t *counts, size_t n, unsigned cells) {
    static const char *const fill[2][4] = {{"#", "=", ".", "x"}, {"█", "▒", "░", "▚"}};
    uint64_t all = 0, upto = 0;
    unsigned at = 0;
    for (size_t i = 0; i < n; i++)
        all += counts[i];
    rdi_paper_ink(paper, RDI_INK_DRAWING);
    for (size_t i = 0; i < n && all; i++) {
        upto += counts[i];
        for (; at < (unsigned)((double)upto / (double)all * cells + 0.5); at++)
            rdi_text_puts(&paper->t, fill[paper->style.unicode][i]);
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_fill(&paper->t, ' ', cells - at);
}

/* Returns the length of the next text that must stay on one line: a word, or a number with its
 * unit. */
static size_t unbroken_length(const char *text) {
    size_t n = strcspn(text, " ");
    while (n > 0 && text[n] && text[n - 1] >= '0' && text[n - 1] <= '9')
        n += 1 + strcspn(text + n + 1, " ");
    return n;
}

void rdi_paper_wrap(rdi_paper *paper, const char *text) {
    unsigned column = 0;
    while (*text) {
        size_t n = unbroken_length(text);
        unsigned columns = columns_of(text, n);
        if (column > 0 && column + 1 + columns > paper->style.width) {
            rdi_text_putc(&paper->t, '\n');
            column = 0;
        }
        if (column > 0)
            rdi_text_putc(&paper->t, ' ');
        rdi_text_add(&paper->t, text, n);
        column += (column > 0) + columns;
        text += n + strspn(text + n, " ");
    }
    rdi_text_putc(&paper->t, '\n');
}

void rdi_format_grouped(uint64_t x, char text[32]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, x), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void rdi_format_share(double share, char *text) {
    double percent = share * 100;
    if (percent <= 0 || percent >= 100)
        snprintf(text, RDI_FORMAT_ROOM, "%d %%", percent <= 0 ? 0 : 100);
    else if (percent < 0.005)
        snprintf(text, RDI_FORMAT_ROOM, "<0.01 %%");
    else if (percent > 99.995)
        snprintf(text, RDI_FORMAT_ROOM, ">99.99 %%");
    else
        rdi_snprintf(text, RDI_FORMAT_ROOM, "%.*f %%", percent < 0.995 || percent > 99.94 ? 2 : 1,
                     percent);
}

void rdi_format_band(double low, double high, char *text) {
    char from[RDI_FORMAT_ROOM], to[RDI_FORMAT_ROOM];
    rdi_format_share(low, from);
    rdi_format_share(high, to);
    snprintf(text, RDI_BAND_ROOM, "%s .. %s", from, to);
}

void rdi_format_units(double number, char *text) {
    char bytes[16];
    rd_format_bytes(number, bytes);
    size_t n = strlen(bytes);
    bytes[n - 1] = '\0'; /* removes the B, because the number does not count bytes */
    if (n > 1 && bytes[n - 2] == ' ')
        bytes[n - 2] = '\0';
    snprintf(text, RDI_FORMAT_ROOM, "%s", bytes);
}

void rdi_format_size(const rdi_paper *paper, uint64_t blocks, char *text) {
    if (paper->block_bytes)
        rd_format_bytes((double)blocks * (double)paper->block_bytes, text);
    else
        rdi_format_objects(blocks, text);
}

void rdi_format_limit(const rdi_paper *paper, uint64_t above, char text[RDI_LIMIT_ROOM]) {
    char size[RDI_FORMAT_ROOM];
    rdi_format_size(paper, above, size);
    snprintf(text, RDI_LIMIT_ROOM, "at most%s%s", above ? "; more than " : "", above ? size : "");
}

void rdi_format_power(const rdi_paper *paper, uint64_t blocks, char *text) {
    if (paper->block_bytes)
        rd_format_bytes((double)blocks * (double)paper->block_bytes, text);
    else
        rdi_format_units((double)blocks, text);
}

void rdi_format_objects(uint64_t objects, char *text) {
    if (objects >= GROUPED_MAX)
        rd_format_count((double)objects, text);
    else if (objects >= 1000000)
        snprintf(text, RDI_FORMAT_ROOM, "%" PRIu64 ",%03" PRIu64 ",%03" PRIu64, objects / 1000000,
                 objects / 1000 % 1000, objects % 1000);
    else if (objects >= 1000)
        snprintf(text, RDI_FORMAT_ROOM, "%" PRIu64 ",%03" PRIu64, objects / 1000, objects % 1000);
    else
        snprintf(text, RDI_FORMAT_ROOM, "%" PRIu64, objects);
}

static void tell_sampling(rdi_paper *paper, const rd_profile *p) {
    double kept = rdi_profile_kept(p);
    char text[160];
    if (isnan(kept))
        snprintf(text, sizeof text, "Sampled: the recorder skipped parts of the program's run.");
    else
        rdi_snprintf(text, sizeof text,
                     "Sampled: the recorder kept %.3g %% of the program's references.", 100 * kept);
    if (rd_profile_facts_of(p)->skipped)
        rdi_paper_wrap(paper, text);
}

const char *rdi_order_name(const char *interleave, uint64_t threads) {
    return threads == 1 ? "recorded" : interleave;
}

bool rdi_format_recorded(const rd_profile *p, double coherence, char text[RDI_RECORDED_ROOM]) {
    const rd_interleaving *i = rd_profile_interleaving(p);
    char share[RDI_FORMAT_ROOM];
    uint64_t references = rd_profile_facts_of(p)->references;
    if (!i || i->recorded_coherence == RD_UNKNOWN || references == 0)
        return false;
    double recorded = (double)i->recorded_coherence / (double)references;
    if (recorded > coherence - 0.01 && recorded < coherence + 0.01)
        return false;
    rdi_format_share(recorded, share);
    snprintf(text, RDI_RECORDED_ROOM,
             "%s coherence misses; for details, use --interleave=recorded\n", share);
    return true;
}

static void tell_interleaving(rdi_paper *paper, const rd_profile *p) {
    const rd_interleaving *i = rd_profile_interleaving(p);
    char text[320];
    if (!i)
        return;
    if (i->threads == 1)
        snprintf(text, sizeof text, "With a single thread, lockstep is the recorded order.");
    else
        snprintf(text, sizeof text,
                 "The %" PRIu64 " threads are interleaved in lockstep, in turns of %" PRIu64
                 " reference%s, because recorders serialize threads or collect their references. "
                 "After a thread has waited for another one, its references come after those that "
                 "the other one made before the release.",
                 i->threads, i->turn, i->turn == 1 ? "" : "s");
    rdi_paper_wrap(paper, text);
    snprintf(text, sizeof text,
             "The reorder buffer of %" PRIu64 " records was too small for %" PRIu64
             " turn%s; there, the recorded order is kept.",
             i->reorder, i->overflows, i->overflows == 1 ? "" : "s");
    if (i->overflows)
        rdi_paper_wrap(paper, text);
}

static void tell_unrecorded(rdi_paper *paper, const rd_profile *p) {
    uint64_t n = rd_profile_facts_of(p)->unrecorded;
    char text[200];
    if (n == 1)
        snprintf(text, sizeof text,
                 "1 process was not recorded: a child of the program, or the program itself after "
                 "exec(). The results do not cover it. To record it, use --trace-children.");
    else
        snprintf(text, sizeof text,
                 "%" PRIu64 " processes were not recorded: children of the program, or programs "
                 "after exec(). The results do not cover them. To record them, use "
                 "--trace-children.",
                 n);
    if (n)
        rdi_paper_wrap(paper, text);
}

void rdi_paper_title(rdi_paper *paper, const rd_profile *p) {
    rdi_text *t = &paper->t;
    const rd_source *sources;
    size_t n = rd_profile_sources(p, &sources);
    rdi_paper_ink(paper, RDI_INK_BOLD);
    if (n == 1 && sources[0].path)
        rdi_text_escaped(t, strcmp(sources[0].path, "-") == 0 ? "standard input" : sources[0].path);
    else if (n > 1)
        rdi_text_printf(t, "%zu traces", n);
    else
        rdi_text_puts(t, "profile");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    if (n == 1 && sources[0].format) {
        rdi_text_puts(t, " (");
        rdi_text_escaped(t, sources[0].format);
        rdi_text_putc(t, ')');
    }
    rdi_text_putc(t, '\n');
    if (rd_profile_facts_of(p)->partial)
        rdi_paper_wrap(
            paper,
            "The trace is incomplete. The results cover the run up to the end of the trace.");
    tell_unrecorded(paper, p);
    tell_sampling(paper, p);
    tell_interleaving(paper, p);
}

static bool has_error_kind(const rd_profile_facts *f, const char *kind) {
    return f->error_bound > 0 && f->error_kind && strcmp(f->error_kind, kind) == 0;
}

void rdi_paper_error(rdi_paper *paper, const rd_profile_facts *f) {
    rdi_text *t = &paper->t;
    if (has_error_kind(f, RDI_KIND_BURSTS)) {
        rdi_text_printf(
            t, "the bands of the miss ratios (95 %% confidence) are up to %.3g points wide",
            100 * f->error_bound);
    } else if (f->skipped) {
        rdi_text_puts(t, "unknown: the recorder skipped parts of the run");
    } else if (has_error_kind(f, RDI_KIND_SAMPLED)) {
        rdi_text_printf(t, "miss ratios are at most %s%.3g points off (95 %% confidence)",
                        paper->style.unicode ? "\xc2\xb1" : "+/-", 100 * fmin(f->error_bound, 1));
    } else if (has_error_kind(f, "relative")) {
        rdi_text_printf(t, "distances are at most %.3g %% too small, never too large",
                        100 * f->error_bound);
    } else if (has_error_kind(f, "absolute")) {
        rdi_text_printf(t, "distances are at most %.6g blocks too small, never too large",
                        f->error_bound);
    } else {
        rdi_text_puts(t, "no error bound is known (");
        rdi_text_escaped(t, f->error_kind ? f->error_kind : "unknown");
        rdi_text_putc(t, ')');
    }
}

void rdi_paper_estimate(rdi_paper *paper, const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    if (f->exact || f->references == 0 || rd_mrc_has_band(p))
        return;
    rdi_paper words = {.t = rdi_text_start(paper->t.ctx), .style = paper->style};
    rdi_text_puts(&words.t, "The miss ratios are estimates, engine ");
    rdi_text_escaped(&words.t, f->engine ? f->engine : "unknown");
    rdi_text_puts(&words.t, ". Error: ");
    rdi_paper_error(&words, f);
    rdi_text_putc(&words.t, '.');
    if (words.t.status == RD_OK)
        rdi_paper_wrap(paper, words.t.data);
    else
        paper->t.status = words.t.status;
    rdi_text_drop(&words.t);
}
