/* Tests machines: the presets, the format of machine files and mistakes in them, the estimated misses and their
 * cost, and the detection of the host's caches from sysfs files that the test writes and by hwloc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/build_config.h"
#include "base/common.h"
#include "machine/hwloc_caches.h"
#include "machine/machine_host.h"
#include "model/machine_misses.h"
#include "reusedist/machine.h"
#include "support/context.h"
#include "support/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Tests that every preset is complete. A latency or clock rate that no document states is 0; the
 * known latencies grow from the innermost cache outward. */
static void every_preset_is_complete(void **state) {
    rd_ctx *ctx = *state;
    size_t n = rd_machine_count();
    assert_true(n >= 12);
    for (size_t i = 0; i < n; i++) {
        rd_machine m, found;
        assert_int_equal(rd_machine_at(ctx, i, &m), RD_OK);
        assert_true(m.title[0] && m.kind[0] && strlen(m.source) > 20);
        assert_true(m.line_bytes >= 64 && m.cores > 0);
        assert_true(m.clock_ghz == 0 || (m.clock_ghz > 1 && m.clock_ghz < 7));
        double inner = 0;
        for (size_t k = 0; k < m.caches.n; k++) {
            double latency = m.caches.cache[k].latency;
            assert_true(latency == 0 || latency > inner);
            inner = latency > 0 ? latency : inner;
        }
        assert_true(inner > 0);
        assert_true(m.caches.cache[m.caches.n - 1].shared);
        assert_int_equal(rd_machine_find(ctx, m.name, &found), RD_OK);
        assert_string_equal(found.title, m.title);
        for (size_t k = 0; k < i; k++) {
            rd_machine other;
            assert_int_equal(rd_machine_at(ctx, k, &other), RD_OK);
            assert_string_not_equal(other.name, m.name);
        }
    }
    rd_machine m;
    assert_int_equal(rd_machine_at(ctx, n, &m), RD_EINVAL);
}

/* Tests that the preset sapphire-rapids has the numbers of the documents that it cites. */
static void a_preset_has_the_numbers_of_its_sources(void **state) {
    rd_ctx *ctx = *state;
    rd_machine m;
    assert_int_equal(rd_machine_find(ctx, "sapphire-rapids", &m), RD_OK);
    const rd_cache *l3 = &m.caches.cache[2];
    assert_true(m.caches.n == 3 && l3->bytes == UINT64_C(105) << 20 && l3->ways == 15);
    assert_true(rd_cache_sets(l3, 64) == 114688 && l3->latency == 125 && l3->shared);
    assert_true(m.clock_ghz == 3.8 && m.memory_ns == 107 && m.cores == 56);
    assert_true(m.fetch.bytes == 32 << 10 && m.fetch.ways == 8);
}

static void the_text_of_a_machine_reads_back(void **state) {
    rd_ctx *ctx = *state;
    for (size_t i = 0; i < rd_machine_count(); i++) {
        rd_machine m, again;
        char *text = NULL, *repeated = NULL;
        assert_int_equal(rd_machine_at(ctx, i, &m), RD_OK);
        assert_int_equal(rd_machine_text(ctx, &m, &text), RD_OK);
        assert_int_equal(rd_machine_parse(ctx, "text", text, strlen(text), &again), RD_OK);
        assert_int_equal(rd_machine_text(ctx, &again, &repeated), RD_OK);
        assert_string_equal(repeated, text);
        assert_string_equal(again.source, m.source);
        assert_true(again.caches.n == m.caches.n && again.memory_ns == m.memory_ns);
        rd_text_free(ctx, text);
        rd_text_free(ctx, repeated);
    }
}

static void fetches_make_a_split_first_level(void **state) {
    rd_ctx *ctx = *state;
    rd_machine m;
    rd_hierarchy h;
    assert_int_equal(rd_machine_find(ctx, "zen4", &m), RD_OK);
    rd_machine_hierarchy(&m, false, &h);
    assert_true(h.n == 3 && !rd_hierarchy_is_split(&h));
    rd_machine_hierarchy(&m, true, &h);
    assert_true(h.n == 4 && rd_hierarchy_is_split(&h));
    assert_string_equal(h.cache[0].name, "L1I");
    assert_string_equal(h.cache[1].name, "L1D");
    assert_true(h.cache[1].bytes == 32 << 10 && h.cache[3].bytes == 32 << 20);
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_OK);
}

