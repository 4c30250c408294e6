/* Adds code, data, phases and the use of blocks to a text report. */
#ifndef RDI_REPORT_DETAILS_H
#define RDI_REPORT_DETAILS_H

#include "report/paper.h"
#include "reusedist/attribution.h"

/* Adds tables and sentences about the details of the profile. Adds nothing if the profile has no
 * attribution or no references. */
void rdi_report_details(rdi_paper *paper, const rd_profile *p);

/* ---- names, which other files of the report use as well ---- */

#define RDI_LABEL_ROOM 1024 /* bytes of `label` in the functions below */

/* Makes "file.c:14 function", and adds the library function that made the references if the profile names it. If the
 * file is unknown, makes "function in module" or only "function". The function is "(others)" for entries that are not
 * listed. */
void rdi_name_line(const rd_attribution *a, size_t index, char *label);
/* Makes "file.c:14", or the text of rdi_name_line() if the file is unknown. */
void rdi_name_place(const rd_attribution *a, size_t index, char *label);
/* Makes the name of a data region, and the text of its size, which stays as it is if the size is
 * unknown. */
void rdi_name_data(const rd_data_region *data, char *label, char size[16]);
/* Adds sentences about code without names or lines: modules without debug information, code outside
 * of all modules, and scripts. (unknown_code.c) */
void rdi_say_unknown_code(const rd_details *d, rdi_text *words);
/* Adds the sentences of rdi_say_unknown_code() as a paragraph of their own, with escaped control characters. */
void rdi_paper_unknown_code(rdi_paper *paper, const rd_details *d);
/* Adds a label. If it has more than `width` columns, the functions lose their scopes, and then dots replace
 * the middle. If `fill` is true, a shorter label is padded to `width` columns. Returns the number of columns of
 * the label without the padding. (label.c) */
unsigned rdi_paper_label(rdi_paper *paper, const char *label, unsigned width, bool fill);

/* Adds a text without the scopes of its functions: "get, in compare" for "billing::Index<...>::get, in
 * std::string::compare". (label.c) */
void rdi_text_without_scopes(rdi_text *out, const char *text);

#endif
