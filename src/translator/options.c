/* Reads the translator's own options from a table, and prints help from the same table. */
#include "translator/options.h"

#include "translator/detect/detectors.h"
#include "translator/detect/regions.h"
#include "translator/fragment/effort.h"
#include "translator/fragment/lookups.h"

#include "base/number.h"
#include "base/text.h"

#define PAGE_BYTES 4096
#define MAX_LOSS_DEFAULT 2
/* What a target can spend exactly, if it is not 0. */
#define BUILDER_COST_MIN 6
#define BUILDER_COST_MAX 1000000000
#define LOOKUP_BITS_ASKED 16 /* more than that cannot be asked for */

static bool equals(const char *text, const char *name)
{
    while (*name != '\0' && *text == *name) {
        text++;
        name++;
    }
    return *text == *name;
}

/* Each takes a value and returns NULL, or says what was expected. */
static const char *take_cache(struct options *options, const char *value)
{
    uint64_t bytes;

    if (!number_read(value, NUMBER_SIZE, CACHE_BYTES_MIN, CACHE_BYTES_MAX, &bytes)) {
        return ": expected a size from 64K to 1G";
    }
    options->cache_bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    options->cache_fixed = true;
    return NULL;
}

static const char *take_no_link(struct options *options, const char *value)
{
    (void)value;
    options->link = false;
    return NULL;
}

static const char *take_tell_traces(struct options *options, const char *value)
{
    (void)value;
    options->tells_traces = true;
    return NULL;
}

static const char *take_no_follow(struct options *options, const char *value)
{
    (void)value;
    options->follow = false;
    return NULL;
}

static const char *take_no_follow_exec(struct options *options, const char *value)
{
    (void)value;
    options->follow_exec = false;
    return NULL;
}

static const char *take_code_changes(struct options *options, const char *value)
{
    if (equals(value, "told")) {
        options->code_changes = CHANGES_TOLD;
    } else if (equals(value, "protect")) {
        options->code_changes = CHANGES_PROTECT;
    } else {
        return ": expected told or protect";
    }
    return NULL;
}

static const char *take_evicted(struct options *options, const char *value)
{
    options->evicted_again = equals(value, "again");
    return options->evicted_again || equals(value, "forget") ? NULL : ": expected forget or again";
}

static const char *take_argv0(struct options *options, const char *value)
{
    options->argv0 = value;
    return NULL;
}

static const char *take_execfn(struct options *options, const char *value)
{
    options->execfn = value;
    return NULL;
}

/* A number with a comma or nothing behind it; one that does not fit becomes another. */
static bool parse_item(const char **text, int *item)
{
    const char *at = *text;
    const bool negative = *at == '-';
    uint32_t value = 0;

    at += negative;
    if (*at < '0' || *at > '9') {
        return false;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (uint32_t)(*at - '0');
    }
    *item = (int)(negative ? 0 - value : value);
    *text = at + (*at == ',');
    return *at == ',' || *at == '\0';
}

static const char *take_inherit(struct options *options, const char *value)
{
    struct inherited *inherited = &options->inherited;
    const char *at = value;

    return parse_item(&at, &inherited->first) && parse_item(&at, &inherited->records_fd) &&
                   parse_item(&at, &inherited->program_fd) && *at == '\0'
               ? NULL
               : ": expected a process and two descriptors";
}

/* The index of the name that `value` is, or `count`. */
static unsigned find_name(const char *const *names, unsigned count, const char *value)
{
    unsigned i = 0;

    while (i < count && !equals(value, names[i])) {
        i++;
    }
    return i;
}

static const char *take_indirect(struct options *options, const char *value)
{
    static const char *const names[] = {"sieve", "ibtc", "builder"};
    const unsigned count = sizeof names / sizeof names[0];

    options->indirect = (enum indirect)find_name(names, count, value);
    return (unsigned)options->indirect < count ? NULL : ": expected sieve, ibtc or builder";
}

