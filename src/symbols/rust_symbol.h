/* Reads the elements of Rust symbols and whole symbols of the old form, and writes readable names. */
#ifndef RDI_RUST_SYMBOL_H
#define RDI_RUST_SYMBOL_H

#include "symbols/demangle.h"

typedef struct rdi_rust_symbol {
    const char *text; /* the symbol after its prefix; back references count from here */
    size_t n, at;
    char *out; /* has RDI_NAME_ROOM bytes */
    size_t written;
    unsigned depth, steps, quiet; /* `quiet` above 0: read, but write nothing */
    uint64_t lifetimes;           /* number of lifetimes that the enclosing binders bind */
    bool failed;                  /* true: the symbol is damaged, or its name does not fit */
} rdi_rust_symbol;

typedef struct rdi_rust_identifier {
    const char *text;
    size_t n;
    bool punycode;
} rdi_rust_identifier;

/* These functions append bytes, a text, a number or a Unicode character to r->out, unless r->quiet is
 * above 0. */
void rdi_rust_put(rdi_rust_symbol *r, const char *bytes, size_t n);
void rdi_rust_puts(rdi_rust_symbol *r, const char *text);
void rdi_rust_put_number(rdi_rust_symbol *r, uint64_t x);
void rdi_rust_put_character(rdi_rust_symbol *r, uint32_t c);

static inline char rdi_rust_peek(const rdi_rust_symbol *r) {
    return r->at < r->n ? r->text[r->at] : '\0';
}

static inline bool rdi_rust_take(rdi_rust_symbol *r, char c) {
    if (r->failed || rdi_rust_peek(r) != c)
        return false;
    r->at++;
    return true;
}

static inline char rdi_rust_next(rdi_rust_symbol *r) {
    if (r->at == r->n)
        r->failed = true;
    return r->failed ? '\0' : r->text[r->at++];
}

/* Reads a number in base 62 that is terminated by "_": "_" is 0, "0_" is 1. */
uint64_t rdi_rust_base62(rdi_rust_symbol *r);
uint64_t rdi_rust_disambiguator(rdi_rust_symbol *r);
rdi_rust_identifier rdi_rust_identifier_read(rdi_rust_symbol *r);
void rdi_rust_identifier_put(rdi_rust_symbol *r, const rdi_rust_identifier *id);

/* Reads a symbol of the old form after its prefix "_ZN". Returns false if it does not have this
 * form. */
bool rdi_rust_read_old(rdi_rust_symbol *r);

#endif
