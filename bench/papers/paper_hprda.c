/* Implements the suite `hprda` of paper-bench: measures HP-RDA's figures 10 to 17 on the given
 * traces, and prints the paper's numbers beside the results.
 *
 * The paper measured SPEC CPU2000 on a Tesla C2050 and on a Xeon E5506 with four cores. Its
 * sequential algorithm uses a balanced tree; here it is the AVL tree, `olken:tree=avl`. A splay tree
 * is several times as fast, so it is measured too. The paper's Figure 11 includes the time of the
 * instrumented program. Here, the time to read the recorded trace replaces it.
 */
#include "papers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TREE   "olken:tree=avl"
#define POINTS 23 /* number of points of the curves in figures 12 and 13 */

/* The engines and options that are compared, in this order. */
enum { SEQUENTIAL, SPLAY, EXACT, THREADS, THREADS_UNADJUSTED, DEVICE, EXACT_DEVICE, WAYS };
static const char *const ways[WAYS] = {TREE,
                                       "olken:tree=splay",
                                       "auto",
                                       "hprda:backend=openmp",
                                       "hprda:backend=openmp,adjust=off",
                                       "hprda:backend=cuda",
                                       "gpu"};

/* The results of one engine with its options. */
typedef struct outcome {
    bool ran;
    double seconds[32], median;
    double error, accuracy; /* error and accuracy, compared with the result of the tree */
    double curve[POINTS];   /* share of the finite distances below 1, 2, 4 ... 4M */
    char note[BENCH_NOTE];
} outcome;

typedef struct evaluation {
    outcome way[WAYS];
    double reading; /* time to read the trace, in seconds */
    uint64_t references, blocks;
} evaluation;

/* Sums over all traces, for the averages at the end, and one maximum. */
typedef struct averages {
    unsigned n;
    double threads, device, whole_threads, whole_device, adjusted, unadjusted;
    double splay;          /* speed of the splay tree relative to the AVL tree */
    double worst_adjusted; /* the largest error of a trace with the adjustment */
} averages;

static void fill_curve(const rd_profile *p, double curve[POINTS]) {
    const rd_bin *bins = NULL;
    size_t n = rd_profile_bins(p, &bins);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    double finite = (double)(facts->references - facts->infinite);
    for (int k = 0; k < POINTS; k++) {
        uint64_t below = 0;
        for (size_t i = 0; i < n && bins[i].high < (uint64_t)1 << k; i++)
            below += bins[i].count;
        curve[k] = finite > 0 ? (double)below / finite : 0;
    }
}

static bool compare_with(bench *b, rd_profile *exact, rd_profile *p, outcome *o) {
    rd_comparison c;
    rd_status status = rd_compare(b->ctx, exact, p, (rd_binning){RD_BINS_LOG, 0}, &c);
    if (status != RD_OK) {
        b->status = fail_status(b->ctx, status);
        return false;
    }
    o->error = c.average_error;
    o->accuracy = c.accuracy;
    return true;
}

static bool is_sequential(const char *engine) {
    return strncmp(engine, "olken:", 6) == 0;
}

/* Runs one engine. If *exact is NULL, this is the exact run, and the caller receives its profile
 * and its context. */
static bool run_way(bench *b, const bench_trace *t, const char *engine, outcome *o,
                    rd_profile **exact, rd_ctx **exact_ctx) {
    uint32_t threads = is_sequential(engine) ? 1 : (uint32_t)b->options->threads;
    uint64_t runs = 0;
    do {
        rd_ctx *ctx = NULL;
        rd_profile *p = NULL;
        bool ok = bench_run(b, t, engine, threads, &ctx, &p, &o->seconds[runs], o->note);
        if (ok && !*exact) {
            *exact = p;
            *exact_ctx = ctx;
            p = NULL;
            ctx = NULL;
        }
        rd_profile *mine = p ? p : *exact;
        if (ok && runs == 0) {
            fill_curve(mine, o->curve);
            ok = compare_with(b, *exact, mine, o);
        }
        rd_profile_free(p);
        rd_ctx_free(ctx);
        if (!ok)
            return false;
    } while (o->seconds[runs++] < BENCH_LONG && runs < b->options->repeats);
    bench_result r = {.repeats = runs};
    memcpy(r.seconds, o->seconds, sizeof r.seconds);
    bench_summarize(&r);
    o->median = r.median;
    o->ran = true;
    return true;
}

