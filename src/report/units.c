/* Formats numbers with units for people. */
#include "base/number.h"
#include "reusedist/report.h"

#include "base/common.h"

#include <math.h>
#include <stdio.h>

#define ROOM 16

/* Prints three significant digits, but no decimal places for a whole number: "32", "4.50", "123". From
 * 1000 to 1023, prints four digits. */
static void print_scaled(char *text, double x, const char *unit) {
    int decimals = x == floor(x) || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    rdi_snprintf(text, ROOM, "%.*f %s", decimals, x, unit);
}

void rd_format_count(double count, char *text) {
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    if (!text)
        return;
    if (count < 9999.5) {
        rdi_snprintf(text, ROOM, "%.0f", count);
        return;
    }
    size_t unit = 0;
    count /= 1000;
    while (count >= 999.5 && unit + 1 < RDI_COUNT(units)) {
        count /= 1000;
        unit++;
    }
    print_scaled(text, count, units[unit]);
}

void rd_format_bytes(double bytes, char *text) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    if (!text)
        return;
    while (bytes >= 1023.5 && unit + 1 < RDI_COUNT(units)) {
        bytes /= 1024;
        unit++;
    }
    print_scaled(text, bytes, units[unit]);
}
