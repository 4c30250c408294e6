/* Reports of object caches, for profiles with the section "objects". Each function works like the
 * function of reusedist/report.h that calls it, but cache sizes are in bytes. */
#ifndef RDI_REPORT_OBJECTS_H
#define RDI_REPORT_OBJECTS_H

#include "report/paper.h"
#include "reusedist/objects.h"
#include "reusedist/report.h"

#define RDI_OBJECTS_SIZES 65

/* Fills `sizes` with powers of two, from the first that holds the largest object, and that the sample
 * resolves, to the first that has all achievable hits. Returns their number, at most RDI_OBJECTS_SIZES. */
size_t rdi_objects_sizes(const rd_profile *p, uint64_t *sizes);

/* Adds the note that explains the mark *, which sizes below the size of the largest object have. */
void rdi_objects_add_largest(rdi_paper *paper, const rd_profile *p);
/* Says that no requests were counted, in place of a result. */
void rdi_objects_add_nothing(rdi_paper *paper);

rd_status rdi_report_objects_mrc_csv(rd_profile *p, const uint64_t *sizes, size_t n_sizes,
                                     char **text, size_t *n);
rd_status rdi_report_objects_mrc_json(rd_profile *p, const uint64_t *sizes, size_t n_sizes,
                                      char **text, size_t *n);
rd_status rdi_report_objects_mrc_text(rd_profile *p, const rd_report_style *style,
                                      const uint64_t *sizes, size_t n_sizes, char **text,
                                      size_t *n);
rd_status rdi_report_objects_text(rd_profile *p, const rd_report_style *style, char **text,
                                  size_t *n);

#endif
