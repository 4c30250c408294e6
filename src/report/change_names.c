/* Names two profiles in sentences about the change between them. See change.h. */
#include "report/change.h"

#include <stdio.h>
#include <string.h>

void rdi_change_names(const char *const *names, char out[2][RDI_CHANGE_NAME]) {
    for (int whole = 0; whole < 2; whole++) {
        for (int i = 0; i < 2; i++) {
            const char *name = names[i], *slash = strrchr(name, '/');
            if (!whole && slash && slash[1])
                name = slash + 1;
            snprintf(out[i], RDI_CHANGE_NAME, "%.*s", RDI_CHANGE_NAME - 1, name);
            char *end = strstr(out[i], ".json");
            if (!whole && end && end > out[i] && !end[5])
                *end = '\0';
        }
        if (strcmp(out[0], out[1]) != 0)
            return;
    }
}
