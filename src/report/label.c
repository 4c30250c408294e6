/* Fits names into the columns of a table. See report_details.h.
 *
 * In a long name, the file at the beginning and the function at the end of its scopes tell the most. So a name
 * that is too long loses its scopes first, and then its middle.
 */
#include "report/report_details.h"

#include <string.h>

/* Returns whether a name may stand without the scopes before it. "{{closure}}", "(*T).f" and "operator()",
 * which is also the name of each lambda, may not. */
static bool stands_alone(const char *name) {
    return *name != '{' && *name != '(' && *name != '<' && strncmp(name, "operator", 8) != 0;
}

/* Returns the end of a word: the next space outside of brackets. The name of an operator, such as "operator<",
 * can have a bracket without its counterpart, so its word ends at the next space. Sets *name to the text after
 * the scopes. */
static const char *end_of_word(const char *word, const char **name) {
    unsigned depth = 0;
    *name = word;
    for (const char *c = word; *c; c++) {
        if (depth == 0 && strncmp(c, "operator", 8) == 0)
            return c + strcspn(c, " ");
        if (depth == 0 && *c == ' ')
            return c;
        if (depth == 0 && strncmp(c, "::", 2) == 0 && stands_alone(c + 2))
            *name = c + 2;
        else if (depth == 1 && strncmp(c, ").", 2) == 0) /* a method in Go: "main.(*T).f" */
            *name = c + 2;
        depth += strchr("<({[", *c) != NULL;
        depth -= depth > 0 && strchr(">)}]", *c) != NULL;
    }
    return word + strlen(word);
}

void rdi_text_without_scopes(rdi_text *out, const char *text) {
    while (*text) {
        const char *name, *end = end_of_word(text, &name);
        rdi_text_add(out, name, (size_t)(end - name));
        for (text = end; *text == ' '; text++)
            rdi_text_putc(out, ' ');
    }
}

#define TAIL_LEAST 8 /* fewest columns of the end of a cut text */

/* Returns the position in a text after `n` columns. */
static const char *after_columns(const char *text, unsigned n) {
    for (; *text && (n > 0 || ((unsigned char)*text & 0xc0) == 0x80); text++)
        n -= ((unsigned char)text[1] & 0xc0) != 0x80;
    return text;
}

/* Returns how many columns of the beginning of a text stay if the text is cut to `room` columns: all columns before
 * the name of the library function, whose end tells the most, if that leaves at least TAIL_LEAST columns for the end
 * of the text; otherwise half of `room`. */
static unsigned head_columns(const char *text, unsigned room) {
    static const char mark[] = ", in ";
    const char *library = strstr(text, mark);
    unsigned upto = library ? rdi_text_columns(text) - rdi_text_columns(library) : 0;
    upto += sizeof mark - 1;
    return library && upto + TAIL_LEAST <= room ? upto : room - room / 2;
}

/* Adds a text. If it is longer than `columns`, dots replace its middle, unless there is no room for more than the
 * dots. Returns the number of columns that the text takes. */
static unsigned put_cut(rdi_paper *paper, const char *text, unsigned columns) {
    const char *dots = paper->style.unicode ? "\xe2\x80\xa6" : "...";
    unsigned all = rdi_text_columns(text), of_dots = rdi_text_columns(dots);
    if (all <= columns || columns <= of_dots) {
        rdi_text_puts(&paper->t, text);
        return all;
    }
    unsigned room = columns - of_dots, head = head_columns(text, room);
    const char *tail = after_columns(text, all - (room - head));
    if (tail[strspn(tail, ".")] == '>') /* the end of "<...>" looks like more dots */
        tail += strspn(tail, ".") + 1;
    rdi_text_add(&paper->t, text, (size_t)(after_columns(text, head) - text));
    rdi_text_puts(&paper->t, dots);
    rdi_text_puts(&paper->t, tail);
    return head + of_dots + rdi_text_columns(tail);
}

unsigned rdi_paper_label(rdi_paper *paper, const char *label, unsigned width, bool fill) {
    rdi_text safe = rdi_text_start(paper->t.ctx), bare = rdi_text_start(paper->t.ctx);
    unsigned columns = 0;
    rdi_text_escaped(&safe, label);
    if (safe.status == RD_OK && safe.data && rdi_text_columns(safe.data) > width)
        rdi_text_without_scopes(&bare, safe.data);
    if (bare.status == RD_OK && bare.data)
        columns = put_cut(paper, bare.data, width);
    else if (safe.status == RD_OK && safe.data)
        columns = put_cut(paper, safe.data, width);
    if (fill && columns < width)
        rdi_text_fill(&paper->t, ' ', width - columns);
    rdi_text_drop(&safe);
    rdi_text_drop(&bare);
    return columns;
}
