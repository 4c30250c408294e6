/* Converts numbers to and from text in the C locale. See number.h.
 *
 * uselocale() changes only the locale of the calling thread. For the C locale, newlocale() needs no
 * memory and does not fail, neither in the GNU C library nor in musl.
 */
#define _GNU_SOURCE /* newlocale(), uselocale() */
#include "base/number.h"

#include "reusedist/experimental.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct locales {
    locale_t plain, before;
} locales;

static locales enter_c_locale(void) {
    locales l = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    l.before = uselocale(l.plain);
    return l;
}

static void leave_c_locale(locales l) {
    uselocale(l.before);
    if (l.plain)
        freelocale(l.plain);
}

double rdi_strtod(const char *text, char **end) {
    locales l = enter_c_locale();
    double value = strtod(text, end);
    leave_c_locale(l);
    return value;
}

double rd_strtod(const char *text, char **end) {
    if (text)
        return rdi_strtod(text, end);
    if (end)
        *end = NULL;
    return 0;
}

int rdi_vsnprintf(char *text, size_t room, const char *format, va_list args) {
    locales l = enter_c_locale();
    int n = vsnprintf(text, room, format, args);
    leave_c_locale(l);
    return n;
}

int rdi_snprintf(char *text, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = rdi_vsnprintf(text, room, format, args);
    va_end(args);
    return n;
}
