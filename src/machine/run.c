/* The whole machine at work: Linux, the scheduler and the processor below them run one program. */
#include "machine/run.h"

#include "machine/linux/last_words.h"
#include "machine/linux/signal.h"
#include "machine/linux/sysinfo.h"

void run_process(struct process *process)
{
    signal_host_install(process);
    schedule_loop(&process->schedule);
    signal_host_end(process);
    last_words_run(process);
    if (process->forked) {
        process_leave(process);
    }
    sysinfo_end();
}
