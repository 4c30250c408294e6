/* Tests the call paths of the text report: calling contexts that differ only in library code are one path, and a long
 * list of calls gets shorter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report_calls.h"

#include "support/fixture.h"

#include <string.h>

enum { MAIN, OTHER_MAIN, SORT, SORT_MORE, LESS, LIBRARY, FRAMES };

/* Line 30 of main() calls std::sort(), which calls itself and less(). Line 31 calls less() directly. */
static const rd_call_frame frames[FRAMES] = {
    [MAIN] = {.function = "app::main", .file = "/home/a.cpp", .line = 30, .own = true},
    [OTHER_MAIN] = {.function = "app::main", .file = "/home/a.cpp", .line = 31, .own = true},
    [SORT] = {.function = "std::sort<...>", .file = "/usr/include/sort", .line = 5},
    [SORT_MORE] = {.function = "std::sort<...>", .file = "/usr/include/sort", .line = 6},
    [LESS] = {.function = "app::Shelf::less", .file = "/home/a.cpp", .line = 12, .own = true},
    [LIBRARY] = {.function = "memcmp", .file = "memcmp.S", .line = 1}};

static const rd_call_node nodes[] = {
    {.parent = RD_NO_INDEX, .frame = MAIN, .references = 100, .misses = {5}},
    {.parent = 0, .frame = SORT, .references = 10, .misses = {1}},
    {.parent = 1, .frame = LESS, .references = 10, .misses = {3}},
    {.parent = 1, .frame = SORT_MORE, .references = 10, .misses = {1}},
    {.parent = 3, .frame = LESS, .references = 10, .misses = {4}},
    {.parent = 4, .frame = LIBRARY, .references = 10, .misses = {2}},
    {.parent = RD_NO_INDEX, .frame = OTHER_MAIN, .references = 1, .misses = {1}},
    {.parent = 6, .frame = LESS, .references = 10, .misses = {6}},
    {.parent = RD_NO_INDEX, .frame = LIBRARY, .references = 10, .misses = {50}}};

static const rd_contexts contexts = {
    .frames = frames, .n_frames = FRAMES, .nodes = nodes, .n_nodes = RDI_COUNT(nodes)};

static void paths_that_differ_in_libraries_are_one(void **state) {
    (void)state;
    rdi_call_path paths[8];
    rd_details d = {.contexts = &contexts, .n_levels = 1};
    assert_int_equal(rdi_call_paths_find(ctx, &d, paths, 8), 4);
    static const struct {
        size_t node;
        uint64_t references, misses;
    } expected[] = {{2, 30, 9}, {0, 120, 7}, {7, 10, 6}, {6, 1, 1}};
    for (size_t i = 0; i < RDI_COUNT(expected); i++) {
        assert_int_equal(paths[i].node, expected[i].node);
        assert_int_equal(paths[i].references, expected[i].references);
        assert_int_equal(paths[i].misses[0], expected[i].misses);
    }
    assert_int_equal(rdi_call_paths_find(ctx, &d, paths, 1), 1);
    d.contexts = NULL;
    assert_int_equal(rdi_call_paths_find(ctx, &d, paths, 8), 0);
}

static void check_calls(const rd_contexts *c, size_t node, unsigned width, const char *expected) {
    rdi_text label = rdi_text_start(ctx);
    rdi_name_calls(c, node, "<-", "...", width, &label);
    assert_string_equal(label.data ? label.data : "", expected);
    rdi_text_drop(&label);
}

static void long_calls_get_shorter(void **state) {
    (void)state;
    static const rd_call_frame own[] = {
        {.function = "app::main", .file = "a.cpp", .line = 30, .own = true},
        {.function = "app::Shelf::fill", .file = "a.cpp", .line = 20, .own = true},
        {.function = "app::Shelf::sort", .file = "a.cpp", .line = 10, .own = true}};
    rd_call_node chain[20];
    for (size_t i = 0; i < RDI_COUNT(chain); i++)
        chain[i] = (rd_call_node){.parent = i ? i - 1 : RD_NO_INDEX, .frame = i < 2 ? i : 2};
    rd_contexts c = {.frames = own, .n_frames = 3, .nodes = chain, .n_nodes = RDI_COUNT(chain)};
    check_calls(&c, 0, 80, "");
    check_calls(&c, 2, 40, "<- app::Shelf::fill:20 <- app::main:30");
    check_calls(&c, 2, 37, "<- fill:20 <- main:30");
    check_calls(&c, 2, 20, "<- fill:20 <- ...");
    check_calls(&c, 2, 5, "<- fill:20 <- ..."); /* the innermost call always stays */
    check_calls(&c, 1, 5, "<- main:30");
    check_calls(&c, 19, 80,
                "<- sort:10 <- sort:10 <- sort:10 <- sort:10 <- sort:10 <- sort:10 <- ...");
    rdi_text label = rdi_text_start(ctx);
    rdi_name_node(&c, 2, &label);
    assert_string_equal(label.data, "a.cpp:10 app::Shelf::sort");
    rdi_text_drop(&label);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_that_differ_in_libraries_are_one),
        cmocka_unit_test(long_calls_get_shorter),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
