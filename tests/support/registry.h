/* Functions that find engines in the registry without naming them. */
#ifndef TEST_REGISTRY_H
#define TEST_REGISTRY_H

#include "reusedist/engine.h"

#include <stdbool.h>

/* Returns the name of the engine that all other engines are checked against. */
static inline const char *registry_oracle(void) {
    size_t i = 0;
    while (!(rd_engine_info_at(i)->caps & RD_CAP_ORACLE))
        i++;
    return rd_engine_info_at(i)->name;
}

/* Returns whether testing the engine is useful in this build: ThreadSanitizer checks only engines
 * with threads. */
static inline bool registry_is_worthwhile(const rd_engine_info *info) {
#ifdef __SANITIZE_THREAD__
    return (info->caps & RD_CAP_THREADS) != 0;
#else
    (void)info;
    return true;
#endif
}

#endif
