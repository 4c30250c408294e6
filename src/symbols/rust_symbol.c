/* Reads and writes characters, numbers and identifiers of Rust symbols, and reads whole symbols of
 * the old form. See rust_symbol.h. */
#include "symbols/rust_symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

void rdi_rust_put(rdi_rust_symbol *r, const char *bytes, size_t n) {
    if (r->failed || r->quiet)
        return;
    if (n >= RDI_NAME_ROOM - r->written) {
        r->failed = true;
        return;
    }
    memcpy(r->out + r->written, bytes, n);
    r->written += n;
    r->out[r->written] = '\0';
}

void rdi_rust_puts(rdi_rust_symbol *r, const char *text) {
    rdi_rust_put(r, text, strlen(text));
}

void rdi_rust_put_number(rdi_rust_symbol *r, uint64_t x) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)x);
    rdi_rust_puts(r, text);
}

/* Writes a Unicode character in UTF-8, or fails. */
void rdi_rust_put_character(rdi_rust_symbol *r, uint32_t c) {
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < 0x20 || c == 0x7f) {
        r->failed = true;
        return;
    }
    for (size_t i = n; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(marks[n] | c);
    rdi_rust_put(r, bytes, n);
}

/* ---- the old form ---- */

static bool is_hash(const char *text, size_t n) {
    return n == 17 && *text == 'h' && strspn(text + 1, "0123456789abcdef") >= 16;
}

/* Writes the character of an escape such as "LT" or "u7e". */
static void put_escape(rdi_rust_symbol *r, const char *escape, size_t n) {
    static const char *const known[][2] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
                                           {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};
    for (size_t i = 0; i < RDI_COUNT(known); i++)
        if (strlen(known[i][0]) == n && memcmp(known[i][0], escape, n) == 0) {
            rdi_rust_puts(r, known[i][1]);
            return;
        }
    char digits[8] = "", *end = digits;
    if (n < 2 || n > 7 || *escape != 'u') {
        r->failed = true;
        return;
    }
    memcpy(digits, escape + 1, n - 1);
    unsigned long c = strtoul(digits, &end, 16);
    if (*end || strspn(digits, "0123456789abcdef") != n - 1)
        r->failed = true;
    else
        rdi_rust_put_character(r, (uint32_t)c);
}

static void put_old_part(rdi_rust_symbol *r, const char *part, size_t n) {
    if (n > 1 && part[0] == '_' && part[1] == '$')
        part++, n--;
    for (size_t i = 0; i < n && !r->failed;) {
        const char *end = part[i] == '$' ? memchr(part + i + 1, '$', n - i - 1) : NULL;
        if (part[i] == '$' && !end) {
            r->failed = true;
        } else if (end) {
            size_t length = (size_t)(end - part) - i - 1;
            put_escape(r, part + i + 1, length);
            i += length + 2;
        } else if (part[i] == '.' && i + 1 < n && part[i + 1] == '.') {
            rdi_rust_puts(r, "::");
            i += 2;
        } else {
            rdi_rust_put(r, part + i++, 1);
        }
    }
}

static uint64_t read_decimal(rdi_rust_symbol *r) {
    uint64_t x = 0;
    if (rdi_rust_take(r, '0'))
        return 0;
    if (rdi_rust_peek(r) < '1' || rdi_rust_peek(r) > '9')
        r->failed = true;
    while (!r->failed && rdi_rust_peek(r) >= '0' && rdi_rust_peek(r) <= '9' && x < UINT32_MAX)
        x = 10 * x + (uint64_t)(rdi_rust_next(r) - '0');
    return x;
}

/* Reads the nested names of the old form, which have the syntax of nested names in C++. Only the
 * hash at the end distinguishes such a symbol from a C++ symbol. */
