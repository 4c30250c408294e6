/* The progress bar on stderr: progress, speed and remaining time. */
#ifndef RD_PROGRESS_H
#define RD_PROGRESS_H

#include "cli.h"

#define PROGRESS_CHOICES "auto|always|never"
typedef enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when;

typedef struct progress {
    bool on;
    bool shown;       /* a line has been drawn and not wiped yet */
    bool unicode;     /* the terminal supports block characters */
    uint64_t total;   /* bytes of all files; 0: unknown */
    double started;   /* seconds, monotonic */
    double next_draw; /* earliest time of the next drawing */
} progress;

/* Total size of these files in bytes ("-": standard input); 0 if one of them is not a regular file.
 */
uint64_t progress_total(int n, char **paths);

/* PROGRESS_AUTO shows the bar only if stderr is a terminal. */
void progress_start(progress *p, progress_when when, uint64_t total_bytes);
/* Redraws the bar at most five times per second, however often it is called. */
void progress_update(progress *p, uint64_t bytes_done, uint64_t references);
/* Wipes the line, so that messages and results start on an empty line. */
void progress_wipe(progress *p);

/* Seconds of a monotonic clock. */
double now_seconds(void);

#endif
