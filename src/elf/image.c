/* Checks an ELF header and its program headers, the plainest fault first. */
#include "elf/image.h"

/* Offsets and values of the System V ABI, chapters "ELF Header" and "Program Header". */
enum {
    IDENT_CLASS = 4,
    IDENT_DATA = 5,
    IDENT_VERSION = 6,
    HEADER_TYPE = 16,
    HEADER_MACHINE = 18,
    HEADER_VERSION = 20,
    HEADER_ENTRY = 24,
    HEADER_PHOFF = 32,
    HEADER_FLAGS = 48,
    HEADER_PHENTSIZE = 54,
    HEADER_PHNUM = 56,

    PHDR_TYPE = 0,
    PHDR_FLAGS = 4,
    PHDR_OFFSET = 8,
    PHDR_VADDR = 16,
    PHDR_FILESZ = 32,
    PHDR_MEMSZ = 40,

    CLASS_32 = 1,
    CLASS_64 = 2,
    DATA_LITTLE = 1,
    DATA_BIG = 2,
    VERSION_CURRENT = 1,
    TYPE_EXEC = 2,
    TYPE_DYN = 3,
    PHNUM_ELSEWHERE = 0xffff, /* PN_XNUM: the true number is in a section header */

    P_EXECUTE = 1,
    P_WRITE = 2,
    P_READ = 4,
};

#define PT_LOAD UINT32_C(1)
#define PT_INTERP UINT32_C(3)
#define PT_GNU_STACK UINT32_C(0x6474e551)

/* The bytes that elf_read was given, and what it takes from them. */
struct reader {
    struct elf_image *image;
    const uint8_t *bytes;
    uint64_t available;
    uint64_t file_bytes;
};

static uint16_t read_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t read_u32(const uint8_t *bytes)
{
    return read_u16(bytes) | (uint32_t)read_u16(bytes + 2) << 16;
}

static uint64_t read_u64(const uint8_t *bytes)
{
    return read_u32(bytes) | (uint64_t)read_u32(bytes + 4) << 32;
}

/* Whether [start, start + bytes) lies within [0, limit); start + bytes may overflow. */
static bool range_fits(uint64_t start, uint64_t bytes, uint64_t limit)
{
    return bytes <= limit && start <= limit - bytes;
}

static enum elf_status read_ident(const struct reader *reader)
{
    static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};

    if (reader->available < sizeof magic) {
        return ELF_NOT_ELF;
    }
    for (size_t i = 0; i < sizeof magic; i++) {
        if (reader->bytes[i] != magic[i]) {
            return ELF_NOT_ELF;
        }
    }
    if (reader->available <= IDENT_VERSION) {
        return ELF_TRUNCATED;
    }
    /* Before the length of the header, which is shorter in a 32-bit file. */
    if (reader->bytes[IDENT_CLASS] == CLASS_32) {
        return ELF_32_BIT;
    }
    if (reader->bytes[IDENT_DATA] == DATA_BIG) {
        return ELF_BIG_ENDIAN;
    }
    if (reader->bytes[IDENT_CLASS] != CLASS_64 || reader->bytes[IDENT_DATA] != DATA_LITTLE ||
        reader->bytes[IDENT_VERSION] != VERSION_CURRENT) {
        return ELF_BAD_HEADERS;
    }
    return reader->available < ELF_HEADER_BYTES ? ELF_TRUNCATED : ELF_OK;
}

static bool abi_supported(const struct elf_image *image)
{
    return image->machine != ELF_MACHINE_RISCV ||
           ((image->flags & ELF_RISCV_EMBEDDED) == 0 &&
            (image->flags & ELF_RISCV_FLOAT_ABI) != ELF_RISCV_FLOAT_ABI_QUAD);
}

static enum elf_status read_header(const struct reader *reader, uint16_t machine)
{
    struct elf_image *image = reader->image;
    uint16_t type = read_u16(reader->bytes + HEADER_TYPE);

    image->machine = read_u16(reader->bytes + HEADER_MACHINE);
    image->position_independent = type == TYPE_DYN;
    image->flags = read_u32(reader->bytes + HEADER_FLAGS);
    image->entry = read_u64(reader->bytes + HEADER_ENTRY);
    image->phdr_size = read_u16(reader->bytes + HEADER_PHENTSIZE);
    image->phdr_count = read_u16(reader->bytes + HEADER_PHNUM);

