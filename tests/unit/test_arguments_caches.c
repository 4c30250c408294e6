/* Checks that the functions of hierarchy.h, machine.h, prefix.h and objects.h survive NULL for each
 * of their pointers, and refuse absurd numbers. See support/arguments.h. */
#include "reusedist/reusedist.h"
#include "support/arguments.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- hierarchy.h, machine.h ---- */

static void private_caches_of_threads(const rd_hierarchy *h) {
    rd_simulator *s = NULL;
    rd_cache_counts counts[RD_CACHES_MAX];
    rd_level_counts levels[RD_CACHES_MAX], sum = {{0}, {0}};
    uint64_t thread = 0;
    REFUSED(rd_hierarchy_check_private(NULL, h));
    EXPLAINED("h", rd_hierarchy_check_private(ctx, NULL));
    rd_simulator_config config = {.size = sizeof config, .private_caches = true};
    ok(rd_simulator_new(ctx, h, &config, &s));
    assert_int_equal(rd_simulator_threads(NULL), 0);
    assert_int_equal(rd_simulator_threads(s), 0);
    expect_saying(rd_simulator_thread_counts(s, 0, &thread, levels), "no thread with index 0");
    ok(rd_simulator_feed(s, blocks, NULL, N_BLOCKS)); /* all references are of thread 0 */
    ok(rd_simulator_counts(s, counts));
    assert_int_equal(rd_simulator_threads(s), 1);
    REFUSED(rd_simulator_thread_counts(NULL, 0, &thread, levels));
    EXPLAINED("thread", rd_simulator_thread_counts(s, 0, NULL, levels));
    EXPLAINED("out", rd_simulator_thread_counts(s, 0, &thread, NULL));
    ok(rd_simulator_thread_counts(s, 0, &thread, levels));
    rd_level_counts_add(&sum, levels);
    rd_level_counts_add(NULL, levels);
    rd_level_counts_add(&sum, NULL);
    rd_cache_counts_add(NULL, counts);
    rd_cache_counts_add(counts, NULL);
    assert_memory_equal(&sum.cache, &counts[0], sizeof *counts);
    rd_simulator_free(s);
}

static void hierarchies(void **state) {
    (void)state;
    rd_hierarchy h = {0};
    char *text = NULL;
    REFUSED(rd_hierarchy_parse(NULL, "L1=1K", &h));
    EXPLAINED("text", rd_hierarchy_parse(ctx, NULL, &h));
    EXPLAINED("out", rd_hierarchy_parse(ctx, "L1=1K", NULL));
    ok(rd_hierarchy_parse(ctx, "L1=1K", &h));
    REFUSED(rd_hierarchy_check(NULL, &h, 64));
    EXPLAINED("h", rd_hierarchy_check(ctx, NULL, 64));
    REFUSED(rd_hierarchy_text(NULL, &h, &text));
    EXPLAINED("h", rd_hierarchy_text(ctx, NULL, &text));
    EXPLAINED("out", rd_hierarchy_text(ctx, &h, NULL));
    assert_false(rd_hierarchy_is_split(NULL));
    assert_false(rd_hierarchy_takes_repeats(NULL));
    rd_simulator *s = NULL;
    rd_cache_counts counts[RD_CACHES_MAX];
    rd_simulator_config config = {.size = sizeof config, .block_bytes = 64};
    REFUSED(rd_simulator_new(NULL, &h, &config, &s));
    EXPLAINED("h", rd_simulator_new(ctx, NULL, &config, &s));
    EXPLAINED("out", rd_simulator_new(ctx, &h, &config, NULL));
    h.has_unit = false;
    ok(rd_simulator_new(ctx, &h, NULL, &s)); /* blocks without a size */
    REFUSED(rd_simulator_feed(NULL, blocks, NULL, 1));
    EXPLAINED("blocks", rd_simulator_feed(s, NULL, NULL, 1));
    ok(rd_simulator_feed(s, NULL, NULL, 0));
    ok(rd_simulator_feed(s, blocks, NULL, N_BLOCKS));
    REFUSED(rd_simulator_feed_tagged(NULL, blocks, NULL, blocks, 1));
    EXPLAINED("blocks", rd_simulator_feed_tagged(s, NULL, NULL, blocks, 1));
    EXPLAINED("tags", rd_simulator_feed_tagged(s, blocks, NULL, NULL, 1));
    ok(rd_simulator_feed_tagged(s, NULL, NULL, NULL, 0));
    REFUSED(rd_simulator_feed_threads(NULL, blocks, NULL, blocks, 1));
    EXPLAINED("blocks", rd_simulator_feed_threads(s, NULL, NULL, blocks, 1));
    EXPLAINED("threads", rd_simulator_feed_threads(s, blocks, NULL, NULL, 1));
    ok(rd_simulator_feed_threads(s, NULL, NULL, NULL, 0));
    REFUSED(rd_simulator_counts(NULL, counts));
    EXPLAINED("out", rd_simulator_counts(s, NULL));
    ok(rd_simulator_counts(s, counts));
    assert_int_equal(counts[0].references, N_BLOCKS);
    rd_simulator_free(s);
    rd_simulator_free(NULL);
    private_caches_of_threads(&h);
    assert_int_equal(rd_cache_blocks(NULL, 64) + rd_cache_sets(NULL, 64) + rd_cache_ways(NULL, 64),
                     0);
}

