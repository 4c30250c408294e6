/* Tests attribution, among other things: every count equals that of a plain implementation of its definition,
 * sums equal the counts of the whole profile under any limit, and a failed allocation does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attribution/attributor.h"
#include "profile/details.h"
#include "profile/hist.h"
#include "reusedist/reusedist.h"

#include "support/faults.h"
#include "support/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFS   6000
#define BLOCKS (2 * REFS) /* a reference of these tests spans at most two blocks */

/* ---- a trace with all data that attribution uses ---- */

static uint64_t addr[REFS], pc[REFS];
static uint32_t size[REFS];
static rd_refs refs = {.n = REFS, .addr = addr, .pc = pc, .size = size};

/* The block references of the trace, with their distances. */
static uint64_t blocks[BLOCKS], distances[BLOCKS];
static uint32_t origins[BLOCKS];
static size_t n_blocks;

static void make_trace(uint64_t seed, uint64_t pcs, uint64_t span) {
    rdi_rng rng = {seed};
    for (size_t i = 0; i < REFS; i++) {
        bool local = rdi_rng_below(&rng, 4) != 0;
        pc[i] = 0x400000 + 4 * rdi_rng_below(&rng, local ? 1 + pcs / 8 : pcs);
        addr[i] = 0x10000 + rdi_rng_below(&rng, local ? 1 + span / 16 : span);
        size[i] = 1 + (uint32_t)rdi_rng_below(&rng, 16);
    }
}

typedef struct run_config {
    const char *engine;
    uint64_t block_bytes, bound;
    rd_attributor_config limits;
} run_config;

static const rd_level levels[] = {{"L2", 4096}, {"L1", 700}, {"L3", 20000}};

static rd_status attribute(rd_attributor *a, const uint64_t *got, const uint32_t *origin,
                           const uint64_t *d, size_t n);

static rd_status feed(rd_mapper *m, rd_engine *e, rd_attributor *a) {
    const uint64_t *got = NULL;
    size_t n = 0;
    n_blocks = 0;
    rd_mapper_feed(m, &refs);
    while (true) {
        RD_TRY(rd_mapper_next(m, &got, &n));
        if (n == 0)
            return RD_OK;
        uint64_t *d = &distances[n_blocks];
        memcpy(&blocks[n_blocks], got, n * sizeof *got);
        memcpy(&origins[n_blocks], rd_mapper_origins(m), n * sizeof *origins);
        RD_TRY(rd_engine_feed(e, got, n, d));
        RD_TRY(attribute(a, got, rd_mapper_origins(m), d, n));
        n_blocks += n;
    }
}

/* Runs the trace through mapper, engine and attributor. */
static rd_status run(rd_ctx *with, const run_config *config, rd_profile **out) {
    rd_mapping mapping = {
        .size = sizeof mapping, .block_bytes = config->block_bytes, .origins = true};
    rd_attributor_config attribute = config->limits;
    attribute.size = sizeof attribute;
    attribute.block_bytes = config->block_bytes;
    attribute.bound = config->bound;
    attribute.levels = levels;
    attribute.n_levels = 3;
    rd_mapper *m = NULL;
    rd_engine *e = NULL;
    rd_attributor *a = NULL;
    rd_profile *profile = NULL;
    rd_status status = rd_mapper_new(with, &mapping, &m);
    if (status == RD_OK)
        status = rd_engine_open(
            with, config->engine,
            &(rd_engine_config){.size = sizeof(rd_engine_config), .bound = config->bound}, &e);
    if (status == RD_OK)
        status = rd_attributor_new(with, &attribute, &a);
    if (status == RD_OK)
        status = feed(m, e, a);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, &profile);
    if (status == RD_OK)
        status = rd_attributor_finish(a, profile);
    rd_mapper_free(m);
    rd_engine_close(e);
    rd_attributor_free(a);
    if (status == RD_OK)
        *out = profile;
    else
        rd_profile_free(profile);
    return status;
}

/* ---- the plain definition ---- */

static uint64_t level_blocks(const rd_details *d, size_t k, uint64_t block_bytes) {
    uint64_t n = d->levels[k].bytes / (block_bytes ? block_bytes : 1);
    return n ? n : 1;
}

