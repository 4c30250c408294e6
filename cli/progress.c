/* Draws the progress bar. See progress.h. */
#include "progress.h"

#include "terminal.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DRAWS_PER_SECOND 5.0
#define QUIET_SECONDS    0.3 /* shorter runs show no bar */
#define BAR_CELLS        20

double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(progress *p, progress_when when, uint64_t total_bytes) {
    *p = (progress){.total = total_bytes, .started = now_seconds()};
    p->on = when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && isatty(STDERR_FILENO));
    p->unicode = terminal_is_utf8();
    p->next_draw = p->started + QUIET_SECONDS;
}

uint64_t progress_total(int n, char **paths) {
    uint64_t total = 0;
    for (int i = 0; i < n; i++) {
        struct stat st;
        bool standard = strcmp(paths[i], "-") == 0;
        if ((standard ? fstat(STDIN_FILENO, &st) : stat(paths[i], &st)) != 0 ||
            !S_ISREG(st.st_mode))
            return 0;
        total += (uint64_t)st.st_size;
    }
    return total;
}

static void draw_bar(const progress *p, double share) {
    int full = (int)(share * BAR_CELLS);
    for (int i = 0; i < BAR_CELLS; i++)
        fputs(i < full ? (p->unicode ? "\u2588" : "#") : (p->unicode ? "\u2591" : "."), stderr);
}

/* Draws "0:07" or "1:02:03". */
static void draw_duration(double seconds) {
    unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000;
    if (whole >= 3600)
        fprintf(stderr, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        fprintf(stderr, "%lu:%02lu", whole / 60, whole % 60);
}

static void draw(const progress *p, uint64_t bytes, uint64_t references, double elapsed) {
    char count[16], rate[16];
    rd_format_count((double)references, count);
    rd_format_count((double)references / elapsed, rate);
    fputs("\r\033[K", stderr);
    if (p->total) {
        double share = bytes < p->total ? (double)bytes / (double)p->total : 1;
        draw_bar(p, share);
        fprintf(stderr, " %3.0f %%  ", share * 100);
        if (bytes) {
            draw_duration(elapsed * (1 - share) / share);
            fputs(" left  ", stderr);
        }
    }
    fprintf(stderr, "%s references  %s/s", count, rate);
    fflush(stderr);
}

void progress_update(progress *p, uint64_t bytes_done, uint64_t references) {
    if (!p->on)
        return;
    double now = now_seconds();
    if (now < p->next_draw)
        return;
    p->next_draw = now + 1 / DRAWS_PER_SECOND;
    p->shown = true;
    draw(p, bytes_done, references, now - p->started);
}

void progress_wipe(progress *p) {
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
