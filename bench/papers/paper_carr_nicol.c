/* Implements the suite `carr-nicol` of paper-bench: measures Carr and Nicol's tables 1, 2, 3 and 5,
 * and prints the paper's numbers beside the results.
 *
 * The paper's machines were a MasPar MP-2 with 1K, 4K or 16K processing elements for the SIMD
 * algorithms, an Intel Paragon for the MIMD algorithm, and a Sparc-20 for the serial algorithm.
 * E. Carr, D. M. Nicol. Empirical study of parallel LRU simulation algorithms. ICASE 94-87, 1994.
 */
#include "papers.h"

#include <inttypes.h>
#include <stdlib.h>

#define REFERENCE "stream"
/* References on the processor: 1K elements with 1024 references each. */
#define CPU_REFS ((size_t)1 << 20)
/* References on a device: 16K elements with 1024 references each. */
#define DEVICE_REFS ((size_t)1 << 24)

/* A line of a table, with the paper's times in microseconds per reference. A negative time means
 * that the paper has none. */
typedef struct cell {
    const char *table, *engine, *options, *parameter;
    uint64_t value; /* value of the parameter */
    uint64_t bound; /* bound in blocks; 0: none */
    double paper_1k, paper_16k;
} cell;

static void print_header(const bench *b, const char *title) {
    if (!b->options->json)
        printf("\n%s\n%-22s %-13s %-5s %3s %10s %10s %12s %12s\n", title, "trace", "parameter",
               "where", "thr", "ns/ref", "best", "paper 1K us", "16K us");
}

static void print_paper(double microseconds) {
    if (microseconds >= 0)
        printf(" %12g", microseconds);
    else
        printf(" %12s", "-");
}

/* Prints one line of the table, and the JSON line. */
static void print_cell(bench *b, const cell *c, const char *where, const bench_result *r) {
    double ns = r->median * 1e9 / (double)r->references;
    double best = r->best * 1e9 / (double)r->references;
    if (!b->options->json) {
        char parameter[32] = "-";
        if (c->value)
            snprintf(parameter, sizeof parameter, "%s=%" PRIu64, c->parameter, c->value);
        printf("%-22.22s %-13s %-5s %3" PRIu32 " %10.3f %10.3f", r->trace, parameter, where,
               r->threads, ns, best);
        print_paper(c->paper_1k);
        print_paper(c->paper_16k);
        printf("  %s\n", r->answer);
        fflush(stdout);
    }
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "table", c->table);
    rd_json_put_string(w, "trace", r->trace);
    rd_json_put_string(w, "engine", r->engine);
    rd_json_put_u64(w, c->parameter, c->value);
    rd_json_put_string(w, "where", where);
    rd_json_put_u64(w, "threads", r->threads);
    rd_json_put_u64(w, "references", r->references);
    rd_json_put_string(w, "answer", r->answer);
    rd_json_put_fixed(w, "ns_per_reference", ns, 4);
    rd_json_put_fixed(w, "best_ns_per_reference", best, 4);
    rd_json_put_double(w, "paper_1k_us", c->paper_1k);
    rd_json_put_double(w, "paper_16k_us", c->paper_16k);
    bench_end_line(b);
}

/* Returns the number of references: as many as the user asks for; otherwise as many as the paper's
 * machines held or, for the programs in table 5, all of the trace. A shorter trace is used as a
 * whole. */
static size_t references_of(const bench *b, const bench_trace *t, const cell *c, bool device) {
    size_t most = device ? DEVICE_REFS : CPU_REFS;
    if (b->options->refs)
        most = b->options->refs;
    else if (*c->table == '5')
        most = t->n;
    return t->n < most ? t->n : most;
}

/* Checks the engine against the reference engine and then times it, on the processor or on a
 * device. */
static bool run_cell(bench *b, const bench_trace *t, const cell *c, bool device) {
    char spec[128];
    snprintf(spec, sizeof spec, "%s:%s%s%s", c->engine, device ? "backend=cuda" : "isa=auto",
             *c->options ? "," : "", c->options);
    bench_trace part = *t;
    part.n = references_of(b, t, c, device);
    bench_answer expected = {0};
    bench_result reference, r;
    b->bound = c->bound;
    bool ok = bench_check(b, &part, REFERENCE, 1, &expected, &reference) &&
              bench_check(b, &part, spec, (uint32_t)b->options->threads, &expected, &r) &&
              bench_time(b, &part, &r);
    b->bound = 0;
    if (!ok)
        return false;
    print_cell(b, c, device ? "cuda" : "cpu", &r);
    return true;
}

static bool run_both(bench *b, const bench_trace *t, const cell *c, bool device) {
    return run_cell(b, t, c, false) && (!device || run_cell(b, t, c, true));
}

/* Makes random references to `blocks` blocks, the paper's rand-k. */
static bool load_random(bench *b, uint64_t blocks, bench_trace *t, char *name, size_t room,
                        bool device) {
    char spec[96];
    uint64_t refs = b->options->refs ? b->options->refs : device ? DEVICE_REFS : CPU_REFS;
    snprintf(spec, sizeof spec, "uniform:blocks=%" PRIu64 ",refs=%" PRIu64, blocks, refs);
    const bench_options *options = b->options;
    bench_options plain = *options;
    plain.block = NULL; /* each random number is a block, and -b applies only to the programs */
    b->options = &plain;
    bool ok = bench_load(b, spec, t);
    b->options = options;
    if (!ok)
        return false;
    snprintf(name, room, "rand-%" PRIu64, blocks);
    t->name = name;
    return true;
}

/* ---- tables 1 and 2: rand-4 and rand-1024 ---- */