static const char *take_returns(struct options *options, const char *value)
{
    static const char *const names[] = {"cache", "ib", "fast"};
    const unsigned count = sizeof names / sizeof names[0];

    options->returns = (enum returns)find_name(names, count, value);
    return (unsigned)options->returns < count ? NULL : ": expected cache, ib or fast";
}

static const char *take_lookup_entries(struct options *options, const char *value)
{
    uint64_t entries;

    if (number_read(value, NUMBER_SIZE, 0, UINT64_MAX, &entries)) {
        for (unsigned bits = LOOKUP_BITS_MIN; bits <= LOOKUP_BITS_ASKED; bits++) {
            if (entries == UINT64_C(1) << bits) {
                options->lookup_bits = bits;
                options->lookup_fixed = true;
                return NULL;
            }
        }
    }
    return ": expected a power of two from 16 to 64K";
}

static const char *take_counters(struct options *options, const char *value)
{
    static const char *const names[] = {
#define COUNTERS(id, name) name,
#include "translator/fragment/counters.def"
#undef COUNTERS
    };
    const unsigned count = sizeof names / sizeof names[0];

    options->counters = (enum counters)find_name(names, count, value);
    return (unsigned)options->counters < count
               ? NULL
               : ": expected auto, hw, sw, sw-exact, sw-paper, sw-paper-taken or off";
}

static const char placements_expected[] = ": expected one of these:"
#define PLACEMENT(id, name, ways, backward, built, all) " " name
#include "translator/fragment/placement.def"
#undef PLACEMENT
    ;

static const char *take_placement(struct options *options, const char *value)
{
    static const char *const names[] = {
#define PLACEMENT(id, name, ways, backward, built, all) name,
#include "translator/fragment/placement.def"
#undef PLACEMENT
    };
    const unsigned count = sizeof names / sizeof names[0];

    options->placement = (enum placement)find_name(names, count, value);
    return (unsigned)options->placement < count ? NULL : placements_expected;
}

static const char *take_threshold(struct options *options, const char *value)
{
    options->threshold_rule = threshold_find_rule(value);
    options->threshold_name = value;
    options->threshold_given = options->threshold_rule == NULL;
    if (options->threshold_rule != NULL ||
        number_read(value, NUMBER_COUNT, 0, UINT32_MAX, &options->threshold)) {
        return NULL;
    }
    host_fail(
        STATUS_FAILED, "--threshold ", value,
        ": expected a number from 0 to 4294967295, or one of these rules: ", threshold_rules + 2);
}

static const char *take_detector(struct options *options, const char *value)
{
    const char *known;

    options->detector_name = value;
    options->detector = detector_find(value, &known);
    if (options->detector == NULL) {
        host_fail(STATUS_FAILED, "--detector ", value, ": there is no such detector; there are ",
                  known);
    }
    return NULL;
}

static const char *take_region(struct options *options, const char *value)
{
    return regions_take(&options->regions, value);
}

static const char *take_max_loss(struct options *options, const char *value)
{
    char digits[4] = {0};
    unsigned length = 0;

    while (value[length] != '\0' && value[length] != '%' && length < sizeof digits - 1) {
        digits[length] = value[length];
        length++;
    }
    const bool ends = value[length] == '\0' || (value[length] == '%' && value[length + 1] == '\0');
    return ends && number_read(digits, NUMBER_COUNT, 0, 100, &options->max_loss)
               ? NULL
               : ": expected a share from 0% to 100%";
}

static const struct {
    char name[12];
    unsigned passes;
} pass_names[] = {
    {"all", PASSES_ALL},
    {"traces", 0},
#define PASS(id, name, all, help) {name, 1u << PASS_##id},
#include "translator/passes/passes.def"
#undef PASS
};

static const char passes_expected[] = ": expected none, or a list of all, traces"
#define PASS(id, name, all, help) ", " name
#include "translator/passes/passes.def"
#undef PASS
                                      "; -NAME takes one out";

