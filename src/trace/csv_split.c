/* Splits a line of separated values into fields. See csv_split.h. */
#include "trace/csv_split.h"

static bool is_space(char c, char sep) {
    return c == ' ' || c == '\r' || (c == '\t' && sep != '\t');
}

static const char *skip_space(char sep, const char *p, const char *end) {
    while (p < end && is_space(*p, sep))
        p++;
    return p;
}

/* Reads a quoted field, like rdi_csv_field(). p points to the character after the opening quote. */
static const char *quoted_field(char sep, const char *p, const char *end, rdi_field *field) {
    *field = (rdi_field){.text = p};
    const char *quote;
    while ((quote = memchr(p, '"', (size_t)(end - p))) && quote + 1 < end && quote[1] == '"') {
        field->doubled = true;
        p = quote + 2;
    }
    if (!quote)
        return NULL;
    field->n = (size_t)(quote - field->text);
    p = quote + 1;
    const char *stop = skip_space(sep, p, end);
    if (stop == end)
        return end;
    if (sep == ' ')
        return stop > p ? p : NULL;
    return *stop == sep ? stop : NULL;
}

const char *rdi_csv_field(char sep, const char *p, const char *end, rdi_field *field) {
    p = skip_space(sep, p, end);
    if (p < end && *p == '"')
        return quoted_field(sep, p + 1, end, field);
    const char *stop = p;
    if (sep == ' ') {
        while (stop < end && !is_space(*stop, sep))
            stop++;
    } else {
        stop = memchr(p, sep, (size_t)(end - p));
        stop = stop ? stop : end;
    }
    const char *last = stop;
    while (last > p && is_space(last[-1], sep))
        last--;
    *field = (rdi_field){.text = p, .n = (size_t)(last - p)};
    return stop;
}

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool rdi_csv_matches(const char *text, size_t n, const char *words) {
    while (true) {
        size_t len = strcspn(words, "|"), i = 0;
        while (i < n && i < len && lower(text[i]) == lower(words[i]))
            i++;
        if (i == n && i == len)
            return true;
        if (!words[len])
            return false;
        words += len + 1;
    }
}

static const char *behind_hash(const char *line, const char *end) {
    return line < end && *line == '#' ? line + 1 : line;
}

/* Returns the beginning of the field after the separator at p, or NULL at the end of the line. */
static const char *next(const char *p, const char *end) {
    return p && p < end ? p + 1 : NULL;
}

size_t rdi_csv_find(char sep, const char *line, const char *end, const char *names) {
    rdi_field field;
    size_t number = 0;
    for (const char *p = behind_hash(line, end); p; p = next(p, end)) {
        p = rdi_csv_field(sep, p, end, &field);
        number++;
        if (p && rdi_csv_matches(field.text, field.n, names))
            return number;
    }
    return 0;
}

size_t rdi_csv_find_again(char sep, const char *line, const char *end, size_t number) {
    rdi_field field, first = {0};
    size_t at = 0;
    for (const char *p = behind_hash(line, end); p; p = next(p, end)) {
        p = rdi_csv_field(sep, p, end, &field);
        at++;
        if (p && at == number)
            first = field;
        if (!p || at <= number || field.n != first.n)
            continue;
        size_t same = 0;
        while (same < field.n && lower(field.text[same]) == lower(first.text[same]))
            same++;
        if (same == field.n)
            return at;
    }
    return 0;
}

char rdi_csv_guess_sep(const char *line, const char *end) {
    static const char by_rank[] = "\t,;| ";
    size_t best = sizeof by_rank - 1;
    bool quoted = false;
    for (const char *p = line; p < end; p++) {
        quoted ^= *p == '"';
        const char *found = quoted || !*p ? NULL : strchr(by_rank, *p);
        if (found && (size_t)(found - by_rank) < best)
            best = (size_t)(found - by_rank);
    }
    return best < sizeof by_rank - 1 ? by_rank[best] : ',';
}

bool rdi_csv_is_header(char sep, const char *line, const char *end) {
    if (line < end && *line == '#')
        return true;
    rdi_field field;
    for (const char *p = line; p; p = next(p, end)) {
        p = rdi_csv_field(sep, p, end, &field);
        if (!p)
            return false;
        bool sign = field.n > 1 && strchr("+-.", field.text[0]);
        if (field.n > sign && rdi_is_digit(field.text[sign]))
            return false;
    }
    return true;
}
