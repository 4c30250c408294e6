/* Starts a program under a recorder, and sees it through to its end.
 *
 * A command includes recorder_options.def in its option table and has a recorder_options in its
 * struct.
 */
#ifndef RD_RECORDER_H
#define RD_RECORDER_H

#include "cli.h"

#include <sys/types.h>

typedef enum recorder_tool { RECORDER_VALGRIND, RECORDER_CLANG } recorder_tool;

typedef struct recorder_options {
    uint32_t tool;                     /* recorder_tool */
    uint32_t kinds;                    /* mask of RD_LOAD ... to be recorded */
    bool pc;                           /* program counters too */
    bool events;                       /* and modules, allocations and stacks; with pc */
    bool thread;                       /* thread numbers too */
    bool children;                     /* processes that the program starts, too */
    const char *burst;                 /* "RECORD:SKIP", references; NULL: all */
    const char *start, *stop, *inside; /* functions; NULL: none */
    uint64_t collapse_bytes;           /* repeats in a block of this size are counted only; 0: no */
    bool paused;                       /* until a marker, a function or a signal */
    bool silent;                       /* its standard streams are /dev/null */
    pid_t beside;                      /* a process that gets our signals, too; 0: none */
} recorder_options;

typedef struct recorder recorder;

/* Whether parts of the program may be left out. */
bool recorder_is_sampling(const recorder_options *options);

/* Starts the command of `n` words. NULL after having reported a mistake (*status is the exit
 * status). `options` are borrowed. */
recorder *recorder_start(rd_ctx *ctx, const recorder_options *options, int n, char **words,
                         int *status);

/* What the program references, to be read to its end or not at all: a program ends when there is
 * nobody left who reads. */
rd_live *recorder_live(recorder *r);

/* Ends the recording, and the program if it has not ended. Returns its exit status, 128 + N when
 * signal N ended it. *cut_short: it did, or we were told to stop before all that it started had
 * ended. Frees everything. */
int recorder_finish(recorder *r, bool *cut_short);

/* Starts a program, NULL-ended, as our caller would; `silent`: its standard streams are /dev/null.
 * Returns an error number, or 0. */
int recorder_spawn(pid_t *program, char **args, bool silent);

/* What the help of every such command says about it. */
#define RECORDER_DETAILS                                                                           \
    "The command runs under a recorder for Valgrind, slower than by itself, or with\n"             \
    "--tool=clang records itself, built with libexec/reusedist/clang/reusedist-cc. Its input,\n"   \
    "output and exit status are its own. Processes that it starts are not recorded, unless\n"      \
    "--trace-children is given: then all are in one sequence, the blocks of each its own.\n"       \
    "\n"                                                                                           \
    "Long runs can be sampled; distances then count only what was recorded. Functions are\n"       \
    "found by their names in the symbol table; * stands for any letters. Markers are calls of\n"   \
    "rd_record_start() and rd_record_stop() (reusedist/marker.h). With --paused, SIGUSR1 sent\n"   \
    "to reusedist starts recording and SIGUSR2 pauses it.\n"

#endif