bool rdi_rust_read_old(rdi_rust_symbol *r) {
    bool hash = false;
    while (!r->failed && !rdi_rust_take(r, 'E')) {
        uint64_t length = read_decimal(r);
        if (r->failed || hash || length == 0 || length > r->n - r->at)
            return false;
        hash = is_hash(r->text + r->at, (size_t)length);
        if (!hash) {
            if (r->written)
                rdi_rust_puts(r, "::");
            put_old_part(r, r->text + r->at, (size_t)length);
        }
        r->at += (size_t)length;
    }
    return !r->failed && hash && r->written && r->at == r->n;
}

/* ---- numbers and identifiers of the new form ---- */

/* Reads a number in base 62 that is terminated by "_": "_" is 0, "0_" is 1. */
uint64_t rdi_rust_base62(rdi_rust_symbol *r) {
    uint64_t x = 0;
    if (rdi_rust_take(r, '_'))
        return 0;
    while (!r->failed) {
        char c = rdi_rust_next(r);
        if (c == '_')
            return x + 1;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 36
                                                : 62;
        r->failed = r->failed || digit == 62 || x > (UINT64_MAX - 62) / 62;
        x = 62 * x + digit;
    }
    return 0;
}

uint64_t rdi_rust_disambiguator(rdi_rust_symbol *r) {
    return rdi_rust_take(r, 's') ? rdi_rust_base62(r) + 1 : 0;
}

#define PUNYCODE_MAX 128

/* Reads Punycode (RFC 3492), whose delimiter is "_" here, into characters. Returns their number, or
 * 0 for a failure. */
static size_t read_punycode(const char *text, size_t n, uint32_t *out) {
    size_t basic = n, length = 0;
    while (basic > 0 && text[basic - 1] != '_')
        basic--;
    if (basic > PUNYCODE_MAX)
        return 0;
    for (size_t i = 0; i + 1 < basic; i++)
        out[length++] = (uint8_t)text[i];
    uint64_t c = 128, index = 0, bias = 72;
    bool first = true;
    for (size_t at = basic; at < n; first = false) {
        uint64_t old = index, weight = 1;
        for (uint64_t k = 36;; k += 36) {
            char d = at < n ? text[at++] : '\0';
            uint64_t digit = d >= 'a' && d <= 'z'   ? (uint64_t)(d - 'a')
                             : d >= '0' && d <= '9' ? (uint64_t)(d - '0') + 26
                                                    : 36;
            uint64_t least = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
            if (digit == 36 || weight > UINT32_MAX || index > UINT32_MAX)
                return 0;
            index += digit * weight;
            if (digit < least)
                break;
            weight *= 36 - least;
        }
        if (length == PUNYCODE_MAX)
            return 0;
        uint64_t delta = (first ? (index - old) / 700 : (index - old) / 2), steps = 0;
        delta += delta / (length + 1);
        for (; delta > 455; delta /= 35)
            steps += 36;
        bias = steps + 36 * delta / (delta + 38);
        c += index / (length + 1);
        index %= length + 1;
        if (c > 0x10ffff)
            return 0;
        memmove(&out[index + 1], &out[index], (length - index) * sizeof *out);
        out[index++] = (uint32_t)c;
        length++;
    }
    return length;
}

rdi_rust_identifier rdi_rust_identifier_read(rdi_rust_symbol *r) {
    rdi_rust_identifier id = {.punycode = rdi_rust_take(r, 'u')};
    uint64_t n = read_decimal(r);
    rdi_rust_take(r, '_');
    if (r->failed || n > r->n - r->at) {
        r->failed = true;
        return (rdi_rust_identifier){.text = ""};
    }
    id.text = r->text + r->at;
    id.n = (size_t)n;
    r->at += (size_t)n;
    return id;
}

void rdi_rust_identifier_put(rdi_rust_symbol *r, const rdi_rust_identifier *id) {
    uint32_t characters[PUNYCODE_MAX + 1];
    if (!id->punycode) {
        rdi_rust_put(r, id->text, id->n);
        return;
    }
    size_t n = read_punycode(id->text, id->n, characters);
    r->failed = r->failed || n == 0;
    for (size_t i = 0; i < n && !r->failed; i++)
        rdi_rust_put_character(r, characters[i]);
}
