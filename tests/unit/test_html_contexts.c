/* Tests the calling contexts on the HTML page: the page has the most important nodes, and all sums equal those
 * of the profile. The test reads the page's JSON with functions of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/html_data.h"
#include "support/faults.h"
#include "support/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 8001 /* maximum number of nodes of a page with one profile */

/* A node: the index of its parent, or its own index if it has no parent, and its counts. */
typedef struct call {
    size_t parent;
    uint64_t references, misses;
} call;

/* Makes a random tree, or several trees. Small counts are much more frequent than large ones. */
static call *random_tree(rdi_rng *rng, size_t n) {
    call *tree = calloc(n, sizeof *tree);
    assert_non_null(tree);
    for (size_t i = 0; i < n; i++) {
        tree[i].parent = i == 0 || rdi_rng_below(rng, 500) == 0 ? i : rdi_rng_below(rng, i);
        tree[i].references = UINT64_C(1) << rdi_rng_below(rng, 20);
        tree[i].misses = rdi_rng_below(rng, tree[i].references + 1);
    }
    return tree;
}

/* Makes a profile with the contexts of `tree`, and `other` as the counts outside of all contexts. The frame of
 * node i has line i + 1, so that the test recognizes it. */
static rd_profile *profile_of(rd_ctx *in, const call *tree, size_t n, const call *other) {
    rdi_text t = rdi_text_start(in);
    uint64_t references = other->references;
    for (size_t i = 0; i < n; i++)
        references += tree[i].references;
    rdi_text_printf(&t,
                    "{\"schema\":\"reusedist.profile/1.3\",\"references\":%" PRIu64
                    ",\"blocks\":0,\"cold\":0,\"infinite\":0,\"block_bytes\":64,\"exact\":true,"
                    "\"error\":{\"kind\":\"exact\"},\"binning\":\"log\",\"levels\":[{\"name\":"
                    "\"L1\",\"bytes\":64}],\"contexts\":{\"frames\":[",
                    references);
    for (size_t i = 0; i < n; i++)
        rdi_text_printf(&t,
                        "%s{\"function\":\"f%zu\",\"file\":\"a.c\",\"line\":%zu,\"module\":null,"
                        "\"own\":true,\"inlined\":false}",
                        i ? "," : "", i % 7, i + 1);
    rdi_text_puts(&t, "],\"nodes\":[");
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(&t, i ? ",{\"parent\":" : "{\"parent\":");
        if (tree[i].parent == i)
            rdi_text_puts(&t, "null");
        else
            rdi_text_u64(&t, tree[i].parent);
        rdi_text_printf(&t, ",\"frame\":%zu,\"references\":%" PRIu64 ",\"misses\":[%" PRIu64 "]}",
                        i, tree[i].references, tree[i].misses);
    }
    rdi_text_printf(&t,
                    "],\"other\":{\"references\":%" PRIu64 ",\"misses\":[%" PRIu64
                    "],\"contexts\":3}},\"histogram\":[[0,0,%" PRIu64 ",0]]}",
                    other->references, other->misses, references);
    char *text = NULL;
    size_t bytes = 0;
    rd_profile *p = NULL;
    assert_int_equal(rdi_text_take(&t, &text, &bytes), RD_OK);
    if (rd_profile_parse(in, "p", text, bytes, &p) != RD_OK)
        fail_msg("%s", rd_last_error(in));
    rd_text_free(in, text);
    return p;
}

static rd_status make_page(rd_ctx *in, rd_profile *p, char **text) {
    const char *name = "p.json";
    size_t n = 0;
    return rd_report_html(
        in, &(rd_page){.size = sizeof(rd_page), .profiles = &p, .names = &name, .n = 1}, text, &n);
}

/* Reads rows of `width` numbers from the list that follows "key":. null becomes UINT64_MAX. Returns the
 * number of rows. */
static size_t read_rows(const char *page, const char *key, size_t width, uint64_t *out) {
    const char *at = strstr(page, key);
    size_t n = 0;
    assert_non_null(at);
    at += strlen(key);
    while (*at == '[' || *at == ',') {
        at += *at == ',';
        assert_int_equal(*at++, '[');
        for (size_t k = 0; k < width; k++, at++) {
            char *end;
            bool null = strncmp(at, "null", 4) == 0;
            out[n * width + k] = null ? UINT64_MAX : strtoull(at, &end, 10);
            at = null ? at + 4 : end;
            assert_int_equal(*at, k + 1 < width ? ',' : ']');
        }
        n++;
    }
    assert_int_equal(*at, ']');
    return n;
}

