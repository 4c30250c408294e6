/* Says how far apart the reuses of the worst line are, and what to change. See line_words.h.
 *
 * Advice needs facts that distinguish its cause from other causes. A loop that runs across memory in large
 * strides reuses each block at the same distance, whereas the distances of a search in a tree vary. In a loop
 * with two lines that use the same blocks, one line reuses a block right after the other line used it, and
 * only the other line reuses it much later; in two passes over the same data, both lines reuse it much later.
 *
 * A source line has a row for each function with this line. The facts are about the line, so they are sums over
 * its rows. */
#include "report/line_words.h"

#include "profile/details.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "report/paper.h"
#include "report/report_details.h"

#define GUIDE          "(docs/guide.md, \"Other programs, other causes\")"
#define TELLING_LINE   0.1 /* least share of the misses of a level for advice about its worst line */
#define TELLING_REGION 3   /* least number of lines that make "many lines" */

/* The facts that the rules of advice need. */
typedef struct line_facts {
    const rd_profile *p;
    const rd_details *d;
    const rd_attribution *a;
    size_t level, line;
    rd_share share; /* share of the line */
    uint64_t block_bytes;
    uint64_t misses; /* number of misses of the line, first touches included */
    uint64_t again;  /* number of misses of the line without first touches */
    uint64_t all;    /* number of misses of the whole program */
} line_facts;

size_t rdi_worst_line(const rd_attribution *a, size_t level) {
    size_t worst = RD_NO_INDEX;
    uint64_t most = 0;
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_share *share = &a->lines[i].share;
        uint64_t avoidable = share->misses[level] - share->infinite;
        if (a->lines[i].function != RD_NO_INDEX && avoidable > most) {
            most = avoidable;
            worst = i;
        }
    }
    return worst;
}

bool rdi_is_same_line(const rd_attribution *a, size_t i, size_t k) {
    const rd_code_line *x = &a->lines[i], *y = &a->lines[k];
    return i == k ||
           (x->source != RD_NO_INDEX && x->source == y->source && x->line && x->line == y->line);
}

rd_share rdi_share_of_line(const rd_attribution *a, size_t line) {
    rd_share sum = {0};
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_share *row = &a->lines[i].share;
        if (!rdi_is_same_line(a, i, line))
            continue;
        sum.references += row->references;
        sum.infinite += row->infinite;
        rdi_sum_add(&sum.distance_sum, row->distance_sum);
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            sum.misses[k] += row->misses[k];
        for (size_t k = 0; k < RD_LOG_BINS; k++)
            sum.bins[k] += row->bins[k];
    }
    return sum;
}

/* Collects the facts. Returns false if the profile has no misses at this level, or no line with reuses that
 * miss: then facts.line is RD_NO_INDEX. */
static bool find_facts(const rd_profile *p, size_t level, line_facts *f) {
    const rd_details *d = rd_profile_details(p);
    *f = (line_facts){.p = p, .d = d, .level = level, .line = RD_NO_INDEX};
    if (!d || !d->attribution || level >= d->n_levels)
        return false;
    f->a = d->attribution;
    f->block_bytes = rd_profile_facts_of(p)->block_bytes;
    for (size_t i = 0; i < f->a->n_functions; i++)
        f->all += f->a->functions[i].share.misses[level];
    f->line = rdi_worst_line(f->a, level);
    if (f->line == RD_NO_INDEX)
        return false;
    f->share = rdi_share_of_line(f->a, f->line);
    f->misses = f->share.misses[level];
    f->again = f->misses - f->share.infinite;
    return true;
}

/* ---- distance ---- */

/* Returns the log bin that has the median of the reuses that miss, or RD_LOG_BINS if it is unknown. These
 * reuses are the longest ones of the line. */
static size_t median_bin(const line_facts *f) {
    const uint64_t *bins = f->share.bins;
    uint64_t longer = 0;
    for (size_t k = RD_LOG_BINS; k-- > 0;) {
        longer += bins[k];
        if (longer >= f->again - f->again / 2)
            return k;
    }
    return RD_LOG_BINS;
}

