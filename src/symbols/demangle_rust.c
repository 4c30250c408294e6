/* Implements rdi_demangle_rust(): reads the new form of Rust symbols. rust_symbol.c reads the old
 * form. See demangle.h.
 *
 * This file follows the grammar of Rust's RFC 2603: each function below parses one rule of the
 * grammar and writes the text. Depth, steps and output are limited, because back references can
 * make the name of a short symbol exponentially long.
 */
#include "symbols/rust_symbol.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200
#define STEPS_MAX 20000

/* ---- paths, types and constants of the new form ---- */

static void read_path(rdi_rust_symbol *r, bool in_value);
static void read_type(rdi_rust_symbol *r);
static void read_const(rdi_rust_symbol *r);

static bool enter(rdi_rust_symbol *r) {
    if (r->depth == DEPTH_MAX || r->steps++ == STEPS_MAX)
        r->failed = true;
    r->depth++;
    return !r->failed;
}

typedef enum target { A_PATH, A_VALUE_PATH, A_TYPE, A_CONST } target;

/* Reads a back reference and the earlier text of the symbol that it refers to. If r->quiet is above
 * 0, that text is not read, because nothing would be written. */
static void follow(rdi_rust_symbol *r, target what) {
    size_t from = r->at - 1;
    uint64_t to = rdi_rust_base62(r);
    if (r->failed || to >= from) {
        r->failed = true;
        return;
    }
    if (r->quiet)
        return;
    size_t back = r->at;
    r->at = (size_t)to;
    if (what == A_TYPE)
        read_type(r);
    else if (what == A_CONST)
        read_const(r);
    else
        read_path(r, what == A_VALUE_PATH);
    r->at = back;
}

static void put_lifetime(rdi_rust_symbol *r, uint64_t index) {
    rdi_rust_puts(r, "'");
    if (index == 0) {
        rdi_rust_puts(r, "_");
    } else if (index > r->lifetimes) {
        r->failed = true;
    } else {
        uint64_t number = r->lifetimes - index;
        char letter = (char)('a' + number % 26);
        rdi_rust_put(r, &letter, 1);
        if (number >= 26)
            rdi_rust_put_number(r, number / 26);
    }
}

/* Reads a binder, "for<'a, 'b> ". The caller restores the number of lifetimes. */
static void read_binder(rdi_rust_symbol *r) {
    uint64_t n = rdi_rust_take(r, 'G') ? rdi_rust_base62(r) + 1 : 0;
    if (r->failed || n > 1000 || n == 0) {
        r->failed = r->failed || n > 1000;
        return;
    }
    rdi_rust_puts(r, "for<");
    for (uint64_t i = 0; i < n; i++) {
        r->lifetimes++;
        rdi_rust_puts(r, i ? ", " : "");
        put_lifetime(r, 1);
    }
    rdi_rust_puts(r, "> ");
}

static void read_generic_arg(rdi_rust_symbol *r) {
    if (rdi_rust_take(r, 'L'))
        put_lifetime(r, rdi_rust_base62(r));
    else if (rdi_rust_take(r, 'K'))
        read_const(r);
    else
        read_type(r);
}

/* Reads items up to "E" and writes ", " between them. Returns their number. */
static size_t read_items(rdi_rust_symbol *r, void (*item)(rdi_rust_symbol *r)) {
    size_t n = 0;
    while (!r->failed && !rdi_rust_take(r, 'E')) {
        rdi_rust_puts(r, n++ ? ", " : "");
        item(r);
    }
    return n;
}

/* Reads "::name", or "::{closure#0}" for a name that the compiler has made. */
static void read_nested(rdi_rust_symbol *r, bool in_value) {
    char space = rdi_rust_next(r);
    read_path(r, in_value);
    uint64_t number = rdi_rust_disambiguator(r);
    rdi_rust_identifier id = rdi_rust_identifier_read(r);
    if (space >= 'a' && space <= 'z') {
        if (id.n)
            rdi_rust_puts(r, "::");
        rdi_rust_identifier_put(r, &id);
        return;
    }
    r->failed = r->failed || space < 'A' || space > 'Z';
    rdi_rust_puts(r, "::{");
    if (space == 'C')
        rdi_rust_puts(r, "closure");
    else if (space == 'S')
        rdi_rust_puts(r, "shim");
    else
        rdi_rust_put(r, &space, 1);
    if (id.n) {
        rdi_rust_puts(r, ":");
        rdi_rust_identifier_put(r, &id);
    }
    rdi_rust_puts(r, "#");
    rdi_rust_put_number(r, number);
    rdi_rust_puts(r, "}");
}

