/* run --predict: the profile of a program while it runs, predicted from the beginning of an
 * instrumented twin (Zhong, Shen, Ding 2009, section 3.5). */
#ifndef RD_TWIN_H
#define RD_TWIN_H

#include "analysis_result.h"
#include "recorder.h"

/* Starts the command untouched, and its twin beside it, which reads and prints nothing; predicts as
 * soon as the twin has shown the input size, and stops the twin. Returns the exit status of the
 * program, unless we failed. */
int twin_run(rd_ctx *ctx, const analysis_options *o, recorder_options *what, const char *model,
             int n, char **words);

#endif
