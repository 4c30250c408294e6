/* What the terminal can show. */
#ifndef RD_TERMINAL_H
#define RD_TERMINAL_H

#include <stdbool.h>

/* The locale's character set is UTF-8. */
bool terminal_is_utf8(void);

/* Columns of standard output: COLUMNS, else the terminal's, else 80; between 40 and 200. */
unsigned terminal_width(void);

/* Standard output is a terminal that understands colour, and NO_COLOR is not set. */
bool terminal_has_color(void);

#endif
