/* Preloaded into a program, this sets a locale with a decimal comma, as programs do that use the library. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_comma(void) {
    if (!setlocale(LC_NUMERIC, "comma") || localeconv()->decimal_point[0] != ',') {
        fputs("there is no locale 'comma'; does LOCPATH name its folder?\n", stderr);
        exit(1);
    }
}
