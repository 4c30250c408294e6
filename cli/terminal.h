/* What the terminal can show. */
#ifndef RD_TERMINAL_H
#define RD_TERMINAL_H

#include "cli.h"

/* The locale's character set is UTF-8. */
bool terminal_is_utf8(void);

/* For a report that goes to `output` (NULL and "-": standard output). Width: COLUMNS, else the
 * terminal's, else 80. Colour: only on a terminal that understands it, and not with NO_COLOR.
 * `ascii`: plain characters also where there are others. */
rd_report_style terminal_style(const char *output, bool ascii);

#endif
