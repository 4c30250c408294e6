/* Makes reusedist(1) and one page per command from the tables of commands, engines, formats and
 * generators. */
#include "man.h"

#include "cli.h"

#include <ctype.h>
#include <string.h>

/* Writes text so that roff prints it unchanged: escapes backslashes, hyphens, and dots and
 * apostrophes at the beginning of a line. */
static void put_text(FILE *out, const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

/* Writes paragraphs and keeps their line breaks, for tables and examples. */
static void put_block(FILE *out, const char *text) {
    fputs(".nf\n", out);
    put_text(out, text);
    if (*text && text[strlen(text) - 1] != '\n')
        fputc('\n', out);
    fputs(".fi\n", out);
}

static void put_tail(FILE *out, const rd_opt *opt) {
    if (opt->choices) {
        fputs(" (", out);
        put_text(out, opt->choices);
        fputc(')', out);
    }
    if (opt->def && (opt->arg || !opt->letter)) {
        fputs(" [", out);
        put_text(out, opt->def);
        fputc(']', out);
    }
    fputc('\n', out);
}

static void put_command_option(FILE *out, const rd_opt *opt) {
    fputs(".TP\n\\fB", out);
    if (opt->letter)
        fprintf(out, "\\-%c\\fR, \\fB", opt->letter);
    fputs("\\-\\-", out);
    put_text(out, opt->name);
    fputs("\\fR", out);
    if (opt->arg) {
        fputs("=\\fI", out);
        put_text(out, opt->arg);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(out, opt->help);
    put_tail(out, opt);
}

/* Writes "reusedist NAME [OPTIONS] OPERANDS". */
static void put_usage(FILE *out, const command *cmd) {
    fprintf(out, "reusedist %s", cmd->name);
    if (cmd->opts)
        fputs(" [OPTIONS]", out);
    if (cmd->operands) {
        fputc(' ', out);
        put_text(out, cmd->operands);
    }
    fputc('\n', out);
}

static void put_command_options(FILE *out, const command *cmd) {
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++)
        put_command_option(out, opt);
}

static void put_command(FILE *out, const command *cmd) {
    fputs(".SS ", out);
    put_usage(out, cmd);
    put_text(out, cmd->summary);
    fputs(".\n", out);
    put_command_options(out, cmd);
    if (cmd->details) {
        fputs(".PP\n", out);
        put_block(out, cmd->details);
    }
}

/* Writes name, summary and key=value options of an engine, format or generator. */
static void put_entry(FILE *out, const char *name, const char *summary, const rd_opt *opts) {
    fputs(".TP\n\\fB", out);
    put_text(out, name);
    fputs("\\fR\n", out);
    put_text(out, summary);
    fputs("\n", out);
    for (const rd_opt *opt = opts; opt && opt->name; opt++) {
        fputs(".br\n\\fI", out);
        put_text(out, opt->name);
        fputs("\\fR= ", out);
        put_text(out, opt->help);
        put_tail(out, opt);
    }
}

static void put_engines(FILE *out) {
    fputs(".SH ENGINES\n", out);
    for (size_t i = 0; rd_engine_info_at(i); i++)
        put_entry(out, rd_engine_info_at(i)->name, rd_engine_info_at(i)->summary,
                  rd_engine_info_at(i)->opts);
}

static void put_formats(FILE *out) {
    fputs(".SH TRACE FORMATS\n", out);
    for (size_t i = 0; rd_format_info_at(i); i++)
        put_entry(out, rd_format_info_at(i)->name, rd_format_info_at(i)->summary,
                  rd_format_info_at(i)->opts);
}

static void put_generators(FILE *out) {
    fputs(".SH GENERATORS\n", out);
    for (size_t i = 0; rd_generator_info_at(i); i++)
        put_entry(out, rd_generator_info_at(i)->name, rd_generator_info_at(i)->summary,
                  rd_generator_info_at(i)->opts);
}

/* Writes the section about the exit status, and the section that lists all other pages. `but` is
 * the command of this page, or NULL for reusedist(1). Commands that run a program return its exit
 * status. */
static void put_end(FILE *out, const command *but) {
    bool records = but && but->operands && strstr(but->operands, "-- COMMAND");
    fputs(".SH EXIT STATUS\n", out);
    fputs(records
              ? "The exit status of COMMAND, or 128 + N if signal N killed it; but 1 if recording "
                "or analysis failed,\nand 2 on a mistake in the command line.\n"
              : "0 on success, 1 on failure, 2 on a mistake in the command line.\n",
          out);
    fputs(".SH SEE ALSO\n", out);
    const char *before = "";
    if (but) {
        fputs(".BR reusedist (1)", out);
        before = ",\n";
    }
    for (size_t i = 0; command_at(i); i++)
        if (command_at(i) != but) {
            fprintf(out, "%s.BR reusedist\\-%s (1)", before, command_at(i)->name);
            before = ",\n";
        }
    fputc('\n', out);
}

void print_man(FILE *out) {
    fprintf(out, ".TH REUSEDIST 1 \"\" \"reusedist %s\"\n", rd_version());
    fputs(".SH NAME\nreusedist \\- measure the reuse distances of programs and predict the misses "
          "of caches\n",
          out);
    fputs(".SH SYNOPSIS\n.B reusedist\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIOPERANDS\\fR]\n", out);
    fputs(".SH DESCRIPTION\n"
          "The reuse distance of a memory reference is the number of distinct other blocks\n"
          "referenced since the previous reference to the same block. A fully associative LRU\n"
          "cache of C blocks hits if and only if the distance is below C.\n"
          "Results go to standard output, messages to standard error. The name \"\\-\" of a\n"
          "trace or profile means standard input.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; command_at(i); i++)
        put_command(out, command_at(i));
    put_engines(out);
    put_formats(out);
    put_generators(out);
    put_end(out, NULL);
}

/* Writes, for the page of a command, the lists of engines, formats or generators that its options
 * refer to, or that the command itself is about. */
static void put_lists(FILE *out, const command *cmd) {
    bool engines = false, formats = false;
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++) {
        engines = engines || strcmp(opt->name, "engine") == 0;
        formats = formats || strcmp(opt->name, "format") == 0 || strcmp(opt->name, "to") == 0;
    }
    if (engines || strcmp(cmd->name, "engines") == 0)
        put_engines(out);
    if (formats || strcmp(cmd->name, "formats") == 0)
        put_formats(out);
    if (strcmp(cmd->name, "generate") == 0)
        put_generators(out);
}

void print_command_man(FILE *out, const command *cmd) {
    fputs(".TH REUSEDIST\\-", out);
    for (const char *c = cmd->name; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fprintf(out, " 1 \"\" \"reusedist %s\"\n", rd_version());
    fprintf(out, ".SH NAME\nreusedist\\-%s \\- ", cmd->name);
    put_text(out, cmd->summary);
    fputs("\n.SH SYNOPSIS\n", out);
    put_usage(out, cmd);
    if (cmd->details) {
        fputs(".SH DESCRIPTION\n", out);
        put_block(out, cmd->details);
    }
    if (cmd->opts)
        fputs(".SH OPTIONS\n", out);
    put_command_options(out, cmd);
    put_lists(out, cmd);
    put_end(out, cmd);
}