/* Reads "<type>" or "<type as trait>". The path of the implementation is read, but not written. */
static void read_self(rdi_rust_symbol *r, char kind) {
    if (kind != 'Y') {
        rdi_rust_disambiguator(r);
        r->quiet++;
        read_path(r, false);
        r->quiet--;
    }
    rdi_rust_puts(r, "<");
    read_type(r);
    if (kind != 'M') {
        rdi_rust_puts(r, " as ");
        read_path(r, false);
    }
    rdi_rust_puts(r, ">");
}

static void read_path(rdi_rust_symbol *r, bool in_value) {
    if (enter(r)) {
        char kind = rdi_rust_next(r);
        if (kind == 'C') {
            rdi_rust_disambiguator(r);
            rdi_rust_identifier id = rdi_rust_identifier_read(r);
            rdi_rust_identifier_put(r, &id);
        } else if (kind == 'N') {
            read_nested(r, in_value);
        } else if (kind == 'M' || kind == 'X' || kind == 'Y') {
            read_self(r, kind);
        } else if (kind == 'I') {
            read_path(r, in_value);
            rdi_rust_puts(r, in_value ? "::<" : "<");
            read_items(r, read_generic_arg);
            rdi_rust_puts(r, ">");
        } else if (kind == 'B') {
            follow(r, in_value ? A_VALUE_PATH : A_PATH);
        } else {
            r->failed = true;
        }
    }
    r->depth--;
}

static const char *basic_type(char c) {
    static const char *const types[] = {
        ['a'] = "i8",  ['b'] = "bool", ['c'] = "char",  ['d'] = "f64",   ['e'] = "str",
        ['f'] = "f32", ['h'] = "u8",   ['i'] = "isize", ['j'] = "usize", ['l'] = "i32",
        ['m'] = "u32", ['n'] = "i128", ['o'] = "u128",  ['p'] = "_",     ['s'] = "i16",
        ['t'] = "u16", ['u'] = "()",   ['v'] = "...",   ['x'] = "i64",   ['y'] = "u64",
        ['z'] = "!"};
    return c >= 'a' && c <= 'z' ? types[(uint8_t)c] : NULL;
}

static void read_pointer(rdi_rust_symbol *r, char kind) {
    rdi_rust_puts(r, kind == 'P' ? "*const " : kind == 'O' ? "*mut " : "&");
    if ((kind == 'R' || kind == 'Q') && rdi_rust_take(r, 'L')) {
        uint64_t lifetime = rdi_rust_base62(r);
        if (lifetime) {
            put_lifetime(r, lifetime);
            rdi_rust_puts(r, " ");
        }
    }
    if (kind == 'Q')
        rdi_rust_puts(r, "mut ");
    read_type(r);
}

static void read_function_type(rdi_rust_symbol *r) {
    uint64_t lifetimes = r->lifetimes;
    read_binder(r);
    if (rdi_rust_take(r, 'U'))
        rdi_rust_puts(r, "unsafe ");
    if (rdi_rust_take(r, 'K')) {
        rdi_rust_puts(r, "extern \"");
        if (rdi_rust_take(r, 'C')) {
            rdi_rust_puts(r, "C");
        } else {
            rdi_rust_identifier abi = rdi_rust_identifier_read(r);
            rdi_rust_identifier_put(r, &abi);
        }
        rdi_rust_puts(r, "\" ");
    }
    rdi_rust_puts(r, "fn(");
    read_items(r, read_type);
    rdi_rust_puts(r, ")");
    if (!rdi_rust_take(r, 'u')) {
        rdi_rust_puts(r, " -> ");
        read_type(r);
    }
    r->lifetimes = lifetimes;
}

/* Reads a trait with the types that are bound to its names: "Iterator<Item = u8>". The names go
 * into the angle brackets of the trait if it has some. */
static void read_dyn_trait(rdi_rust_symbol *r) {
    read_path(r, false);
    bool open = false;
    while (!r->failed && rdi_rust_take(r, 'p')) {
        bool arguments = !open && !r->quiet && r->written && r->out[r->written - 1] == '>';
        if (arguments)
            r->out[--r->written] = '\0';
        rdi_rust_puts(r, open || arguments ? ", " : "<");
        open = true;
        rdi_rust_identifier id = rdi_rust_identifier_read(r);
        rdi_rust_identifier_put(r, &id);
        rdi_rust_puts(r, " = ");
        read_type(r);
    }
    rdi_rust_puts(r, open ? ">" : "");
}