/* One name of the list; moves *list behind it.  False if there is no such pass. */
static bool take_pass(struct options *options, const char **list)
{
    const bool out = **list == '-';
    const char *const name = *list + out;
    unsigned length = 0;

    while (name[length] != '\0' && name[length] != ',') {
        length++;
    }
    *list = name + length;
    for (unsigned i = 0; i < sizeof pass_names / sizeof pass_names[0]; i++) {
        const char *known = pass_names[i].name;
        unsigned same = 0;
        while (same < length && known[same] == name[same]) {
            same++;
        }
        if (same == length && known[same] == '\0') {
            options->passes = out ? options->passes & ~pass_names[i].passes
                                  : options->passes | pass_names[i].passes;
            return true;
        }
    }
    return false;
}

static const char *take_opt(struct options *options, const char *value)
{
    options->opt_given = true;
    options->traces = true;
    options->passes = 0;
    if (equals(value, "none")) {
        options->traces = false;
        return NULL;
    }
    while (take_pass(options, &value)) {
        if (*value == '\0') {
            return NULL;
        }
        value++;
    }
    return passes_expected;
}

static const char *take_prefetch(struct options *options, const char *value)
{
    options->prefetch_all = equals(value, "all");
    return options->prefetch_all || equals(value, "missing") ? NULL : ": expected missing, or all";
}

static const char *take_effort(struct options *options, const char *value)
{
    uint64_t level = 0;

    options->effort_given = !equals(value, "auto");
    if (options->effort_given && !number_read(value, NUMBER_PLAIN, 0, EFFORT_LEVELS, &level)) {
        return ": expected auto, or a level from 0 to 4";
    }
    options->effort_level = (uint8_t)level;
    return NULL;
}

static const char *take_builder_cost(struct options *options, const char *value)
{
    return number_read(value, NUMBER_COUNT, 0, BUILDER_COST_MAX, &options->builder_cost) &&
                   (options->builder_cost == 0 || options->builder_cost >= BUILDER_COST_MIN)
               ? NULL
               : ": expected 0, or a number from 6 to 1000000000";
}

static const char *take_stats(struct options *options, const char *value)
{
    options->stats_path = value;
    return *value == '\0' ? ": expected a file" : NULL;
}

static const char *take_stats_fd(struct options *options, const char *value)
{
    uint64_t number;

    if (!number_read(value, NUMBER_PLAIN, 0, INT32_MAX, &number)) {
        return ": expected a descriptor";
    }
    options->stats_fd = (int)number;
    return NULL;
}

static const char *take_dump_fragments(struct options *options, const char *value)
{
    options->dump_path = value;
    return *value == '\0' ? ": expected a file" : NULL;
}

struct option {
    const char *name;
    const char *value; /* NULL: takes none */
    const char *(*take)(struct options *options, const char *value);
    const char *help; /* NULL: nobody else's business */
    bool of_report;   /* of this run only, so that execve.c does not pass it on as it is */
};

/* clang-format off */
static const struct option table[] = {
#define OPTION(name, value, take, help) {name, value, take, help, false},
#define OPTION_OF_REPORT(name, value, take, help) {name, value, take, help, true},
#include "translator/options.def"
#undef OPTION
#undef OPTION_OF_REPORT
};
/* clang-format on */
#define OPTION_COUNT (sizeof table / sizeof table[0])

#define HELP_COLUMN 26

static void put_option(struct text *text, const char *name, const char *value, const char *help)
{
    size_t start = text->length;

    text_put_string(text, "  ");
    text_put_string(text, name);
    if (value != NULL) {
        text_put_char(text, ' ');
        text_put_string(text, value);
    }
    if (text->length - start >= HELP_COLUMN) {
        text_put_char(text, '\n');
        start = text->length;
    }
    while (text->length - start < HELP_COLUMN) {
        text_put_char(text, ' ');
    }
    text_put_string(text, help);
    text_put_char(text, '\n');
}

