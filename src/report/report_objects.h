/* Reports of object caches, for profiles with the section "objects". Each function works like the one
 * of reusedist/report.h that calls it; cache sizes are in bytes. */
#ifndef RDI_REPORT_OBJECTS_H
#define RDI_REPORT_OBJECTS_H

#include "reusedist/objects.h"
#include "reusedist/report.h"

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
