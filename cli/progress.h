/* The progress bar on stderr: how far, how fast, how long still. */
#ifndef RD_PROGRESS_H
#define RD_PROGRESS_H

#include "cli.h"

#define PROGRESS_CHOICES "auto|always|never"
typedef enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when;

typedef struct progress {
    bool on;
    bool shown;       /* there is a line to wipe */
    bool unicode;     /* the terminal shows block characters */
    uint64_t total;   /* bytes of all files; 0 unknown */
    double started;   /* seconds, monotonic */
    double next_draw; /* not before */
} progress;

/* Bytes of these files together ("-": standard input); 0 when one of them is a pipe or the like. */
uint64_t progress_total(int n, char **paths);

/* auto: only when stderr is a terminal. */
void progress_start(progress *p, progress_when when, uint64_t total_bytes);
/* Call as often as you like: draws at most six times a second. */
void progress_update(progress *p, uint64_t bytes_done, uint64_t references);
/* Wipes the line, so that messages and results start on an empty one. */
void progress_wipe(progress *p);

/* Seconds on a clock that never goes back. */
double now_seconds(void);

#endif
