/* The progress bar on stderr: progress, remaining time, references and speed. Beside a running program, it
 * is a text at the right edge of the terminal: references, speed and elapsed time. */
#ifndef RD_PROGRESS_H
#define RD_PROGRESS_H

#include "cli.h"

#define PROGRESS_CHOICES "auto|always|never"
typedef enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when;

typedef struct progress {
    bool on;
    bool shown;       /* true: a line has been drawn and not yet wiped */
    bool unicode;     /* true: the terminal supports block characters */
    bool beside;      /* true: a running program uses the same terminal */
    uint64_t total;   /* bytes of all files, or references of a generator; 0: unknown */
    double started;   /* start time in seconds of the monotonic clock */
    double next_draw; /* earliest time of the next drawing */
} progress;

/* Returns the total size of these files in bytes, or 0 if one of them is not a regular file. "-" is
 * standard input. */
uint64_t progress_total(int n, char **paths);

/* Starts the bar. PROGRESS_AUTO shows it only if stderr is a terminal. */
void progress_start(progress *p, progress_when when, uint64_t total_bytes);
/* Starts the bar for a run in which a program also uses the terminal. The cursor and what the
 * program has written on the left stay as they are, and nothing is drawn while the program controls
 * the whole screen, as editors do. */
void progress_start_beside(progress *p, progress_when when);
/* Redraws the bar at most five times per second, however often the caller calls this function. */
void progress_update(progress *p, uint64_t bytes_done, uint64_t references);
/* Wipes the bar, so that messages and results do not mix with it. */
void progress_wipe(progress *p);

/* Returns the seconds of a monotonic clock. */
double now_seconds(void);

#endif