    if (read_u32(reader->bytes + HEADER_VERSION) != VERSION_CURRENT) {
        return ELF_BAD_HEADERS;
    }
    if (image->machine != machine) {
        return ELF_WRONG_MACHINE;
    }
    if (type != TYPE_EXEC && type != TYPE_DYN) {
        return ELF_NOT_EXECUTABLE;
    }
    if (!abi_supported(image)) {
        return ELF_UNSUPPORTED_ABI;
    }
    if (image->phdr_count == 0) {
        return ELF_NO_SEGMENTS;
    }
    if (image->phdr_size != ELF_PHDR_BYTES || image->phdr_count == PHNUM_ELSEWHERE) {
        return ELF_BAD_HEADERS;
    }

    uint64_t offset = read_u64(reader->bytes + HEADER_PHOFF);
    uint64_t bytes = (uint64_t)image->phdr_count * ELF_PHDR_BYTES;
    if (!range_fits(offset, bytes, reader->file_bytes)) {
        return ELF_TRUNCATED;
    }
    return range_fits(offset, bytes, reader->available) ? ELF_OK : ELF_HEADERS_TOO_FAR;
}

static uint8_t read_permissions(const uint8_t *phdr)
{
    uint32_t flags = read_u32(phdr + PHDR_FLAGS);

    return (uint8_t)(((flags & P_READ) != 0 ? ELF_READ : 0) |
                     ((flags & P_WRITE) != 0 ? ELF_WRITE : 0) |
                     ((flags & P_EXECUTE) != 0 ? ELF_EXECUTE : 0));
}

static enum elf_status check_segment(const struct reader *reader, const struct elf_segment *segment)
{
    if (segment->file_bytes > segment->memory_bytes) {
        return ELF_BAD_HEADERS;
    }
    if (!range_fits(segment->address, segment->memory_bytes, ELF_ADDRESS_LIMIT)) {
        return ELF_TOO_LARGE;
    }
    /* Of a segment that is all zeros the offset means nothing, and some linkers write anything. */
    if (segment->file_bytes == 0) {
        return ELF_OK;
    }
    if (!range_fits(segment->file_offset, segment->file_bytes, reader->file_bytes)) {
        return ELF_SEGMENT_OUT_OF_FILE;
    }
    if ((segment->address ^ segment->file_offset) % ELF_PAGE_BYTES != 0) {
        return ELF_MISALIGNED_SEGMENT;
    }
    return ELF_OK;
}

static enum elf_status read_load(const struct reader *reader, const uint8_t *phdr)
{
    struct elf_image *image = reader->image;
    struct elf_segment segment = {
        .address = read_u64(phdr + PHDR_VADDR),
        .memory_bytes = read_u64(phdr + PHDR_MEMSZ),
        .file_offset = read_u64(phdr + PHDR_OFFSET),
        .file_bytes = read_u64(phdr + PHDR_FILESZ),
        .permissions = read_permissions(phdr),
    };
    enum elf_status status = check_segment(reader, &segment);

    if (status != ELF_OK || segment.memory_bytes == 0) {
        return status;
    }
    if (image->segment_count == ELF_MAX_SEGMENTS) {
        return ELF_TOO_MANY_SEGMENTS;
    }
    uint16_t place = image->segment_count++;
    for (; place > 0 && image->segments[place - 1].address > segment.address; place--) {
        image->segments[place] = image->segments[place - 1];
    }
    image->segments[place] = segment;
    return ELF_OK;
}

static enum elf_status read_interpreter(const struct reader *reader, const uint8_t *phdr)
{
    struct elf_image *image = reader->image;

    /* Linux takes the first, too. */
    if (image->has_interpreter) {
        return ELF_OK;
    }
    image->has_interpreter = true;
    image->interpreter_offset = read_u64(phdr + PHDR_OFFSET);
    image->interpreter_bytes = read_u64(phdr + PHDR_FILESZ);
    if (image->interpreter_bytes > ELF_MAX_INTERPRETER_BYTES ||
        !range_fits(image->interpreter_offset, image->interpreter_bytes, reader->file_bytes)) {
        return ELF_BAD_INTERPRETER;
    }
    if (!range_fits(image->interpreter_offset, image->interpreter_bytes, reader->available)) {
        return image->interpreter_bytes < 2 ? ELF_BAD_INTERPRETER : ELF_OK;
    }
    return elf_check_interpreter(reader->bytes + image->interpreter_offset,
                                 (size_t)image->interpreter_bytes);
}

