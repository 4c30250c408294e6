/* Names of regions and places for people. */
#ifndef RDI_REGION_NAMES_H
#define RDI_REGION_NAMES_H

#include "attribution/places.h"

/* Names the data of a region:
 *
 * - an allocation: "function (file:line)" of the first frame in the user's own code, or of the
 *   innermost frame if there is none; only "function" if the line is unknown; "heap" if the
 *   allocation site is unknown
 * - a stack: its thread
 * - static data: the variable, or "other data of" the module outside its variables
 *
 * If the region is an allocation and its site is known, *place becomes the place of the site, with
 * texts in `scratch`; otherwise all fields of *place are 0. The name is in `arena`. */
rd_status rdi_region_name(const rdi_modules *modules, rdi_own own, rdi_arena *arena,
                          rdi_arena *scratch, const rdi_region *region, rdi_place *place,
                          const char **out);

/* Names a place "file:line", by the first frame in the user's own code if there is one, or its
 * function if the line is unknown. */
rd_status rdi_place_name(rdi_arena *arena, const rdi_place *place, const char **out);

#endif
