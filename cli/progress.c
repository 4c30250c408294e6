/* Draws the progress bar. See progress.h. */
#include "progress.h"

#include "terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define DRAWS_PER_SECOND 5.0
#define QUIET_SECONDS    0.3 /* seconds before the bar appears */
#define QUIET_BESIDE     1.0 /* seconds before the text beside a program's output appears */
#define BAR_CELLS        20
#define BESIDE_COLUMNS   44 /* width of the text beside a program's output, in columns */
#define BESIDE_LEAST     80 /* minimum width in columns of a terminal that shows this text */

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

void progress_start_beside(progress *p, progress_when when) {
    progress_start(p, when, 0);
    p->beside = true;
    p->next_draw = p->started + QUIET_BESIDE;
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

/* Returns the column at which the text beside a program's output begins, or 0 if there is no room
 * for the text or if the program controls the whole screen. */
static int beside_column(void) {
    struct winsize size;
    struct termios mode;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) /* not a terminal: --progress=always */
        return BESIDE_COLUMNS;
    bool whole = tcgetattr(STDERR_FILENO, &mode) == 0 && !(mode.c_lflag & ICANON);
    return whole || size.ws_col < BESIDE_LEAST ? 0 : size.ws_col - BESIDE_COLUMNS;
}

/* Saves the cursor position, moves to `column` and erases the line from there on. */
static void begin_beside(int column) {
    fprintf(stderr, "\0337\r\033[%dC\033[K", column);
}

static void draw_beside(uint64_t references, double elapsed) {
    char count[16], rate[16];
    int column = beside_column();
    if (column == 0)
        return;
    rd_format_count((double)references, count);
    rd_format_count((double)references / elapsed, rate);
    begin_beside(column);
    fprintf(stderr, "%s references  %s/s  ", count, rate);
    draw_duration(elapsed);
    fputs("\0338", stderr); /* back to the saved position */
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
    if (p->beside)
        draw_beside(references, now - p->started);
    else
        draw(p, bytes_done, references, now - p->started);
}

void progress_wipe(progress *p) {
    if (p->shown && p->beside && beside_column() > 0) {
        begin_beside(beside_column());
        fputs("\0338", stderr);
    } else if (p->shown && !p->beside) {
        fputs("\r\033[K", stderr);
    }
    p->shown = false;
}
