/* Tests descriptions of cache hierarchies (rd_hierarchy): parsing, checks, text and geometry. */
#include "reusedist/hierarchy.h"

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rd_hierarchy parsed(const char *text) {
    rd_hierarchy h;
    if (rd_hierarchy_parse(ctx, text, &h) != RD_OK)
        fail_msg("%s: %s", text, rd_last_error(ctx));
    return h;
}

static void defaults(void **state) {
    (void)state;
    rd_hierarchy h = parsed("L1=32768");
    assert_int_equal(h.n, 1);
    assert_false(h.has_unit);
    const rd_cache *c = &h.cache[0];
    assert_string_equal(c->name, "L1");
    assert_int_equal(c->bytes, 32768);
    assert_int_equal(c->ways, 0);
    assert_int_equal(c->policy, RD_POLICY_LRU);
    assert_int_equal(c->write, RD_WRITE_BACK);
    assert_int_equal(c->fill, RD_FILL_NINE);
    assert_int_equal(c->prefetch, RD_PREFETCH_NONE);
    assert_int_equal(c->index, RD_INDEX_MOD);
    assert_int_equal(c->latency + c->seed, 0);
    assert_false(c->shared);
    assert_int_equal(rd_cache_sets(c, 64), 1);
    assert_int_equal(rd_cache_ways(c, 64), 512);
}

static void every_key(void **state) {
    (void)state;
    rd_hierarchy h = parsed("L1=48K:12,L2=2M:16:policy=plru:write=through:fill=inclusive:prefetch="
                            "stream:index=hash:latency=15:shared=yes:seed=7,L3=260M:20:policy="
                            "random:fill=exclusive");
    const rd_cache *c = &h.cache[1];
    assert_int_equal(h.n, 3);
    assert_true(h.has_unit);
    assert_int_equal(c->policy, RD_POLICY_PLRU);
    assert_int_equal(c->write, RD_WRITE_THROUGH);
    assert_int_equal(c->fill, RD_FILL_INCLUSIVE);
    assert_int_equal(c->prefetch, RD_PREFETCH_STREAM);
    assert_int_equal(c->index, RD_INDEX_HASH);
    assert_int_equal(c->latency, 15);
    assert_int_equal(c->seed, 7);
    assert_true(c->shared);
    assert_int_equal(rd_cache_sets(&h.cache[2], 64), 212992);
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_OK);
}

/* Tests that the text of a hierarchy is read as the same hierarchy. */
static void text_is_read_back(void **state) {
    (void)state;
    static const char *const texts[] = {
        "L1=48K:12,L2=2048K:16:policy=plru:write=through:fill=inclusive:prefetch=stream",
        "L1=48K:12,L2=2048K:16:index=hash:latency=15:shared=yes:seed=7",
        "L1I=32K:8,L1D=48K:12,L2=1024K",
        "objects=1000:10,more=5000:policy=rrip",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rd_hierarchy h = parsed(texts[i]);
        char *text = NULL;
        assert_int_equal(rd_hierarchy_text(ctx, &h, &text), RD_OK);
        assert_string_equal(text, texts[i]);
        rd_text_free(ctx, text);
    }
}

static void first_level_apart(void **state) {
    (void)state;
    rd_hierarchy h = parsed("L1I=64K:8,L1D=32K:8,L2=64K");
    assert_true(rd_hierarchy_is_split(&h));
    h = parsed("L1D=32K:8,L1I=64K:8,L2=64K");
    assert_true(rd_hierarchy_is_split(&h));
    h = parsed("L1D=32K:8,L2=64K");
    assert_false(rd_hierarchy_is_split(&h));
    assert_int_equal(rd_hierarchy_parse(ctx, "L1I=64K,L1D=32K,L2=48K", &h), RD_EINVAL);
}