static bool table_1(bench *b, const bench_trace *t, bool four, bool device) {
    static const uint64_t depth[] = {4, 16, 256, 1024};
    static const double paper[2][2][4] = {
        /* The paper prints 4.0e-3 for 16K elements at C = 16, probably a misprint of 4.0e-2. */
        {{0.13, 0.64, 10.7, 43.0}, {8.4e-3, 4.0e-2, 0.67, 2.7}},
        {{0.13, 0.58, 9.6, 38.8}, {8.4e-3, 3.6e-2, 0.59, 2.4}},
    };
    for (size_t i = 0; i < 4; i++) {
        cell c = {"1",      "levels", "compact=off",      "C",
                  depth[i], depth[i], paper[!four][0][i], paper[!four][1][i]};
        if (!run_both(b, t, &c, device))
            return false;
    }
    return true;
}

/* Measures table 2. The length of a round is the number of references per element times the number
 * of elements. */
static bool table_2(bench *b, const bench_trace *t, bool device) {
    static const double paper_1k[] = {98.8, 69.5, 27.0, 23.8, 22.7, 22.7, 22.7, 23.2, 23.8, 24.5};
    static const double paper_16k[] = {5.93, 4.88, 4.33, 4.11, 4.03, 4.02, 4.04, 4.09, 4.13, 4.19};
    for (uint64_t bits = 11; bits <= (device ? 24 : 20); bits++) {
        uint64_t phase = (uint64_t)1 << bits;
        char options[32];
        snprintf(options, sizeof options, "phase=%" PRIu64, phase);
        cell c = {"2",
                  "geometric",
                  options,
                  "phase",
                  phase,
                  0,
                  bits <= 20 ? paper_1k[bits - 11] : -1,
                  bits >= 15 && bits <= 24 ? paper_16k[bits - 15] : -1};
        bool ok = bits > 20 || run_cell(b, t, &c, false);
        ok = ok && (!device || bits < 15 || run_cell(b, t, &c, true));
        if (!ok)
            return false;
    }
    return true;
}

static bool random_tables(bench *b, bool device) {
    for (int four = 1; four >= 0; four--) {
        bench_trace t;
        char name[32];
        if (!load_random(b, four ? 4 : 1024, &t, name, sizeof name, device))
            return false;
        print_header(b, "Table 1: level by level, by C");
        bool ok = table_1(b, &t, four, device);
        if (ok)
            print_header(b, "Table 2: general geometric, by the length of a round");
        ok = ok && table_2(b, &t, device);
        bench_unload(&t);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- table 3: bounded range ---- */

static bool table_3(bench *b, bool device) {
    static const double paper_1k[] = {2.63, 2.83, 3.06, 3.42, 4.05, 5.18, 7.35,
                                      12.2, 17.1, 26.3, 42.5, 73.5, 134.8};
    static const double paper_16k[] = {0.166, 0.178, 0.193, 0.217, 0.257, 0.326, 0.463,
                                       0.740, 1.29,  2.40,  4.60,  8.50,  14.4};
    print_header(b, "Table 3: bounded-range geometric, by the range B");
    for (size_t i = 0; i < 13; i++) {
        uint64_t range = (uint64_t)4 << i;
        bench_trace t;
        char name[32], options[32];
        if (!load_random(b, range, &t, name, sizeof name, device))
            return false;
        snprintf(options, sizeof options, "next=range:%" PRIu64, range);
        cell c = {"3", "geometric", options, "B", range, 0, paper_1k[i], paper_16k[i]};
        bool ok = run_both(b, &t, &c, device);
        bench_unload(&t);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- table 5: programs ---- */

static bool table_5_trace(bench *b, const bench_trace *t, bool device) {
    static const uint64_t depth[] = {4, 16, 64, 256, 1024};
    /* The paper's means over its three programs, in microseconds per reference. */
    static const double paper[] = {0.13, 0.61, 2.57, 10.4, 41.9};
    for (size_t i = 0; i < 5; i++) {
        cell c = {"5", "levels", "compact=off", "C", depth[i], depth[i], paper[i], -1};
        if (!run_both(b, t, &c, device))
            return false;
    }
    cell geometric = {"5", "geometric", "", "depth", 0, 0, 22.5, -1};
    return run_both(b, t, &geometric, device);
}

/* Measures the serial and the MIMD columns: unbounded distances, on one thread and on all
 * threads. */
static bool table_5_others(bench *b, const bench_trace *t) {
    static const char *const engines[] = {"olken:tree=splay", "parda", "auto"};
    uint32_t threads[] = {1, (uint32_t)b->options->threads, (uint32_t)b->options->threads};
    bench_trace part = *t;
    /* The number of references is limited, because the serial engine is slow. */
    size_t most = b->options->refs ? b->options->refs : DEVICE_REFS;
    part.n = part.n < most ? part.n : most;
    bench_answer expected = {0};
    bench_header(b);
    return bench_compare(b, &part, engines, 3, threads, &expected);
}

static bool table_5(bench *b, int n, char **traces, bool device) {
    for (int i = 0; i < n; i++) {
        bench_trace t;
        if (!bench_load(b, traces[i], &t))
            return false;
        print_header(b, "Table 5: programs (paper: means of three; serial 31.8 to 35.2 us, "
                        "64 Paragon nodes 1.23 to 1.3 us)");
        bool ok = table_5_trace(b, &t, device) && table_5_others(b, &t);
        bench_unload(&t);
        if (!ok)
            return false;
    }
    return true;
}

static bool run_carr_nicol(bench *b, int n, char **traces) {
    bool device = bench_has(b, "levels:backend=cuda");
    return n ? table_5(b, n, traces, device) : random_tables(b, device) && table_3(b, device);
}

const bench_suite paper_carr_nicol = {
    "carr-nicol", "Carr and Nicol's tables 1, 2 and 3, or table 5 for the given traces",
    run_carr_nicol};
