/* Starts a program under a recorder, and sees it through to its end. */
#ifndef RD_RECORDER_H
#define RD_RECORDER_H

#include "cli.h"

typedef struct recorder_options {
    uint32_t kinds; /* mask of RD_LOAD ... to be recorded */
    bool pc;        /* program counters too */
    bool thread;    /* thread numbers too */
    bool children;  /* processes that the program starts, too */
} recorder_options;

typedef struct recorder recorder;

/* Starts the command of `n` words. NULL after having reported a mistake (*status is the exit
 * status). `options` are borrowed. */
recorder *recorder_start(rd_ctx *ctx, const recorder_options *options, int n, char **words,
                         int *status);

/* What the program references, to be read to its end or not at all: a program ends when there is
 * nobody left who reads. */
rd_live *recorder_live(recorder *r);

/* Ends the recording and waits for the program. Returns its exit status, 128 + N when signal N
 * ended it, and sets *cut_short then. Frees everything. */
int recorder_finish(recorder *r, bool *cut_short);

/* Rows of an option table: what every command that records takes. `member` is the recorder_options
 * in `state`. */
#define RECORDER_OPTIONS(state, member)                                                            \
    {                                                                                              \
        .name = "trace-children", .type = RD_OPT_BOOL, .offset = offsetof(state, member.children), \
        .help = "record the processes that the program starts, too"                                \
    }

/* What the help of every such command says about it. */
#define RECORDER_DETAILS                                                                           \
    "The command runs under a recorder for Valgrind, slower than by itself. Its input, output\n"   \
    "and exit status are its own. Processes that it starts are not recorded, unless\n"             \
    "--trace-children is given: then all are in one sequence, the blocks of each its own.\n"

#endif