static void count(const rd_details *d, uint64_t block_bytes, uint64_t distance, rd_share *s) {
    s->references++;
    if (distance == RD_COLD) {
        s->infinite++;
    } else {
        s->bins[rdi_bit_width(distance)]++;
        rdi_sum_add(&s->distance_sum, (rd_sum){distance, 0});
    }
    for (size_t k = 0; k < d->n_levels; k++)
        s->misses[k] += distance >= level_blocks(d, k, block_bytes);
}

static uint64_t pc_of(size_t i) {
    return pc[origins[i]];
}

/* Returns the index of the previous reference to the block of reference i, or i if there is none. */
static size_t previous(size_t i) {
    for (size_t k = i; k-- > 0;)
        if (blocks[k] == blocks[i])
            return k;
    return i;
}

static uint64_t pc_of_line(const rd_attribution *a, size_t line) {
    return strtoull(a->functions[a->lines[line].function].name, NULL, 16);
}

static void check_lines(const rd_details *d, uint64_t block_bytes) {
    const rd_attribution *a = d->attribution;
    assert_int_equal(a->n_lines, a->n_functions);
    for (size_t line = 0; line < a->n_lines; line++) {
        rd_share wanted = {0};
        for (size_t i = 0; i < n_blocks; i++)
            if (pc_of(i) == pc_of_line(a, line))
                count(d, block_bytes, distances[i], &wanted);
        assert_memory_equal(&wanted, &a->lines[line].share, sizeof wanted);
        assert_memory_equal(&wanted, &a->functions[a->lines[line].function].share, sizeof wanted);
    }
}

static void check_pairs(const rd_details *d, uint64_t block_bytes) {
    static size_t before[BLOCKS];
    const rd_attribution *a = d->attribution;
    uint64_t finite = 0;
    for (size_t i = 0; i < n_blocks; i++)
        before[i] = distances[i] == RD_COLD ? i : previous(i);
    for (size_t p = 0; p < a->n_pairs; p++) {
        const rd_reuse_pair *pair = &a->pairs[p];
        rd_share wanted = {0};
        for (size_t i = 0; i < n_blocks; i++)
            if (before[i] != i && pc_of(i) == pc_of_line(a, pair->reuse) &&
                pc_of(before[i]) == pc_of_line(a, pair->use))
                count(d, block_bytes, distances[i], &wanted);
        assert_int_equal(wanted.references, pair->count);
        assert_memory_equal(&wanted.distance_sum, &pair->distance_sum, sizeof(rd_sum));
        assert_memory_equal(wanted.misses, pair->misses, sizeof wanted.misses);
        finite += pair->count;
    }
    for (size_t i = 0; i < n_blocks; i++)
        finite -= distances[i] != RD_COLD;
    assert_int_equal(finite, 0);
}

static void check_windows(const rd_details *d, uint64_t block_bytes) {
    const rd_windows *w = d->windows;
    for (size_t row = 0; row < w->n; row++) {
        rd_share wanted = {0};
        for (size_t i = row * w->references; i < n_blocks && i < (row + 1) * w->references; i++)
            count(d, block_bytes, distances[i], &wanted);
        assert_memory_equal(&wanted, &w->rows[row].share, sizeof wanted);
    }
}

/* Returns whether block reference i touches word number `word` of its block. */
static bool touches(size_t i, unsigned word, uint64_t block_bytes, uint64_t word_bytes) {
    uint64_t from = blocks[i] * block_bytes + word * word_bytes, to = from + word_bytes - 1;
    uint64_t first = addr[origins[i]], last = first + size[origins[i]] - 1;
    return first <= to && last >= from;
}

/* Returns the number of distinct words touched between a fetch of a block and the next fetch of the
 * same block, summed over all fetches. A reference with a distance of at least `from_distance`
 * fetches its block. */
static uint64_t words_fetched(uint64_t from_distance, uint64_t block_bytes, uint64_t word_bytes) {
    uint64_t words = 0;
    for (size_t i = 0; i < n_blocks; i++)
        for (unsigned word = 0; word < block_bytes / word_bytes; word++) {
            if (!touches(i, word, block_bytes, word_bytes))
                continue;
            bool again = false; /* true: already touched since the block was fetched */
            for (size_t k = i, now = i; distances[now] < from_distance && !again;) {
                do
                    k--;
                while (blocks[k] != blocks[i]);
                again = touches(k, word, block_bytes, word_bytes);
                now = k;
            }
            words += !again;
        }
    return words;
}

