/* Sets a locale with a decimal comma when it is preloaded into a program, so that the program acts
 * like one that uses the library and sets a locale. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_comma(void) {
    if (!setlocale(LC_NUMERIC, "comma") || localeconv()->decimal_point[0] != ',') {
        fputs("there is no locale 'comma'; does LOCPATH name its folder?\n", stderr);
        exit(1);
    }
}