static void machines(void **state) {
    (void)state;
    rd_machine m = {0};
    rd_hierarchy h = {0};
    char *text = NULL;
    assert_true(rd_machine_count() > 0);
    REFUSED(rd_machine_at(NULL, 0, &m));
    EXPLAINED("out", rd_machine_at(ctx, 0, NULL));
    REFUSED(rd_machine_find(NULL, "zen4", &m));
    EXPLAINED("name", rd_machine_find(ctx, NULL, &m));
    EXPLAINED("out", rd_machine_find(ctx, "zen4", NULL));
    REFUSED(rd_machine_parse(NULL, "f", "", 0, &m));
    EXPLAINED("text", rd_machine_parse(ctx, "f", NULL, 0, &m));
    EXPLAINED("out", rd_machine_parse(ctx, "f", "", 0, NULL));
    REFUSED(rd_machine_text(NULL, &m, &text));
    EXPLAINED("m", rd_machine_text(ctx, NULL, &text));
    EXPLAINED("out", rd_machine_text(ctx, &m, NULL));
    rd_machine_misses misses;
    rd_cycles cycles;
    ok(rd_machine_find(ctx, "zen4", &m));
    REFUSED(rd_machine_misses_of(NULL, profile, &m, &misses));
    EXPLAINED("p", rd_machine_misses_of(ctx, NULL, &m, &misses));
    EXPLAINED("m", rd_machine_misses_of(ctx, profile, NULL, &misses));
    EXPLAINED("out", rd_machine_misses_of(ctx, profile, &m, NULL));
    assert_false(rd_machine_cycles(NULL, misses.full, &cycles));
    assert_false(rd_machine_cycles(&m, NULL, &cycles));
    assert_false(rd_machine_cycles(&m, misses.full, NULL));
    size_t n = 0;
    REFUSED(rd_report_machine_text(NULL, NULL, &m, &text, &n));
    EXPLAINED("m", rd_report_machine_text(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_machine_text(profile, NULL, &m, NULL, &n));
    rd_profile *const both[] = {profile, profile};
    const char *const names[] = {"a", "b"};
    rd_comparees all = {.profiles = both, .names = names, .n = 2};
    REFUSED(rd_report_machine_change(NULL, &all, &m, &text, &n));
    EXPLAINED("all", rd_report_machine_change(ctx, NULL, &m, &text, &n));
    expect_saying(rd_report_machine_change(ctx, &all, NULL, &text, &n), "the same machine");
    EXPLAINED("text", rd_report_machine_change(ctx, &all, &m, NULL, &n));
    all.n = 1;
    expect_saying(rd_report_machine_change(ctx, &all, &m, &text, &n), "two profiles");
    rd_machine_hierarchy(NULL, true, &h);
    assert_true(h.n == 0);
    rd_machine_hierarchy(&m, true, NULL);
    rd_machine_hierarchy(&m, true, &h);
    assert_false(rd_machine_of_hierarchy(NULL, 64, &m));
    assert_false(rd_machine_of_hierarchy(&h, 64, NULL));
}

static void every_number_of_ways(void **state) {
    (void)state;
    const uint64_t sets[] = {1, 2};
    rd_ways *w = NULL;
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_ways_new(NULL, sets, 2, 1, &w));
    EXPLAINED("sets", rd_ways_new(ctx, NULL, 2, 1, &w));
    EXPLAINED("out", rd_ways_new(ctx, sets, 2, 1, NULL));
    ok(rd_ways_new(ctx, sets, 2, 0, &w));
    REFUSED(rd_ways_feed(NULL, blocks, 1));
    EXPLAINED("blocks", rd_ways_feed(w, NULL, 1));
    ok(rd_ways_feed(w, NULL, 0));
    ok(rd_ways_feed(w, blocks, N_BLOCKS));
    assert_int_equal(rd_ways_misses(w, 0, NULL, NULL), 0);
    REFUSED(rd_ways_finish(NULL));
    ok(rd_ways_finish(w));
    ok(rd_ways_finish(w));
    assert_int_equal(rd_ways_misses(w, 0, NULL, NULL), 4);
    assert_int_equal(rd_ways_misses(NULL, 0, NULL, NULL), 0);
    REFUSED(rd_report_all_ways_text(NULL, w, NULL, &text, &n));
    EXPLAINED("w", rd_report_all_ways_text(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_all_ways_text(profile, w, NULL, NULL, &n));
    EXPLAINED("n", rd_report_all_ways_text(profile, w, NULL, &text, NULL));
    REFUSED(rd_report_all_ways_csv(NULL, w, &text, &n));
    EXPLAINED("w", rd_report_all_ways_csv(profile, NULL, &text, &n));
    REFUSED(rd_report_all_ways_json(NULL, w, &text, &n));
    EXPLAINED("w", rd_report_all_ways_json(profile, NULL, &text, &n));
    ok(rd_report_all_ways_text(profile, w, NULL, &text, &n));
    rd_text_free(ctx, text);
    rd_ways_free(w);
    rd_ways_free(NULL);
}

static void simulations(void **state) {
    (void)state;
    rd_simulation s = {.size = sizeof s, .causes = true};
    char *text = NULL;
    size_t n = 0;
    ok(rd_hierarchy_parse(ctx, "L1=2", &s.hierarchy));
    assert_null(rd_profile_simulation(NULL));
    assert_null(rd_profile_simulation(profile));
    expect_saying(rd_report_simulation_csv(profile, &text, &n), "no simulated caches");
    REFUSED(rd_profile_set_simulation(NULL, &s));
    EXPLAINED("s", rd_profile_set_simulation(profile, NULL));
    s.counts[0] = (rd_cache_counts){.references = N_BLOCKS + 1};
    expect_saying(rd_profile_set_simulation(profile, &s), "more references");
    s.counts[0] = (rd_cache_counts){.references = N_BLOCKS, .misses = 4, .cold = 3};
    expect_saying(rd_profile_set_simulation(profile, &s), "contradict");
    s.counts[0].conflict = 1;
    ok(rd_profile_set_simulation(profile, &s));
    assert_int_equal(rd_profile_simulation(profile)->counts[0].conflict, 1);
    rd_thread_caches caches = {.thread = 7};
    rd_private_simulation q = {.size = sizeof q, .hierarchy = s.hierarchy, .n_threads = 1};
    assert_null(rd_profile_private_simulation(NULL));
    REFUSED(rd_profile_set_private_simulation(NULL, &q));
    EXPLAINED("s", rd_profile_set_private_simulation(profile, NULL));
    EXPLAINED("own.interleave", rd_profile_set_private_simulation(profile, &q));
    q.interleave = "recorded";
    EXPLAINED("own.threads", rd_profile_set_private_simulation(profile, &q));
    q.threads = &caches;
    caches.levels[0].coherence.transfers = 1;
    expect_saying(rd_profile_set_private_simulation(profile, &q), "contradict");
    REFUSED(rd_report_simulation_text(NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_text(profile, NULL, NULL, &n));
    EXPLAINED("n", rd_report_simulation_text(profile, NULL, &text, NULL));
    REFUSED(rd_report_simulation_csv(NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_csv(profile, NULL, &n));
    EXPLAINED("n", rd_report_simulation_csv(profile, &text, NULL));
    REFUSED(rd_report_simulation_json(NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_json(profile, NULL, &n));
    EXPLAINED("n", rd_report_simulation_json(profile, &text, NULL));
    ok(rd_report_simulation_text(profile, NULL, &text, &n));
    rd_text_free(ctx, text);
}

/* ---- prefix.h ---- */

static void kv_logs(void **state) {
    (void)state;
    static const char text[] = "{\"hash_ids\":[1,2],\"input_length\":600}\n";
    rd_kv_log *log = NULL;
    rd_kv_writer *w = NULL;
    const rd_kv_request *request = NULL;
    assert_null(rd_kv_format_at(SIZE_MAX));
    REFUSED(rd_kv_log_open(NULL, "x", NULL, &log));
    EXPLAINED("path", rd_kv_log_open(ctx, NULL, NULL, &log));
    EXPLAINED("out", rd_kv_log_open(ctx, "x", NULL, NULL));
    REFUSED(rd_kv_log_open_memory(NULL, "x", text, sizeof text - 1, NULL, &log));
    EXPLAINED("name", rd_kv_log_open_memory(ctx, NULL, text, sizeof text - 1, NULL, &log));
    EXPLAINED("data", rd_kv_log_open_memory(ctx, "x", NULL, 1, NULL, &log));
    EXPLAINED("out", rd_kv_log_open_memory(ctx, "x", text, sizeof text - 1, NULL, NULL));
    ok(rd_kv_log_open_memory(ctx, "x", text, sizeof text - 1, NULL, &log));
    REFUSED(rd_kv_log_read(NULL, &request));
    EXPLAINED("out", rd_kv_log_read(log, NULL));
    ok(rd_kv_log_read(log, &request));
    assert_int_equal(rd_kv_log_block_tokens(NULL), 0);
    assert_string_equal(rd_kv_log_format(NULL), "");
    assert_true(rd_kv_log_token_bytes(NULL) == 0);
    rd_kv_log_progress(NULL, NULL, NULL);
    rd_kv_log_progress(log, NULL, NULL);
    rd_kv_log_close(NULL);
    REFUSED(rd_kv_writer_open(NULL, "x", 1, &w));
    EXPLAINED("path", rd_kv_writer_open(ctx, NULL, 1, &w));
    EXPLAINED("out", rd_kv_writer_open(ctx, "x", 1, NULL));
    expect_saying(rd_kv_writer_open(ctx, "/dev/null", 0, &w), "1 to 2,147,483,647");
    REFUSED(rd_kv_writer_write(NULL, request));
    ok(rd_kv_writer_open(ctx, "/dev/null", 512, &w));
    EXPLAINED("r", rd_kv_writer_write(w, NULL));
    REFUSED(rd_kv_writer_finish(NULL));
    rd_kv_writer_close(w);
    rd_kv_writer_close(NULL);
    rd_kv_log_close(log);
}

static void kv_analyses(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config, .n_sizes = 1, .sizes = {4}};
    rd_kv_request request = {.blocks = blocks, .n_blocks = 3, .prompt_tokens = 3};
    rd_kv *kv = NULL;
    rd_kv_point point;
    rd_kv_details details;
    rd_kv_bound bound;
    rd_kv_tier tier;
    uint64_t size;
    REFUSED(rd_kv_new(NULL, &config, &kv));
    EXPLAINED("config", rd_kv_new(ctx, NULL, &kv));
    EXPLAINED("out", rd_kv_new(ctx, &config, NULL));
    config.n_sizes = RD_KV_SIZES_MAX + 1;
    expect_saying(rd_kv_new(ctx, &config, &kv), "at most 64 sizes");
    config.n_sizes = 2;
    expect_saying(rd_kv_new(ctx, &config, &kv), "ascending");
    config.n_sizes = 1;
    ok(rd_kv_new(ctx, &config, &kv));
    REFUSED(rd_kv_feed(NULL, &request));
    EXPLAINED("r", rd_kv_feed(kv, NULL));
    ok(rd_kv_feed(kv, &request));
    assert_int_equal(rd_kv_at(kv, 1, &point), RD_ESTATE);
    assert_int_equal(rd_kv_size_for(kv, 0.5, &size), RD_ESTATE);
    REFUSED(rd_kv_finish(NULL));
    ok(rd_kv_finish(kv));
    assert_int_equal(rd_kv_feed(kv, &request), RD_ESTATE);
    assert_null(rd_kv_ctx(NULL));
    assert_null(rd_kv_config_of(NULL));
    assert_int_equal(rd_kv_totals_of(NULL).requests, 0);
    assert_int_equal(rd_kv_series_of(NULL).n_windows, 0);
    REFUSED(rd_kv_at(NULL, 1, &point));
    EXPLAINED("out", rd_kv_at(kv, 1, NULL));
    ok(rd_kv_at(kv, UINT64_MAX, &point));
    REFUSED(rd_kv_size_for(NULL, 0.5, &size));
    EXPLAINED("out", rd_kv_size_for(kv, 0.5, NULL));
    ok(rd_kv_size_for(kv, NAN, &size));
    REFUSED(rd_kv_details_at(NULL, 0, &details));
    EXPLAINED("out", rd_kv_details_at(kv, 0, NULL));
    expect_saying(rd_kv_details_at(kv, 1, &details), "no size");
    ok(rd_kv_details_at(kv, 0, &details));
    assert_true(rd_kv_quantile(NULL, 0.5) == 0);
    assert_true(rd_kv_quantile(&details, NAN) == 0);
    REFUSED(rd_kv_bound_at(NULL, 0, &bound));
    EXPLAINED("out", rd_kv_bound_at(kv, 0, NULL));
    expect_saying(rd_kv_bound_at(kv, 0, &bound), "not computed");
    REFUSED(rd_kv_tier_at(NULL, 0, &tier));
    EXPLAINED("out", rd_kv_tier_at(kv, 0, NULL));
    expect_saying(rd_kv_tier_at(kv, 0, &tier), "no tier");
    rd_kv_free(kv);
    rd_kv_free(NULL);
}

static void kv_models_and_plans(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config};
    rd_kv_model model;
    rd_kv_offer offer = {.name = "a", .bytes = 1};
    rd_kv_goal goal = {.size = sizeof goal, .token_bytes = 1};
    rd_kv_plan plan;
    rd_kv *kv = NULL;
    assert_null(rd_kv_model_at(SIZE_MAX));
    REFUSED(rd_kv_model_parse(NULL, "phi-4", &model));
    EXPLAINED("text", rd_kv_model_parse(ctx, NULL, &model));
    EXPLAINED("out", rd_kv_model_parse(ctx, "phi-4", NULL));
    assert_true(rd_kv_model_token_bytes(NULL) == 0);
    ok(rd_kv_new(ctx, &config, &kv));
    ok(rd_kv_finish(kv));
    REFUSED(rd_kv_plan_find(NULL, &offer, 1, &goal, &plan));
    EXPLAINED("offers", rd_kv_plan_find(kv, NULL, 1, &goal, &plan));
    EXPLAINED("goal", rd_kv_plan_find(kv, &offer, 1, NULL, &plan));
    EXPLAINED("out", rd_kv_plan_find(kv, &offer, 1, &goal, NULL));
    expect_saying(rd_kv_plan_find(kv, &offer, 0, &goal, &plan), "1 to 4 tiers, not 0");
    goal.second_cost = 1;
    expect_saying(rd_kv_plan_find(kv, &offer, 1, &goal, &plan),
                  "rd_kv_goal.prefill is 0; it must be above 0");
    goal.token_bytes = NAN;
    expect_saying(rd_kv_plan_find(kv, &offer, 1, &goal, &plan),
                  "rd_kv_goal.token_bytes is nan; it must be above 0");
    rd_kv_free(kv);
}

static void kv_fleets_and_reports(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config};
    rd_kv_request request = {.blocks = blocks, .n_blocks = 3, .prompt_tokens = 3};
    rd_kv_fleet *fleet = NULL;
    rd_kv_point point;
    rd_kv_view view = {.size = sizeof view};
    rd_report_style style = {.size = sizeof style};
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_kv_fleet_new(NULL, &config, 1, RD_KV_ROUND, &fleet));
    EXPLAINED("config", rd_kv_fleet_new(ctx, NULL, 1, RD_KV_ROUND, &fleet));
    EXPLAINED("out", rd_kv_fleet_new(ctx, &config, 1, RD_KV_ROUND, NULL));
    expect_saying(rd_kv_fleet_new(ctx, &config, 0, RD_KV_ROUND, &fleet), "1 to 1024 replicas");
    expect_saying(rd_kv_fleet_new(ctx, &config, 1, (rd_kv_router)9, &fleet),
                  "a router from 0 to 2");
    ok(rd_kv_fleet_new(ctx, &config, 2, RD_KV_CONVERSATION, &fleet));
    REFUSED(rd_kv_fleet_feed(NULL, &request));
    EXPLAINED("r", rd_kv_fleet_feed(fleet, NULL));
    expect_saying(rd_kv_fleet_feed(fleet, &request), "does not name the conversation");
    REFUSED(rd_kv_fleet_finish(NULL));
    REFUSED(rd_kv_fleet_at(NULL, 0, &point));
    EXPLAINED("out", rd_kv_fleet_at(fleet, 0, NULL));
    expect_saying(rd_kv_fleet_at(fleet, 0, &point), "no size");
    rd_kv_fleet_free(fleet);
    rd_kv_fleet_free(NULL);
    REFUSED(rd_kv_report_text(NULL, &style, &text, &n));
    REFUSED(rd_kv_report_text(&view, &style, &text, &n));
    REFUSED(rd_kv_report_csv(&view, &text, &n));
    REFUSED(rd_kv_report_json(&view, &text, &n));
    REFUSED(rd_kv_report_html(&view, &text, &n));
}