static void check_words(const rd_details *d, uint64_t block_bytes) {
    const rd_spatial *s = d->spatial;
    assert_non_null(s);
    for (size_t k = 0; k < d->n_levels; k++) {
        uint64_t fetched = 0, from = level_blocks(d, k, block_bytes);
        for (size_t i = 0; i < n_blocks; i++)
            fetched += distances[i] >= from;
        assert_int_equal(s->levels[k].fetched, fetched);
        assert_int_equal(s->levels[k].words, words_fetched(from, block_bytes, s->word_bytes));
    }
    assert_int_equal(s->words_used, words_fetched(RD_COLD, block_bytes, s->word_bytes));
}

/* ---- data ---- */

#define EVENTS 900

static rd_event events[EVENTS];
static size_t n_events;

/* Makes events in the order of their references: allocations of many sizes, which may overlap, releases of
 * whole allocations or of some of their bytes, and stacks of one thread. */
static void make_events(uint64_t seed, uint64_t span) {
    rdi_rng rng = {seed};
    n_events = EVENTS;
    for (size_t i = 0; i < EVENTS; i++) {
        uint64_t largest = rdi_rng_below(&rng, 8) ? 100 : span;
        uint64_t kind = rdi_rng_below(&rng, 10);
        events[i] = (rd_event){.at = i * REFS / EVENTS,
                               .kind = kind < 6   ? RD_EVENT_ALLOCATE
                                       : kind < 9 ? RD_EVENT_RELEASE
                                                  : RD_EVENT_STACK,
                               .thread = 7,
                               .address = 0x10000 + rdi_rng_below(&rng, span),
                               .size = 1 + rdi_rng_below(&rng, largest),
                               .pc = 0x1000 + rdi_rng_below(&rng, 6)};
        if (kind == 8 && i > 3) { /* releases the whole allocation of event i - 3, if it is one */
            events[i].address = events[i - 3].address;
            events[i].size = 0;
        }
    }
    events[0] =
        (rd_event){.kind = RD_EVENT_ALLOCATE, .address = 0x10000, .size = span, .pc = 0x1001};
}

/* The owner of every byte according to the events: 0 is nobody, 1 is the stack, and any other
 * number is a program counter. */
static uint64_t owner[1 << 17];
static uint64_t allocated[1 << 17]; /* the beginning of the allocation of each byte */

static void own(const rd_event *e) {
    uint64_t from = e->address - 0x10000, to = from + e->size;
    if (e->kind == RD_EVENT_RELEASE && e->size == 0) {
        if (!owner[from] || allocated[from] != from)
            return;
        for (to = from; to < RDI_COUNT(owner) && owner[to] && allocated[to] == from;)
            to++;
    }
    for (uint64_t i = from; i < to; i++) {
        owner[i] = e->kind == RD_EVENT_RELEASE ? 0 : e->kind == RD_EVENT_STACK ? 1 : e->pc;
        allocated[i] = from;
    }
    /* If the event has cut an allocation in two, the bytes after the event's memory are an allocation of their
     * own. */
    uint64_t cut = to < RDI_COUNT(owner) && owner[to] ? allocated[to] : to;
    for (uint64_t i = to; i < RDI_COUNT(owner) && owner[i] && allocated[i] == cut && cut < to; i++)
        allocated[i] = to;
}

/* Returns the owner of the data of reference i. Bytes without an owner in a block with only one
 * owner belong to that owner. */
static uint64_t owner_of(size_t i, uint64_t block_bytes) {
    uint64_t start = blocks[i] * block_bytes, who = owner[addr[origins[i]] - 0x10000], only = 0;
    for (uint64_t b = start - 0x10000; who == 0 && b < start - 0x10000 + block_bytes; b++) {
        if (only && owner[b] && owner[b] != only)
            return 0;
        only = owner[b] ? owner[b] : only;
    }
    return who ? who : only;
}

static const char *owner_name(uint64_t who, char *text) {
    if (who > 1)
        sprintf(text, "0x%x", (unsigned)who);
    return who == 0 ? "other memory" : who == 1 ? "stack of thread 7" : text;
}

