/* The data of the section "objects", the function that makes it, and functions that read and write values of
 * this section and of similar sections. */
#ifndef RDI_SECTION_OBJECTS_H
#define RDI_SECTION_OBJECTS_H

#include "base/arena.h"
#include "profile/profile_reader.h"
#include "reusedist/objects.h"

/* The data of the section. The first member is the public struct. */
typedef struct rdi_objects_section {
    rd_objects_facts is; /* points into the arena */
    rdi_arena arena;
} rdi_objects_section;

/* ---- rows of popularity (popularity.c) ---- */

/* Adds the objects of `more` to the row that contains more->low, their smallest number of requests. The
 * rows form a scale with a fixed relative width; unused rows have no objects. */
void rdi_popularity_add(rd_popularity rows[RD_POPULARITY_ROWS], const rd_popularity *more);
/* Moves the rows that have objects to the beginning, and returns their number. */
size_t rdi_popularity_pack(rd_popularity rows[RD_POPULARITY_ROWS]);

/* ---- sizes and popularity (popularity.c) ---- */

/* These functions read the values of keys into an rd_size_class[] or an rd_objects_facts. */
void rdi_read_classes(rdi_profile_reader *r, void *field);
void rdi_read_class_bytes(rdi_profile_reader *r, void *field);
void rdi_read_popularity(rdi_profile_reader *r, void *field);
/* Returns a text that says what is wrong with facts that have popularity, or NULL if they are
 * valid. */
const char *rdi_popularity_mistake(const rd_objects_facts *f);
void rdi_put_popularity(rd_json_writer *w, const rd_objects_facts *f);
/* Adds the size classes of `f` to `sum` and its popularity to `rows`. If `f` has no popularity, the
 * sum has none either. */
void rdi_popularity_merge(rd_popularity rows[RD_POPULARITY_ROWS], rd_objects_facts *sum,
                          const rd_objects_facts *f);

/* The largest relative error of a cache size that a sample resolves. With objects of equal size, a cache with a
 * larger error would hold fewer than ten sampled objects. */
#define RDI_SIZE_ERROR_MAX 0.62

/* ---- the whole section (section_objects.c) ---- */

/* These functions read and write an rd_traffic as a JSON object. */
void rdi_read_traffic(rdi_profile_reader *r, void *field);
void rdi_put_traffic(rd_json_writer *w, const char *key, const rd_traffic *t);
/* Reads an array of `n` numbers. Only the last number may have more than 64 bits. */
void rdi_read_row(rdi_json *j, rdi_u128 *out, size_t n);

/* Reads an array of arrays of four numbers, and returns them as structs that consist of four
 * numbers of 64 bits. *n must be 0 before, and becomes the number of structs. */
const void *rdi_read_rows4(rdi_profile_reader *r, size_t *n);

/* Makes a section with a copy of all facts. */
rd_status rdi_objects_section_new(rd_ctx *ctx, const rd_objects_facts *facts,
                                  rdi_objects_section **out);

#endif