void rdi_say_distance(const rd_profile *p, size_t level, rdi_text *words) {
    line_facts f;
    if (!find_facts(p, level, &f) || rd_profile_facts_of(p)->bound)
        return;
    size_t bin = median_bin(&f);
    if (bin >= RD_LOG_BINS)
        return;
    char place[RDI_LABEL_ROOM], low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    uint64_t first = rdi_log_bin_low(bin), last = rdi_log_bin_high(bin);
    rdi_name_place(f.a, f.line, place);
    rdi_format_objects(first, low);
    rdi_format_objects(last, high);
    rdi_text_printf(words, "The reuses by %s that miss have a median distance of %s%s%s %s", place,
                    low, first == last ? "" : " to ", first == last ? "" : high,
                    f.block_bytes ? "blocks" : "objects");
    if (f.block_bytes) {
        rd_format_bytes((double)first * (double)f.block_bytes, low);
        rd_format_bytes(((double)last + 1) * (double)f.block_bytes, high);
        rdi_text_printf(words, ", or %s to %s of other data", low, high);
    }
    rdi_text_putc(words, '.');
}

/* ---- advice ---- */

static bool has_line(const line_facts *f, size_t line) {
    return line != RD_NO_INDEX && f->a->lines[line].source != RD_NO_INDEX && f->a->lines[line].line;
}

/* The reuses of blocks from one line to another: a sum over the rows of both lines. */
typedef struct line_pair {
    size_t use; /* a row of the line that used the blocks before; RD_NO_INDEX: no pair */
    uint64_t count, misses;
} line_pair;

static line_pair sum_pairs(const line_facts *f, size_t use, size_t reuse) {
    line_pair sum = {.use = use};
    for (size_t i = 0; i < f->a->n_pairs; i++) {
        const rd_reuse_pair *pair = &f->a->pairs[i];
        if (pair->use == RD_NO_INDEX || pair->reuse == RD_NO_INDEX ||
            !rdi_is_same_line(f->a, pair->use, use) || !rdi_is_same_line(f->a, pair->reuse, reuse))
            continue;
        sum.count += pair->count;
        sum.misses += pair->misses[f->level];
    }
    return sum;
}

/* Returns the pair that ends at the worst line and has more than half of its misses, or RD_NO_INDEX as `use`. */
static line_pair main_pair(const line_facts *f) {
    for (size_t i = 0; i < f->a->n_pairs; i++) {
        const rd_reuse_pair *pair = &f->a->pairs[i];
        if (pair->use == RD_NO_INDEX || pair->reuse == RD_NO_INDEX ||
            !rdi_is_same_line(f->a, pair->reuse, f->line))
            continue;
        line_pair sum = sum_pairs(f, pair->use, f->line);
        if (sum.misses > f->misses / 2)
            return sum;
    }
    return (line_pair){.use = RD_NO_INDEX};
}

/* Returns the misses of a line in a data region. */
static uint64_t misses_in(const line_facts *f, size_t line, size_t data) {
    uint64_t sum = 0;
    for (size_t i = 0; i < f->a->n_line_data; i++) {
        const rd_line_data *row = &f->a->line_data[i];
        if (row->data == data && rdi_is_same_line(f->a, row->line, line))
            sum += row->misses[f->level];
    }
    return sum;
}

/* Returns the data region in which the line has more than half of its misses, or NULL. */
static const rd_data_region *main_region(const line_facts *f) {
    for (size_t i = 0; i < f->a->n_line_data; i++) {
        const rd_line_data *row = &f->a->line_data[i];
        if (rdi_is_same_line(f->a, row->line, f->line) &&
            misses_in(f, f->line, row->data) > f->misses / 2)
            return &f->a->data[row->data];
    }
    return NULL;
}

/* Returns whether most of the fetched data is not used before its eviction. */
static bool uses_few_words(const line_facts *f) {
    const rd_spatial *s = f->d->spatial;
    if (!s || f->level >= f->d->n_levels || !s->levels[f->level].fetched)
        return false;
    double used = (double)s->levels[f->level].words / (double)s->levels[f->level].fetched;
    return used * (double)s->word_bytes < 0.5 * (double)f->block_bytes;
}

/* Returns whether three quarters of the reuses that miss have nearly the same distance: they are in two log
 * bins that follow each other. */