static _Noreturn void print_help(const char *name)
{
    char buffer[4096];
    struct text text;

    text_begin(&text, buffer, sizeof buffer);
    text_put_string(&text, "Usage: ");
    text_put_string(&text, name);
    text_put_string(&text, " [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
                           "Runs a Linux program for this processor from a cache of its own "
                           "fragments.\n\nOptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (table[i].help != NULL) {
            put_option(&text, table[i].name, table[i].value, table[i].help);
        }
    }
    put_option(&text, "-h, --help", NULL, "show this text");
    text_put_string(&text, "\nExits as the program does; with 125 if Strata failed, 126 if the "
                           "program cannot be\nexecuted, 127 if there is none.\n");
    host_print(buffer);
    host_exit(0);
}

/* The row that `argument` names up to its end or a '=', in full or, as with getopt_long, by the beginning of one name
 * alone.  *value is what follows the '=', or NULL. */
static const struct option *find_option(const char *argument, const char **value)
{
    const struct option *found = NULL;
    bool several = false;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const char *name = table[i].name;
        size_t length = 0;
        while (name[length] != '\0' && argument[length] == name[length]) {
            length++;
        }
        if (argument[length] != '\0' && argument[length] != '=') {
            continue;
        }
        *value = argument[length] == '=' ? argument + length + 1 : NULL;
        if (name[length] == '\0') {
            return &table[i];
        }
        if (table[i].help != NULL) {
            several = found != NULL;
            found = &table[i];
        }
    }
    if (found != NULL && !several) {
        return found;
    }
    host_fail(STATUS_FAILED, several ? "several options begin with " : "there is no option ",
              argument, "; see --help", NULL);
}

static void keep_word(struct option_words *words, const char *word)
{
    if (words->count == OPTION_WORDS) {
        host_fail(STATUS_FAILED, "there are too many options", NULL, NULL, NULL);
    }
    words->words[words->count++] = word;
}

unsigned options_read(struct options *options, struct option_words *words, unsigned count,
                      char *const *arguments)
{
    words->count = 0;
    *options = (struct options){.detector = &counters_detector,
                                .detector_name = "counters",
                                .cache_bytes = CACHE_BYTES_DEFAULT,
                                .stats_fd = -1,
                                .link = true,
                                .follow = true,
                                .follow_exec = true,
                                .inherited = {0, -1, -1},
                                .lookup_bits = LOOKUP_BITS_DEFAULT,
                                .counters = COUNTERS_AUTO,
                                .placement = PLACEMENT_BACKWARD,
                                .max_loss = MAX_LOSS_DEFAULT};
    unsigned i = 1;
    for (; i < count && arguments[i][0] == '-' && arguments[i][1] != '\0'; i++) {
        if (equals(arguments[i], "--")) {
            i++;
            break;
        }
        if (equals(arguments[i], "--help") || equals(arguments[i], "-h")) {
            print_help(arguments[0]);
        }
        const char *value;
        const struct option *option = find_option(arguments[i], &value);
        if (option->value == NULL && value != NULL) {
            host_fail(STATUS_FAILED, "this option takes no value: ", option->name, NULL, NULL);
        }
        if (option->value != NULL && value == NULL) {
            if (i + 1 >= count) {
                host_fail(STATUS_FAILED, "a value is missing after ", option->name, NULL, NULL);
            }
            value = arguments[++i];
        }
        if (!option->of_report) {
            keep_word(words, option->name);
            if (value != NULL) {
                keep_word(words, value);
            }
        }
        const char *wrong = option->take(options, value);
        if (wrong != NULL) {
            host_fail(STATUS_FAILED, option->name, " ", value, wrong);
        }
    }
    if (!options->threshold_given) {
        options->threshold = options->detector->threshold;
    }
    if (i >= count) {
        host_fail(STATUS_FAILED, "there is no program to run; see --help", NULL, NULL, NULL);
    }
    return i;
}
