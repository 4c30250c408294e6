/* The state of an engine that the core keeps. engine.c opens, feeds and closes engines; inside.c runs
 * engines on chunks of the trace for other engines. */
#ifndef RDI_ENGINE_STATE_H
#define RDI_ENGINE_STATE_H

#include "engine/core/plugin.h"

#include <time.h>

typedef enum engine_stage { STAGE_FEEDING, STAGE_FINISHED, STAGE_BROKEN } engine_stage;

struct rd_engine {
    const rdi_engine_ops *ops;
    rdi_request request;
    rdi_run run;
    engine_stage stage;
    char *spec;     /* name and option text; string options point into it */
    void *state;    /* the engine's own state */
    void *fresh;    /* copy of the state before open(), which has only the parsed options */
    uint64_t fed;   /* number of references fed so far */
    bool known;     /* true: the caller looks up previous references, see rd_engine_feed_known() */
    uint64_t *dist; /* distances of one batch, for callers that pass no array */
    rd_distance_sink sink;
    void *sink_user;
    struct timespec opened;
};

/* Returns `status` with the message "engine NAME " and `why`. */
rd_status rdi_engine_refuse(const rd_engine *e, rd_status status, const char *why);

#endif
