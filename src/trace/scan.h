/* Scanners for numbers and blanks in text, and functions that write numbers.
 *
 * The scanners, rdi_scan_*(), take no end pointer: they stop at the first byte that does not belong to
 * the number or to the blanks. The '\n' of a line is such a byte (see input.h for the last line of a
 * file). So the caller must make sure that the byte at `p` is readable and that a byte that is not a
 * digit follows the number.
 */
#ifndef RDI_SCAN_H
#define RDI_SCAN_H

#include "base/common.h"

/* For each byte: 0x10 plus its value for a hexadecimal digit in upper or lower case, 0
 * otherwise. */
extern const uint8_t rdi_hex_digit[256];

static inline bool rdi_is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static inline bool rdi_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *rdi_scan_blanks(const char *p) {
    while (rdi_is_blank(*p))
        p++;
    return p;
}

/* Returns the byte after the '\n' of a line if only blanks remain on the line, else NULL. */
static inline const char *rdi_scan_line_end(const char *p) {
    if (RDI_UNLIKELY(*p != '\n'))
        p = rdi_scan_blanks(p);
    return *p == '\n' ? p + 1 : NULL;
}

/* Reads hexadecimal digits without 0x into *out. Returns the byte after them, or NULL if there are
 * none or the number does not fit in 64 bits. */
static inline const char *rdi_scan_hex(const char *p, uint64_t *out) {
    const char *start = p;
    uint64_t value = 0, lost = 0;
    for (uint8_t digit; (digit = rdi_hex_digit[(uint8_t)*p]) != 0; p++) {
        lost |= value >> 60;
        value = value << 4 | (digit & 15);
    }
    *out = value;
    return p == start || lost ? NULL : p;
}

static inline bool rdi_has_0x(const char *p) {
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
}

/* Reads 0x and hexadecimal digits, like rdi_scan_hex(). Returns NULL also if there is no 0x. */
static inline const char *rdi_scan_0x(const char *p, uint64_t *out) {
    return rdi_has_0x(p) ? rdi_scan_hex(p + 2, out) : NULL;
}

/* Reads decimal digits into *out. Returns the byte after them, or NULL if there are none or the
 * number does not fit in 64 bits. */
static inline const char *rdi_scan_dec(const char *p, uint64_t *out) {
    const char *start = p;
    uint64_t value = 0;
    bool lost = false;
    for (; rdi_is_digit(*p); p++) {
        lost |= __builtin_mul_overflow(value, 10, &value);
        lost |= __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    }
    *out = value;
    return p == start || lost ? NULL : p;
}

/* Returns whether a text has at least one digit and nothing else; `hex` means that the digits may
 * be hexadecimal. */
static inline bool rdi_all_digits(const char *text, size_t n, bool hex) {
    size_t i = 0;
    while (i < n && (hex ? rdi_hex_digit[(uint8_t)text[i]] != 0 : rdi_is_digit(text[i])))
        i++;
    return n > 0 && i == n;
}

/* Reads the size of a reference, a decimal number, like rdi_scan_dec(). Returns NULL also if it
 * does not fit in 32 bits. A size of 0 counts as 1, because the reference happened. */
static inline const char *rdi_scan_size(const char *p, uint32_t *out) {
    uint64_t value = 0;
    p = rdi_scan_dec(p, &value);
    *out = value ? (uint32_t)value : 1;
    return value > UINT32_MAX ? NULL : p;
}

/* ---- writing numbers: functions write to p and return the byte after the number ---- */

#define RDI_DIGITS_MAX 20 /* maximum number of digits of a 64-bit number, decimal or hexadecimal */

/* Writes at least `width` (1 to 16) digits, with leading zeros. */
static inline char *rdi_put_hex(char *p, uint64_t x, unsigned width) {
    unsigned digits = (rdi_bit_width(x) + 3) / 4;
    digits = digits < width ? width : digits;
    for (unsigned i = digits; i-- > 0; x >>= 4)
        p[i] = "0123456789abcdef"[x & 15];
    return p + digits;
}

static inline char *rdi_put_dec(char *p, uint64_t x) {
    char reversed[RDI_DIGITS_MAX];
    unsigned n = 0;
    do
        reversed[n++] = (char)('0' + x % 10);
    while (x /= 10);
    while (n > 0)
        *p++ = reversed[--n];
    return p;
}

#endif