static void only_the_caches_are_needed(void **state) {
    rd_ctx *ctx = *state;
    static const char text[] = "# mine\n\n  [tiny]\r\n\tcaches=L1=1K:2";
    rd_machine m;
    assert_int_equal(rd_machine_parse(ctx, "text", text, sizeof text - 1, &m), RD_OK);
    assert_string_equal(m.name, "tiny");
    assert_true(m.caches.n == 1 && m.line_bytes == 64 && m.clock_ghz == 0 && m.fetch.bytes == 0);
}

static void mistakes_name_the_line(void **state) {
    rd_ctx *ctx = *state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "f: the file does not describe a machine"},
        {"caches = L1=32K:8\n", "f: line 1: the first line must be the name of the machine"},
        {"[a\n", "f: line 1: '[a' is not [NAME]"},
        {"[a]\n", "f: machine a has no caches"},
        {"[a]\ncaches\n", "f: line 2: 'caches' is neither [NAME] nor KEY = VALUE"},
        {"[a]\ncache = L1=32K\n", "f: line 2: unknown key 'cache'; did you mean caches?"},
        {"[a]\ncaches = L1=32K:x\n", "f: line 2: cache 'L1=32K:x'"},
        {"[a]\ncaches = L1=32K:7\n", "f: machine a: L1: 512 blocks are not a whole number of sets"},
        {"[a]\ncaches = L1=32K:8\nline = 48\n", "f: machine a: the line size of 48 bytes"},
        {"[a]\ncaches = L1=32K:8\nclock = fast\n", "f: line 3: "},
        {"[a]\ncaches = L1=32K:8\nmemory = -3\n", "f: line 3: "},
        {"[a]\ncaches = L1=32K:8\nfetch = L1=32K:8\n",
         "f: line 3: the value of 'fetch' must be one cache"},
        {"[a]\ncaches = L1=32K:8\nkind = an enormous server\n", "f: line 3: kind is longer than"},
        {"[a]\ncaches = L1=32K:8\n[b]\n", "f: line 3: a second machine begins here"},
    };
    for (size_t i = 0; i < RDI_COUNT(wrong); i++) {
        rd_machine m;
        assert_int_equal(rd_machine_parse(ctx, "f", wrong[i].text, strlen(wrong[i].text), &m),
                         RD_EFORMAT);
        if (strncmp(rd_last_error(ctx), wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("the message is '%s' instead of '%s'", rd_last_error(ctx), wrong[i].message);
    }
}

static void unknown_names_get_a_suggestion(void **state) {
    rd_ctx *ctx = *state;
    rd_machine m;
    assert_int_equal(rd_machine_find(ctx, "saphire-rapids", &m), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "did you mean sapphire-rapids?"));
    assert_int_equal(rd_machine_find(ctx, "no.such/file", &m), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "no.such/file: cannot open"));
}

/* ---- misses and their cost ---- */

/* Tests that a miss costs the latency of the cache or memory that serves it. The example has 100 references, of
 * which 40 miss in L1, 10 in L2 and 4 in L3. So 30 references wait for L2, 6 for L3 and 4 for memory. */
static void the_cost_is_the_latency_of_the_cache_that_serves(void **state) {
    rd_ctx *ctx = *state;
    static const char text[] =
        "[a]\ncaches = L1=1K:2:latency=3,L2=4K:4:latency=10,L3=64K:8:latency=40\n"
        "clock = 2\nmemory = 50\nparallel = 10\n";
    const double misses[] = {40, 10, 4}, contradictory[] = {40, 50, 4};
    rd_machine m;
    rd_cycles c;
    assert_int_equal(rd_machine_parse(ctx, "text", text, sizeof text - 1, &m), RD_OK);
    assert_true(rd_machine_cycles(&m, misses, &c));
    assert_true(c.high == 30 * 10 + 6 * 40 + 4 * 100);
    assert_true(c.low == c.high / 10);
    assert_true(rd_machine_cycles(&m, contradictory, &c));
    assert_true(c.high == 36 * 40 + 4 * 100);
    m.parallel = 0;
    assert_true(rd_machine_cycles(&m, misses, &c) && c.low == 0 && c.high == 940);
    m.caches.cache[2].latency = 0;
    assert_false(rd_machine_cycles(&m, misses, &c));
    m.caches.cache[2].latency = 40;
    m.memory_ns = 0;
    assert_false(rd_machine_cycles(&m, misses, &c));
}

