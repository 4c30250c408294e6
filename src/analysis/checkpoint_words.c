/* Describes an analysis for its checkpoint: block size, kinds, format and inputs. */
#include "analysis/analysis_state.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* Describes an input by its name. A regular file also gets its size and the time of its last
 * modification, so that a checkpoint is not used after the file has changed. */
static void describe_input(rdi_text *t, const rdi_analysis_input *input) {
    struct stat file;
    rdi_text_printf(t, "%s\n", input->name);
    if (!input->trace && strcmp(input->name, "-") != 0 && stat(input->name, &file) == 0 &&
        S_ISREG(file.st_mode))
        rdi_text_printf(t, "%jd %jd.%ld\n", (intmax_t)file.st_size, (intmax_t)file.st_mtim.tv_sec,
                        file.st_mtim.tv_nsec);
}

char *rdi_checkpoint_words(const rd_analysis *a) {
    const rd_analysis_config *c = &a->config;
    rdi_text t = rdi_text_start(a->ctx);
    char *words = NULL;
    size_t n;
    rdi_text_printf(&t, "%" PRIu64 "\n%" PRIu32 "\n%s\n", c->block, c->kinds,
                    c->format ? c->format : "");
    for (size_t i = 0; i < a->n_inputs; i++)
        describe_input(&t, &a->inputs[i]);
    return rdi_text_take(&t, &words, &n) == RD_OK ? words : NULL;
}
