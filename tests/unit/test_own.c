/* Tests that rdi_own_file() recognizes the user's own files, and that rd_profile_show_own() moves counts of library
 * code to own code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/own_code.h"
#include "reusedist/reusedist.h"

#include "support/fixture.h"

#include <string.h>

static void folders_of_libraries_are_not_own(void **state) {
    static const rdi_own automatic = {0};
    static const struct {
        const char *source, *module;
        bool own;
    } files[] = {
        {"/home/user/words/parser.cpp", "/home/user/words/words", true},
        {"/home/user/words/parser.cpp", NULL, true},
        {"/usr/include/c++/12/bits/basic_string.h", "/home/user/words/words", false},
        {"/opt/gcc/include/c++/13/vector", "/home/user/words/words", false},
        {"/rustc/90c541806f23a127002de5b4038be731ba1458ca/library/alloc/src/vec/mod.rs",
         "/home/user/words/words", false},
        {"/rust/deps/hashbrown-0.16.1/src/raw/mod.rs", "/home/user/words/words", false},
        {"/usr/src/rustc-1.63.0/library/std/src/io/mod.rs", "/home/user/words/words", false},
        {"/home/user/rust/deps/words.rs", "/home/user/rust/words", true},
        {"/home/user/.cargo/registry/src/index.crates.io-6f17/hashbrown-0.14/src/raw.rs",
         "/home/user/words/words", false},
        {"/home/user/words/src/main.rs", "/home/user/words/target/release/words", true},
        {"src/main.rs", "/home/user/words/target/release/words", true},
        {"malloc.c", "/usr/lib/x86_64-linux-gnu/libc.so.6", false},
        {"../sysdeps/x86_64/multiarch/memcmp-avx2-movbe.S", "/home/user/static", false},
        {"malloc.c", NULL, false},
        {"/usr/local/go/src/sort/sort.go", "/home/user/words/words", false},
        {"/home/user/sdk/go1.22.1/src/runtime/malloc.go", "/home/user/words/words", false},
        {"/home/user/go/pkg/mod/example.com/x@v1.0.0/x.go", "/home/user/words/words", false},
        {"/home/user/gopher/words.go", "/home/user/words/words", true},
        {"/build/openssl-3.0/crypto/sha.c", "/usr/lib/libcrypto.so", false},
        {"", NULL, false},
        {NULL, NULL, false},
    };
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(files); i++)
        assert_int_equal(rdi_own_file(&automatic, files[i].source, files[i].module), files[i].own);
}

static void chosen_paths_decide_alone(void **state) {
    static const char *const paths[] = {"/usr/include/mine/", "src/core", "main.c"};
    static const rdi_own chosen = {paths, 3};
    (void)state;
    assert_true(rdi_own_file(&chosen, "/usr/include/mine/a.h", "/usr/lib/x.so"));
    assert_false(rdi_own_file(&chosen, "/usr/include/mined/a.h", NULL));
    assert_true(rdi_own_file(&chosen, "/home/user/src/core/a.c", NULL));
    assert_true(rdi_own_file(&chosen, "src/core/a.c", NULL));
    assert_false(rdi_own_file(&chosen, "/home/user/src/core2/a.c", NULL));
    assert_false(rdi_own_file(&chosen, "/home/user/mysrc/core/a.c", NULL));
    assert_true(rdi_own_file(&chosen, "/home/user/main.c", NULL));
    assert_false(rdi_own_file(&chosen, "/home/user/main.cc", NULL));
    assert_false(rdi_own_file(&chosen, "/home/user/words/parser.cpp", NULL));
}

/* ---- moving counts ---- */

#define ENTRY(references, misses)                                                                  \
    "\"references\": " #references ", \"infinite\": 0, \"distance_sum\": 0, \"misses\": [" #misses \
    "], \"bins\": [[0, 0, " #references "]]}"

