/* Compares source files with the text that a profile keeps of them. See known_source.h. */
#include "report/known_source.h"

#include <string.h>

bool rdi_source_path_matches(const char *given, const char *source) {
    while (strncmp(given, "./", 2) == 0)
        given += 2;
    size_t n = strlen(given), m = strlen(source), least = n < m ? n : m;
    return least && strcmp(given + n - least, source + m - least) == 0 &&
           (n == m || (n < m ? source[m - n - 1] : given[n - m - 1]) == '/');
}

bool rdi_source_same_line(const char *now, const char *then) {
    static const char replaced[] = "\xef\xbf\xbd"; /* for a character that is not valid UTF-8 */
    const char *end = strstr(then, replaced);
    size_t n = end ? (size_t)(end - then) : strlen(then);
    return now && strncmp(now, then, n) == 0 && (end || now[n] == '\0' || n == RDI_SOURCE_LINE_MAX);
}

rdi_source_check rdi_source_compare(const rd_attribution *a, size_t source,
                                    const rdi_source_file *file) {
    rdi_source_check check = {0};
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_code_line *line = &a->lines[i];
        if (line->source != source || !line->text)
            continue;
        check.known += *line->text != '\0';
        check.changed = check.changed ||
                        !rdi_source_same_line(rdi_source_file_line(file, line->line), line->text);
    }
    return check;
}

const char *rdi_source_snippet_line(const rd_attribution *a, size_t source, uint64_t line) {
    for (size_t i = 0; i < a->n_snippets; i++) {
        const rd_snippet *s = &a->snippets[i];
        if (s->source == source && line >= s->first && line - s->first < s->n)
            return s->lines[line - s->first];
    }
    return NULL;
}
