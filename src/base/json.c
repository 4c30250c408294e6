/* Reads JSON. See json.h. */
#include "base/json.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLE_TEXT_MAX 512 /* room for the text of a number, including the NUL */

void rdi_json_init(rdi_json *j, rd_ctx *ctx, const char *name, const char *text, size_t n) {
    *j = (rdi_json){.ctx = ctx, .name = name, .text = text, .n = n};
}

void rdi_json_fail(rdi_json *j, const char *format, ...) {
    if (j->status != RD_OK)
        return;
    char what[512];
    va_list args;
    va_start(args, format);
    rdi_vsnprintf(what, sizeof what, format, args);
    va_end(args);
    size_t line = 1;
    for (size_t i = 0; i < j->mark; i++)
        line += j->text[i] == '\n';
    j->status =
        rdi_fail(j->ctx, RD_EFORMAT, "%s: line %zu (byte %zu): %s", j->name, line, j->mark, what);
}

/* ---- characters ---- */

static size_t utf8_encode(uint32_t c, char *out) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[length] | c);
    return length;
}

static bool at_digit(const rdi_json *j) {
    return j->at < j->n && j->text[j->at] >= '0' && j->text[j->at] <= '9';
}

static bool at_char(const rdi_json *j, char c) {
    return j->at < j->n && j->text[j->at] == c;
}

static bool take_char(rdi_json *j, char c) {
    bool there = at_char(j, c);
    j->at += there;
    return there;
}

static void skip_space(rdi_json *j) {
    while (j->at < j->n && (j->text[j->at] == ' ' || j->text[j->at] == '\n' ||
                            j->text[j->at] == '\r' || j->text[j->at] == '\t'))
        j->at++;
    j->mark = j->at;
}

/* Fails with a message that says that `wanted` was expected, and what was found instead. */
static void fail_expected(rdi_json *j, const char *wanted) {
    unsigned char c = j->at < j->n ? (unsigned char)j->text[j->at] : 0;
    if (j->at >= j->n)
        rdi_json_fail(j, "the file ends where %s is expected", wanted);
    else if (c > ' ' && c < 0x7f)
        rdi_json_fail(j, "expected %s, found '%c'", wanted, c);
    else
        rdi_json_fail(j, "expected %s, found byte 0x%02x", wanted, c);
}

/* ---- values ---- */

rdi_json_kind rdi_json_peek(rdi_json *j) {
    skip_space(j);
    if (j->at >= j->n || j->status != RD_OK)
        return RDI_JSON_NOTHING;
    switch (j->text[j->at]) {
    case '{':
        return RDI_JSON_OBJECT;
    case '[':
        return RDI_JSON_ARRAY;
    case '"':
        return RDI_JSON_STRING;
    case 't':
    case 'f':
        return RDI_JSON_BOOL;
    case 'n':
        return RDI_JSON_NULL;
    case '-':
        return RDI_JSON_NUMBER;
    default:
        return at_digit(j) ? RDI_JSON_NUMBER : RDI_JSON_NOTHING;
    }
}

/* Moves to the next value. Returns true if it is of kind `kind`; otherwise fails with the message
 * that `wanted` was expected, and returns false. */
static bool expect(rdi_json *j, rdi_json_kind kind, const char *wanted) {
    if (rdi_json_peek(j) == kind)
        return true;
    fail_expected(j, wanted);
    return false;
}

static bool take_word(rdi_json *j, const char *word) {
    size_t length = strlen(word);
    if (j->n - j->at < length || memcmp(j->text + j->at, word, length) != 0)
        return false;
    j->at += length;
    return true;
}

bool rdi_json_bool(rdi_json *j) {
    if (!expect(j, RDI_JSON_BOOL, "true or false"))
        return false;
    bool value = take_word(j, "true");
    if (!value && !take_word(j, "false"))
        rdi_json_fail(j, "expected true or false");
    return value;
}

bool rdi_json_null(rdi_json *j) {
    if (rdi_json_peek(j) != RDI_JSON_NULL)
        return false;
    if (take_word(j, "null"))
        return true;
    rdi_json_fail(j, "expected null");
    return false;
}

static bool take_digits(rdi_json *j) {
    size_t start = j->at;
    while (at_digit(j))
        j->at++;
    return j->at > start;
}

