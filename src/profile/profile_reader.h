/* Functions that read JSON objects according to tables of their keys. profile_read.c and the
 * sections use them. */
#ifndef RDI_PROFILE_READER_H
#define RDI_PROFILE_READER_H

#include "base/arena.h"
#include "base/json.h"
#include "profile/sections.h"

struct rdi_profile_reader {
    rdi_json j;
    rd_profile_facts facts; /* owns its strings */
    rd_source *sources;     /* owns its strings */
    size_t n_sources, sources_room;
    rdi_json rows; /* state of the JSON reader at the beginning of the histogram */
    rd_bin *bins;
    size_t n_bins, bins_room;
    uint64_t finite; /* number of references in the bins read so far */
    rdi_sections sections;
    uint32_t sections_seen; /* one bit per section of sections.def */
    rdi_arena *arena;       /* arena of the section that is read now */
    char note[512];         /* message that names the skipped keys; "": none */
};

/* A known key: the function that reads its value, and the offset of the value in a struct. */
typedef struct rdi_json_field {
    const char *key;
    void (*read)(rdi_profile_reader *r, void *field);
    size_t offset;
    bool required;
} rdi_json_field;

/* Reads an object into `base`. Unknown keys are skipped. A known key must not occur twice, and a
 * required key must occur. */
void rdi_read_object(rdi_profile_reader *r, const rdi_json_field *fields, void *base);
/* Works like rdi_read_object(), but calls `other`, which must read or skip the value, for a key
 * that is not in `fields`. */
void rdi_read_object_with(rdi_profile_reader *r, const rdi_json_field *fields, void *base,
                          void (*other)(rdi_profile_reader *r, const char *key));

void rdi_read_u64(rdi_profile_reader *r, void *field);
/* Reads a number; null becomes RD_UNKNOWN. */
void rdi_read_u64_or_unknown(rdi_profile_reader *r, void *field);
/* Reads a positive number; null becomes 0. */
void rdi_read_positive_or_none(rdi_profile_reader *r, void *field);
/* Reads a number that is not negative; null, which the writer writes for infinity, becomes 0. */
void rdi_read_double(rdi_profile_reader *r, void *field);
/* Reads a number below 2^128 into an rd_sum. */
void rdi_read_sum(rdi_profile_reader *r, void *field);
/* Reads a number below 2^32 - 1 into a size_t; rdi_read_index_or_none() also accepts null, which
 * becomes RD_NO_INDEX. */
void rdi_read_index(rdi_profile_reader *r, void *field);
void rdi_read_index_or_none(rdi_profile_reader *r, void *field);
/* Reads an array with one number per level, at most RD_LEVELS_MAX. */
void rdi_read_misses(rdi_profile_reader *r, void *field);

/* The functions below, except rdi_count_items(), allocate in r->arena. The functions that read an
 * array count its items first. */

/* Allocates n zeroed items of `size` bytes each. If there is not enough memory, returns NULL and
 * sets r->j.status. */
void *rdi_read_take(rdi_profile_reader *r, size_t n, size_t size);
/* Returns the number of items in the array at `at`. The position of `at` does not change. */
size_t rdi_count_items(const rdi_json *at);
/* Reads an array of objects into an array *out of structs of `size` bytes each. *n must be 0 before
 * the call, and becomes the number of objects. */
void rdi_read_list(rdi_profile_reader *r, const rdi_json_field *fields, size_t size,
                   const void **out, size_t *n);
/* rdi_read_text() and rdi_read_needed_text() read a string into a const char *, which must be NULL
 * before the call. If the value is null, rdi_read_text() leaves the pointer NULL, and
 * rdi_read_needed_text() fails. rdi_read_texts() reads an array of strings; *n must be 0 before the
 * call, and becomes the number of strings. */
void rdi_read_text(rdi_profile_reader *r, void *field);
void rdi_read_needed_text(rdi_profile_reader *r, void *field);
void rdi_read_texts(rdi_profile_reader *r, const char *const **out, size_t *n);

#endif
