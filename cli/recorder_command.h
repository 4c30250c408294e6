/* The command line and the environment with which a program is recorded. */
#ifndef RD_RECORDER_COMMAND_H
#define RD_RECORDER_COMMAND_H

#include "recorder.h"

/* A command line that grows. `words` is terminated by NULL. */
typedef struct recorder_command {
    char **words;
    size_t n;
    bool failed; /* true: memory was exhausted */
} recorder_command;

/* Makes the command line that runs the `n` words under the recorder, and sets the environment
 * variables that the recorder reads. Reports a failure and returns the exit status. Call
 * recorder_command_free() even after a failure. */
int recorder_command_make(rd_ctx *ctx, const recorder_options *options, const rd_live *live, int n,
                          char **words, recorder_command *out);
void recorder_command_free(recorder_command *c);

/* Sets *out to the number of references in a burst if all recorded references come from one sequence of
 * bursts, and to 0 otherwise. Returns false after reporting a mistake in --burst. */
bool recorder_burst(rd_ctx *ctx, const recorder_options *options, uint64_t *out);

#endif
