/* Words that complete a command line. See completion_words.h. */
#include "completion_words.h"

#include "bench.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name; /* name in the help, possibly inside a longer text */
    unsigned takes;
} names[] = {
    {"ENGINE", TAKES_ENGINE},   {"FORMAT", TAKES_FORMAT},      {"KIND", TAKES_GENERATOR},
    {"SUITE", TAKES_SUITE},     {"BINS", TAKES_BINS},          {"[COMMAND]", TAKES_COMMAND},
    {"FILE", TAKES_FILE},       {"-- COMMAND", TAKES_PROGRAM}, {"TRACE", TAKES_FILE},
    {"MACHINE", TAKES_MACHINE}, {"PROFILE", TAKES_FILE},       {"MODEL", TAKES_FILE},
    {"PATH", TAKES_FILE},
};

unsigned completion_takes(const char *called) {
    unsigned found = 0;
    for (size_t i = 0; called && i < sizeof names / sizeof *names; i++)
        if (strstr(called, names[i].name))
            found |= names[i].takes;
    return found;
}

/* Splits a text such as "text|csv|json" or "BYTES|addr" at '|', and writes the words that have only
 * lower-case letters and hyphens, because these words are literal. */
static void put_alternatives(FILE *out, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "|");
        bool literal = n > 0;
        for (size_t i = 0; i < n; i++)
            literal = literal && (islower((unsigned char)text[i]) || text[i] == '-');
        if (literal)
            fprintf(out, " %.*s", (int)n, text);
        text += n + (text[n] == '|');
    }
}

static void put_machines(FILE *out) {
    rd_ctx *ctx = NULL;
    rd_machine m;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return;
    for (size_t i = 0; rd_machine_at(ctx, i, &m) == RD_OK; i++)
        fprintf(out, " %s", m.name);
    rd_ctx_free(ctx);
}

static void put_registered(FILE *out, unsigned what) {
    for (size_t i = 0; what & TAKES_ENGINE && rd_engine_info_at(i); i++)
        fprintf(out, " %s", rd_engine_info_at(i)->name);
    for (size_t i = 0; what & TAKES_FORMAT && rd_format_info_at(i); i++)
        fprintf(out, " %s", rd_format_info_at(i)->name);
    for (size_t i = 0; what & TAKES_GENERATOR && rd_generator_info_at(i); i++)
        fprintf(out, " %s", rd_generator_info_at(i)->name);
    for (size_t i = 0; what & TAKES_SUITE && bench_suite_at(i); i++)
        fprintf(out, " %s", bench_suite_at(i)->name);
    for (size_t i = 0; what & TAKES_COMMAND && command_at(i); i++)
        fprintf(out, " %s", command_at(i)->name);
    if (what & TAKES_MACHINE)
        put_machines(out);
    if (what & TAKES_BINS)
        fputs(" full log loglinear linear reference", out);
}

void completion_put_words(FILE *out, const char *called, const char *choices) {
    put_registered(out, completion_takes(called));
    if (choices)
        put_alternatives(out, choices);
    else if (called && strchr(called, '|'))
        put_alternatives(out, called);
}

bool completion_has_words(const char *called, const char *choices) {
    unsigned words = completion_takes(called) & ~(unsigned)(TAKES_FILE | TAKES_PROGRAM);
    return words || choices || (called && strchr(called, '|'));
}