/* Skips a number that follows the JSON grammar. Returns false after a failure. */
static bool take_number(rdi_json *j, const char *wanted) {
    if (!expect(j, RDI_JSON_NUMBER, wanted))
        return false;
    take_char(j, '-');
    bool good = take_char(j, '0') ? !at_digit(j) : take_digits(j);
    if (good && take_char(j, '.'))
        good = take_digits(j);
    if (good && (take_char(j, 'e') || take_char(j, 'E'))) {
        if (!take_char(j, '+'))
            take_char(j, '-');
        good = take_digits(j);
    }
    if (!good)
        rdi_json_fail(j, "this is not a valid JSON number");
    return good;
}

/* Reads a whole number of at most `max`, which has `bits` bits. Returns 0 after a failure. */
static rdi_u128 take_integer(rdi_json *j, rdi_u128 max, unsigned bits) {
    if (!take_number(j, "a whole number"))
        return 0;
    rdi_u128 value = 0;
    for (size_t i = j->mark; i < j->at; i++) {
        unsigned digit = (unsigned)(j->text[i] - '0');
        if (digit > 9) {
            rdi_json_fail(j, "expected a whole number of 0 or more, written in digits");
            return 0;
        }
        if (value > max / 10 || value * 10 > max - digit) {
            rdi_json_fail(j, "the number does not fit in %u bits", bits);
            return 0;
        }
        value = value * 10 + digit;
    }
    return value;
}

uint64_t rdi_json_u64(rdi_json *j) {
    return (uint64_t)take_integer(j, UINT64_MAX, 64);
}

rdi_u128 rdi_json_u128(rdi_json *j) {
    return take_integer(j, ~(rdi_u128)0, 128);
}

double rdi_json_double(rdi_json *j) {
    if (!take_number(j, "a number"))
        return 0;
    char copy[DOUBLE_TEXT_MAX];
    size_t n = j->at - j->mark;
    if (n >= DOUBLE_TEXT_MAX) {
        rdi_json_fail(j, "the number has %zu characters; at most %d are allowed", n,
                      DOUBLE_TEXT_MAX - 1);
        return 0;
    }
    memcpy(copy, j->text + j->mark, n);
    copy[n] = '\0';
    double value = rdi_strtod(copy, NULL);
    if (isfinite(value))
        return value;
    rdi_json_fail(j, "the number is too large: the maximum is 1.797e308");
    return 0;
}

/* ---- strings ---- */

/* Reads four hexadecimal digits. Returns UINT32_MAX if they are invalid. */
static uint32_t take_hex4(rdi_json *j) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        char c = j->at < j->n ? j->text[j->at] : '\0';
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return UINT32_MAX;
    }
    return value;
}

/* Reads the hexadecimal digits after "\u" and, if they are the first half of a surrogate pair, also
 * its second half. Returns the code point, or 0 if it is invalid or U+0000. */
