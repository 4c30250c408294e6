/* The text of source files that a profile keeps: the lines with counts, and a few lines around the lines with the
 * most misses. Reports compare this text with the files, which may have changed since the run. */
#ifndef RDI_KNOWN_SOURCE_H
#define RDI_KNOWN_SOURCE_H

#include "base/source_file.h"
#include "reusedist/attribution.h"

/* Returns whether two paths match: one path ends with the other path, beginning at a folder or file name. */
bool rdi_source_path_matches(const char *given, const char *source);

/* The result of comparing a file with the text of a source file in the profile. */
typedef struct rdi_source_check {
    size_t known; /* number of lines with counts whose text is known and not empty */
    bool changed; /* whether a line with counts has another text in the file, or is missing there */
} rdi_source_check;

rdi_source_check rdi_source_compare(const rd_attribution *a, size_t source,
                                    const rdi_source_file *file);

/* Returns whether line `now` of a file is equal to `then`, the same line in the profile. The profile has at most
 * RDI_SOURCE_LINE_MAX bytes of it, and the comparison ends at the first character that was not valid UTF-8. A
 * line that the file does not have (NULL) is not equal. */
bool rdi_source_same_line(const char *now, const char *then);

/* Returns the text of a line in the snippets of the profile, or NULL if they do not have it. */
const char *rdi_source_snippet_line(const rd_attribution *a, size_t source, uint64_t line);

#endif