static void mistakes_in_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "cache '': the name is missing: write NAME=SIZE, such as L1=32K:8"},
        {"32K:8", "cache '32K:8': the name is missing: write NAME=SIZE, such as L1=32K:8"},
        {"L1=32K:8,", "cache '': the name is missing: write NAME=SIZE, such as L1=32K:8"},
        {"32K:policy=lru",
         "cache '32K:policy=lru': the name is missing: write NAME=SIZE, such as L1=32K:8"},
        {"=32K", "cache '=32K': '' is not a valid name: use 1 to 15 characters"},
        {"abcdefghijklmnop=1", "cache 'abcdefghijklmnop=1': 'abcdefghijklmnop' is not a valid "
                               "name: use 1 to 15 characters"},
        {"L 1=32K",
         "cache 'L 1=32K': the name has a space, a quote, a backslash or a control character"},
        {"L1=0", "cache 'L1=0': the size is 0; give at least one block"},
        {"L1=", "cache 'L1=': '' is not a whole number"},
        {"L1=big", "cache 'L1=big': 'big' is not a whole number"},
        {"L1=16777216T", "cache 'L1=16777216T': '16777216T' does not fit in 64 bits"},
        {"L1=32K:0", "cache 'L1=32K:0': a cache has at least 1 way; leave the ways out for a "
                     "fully associative cache"},
        {"L1=32K:-8", "cache 'L1=32K:-8': '-8' is neither a number of ways nor KEY=VALUE"},
        {"L1=32K:", "cache 'L1=32K:': '' is neither a number of ways nor KEY=VALUE"},
        {"L1=32K:8:16", "cache 'L1=32K:8:16': '16' is not KEY=VALUE"},
        {"L1=32K:7:line=48", "cache 'L1=32K:7:line=48': unknown key 'line': all caches have blocks "
                             "of one size, which -b sets"},
        {"L1=32K:8:polcy=lru",
         "cache 'L1=32K:8:polcy=lru': unknown key 'polcy'; did you mean policy? (valid: policy, "
         "write, fill, prefetch, index, latency, shared, seed)"},
        {"L1=32K:8:policy=lur", "cache 'L1=32K:8:policy=lur': option 'policy': 'lur' is not one of "
                                "lru|plru|rrip|random; did you mean lru?"},
        {"L1=32K:8:latency=1000000001",
         "cache 'L1=32K:8:latency=1000000001': option 'latency': 1000000001 is too large: the "
         "maximum is 1000000000"},
        {"L1=32K,L2=16K", "L2, of size 16384 bytes, is smaller than L1, of size 32768 bytes; list "
                          "the caches innermost first"},
        {"L1=32K:fill=exclusive", "L1: the innermost cache cannot be exclusive, because no other "
                                  "cache could fill it"},
        {"L1=32K,L2=64K:fill=exclusive:prefetch=next",
         "L2: an exclusive cache cannot prefetch, because only blocks that an inner cache evicts "
         "enter it"},
        {"L1=32K,L1=64K", "two caches have the name L1; give each a name of its own"},
    };
    rd_hierarchy h = {.n = 99};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rd_hierarchy_parse(ctx, cases[i].text, &h), RD_EINVAL);
        assert_string_equal(rd_last_error(ctx), cases[i].message);
        assert_int_equal(h.n, 99);
    }
}

static void number_of_caches(void **state) {
    (void)state;
    char text[256] = "A=1";
    for (char name = 'B'; name <= 'P'; name++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%c=1", name);
    rd_hierarchy h = parsed(text);
    assert_int_equal(h.n, RD_CACHES_MAX);
    strcat(text, ",Q=1");
    assert_int_equal(rd_hierarchy_parse(ctx, text, &h), RD_EINVAL);
    assert_string_equal(rd_last_error(ctx), "cache 'Q=1': at most 16 caches are supported");
}

static void mistakes_in_geometry(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t block;
        const char *message;
    } cases[] = {
        {"L1=32K:7", 64, "L1: 512 blocks are not a whole number of sets of 7 ways"},
        {"L1=1K:17", 64, "L1: 17 ways do not fit into a cache of 16 blocks; use at most 16"},
        {"L1=63", 64, "L1: 63 bytes are not a whole number of blocks of 64 bytes"},
        {"L1=100", 64, "L1: 100 bytes are not a whole number of blocks of 64 bytes"},
        {"L1=1K", 0,
         "K, M, G and T are units of bytes, but here a block is an address or an object without a "
         "size: give the number of blocks, such as L1=1000:10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rd_hierarchy h = parsed(cases[i].text);
        assert_int_equal(rd_hierarchy_check(ctx, &h, cases[i].block), RD_EINVAL);
        assert_string_equal(rd_last_error(ctx), cases[i].message);
    }
    rd_hierarchy odd = parsed("L1=21K:7");
    assert_int_equal(rd_hierarchy_check(ctx, &odd, 64), RD_OK);
    assert_int_equal(rd_cache_sets(&odd.cache[0], 64), 48);
    odd = parsed("L1=15:3");
    assert_int_equal(rd_hierarchy_check(ctx, &odd, 0), RD_OK);
    assert_int_equal(rd_cache_sets(&odd.cache[0], 0), 5);
}

/* Tests that a struct is refused if it is invalid in a way that no text can express. */
static void mistakes_in_structs(void **state) {
    (void)state;
    rd_hierarchy h = {.size = sizeof h};
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_EINVAL);
    h.n = RD_CACHES_MAX + 1;
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_EINVAL);
    h = parsed("L1=1K");
    memset(h.cache[0].name, 'x', sizeof h.cache[0].name);
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_EINVAL);
    h = parsed("L1=1K");
    h.cache[0].policy = (rd_cache_policy)99;
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_EINVAL);
    h = parsed("L1=1K");
    h.size = 0;
    assert_int_equal(rd_hierarchy_check(ctx, &h, 64), RD_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(text_is_read_back),
        cmocka_unit_test(first_level_apart),
        cmocka_unit_test(mistakes_in_text),
        cmocka_unit_test(number_of_caches),
        cmocka_unit_test(mistakes_in_geometry),
        cmocka_unit_test(mistakes_in_structs),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
