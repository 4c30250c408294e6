/* Declares the state that the core keeps for an engine. engine.c opens, feeds and closes engines;
 * inside.c runs engines on chunks or samples of the trace for other engines. */
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
    void *fresh;    /* copy of the state as it was before open(), with only the parsed options */
    uint64_t fed;   /* number of references fed so far */
    bool parts;     /* true: the caller has called rd_engine_feed_parts() */
    bool known;     /* true: the caller has called rd_engine_feed_known() or rd_engine_prefill() */
    uint64_t *dist; /* distances of one batch, for callers that pass no array */
    rd_distance_sink sink;
    void *sink_user;
    struct timespec opened;
};

/* Makes the message "engine NAME WHY", with the name of the engine and the text `why`, and returns
 * `status`. */
rd_status rdi_engine_refuse(const rd_engine *e, rd_status status, const char *why);

#endif
