/* Implements the suite `figure7` of paper-bench, which measures Figure 7 of Zhong, Shen, Ding
 * (TOPLAS 2009): the speed of the order structures alone for more and more elements, and the
 * accuracy of the approximate order structures on a two-dimensional FFT.
 *
 * The test program is that of the paper: it references each range of N / 100 elements twice in a
 * row, so that half of the references have the distance N / 100 - 1. The suite computes the time of
 * the previous reference, so that engines do not look up blocks. It checks every distance, or the
 * histogram of an engine that gives no distances.
 */
#include "papers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STRETCHES   100
#define BATCH       512 /* references per batch; few, so that the structure has the whole cache */
#define SMALLEST    UINT64_C(100000)
#define LARGEST_FED UINT64_C(1000000000)
#define LARGEST     UINT64_C(1000000000000)
/* Number of references that are timed if there are more elements than LARGEST_FED. */
#define TIMED UINT64_C(100000000)
/* Runs that would take more seconds than this are left out. */
#define LONGEST_RUN   300
#define REPEAT_WITHIN 60 /* time limit in seconds for all repeats of an analyzer */

#define NOT_ASKED     "-" /* the analyzer was not requested, or was left out for a smaller N */

typedef struct analyzer {
    const char *paper;  /* name of the analyzer in the figure */
    const char *engine; /* engine specification; khw gets N as its last size */
    double error;       /* largest error, as a fraction of the distance */
    uint64_t blocks;    /* largest error, as a number of blocks */
} analyzer;

static const analyzer analyzers[] = {
    {"BK-2", "bk:arity=2", 0, 0},
    {"BK-16", "bk:arity=16", 0, 0},
    {"BK-256", "bk:arity=256", 0, 0},
    {"Cheetah", "olken:tree=splay", 0, 0},
    {"KHW", "khw:sizes=32:16K:%" PRIu64, 0, 0},
    {"99%", "scale:error=0.01", 0.01, 0},
    {"Sampling", "absolute:b=2048,c=0,tree=splay", 0, 2048},
    {"ZDK-2k", "absolute:b=2048,c=1024,tree=btree", 0, 2048},
};
#define ANALYZERS (sizeof analyzers / sizeof *analyzers)

/* The speed of one analyzer at one N. */
typedef struct speed {
    char engine[96];
    double seconds[32]; /* processor time of each repeat, in seconds */
    size_t repeats;
    double spent;
    uint64_t references, nodes;
    size_t bytes; /* peak memory in bytes */
    const char *left_out;
} speed;

static uint64_t references_of(uint64_t elements) {
    return elements > LARGEST_FED ? TIMED : 2 * elements;
}

/* ---- the test program ---- */

typedef struct traversal {
    rd_engine *engine;
    const analyzer *a;
    uint64_t elements, stretch;
    uint64_t last[BATCH], number[BATCH], distance[BATCH];
    bool wrong;
} traversal;

/* Feeds the next `n` references and checks their distances, if the engine gives any. Reference i is
 * to element `number` + i, and the previous reference to this element is reference `last` + i of
 * the trace. If `last` is RD_COLD, all of them are first references. */
static rd_status feed_batch(traversal *t, uint64_t number, uint64_t last, size_t n) {
    bool cold = last == RD_COLD;
    for (size_t i = 0; i < n; i++) {
        t->number[i] = number + i;
        t->last[i] = cold ? RD_COLD : last + i;
    }
    rd_known refs = {t->last, t->number};
    rd_status status = rd_engine_feed_known(t->engine, &refs, n, t->distance);
    if (!(rd_engine_info_of(t->engine)->caps & RD_CAP_DISTANCES))
        return status;
    uint64_t most = cold ? RD_COLD : t->stretch - 1, least = most;
    if (!cold)
        least -= t->a->blocks < most ? t->a->blocks : most;
    if (!cold)
        least -= (uint64_t)(t->a->error * (double)most);
    bool wrong = false;
    for (size_t i = 0; i < n; i++)
        wrong |= t->distance[i] < least || t->distance[i] > most;
    t->wrong |= wrong;
    return status;
}