static void misses_are_those_of_the_curve_and_of_the_estimate(void **state) {
    rd_ctx *ctx = *state;
    const profiles_point points[] = {{3, 50}, {700, 30}, {RD_COLD, 20}};
    rd_profile *p = profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, 3);
    rd_machine m;
    rd_machine_misses found;
    double full, estimate;
    assert_int_equal(rd_machine_find(ctx, "zen4", &m), RD_OK);
    assert_int_equal(rd_machine_misses_of(ctx, p, &m, &found), RD_OK);
    assert_int_equal(rd_mrc_at(ctx, p, 512, &full, NULL), RD_OK);
    assert_int_equal(rd_mrc_ways(ctx, p, 64, 8, &estimate, NULL), RD_OK);
    assert_true(found.full[0] == full && full == 0.5);
    assert_true(found.estimate[0] == estimate && estimate > 0.2 && estimate < 0.5);
    assert_true(found.cycles_known && found.cycles.low > 0);
    m.line_bytes = 128;
    assert_int_equal(rd_machine_misses_of(ctx, p, &m, &found), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "analyze with -b 128"));
    m.line_bytes = 64;
    m.caches.cache[0].ways = 7;
    assert_int_equal(rd_machine_misses_of(ctx, p, &m, &found), RD_EINVAL);
    rd_profile_free(p);
}

/* Tests that beyond the bound of the profile, both the miss ratio and the cost are unknown. */
static void a_bound_leaves_outer_caches_unknown(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    facts.bound = 5000;
    const profiles_point points[] = {{3, 50}, {700, 30}, {RD_COLD, 20}};
    rd_profile *p = profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0}, points, 3);
    rd_machine m;
    rd_machine_misses found;
    assert_int_equal(rd_machine_find(ctx, "zen4", &m), RD_OK);
    assert_int_equal(rd_machine_misses_of(ctx, p, &m, &found), RD_OK);
    assert_true(found.estimate[0] > 0 && isnan(found.estimate[1]) && isnan(found.full[2]));
    assert_false(found.cycles_known);
    rd_profile_free(p);
}

/* Tests the costs of references with different distances: a reference with an infinite distance waits for memory, a
 * reference with distance 1 does not wait, and nearly all references in the bin from 2048 to 4095 wait for L2. */
static void a_share_costs_its_part(void **state) {
    rd_ctx *ctx = *state;
    rd_machine m;
    rd_cycles cold, near, both;
    rd_share share = {.references = 10, .infinite = 10};
    assert_int_equal(rd_machine_find(ctx, "zen4", &m), RD_OK);
    rdi_machine_bins bins = rdi_machine_bins_of(&m);
    assert_true(rdi_machine_share_cycles(&bins, &share, &cold));
    assert_true(fabs(cold.high - 10 * 73 * 5.7) < 1e-9);
    share = (rd_share){.references = 5, .bins = {[1] = 5}};
    assert_true(rdi_machine_share_cycles(&bins, &share, &near) && near.high == 0);
    share = (rd_share){.references = 1000, .infinite = 10, .bins = {[1] = 5, [12] = 985}};
    assert_true(rdi_machine_share_cycles(&bins, &share, &both));
    assert_true(both.high > cold.high + 900 * 14 && both.high < cold.high + 985 * 14 + 20);
}

/* ---- hosts ---- */

static void write_word(const char *folder, const char *file, const char *word) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%s\n", word);
    assert_int_equal(fclose(out), 0);
}

/* Writes the sysfs files of cache number `index`, with lines of 128 bytes. `words` has the level, the type, the
 * size, the number of ways and the processors that share the cache. */
static void write_cache(const char *folder, unsigned index, const char *const words[5]) {
    static const char *const files[] = {"level", "type", "size", "ways_of_associativity",
                                        "shared_cpu_list"};
    char path[200];
    snprintf(path, sizeof path, "%s/index%u", folder, index);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < RDI_COUNT(files); i++)
        write_word(path, files[i], words[i]);
    write_word(path, "coherency_line_size", "128");
}

