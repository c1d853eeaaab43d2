/* Finds the files of regions in memory, by the kernel's list of the process's mappings. */
#include "translator/detect/regions.h"
#include "translator/host/host.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>

/* The list, character by character; a line and its name, of which what is longer than any path is cut. */
#define NAME_BYTES 4096
struct list {
    int64_t fd;
    size_t at, length;
    char buffer[4096];
    guest_addr start, end;
    uint64_t offset; /* in the file */
    char name[NAME_BYTES];
};

/* 0 behind the last. */
static char peek(struct list *list)
{
    if (list->at == list->length) {
        const int64_t got = host_call(__NR_read, list->fd, list->buffer, sizeof list->buffer);
        list->at = 0;
        list->length = host_is_error(got) ? 0 : (size_t)got;
    }
    return list->length != 0 ? list->buffer[list->at] : '\0';
}

static char next(struct list *list)
{
    const char c = peek(list);

    list->at += c != '\0';
    return c;
}

/* And the character behind it. */
static uint64_t take_hexadecimal(struct list *list)
{
    uint64_t value = 0;

    for (;;) {
        const char c = next(list);
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            return value;
        }
    }
}

static void skip_word(struct list *list)
{
    char c;

    do {
        c = next(list);
    } while (c != ' ' && c != '\0');
}

/* One line, such as "10000-79000 r-xp 00001000 08:01 1234     /bin/program"; false behind the last. */
static bool take_line(struct list *list)
{
    size_t length = 0;

    if (peek(list) == '\0') {
        return false;
    }
    list->start = take_hexadecimal(list);
    list->end = take_hexadecimal(list);
    skip_word(list); /* permissions */
    list->offset = take_hexadecimal(list);
    skip_word(list); /* device */
    skip_word(list); /* inode */
    while (peek(list) == ' ') {
        next(list);
    }
    for (char c = next(list); c != '\n' && c != '\0'; c = next(list)) {
        if (length < NAME_BYTES - 1) {
            list->name[length++] = c;
        }
    }
    list->name[length] = '\0';
    return true;
}

/* Whether the mapped file is the one that the place names: by its whole path, or by its name alone, of which a version
 * may be missing. */
static bool is_file(const char *mapped, const struct region_place *place)
{
    const char *name = mapped;

    for (const char *at = mapped; place->file[0] != '/' && *at != '\0'; at++) {
        name = *at == '/' ? at + 1 : name;
    }
    for (unsigned i = 0; i < place->length; i++) {
        if (name[i] != place->file[i]) {
            return false;
        }
    }
    const char behind = name[place->length];
    return behind == '\0' || (behind == '.' && place->file[0] != '/');
}

/* What is another place's already stays that one's.  Ranges come in the order of their addresses for the most part. */
static void add(struct regions *regions, guest_addr start, guest_addr end, unsigned word)
{
    struct region_range *ranges = regions->ranges;
    unsigned i = regions->range_count;

    while (i > 0 && ranges[i - 1].end > start) {
        i--;
    }
    for (; start < end; i++) {
        if (i < regions->range_count && ranges[i].start <= start) {
            start = ranges[i].end;
            continue;
        }
        if (regions->range_count == REGION_PLACES) {
            return; /* files that are mapped often: what is left out is outside */
        }
        const bool cut = i < regions->range_count && ranges[i].start < end;
        const guest_addr stop = cut ? ranges[i].start : end;
        __builtin_memmove(&ranges[i + 1], &ranges[i],
                          (regions->range_count++ - i) * sizeof *ranges);
        ranges[i] = (struct region_range){.start = start, .end = stop, .word = word};
        start = stop;
    }
}

void mapped_add_addresses(struct regions *regions)
{
    for (unsigned i = 0; i < regions->place_count; i++) {
        const struct region_place *place = &regions->places[i];
        if (place->file == NULL) {
            add(regions, place->low, place->high, place->word);
        }
    }
}

/* What the mapping has of the place. */
static void add_mapped(struct regions *regions, const struct list *list,
                       const struct region_place *place)
{
    const uint64_t bytes = list->end - list->start;
    const uint64_t low = place->low > list->offset ? place->low - list->offset : 0;
    const uint64_t high = place->high > list->offset ? place->high - list->offset : 0;

    if (low < bytes && low < high) {
        regions->words[place->word].mapped = true;
        add(regions, list->start + low, list->start + (high < bytes ? high : bytes), place->word);
    }
}

/* Of addresses it is only told whether anything is there. */
static void take_addresses(struct regions *regions, const struct list *list)
{
    for (unsigned i = 0; i < regions->place_count; i++) {
        const struct region_place *place = &regions->places[i];
        if (place->file == NULL && place->low < list->end && list->start < place->high) {
            regions->words[place->word].mapped = true;
        }
    }
}

/* Places of one file stand side by side, with the same name. */
static void take_file(struct regions *regions, const struct list *list)
{
    const char *asked = NULL;
    bool same = false;

    for (unsigned i = 0; i < regions->place_count; i++) {
        const struct region_place *place = &regions->places[i];
        if (place->file != asked) {
            asked = place->file;
            same = asked != NULL && is_file(list->name, place);
        }
        if (same) {
            add_mapped(regions, list, place);
        }
    }
}

bool mapped_read(struct regions *regions)
{
    struct list list = {.at = 0, .length = 0};

    list.fd = host_call(__NR_openat, (long)AT_FDCWD, "/proc/self/maps", (long)O_CLOEXEC, 0L);
    if (host_is_error(list.fd)) {
        return false;
    }
    regions->range_count = 0;
    mapped_add_addresses(regions);
    while (take_line(&list)) {
        take_addresses(regions, &list);
        if (list.name[0] == '/') {
            take_file(regions, &list);
        }
    }
    host_call(__NR_close, list.fd);
    return true;
}
