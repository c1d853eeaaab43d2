/* Runs one kernel once, plain, with a helper or with prefetches in it, and prints its checksum. */
#define _GNU_SOURCE
#include "kernels.h"
#include "program.h"
#include "strata/roi.h"
#include "topology.h"

#include <getopt.h>
#include <time.h>

static const struct kernel *const kernels[] = {&kernel_sums, &kernel_sparse, &kernel_list,
                                               &kernel_hash};
#define KERNELS (sizeof kernels / sizeof kernels[0])

enum version { VERSION_PLAIN, VERSION_HELPER, VERSION_INLINE };

static const char *const versions[] = {"plain", "helper", "inline", NULL};
static const char *const schemes[] = {"barrier", "bound", NULL};
static const char *const waits[] = {"spin", "pause", "delay", "sleep", "mixed", NULL};
static const char *const touches[] = {"prefetch", "load", NULL};

struct settings {
    const struct kernel *kernel;
    enum version version;
    struct kernel_plan plan;
    struct spr_plan spr;
    bool time, report;
};

static const char usage[] =
    "Usage: spr [options] sums|sparse|list|hash plain|helper|inline\n"
    "  --items N          items of the loop (16384)\n"
    "  --size BYTES       of the data that is read in no order, a power of two (8M)\n"
    "  --work N           rounds of computation with each item (8)\n"
    "  --phase N          items of a phase (64)\n"
    "  --distance N       phases that the helper is ahead (2); dynamic: it follows the time phases "
    "take\n"
    "  --scheme NAME      barrier: both wait for each other; bound: only the helper waits (bound)\n"
    "  --wait NAME        spin, pause, delay, sleep, or mixed: spin, then sleep (delay)\n"
    "  --spins N          reads before a mixed wait sleeps (100)\n"
    "  --touch NAME       the helper's accesses: load or prefetch (load)\n"
    "  --ahead N          items that the inline version is ahead (16)\n"
    "  --processors A,B   of this host, for worker and helper\n"
    "  --time             also print the nanoseconds that the loop took\n"
    "  --report           also print what worker and helper waited for\n"
    "  --topology         print which two processors share a cache, and stop\n";

static void stop(const char *what, const char *value)
{
    fprintf(stderr, "spr: %s: %s\n", what, value);
    exit(2);
}

static size_t parse_number(const char *name, const char *text, size_t least)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (end != text && (*end == 'K' || *end == 'M' || *end == 'G')) {
        number <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
        end++;
    }
    if (end == text || *end != '\0' || text[0] == '-' || number < least || number > UINT32_MAX) {
        stop(name, text);
    }
    return number;
}

static int parse_name(const char *name, const char *text, const char *const *names)
{
    int found = 0;
    while (names[found] != NULL && strcmp(names[found], text) != 0) {
        found++;
    }
    if (names[found] == NULL) {
        stop(name, text);
    }
    return found;
}

static void print_topology(void)
{
    struct topology_pair pair;
    if (topology_find(&pair)) {
        printf("processors %d,%d share level %d of %zu bytes%s\n", pair.first, pair.second,
               pair.level, pair.bytes, pair.siblings ? ", threads of one core" : "");
    } else {
        printf("no two processors share a cache\n");
    }
    exit(0);
}

static void parse_processors(struct spr_plan *plan, const char *text)
{
    char rest;
    if (sscanf(text, "%d,%d%c", &plan->worker, &plan->helper, &rest) != 2 || plan->worker < 0 ||
        plan->helper < 0) {
        stop("--processors", text);
    }
}

static void parse_option(struct settings *settings, int option, const char *value)
{
    struct kernel_plan *plan = &settings->plan;
    struct spr_plan *spr = &settings->spr;
    switch (option) {
    case 'n':
        plan->items = spr->items = parse_number("--items", value, 0);
        break;
    case 'b':
        plan->bytes = parse_number("--size", value, 4096);
        if ((plan->bytes & (plan->bytes - 1)) != 0) {
            stop("--size is no power of two", value);
        }
        break;
    case 'w':
        plan->work = (unsigned)parse_number("--work", value, 0);
        break;
    case 'p':
        spr->phase = parse_number("--phase", value, 1);
        break;
    case 'd':
        spr->dynamic = strcmp(value, "dynamic") == 0;
        spr->distance = spr->dynamic ? 2 : parse_number("--distance", value, 1);
        break;
    case 's':
        spr->scheme = (enum spr_scheme)parse_name("--scheme", value, schemes);
        break;
    case 'W':
        spr->wait = (enum spr_wait)parse_name("--wait", value, waits);
        break;
    case 'S':
        spr->spins = (unsigned)parse_number("--spins", value, 0);
        break;
    case 't':
        plan->loads = parse_name("--touch", value, touches) == 1;
        break;
    case 'a':
        plan->ahead = parse_number("--ahead", value, 0);
        break;
    case 'P':
        parse_processors(spr, value);
        break;
    case 'T':
        settings->time = true;
        break;
    case 'r':
        settings->report = true;
        break;
    case 'y':
        print_topology();
        break;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        fputs("Try --help.\n", stderr);
        exit(2);
    }
}

