/* Detects the capabilities of the terminal. */
#ifndef RD_TERMINAL_H
#define RD_TERMINAL_H

#include "cli.h"

/* Returns whether the locale's character set is UTF-8. */
bool terminal_is_utf8(void);

/* Returns the style of a report that goes to `output` (NULL and "-": standard output). The width is
 * COLUMNS, or else the width of the terminal, but at least 40 and at most 200; 80 if it is unknown.
 * Colors are used only on a terminal that supports them, and not if NO_COLOR has a value. `ascii`
 * forces ASCII characters. */
rd_report_style terminal_style(const char *output, bool ascii);
/* Returns the style of a report that goes to standard error. */
rd_report_style terminal_style_on_stderr(bool ascii);

#endif