static rd_status traverse(traversal *t, uint64_t number, uint64_t last, uint64_t n) {
    rd_status status = RD_OK;
    for (uint64_t at = 0; at < n && status == RD_OK; at += BATCH)
        status = feed_batch(t, number + at, last == RD_COLD ? last : last + at,
                            (size_t)(n - at < BATCH ? n - at : BATCH));
    return status;
}

/* Runs TIMED / 2 first references, and then as many reuses, on a tree that was prefilled with all
 * elements. */
static rd_status run_part(traversal *t) {
    uint64_t half = TIMED / 2;
    rd_status status = traverse(t, t->elements, RD_COLD, half);
    if (status != RD_OK)
        return status;
    uint64_t first = t->elements + half - t->stretch;
    return traverse(t, first, first, half);
}

/* References every element twice. */
static rd_status run_program(traversal *t) {
    rd_status status = RD_OK;
    for (uint64_t k = 0; k < STRETCHES && status == RD_OK; k++) {
        status = traverse(t, k * t->stretch, RD_COLD, t->stretch);
        if (status == RD_OK)
            status = traverse(t, k * t->stretch, 2 * k * t->stretch, t->stretch);
    }
    return status;
}

/* Returns whether the histogram is right: all reuses are in the right bin. Returns true for an engine whose
 * distances were checked; khw gives no distances. */
static bool is_counted(rd_engine *e, const traversal *t) {
    rd_profile *p = NULL;
    if (rd_engine_info_of(e)->caps & RD_CAP_DISTANCES)
        return true;
    if (rd_engine_finish(e) != RD_OK || rd_engine_profile(e, &p) != RD_OK)
        return false;
    const rd_bin *bins;
    bool right = rd_profile_bins(p, &bins) == 1 && bins[0].low < t->stretch &&
                 bins[0].high >= t->stretch - 1 && bins[0].count == t->elements;
    rd_profile_free(p);
    return right;
}

/* ---- speed ---- */

/* Fails the benchmark with a message that names the engine. */
static bool give_up(bench *b, const speed *s, const char *why) {
    b->status = fail("%s: %s", s->engine, why);
    return false;
}

/* Returns the processor time of this process, which depends less on other programs than the elapsed
 * time. Every analyzer has one thread. */
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs an analyzer once. The analyzer is left out if there is too little memory, or if its engine
 * does not support so many elements. Returns false after reporting a failure or a wrong answer. */