/* Adds the counts of `part` to the elements of node i and of all its ancestors in `sums`. */
static void add_to_parents(const call *tree, size_t i, const call *part, call *sums) {
    for (;; i = tree[i].parent) {
        sums[i].references += part->references;
        sums[i].misses += part->misses;
        if (tree[i].parent == i)
            return;
    }
}

/* Compares the page with the tree: the counts of each kept node with all its descendants, and the total. */
static void check_tree(const char *page, const call *tree, size_t n, const call *other) {
    uint64_t *nodes = calloc(4 * n, 8), *rests = calloc(4 * n, 8), *frames = calloc(3 * n, 8);
    uint64_t rest[3];
    call *exact = calloc(n, sizeof *exact), *seen = calloc(n, sizeof *seen), all = *other;
    size_t n_frames = read_rows(page, "\"frames\":[", 3, frames);
    size_t kept = read_rows(page, "\"nodes\":[", 4, nodes);
    size_t n_rests = read_rows(page, "\"rests\":[", 4, rests);
    assert_int_equal(n_frames, kept);
    assert_true(kept <= KEPT && kept > (n < KEPT ? n - 1 : KEPT / 2));
    for (size_t i = 0; i < n; i++) {
        add_to_parents(tree, i, &tree[i], exact);
        all.references += tree[i].references;
        all.misses += tree[i].misses;
    }
    /* Node i of the page is node line - 1 of the tree. */
    for (size_t i = 0; i < kept; i++) {
        size_t line = frames[3 * nodes[4 * i + 1] + 1] - 1;
        call own = {.references = nodes[4 * i + 2], .misses = nodes[4 * i + 3]};
        uint64_t parent = nodes[4 * i];
        assert_true(parent == UINT64_MAX
                        ? tree[line].parent == line
                        : frames[3 * nodes[4 * parent + 1] + 1] - 1 == tree[line].parent);
        assert_true(own.references == tree[line].references && own.misses == tree[line].misses);
        add_to_parents(tree, line, &own, seen);
    }
    for (size_t i = 0; i < n_rests; i++)
        add_to_parents(tree, frames[3 * nodes[4 * rests[4 * i] + 1] + 1] - 1,
                       &(call){.references = rests[4 * i + 2], .misses = rests[4 * i + 3]}, seen);
    uint64_t references = 0, misses = 0;
    for (size_t i = 0; i < kept; i++) {
        size_t line = frames[3 * nodes[4 * i + 1] + 1] - 1;
        assert_true(seen[line].references == exact[line].references);
        assert_true(seen[line].misses == exact[line].misses);
        if (nodes[4 * i] == UINT64_MAX) {
            references += seen[line].references;
            misses += seen[line].misses;
        }
    }
    const char *at = strstr(page, "\"other\":[");
    assert_non_null(at);
    assert_int_equal(
        sscanf(at, "\"other\":[%" SCNu64 ",%" SCNu64 ",%" SCNu64 "]", &rest[0], &rest[1], &rest[2]),
        3);
    assert_true(references + rest[1] == all.references && misses + rest[2] == all.misses);
    free(nodes);
    free(rests);
    free(frames);
    free(exact);
    free(seen);
}

static void sums_are_those_of_the_profile(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 50, KEPT, KEPT + 1, 20000};
    rdi_rng rng = {7};
    for (size_t i = 0; i < RDI_COUNT(sizes); i++) {
        call other = {.references = 10 * i, .misses = 3 * i}, *tree = random_tree(&rng, sizes[i]);
        rd_profile *p = profile_of(ctx, tree, sizes[i], &other);
        char *page = NULL;
        assert_int_equal(make_page(ctx, p, &page), RD_OK);
        check_tree(page, tree, sizes[i], &other);
        rd_text_free(ctx, page);
        rd_profile_free(p);
        free(tree);
    }
}

static rd_status page_with_contexts(rd_ctx *in, void *user) {
    char *text = NULL;
    rd_status status = make_page(in, user, &text);
    rd_text_free(in, text);
    return status;
}

static void lack_of_memory_is_survived(void **state) {
    (void)state;
    rdi_rng rng = {8};
    call *tree = random_tree(&rng, 30);
    rd_profile *p = profile_of(ctx, tree, 30, &(call){0});
    assert_true(faults_inject("a page with contexts", page_with_contexts, p, RD_OK) > 10);
    rd_profile_free(p);
    free(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_are_those_of_the_profile, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_survived, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