/* vector.h:9 is inlined into own.cc:5 and into own.cc:7; own.cc:5 also refers to memory itself. */
static const char profile[] =
    "{\"schema\": \"reusedist.profile/1.1\", \"references\": 100, \"blocks\": 0, \"cold\": 0, "
    "\"infinite\": 0, \"block_bytes\": 64, \"binning\": \"log\", \"engine\": {\"name\": \"auto\"}, "
    "\"exact\": true, \"error\": {\"kind\": \"exact\", \"bound\": 0}, \"sums_known\": true, "
    "\"levels\": [{\"name\": \"L1\", \"bytes\": 64}], \"attribution\": {"
    "\"sources\": [\"/home/u/own.cc\", \"/usr/include/vector.h\"], \"own\": [\"/home/u/own.cc\"], "
    "\"functions\": ["
    "{\"name\": \"vector<...>::at\", \"source\": 1, \"line\": 8, \"module\": \"a\", " ENTRY(
        70,
        0) ","
           "{\"name\": \"work\", \"source\": 0, \"line\": 3, \"module\": \"a\", " ENTRY(
               10,
               0) ","
                  "{\"name\": \"(others)\", \"source\": null, \"line\": null, \"module\": "
                  "null, " ENTRY(
                      20,
                      0) "], \"lines\": ["
                         "{\"source\": 1, \"line\": 9, \"function\": 0, \"inlined_from\": "
                         "[\"/usr/include/vector.h:3\", "
                         "\"/home/u/own.cc:5\"], \"inlined_functions\": [\"vector<...>::front\", "
                         "\"work\"], "
                         "\"text\": null, " ENTRY(
                             40,
                             0) ","
                                "{\"source\": 1, \"line\": 9, \"function\": 0, \"inlined_from\": "
                                "[\"/home/u/own.cc:7\"], "
                                "\"inlined_functions\": [\"other\"], \"text\": null, " ENTRY(
                                    30,
                                    0) ","
                                       "{\"source\": 0, \"line\": 5, \"function\": 1, \"text\": "
                                       "\"x = v.front();\", " ENTRY(
                                           10,
                                           0) ","
                                              "{\"source\": null, \"line\": 0, \"function\": null, "
                                              "\"text\": null, " ENTRY(
                                                  20,
                                                  0) "], \"pairs\": [{\"use\": 0, \"reuse\": 2, "
                                                     "\"count\": 5, \"distance_sum\": 0, "
                                                     "\"misses\": [0]}, "
                                                     "{\"use\": 2, \"reuse\": 0, \"count\": 3, "
                                                     "\"distance_sum\": 0, \"misses\": [0]}], "
                                                     "\"data\": [{\"kind\": \"heap\", \"name\": "
                                                     "\"a\", \"line\": 2, \"blocks\": 0, "
                                                     "\"words_used\": null, " ENTRY(
                                                         100, 0) "], "
                                                                 "\"line_data\": [{\"line\": 0, "
                                                                 "\"data\": 0, \"misses\": [0]}, "
                                                                 "{\"line\": 2, \"data\": 0, "
                                                                 "\"misses\": [0]}]}, "
                                                                 "\"histogram\": [[0, 0, 100, 0]]}";

static const rd_attribution *show(rd_profile **p, const char *const *own, size_t n) {
    assert_int_equal(rd_profile_parse(ctx, "test", profile, sizeof profile - 1, p), RD_OK);
    assert_int_equal(rd_profile_show_own(*p, own, n), RD_OK);
    return rd_profile_details(*p)->attribution;
}

static void inlined_code_moves_to_the_own_line(void **state) {
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, NULL, 0);
    (void)state;
    assert_int_equal(a->n_lines, 3);
    assert_string_equal(a->sources[a->lines[0].source], "/home/u/own.cc");
    assert_int_equal(a->lines[0].line, 5);
    assert_int_equal(a->lines[0].share.references, 50);
    assert_int_equal(a->lines[0].share.bins[0], 50);
    assert_string_equal(a->functions[a->lines[0].function].name, "work");
    assert_string_equal(a->lines[0].text, "x = v.front();");
    assert_int_equal(a->lines[1].line, 7);
    assert_int_equal(a->lines[1].share.references, 30);
    assert_string_equal(a->lines[1].library, "vector<...>::at");
    assert_string_equal(a->functions[a->lines[1].function].name, "other");
    assert_int_equal(a->lines[2].function, RD_NO_INDEX);
    assert_int_equal(a->lines[2].share.references, 20);
    /* The functions have the counts of their lines. */
    assert_int_equal(a->n_functions, 4);
    assert_int_equal(a->functions[0].share.references, 50);
    assert_int_equal(a->functions[1].share.references, 30);
    assert_int_equal(a->functions[2].share.references, 0);
    assert_string_equal(a->functions[3].name, "(others)");
    /* Pairs that have become equal are merged. */
    assert_int_equal(a->n_pairs, 1);
    assert_int_equal(a->pairs[0].count, 8);
    assert_int_equal(a->pairs[0].use, 0);
    assert_int_equal(a->pairs[0].reuse, 0);
    assert_int_equal(a->n_line_data, 1);
    assert_int_equal(a->data[0].line, 0);
    rd_profile_free(p);
}

static void a_chosen_folder_overrides_the_profile(void **state) {
    static const char *const own[] = {"/usr/include"};
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, own, 1);
    (void)state;
    assert_string_equal(a->sources[a->lines[0].source], "/usr/include/vector.h");
    assert_int_equal(a->lines[0].line, 9);
    assert_int_equal(a->lines[0].share.references, 70);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_libraries_are_not_own),
        cmocka_unit_test(chosen_paths_decide_alone),
        cmocka_unit_test_setup_teardown(inlined_code_moves_to_the_own_line, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(a_chosen_folder_overrides_the_profile, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