/* ---- objects.h ---- */

static void objects(void **state) {
    (void)state;
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    double ratio, byte_ratio;
    const rd_requests requests = {.n = N_BLOCKS, .id = blocks};
    REFUSED(rd_objects_new(NULL, NULL, &o));
    EXPLAINED("out", rd_objects_new(ctx, NULL, NULL));
    EXPLAINED("known.sizes",
              rd_objects_new(
                  ctx, &(rd_objects_config){.size = sizeof(rd_objects_config), .n_sizes = 1}, &o));
    REFUSED(rd_objects_feed(NULL, &requests, NULL));
    REFUSED(rd_objects_profile(NULL, &p));
    rd_objects_free(NULL);
    assert_int_equal(rd_objects_requests(NULL), 0);
    assert_null(rd_profile_objects(NULL));
    ok(rd_objects_new(ctx, NULL, &o));
    EXPLAINED("requests", rd_objects_feed(o, NULL, NULL));
    EXPLAINED("requests->id", rd_objects_feed(o, &(rd_requests){.n = 1}, NULL));
    ok(rd_objects_feed(o, &requests, NULL));
    EXPLAINED("out", rd_objects_profile(o, NULL));
    ok(rd_objects_profile(o, &p));
    REFUSED(rd_objects_at(NULL, p, 1, &ratio, &byte_ratio, NULL));
    EXPLAINED("p", rd_objects_at(ctx, NULL, 1, &ratio, &byte_ratio, NULL));
    EXPLAINED("miss_ratio", rd_objects_at(ctx, p, 1, NULL, &byte_ratio, NULL));
    EXPLAINED("byte_miss_ratio", rd_objects_at(ctx, p, 1, &ratio, NULL, NULL));
    ok(rd_objects_at(ctx, p, 1, &ratio, &byte_ratio, NULL));
    expect_saying(rd_objects_at(ctx, profile, 1, &ratio, &byte_ratio, NULL), "--weight=bytes");
    REFUSED(rd_objects_band(NULL, p, 1, &ratio, &byte_ratio));
    EXPLAINED("p", rd_objects_band(ctx, NULL, 1, &ratio, &byte_ratio));
    EXPLAINED("low", rd_objects_band(ctx, p, 1, NULL, &byte_ratio));
    EXPLAINED("high", rd_objects_band(ctx, p, 1, &ratio, NULL));
    expect_saying(rd_objects_band(ctx, p, 1, &ratio, &byte_ratio), "no confidence band");
    rd_object_prices prices = {.size = sizeof prices, .per_gb = 1};
    rd_object_cost cost;
    REFUSED(rd_objects_cost(NULL, p, &prices, 1, &cost));
    EXPLAINED("p", rd_objects_cost(ctx, NULL, &prices, 1, &cost));
    EXPLAINED("prices", rd_objects_cost(ctx, p, NULL, 1, &cost));
    EXPLAINED("out", rd_objects_cost(ctx, p, &prices, 1, NULL));
    REFUSED(rd_objects_cheapest(NULL, p, &prices, &cost));
    EXPLAINED("p", rd_objects_cheapest(ctx, NULL, &prices, &cost));
    EXPLAINED("prices", rd_objects_cheapest(ctx, p, NULL, &cost));
    EXPLAINED("out", rd_objects_cheapest(ctx, p, &prices, NULL));
    expect_saying(rd_objects_cheapest(ctx, profile, &prices, &cost), "--weight=bytes");
    rd_objects_config config = {.size = sizeof config, .sample_rate = 2};
    rd_objects *sample = NULL;
    expect_saying(rd_objects_new(ctx, &config, &sample), "from 0 to 1");
    config = (rd_objects_config){.size = sizeof config, .sample_rate = 0.5, .every = 1};
    expect_saying(rd_objects_new(ctx, &config, &sample), "cannot be combined with a sample");
    char *text = NULL;
    size_t n = 0;
    assert_null(rd_profile_stretches(NULL));
    assert_null(rd_profile_stretches(p));
    assert_true(rd_stretch_at(NULL, 1).miss_ratio == 1);
    REFUSED(rd_report_cost_text(NULL, NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("prices", rd_report_cost_text(p, NULL, NULL, NULL, 0, &text, &n));
    REFUSED(rd_report_cost_csv(NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_cost_csv(p, &prices, NULL, 0, NULL, &n));
    REFUSED(rd_report_cost_json(NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("n", rd_report_cost_json(p, &prices, NULL, 0, &text, NULL));
    REFUSED(rd_report_stretches_csv(NULL, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_stretches_csv(p, NULL, 0, NULL, &n));
    EXPLAINED("n", rd_report_stretches_csv(p, NULL, 0, &text, NULL));
    expect_saying(rd_report_stretches_csv(p, NULL, 0, &text, &n), "no stretches of time");
    rd_profile_free(p);
    rd_objects_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchies),
        cmocka_unit_test(machines),
        cmocka_unit_test(every_number_of_ways),
        cmocka_unit_test(simulations),
        cmocka_unit_test(kv_logs),
        cmocka_unit_test(kv_analyses),
        cmocka_unit_test(kv_models_and_plans),
        cmocka_unit_test(kv_fleets_and_reports),
        cmocka_unit_test(objects),
    };
    return cmocka_run_group_tests(tests, new_profile, free_profile);
}
