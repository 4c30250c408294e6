/* Queries the locale, the environment and the terminal. See terminal.h. */
#include "terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MIN_WIDTH     40
#define MAX_WIDTH     200

bool terminal_is_utf8(void) {
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0)
        return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

/* Returns COLUMNS if it is set, else the width of the terminal `fd`, but at least MIN_WIDTH and at
 * most MAX_WIDTH. Returns DEFAULT_WIDTH if the width is unknown. */
static unsigned find_width(int fd) {
    long width = 0;
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    if (columns)
        width = strtol(columns, NULL, 10);
    else if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return DEFAULT_WIDTH;
    return (unsigned)(width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width);
}

static bool has_color(int fd) {
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    bool dumb = !term || strcmp(term, "dumb") == 0;
    return isatty(fd) && !dumb && !(no_color && *no_color);
}

static rd_report_style style_of(int fd, bool color, bool ascii) {
    return (rd_report_style){.size = sizeof(rd_report_style),
                             .width = find_width(fd),
                             .color = color,
                             .unicode = !ascii && terminal_is_utf8()};
}

rd_report_style terminal_style(const char *output, bool ascii) {
    bool standard = !output || strcmp(output, "-") == 0;
    return style_of(STDOUT_FILENO, standard && has_color(STDOUT_FILENO), ascii);
}

rd_report_style terminal_style_on_stderr(bool ascii) {
    return style_of(STDERR_FILENO, has_color(STDERR_FILENO), ascii);
}
