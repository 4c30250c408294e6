/* Starts a program under a recorder and waits for its end.
 *
 * A command includes recorder_options.def in its option table and has a recorder_options in its
 * struct.
 */
#ifndef RD_RECORDER_H
#define RD_RECORDER_H

#include "cli.h"

#include <limits.h>
#include <sys/types.h>

typedef enum recorder_tool { RECORDER_VALGRIND, RECORDER_CLANG } recorder_tool;

typedef struct recorder_options {
    uint32_t tool;                     /* a recorder_tool */
    uint32_t kinds;                    /* mask of the kinds to record, RD_LOAD and so on */
    bool pc;                           /* true: record program counters */
    bool events;                       /* true: record events; implies pc */
    bool contexts;                     /* true: record calling contexts; only with events */
    bool thread;                       /* true: record thread numbers */
    bool sync;                         /* true: record synchronization; implies thread */
    bool children;                     /* true: also record the processes that the program starts */
    const char *burst;                 /* "N:SKIP": record N references, skip SKIP references, and
                                          so on; NULL: record all */
    const char *start, *stop, *inside; /* functions of --start, --stop and --inside; NULL: none */
    uint64_t collapse_bytes;           /* see rd_live_config; 0: off */
    bool collapse_loads;               /* see rd_live_config */
    bool paused;                       /* true: start recording only when a marker, a function or a
                                          signal asks for it */
    bool quiet;                        /* true: show no notes */
    bool silent;                       /* true: connect the standard streams of the program to
                                          /dev/null */
    pid_t beside;                      /* another process that also gets the forwarded signals; 0:
                                          none */
} recorder_options;

typedef struct recorder recorder;

/* Returns whether the options make the recorder skip references of the run. */
bool recorder_is_sampling(const recorder_options *options);

/* Returns the path of the program's file, or NULL if there is none. The path is stored in `found`
 * if the command is searched for in PATH. No output may overwrite this file. */
const char *recorder_program_file(char **words, char found[PATH_MAX]);

/* Starts the command of `n` words. Returns NULL after reporting a failure (*status is the exit
 * status). `options` are borrowed. */
recorder *recorder_start(rd_ctx *ctx, const recorder_options *options, int n, char **words,
                         int *status);

/* Returns the channel with the records of the program. If the channel is not read to its end,
 * recorder_finish() terminates the program. */
rd_live *recorder_live(recorder *r);

/* Ends the recording, terminates the program if it still runs, and frees everything. Returns the
 * exit status of the program, or 128 + N if signal N killed it, or EXIT_FAILED if it succeeded but
 * nothing was recorded. *cut_short becomes true if the recording is incomplete: a signal killed the
 * program, or a signal stopped the recording before all processes that the program started had
 * ended. */
int recorder_finish(recorder *r, bool *cut_short);

/* Starts a program. The signals that program_begin() ignores have their default handling in the
 * started program. `args` must be terminated by NULL. `silent` connects the standard streams of the
 * program to /dev/null. With `signals`, signals are forwarded to the program from now on (recorder_signals_take()).
 * Returns 0 or an error number. */
int recorder_spawn(pid_t *program, char **args, bool silent, bool signals);

/* Paragraphs for the help of every command that records. */
#define RECORDER_DETAILS                                                                           \
    "The command runs under Valgrind, which slows it down. With --tool=clang it records\n"         \
    "itself; it must then be built with libexec/reusedist/clang/reusedist-cc. The command\n"       \
    "keeps its standard input, output and exit status. The processes that it starts are\n"         \
    "recorded only with --trace-children. Processes are interleaved in one trace; their\n"         \
    "address spaces stay separate.\n"                                                              \
    "\n"                                                                                           \
    "Long runs can be sampled; distances then refer to the recorded references only, and the\n"    \
    "result is not exact. With --burst, 'run' states bands that contain the miss ratios of the\n"  \
    "whole run with 95 % confidence, unless the run repeats itself in step with the bursts;\n"     \
    "with --tool=clang, --trace-children, --start, --stop, --inside or --paused, the error\n"      \
    "stays unknown. FUNCTION is a name in the symbol table; * matches any characters. Markers\n"   \
    "are calls of rd_record_start() and rd_record_stop() (reusedist/marker.h). With --paused,\n"   \
    "send SIGUSR1 to reusedist to start recording, and SIGUSR2 to pause it.\n"

#endif
