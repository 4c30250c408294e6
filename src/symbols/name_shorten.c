/* Shortens readable names for people. See demangle.h.
 *
 * The name is copied from left to right. Text between brackets is folded to "..." or dropped.
 * Brackets in the name of an operator, such as "operator<", are copied before the search for
 * brackets.
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NESTED_MAX 16 /* maximum depth of types inside types that are shortened */

typedef struct shortener {
    const char *at, *end;
    char *out; /* the short name; has room for the whole name */
    size_t n;
} shortener;

static void shorten(const char *from, const char *end, char *out, size_t *n, unsigned depth);

/* ---- searching ---- */

static bool ends_with(const shortener *s, const char *text) {
    size_t n = strlen(text);
    return s->n >= n && memcmp(s->out + s->n - n, text, n) == 0;
}

static bool begins_with(const char *at, const char *end, const char *text) {
    size_t n = strlen(text);
    return (size_t)(end - at) >= n && memcmp(at, text, n) == 0;
}

/* Returns the bracket that closes the bracket at `at`, or `end` if there is none. The ">" of "->"
 * is not a bracket. */
static const char *closing(const char *at, const char *end) {
    size_t open = 0;
    for (const char *c = at; c < end; c++) {
        if (strchr("<([{", *c))
            open++;
        else if (strchr(")]}", *c) || (*c == '>' && c[-1] != '-'))
            open--;
        if (open == 0)
            return c;
    }
    return end;
}

/* Returns the first `word` between `at` and `end` that no brackets enclose, or NULL. */
static const char *find_word(const char *at, const char *end, const char *word) {
    for (; at < end; at++) {
        if (begins_with(at, end, word))
            return at;
        if (strchr("<([{", *at))
            at = closing(at, end);
    }
    return NULL;
}

/* ---- copying ---- */

static void add(shortener *s, const char *text, size_t n) {
    memmove(s->out + s->n, text, n);
    s->n += n;
}

/* Copies the symbol of an operator, such as "<<", after the word "operator". Returns whether there
 * was one. */
static bool copy_operator(shortener *s) {
    static const char *const symbols[] = {"<=>", "->*", "<<=", ">>=", "()", "[]", "<<",
                                          ">>",  "<=",  ">=",  "->",  "<",  ">"};
    for (size_t i = 0; i < RDI_COUNT(symbols); i++)
        if (begins_with(s->at, s->end, symbols[i])) {
            add(s, symbols[i], strlen(symbols[i]));
            s->at += strlen(symbols[i]);
            if (begins_with(s->at, s->end, " <")) /* the space tells "<" from "<<" */
                add(s, s->at++, 1);
            return true;
        }
    const char *from = s->at;
    while (s->at < s->end && !strchr("(<", *s->at)) /* "operator new", "operator unsigned long" */
        add(s, s->at++, 1);
    return s->at > from;
}

static bool is_operator(const shortener *s) {
    static const char word[] = "operator";
    size_t n = sizeof word - 1;
    return ends_with(s, word) && s->at < s->end && !isalnum((unsigned char)*s->at) &&
           *s->at != '_' &&
           (s->n == n ||
            (!isalnum((unsigned char)s->out[s->n - n - 1]) && s->out[s->n - n - 1] != '_'));
}

/* Copies the type of "<type as trait>", "<impl trait for type>" and "<type>". */
static void copy_self(shortener *s, const char *close, unsigned depth) {
    const char *from = s->at + 1, *end = close, *found;
    if (begins_with(from, end, "lambda") || begins_with(from, end, "unnamed")) {
        size_t n = strcspn(from, "(>");
        add(s, "{", 1);
        add(s, from, n < (size_t)(end - from) ? n : (size_t)(end - from));
        add(s, "}", 1);
        return;
    }
    if (begins_with(from, end, "impl ")) {
        found = find_word(from, end, " for ");
        from = found ? found + 5 : from + 5;
    } else if ((found = find_word(from, end, " as "))) {
        end = found;
    }
    shorten(from, end, s->out, &s->n, depth + 1);
}

/* Folds the arguments of a template, or copies the type that a Rust path begins with. */
static void at_angle(shortener *s, unsigned depth) {
    const char *close = closing(s->at, s->end);
    bool begins = s->n == 0 || ends_with(s, "::");
    bool self = s->n == 0 || find_word(s->at + 1, close, " as ") ||
                begins_with(s->at, close, "<impl ") || begins_with(s->at, close, "<lambda") ||
                begins_with(s->at, close, "<unnamed");
    if (begins && self) {
        copy_self(s, close, depth);
    } else {
        if (ends_with(s, "::")) /* Rust's path::<T> */
            s->n -= 2;
        if (close >= s->at + 4)
            add(s, "<...>", 5);
        else
            add(s, s->at, (size_t)(close - s->at) + (close < s->end));
    }
    s->at = close < s->end ? close + 1 : s->end;
}

/* Drops parameters and the text after them up to "::", or copies "(anonymous namespace)", Go's
 * "(*T)" and a tuple. Returns whether the end of the name was reached after dropping. */
