/* A program outside this project that uses the installed library. Prints the distances of a trace.
 */
#include <reusedist/reusedist.h>

#include <stdio.h>

int main(void) {
    static const uint64_t trace[] = {1, 2, 3, 2, 1, 1};
    uint64_t distances[6];
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK || rd_engine_open(ctx, "stack", NULL, &e) != RD_OK ||
        rd_engine_feed(e, trace, 6, distances) != RD_OK || rd_engine_finish(e) != RD_OK)
        return 1;
    for (int i = 0; i < 6; i++)
        distances[i] == RD_COLD ? printf("inf ") : printf("%d ", (int)distances[i]);
    rd_engine_close(e);
    rd_ctx_free(ctx);
    printf("\n");
    return 0;
}