static enum elf_status read_phdrs(const struct reader *reader)
{
    struct elf_image *image = reader->image;
    const uint8_t *phdr = reader->bytes + read_u64(reader->bytes + HEADER_PHOFF);
    enum elf_status status = ELF_OK;

    for (uint16_t i = 0; i < image->phdr_count && status == ELF_OK; i++, phdr += ELF_PHDR_BYTES) {
        switch (read_u32(phdr + PHDR_TYPE)) {
        case PT_LOAD:
            status = read_load(reader, phdr);
            break;
        case PT_INTERP:
            status = read_interpreter(reader, phdr);
            break;
        case PT_GNU_STACK:
            image->executable_stack = (read_permissions(phdr) & ELF_EXECUTE) != 0;
            break;
        default:
            break;
        }
    }
    return status;
}

/* Requires checked segments: no sum of their fields overflows. */
static enum elf_status read_span(const struct reader *reader)
{
    struct elf_image *image = reader->image;

    if (image->segment_count == 0) {
        return ELF_NO_SEGMENTS;
    }
    image->low = image->segments[0].address;
    for (uint16_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->address < image->high) {
            return ELF_OVERLAPPING_SEGMENTS;
        }
        image->high = segment->address + segment->memory_bytes;
    }
    return ELF_OK;
}

/* By the segment that holds the headers, as Linux does: PT_PHDR may be missing. */
static uint64_t find_phdrs(const struct reader *reader)
{
    const struct elf_image *image = reader->image;
    uint64_t offset = read_u64(reader->bytes + HEADER_PHOFF);
    uint64_t bytes = (uint64_t)image->phdr_count * ELF_PHDR_BYTES;

    for (uint16_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (offset >= segment->file_offset &&
            range_fits(offset - segment->file_offset, bytes, segment->file_bytes)) {
            return segment->address + (offset - segment->file_offset);
        }
    }
    return 0;
}

/* NULL if no segment holds the entry. */
static const struct elf_segment *find_entry(const struct elf_image *image)
{
    for (uint16_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (image->entry >= segment->address &&
            image->entry - segment->address < segment->memory_bytes) {
            return segment;
        }
    }
    return NULL;
}

/* A linker that finds no entry writes 0, where a shared library has its own ELF header: in an
 * executable segment, if it stands in one page with the code. */
static enum elf_status check_entry(const struct elf_image *image)
{
    const struct elf_segment *segment = find_entry(image);
    const bool executable = segment != NULL && (segment->permissions & ELF_EXECUTE) != 0;
    const bool at_header = segment != NULL && segment->file_bytes > 0 &&
                           image->entry - segment->address + segment->file_offset == 0;

    if (image->position_independent && image->entry == 0 && (at_header || !executable)) {
        return ELF_NO_ENTRY;
    }
    return executable && !at_header &&
                   (image->machine != ELF_MACHINE_RISCV || image->entry % 2 == 0)
               ? ELF_OK
               : ELF_BAD_ENTRY;
}

enum elf_status elf_read(struct elf_image *image, const uint8_t *bytes, size_t available,
                         uint64_t file_bytes, uint16_t machine)
{
    struct reader reader = {
        .image = image,
        .bytes = bytes,
        .available = available < file_bytes ? available : file_bytes,
        .file_bytes = file_bytes,
    };
    *image = (struct elf_image){0};

    enum elf_status status = read_ident(&reader);
    if (status == ELF_OK) {
        status = read_header(&reader, machine);
    }
    if (status == ELF_OK) {
        status = read_phdrs(&reader);
    }
    if (status == ELF_OK) {
        status = read_span(&reader);
    }
    if (status != ELF_OK) {
        return status;
    }
    image->phdr_address = find_phdrs(&reader);
    return check_entry(image);
}

enum elf_status elf_check_interpreter(const uint8_t *name, size_t count)
{
    bool valid =
        count >= 2 && count <= ELF_MAX_INTERPRETER_BYTES && name[0] != 0 && name[count - 1] == 0;

    return valid ? ELF_OK : ELF_BAD_INTERPRETER;
}

/* A switch and not a table of pointers: those would need relocation in a static-PIE translator. */
const char *elf_status_message(enum elf_status status)
{
    switch (status) {
#define ELF_STATUS(code, message)                                                                  \
    case ELF_##code:                                                                               \
        return message;
#include "elf/status.def"
#undef ELF_STATUS
    case ELF_STATUS_COUNT:
        break;
    }
    return "cannot be read";
}
