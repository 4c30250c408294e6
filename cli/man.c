/* reusedist(1) from the command, engine, format and generator tables. */
#include "man.h"

#include "cli.h"

#include <string.h>

/* Text with what roff would take as commands made harmless. */
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

/* Paragraphs whose line breaks matter (tables, examples). */
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

static void put_command(FILE *out, const command *cmd) {
    fprintf(out, ".SS reusedist %s", cmd->name);
    if (cmd->opts)
        fputs(" [OPTIONS]", out);
    if (cmd->operands) {
        fputc(' ', out);
        put_text(out, cmd->operands);
    }
    fputc('\n', out);
    put_text(out, cmd->summary);
    fputs(".\n", out);
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++)
        put_command_option(out, opt);
    if (cmd->details) {
        fputs(".PP\n", out);
        put_block(out, cmd->details);
    }
}

/* One engine, format or generator: name, summary, key=value options. */
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

void print_man(FILE *out) {
    fprintf(out, ".TH REUSEDIST 1 \"\" \"reusedist %s\"\n", rd_version());
    fputs(".SH NAME\nreusedist \\- measure reuse distances and what another cache would do\n", out);
    fputs(".SH SYNOPSIS\n.B reusedist\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIOPERANDS\\fR]\n", out);
    fputs(
        ".SH DESCRIPTION\n"
        "The reuse distance of a memory reference is the number of distinct other blocks\n"
        "referenced since the previous reference to the same block. A fully associative LRU\n"
        "cache of C blocks hits if and only if the distance is below C.\n"
        "Results go to standard output, messages to standard error. Every input may be \"\\-\".\n",
        out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; command_at(i); i++)
        put_command(out, command_at(i));
    fputs(".SH ENGINES\n", out);
    for (size_t i = 0; rd_engine_info_at(i); i++)
        put_entry(out, rd_engine_info_at(i)->name, rd_engine_info_at(i)->summary,
                  rd_engine_info_at(i)->opts);
    fputs(".SH TRACE FORMATS\n", out);
    for (size_t i = 0; rd_format_info_at(i); i++)
        put_entry(out, rd_format_info_at(i)->name, rd_format_info_at(i)->summary,
                  rd_format_info_at(i)->opts);
    fputs(".SH GENERATORS\n", out);
    for (size_t i = 0; rd_generator_info_at(i); i++)
        put_entry(out, rd_generator_info_at(i)->name, rd_generator_info_at(i)->summary,
                  rd_generator_info_at(i)->opts);
    fputs(".SH EXIT STATUS\n0 on success, 1 on failure, 2 on a mistake in the command line.\n",
          out);
}
