/* Adds up what the processes of one run have counted, each when it ends.
 *
 * They all have a file in memory open, to which each appends its numbers in one
 * write, so that none waits for another.  The first process reads them. */
#include "translator/host/output.h"
#include "translator/tell/report.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>

/* Read at a time. */
#define RECORDS 16

int64_t processes_open(void)
{
    const int64_t fd = host_call(__NR_memfd_create, "strata-processes", (long)MFD_CLOEXEC);

    if (host_is_error(fd)) {
        return OUTPUT_NONE;
    }
    host_call(__NR_fcntl, fd, (long)F_SETFL, (long)O_APPEND);
    return host_move_up(fd);
}

/* All members are words; taking back wraps around, as adding does. */
#define WORDS (sizeof(struct process_totals) / sizeof(uint64_t))
union record {
    struct process_totals totals;
    uint64_t words[WORDS];
};

void processes_add(const struct translator *translator, bool back)
{
    union record record = {.totals = {1, translator->statistics}};

    for (unsigned i = 0; back && i < WORDS; i++) {
        record.words[i] = -record.words[i];
    }
    if (translator->reports.records_fd != OUTPUT_NONE) {
        host_call(__NR_write, translator->reports.records_fd, &record, sizeof record);
    }
}

struct process_totals processes_get(const struct translator *translator)
{
    union record sum = {.totals = {1, translator->statistics}};
    union record records[RECORDS];
    int64_t offset = 0;

    for (;;) {
        const int64_t got = host_call(__NR_pread64, translator->reports.records_fd, records,
                                      sizeof records, offset);
        if (host_is_error(got) || (size_t)got < sizeof records[0]) {
            return sum.totals;
        }
        const size_t count = (size_t)got / sizeof records[0];
        for (size_t i = 0; i < count; i++) {
            for (unsigned word = 0; word < WORDS; word++) {
                sum.words[word] += records[i].words[word];
            }
        }
        offset += (int64_t)(count * sizeof records[0]);
    }
}
