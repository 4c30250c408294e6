/* Tests rdi_paper_label(), which puts labels in tables of a report: a label that is too long loses the scopes of
 * its functions. If it is still too long, it loses its middle, so that its beginning and its end stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report_details.h"

#include "support/fixture.h"

static void check_label(const char *label, unsigned width, bool unicode, const char *expected) {
    rdi_paper paper = {.t = rdi_text_start(ctx), .style = {.width = 80, .unicode = unicode}};
    unsigned columns = rdi_paper_label(&paper, label, width, true);
    assert_true(columns <= width);
    rdi_text_putc(&paper.t, '|');
    assert_int_equal(paper.t.status, RD_OK);
    rdi_text_putc(&paper.t, '\0');
    assert_string_equal(paper.t.data, expected);
    assert_int_equal(rdi_text_columns(paper.t.data), width + 1);
    rdi_free(ctx, paper.t.data);
}

static void a_label_that_fits_stays(void **state) {
    (void)state;
    check_label("a.c:1 main", 12, true, "a.c:1 main  |");
    check_label("a.c:1 main", 10, false, "a.c:1 main|");
    check_label("", 3, false, "   |");
}

static void a_long_label_loses_its_middle(void **state) {
    (void)state;
    check_label("file.cpp:120 work_on_it", 20, false, "file.cpp:...rk_on_it|");
    check_label("file.cpp:120 work_on_it", 20, true, "file.cpp:1\xe2\x80\xa6ork_on_it|");
    check_label("\xc3\xa4\xc3\xb6\xc3\xbc.c:1 \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 11,
                true,
                "\xc3\xa4\xc3\xb6\xc3\xbc.c\xe2\x80\xa6\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc|");
    check_label("a\033.c:1 main", 10, true, "a\\x1b\xe2\x80\xa6main|");
}

static void the_end_of_a_library_function_stays(void **state) {
    (void)state;
    check_label("a.cpp:17 main, in default_delete_of_this_type::operator()", 33, true,
                "a.cpp:17 main, in \xe2\x80\xa6pe::operator()|");
    /* There is too little room after ", in ", so the cut comes before "in". */
    check_label("parser.cpp:17 parse_words and others, in find_in_a_map", 33, true,
                "parser.cpp:17 pa\xe2\x80\xa6in find_in_a_map|");
}

static void dots_of_brackets_do_not_follow_the_dots_of_the_cut(void **state) {
    (void)state;
    check_label("a.cpp:16 main std__Tuple<...>_to_y", 18, true, "a.cpp:16 \xe2\x80\xa6_to_y   |");
    check_label("a.cpp:16 main std__Tuple<...>_to_y", 20, true, "a.cpp:16 m\xe2\x80\xa6_to_y    |");
    check_label("a.cpp:16 main std__Tuple<...>_to_y", 22, true,
                "a.cpp:16 ma\xe2\x80\xa6<...>_to_y|");
}

static void a_long_label_loses_scopes_first(void **state) {
    (void)state;
    check_label("bill.cpp:13 billing::Index<...>::get, in std::less<...>::compare", 30, true,
                "bill.cpp:13 get, in compare   |");
    check_label("heap: billing::Table::grow (table.cpp:9)", 25, true, "heap: grow (table.cpp:9) |");
    check_label("a.rs:10 app::Grid::total::{{closure}}", 30, true,
                "a.rs:10 total::{{closure}}    |");
    check_label("a.go:14 main.(*picture).column", 20, true, "a.go:14 column      |");
    check_label("a.cpp:3 (anonymous namespace)::deep::run", 20, true, "a.cpp:3 run         |");
    check_label("a.cpp:3 app::Less<a::b, c::d>::test", 20, true, "a.cpp:3 test        |");
    /* An operator needs the name of its class. */
    check_label("a.cpp:3 app::Less::operator()", 25, true, "a.cpp:3 Less::operator() |");
    check_label("a.cpp:3 app::std::operator< <...> and others", 40, true,
                "a.cpp:3 std::operator< <...> and others |");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_that_fits_stays),
        cmocka_unit_test(a_long_label_loses_scopes_first),
        cmocka_unit_test(a_long_label_loses_its_middle),
        cmocka_unit_test(the_end_of_a_library_function_stays),
        cmocka_unit_test(dots_of_brackets_do_not_follow_the_dots_of_the_cut),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
