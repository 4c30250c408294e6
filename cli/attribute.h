/* Parses --attribute and its related options into the configuration of the library. */
#ifndef RD_ATTRIBUTE_H
#define RD_ATTRIBUTE_H

#include "caches.h"

typedef enum contexts_when { CONTEXTS_ON, CONTEXTS_OFF } contexts_when;

typedef struct attribute_options {
    bool on;
    bool spatial;      /* true: also measure distances in words */
    uint32_t contexts; /* a contexts_when */
    /* Texts of --caches and --machine; NULL: not given. Without both, the caches are this machine's. */
    const char *caches, *machine;
    uint64_t windows; /* maximum number of windows; 0: the default */
    rd_strings own;   /* folders and files of the user's own code; none: all outside of libraries */
    rd_strings objects; /* PATH[@ADDRESS]: program files, for traces that do not name them */
} attribute_options;

/* The configuration and the memory that it points to. */
typedef struct attribute_choice {
    rd_attribution_config config;
    cache_list caches;
    rd_object_file objects[RD_STRINGS_MAX];
    char *paths[RD_STRINGS_MAX];
} attribute_choice;

/* Fills `out`, which must not be copied afterwards, because out->config points into it. Reports a
 * failure and returns the exit status. Call attribute_free() even after a failure. */
int attribute_parse(rd_ctx *ctx, const attribute_options *options, attribute_choice *out);
void attribute_free(attribute_choice *choice);

#endif
