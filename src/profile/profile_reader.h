/* Reading the profile file: objects by tables of their keys. What profile_read.c and details_read.c
 * share. */
#ifndef RDI_PROFILE_READER_H
#define RDI_PROFILE_READER_H

#include "base/json.h"
#include "profile/details.h"

typedef struct rdi_profile_reader {
    rdi_json j;
    rd_profile_facts facts; /* strings owned */
    rd_source *sources;     /* strings owned */
    size_t n_sources, sources_room;
    rd_peak *peaks;
    size_t n_peaks, peaks_room;
    rdi_json rows; /* the reader where it stood in front of the histogram */
    rd_bin *bins;
    size_t n_bins, bins_room;
    uint64_t finite;      /* references in the bins so far */
    rdi_details *details; /* NULL until one of its keys has come */
} rdi_profile_reader;

/* A key that is understood: how its value is read, and where it goes in the struct at hand. */
typedef struct rdi_json_field {
    const char *key;
    void (*read)(rdi_profile_reader *r, void *field);
    size_t offset;
    bool required;
} rdi_json_field;

/* Reads an object into `base`. Unknown keys are left to later releases; none may come twice. */
void rdi_read_object(rdi_profile_reader *r, const rdi_json_field *fields, void *base);

void rdi_read_u64(rdi_profile_reader *r, void *field);
/* null stands for RD_UNKNOWN, and nothing else does. */
void rdi_read_u64_or_unknown(rdi_profile_reader *r, void *field);
/* null stands for 0, and nothing else does. */
void rdi_read_positive_or_none(rdi_profile_reader *r, void *field);
/* null is what the writer makes of infinity: nothing is known. */
void rdi_read_double(rdi_profile_reader *r, void *field);

/* The optional keys; `field` is not used. Indexes are checked when all is read. */
void rdi_read_levels(rdi_profile_reader *r, void *field);
void rdi_read_attribution(rdi_profile_reader *r, void *field);
void rdi_read_windows(rdi_profile_reader *r, void *field);
void rdi_read_spatial(rdi_profile_reader *r, void *field);
/* Once everything is read: what is wrong with the optional keys, or NULL. */
const char *rdi_read_details_mistake(const rdi_profile_reader *r);

#endif
