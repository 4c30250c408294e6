/* Tests how rdi_demangle() and rdi_name_shorten() turn symbols into readable names: known symbols
 * give known names, and hostile symbols are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/demangle.h"

#include "support/fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    const char *from, *to;
} pair;

static void check_pairs(rd_status (*function)(rdi_arena *, const char *, const char **),
                        const pair *pairs, size_t n) {
    rdi_arena arena = {.ctx = ctx};
    for (size_t i = 0; i < n; i++) {
        const char *out = NULL;
        assert_int_equal(function(&arena, pairs[i].from, &out), RD_OK);
        assert_string_equal(out, pairs[i].to);
    }
    rdi_arena_fini(&arena);
}

/* ---- symbols ---- */

static void rust_of_the_old_form_loses_its_hash(void **state) {
    static const pair pairs[] = {
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
        {"_ZN7program4grow17h89abcdef01234567E", "program::grow"},
        {"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<T,A>::push"},
        {"_ZN77_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..index..Index$LT$I$GT$$GT$5index"
         "17h0123456789abcdefE",
         "<alloc::vec::Vec<T> as core::ops::index::Index<I>>::index"},
        {"_ZN4main12closure$u7e$17h0123456789abcdefE", "main::closure~"},
        {"_ZN4main4work17h0123456789abcdefE.llvm.12345", "main::work"},
        /* These symbols are damaged and stay as they are. */
        {"_ZN4core3fmt", "_ZN4core3fmt"},
        {"_ZN4main99work17h0123456789abcdefE", "_ZN4main99work17h0123456789abcdefE"},
    };
    char out[RDI_NAME_ROOM];
    (void)state;
    check_pairs(rdi_demangle, pairs, RDI_COUNT(pairs));
    assert_false(rdi_demangle_rust("_ZN4main5a$XX$17h0123456789abcdefE", out)); /* unknown escape */
    assert_false(rdi_demangle_rust("_ZN6Parser4growE", out));                   /* C++ */
}

