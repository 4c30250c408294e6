/* Splits a line of separated values into fields. */
#ifndef RDI_CSV_SPLIT_H
#define RDI_CSV_SPLIT_H

#include "trace/lines.h"

/* One value, borrowed from the line, without the blanks and quotes around it. */
typedef struct rdi_field {
    const char *text;
    size_t n;
    bool doubled; /* true: the value is quoted and contains "", which stands for one quote */
} rdi_field;

/* Reads the field at p of a line that ends at `end`. Returns the end of the field, which is a
 * separator or `end`, or NULL if a quote is not closed or text follows the closing quote. The
 * separator ' ' stands for any number of blanks. */
const char *rdi_csv_field(char sep, const char *p, const char *end, rdi_field *field);

/* Returns the number, from 1, of the first field that is one of `names` ("id|key"), in upper or
 * lower case, or 0 if there is none. A '#' at the beginning of the line is ignored. */
size_t rdi_csv_find(char sep, const char *line, const char *end, const char *names);

/* Returns the number of the first field after field `number` that has the same text, in upper or lower
 * case, or 0 if there is none. */
size_t rdi_csv_find_again(char sep, const char *line, const char *end, size_t number);

/* Guesses the separator: returns the first of tab, comma, semicolon, pipe and blank, in this order,
 * that occurs anywhere in the line outside of quotes, or a comma if none does. */
char rdi_csv_guess_sep(const char *line, const char *end);

/* Returns whether a line looks like column names: it begins with '#', or all its fields are valid
 * and none begins like a number. */
bool rdi_csv_is_header(char sep, const char *line, const char *end);

/* Returns whether `text` is one of the words "a|b|c", in upper or lower case. */
bool rdi_csv_matches(const char *text, size_t n, const char *words);

#endif
