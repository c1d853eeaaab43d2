/* From where the program may execute instructions, as the kernel would decide when it fetches them. */
#include "translator/fragment/translator.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>

static bool contains(struct code_range range, guest_addr pc)
{
    return pc >= range.start && pc < range.end;
}

/* Whether the longest instruction can be read at `pc`. */
static bool window_holds(struct code_range window, guest_addr pc)
{
    return pc >= window.start && pc + TARGET_LONGEST_INSTRUCTION <= window.end;
}

/* How many ranges end before `address`, or there. */
static unsigned count_below(const struct fetchable *fetchable, guest_addr address)
{
    unsigned low = 0, high = fetchable->count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (fetchable->ranges[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Where there is no room, the others go: any is found again where it is needed. */
static void replace(struct fetchable *fetchable, unsigned first, unsigned last,
                    const struct code_range *ranges, unsigned count)
{
    unsigned behind = fetchable->count - last;

    if (first + count + behind > FETCH_RANGES) {
        first = behind = 0;
    }
    __builtin_memmove(&fetchable->ranges[first + count], &fetchable->ranges[last],
                      behind * sizeof *ranges);
    for (unsigned i = 0; i < count; i++) {
        fetchable->ranges[first + i] = ranges[i];
    }
    fetchable->count = first + count + behind;
}

/* Ranges that touch it become one with it. */
void fetch_add(struct fetchable *fetchable, guest_addr start, guest_addr end)
{
    struct code_range added = {start & ~(CODE_PAGE - 1), end};
    const unsigned first = count_below(fetchable, added.start == 0 ? 0 : added.start - 1);
    unsigned last = first;

    for (; last < fetchable->count && fetchable->ranges[last].start <= added.end; last++) {
        const struct code_range range = fetchable->ranges[last];
        added.start = range.start < added.start ? range.start : added.start;
        added.end = range.end > added.end ? range.end : added.end;
    }
    replace(fetchable, first, last, &added, 1);
}

/* What is left of them stays known: programs that protect single pages of a large
 * mapping would otherwise make the translator ask for each of its pieces. */
void fetch_remove(struct fetchable *fetchable, guest_addr start, uint64_t bytes)
{
    const guest_addr low = start & ~(CODE_PAGE - 1);
    const guest_addr high = bytes > ~start - CODE_PAGE
                                ? ~UINT64_C(0)
                                : (start + bytes + CODE_PAGE - 1) & ~(CODE_PAGE - 1);
    const unsigned first = count_below(fetchable, low);
    struct code_range left[2];
    unsigned last = first, count = 0;

    for (; last < fetchable->count && fetchable->ranges[last].start < high; last++) {
        const struct code_range range = fetchable->ranges[last];
        if (range.start < low) {
            left[count++] = (struct code_range){range.start, low};
        }
        if (range.end > high) {
            left[count++] = (struct code_range){high, range.end};
        }
    }
    if (last > first) {
        replace(fetchable, first, last, left, count);
    }
}

/* /proc/self/maps, character by character. */
struct maps {
    int64_t fd;
    size_t at, length;
    char buffer[1024];
};

static char next_character(struct maps *maps)
{
    if (maps->at == maps->length) {
        const int64_t got = host_call(__NR_read, maps->fd, maps->buffer, sizeof maps->buffer);
        if (host_is_error(got) || got == 0) {
            return '\0';
        }
        maps->at = 0;
        maps->length = (size_t)got;
    }
    return maps->buffer[maps->at++];
}

static uint64_t read_hexadecimal(struct maps *maps)
{
    uint64_t value = 0;

    for (;;) {
        const char c = next_character(maps);
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            return value; /* and the character behind it is gone */
        }
    }
}

/* One line, such as "10000-79000 r-xp ..."; false behind the last. */
static bool read_mapping(struct maps *maps, struct fetch_mapping *mapping)
{
    static const char letters[] = "rwx";
    static const unsigned bits[] = {HOST_READ, HOST_WRITE, HOST_EXECUTE};

    mapping->range.start = read_hexadecimal(maps);
    mapping->range.end = read_hexadecimal(maps);
    mapping->permissions = 0;
    for (unsigned i = 0; i < 3; i++) {
        mapping->permissions |= next_character(maps) == letters[i] ? bits[i] : 0;
    }
    mapping->shared = next_character(maps) == 's';
    next_character(maps);                        /* a space */
    read_hexadecimal(maps);                      /* where in the file the mapping begins */
    read_hexadecimal(maps);                      /* the first number of the file's device */
    read_hexadecimal(maps);                      /* the second one */
    mapping->file = next_character(maps) != '0'; /* the file's inode: 0 if there is none */
    for (;;) {
        const char c = next_character(maps);
        if (c == '\n' || c == '\0') {
            return c == '\n';
        }
    }
}

bool fetch_ask(guest_addr address, struct fetch_mapping *mapping)
{
    struct maps maps = {.at = 0, .length = 0};
    bool found = false;

    maps.fd = host_call(__NR_openat, (long)AT_FDCWD, "/proc/self/maps", (long)O_CLOEXEC, 0L);
    if (host_is_error(maps.fd)) {
        return false;
    }
    while (!found && read_mapping(&maps, mapping)) {
        found = contains(mapping->range, address);
    }
    host_call(__NR_close, maps.fd);
    if (!found) {
        *mapping = (struct fetch_mapping){.range = {0, 0}};
    }
    return true;
}

static void set_permissions(struct code_range range, unsigned permissions)
{
    host_protect(range.start, range.end - range.start, permissions);
}

/* Code that may be executed but not read becomes readable: it has to be read. */
static bool look_up(struct fetchable *fetchable, guest_addr pc)
{
    struct fetch_mapping mapping;

    if (!fetch_ask(pc, &mapping)) {
        fetch_add(fetchable, pc, (pc | (CODE_PAGE - 1)) + 1); /* there is no way to know */
        return true;
    }
    if (mapping.range.end == 0 || (mapping.permissions & HOST_EXECUTE) == 0) {
        return false;
    }
    if ((mapping.permissions & HOST_READ) == 0) {
        set_permissions(mapping.range, mapping.permissions | HOST_READ);
    }
    fetch_add(fetchable, mapping.range.start, mapping.range.end);
    return true;
}

void fetch_open_stack(guest_addr stack)
{
    struct fetch_mapping mapping;

    if (fetch_ask(stack, &mapping)) {
        set_permissions(mapping.range, HOST_READ | HOST_WRITE | HOST_EXECUTE);
    }
}

struct code_range fetch_find(const struct fetchable *fetchable, guest_addr pc)
{
    const unsigned at = count_below(fetchable, pc);

    return at < fetchable->count && contains(fetchable->ranges[at], pc) ? fetchable->ranges[at]
                                                                        : (struct code_range){0, 0};
}

static struct code_range find_range(struct translator *translator, guest_addr pc)
{
    struct fetchable *fetchable = &translator->fetchable;
    struct code_range range = fetch_find(fetchable, pc);

    if (range.end == 0 && fetch_find(&translator->closed, pc).end == 0 && look_up(fetchable, pc)) {
        range = fetch_find(fetchable, pc);
    }
    return range;
}

/* The page that could not be read, or 0. */
static guest_addr bad_page(const struct translator *translator)
{
    return translator->unreadable & ~(CODE_PAGE - 1);
}

/* It ends before a page that could not be read. */
static void move_window(struct translator *translator, guest_addr pc)
{
    const guest_addr bad = bad_page(translator);
    struct code_range range = find_range(translator, pc);

    if (bad != 0 && range.end > bad && pc < bad + CODE_PAGE) {
        range.end = bad;
    }
    translator->window = range;
    const uint64_t margin = PLAN_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION;
    const uint64_t bytes = range.end - range.start;
    translator->window_safe_bytes = range.end > range.start + margin ? bytes - margin : 0;
}

void fetch_forget_window(struct translator *translator)
{
    translator->window = (struct code_range){0, 0};
    translator->window_safe_bytes = 0;
}

uint64_t fetch_count(struct translator *translator, guest_addr pc)
{
    if (!window_holds(translator->window, pc)) {
        move_window(translator, pc);
    }
    const struct code_range window = translator->window;
    if (!contains(window, pc)) {
        return 0;
    }
    const uint64_t left = window.end - pc;
    if (left >= TARGET_LONGEST_INSTRUCTION) {
        return left / TARGET_LONGEST_INSTRUCTION;
    }
    /* Its rest may be in a mapping that was not known, and is one with this now. */
    if (target_fits(pc, window.end) ||
        (window.end != bad_page(translator) && find_range(translator, window.end).end != 0)) {
        fetch_forget_window(translator);
        return 1;
    }
    return 0;
}