/* ---- figures 10 to 15 ---- */

static void print_speed(const bench *b, const evaluation *e, const char *trace) {
    if (b->options->json)
        return;
    printf("\n%s: %" PRIu64 " references, %" PRIu64 " blocks, read in %.2f s\n", trace,
           e->references, e->blocks, e->reading);
    printf("  %-34s %9s %9s %9s %9s %9s\n", "", "seconds", "fig. 10", "fig. 11", "error %",
           "accur. %");
    for (int w = 0; w < WAYS; w++) {
        const outcome *o = &e->way[w];
        double tree = e->way[SEQUENTIAL].median;
        if (o->ran)
            printf("  %-34s %9.3f %8.2fx %8.2fx %9.4f %9.4f\n", ways[w], o->median,
                   tree / o->median, (e->reading + tree) / (e->reading + o->median), o->error * 100,
                   o->accuracy * 100);
    }
    for (int w = THREADS; w <= DEVICE; w++)
        if (e->way[w].ran && w != THREADS_UNADJUSTED)
            printf("  figure 15: %s\n", e->way[w].note);
}

static void print_curves(const bench *b, const evaluation *e) {
    static const int shown[] = {SEQUENTIAL, THREADS_UNADJUSTED, THREADS};
    static const char *const names[] = {"exact", "adjust=off", "adjust=on"};
    if (b->options->json)
        return;
    printf("  figures 12, 13: percent below 1, 2, 4 ... 4M\n");
    for (int i = 0; i < 3; i++) {
        printf("  %-10s", names[i]);
        for (int k = 0; k < POINTS; k++)
            printf(" %.1f", e->way[shown[i]].curve[k] * 100);
        putchar('\n');
    }
}

static void write_lines(bench *b, const evaluation *e, const char *trace) {
    for (int w = 0; w < WAYS; w++) {
        const outcome *o = &e->way[w];
        if (!o->ran)
            continue;
        rd_json_writer *line = bench_begin_line(b);
        rd_json_put_string(line, "figure", "10-15");
        rd_json_put_string(line, "trace", trace);
        rd_json_put_string(line, "engine", ways[w]);
        rd_json_put_u64(line, "threads", is_sequential(ways[w]) ? 1 : b->options->threads);
        rd_json_put_u64(line, "references", e->references);
        rd_json_put_u64(line, "blocks", e->blocks);
        rd_json_put_fixed(line, "reading_seconds", e->reading, 4);
        rd_json_put_fixed(line, "median_seconds", o->median, 4);
        rd_json_put_fixed(line, "speedup", e->way[SEQUENTIAL].median / o->median, 3);
        rd_json_put_fixed(line, "average_error", o->error, 8);
        rd_json_put_fixed(line, "accuracy", o->accuracy, 8);
        rd_json_begin_array(line, "below", RD_JSON_INLINE);
        for (int k = 0; k < POINTS; k++)
            rd_json_put_fixed(line, NULL, o->curve[k], 6);
        rd_json_end_array(line);
        rd_json_put_string(line, "note", o->note);
        bench_end_line(b);
    }
}

static void add_up(averages *sum, const evaluation *e) {
    double tree = e->way[SEQUENTIAL].median, threads = e->way[THREADS].median;
    sum->n++;
    sum->splay += tree / e->way[SPLAY].median;
    sum->threads += tree / threads;
    sum->whole_threads += (e->reading + tree) / (e->reading + threads);
    if (e->way[DEVICE].ran) {
        sum->device += tree / e->way[DEVICE].median;
        sum->whole_device += (e->reading + tree) / (e->reading + e->way[DEVICE].median);
    }
    sum->adjusted += e->way[THREADS].error;
    sum->unadjusted += e->way[THREADS_UNADJUSTED].error;
    if (e->way[THREADS].error > sum->worst_adjusted)
        sum->worst_adjusted = e->way[THREADS].error;
}

/* ---- figures 16 and 17 ---- */