static uint32_t take_code_point(rdi_json *j) {
    uint32_t c = take_hex4(j);
    if (c == UINT32_MAX || (c >= 0xdc00 && c < 0xe000))
        return 0;
    if (c < 0xd800 || c >= 0xe000)
        return c;
    if (!take_char(j, '\\') || !take_char(j, 'u'))
        return 0;
    uint32_t low = take_hex4(j);
    if (low < 0xdc00 || low >= 0xe000)
        return 0;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

/* Reads an escape after its '\' and writes the character as UTF-8 to out[4]. Returns the size of
 * the character in bytes, or 0 if the escape is not valid. */
static size_t take_escape(rdi_json *j, char *out) {
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (take_char(j, 'u')) {
        uint32_t c = take_code_point(j);
        return c ? utf8_encode(c, out) : 0;
    }
    const char *letter = j->at < j->n && j->text[j->at] ? strchr(letters, j->text[j->at]) : NULL;
    if (!letter)
        return 0;
    j->at++;
    out[0] = means[letter - letters];
    return 1;
}

/* Reads one character of a string and writes it as UTF-8 to `out`. Returns its size in bytes, or 0
 * after a failure. */
static size_t take_string_char(rdi_json *j, char out[4]) {
    j->mark = j->at;
    size_t n = 0;
    if (j->at >= j->n) {
        rdi_json_fail(j, "the file ends inside a string");
    } else if (take_char(j, '\\')) {
        if ((n = take_escape(j, out)) == 0)
            rdi_json_fail(j, "the string has an invalid escape sequence");
    } else if ((unsigned char)j->text[j->at] < ' ') {
        rdi_json_fail(
            j, "the string contains byte 0x%02x, which must be written as an escape sequence",
            (unsigned)j->text[j->at]);
    } else {
        n = rdi_utf8_length(j->text + j->at, j->n - j->at);
        memcpy(out, j->text + j->at, n);
        j->at += n;
        if (n == 0)
            rdi_json_fail(j, "the string is not valid UTF-8");
    }
    return n;
}

/* Decodes a string into `out`, cut to `room` - 1 bytes and terminated by NUL. With a room of 0 it
 * only checks the string. Returns the length of the whole string, and sets `mark` to its
 * beginning. */
static size_t take_string(rdi_json *j, char *out, size_t room) {
    size_t length = 0, kept = 0, start = j->at;
    j->at++;
    while (!take_char(j, '"')) {
        char bytes[4];
        size_t n = take_string_char(j, bytes);
        if (n == 0)
            break;
        length += n;
        if (length < room) {
            memcpy(out + kept, bytes, n);
            kept = length;
        }
    }
    if (room)
        out[kept] = '\0';
    j->mark = start;
    return length;
}

char *rdi_json_string(rdi_json *j) {
    if (!expect(j, RDI_JSON_STRING, "a string"))
        return NULL;
    size_t start = j->at, length = take_string(j, NULL, 0);
    if (j->status != RD_OK)
        return NULL;
    char *copy = rdi_alloc(j->ctx, length + 1, 1);
    if (!copy) {
        j->status = RD_ENOMEM;
        return NULL;
    }
    j->at = start;
    take_string(j, copy, length + 1);
    return copy;
}

/* ---- objects and arrays ---- */

static void enter(rdi_json *j, rdi_json_kind kind, const char *wanted) {
    if (!expect(j, kind, wanted))
        return;
    if (j->depth == RDI_JSON_DEPTH) {
        rdi_json_fail(j, "objects and arrays are nested more than %d levels deep", RDI_JSON_DEPTH);
        return;
    }
    j->at++;
    j->depth++;
    j->fresh = true;
}

void rdi_json_enter_object(rdi_json *j) {
    enter(j, RDI_JSON_OBJECT, "an object");
}

void rdi_json_enter_array(rdi_json *j) {
    enter(j, RDI_JSON_ARRAY, "an array");
}

/* Moves to the next member or item. Returns false after the closing bracket or a failure. */
static bool next(rdi_json *j, char close, const char *wanted) {
    if (j->status != RD_OK)
        return false;
    skip_space(j);
    bool fresh = j->fresh;
    j->fresh = false;
    if (take_char(j, close)) {
        j->depth--;
        return false;
    }
    if (!fresh && !take_char(j, ',')) {
        fail_expected(j, wanted);
        return false;
    }
    skip_space(j);
    return true;
}

bool rdi_json_next_item(rdi_json *j) {
    return next(j, ']', "',' or ']'");
}

bool rdi_json_next_key(rdi_json *j, char *key, size_t room) {
    if (!next(j, '}', "',' or '}'") || !expect(j, RDI_JSON_STRING, "a key in quotes"))
        return false;
    take_string(j, key, room);
    size_t start = j->mark;
    skip_space(j);
    if (j->status == RD_OK && !take_char(j, ':'))
        fail_expected(j, "':'");
    j->mark = start;
    return j->status == RD_OK;
}

/* The recursion is at most RDI_JSON_DEPTH levels deep. */
void rdi_json_skip(rdi_json *j) {
    char key[1];
    switch (rdi_json_peek(j)) {
    case RDI_JSON_NULL:
        rdi_json_null(j);
        break;
    case RDI_JSON_BOOL:
        rdi_json_bool(j);
        break;
    case RDI_JSON_NUMBER:
        take_number(j, "a number");
        break;
    case RDI_JSON_STRING:
        take_string(j, NULL, 0);
        break;
    case RDI_JSON_ARRAY:
        rdi_json_enter_array(j);
        while (rdi_json_next_item(j))
            rdi_json_skip(j);
        break;
    case RDI_JSON_OBJECT:
        rdi_json_enter_object(j);
        while (rdi_json_next_key(j, key, sizeof key))
            rdi_json_skip(j);
        break;
    case RDI_JSON_NOTHING:
        fail_expected(j, "a value");
        break;
    }
}

rd_status rdi_json_end(rdi_json *j) {
    skip_space(j);
    if (j->at < j->n)
        fail_expected(j, "the end of the file");
    return j->status;
}
