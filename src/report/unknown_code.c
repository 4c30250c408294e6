/* Adds sentences about code that the profile cannot name: modules without debug information, code outside
 * of all modules, and scripts. See report_details.h. */
#include "report/report_details.h"

#include <ctype.h>
#include <string.h>

/* A sentence is added if the code has more than this fraction of all misses, or of all references if nothing
 * misses. For interpreters, the fraction is ten times as large. */
#define NOTABLE 0.05

typedef enum unknown { KNOWN, NO_DEBUG, NO_SYMBOLS, NO_MODULE, INTERPRETER, UNKNOWNS } unknown;

typedef struct finding {
    double weight;
    const char *module; /* the module of the line with the largest weight, `most` */
    double most;
} finding;

/* Returns whether the user may be able to build the module with debug information. The user can
 * rarely build system libraries, which are recognized by their names. */
static bool can_build(const char *module) {
    return strncmp(module, "lib", 3) != 0 && strncmp(module, "ld-", 3) != 0 &&
           strncmp(module, "[", 1) != 0;
}

/* Returns whether the module is an interpreter or its library, such as "python3.11". */
static bool is_interpreter(const char *module) {
    static const char *const names[] = {"python", "perl", "ruby", "node",  "java",  "lua",
                                        "php",    "jvm",  "R",    "julia", "tclsh", "guile",
                                        "mono",   "bash", "dash", "awk",   "gawk",  "mawk"};
    if (strncmp(module, "lib", 3) == 0)
        module += 3;
    for (size_t i = 0; i < RDI_COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if (strncmp(module, names[i], n) == 0 && !isalpha((unsigned char)module[n]) &&
            module[n] != '_')
            return true;
    }
    return false;
}

static unknown classify(const rd_attribution *a, const rd_code_line *line) {
    const rd_code_function *f =
        line->function == RD_NO_INDEX ? NULL : &a->functions[line->function];
    if (!f)
        return KNOWN;
    if (f->module && is_interpreter(f->module))
        return INTERPRETER;
    bool address = strncmp(f->name, "0x", 2) == 0;
    if (line->source != RD_NO_INDEX || (f->module && !can_build(f->module)))
        return KNOWN;
    return !f->module ? (address ? NO_MODULE : KNOWN) : address ? NO_SYMBOLS : NO_DEBUG;
}

/* Returns the weight of a line: its misses in all caches, or its references if `misses` is false. */
static double weight_of(const rd_details *d, const rd_share *share, bool misses) {
    double weight = 0;
    for (size_t k = 0; k < d->n_levels && misses; k++)
        weight += (double)share->misses[k];
    return misses ? weight : (double)share->references;
}

static bool has_misses(const rd_details *d) {
    const rd_attribution *a = d->attribution;
    bool misses = false;
    for (size_t i = 0; i < a->n_lines && !misses; i++)
        misses = d->n_levels && a->lines[i].share.misses[0] > 0;
    return misses;
}

static void find_unknown(const rd_details *d, finding found[UNKNOWNS], double *all) {
    const rd_attribution *a = d->attribution;
    bool misses = has_misses(d);
    for (size_t i = 0; i < a->n_lines; i++) {
        double weight = weight_of(d, &a->lines[i].share, misses);
        finding *f = &found[classify(a, &a->lines[i])];
        *all += weight;
        f->weight += weight;
        if (weight > f->most || !f->module) {
            f->most = weight;
            f->module = a->lines[i].function == RD_NO_INDEX
                            ? NULL
                            : a->functions[a->lines[i].function].module;
        }
    }
}

static bool has_modules(const rd_attribution *a) {
    for (size_t i = 0; i < a->n_functions; i++)
        if (a->functions[i].module)
            return true;
    return false;
}

void rdi_say_unknown_code(const rd_details *d, rdi_text *words) {
    finding found[UNKNOWNS] = {0};
    double all = 0;
    char share[RDI_FORMAT_ROOM];
    if (!d->attribution)
        return;
    find_unknown(d, found, &all);
    if (found[NO_SYMBOLS].weight > NOTABLE * all)
        rdi_text_printf(words,
                        "%sThere is no debug information for %s: build it with -g to see functions "
                        "and lines instead of addresses in the file.",
                        words->n ? " " : "", found[NO_SYMBOLS].module);
    else if (found[NO_DEBUG].weight > NOTABLE * all)
        rdi_text_printf(words,
                        "%sThere is no debug information for %s: build it with -g to see lines.",
                        words->n ? " " : "", found[NO_DEBUG].module);
    if (found[NO_MODULE].weight > NOTABLE * all && has_modules(d->attribution)) {
        rdi_format_share(found[NO_MODULE].weight / all, share);
        rdi_text_printf(words,
                        "%s%s of the %s are in code outside of all program files, such as the "
                        "code of a JIT compiler, which has no names.",
                        words->n ? " " : "", share, has_misses(d) ? "misses" : "references");
    }
    if (found[INTERPRETER].weight > 10 * NOTABLE * all)
        rdi_text_printf(words,
                        "%sThe program is an interpreter, %s: the tables show its own code and "
                        "data, not the lines of the script.",
                        words->n ? " " : "", found[INTERPRETER].module);
}

void rdi_paper_unknown_code(rdi_paper *paper, const rd_details *d) {
    rdi_text words = rdi_text_start(paper->t.ctx), safe = rdi_text_start(paper->t.ctx);
    rdi_say_unknown_code(d, &words);
    if (words.status == RD_OK && words.n)
        rdi_text_escaped(&safe, words.data);
    if (safe.status == RD_OK && safe.n) {
        rdi_text_putc(&paper->t, '\n');
        rdi_paper_wrap(paper, safe.data);
    }
    if (words.status != RD_OK || safe.status != RD_OK)
        paper->t.status = RD_ENOMEM;
    rdi_text_drop(&words);
    rdi_text_drop(&safe);
}