static bool run_once(bench *b, const analyzer *a, uint64_t elements, speed *s) {
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return give_up(b, s, "out of memory");
    rd_ctx_set_limit(ctx, (size_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (size_t)sysconf(_SC_PAGESIZE));
    rd_engine_config config = {.size = sizeof config, .references = references_of(elements)};
    traversal t = {.a = a, .elements = elements, .stretch = elements / STRETCHES};
    rd_status status = rd_engine_open(ctx, s->engine, &config, &t.engine);
    if (status == RD_OK && elements > LARGEST_FED)
        status = rd_engine_prefill(t.engine, elements);
    double start = processor_seconds();
    if (status == RD_OK)
        status = elements > LARGEST_FED ? run_part(&t) : run_program(&t);
    s->seconds[s->repeats] = processor_seconds() - start;
    bool ok = true;
    if (status == RD_ENOMEM)
        s->left_out = "memory";
    else if (status == RD_EUNSUPPORTED && elements > LARGEST_FED)
        s->left_out = "too many";
    else if (status != RD_OK)
        ok = give_up(b, s, rd_last_error(ctx));
    else if (t.wrong || !is_counted(t.engine, &t))
        ok = give_up(b, s, "the answer is wrong, so no speed is reported");
    if (ok && !s->left_out) {
        s->spent += s->seconds[s->repeats++];
        s->nodes = rd_engine_nodes(t.engine).most;
        s->bytes = rd_ctx_peak_bytes(ctx);
    }
    rd_engine_close(t.engine);
    rd_ctx_free(ctx);
    return ok;
}

static double median_of(speed *s) {
    bench_result r = {.repeats = s->repeats};
    memcpy(r.seconds, s->seconds, sizeof r.seconds);
    bench_summarize(&r);
    return r.median;
}

static void report_speed(bench *b, const analyzer *a, uint64_t elements, speed *s, double rate) {
    if (!b->options->json && s->left_out)
        printf(" %9s", s->left_out);
    else if (!b->options->json)
        printf(" %9.2f", rate);
    fflush(stdout);
    if (s->left_out && strcmp(s->left_out, NOT_ASKED) == 0)
        return;
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "analyzer", a->paper);
    rd_json_put_string(w, "engine", s->engine);
    rd_json_put_u64(w, "elements", elements);
    if (s->left_out) {
        rd_json_put_string(w, "left_out", s->left_out);
    } else {
        rd_json_put_u64(w, "references", s->references);
        rd_json_put_u64(w, "repeats", s->repeats);
        rd_json_put_fixed(w, "median_seconds", median_of(s), 6);
        rd_json_put_fixed(w, "mrefs_per_second", rate, 3);
        rd_json_put_u64(w, "nodes", s->nodes);
        rd_json_put_u64(w, "peak_bytes", s->bytes);
    }
    bench_end_line(b);
}

static void name_engine(const analyzer *a, uint64_t elements, speed *s) {
    const char *hole = strchr(a->engine, '%');
    snprintf(s->engine, sizeof s->engine, "%.*s", (int)(hole ? hole - a->engine : 90), a->engine);
    size_t used = strlen(s->engine);
    if (hole)
        snprintf(s->engine + used, sizeof s->engine - used, "%" PRIu64, elements);
}

/* Returns whether -e names the analyzer by its name in the figure or by its engine. Without -e, all
 * analyzers are used. */
static bool is_asked(const bench *b, const analyzer *a) {
    const rd_strings *asked = &b->options->engines;
    for (size_t i = 0; i < asked->n; i++) {
        size_t len = strlen(asked->value[i]);
        if (strcmp(asked->value[i], a->paper) == 0 ||
            (strncmp(asked->value[i], a->engine, len) == 0 && strchr(":", a->engine[len])))
            return true;
    }
    return asked->n == 0;
}

/* Measures all analyzers at one N, in turn. Sets rates[] to the speed of each analyzer, or to 0 if
 * it is left out. */
static bool measure_at(bench *b, uint64_t elements, double rates[ANALYZERS]) {
    static speed all[ANALYZERS];
    memset(all, 0, sizeof all);
    for (size_t i = 0; i < ANALYZERS; i++) {
        name_engine(&analyzers[i], elements, &all[i]);
        all[i].references = references_of(elements);
        bool too_long = rates[i] > 0 && (double)all[i].references / 1e6 / rates[i] > LONGEST_RUN;
        bool stopped = rates[i] == 0 && elements > SMALLEST;
        if (too_long || stopped || !is_asked(b, &analyzers[i]))
            all[i].left_out = too_long ? "too long" : NOT_ASKED;
    }
    for (uint64_t k = 0; k < b->options->repeats; k++)
        for (size_t i = 0; i < ANALYZERS; i++)
            if (!all[i].left_out && (k == 0 || all[i].spent < REPEAT_WITHIN) &&
                !run_once(b, &analyzers[i], elements, &all[i]))
                return false;
    if (!b->options->json)
        printf("%13" PRIu64, elements);
    for (size_t i = 0; i < ANALYZERS; i++) {
        rates[i] = all[i].left_out ? 0 : (double)all[i].references / median_of(&all[i]) / 1e6;
        report_speed(b, &analyzers[i], elements, &all[i], rates[i]);
    }
    if (!b->options->json)
        puts("");
    return true;
}

