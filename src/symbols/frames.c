/* Walks .eh_frame as the Linux Standard Base describes it (Core, 10.6.1). */
#include "symbols/frames.h"

#include <dwarf.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>

#define SECTION ".eh_frame"
#define FORMAT 0x0f      /* the bits of an encoding that say how wide a value is */
#define APPLICATION 0x70 /* those that say what it is relative to */

/* Bytes of the section that are yet to be read.  What would be read behind the end is zero, and `damaged` is set. */
struct reader {
    const uint8_t *at, *end;
    bool damaged;
};

struct section {
    const uint8_t *bytes;
    size_t size;
    uint64_t address;
    bool little;
};

static uint64_t read_number(const struct section *section, struct reader *reader, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->damaged = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        const size_t place = section->little ? i : bytes - 1 - i;
        value |= (uint64_t)reader->at[i] << (8 * place);
    }
    reader->at += bytes;
    return value;
}

/* Of a number in LEB128 nothing is needed but where it ends, and what it is if it is small. */
static uint64_t read_leb128(const struct section *section, struct reader *reader)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = read_number(section, reader, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while ((byte & 0x80) != 0 && !reader->damaged);
    return value;
}

/* 0 for a form that is not read. */
static size_t width_of(unsigned encoding)
{
    switch (encoding & FORMAT) {
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
        return 2;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
        return 4;
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return 8;
    default:
        return 0;
    }
}

static uint64_t read_address(const struct section *section, struct reader *reader,
                             unsigned encoding)
{
    const uint64_t here = section->address + (uint64_t)(reader->at - section->bytes);
    const size_t width = width_of(encoding);
    uint64_t value = read_number(section, reader, width);
    if ((encoding & DW_EH_PE_signed) != 0 && width < 8) {
        const uint64_t sign = UINT64_C(1) << (8 * width - 1);
        value = (value ^ sign) - sign;
    }
    return (encoding & APPLICATION) == DW_EH_PE_pcrel ? here + value : value;
}

/* The bytes of the entry at `offset`, behind its length, and where the next one is; false at the end. */
static bool read_entry(const struct section *section, size_t offset, struct reader *entry,
                       size_t *next)
{
    struct reader reader = {.at = section->bytes + offset, .end = section->bytes + section->size};
    uint64_t length = read_number(section, &reader, 4);
    if (length == UINT32_MAX) {
        length = read_number(section, &reader, 8);
    }
    if (reader.damaged || length == 0 || length > (size_t)(reader.end - reader.at)) {
        return false;
    }
    *entry = (struct reader){.at = reader.at, .end = reader.at + length};
    *next = (size_t)(entry->end - section->bytes);
    return true;
}

/* How the entries that belong to the common entry at `offset` write addresses; false if that cannot be told. */
static bool read_encoding(const struct section *section, size_t offset, unsigned *encoding)
{
    struct reader common;
    size_t next;
    if (offset >= section->size || !read_entry(section, offset, &common, &next) ||
        read_number(section, &common, 4) != 0) {
        return false;
    }
    const uint64_t version = read_number(section, &common, 1);
    const char *letters = (const char *)common.at;
    const uint8_t *nul = memchr(common.at, 0, (size_t)(common.end - common.at));
    if (nul == NULL) {
        return false;
    }
    common.at = nul + 1;
    read_leb128(section, &common); /* the alignment of code and of data */
    read_leb128(section, &common);
    if (version == 1) {
        read_number(section, &common, 1); /* the register of the return address */
    } else {
        read_leb128(section, &common);
    }
    *encoding = DW_EH_PE_absptr;
    if (letters[0] != 'z') {
        return letters[0] == '\0' && !common.damaged;
    }
    read_leb128(section, &common);
    for (const char *letter = letters + 1; *letter != '\0' && !common.damaged; letter++) {
        if (*letter == 'R') {
            *encoding = (unsigned)read_number(section, &common, 1);
            return !common.damaged;
        }
        if (*letter == 'P') {
            read_number(section, &common, width_of((unsigned)read_number(section, &common, 1)));
        } else if (*letter == 'L') {
            read_number(section, &common, 1);
        }
    }
    return !common.damaged;
}

static bool is_read(unsigned encoding)
{
    const unsigned application = encoding & APPLICATION;
    return width_of(encoding) != 0 && (encoding & DW_EH_PE_indirect) == 0 &&
           (application == 0 || application == DW_EH_PE_pcrel);
}

static void walk(const struct section *section,
                 bool (*found)(void *context, uint64_t start, uint64_t end), void *context)
{
    struct reader entry;
    for (size_t offset = 0; read_entry(section, offset, &entry, &offset);) {
        const size_t here = (size_t)(entry.at - section->bytes);
        const uint64_t back = read_number(section, &entry, 4); /* 0: it is a common entry */
        unsigned encoding;
        if (back == 0 || back > here || !read_encoding(section, here - back, &encoding) ||
            !is_read(encoding)) {
            continue;
        }
        const uint64_t start = read_address(section, &entry, encoding);
        const uint64_t length = read_number(section, &entry, width_of(encoding));
        if (!entry.damaged && length > 0 && start + length > start &&
            !found(context, start, start + length)) {
            return;
        }
    }
}

void frames_read(Elf *elf, bool (*found)(void *context, uint64_t start, uint64_t end),
                 void *context)
{
    const char *ident = elf_getident(elf, NULL);
    size_t names;
    Elf_Scn *scn = NULL;
    if (ident == NULL || ident[EI_CLASS] != ELFCLASS64 || elf_getshdrstrndx(elf, &names) != 0) {
        return;
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(scn, &header) != NULL ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name == NULL || strcmp(name, SECTION) != 0 || header.sh_type == SHT_NOBITS) {
            continue;
        }
        const Elf_Data *data = elf_rawdata(scn, NULL);
        if (data != NULL && data->d_buf != NULL) {
            const struct section section = {.bytes = data->d_buf,
                                            .size = data->d_size,
                                            .address = header.sh_addr,
                                            .little = ident[EI_DATA] == ELFDATA2LSB};
            walk(&section, found, context);
        }
    }
}