static struct settings parse(int argc, char **argv)
{
    static const struct option options[] = {{"items", required_argument, NULL, 'n'},
                                            {"size", required_argument, NULL, 'b'},
                                            {"work", required_argument, NULL, 'w'},
                                            {"phase", required_argument, NULL, 'p'},
                                            {"distance", required_argument, NULL, 'd'},
                                            {"scheme", required_argument, NULL, 's'},
                                            {"wait", required_argument, NULL, 'W'},
                                            {"spins", required_argument, NULL, 'S'},
                                            {"touch", required_argument, NULL, 't'},
                                            {"ahead", required_argument, NULL, 'a'},
                                            {"processors", required_argument, NULL, 'P'},
                                            {"time", no_argument, NULL, 'T'},
                                            {"report", no_argument, NULL, 'r'},
                                            {"topology", no_argument, NULL, 'y'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct settings settings = {
        .plan = {.items = 16384, .bytes = 8 << 20, .work = 8, .ahead = 16, .loads = true},
        .spr = {.items = 16384,
                .phase = 64,
                .distance = 2,
                .scheme = SPR_BOUND,
                .wait = SPR_DELAY,
                .spins = 100,
                .worker = -1,
                .helper = -1}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        parse_option(&settings, option, optarg);
    }
    if (argc - optind != 2) {
        fputs(usage, stderr);
        exit(2);
    }
    for (size_t i = 0; i < KERNELS; i++) {
        if (strcmp(kernels[i]->name, argv[optind]) == 0) {
            settings.kernel = kernels[i];
        }
    }
    if (settings.kernel == NULL) {
        stop("no such kernel", argv[optind]);
    }
    settings.version = (enum version)parse_name("no such version", argv[optind + 1], versions);
    return settings;
}

void *kernel_lines(size_t count)
{
    const size_t bytes = count * KERNEL_LINE;
    void *lines = aligned_alloc(KERNEL_LINE, bytes);
    if (lines == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(3);
    }
    return memset(lines, 0, bytes);
}

static struct spr_report work_with_helper(const struct settings *settings, void *data)
{
    const struct kernel *kernel = settings->kernel;
    const struct spr_plan *plan = &settings->spr;
    const size_t phases = spr_phases(plan);
    struct spr_report report;
    struct spr *spr = spr_start(plan, kernel->help, data);
    if (spr == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    for (size_t k = 0; k < phases; k++) {
        const size_t begin = k * plan->phase, left = plan->items - begin;
        spr_enter(spr, k, kernel->live_in != NULL ? kernel->live_in(data) : NULL);
        kernel->work(data, begin, begin + (left < plan->phase ? left : plan->phase));
    }
    spr_stop(spr, &report);
    return report;
}

static struct spr_report run(const struct settings *settings, void *data)
{
    const struct kernel *kernel = settings->kernel;
    const size_t items = settings->plan.items;
    struct spr_report report = {.helped = false};
    switch (settings->version) {
    case VERSION_PLAIN:
        kernel->work(data, 0, items);
        break;
    case VERSION_INLINE:
        kernel->work_inline(data, 0, items);
        break;
    case VERSION_HELPER:
        report = work_with_helper(settings, data);
        break;
    }
    return report;
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const struct settings settings = parse(argc, argv);
    void *data = settings.kernel->make(&settings.plan);
    const int64_t start = nanoseconds();
    STRATA_ROI_BEGIN(); /* the helper's start and end are part of it */
    const struct spr_report report = run(&settings, data);
    STRATA_ROI_END();
    const int64_t end = nanoseconds();
    printf("%s checksum %016" PRIx64 "\n", settings.kernel->name, settings.kernel->digest(data));
    if (settings.report) {
        printf("helper %s, worker waited %zu times, helper %zu, overtaken %zu, distance %zu\n",
               report.helped ? "ran" : "none", report.worker_waits, report.helper_waits,
               report.restarts, report.distance);
    }
    if (settings.time) {
        printf("nanoseconds %" PRId64 "\n", end - start);
    }
    return 0;
}