static bool sweep_chunks(bench *b, const bench_trace *t, rd_profile *exact, rd_ctx *exact_ctx,
                         bool device) {
    for (int where = 0; where <= device; where++)
        for (uint64_t st = 256; st <= 16384; st *= 2) {
            outcome o = {0};
            char spec[64];
            snprintf(spec, sizeof spec, "hprda:backend=%s,ST=%" PRIu64, where ? "cuda" : "openmp",
                     st);
            if (!run_way(b, t, spec, &o, &exact, &exact_ctx))
                return false;
            double ns = o.median * 1e9 / (double)t->n;
            if (!b->options->json)
                printf("  figures 16, 17: %s ST=%-6" PRIu64 " error %.4f %%, %.2f ns/ref\n",
                       where ? "cuda  " : "openmp", st, o.error * 100, ns);
            rd_json_writer *line = bench_begin_line(b);
            rd_json_put_string(line, "figure", "16-17");
            rd_json_put_string(line, "trace", t->name);
            rd_json_put_string(line, "engine", spec);
            rd_json_put_u64(line, "ST", st);
            rd_json_put_fixed(line, "average_error", o.error, 8);
            rd_json_put_fixed(line, "accuracy", o.accuracy, 8);
            rd_json_put_fixed(line, "ns_per_reference", ns, 4);
            bench_end_line(b);
        }
    return true;
}

/* ---- all figures ---- */

static bool evaluate(bench *b, const bench_trace *t, evaluation *e, bool device) {
    rd_profile *exact = NULL;
    rd_ctx *exact_ctx = NULL;
    bool ok = true;
    for (int w = 0; w < WAYS && ok; w++)
        if (w < DEVICE || device)
            ok = run_way(b, t, ways[w], &e->way[w], &exact, &exact_ctx);
    if (ok) {
        e->references = t->n;
        e->blocks = rd_profile_facts_of(exact)->blocks;
        print_speed(b, e, t->name);
        print_curves(b, e);
        write_lines(b, e, t->name);
        ok = sweep_chunks(b, t, exact, exact_ctx, device);
    }
    rd_profile_free(exact);
    rd_ctx_free(exact_ctx);
    return ok;
}

static void print_averages(const bench *b, const averages *sum, bool device) {
    double n = sum->n ? sum->n : 1;
    if (b->options->json)
        return;
    printf("\naverages of %u traces              here     paper\n", sum->n);
    printf("  figure 10, threads          %8.2fx      3x (4 cores)\n", sum->threads / n);
    printf("  splay tree instead          %8.2fx\n", sum->splay / n);
    if (device)
        printf("  figure 10, device           %8.2fx   19.6x (33x at most)\n", sum->device / n);
    printf("  figure 11, threads          %8.2fx   1.85x (reading instead of instrumenting)\n",
           sum->whole_threads / n);
    if (device)
        printf("  figure 11, device           %8.2fx   15.1x (22x at most)\n",
               sum->whole_device / n);
    printf("  figure 14, adjusted       %8.4f %%   0.37 %% (under 1 %%; here at most %.4f %%)\n",
           sum->adjusted / n * 100, sum->worst_adjusted * 100);
    printf("  figure 14, not adjusted   %8.4f %%    1.2 %%\n", sum->unadjusted / n * 100);
}

static bool run_hprda(bench *b, int n, char **traces) {
    if (n == 0) {
        b->status = fail_usage("hprda: give one or more traces, preferably of programs");
        return false;
    }
    bool device = bench_has(b, ways[DEVICE]);
    averages sum = {0};
    for (int i = 0; i < n; i++) {
        bench_trace t;
        double start = bench_now();
        if (!bench_load(b, traces[i], &t))
            return false;
        evaluation e = {.reading = bench_now() - start};
        if (b->options->refs && t.n > b->options->refs)
            t.n = b->options->refs;
        bool ok = evaluate(b, &t, &e, device);
        bench_unload(&t);
        if (!ok)
            return false;
        add_up(&sum, &e);
    }
    print_averages(b, &sum, device);
    return true;
}

const bench_suite paper_hprda = {"hprda", "HP-RDA's figures 10 to 17, for the given traces",
                                 run_hprda};