/* ---- tests ---- */

/* Checks that the sums over all functions, over all lines and over all data each equal the counts
 * of the whole trace, bin by bin. */
static void check_sums(const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    const rd_attribution *a = d->attribution;
    rd_share whole = {0}, functions = {0}, lines = {0}, data = {0};
    for (size_t i = 0; i < n_blocks; i++)
        count(d, rd_profile_facts_of(p)->block_bytes, distances[i], &whole);
    struct {
        rd_share *sum;
        const rd_share *first;
        size_t n, stride;
    } lists[] = {{&functions, &a->functions->share, a->n_functions, sizeof *a->functions},
                 {&lines, &a->lines->share, a->n_lines, sizeof *a->lines},
                 {&data, &a->data->share, a->n_data, sizeof *a->data}};
    for (size_t l = 0; l < RDI_COUNT(lists); l++) {
        for (size_t i = 0; i < lists[l].n; i++) {
            const rd_share *s =
                (const rd_share *)((const char *)lists[l].first + i * lists[l].stride);
            lists[l].sum->references += s->references;
            lists[l].sum->infinite += s->infinite;
            rdi_sum_add(&lists[l].sum->distance_sum, s->distance_sum);
            for (size_t k = 0; k < RD_LEVELS_MAX; k++)
                lists[l].sum->misses[k] += s->misses[k];
            for (size_t k = 0; k < RD_LOG_BINS; k++)
                lists[l].sum->bins[k] += s->bins[k];
        }
        assert_memory_equal(lists[l].sum, &whole, sizeof whole);
    }
    const char *mistake = rdi_details_mistake(rd_profile_facts_of(p), d);
    if (mistake)
        fail_msg("%s", mistake);
}