static bool measure_speed(bench *b) {
    double rates[ANALYZERS] = {0}, least = INFINITY, most = 0;
    size_t scale = 0;
    while (strncmp(analyzers[scale].engine, "scale", 5) != 0)
        scale++;
    if (!b->options->json) {
        printf(
            "\nspeed in millions of references per second of processor time, without hashing\n%13s",
            "elements");
        for (size_t i = 0; i < ANALYZERS; i++)
            printf(" %9s", analyzers[i].paper);
        puts("");
    }
    for (uint64_t n = SMALLEST; n <= LARGEST; n *= 10) {
        if (b->options->refs && references_of(n) > b->options->refs)
            continue;
        if (!measure_at(b, n, rates))
            return false;
        if (rates[scale] > 0)
            least = rates[scale] < least ? rates[scale] : least;
        most = rates[scale] > most ? rates[scale] : most;
    }
    if (!b->options->json && most > 0)
        printf("%s: fastest and slowest are %.2fx apart; the paper has 1.2 at any size\n",
               analyzers[scale].paper, most / least);
    return true;
}

/* ---- accuracy on a 2-D FFT ---- */

#define FFT          "fft:rows=128,columns=256,refs=5M"
#define WIDTH        2048
#define BINS         "linear:2048"
#define WINDOW_FIRST 55296 /* smallest distance in the bins from 55K to 66K */
#define WINDOW_END   67584

static const struct {
    const char *paper, *engine;
    double limit;   /* largest fraction of references in wrong bins, according to the paper */
    uint64_t nodes; /* number of nodes according to the paper */
} panel[] = {
    {"exact", "olken:tree=splay", 0, 67000},
    {"99.9%", "scale:error=0.001", 0.002, 5869},
    {"99%", "scale:error=0.01", 0.02, 823},
    {"ZDK-2k", "absolute:b=2048,c=1024,tree=btree", 0.04, 2080},
};
#define PANEL (sizeof panel / sizeof *panel)

static bool analyze_fft(bench *b, const bench_trace *t, const char *engine, rd_profile **profile,
                        rd_nodes *nodes) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_LINEAR, WIDTH}};
    rd_status status = rd_engine_open(b->ctx, engine, &config, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, t->blocks, t->n, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, profile);
    if (status == RD_OK)
        *nodes = rd_engine_nodes(e);
    rd_engine_close(e);
    if (status != RD_OK)
        b->status = fail_status(b->ctx, status);
    return status == RD_OK;
}

/* Returns the fraction of all references whose distance is in the bin that begins at `low`. */
static double share_of_bin(const rd_profile *p, uint64_t low) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    for (size_t i = 0; i < n; i++)
        if (bins[i].low == low)
            return (double)bins[i].count / (double)rd_profile_facts_of(p)->references;
    return 0;
}

/* Returns the fraction of all references that are in a wrong bin: half the sum of the differences,
 * over the bins that begin at distances from `first` to `end` - 1. */
static double misplaced(const rd_profile *a, const rd_profile *b, uint64_t first, uint64_t end) {
    double sum = 0;
    for (uint64_t low = first; low < end; low += WIDTH)
        sum += fabs(share_of_bin(a, low) - share_of_bin(b, low));
    return sum / 2;
}

/* Returns the fraction of all references whose distance is from WINDOW_FIRST to
 * WINDOW_END - 1. */
static double share_of_window(const rd_profile *p) {
    double sum = 0;
    for (uint64_t low = WINDOW_FIRST; low < WINDOW_END; low += WIDTH)
        sum += share_of_bin(p, low);
    return sum;
}

