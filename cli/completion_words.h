/* The words that can complete a value or an operand. They follow from the name of the value or
 * operand in the help: ENGINE, FILE, "BYTES|addr". One table has all these names, so a new option
 * whose value has one of these names needs no further code. */
#ifndef RD_COMPLETION_WORDS_H
#define RD_COMPLETION_WORDS_H

#include "cli.h"

enum {
    TAKES_ENGINE = 1,
    TAKES_FORMAT = 2,
    TAKES_GENERATOR = 4,
    TAKES_SUITE = 8,
    TAKES_BINS = 16,
    TAKES_COMMAND = 32, /* a command of reusedist */
    TAKES_PROGRAM = 64, /* any command line */
    TAKES_FILE = 128,
    TAKES_MACHINE = 256
};

/* Returns a mask of TAKES_* for `called`, the name in the help; 0 for NULL. */
unsigned completion_takes(const char *called);
/* Returns whether there are words to choose from. `choices` is "text|csv|json", or NULL. */
bool completion_has_words(const char *called, const char *choices);
/* Writes the words to choose from, each after a blank. */
void completion_put_words(FILE *out, const char *called, const char *choices);

#endif