static rd_profile *run_well(const run_config *config) {
    rd_profile *p = NULL;
    rd_status status = run(ctx, config, &p);
    if (status != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    assert_int_equal(rd_profile_set_block_bytes(p, config->block_bytes), RD_OK);
    return p;
}

static size_t versions_end; /* index of the reference before which the test uses up the version
                               numbers of regions; 0: never */

/* Feeds a batch. Checks that after a failure the attributor refuses further batches. */
static rd_status feed_batch(rd_attributor *a, const rd_attributed *batch) {
    rd_status status = rd_attributor_feed(a, batch);
    if (status != RD_OK)
        assert_int_equal(rd_attributor_feed(a, batch), RD_ESTATE);
    return status;
}

#define BATCH_MAX 300

/* Feeds references in batches of many lengths, from memory that is overwritten afterwards. */
static rd_status feed_batches(rd_attributor *a, const uint64_t *got, const uint32_t *origin,
                              const uint64_t *d, size_t n) {
    for (size_t at = 0, k; at < n; at += k) {
        uint64_t batch_blocks[BATCH_MAX], batch_distances[BATCH_MAX];
        uint32_t batch_origins[BATCH_MAX];
        size_t wanted = 1 + (n_blocks + at * at) % BATCH_MAX;
        k = n - at < wanted ? n - at : wanted;
        memcpy(batch_blocks, got + at, k * sizeof *got);
        memcpy(batch_distances, d + at, k * sizeof *d);
        memcpy(batch_origins, origin + at, k * sizeof *origin);
        RD_TRY(feed_batch(
            a, &(rd_attributed){&refs, batch_origins, batch_blocks, batch_distances, k, NULL}));
        memset(batch_blocks, 0xee, sizeof batch_blocks);
        memset(batch_distances, 0xee, sizeof batch_distances);
        memset(batch_origins, 0xee, sizeof batch_origins);
    }
    return RD_OK;
}

/* Feeds the references in batches or, if there are events, one by one, with each event before the
 * references that follow it. */
static rd_status attribute(rd_attributor *a, const uint64_t *got, const uint32_t *origin,
                           const uint64_t *d, size_t n) {
    static size_t told;
    told = origin[0] == 0 && n_blocks == 0 ? 0 : told;
    if (n_events == 0)
        return feed_batches(a, got, origin, d, n);
    for (size_t i = 0; i < n; i++) {
        for (; told < n_events && events[told].at <= origin[i]; told++)
            RD_TRY(rd_attributor_event(a, &events[told]));
        if (versions_end && origin[i] == versions_end)
            a->regions.newest = RDI_VERSION_LAST;
        RD_TRY(feed_batch(a, &(rd_attributed){&refs, &origin[i], &got[i], &d[i], 1, NULL}));
    }
    return RD_OK;
}

/* Runs the trace with the events, and checks the counts against the owners of the bytes. */
static void check_owners(const run_config *config) {
    uint64_t bytes = config->block_bytes;
    for (size_t i = 0; i < REFS; i++)
        size[i] = 1;
    rd_profile *p = run_well(config);
    const rd_details *d = rd_profile_details(p);
    rd_share wanted[16] = {{0}};
    memset(owner, 0, sizeof owner);
    for (size_t i = 0, told = 0; i < n_blocks; i++) {
        for (; told < n_events && events[told].at <= origins[i]; told++)
            own(&events[told]);
        uint64_t who = owner_of(i, bytes ? bytes : 1);
        count(d, bytes, distances[i], &wanted[who < 2 ? who : who - 0x1000 + 2]);
    }
    uint64_t found = 0;
    for (size_t k = 0; k < d->attribution->n_data; k++)
        for (uint64_t who = 0; who < RDI_COUNT(wanted); who++) {
            char text[32];
            const char *name = owner_name(who < 2 ? who : who + 0x1000 - 2, text);
            if (strcmp(name, d->attribution->data[k].name) == 0) {
                assert_memory_equal(&wanted[who], &d->attribution->data[k].share,
                                    sizeof wanted[who]);
                found += wanted[who].references;
            }
        }
    assert_int_equal(found, n_blocks);
    check_sums(p);
    rd_profile_free(p);
    n_events = 0;
}

static const uint64_t owned_block_bytes[] = {64, 4096, 0, 16, 16384};

/* Returns a bound, in blocks, that is large enough for all levels of these tests. The largest level has 20,000
 * bytes or, without a block size, 20,000 blocks. */
static uint64_t smallest_bound(uint64_t block_bytes) {
    return block_bytes ? 20000 / block_bytes + 1 : 20000;
}

static void data_are_whose_the_events_say(void **state) {
    (void)state;
    for (size_t round = 0; round < 20; round++) {
        uint64_t bytes = owned_block_bytes[round % RDI_COUNT(owned_block_bytes)];
        make_trace(300 + round, 20, 40000);
        make_events(400 + round, 40000);
        versions_end = round % 4 * 100;
        check_owners(&(run_config){"auto", bytes, round < 10 ? 0 : smallest_bound(bytes), {0}});
    }
    versions_end = 0;
}

/* Tests a block that holds bytes of a module and of an allocation, and bytes of neither: each reference counts
 * for the module, for the allocation or for other memory, in whatever order the references come. In half of the
 * cases there is no allocation. */
static void modules_share_blocks_with_others(void **state) {
    (void)state;
    static const struct {
        uint64_t at;
        const char *name;
    } owners[] = {{3, "x"}, {28, "other memory"}, {41, "0x1001"}};
    for (size_t round = 0; round < 12; round++) {
        for (size_t i = 0; i < REFS; i++) {
            addr[i] = 0x10000 + owners[(i * (1 + round % 2) + round / 2) % 3].at;
            pc[i] = 0x400000;
            size[i] = 1;
        }
        n_events = round < 6 ? 2 : 1;
        events[0] = (rd_event){
            .kind = RD_EVENT_MODULE, .address = 0x10000, .size = 24, .path = "/nonexistent/x"};
        events[1] =
            (rd_event){.kind = RD_EVENT_ALLOCATE, .address = 0x10000 + 40, .size = 8, .pc = 0x1001};
        rd_profile *p = run_well(&(run_config){"auto", 64, 0, {0}});
        const rd_attribution *a = rd_profile_details(p)->attribution;
        assert_int_equal(a->n_data, 1 + n_events);
        for (size_t i = 0; i < a->n_data; i++)
            for (size_t k = 0; k < RDI_COUNT(owners); k++)
                if (strcmp(a->data[i].name, owners[k].name) == 0)
                    assert_int_equal(a->data[i].share.references,
                                     REFS / 3 * (n_events == 1 && k == 1 ? 2 : 1));
        rd_profile_free(p);
    }
    n_events = 0;
}

/* Tests that each reference to a block with two owners counts for the owner at that time, although both owners
 * change repeatedly and the owners of many other blocks change in between. */
static void blocks_of_several_are_looked_up_again(void **state) {
    (void)state;
    for (size_t i = 0; i < REFS; i++) {
        addr[i] = 0x10000 + i % 2 * 8;
        pc[i] = 0x400000;
    }
    n_events = 0;
    for (size_t round = 0; round < 100; round++) {
        const rd_event all[] = {{.at = 6, .address = 0x10000 + 4096, .size = 20000, .pc = 0x1001},
                                {.at = 12, .address = 0x10000, .size = 8},
                                {.at = 12, .address = 0x10000 + 8, .size = 8}};
        for (size_t i = 0; i < RDI_COUNT(all); i++) {
            events[n_events] = all[i];
            events[n_events].at += round * 20;
            events[n_events].kind = RD_EVENT_ALLOCATE;
            if (i)
                events[n_events].pc = 0x1002 + (2 * round + i) % 5;
            n_events++;
        }
    }
    check_owners(&(run_config){"auto", 64, 0, {0}});
}

/* Tests that references count for the right owner when an allocation changes the owner of many
 * blocks at once while the blocks are in use. */
static void what_many_blocks_hold_changes_at_once(void **state) {
    (void)state;
    for (size_t round = 0; round < 10; round++) {
        uint64_t bytes = owned_block_bytes[round % 5], step = bytes && bytes < 256 ? bytes : 64;
        for (size_t i = 0; i < REFS; i++) {
            addr[i] = 0x10000 + i * step % (500 * step);
            pc[i] = 0x400000 + i % 3;
        }
        static const uint64_t at[] = {0, 3900, 4500, 5600};
        n_events = RDI_COUNT(at);
        for (size_t i = 0; i < n_events; i++)
            events[i] = (rd_event){.at = at[i],
                                   .kind = RD_EVENT_ALLOCATE,
                                   .address = 0x10000 + 70 * i,
                                   .size = step * (i == 1 ? 450 : 480),
                                   .pc = 0x1001 + i};
        check_owners(&(run_config){"auto", bytes, round < 5 ? 0 : smallest_bound(bytes), {0}});
    }
}

static void everything_is_as_defined(void **state) {
    (void)state;
    static const run_config configs[] = {
        {"stack", 64, 0, {0}},  {"auto", 64, 0, {0}},    {"stack", 16, 0, {0}},
        {"auto", 4096, 0, {0}}, {"stack", 64, 320, {0}}, {"auto", 32, 1000, {0}},
    };
    for (size_t i = 0; i < RDI_COUNT(configs); i++) {
        make_trace(i, 40, 64000);
        rd_profile *p = run_well(&configs[i]);
        const rd_details *d = rd_profile_details(p);
        assert_int_equal(d->levels[0].bytes, 700); /* levels are sorted by size */
        check_sums(p);
        check_lines(d, configs[i].block_bytes);
        check_pairs(d, configs[i].block_bytes);
        check_windows(d, configs[i].block_bytes);
        check_words(d, configs[i].block_bytes);
        rd_profile_free(p);
    }
}

static void blocks_without_size_have_no_words(void **state) {
    (void)state;
    make_trace(9, 10, 900);
    run_config config = {"stack", 0, 0, {0}};
    rd_profile *p = run_well(&config);
    const rd_details *d = rd_profile_details(p);
    assert_null(d->spatial);
    check_sums(p);
    check_lines(d, 0);
    rd_profile_free(p);
}

static void sums_stay_exact_whatever_the_limits(void **state) {
    (void)state;
    static const size_t limits[][3] = {
        {3, 1000, 1000}, {1000, 8, 1000}, {1000, 100, 1000},
        {1000, 1000, 3}, {20, 30, 2},     {1, 8, 1},
    };
    for (size_t i = 0; i < RDI_COUNT(limits); i++) {
        make_trace(100 + i, 200, 50000);
        run_config config = {
            "auto",
            64,
            0,
            {.max_sites = limits[i][0], .max_tuples = limits[i][1], .max_entries = limits[i][2]}};
        rd_profile *p = run_well(&config);
        const rd_attribution *a = rd_profile_details(p)->attribution;
        check_sums(p);
        assert_true(a->n_functions <= limits[i][2] + 1 && a->n_pairs <= limits[i][2] + 1);
        assert_string_equal(a->functions[a->n_functions - 1].name, "(others)");
        assert_int_equal(a->lines[a->n_lines - 1].function, RD_NO_INDEX);
        uint64_t pairs = 0, finite = 0;
        for (size_t k = 0; k < a->n_pairs; k++)
            pairs += a->pairs[k].count;
        for (size_t k = 0; k < n_blocks; k++)
            finite += distances[k] != RD_COLD;
        assert_int_equal(pairs, finite);
        rd_profile_free(p);
    }
}

/* Tests that rare tuples are folded first: the pair that causes the most misses is kept, although
 * there are hundreds of other pairs. */
static void heavy_pairs_survive_folding(void **state) {
    (void)state;
    make_trace(5, 300, 300);
    for (size_t i = 0; i < REFS; i += 3) { /* a loop over 500 blocks that no other code touches */
        pc[i] = 0xabc0;
        addr[i] = 0x1000000 + 64 * (i / 3 % 500);
        size[i] = 8;
    }
    run_config config = {"auto", 64, 0, {.max_tuples = 64}};
    rd_profile *p = run_well(&config);
    const rd_attribution *a = rd_profile_details(p)->attribution;
    assert_true(a->dropped_pairs > 0);
    assert_int_equal(pc_of_line(a, a->pairs[0].use), 0xabc0);
    assert_int_equal(pc_of_line(a, a->pairs[0].reuse), 0xabc0);
    assert_int_equal(a->pairs[0].count, REFS / 3 - 500);
    rd_profile_free(p);
}

static void windows_merge_when_there_are_too_many(void **state) {
    (void)state;
    make_trace(3, 10, 5000);
    run_config config = {"auto", 64, 0, {.windows = 4}};
    rd_profile *p = run_well(&config);
    const rd_windows *w = rd_profile_details(p)->windows;
    assert_true(w->n >= 3 && w->n <= 4);
    assert_int_equal(w->references, 2048);
    check_windows(rd_profile_details(p), 64);
    rd_profile_free(p);
}

/* Tests that a phase begins where the working set changes: the first 3,072 references touch 2
 * blocks, and the rest touch 1,000. */
static void phases_begin_where_the_signature_changes(void **state) {
    (void)state;
    for (size_t i = 0; i < REFS; i++) {
        bool second = i >= 3072;
        addr[i] = second ? 64 * (i % 1000) : 64 * (i % 2);
        size[i] = 1;
        pc[i] = 1;
    }
    run_config config = {"auto", 64, 0, {0}};
    rd_profile *p = run_well(&config);
    const rd_windows *w = rd_profile_details(p)->windows;
    assert_int_equal(w->references, 1024);
    assert_true(w->n_phases >= 2);
    assert_int_equal(w->phases[0], 0);
    assert_int_equal(w->phases[1], 3);
    rd_profile_free(p);
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    make_trace(11, 50, 30000);
    run_config config = {"auto", 64, 0, {.max_entries = 20}};
    rd_profile *p = run_well(&config), *again = NULL;
    char *first = NULL, *second = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(rd_profile_json(p, &first, &n), RD_OK);
    if (rd_profile_parse(ctx, "again", first, n, &again) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    assert_non_null(rd_profile_details(again));
    assert_int_equal(rd_profile_json(again, &second, &m), RD_OK);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    rd_text_free(ctx, first);
    rd_text_free(ctx, second);
    rd_profile_free(p);
    rd_profile_free(again);
}

/* Tests that the phases of a profile without "phase_numbers", as earlier releases wrote it, are all
 * different. */
static void phases_without_numbers_are_different(void **state) {
    (void)state;
    make_trace(12, 5, 3000);
    run_config config = {"auto", 64, 0, {0}};
    rd_profile *p = run_well(&config), *old = NULL;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    memcpy(strstr(text, "\"phase_numbers\""), "\"other_numbers\"", 15);
    assert_int_equal(rd_profile_parse(ctx, "old", text, n, &old), RD_OK);
    const rd_windows *w = rd_profile_details(old)->windows;
    for (size_t i = 0; i < w->n_phases; i++)
        assert_int_equal(w->phase_numbers[i], i + 1);
    rd_text_free(ctx, text);
    rd_profile_free(p);
    rd_profile_free(old);
}

/* Tests that a file is refused after a change that makes it contradict itself or gives it an
 * impossible value. */
static void contradictions_are_refused(void **state) {
    (void)state;
    static const char *const edits[][2] = {
        {"\"use\": 0,", "\"use\": 999,"},
        {"\"function\": 0,", "\"function\": 999,"},
        {"\"misses\": [", "\"misses\": [1, 1, 1, "},
        {"\"from\": 1024", "\"from\": 1025"},
        {"\"phases\": [0", "\"phases\": [1"},
        {"\"phase_numbers\": [1", "\"phase_numbers\": [0"},
        {"\"phase_numbers\": [1", "\"phase_numbers\": [1, 1"},
        {"\"distance_sum\": ", "\"distance_sum\": 9"},
        {"\"kind\": \"other\"", "\"kind\": \"heaps\""},
        {"\"word_bytes\": 8", "\"word_bytes\": 7"},
        {"\"name\": \"L1\"", "\"name\": \"a name that is too long\""},
        {"[[0, 0, ", "[[0, 1, "},
    };
    make_trace(12, 5, 3000);
    run_config config = {"auto", 64, 0, {0}};
    rd_profile *p = run_well(&config), *bad = NULL;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    for (size_t i = 0; i < RDI_COUNT(edits); i++) {
        const char *at = strstr(text, edits[i][0]);
        if (!at)
            fail_msg("the profile does not contain '%s'", edits[i][0]);
        size_t before = (size_t)(at - text), cut = strlen(edits[i][0]), put = strlen(edits[i][1]);
        char *edited = malloc(n + put);
        memcpy(edited, text, before);
        memcpy(edited + before, edits[i][1], put);
        memcpy(edited + before + put, at + cut, n - before - cut);
        if (rd_profile_parse(ctx, "bad", edited, n - cut + put, &bad) != RD_EFORMAT)
            fail_msg("the profile is accepted with '%s' instead of '%s'", edits[i][1], edits[i][0]);
        free(edited);
    }
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static rd_status run_and_read_back(rd_ctx *with, void *user) {
    rd_profile *p = NULL, *again = NULL;
    char *text = NULL;
    size_t n = 0;
    rd_status status = run(with, user, &p);
    if (status == RD_OK)
        status = rd_profile_json(p, &text, &n);
    if (status == RD_OK)
        status = rd_profile_parse(with, "again", text, n, &again);
    rd_text_free(with, text);
    rd_profile_free(p);
    rd_profile_free(again);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    run_config config = {"stack", 64, 100, {.max_tuples = 200, .max_entries = 5}};
    make_trace(21, 30, 20000);
    refs.n = 600;
    run_config *limits = &config;
    limits->bound = 400; /* a bound above the sizes of all levels in blocks */
    make_events(22, 20000);
    n_events = 60;
    faults_inject("attribution", run_and_read_back, &config, RD_OK);
    n_events = 0;
    refs.n = REFS;
}

static void a_cache_above_the_bound_is_refused(void **state) {
    (void)state;
    run_config config = {"stack", 64, 100, {0}};
    rd_profile *p = NULL;
    make_trace(1, 5, 1000);
    assert_int_equal(run(ctx, &config, &p), RD_EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, new_ctx, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(everything_is_as_defined),
        TEST(data_are_whose_the_events_say),
        TEST(modules_share_blocks_with_others),
        TEST(blocks_of_several_are_looked_up_again),
        TEST(what_many_blocks_hold_changes_at_once),
        TEST(blocks_without_size_have_no_words),
        TEST(sums_stay_exact_whatever_the_limits),
        TEST(heavy_pairs_survive_folding),
        TEST(windows_merge_when_there_are_too_many),
        TEST(phases_begin_where_the_signature_changes),
        TEST(what_is_written_reads_back),
        TEST(phases_without_numbers_are_different),
        TEST(contradictions_are_refused),
        TEST(every_failing_allocation_is_survived),
        TEST(a_cache_above_the_bound_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