static void rust_of_the_new_form_follows_its_grammar(void **state) {
    static const pair pairs[] = {
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
        {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
        {"_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
        {"_RNCNvCsgStHSCytQ6I_7mycrate4mains_0B3_", "mycrate::main::{closure#1}"},
        {"_RNvMCs4fqI2P2rA04_13const_genericINtB2_3BarKb1_E3foo",
         "<const_generic::Bar<true>>::foo"},
        {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
        {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
        {"_RNvXs_C3fooNtB4_3BarNtNtC4core3fmt5Debug3fmt", "<foo::Bar as core::fmt::Debug>::fmt"},
        {"_RNvYNtC3foo3BarNtNtC4core5clone5Clone5clone", "<foo::Bar as core::clone::Clone>::clone"},
        {"_RINvC3foo3barRShE", "foo::bar::<&[u8]>"},
        {"_RINvC3foo3barAhj4_E", "foo::bar::<[u8; 4]>"},
        {"_RINvC3foo3barTlmEE", "foo::bar::<(i32, u32)>"},
        {"_RINvC3foo3barTlEE", "foo::bar::<(i32,)>"},
        {"_RINvC3foo3barFEuE", "foo::bar::<fn()>"},
        {"_RINvC3foo3barFUKChEhE", "foo::bar::<unsafe extern \"C\" fn(u8) -> u8>"},
        {"_RINvC3foo3barFG_RL0_hEuE", "foo::bar::<for<'a> fn(&'a u8)>"},
        {"_RINvC3foo3barDNtC4core3AnyEL_E", "foo::bar::<dyn core::Any>"},
        {"_RINvC3foo3barDNtC4core4Iterp4ItemhEL_E", "foo::bar::<dyn core::Iter<Item = u8>>"},
        {"_RINvC3foo3barKln7_E", "foo::bar::<-7>"},
        {"_RINvC3foo3barKc41_E", "foo::bar::<'A'>"},
        {"_RINvC3foo3barNtC3foo1TBb_E", "foo::bar::<foo::T, foo::T>"},
        {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
         "utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a"
         "\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98"
         "\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98"
         "\xe1\x83\x9a\xe1\x83\x98"},
        /* Damaged symbols stay as they are, but an empty list of arguments is no damage. */
        {"_R", "_R"},
        {"_RNvC3fo", "_RNvC3fo"},
        {"_RNvB_3foo", "_RNvB_3foo"},
        {"_RINvC3foo3barE", "foo::bar::<>"},
        {"_RINvC3foo3barRShEq", "_RINvC3foo3barRShEq"},
    };
    (void)state;
    check_pairs(rdi_demangle, pairs, RDI_COUNT(pairs));
}

/* Appends a back reference to byte `to` of the symbol. Bytes count from the end of the prefix "_R",
 * and the reference is a number in base 62. */
static void add_reference(char *symbol, size_t to) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char text[8];
    snprintf(text, sizeof text, "B%c%c_", digits[(to - 1) / 62], digits[(to - 1) % 62]);
    strcat(symbol, text);
}

/* Tests that a symbol is refused if its name would be too long: each tuple refers twice to the
 * previous tuple, which doubles the name. */
static void a_symbol_cannot_explode(void **state) {
    char symbol[2000] = "_RINvC3foo3bar", out[RDI_NAME_ROOM];
    (void)state;
    for (int doublings = 0; doublings < 40; doublings++) {
        strcpy(symbol, "_RINvC3foo3bar");
        size_t last = strlen(symbol) - 2;
        strcat(symbol, "TuuE");
        for (int i = 0; i < doublings; i++) {
            size_t here = strlen(symbol) - 2;
            strcat(symbol, "T");
            add_reference(symbol, last);
            add_reference(symbol, last);
            strcat(symbol, "E");
            last = here;
        }
        strcat(symbol, "E");
        assert_int_equal(rdi_demangle_rust(symbol, out), doublings < 9);
    }
    memset(symbol + 8, 'R', sizeof symbol - 9); /* a reference to a reference to ... */
    symbol[sizeof symbol - 1] = '\0';
    assert_false(rdi_demangle_rust(symbol, out));
}

static void fortran_and_clones(void **state) {
    static const pair pairs[] = {
        {"__heat_MOD_step", "heat::step"},
        {"__heat_MOD_", "__heat_MOD_"},
        {"___MOD_x", "___MOD_x"},
        {"main", "main"},
        {"main.run", "main.run"},
        {"main.(*Parser).grow", "main.(*Parser).grow"},
        {"work.isra.0", "work"},
        {"work.part.0.cold", "work"},
        {"memcpy@@GLIBC_2.14", "memcpy"},
        {"", ""},
        {"_", "_"},
        {"__", "__"},
        {"_Z", "_Z"},
    };
    (void)state;
    check_pairs(rdi_demangle, pairs, RDI_COUNT(pairs));
}

static void cxx_is_read_by_the_runtime_library(void **state) {
    static const pair pairs[] = {
        {"_ZSt11_Hash_bytesPKvmm", "std::_Hash_bytes(void const*, unsigned long, unsigned long)"},
        {"_ZN6Parser4growEv", "Parser::grow()"},
        {"_ZN6Parser4growEv.cold", "Parser::grow()"},
        {"_ZN6Parser4gro", "_ZN6Parser4gro"},
    };
    (void)state;
    if (!dlopen("libstdc++.so.6", RTLD_LAZY) && !dlopen("libc++abi.so.1", RTLD_LAZY))
        skip();
    check_pairs(rdi_demangle, pairs, RDI_COUNT(pairs));
}

/* ---- short names ---- */

static void names_for_people(void **state) {
    static const pair pairs[] = {
        {"main", "main"},
        {"std::vector<int, std::allocator<int> >::push_back", "std::vector<...>::push_back"},
        {"void std::sort<int*, bool (*)(int, int)>(int*, int*, bool (*)(int, int))",
         "std::sort<...>"},
        {"std::_Hash_bytes(void const*, unsigned long, unsigned long)", "std::_Hash_bytes"},
        {"std::__cxx11::basic_string<char, std::char_traits<char> >::append(char const*)",
         "std::basic_string<...>::append"},
        {"Matrix<double>::operator()(int, int) const", "Matrix<...>::operator()"},
        {"Matrix<double>::operator[]", "Matrix<...>::operator[]"},
        {"operator new(unsigned long)", "operator new"},
        {"std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<< <...>"},
        {"bool a::operator<(a::T const&, a::T const&)", "a::operator<"},
        {"T::operator unsigned long() const", "T::operator unsigned long"},
        {"p->*q", "p->*q"},
        {"(anonymous namespace)::work(int)", "(anonymous namespace)::work"},
        {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"},
        {"main::<lambda(int)>::operator()", "main::{lambda}::operator()"},
        {"foo(int)::Local::bar()", "foo::Local::bar"},
        {"f[abi:cxx11](int)", "f"},
        {"f(int) [clone .isra.0]", "f"},
        {"alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<...>::push"},
        {"<alloc::vec::Vec<T> as core::ops::index::Index<I>>::index", "alloc::vec::Vec<T>::index"},
        {"<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index",
         "alloc::vec::Vec<...>::index"},
        {"core::slice::<impl [T]>::iter", "core::slice::[T]::iter"},
        {"std::mem::align_of::<usize>", "std::mem::align_of<...>"},
        {"program::main::{closure#0}", "program::main::{closure#0}"},
        {"<const_generic::Bar<true>>::foo", "const_generic::Bar<...>::foo"},
        {"main.(*Parser).grow", "main.(*Parser).grow"},
        {"std::equal_to<unsigned long>::operator()", "std::equal_to<...>::operator()"},
        {"heat::step", "heat::step"},
        {"<", "<"},
        {"a<b", "a<b"},
        {"((((", "(((("},
    };
    (void)state;
    check_pairs(rdi_name_shorten, pairs, RDI_COUNT(pairs));
}

static void a_long_name_is_shortened(void **state) {
    enum { NESTED = 20000 };
    static const char open[] = "a::b<", close[] = ">";
    rdi_arena arena = {.ctx = ctx};
    char *name = malloc(NESTED * (sizeof open + sizeof close) + 16), *at = name;
    const char *out;
    (void)state;
    assert_non_null(name);
    for (int i = 0; i < NESTED; i++)
        at = stpcpy(at, open);
    for (int i = 0; i < NESTED; i++)
        at = stpcpy(at, close);
    strcpy(at, "::go");
    ok(rdi_name_shorten(&arena, name, &out));
    assert_string_equal(out, "a::b<...>::go");
    rdi_arena_fini(&arena);
    free(name);
}

static rd_status short_name_of_symbol(rdi_arena *arena, const char *symbol, const char **out) {
    const char *full;
    return rdi_symbol_names(arena, symbol, &full, out);
}

static void symbols_of_no_language_keep_their_text(void **state) {
    static const pair pairs[] = {
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
        {"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<...>::push"},
        {"sp ace <script>alert(1)</script>", "sp ace <script>alert(1)</script>"},
        {"a(b) c[def]", "a(b) c[def]"},
        {"-[Matrix rows:]", "-[Matrix rows:]"},
        {"work (int).part.0", "work (int)"},
        {"type:.eq.struct { F uintptr; x int }", "type:.eq.struct { F uintptr; x int }"},
        {"main.sum[go.shape.int]", "main.sum[...]"},
        {"main.(*List[go.shape.int]).Push", "main.(*List[...]).Push"},
        {"main.sum[go.shape.int", "main.sum[go.shape.int"},
        {"main.sum[T]", "main.sum[T]"},
        {"main", "main"},
        {"", ""},
    };
    (void)state;
    check_pairs(short_name_of_symbol, pairs, RDI_COUNT(pairs));
}

static void long_names_are_bounded_and_stay_different(void **state) {
    static char long_name[3][3 * RDI_NAME_ROOM];
    const char *out[3], *again;
    rdi_arena arena = {.ctx = ctx};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char *at = stpcpy(long_name[i], i < 2 ? "W<" : "w");
        for (size_t k = 0; k < RDI_NAME_ROOM; k++)
            at = stpcpy(at, i < 2 ? "<>" : "\u00fc");
        strcpy(at, i == 0 ? "a>::go" : i == 1 ? "b>::go" : "");
        assert_int_equal(rdi_name_bound(&arena, long_name[i], &out[i]), RD_OK);
        assert_true(strlen(out[i]) < RDI_NAME_ROOM);
    }
    assert_int_equal(strlen(out[0]), strlen("W<...#0123456789abcdef>::go"));
    assert_string_not_equal(out[0], out[1]);
    assert_int_equal(rdi_name_shorten(&arena, out[0], &again), RD_OK);
    assert_string_equal(again, "W<...>::go");
    assert_int_equal(out[2][strlen(out[2]) - 23], '\xbc'); /* whole characters before the hash */
    assert_int_equal(rdi_name_bound(&arena, "W<int>::go", &again), RD_OK);
    assert_string_equal(again, "W<int>::go");
    rdi_arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rust_of_the_old_form_loses_its_hash),
        cmocka_unit_test(rust_of_the_new_form_follows_its_grammar),
        cmocka_unit_test(a_symbol_cannot_explode),
        cmocka_unit_test(fortran_and_clones),
        cmocka_unit_test(cxx_is_read_by_the_runtime_library),
        cmocka_unit_test(names_for_people),
        cmocka_unit_test(a_long_name_is_shortened),
        cmocka_unit_test(symbols_of_no_language_keep_their_text),
        cmocka_unit_test(long_names_are_bounded_and_stay_different),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