static bool report_accuracy(bench *b, rd_profile *const profiles[PANEL], const rd_nodes *nodes) {
    if (!b->options->json)
        printf("%10s %12s %10s %12s %12s %12s %8s\n", "", "misplaced %", "paper %", "55K-66K %",
               "peak nodes", "compressed", "paper");
    for (size_t i = 0; i < PANEL; i++) {
        double all = misplaced(profiles[0], profiles[i], 0, 2 * WINDOW_END);
        double window = misplaced(profiles[0], profiles[i], WINDOW_FIRST, WINDOW_END);
        rd_comparison c = {0};
        if (rd_compare(b->ctx, profiles[0], profiles[i], (rd_binning){RD_BINS_LINEAR, WIDTH}, &c) !=
            RD_OK)
            return false;
        if (c.bound_checked && !c.bound_held) {
            b->status = fail("%s on %s: the result exceeds its error bound", panel[i].engine, FFT);
            return false;
        }
        if (!b->options->json)
            printf("%10s %12.4f %10.1f %12.4f %12" PRIu64 " %12" PRIu64 " %8" PRIu64 "\n",
                   panel[i].paper, 100 * all, 100 * panel[i].limit, 100 * window, nodes[i].most,
                   nodes[i].compressed, panel[i].nodes);
        rd_json_writer *w = bench_begin_line(b);
        rd_json_put_string(w, "analyzer", panel[i].paper);
        rd_json_put_string(w, "engine", panel[i].engine);
        rd_json_put_string(w, "trace", FFT);
        rd_json_put_string(w, "bins", BINS);
        rd_json_put_fixed(w, "misplaced", all, 8);
        rd_json_put_fixed(w, "paper_at_most", panel[i].limit, 4);
        rd_json_put_fixed(w, "misplaced_55k_to_66k", window, 8);
        rd_json_put_fixed(w, "share_55k_to_66k", share_of_window(profiles[i]), 8);
        rd_json_put_u64(w, "peak_nodes", nodes[i].most);
        rd_json_put_u64(w, "compressed_nodes", nodes[i].compressed);
        rd_json_put_u64(w, "paper_nodes", panel[i].nodes);
        bench_end_line(b);
    }
    return true;
}

/* Reports the curves of the lower graph of Figure 7. */
static void report_window(const bench *b, rd_profile *const profiles[PANEL]) {
    if (b->options->json)
        return;
    printf("\nshare of all references, percent\n%10s", "distance");
    for (size_t i = 0; i < PANEL; i++)
        printf(" %12s", panel[i].paper);
    puts("");
    for (uint64_t low = WINDOW_FIRST; low < WINDOW_END; low += WIDTH) {
        printf("%10" PRIu64, low);
        for (size_t i = 0; i < PANEL; i++)
            printf(" %12.4f", 100 * share_of_bin(profiles[i], low));
        puts("");
    }
}

static bool measure_accuracy(bench *b) {
    bench_trace t;
    rd_profile *profiles[PANEL] = {NULL};
    rd_nodes nodes[PANEL] = {{0, 0}};
    if (!bench_load(b, FFT, &t))
        return false;
    if (!b->options->json)
        printf("\naccuracy on a 2-D FFT (%s), bins %d wide\n", FFT, WIDTH);
    bool ok = true;
    for (size_t i = 0; i < PANEL && ok; i++)
        ok = analyze_fft(b, &t, panel[i].engine, &profiles[i], &nodes[i]);
    ok = ok && report_accuracy(b, profiles, nodes);
    if (ok)
        report_window(b, profiles);
    for (size_t i = 0; i < PANEL; i++)
        rd_profile_free(profiles[i]);
    bench_unload(&t);
    return ok;
}

static bool run_figure7(bench *b, int n, char **traces) {
    (void)traces;
    if (n > 0) {
        b->status = fail_usage("figure7 makes its own traces; give no trace");
        return false;
    }
    bool any = false;
    for (size_t i = 0; i < ANALYZERS; i++)
        any |= is_asked(b, &analyzers[i]);
    if (!any) {
        b->status =
            fail_usage("-e: figure7 has only the engines bk, olken, khw, scale and absolute");
        return false;
    }
    return measure_accuracy(b) && measure_speed(b);
}

const bench_suite paper_figure7 = {
    "figure7", "how fast and accurate are order structures up to 10^12 elements?", run_figure7};