static void read_dyn(rdi_rust_symbol *r) {
    uint64_t lifetimes = r->lifetimes;
    rdi_rust_puts(r, "dyn ");
    read_binder(r);
    for (size_t n = 0; !r->failed && !rdi_rust_take(r, 'E'); n++) {
        rdi_rust_puts(r, n ? " + " : "");
        read_dyn_trait(r);
    }
    r->lifetimes = lifetimes;
    uint64_t lifetime = rdi_rust_take(r, 'L') ? rdi_rust_base62(r) : (r->failed = true, 0);
    if (lifetime) {
        rdi_rust_puts(r, " + ");
        put_lifetime(r, lifetime);
    }
}

static void read_array(rdi_rust_symbol *r, bool sized) {
    rdi_rust_puts(r, "[");
    read_type(r);
    if (sized) {
        rdi_rust_puts(r, "; ");
        read_const(r);
    }
    rdi_rust_puts(r, "]");
}

static void read_tuple(rdi_rust_symbol *r) {
    rdi_rust_puts(r, "(");
    rdi_rust_puts(r, read_items(r, read_type) == 1 ? ",)" : ")");
}

static void read_type(rdi_rust_symbol *r) {
    if (enter(r)) {
        char kind = rdi_rust_peek(r);
        const char *basic = basic_type(kind);
        if (kind && !strchr("CMXYNI", kind))
            r->at++;
        if (basic)
            rdi_rust_puts(r, basic);
        else if (kind && strchr("RQPO", kind))
            read_pointer(r, kind);
        else if (kind == 'A' || kind == 'S')
            read_array(r, kind == 'A');
        else if (kind == 'T')
            read_tuple(r);
        else if (kind == 'F')
            read_function_type(r);
        else if (kind == 'D')
            read_dyn(r);
        else if (kind == 'B')
            follow(r, A_TYPE);
        else if (kind && strchr("CMXYNI", kind))
            read_path(r, false);
        else
            r->failed = true;
    }
    r->depth--;
}

/* Reads hexadecimal digits terminated by "_", and writes a number, a Boolean or a character. */
static void read_const_data(rdi_rust_symbol *r, char type) {
    bool negative = rdi_rust_take(r, 'n');
    const char *digits = r->text + r->at;
    size_t n = strspn(digits, "0123456789abcdef");
    uint64_t value = n <= 16 ? strtoull(digits, NULL, 16) : 0;
    if (n > r->n - r->at || (type == 'b' && value > 1) || (negative && !strchr("asxlin", type))) {
        r->failed = true;
        return;
    }
    r->at += n;
    r->failed = r->failed || !rdi_rust_take(r, '_');
    rdi_rust_puts(r, negative ? "-" : "");
    if (type == 'b') {
        rdi_rust_puts(r, value ? "true" : "false");
    } else if (type == 'c') {
        rdi_rust_puts(r, "'");
        rdi_rust_put_character(r, (uint32_t)(n > 8 ? UINT32_MAX : value));
        rdi_rust_puts(r, "'");
    } else if (n <= 16) {
        rdi_rust_put_number(r, value);
    } else {
        rdi_rust_puts(r, "0x");
        rdi_rust_put(r, digits, n);
    }
}

static void read_const(rdi_rust_symbol *r) {
    if (enter(r)) {
        char type = rdi_rust_next(r);
        if (type == 'B')
            follow(r, A_CONST);
        else if (type == 'p')
            rdi_rust_puts(r, "_");
        else if (type && strchr("ahstlmxynoijbc", type))
            read_const_data(r, type);
        else
            r->failed = true;
    }
    r->depth--;
}

/* ---- both forms ---- */

bool rdi_demangle_rust(const char *symbol, char *out) {
    rdi_rust_symbol r = {.out = out, .n = strlen(symbol)};
    *out = '\0';
    if (strncmp(symbol, "_ZN", 3) == 0) {
        r.text = symbol + 3;
        r.n -= 3;
        return rdi_rust_read_old(&r);
    }
    if (strncmp(symbol, "_R", 2) != 0)
        return false;
    r.text = symbol + 2;
    r.n -= 2;
    for (size_t i = 0; i < r.n; i++)
        if ((uint8_t)r.text[i] >= 0x80 || (uint8_t)r.text[i] <= ' ')
            return false;
    read_path(&r, true);
    if (!r.failed && r.at < r.n &&
        r.text[r.at] != '.') { /* skips the path of the instantiating crate */
        r.quiet++;
        read_path(&r, false);
    }
    return !r.failed && r.written && (r.at == r.n || r.text[r.at] == '.');
}
