/* --attribute and what goes with it, from words to what the library takes. */
#ifndef RD_ATTRIBUTE_H
#define RD_ATTRIBUTE_H

#include "caches.h"

typedef struct attribute_options {
    bool on;
    bool spatial;       /* also the profile in words */
    const char *caches; /* --caches; NULL: those of this machine */
    uint64_t windows;   /* at most; 0: the default */
    rd_strings objects; /* PATH[@ADDRESS]: files of the program, for traces that do not tell */
} attribute_options;

/* The configuration, and what it points to. */
typedef struct attribute_choice {
    rd_attribution_config config;
    cache_list caches;
    rd_object_file objects[RD_STRINGS_MAX];
    char *paths[RD_STRINGS_MAX];
} attribute_choice;

/* Fills `out`, which must stay where it is. Returns the exit status, a mistake having been
 * reported. attribute_free() in any case. */
int attribute_parse(rd_ctx *ctx, const attribute_options *options, attribute_choice *out);
void attribute_free(attribute_choice *choice);

#endif
