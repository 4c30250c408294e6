/* The program `reusedist`: finds the command, parses its options and runs it. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const char program_name[] = "reusedist";

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND

static const command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

const command *command_at(size_t index) {
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const command *command_find(const char *name) {
    if (strcmp(name, "analyse") == 0) /* the British spelling is accepted, too */
        name = "analyze";
    for (size_t i = 0; command_at(i); i++)
        if (strcmp(command_at(i)->name, name) == 0)
            return command_at(i);
    return NULL;
}

int fail_unknown_command(const char *name) {
    char room[RD_SUGGESTION_ROOM];
    rd_suggestion close = rd_suggest(name, strlen(name));
    for (size_t i = 0; command_at(i); i++)
        rd_suggest_offer(&close, command_at(i)->name, strlen(command_at(i)->name));
    rd_suggest_text(&close, "", room);
    return fail_usage("unknown command '%s'%s%s 'reusedist help' lists all commands", name, room,
                      *room ? "" : ";");
}

static int run_command(rd_ctx *ctx, const command *cmd, int argc, char **argv) {
    void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
    if (!opts)
        return fail("out of memory");
    int status = EXIT_USAGE;
    if (parse_args(ctx, cmd, opts, &argc, argv)) {
        if (argc < cmd->min_operands || (cmd->max_operands >= 0 && argc > cmd->max_operands)) {
            fail_usage("%s: %s", cmd->name,
                       argc < cmd->min_operands ? "operands are missing"
                                                : "there are too many operands");
            print_usage(stderr, cmd);
        } else {
            status = cmd->run(ctx, opts, argc, argv);
        }
    }
    free(opts);
    return status;
}

static int dispatch(rd_ctx *ctx, int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const command *cmd = command_find(name);
    if (!cmd)
        return fail_unknown_command(name);
    if (asks_for_help(argc - 2, argv + 2)) {
        print_command_help(stdout, cmd);
        return EXIT_OK;
    }
    return run_command(ctx, cmd, argc > 1 ? argc - 2 : 0, argv + (argc > 1 ? 2 : 1));
}

/* Serves rank 0. Every rank of reusedist-mpi except rank 0 runs only this function. */
static int serve(rd_ctx *ctx, rd_cluster *cluster) {
    if (rd_analysis_serve(cluster) == RD_OK)
        return EXIT_OK;
    return fail("rank %u: %s", rd_cluster_rank(cluster), rd_last_error(ctx));
}

int main(int argc, char **argv) {
    program_begin();
    rd_ctx *ctx;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return fail("out of memory");
    rd_cluster *cluster = NULL;
    rd_status joined = rd_cluster_join(ctx, &cluster);
    if (joined != RD_OK)
        return fail_status(ctx, joined);
    int status = rd_cluster_rank(cluster) ? serve(ctx, cluster) : dispatch(ctx, argc, argv);
    status = program_end(status);
    rd_cluster_leave(cluster);
    rd_ctx_free(ctx);
    return status;
}