static bool has_one_distance(const line_facts *f) {
    const uint64_t *bins = f->share.bins;
    size_t k = median_bin(f);
    if (k >= RD_LOG_BINS)
        return false;
    uint64_t below = k ? bins[k - 1] : 0, above = k + 1 < RD_LOG_BINS ? bins[k + 1] : 0;
    uint64_t near = bins[k] + (below > above ? below : above);
    return near >= f->again - f->again / 4;
}

static bool runs_across(const line_facts *f) {
    line_pair pair = main_pair(f);
    return has_line(f, f->line) && pair.use != RD_NO_INDEX &&
           rdi_is_same_line(f->a, pair.use, f->line) && uses_few_words(f) && has_one_distance(f);
}

static bool are_two_passes(const line_facts *f) {
    line_pair pair = main_pair(f);
    if (!has_line(f, pair.use) || !has_line(f, f->line) ||
        rdi_is_same_line(f->a, pair.use, f->line))
        return false;
    line_pair back = sum_pairs(f, f->line, pair.use);
    return back.count - back.misses <= pair.count / 4;
}

/* Returns whether entry i is the first one in the list for its line and data region. */
static bool is_first_row(const line_facts *f, size_t i) {
    const rd_line_data *rows = f->a->line_data;
    for (size_t k = 0; k < i; k++)
        if (rows[k].data == rows[i].data && rdi_is_same_line(f->a, rows[k].line, rows[i].line))
            return false;
    return true;
}

/* Returns the region with more than half of all misses of the first level if at least TELLING_REGION lines have
 * more than a tenth of its misses each, no line has more than half of them, and less than half of the words of
 * its blocks are used. Stacks and memory without a name do not count. NULL: there is no such region. */
static const rd_data_region *cold_fields(const line_facts *f) {
    for (size_t i = 0; i < f->a->n_data && f->level == 0; i++) {
        const rd_data_region *data = &f->a->data[i];
        uint64_t misses = data->share.misses[0];
        size_t lines = 0;
        bool shared = misses > f->all / 2 && data->kind != RD_DATA_OTHER &&
                      data->kind != RD_DATA_STACK && data->words_used >= 0 &&
                      data->words_used < 0.5;
        for (size_t j = 0; j < f->a->n_line_data && shared; j++) {
            const rd_line_data *row = &f->a->line_data[j];
            if (row->data != i || !is_first_row(f, j))
                continue;
            uint64_t of_line = misses_in(f, row->line, i);
            lines += of_line > misses / 10;
            shared = of_line <= misses / 2;
        }
        if (shared && lines >= TELLING_REGION)
            return data;
    }
    return NULL;
}

/* Returns the global variable in which the line has most of its misses, although the variable fits into half of
 * the cache, or NULL. */
static const rd_data_region *displaced(const line_facts *f) {
    const rd_data_region *data = main_region(f);
    return data && data->kind == RD_DATA_GLOBAL && data->bytes &&
                   data->bytes <= f->d->levels[f->level].bytes / 2
               ? data
               : NULL;
}

static void say_line(const line_facts *f, rdi_text *words) {
    const rd_data_region *data = cold_fields(f), *small = displaced(f);
    if (runs_across(f))
        rdi_text_puts(words, "This is typical of a loop that steps through memory in large "
                             "strides: exchange the loops, "
                             "tile them, or transpose the data " GUIDE ".");
    else if (data)
        rdi_text_printf(words,
                        "Many lines use few words of each block of %s: separate the fields that "
                        "are used often, or make one array per field " GUIDE ".",
                        data->name);
    else if (are_two_passes(f))
        rdi_text_puts(words,
                      "This is typical of two passes over the same data: do both in one pass, "
                      "or pass over parts that fit into the cache " GUIDE ".");
    else if (small)
        rdi_text_printf(words,
                        "%s is small enough for this cache: look for large buffers that are used "
                        "in between, and make them smaller, or reuse one buffer " GUIDE ".",
                        small->name);
}

void rdi_say_advice(const rd_profile *p, size_t level, rdi_text *words) {
    line_facts f;
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool found = find_facts(p, level, &f);
    if (!f.block_bytes || facts->bound)
        return;
    if (found && (double)f.again >= TELLING_LINE * (double)f.all)
        say_line(&f, words);
    else if (!found && f.all && facts->infinite == facts->cold)
        rdi_text_puts(words,
                      "No cache avoids first touches: load less data, or prefetch it " GUIDE ".");
}
