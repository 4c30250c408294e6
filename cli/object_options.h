/* The options of object caches. A command includes object_options.def in its option table and has an
 * object_options in its struct. */
#ifndef RD_CLI_OBJECTS_H
#define RD_CLI_OBJECTS_H

#include "cli.h"

/* The choices of --weight. For traces, auto is the same as objects. For a profile, auto accepts a
 * profile in objects and one in bytes. */
enum { WEIGHT_AUTO, WEIGHT_OBJECTS, WEIGHT_BYTES };

typedef struct object_options {
    uint32_t weight;
    uint32_t count;  /* an rd_count */
    uint32_t expiry; /* an rd_expiry */
    uint64_t warmup;
    const char *every; /* length of a stretch of time; NULL: none */
} object_options;

/* Sets *config from the options; `sizes` is borrowed. Returns `config`, or NULL if caches are not
 * counted in bytes. */
const rd_objects_config *objects_config(const object_options *o, const rd_sizes *sizes,
                                        rd_objects_config *config);
/* Parses a length of time, such as "90", "90s", "15m", "1.5h" or "1d", in nanoseconds. Without a
 * unit, it is in seconds. Returns false if it is malformed, below 1 ns or above 2^63 ns. */
bool objects_time(const char *text, uint64_t *nanoseconds);
/* Checks that the options fit a profile that was read from a file: it must have the weight of
 * --weight and the stretches of --every, and options that apply only to traces must not be given.
 * Reports a mistake and returns the exit status. */
int objects_check_profile(const object_options *o, const char *path, const rd_profile *p);
/* Takes a sampling engine, "shards" or "shards:rate=0.01,seed=1", from *engine, which becomes NULL, and
 * sets the sample of `config`. "auto" becomes NULL, too. Without --weight=bytes, or with another
 * engine, nothing changes. Reports a mistake and returns the exit status. */
int objects_take_engine(rd_ctx *ctx, const object_options *o, const char **engine,
                        rd_objects_config *config);
/* Reports a malformed --every. Returns the exit status. */
int objects_check(const object_options *o);
/* Checks that the options fit a trace: reports options that need --weight=bytes if it is missing,
 * and --hist if it is given with --weight=bytes, whose bins are fixed. `hist` is the value of
 * --hist, and `usual` is its default. Returns the exit status. */
int objects_check_trace(const object_options *o, const char *hist, const char *usual);

#endif
