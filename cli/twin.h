/* run --predict: predicts the profile of a program while it runs, from the beginning of a second,
 * recorded run, the twin (Zhong, Shen, Ding 2009, section 3.5). */
#ifndef RD_TWIN_H
#define RD_TWIN_H

#include "analysis_result.h"
#include "recorder.h"

/* Starts the command without a recorder, and its twin under the recorder with standard streams
 * connected to /dev/null. Predicts the profile as soon as the twin reveals the input size, and
 * stops the twin. Returns the exit status of the command, or of the first failure of the
 * prediction. */
int twin_run(rd_ctx *ctx, const analysis_options *o, recorder_options *what, const char *model,
             int n, char **words);

#endif
