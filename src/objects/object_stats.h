/* Statistics of the objects, which are computed from the table of objects when a profile is made:
 * the distribution of sizes, and how many requests the objects have (popularity). */
#ifndef RDI_OBJECT_STATS_H
#define RDI_OBJECT_STATS_H

#include "objects/objects_state.h"

/* Sets the number of objects, the size classes, n_popularity and has_popularity of `facts`, and the
 * rows of popularity, which must be zeroed. */
void rdi_object_stats(const rd_objects *o, rd_popularity rows[RD_POPULARITY_ROWS],
                      rd_objects_facts *facts);

#endif