static bool at_parenthesis(shortener *s) {
    const char *close = closing(s->at, s->end), *after = close < s->end ? close + 1 : s->end;
    bool keep = s->n == 0 || ends_with(s, ".") || ends_with(s, "::") ||
                begins_with(s->at, s->end, "(anonymous");
    if (keep)
        add(s, s->at, (size_t)(after - s->at));
    s->at = after;
    if (keep)
        return false;
    while (s->at < s->end && !begins_with(s->at, s->end, "::")) /* " const", " [clone .cold]" */
        s->at++;
    return s->at == s->end;
}

/* Drops "[abi:cxx11]", folds Go's type arguments, and copies the type "[T]" that a Rust path begins
 * with. */
static void at_square(shortener *s) {
    const char *close = closing(s->at, s->end), *after = close < s->end ? close + 1 : s->end;
    if (s->n == 0)
        add(s, s->at, (size_t)(after - s->at));
    else if (!begins_with(s->at, s->end, "[abi:"))
        add(s, "[...]", (size_t)(after - s->at) < 5 ? 0 : 5);
    s->at = after;
}

/* Copies "{closure#0}", and "{lambda(int)#1}" without the parameters. */
static void at_brace(shortener *s) {
    const char *close = closing(s->at, s->end), *after = close < s->end ? close + 1 : s->end;
    for (; s->at < after; s->at++)
        if (*s->at == '(')
            s->at = closing(s->at, after);
        else
            add(s, s->at, 1);
    s->at = after;
}

/* Drops a namespace that only tells versions of a library apart. Returns whether there was one. */
static bool drop_version(shortener *s) {
    static const char *const versions[] = {"__cxx11::", "__1::", "__debug::", "_V2::"};
    for (size_t i = 0; i < RDI_COUNT(versions) && ends_with(s, "::"); i++)
        if (begins_with(s->at, s->end, versions[i])) {
            s->at += strlen(versions[i]);
            return true;
        }
    return false;
}

static void shorten(const char *from, const char *end, char *out, size_t *n, unsigned depth) {
    shortener s = {from, end, out + *n, 0};
    while (s.at < s.end) {
        if ((is_operator(&s) && copy_operator(&s)) || drop_version(&s))
            continue;
        if (*s.at == '<' && depth < NESTED_MAX) {
            at_angle(&s, depth);
        } else if (*s.at == '(') {
            if (at_parenthesis(&s))
                break;
        } else if (*s.at == '[') {
            at_square(&s);
        } else if (*s.at == '{') {
            at_brace(&s);
        } else if (*s.at == ' ') { /* the text before the blank is the return type, or "&mut" */
            s.n = 0;
            s.at++;
        } else {
            add(&s, s.at++, 1);
        }
    }
    *n += s.n;
}

rd_status rdi_name_shorten(rdi_arena *arena, const char *name, const char **out) {
    size_t length = strlen(name), n = 0;
    *out = name;
    if (!strpbrk(name, "<([ {") && !strstr(name, "::__") && !strstr(name, "::_V2"))
        return RD_OK;
    char *text =
        rdi_arena_alloc(arena, length + NESTED_MAX + 2, 1); /* "<lambda" may lack its ">" */
    if (!text)
        return RD_ENOMEM;
    shorten(name, name + length, text, &n, 0);
    text[n] = '\0';
    if (n > 0)
        *out = text;
    return RD_OK;
}

/* The names of Go are those that contain a dot before the type arguments: "main.sum[go.shape.int]". */
rd_status rdi_name_shorten_plain(rdi_arena *arena, const char *name, const char **out) {
    const char *open = strchr(name, '['), *dot = strchr(name, '.'), *end = name + strlen(name);
    *out = name;
    if (!open || !dot || dot > open || !isalnum((unsigned char)open[-1]))
        return RD_OK;
    const char *close = closing(open, end);
    if (close == end || close - open < 4)
        return RD_OK;
    char *text = rdi_arena_alloc(arena, (size_t)(end - name) + 2, 1);
    if (!text)
        return RD_ENOMEM;
    memcpy(text, name, (size_t)(open - name));
    stpcpy(stpcpy(text + (open - name), "[...]"), close + 1);
    *out = text;
    return RD_OK;
}

/* ---- long names ---- */

#define BOUND_BYTES (RDI_NAME_ROOM / 2) /* longest text that is kept of a long name */
#define HASH_ROOM   32                  /* number of bytes for "<...#0123456789abcdef>" */

/* Returns the hash FNV-1a. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

rd_status rdi_name_bound(rdi_arena *arena, const char *name, const char **out) {
    char text[BOUND_BYTES + 2 * HASH_ROOM], hash[HASH_ROOM];
    size_t n = 0, open = 0;
    *out = name;
    if (strlen(name) < RDI_NAME_ROOM)
        return RD_OK;
    snprintf(hash, sizeof hash, "<...#%016" PRIx64 ">", hash_of(name));
    const char *at = name;
    for (; *at && n < BOUND_BYTES; at++) {
        if (*at == '<' && open++ == 0)
            n += (size_t)(stpcpy(text + n, hash) - (text + n));
        else if (*at == '>' && open && at[-1] != '-')
            open--;
        else if (open == 0)
            text[n++] = *at;
    }
    while (*at && n > 0 && ((unsigned char)*at & 0xc0) == 0x80) { /* in a character of UTF-8 */
        at--;
        n--;
    }
    strcpy(text + n, *at ? hash : "");
    *out = rdi_arena_strdup(arena, text);
    return *out ? RD_OK : RD_ENOMEM;
}
