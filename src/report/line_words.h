/* Sentences about the line that causes the most misses at a level, for the terminal and the page. */
#ifndef RDI_LINE_WORDS_H
#define RDI_LINE_WORDS_H

#include "base/text.h"
#include "reusedist/attribution.h"
#include "reusedist/profile.h"

/* Returns the line with the most misses at `level`, first touches not counted, or RD_NO_INDEX if no line has
 * such misses. */
size_t rdi_worst_line(const rd_attribution *a, size_t level);

/* Returns whether two entries of the list of lines are rows of one source line, which has a row for each function
 * with this line. */
bool rdi_is_same_line(const rd_attribution *a, size_t i, size_t k);

/* Returns the share of a source line: the sum over its rows. */
rd_share rdi_share_of_line(const rd_attribution *a, size_t line);

/* Adds a sentence with the median distance of the reuses by the worst line that miss at `level`. Adds nothing if no
 * line has such reuses, or if the profile has a bound. */
void rdi_say_distance(const rd_profile *p, size_t level, rdi_text *words);

/* Adds a sentence that says what to change, if the facts about the worst line support a row of the table at
 * the end of docs/guide.md; else adds nothing. */
void rdi_say_advice(const rd_profile *p, size_t level, rdi_text *words);

#endif
