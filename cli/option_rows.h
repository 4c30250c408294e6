/* Rows of option tables that several commands share, so that name, letter and type are defined
 * once. `at` is the offset of the field, `what` is the help text, `usual` is the default, and
 * `file` is the name of the value in the help. */
#ifndef RD_OPTION_ROWS_H
#define RD_OPTION_ROWS_H

#include "cli.h"
#include "progress.h"

/* The values of the option that OPTION_OUT defines. */
enum { OUT_TEXT, OUT_CSV, OUT_JSON };

#define OPTION_OUT(at, what)                                                                       \
    {                                                                                              \
        .name = "out", .arg = "AS", .type = RD_OPT_CHOICE, .choices = "text|csv|json",             \
        .def = "text", .offset = (at), .help = what                                                \
    }
#define OPTION_OUTPUT(at, file, what)                                                              \
    {                                                                                              \
        .name = "output", .letter = 'o', .arg = file, .type = RD_OPT_STRING, .offset = (at),       \
        .help = what                                                                               \
    }
#define OPTION_ASCII(at, what)                                                                     \
    { .name = "ascii", .type = RD_OPT_BOOL, .offset = (at), .help = what }
#define OPTION_FORMAT(at, what)                                                                    \
    {                                                                                              \
        .name = "format", .letter = 'f', .arg = "FORMAT", .type = RD_OPT_STRING, .offset = (at),   \
        .help = what                                                                               \
    }
#define OPTION_KINDS(at, usual, what)                                                              \
    {                                                                                              \
        .name = "kinds", .arg = "LSI", .type = RD_OPT_STRING, .def = usual, .offset = (at),        \
        .help = what                                                                               \
    }
#define OPTION_BLOCK(at)                                                                           \
    {                                                                                              \
        .name = "block", .letter = 'b', .arg = "BYTES|addr", .type = RD_OPT_STRING,                \
        .offset = (at), .help = "block size, or one block per address [64; object ids: addr]"      \
    }
#define OPTION_MEM(at)                                                                             \
    {                                                                                              \
        .name = "mem", .arg = "SIZE", .type = RD_OPT_SIZE, .min = 1, .max = 0x1p63,                \
        .offset = (at), .help = "memory limit, such as 512M or 4G [none]"                          \
    }
#define OPTION_PARTIAL(at)                                                                         \
    {                                                                                              \
        .name = "partial", .type = RD_OPT_BOOL, .offset = (at),                                    \
        .help = "analyze a damaged trace up to the damage"                                         \
    }
#define OPTION_VERBOSE(at)                                                                         \
    {                                                                                              \
        .name = "verbose", .letter = 'v', .type = RD_OPT_BOOL, .offset = (at),                     \
        .help = "report automatic choices, time, speed and memory"                                 \
    }
#define OPTION_HIST(at, usual, what)                                                               \
    {                                                                                              \
        .name = "hist", .arg = "BINS", .type = RD_OPT_STRING, .def = usual, .offset = (at),        \
        .help = what                                                                               \
    }
#define INTERLEAVE_HELP                                                                            \
    "order of threads: as recorded, or N references of each thread in turn; lockstep alone means " \
    "lockstep:1"
#define OPTION_INTERLEAVE(at)                                                                      \
    {                                                                                              \
        .name = "interleave", .arg = "recorded|lockstep[:N]", .type = RD_OPT_STRING,               \
        .offset = (at), .help = INTERLEAVE_HELP " [recorded]"                                      \
    }
#define OPTION_STACKS(at, what)                                                                    \
    {                                                                                              \
        .name = "stacks", .arg = "shared|private", .type = RD_OPT_CHOICE,                          \
        .choices = "shared|private", .def = "shared", .offset = (at), .help = what                 \
    }
#define OPTION_REORDER(at)                                                                         \
    {                                                                                              \
        .name = "reorder", .arg = "RECORDS", .type = RD_OPT_SIZE, .min = 1, .max = 0x1p32,         \
        .offset = (at),                                                                            \
        .help = "with --interleave=lockstep: records that fit in the reorder buffer [1M]"          \
    }
#define OPTION_MERGE(at)                                                                           \
    {                                                                                              \
        .name = "merge", .arg = "none|time", .type = RD_OPT_CHOICE, .choices = "none|time",        \
        .def = "none", .offset = (at),                                                             \
        .help = "none: read several traces one after the other; time: merge them by time"          \
    }
#define OPTION_TO(at)                                                                              \
    {                                                                                              \
        .name = "to", .arg = "FORMAT", .type = RD_OPT_STRING, .offset = (at),                      \
        .help = "format of the new trace, NAME[:key=value,...] [native]"                           \
    }
#define OPTION_PROGRESS(at)                                                                        \
    {                                                                                              \
        .name = "progress", .arg = "WHEN", .type = RD_OPT_CHOICE, .choices = PROGRESS_CHOICES,     \
        .def = "auto", .offset = (at), .help = "when to show a progress bar; auto: on a terminal"  \
    }
#define OPTION_COLOR(at)                                                                           \
    {                                                                                              \
        .name = "color", .arg = "WHEN", .type = RD_OPT_CHOICE, .choices = PROGRESS_CHOICES,        \
        .def = "auto", .offset = (at), .help = "when to use colors; auto: on a terminal"           \
    }
#define OPTION_OWN(at)                                                                             \
    {                                                                                              \
        .name = "own", .arg = "PATH", .type = RD_OPT_STRINGS, .offset = (at),                      \
        .help = "folder or file of your own code; may be repeated [the profile's own code]"        \
    }
#define OPTION_QUIET(at, what)                                                                     \
    { .name = "quiet", .letter = 'q', .type = RD_OPT_BOOL, .offset = (at), .help = what }

/* The choices are in the order of contexts_when (attribute.h). */
#define OPTION_CONTEXTS(at, what)                                                                  \
    {                                                                                              \
        .name = "contexts", .arg = "on|off", .type = RD_OPT_CHOICE, .choices = "on|off",           \
        .def = "on", .offset = (at), .help = what                                                  \
    }

#endif