static void a_host_has_the_caches_that_its_files_report(void **state) {
    rd_ctx *ctx = *state;
    char folder[] = "/tmp/test_machine.XXXXXX", command[64], cpuinfo[64];
    rd_machine m;
    assert_non_null(mkdtemp(folder));
    /* The system need not list the caches innermost first. */
    write_cache(folder, 0, (const char *const[]){"3", "Unified", "36864K", "12", "0-3,8,10-11"});
    write_cache(folder, 1, (const char *const[]){"1", "Instruction", "64K", "8", "0"});
    write_cache(folder, 2, (const char *const[]){"1", "Data", "48K", "12", "0"});
    write_cache(folder, 3, (const char *const[]){"2", "Unified", "2M", "16", "0-1"});
    write_word(folder, "cpuinfo", "processor\t: 0\nmodel name\t: A processor\n");
    snprintf(cpuinfo, sizeof cpuinfo, "%s/cpuinfo", folder);
    rdi_host_cache host[8];
    size_t n = rdi_host_caches(folder, host, RDI_COUNT(host));
    assert_int_equal(rdi_machine_of(ctx, host, n, cpuinfo, "files", &m), RD_OK);
    assert_string_equal(m.title, "A processor");
    assert_string_equal(m.source, "files");
    assert_true(m.caches.n == 3 && m.line_bytes == 128 && m.cores == 7);
    static const rd_cache expected[] = {
        {.name = "L1", .bytes = 48 << 10, .ways = 12},
        {.name = "L2", .bytes = 2 << 20, .ways = 16, .shared = true},
        {.name = "L3", .bytes = 36 << 20, .ways = 12, .shared = true}};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(m.caches.cache[i].name, expected[i].name);
        assert_true(m.caches.cache[i].bytes == expected[i].bytes);
        assert_true(m.caches.cache[i].ways == expected[i].ways);
        assert_true(m.caches.cache[i].shared == expected[i].shared);
    }
    assert_string_equal(m.fetch.name, "L1I");
    assert_true(m.fetch.bytes == 64 << 10 && m.fetch.ways == 8);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(rdi_host_caches(folder, host, RDI_COUNT(host)), 0);
    assert_int_equal(rdi_machine_of(ctx, host, 0, cpuinfo, "files", &m), RD_EUNSUPPORTED);
}

/* Tests that a cache of one core is not shared, although the core has two logical processors. */
static void logical_processors_of_a_core_do_not_share(void **state) {
    rd_ctx *ctx = *state;
    rd_machine m;
    const rdi_host_cache host[] = {
        {.level = 3, .data = true, .bytes = 32 << 20, .processors = 16},
        {.level = 1, .data = true, .bytes = 32 << 10, .processors = 2},
        {.level = 1, .fetch = true, .bytes = 32 << 10, .processors = 2},
        {.level = 2, .data = true, .bytes = 1 << 20, .processors = 2},
    };
    assert_int_equal(rdi_machine_of(ctx, host, 4, "/nothing", "files", &m), RD_OK);
    assert_int_equal(m.caches.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(m.caches.cache[i].shared == (i == 2));
    assert_false(m.fetch.shared);
    assert_int_equal(rd_hierarchy_check_private(ctx, &m.caches), RD_OK);
}

/* Tests a machine that hwloc describes: 8 processors share an L3 cache, and each pair of them shares an L2
 * cache. */
static void hwloc_finds_the_caches_of_the_first_processor(void **state) {
    rd_ctx *ctx = *state;
    rdi_host_cache host[8];
    rd_machine m;
    if (!RDI_HAVE_HWLOC) {
        assert_int_equal(rdi_hwloc_caches(NULL, host, RDI_COUNT(host)), 0);
        skip();
    }
    size_t n = rdi_hwloc_caches("l3:1(size=33554432) l2:4(size=2097152) l1d:2(size=49152) "
                                "l1i:1(size=65536) pu:1",
                                host, RDI_COUNT(host));
    assert_int_equal(n, 4);
    assert_int_equal(rdi_machine_of(ctx, host, n, "/nothing", "hwloc", &m), RD_OK);
    assert_true(m.caches.n == 3 && m.line_bytes == 64 && m.cores == 8);
    static const uint64_t bytes[] = {48 << 10, 2 << 20, 32 << 20};
    for (size_t i = 0; i < 3; i++) {
        assert_true(m.caches.cache[i].bytes == bytes[i]);
        assert_true(m.caches.cache[i].shared == (i > 0));
    }
    assert_string_equal(m.fetch.name, "L1I");
    assert_true(m.fetch.bytes == 64 << 10);
    assert_int_equal(rdi_hwloc_caches("no such notation", host, RDI_COUNT(host)), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(every_preset_is_complete),
        CASE(a_preset_has_the_numbers_of_its_sources),
        CASE(the_text_of_a_machine_reads_back),
        CASE(fetches_make_a_split_first_level),
        CASE(only_the_caches_are_needed),
        CASE(mistakes_name_the_line),
        CASE(unknown_names_get_a_suggestion),
        CASE(a_host_has_the_caches_that_its_files_report),
        CASE(logical_processors_of_a_core_do_not_share),
        CASE(hwloc_finds_the_caches_of_the_first_processor),
        CASE(the_cost_is_the_latency_of_the_cache_that_serves),
        CASE(misses_are_those_of_the_curve_and_of_the_estimate),
        CASE(a_bound_leaves_outer_caches_unknown),
        CASE(a_share_costs_its_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
