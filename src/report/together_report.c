/* What is told of several programs on one processor: how fast each is, beside the others and alone. */
#include "report/together_report.h"

#include "base/say.h"
#include "machine/schedule/together.h"
#include "machine/state/statistics.h"

#include <inttypes.h>
#include <stdio.h>

static void report_figure(struct statistics *s, const char *key, bool known, double value)
{
    if (known) {
        s->ratio(s, key, value);
    } else {
        s->nothing(s, key);
    }
}

static void report_program(struct statistics *s, const struct together *together, unsigned number)
{
    const struct together_program *program = &together->programs[number];
    double ipc = 0, alone = 0;
    const bool known = together_speeds(together, number, &ipc, &alone);
    s->begin(s, NULL);
    s->text(s, "path", program->path);
    s->number(s, "context", number);
    if (program->exit_signal != 0) {
        s->nothing(s, "exit_status");
        s->number(s, "signal", (uint64_t)program->exit_signal);
    } else {
        s->number(s, "exit_status", (uint64_t)program->exit_status);
        s->nothing(s, "signal");
    }
    s->number(s, "instructions", program->progress.instructions);
    s->number(s, "cycles", program->progress.cycles);
    report_figure(s, "ipc", known, ipc);
    report_figure(s, "ipc_alone", known, alone);
    report_figure(s, "speedup", known, known ? ipc / alone : 0);
    s->end(s);
}

void together_report(const struct together *together, struct statistics *s)
{
    if (together == NULL) {
        return;
    }
    s->begin_list(s, "programs");
    for (unsigned i = 0; i < together->count; i++) {
        report_program(s, together, i);
    }
    s->end(s);
    struct together_figures figures;
    const bool known = together_measure(together, &figures);
    s->begin(s, "together");
    s->number(s, "cycles", together->cycles);
    report_figure(s, "weighted_speedup", known, known ? figures.weighted_speedup : 0);
    report_figure(s, "harmonic_speedup", known, known ? figures.harmonic_speedup : 0);
    report_figure(s, "fairness", known, known ? figures.fairness : 0);
    s->end(s);
}

static void print_figure(bool known, double value)
{
    if (known) {
        fprintf(stderr, " %7.3f", value);
    } else {
        say(stderr, " %7s", "-");
    }
}

void together_report_print(const struct together *together)
{
    if (together == NULL) {
        return;
    }
    fprintf(stderr, "\n  programs together, until the first one ended: %" PRIu64 " cycles\n",
            together->cycles);
    say(stderr, "%15s %15s %7s %7s %7s %7s  %s\n", "instructions", "cycles", "ipc", "alone",
        "ratio", "context", "program");
    for (unsigned i = 0; i < together->count; i++) {
        const struct together_program *program = &together->programs[i];
        const struct progress *progress = &program->progress;
        double ipc = 0, alone = 0;
        const bool known = together_speeds(together, i, &ipc, &alone);
        fprintf(stderr, "%15" PRIu64 " %15" PRIu64, progress->instructions, progress->cycles);
        print_figure(progress->cycles > 0,
                     (double)progress->instructions / (double)progress->cycles);
        print_figure(known, alone);
        print_figure(known, ipc / alone);
        say(stderr, " %7u  %s\n", i, program->path);
    }
    struct together_figures figures;
    if (together_measure(together, &figures)) {
        fprintf(stderr, "  weighted speedup %.3f, harmonic mean %.3f, fairness %.3f\n",
                figures.weighted_speedup, figures.harmonic_speedup, figures.fairness);
    }
}
