/* What is told of several programs on one processor. */
#ifndef STRATA_REPORT_TOGETHER_REPORT_H
#define STRATA_REPORT_TOGETHER_REPORT_H

struct statistics;
struct together;

/* `programs` and `together` of the pipeline; nothing if there is but one program (NULL). */
void together_report(const struct together *together, struct statistics *statistics);
/* To standard error: what programs did together, as lines of the summary. */
void together_report_print(const struct together *together);

#endif
