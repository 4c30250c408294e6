/* Texts about the time that misses cost. */
#ifndef RDI_REPORT_MACHINE_H
#define RDI_REPORT_MACHINE_H

#include "base/text.h"
#include "reusedist/machine.h"

#define RDI_CYCLES_ROOM 160

/* Formats the time that some cycles take: "1.25 ms". `text` has room for RDI_FORMAT_ROOM bytes. */
void rdi_format_time(double cycles, double clock_ghz, char *text);
/* Formats a range: "between 1.2 M and 29 M cycles, 210 us to 5.1 ms at 5.7 GHz". `text` has room for
 * RDI_CYCLES_ROOM bytes. */
void rdi_format_cycles(const rd_machine *m, const rd_cycles *c, char *text);
/* Adds the sentence that says what a profile with private stacks does not tell about a machine, and
 * which command does. */
void rdi_say_private_machine(rdi_text *t, const rd_machine *m);

#endif
