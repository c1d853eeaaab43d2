/* The slices of a program's file: found in its section, or attached to a copy of it. */
#include "slice/file.h"

#include "base/sha256.h"
#include "elf/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static bool hash_text(struct slice_file *file, const struct elf_image *image)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        bytes += segment->permissions & ELF_EXECUTE ? segment->file_bytes : 0;
    }
    uint8_t *text = malloc(bytes + 1);
    char digits[SHA256_TEXT_BYTES];
    if (text == NULL) {
        return false;
    }
    size_t used = 0;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (!(segment->permissions & ELF_EXECUTE)) {
            continue;
        }
        memcpy(text + used, file->bytes + segment->file_offset, segment->file_bytes);
        if (segment->file_offset < ELF_HEADER_BYTES) {
            const size_t header = ELF_HEADER_BYTES - segment->file_offset;
            memset(text + used, 0, header < segment->file_bytes ? header : segment->file_bytes);
        }
        used += segment->file_bytes;
    }
    sha256_bytes(text, bytes, digits);
    free(text);
    for (unsigned i = 0; i < SECTION_HASH_BYTES; i++) {
        file->hash[i] = (uint8_t)(digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]));
    }
    return true;
}

enum section_status slice_file_open(struct slice_file *file, const char *path)
{
    struct stat status;
    *file = (struct slice_file){.size = 0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        errno = error;
        return SECTION_UNREADABLE;
    }
    void *bytes = S_ISREG(status.st_mode) && status.st_size > 0
                      ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED) {
        return SECTION_NOT_ELF;
    }
    file->bytes = bytes;
    file->size = (size_t)status.st_size;
    struct elf_image image;
    enum section_status read = SECTION_NOT_ELF;
    if (elf_read(&image, file->bytes, file->size, file->size, ELF_MACHINE_RISCV) == ELF_OK) {
        read = hash_text(file, &image) ? SECTION_OK : SECTION_NO_MEMORY;
    }
    if (read != SECTION_OK) {
        slice_file_close(file);
    }
    return read;
}

void slice_file_close(struct slice_file *file)
{
    if (file->bytes != NULL) {
        munmap((void *)(uintptr_t)file->bytes, file->size);
    }
    *file = (struct slice_file){.size = 0};
}

/* The section headers, copied, since they may stand anywhere. */
struct headers {
    Elf64_Shdr *sections; /* malloc'ed, with room for two more */
    unsigned count;
    unsigned names;  /* the section that has the names; 0: there is none */
    unsigned slices; /* ours, or 0 */
};

static bool within(const struct slice_file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset;
}

static bool is_ours(const struct slice_file *file, const Elf64_Shdr *names,
                    const Elf64_Shdr *section)
{
    const size_t bytes = sizeof SECTION_NAME;
    return section->sh_name <= names->sh_size && names->sh_size - section->sh_name >= bytes &&
           memcmp(file->bytes + names->sh_offset + section->sh_name, SECTION_NAME, bytes) == 0;
}

static enum section_status read_headers(const struct slice_file *file, struct headers *headers)
{
    Elf64_Ehdr elf;
    memcpy(&elf, file->bytes, sizeof elf);
    *headers = (struct headers){.count = elf.e_shoff != 0 ? elf.e_shnum : 0};
    const size_t bytes = headers->count * sizeof *headers->sections;
    if ((elf.e_shoff != 0 && elf.e_shnum == 0) ||
        (headers->count > 0 &&
         (elf.e_shentsize != sizeof *headers->sections || !within(file, elf.e_shoff, bytes) ||
          elf.e_shstrndx >= headers->count))) {
        return SECTION_DAMAGED;
    }
    headers->sections = calloc(headers->count + 3u, sizeof *headers->sections);
    if (headers->sections == NULL) {
        return SECTION_NO_MEMORY;
    }
    if (headers->count > 0) {
        memcpy(headers->sections, file->bytes + elf.e_shoff, bytes);
        headers->names = elf.e_shstrndx;
    }
    const Elf64_Shdr *names = &headers->sections[headers->names];
    if (headers->names != 0 && !within(file, names->sh_offset, names->sh_size)) {
        free(headers->sections);
        return SECTION_DAMAGED;
    }
    for (unsigned i = 1; headers->names != 0 && i < headers->count; i++) {
        if (is_ours(file, names, &headers->sections[i])) {
            headers->slices = i;
        }
    }
    return SECTION_OK;
}

enum section_status slice_file_slices(const struct slice_file *file, struct slice_set *set,
                                      const char **wrong)
{
    struct headers headers;
    *wrong = NULL;
    enum section_status status = read_headers(file, &headers);
    if (status != SECTION_OK) {
        return status;
    }
    const Elf64_Shdr section = headers.sections[headers.slices];
    free(headers.sections);
    if (headers.slices == 0) {
        return SECTION_NONE;
    }
    if (section.sh_type == SHT_NOBITS || !within(file, section.sh_offset, section.sh_size)) {
        return SECTION_TRUNCATED;
    }
    return section_read(set, file->bytes + section.sh_offset, section.sh_size, file->hash, wrong);
}

enum section_status slice_file_read(const char *path, struct slice_set *set, const char **wrong)
{
    struct slice_file file;
    *wrong = NULL;
    enum section_status status = slice_file_open(&file, path);
    if (status == SECTION_OK) {
        status = slice_file_slices(&file, set, wrong);
        slice_file_close(&file);
    }
    return status;
}

/* A file that grows at its end. */
struct growing {
    uint8_t *bytes;
    size_t size, capacity;
};

static bool grow(struct growing *out, const void *bytes, size_t count)
{
    const size_t at = (out->size + 7) & ~(size_t)7;
    if (at + count > out->capacity) {
        const size_t capacity = (at + count) * 2;
        uint8_t *larger = realloc(out->bytes, capacity);
        if (larger == NULL) {
            return false;
        }
        out->bytes = larger;
        out->capacity = capacity;
    }
    if (at > out->size) {
        memset(out->bytes + out->size, 0, at - out->size);
    }
    if (count > 0) {
        memcpy(out->bytes + at, bytes, count);
    }
    out->size = at + count;
    return true;
}

/* The names with ours behind them.  A file without any gets a section for them. */
static bool add_names(const struct slice_file *file, struct headers *headers, struct growing *out)
{
    static const char first[] = "\0.shstrtab";
    if (headers->count == 0) {
        headers->count = 1; /* the one that is none */
    }
    if (headers->names == 0) {
        headers->names = headers->count++;
        headers->sections[headers->names] =
            (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    }
    Elf64_Shdr *names = &headers->sections[headers->names];
    const bool made = names->sh_size == 0;
    const void *old = made ? (const void *)first : file->bytes + names->sh_offset;
    const size_t old_bytes = made ? sizeof first : names->sh_size;
    struct growing text = {0};
    bool grown = grow(&text, old, old_bytes) && grow(&text, SECTION_NAME, sizeof SECTION_NAME) &&
                 grow(out, text.bytes, text.size);
    names->sh_offset = out->size - text.size;
    names->sh_size = text.size;
    headers->slices = headers->count++;
    headers->sections[headers->slices] =
        (Elf64_Shdr){.sh_name = (Elf64_Word)(text.size - sizeof SECTION_NAME),
                     .sh_type = SHT_PROGBITS,
                     .sh_addralign = 8};
    free(text.bytes);
    return grown;
}

static bool attach(const struct slice_file *file, struct headers *headers, const uint8_t *section,
                   size_t section_bytes, struct growing *out)
{
    if (!grow(out, file->bytes, file->size) ||
        (headers->slices == 0 && !add_names(file, headers, out)) ||
        !grow(out, section, section_bytes)) {
        return false;
    }
    headers->sections[headers->slices].sh_offset = out->size - section_bytes;
    headers->sections[headers->slices].sh_size = section_bytes;
    const size_t bytes = headers->count * sizeof *headers->sections;
    if (!grow(out, headers->sections, bytes)) {
        return false;
    }
    Elf64_Ehdr elf;
    memcpy(&elf, out->bytes, sizeof elf);
    elf.e_shoff = out->size - bytes;
    elf.e_shnum = (Elf64_Half)headers->count;
    elf.e_shentsize = sizeof *headers->sections;
    elf.e_shstrndx = (Elf64_Half)headers->names;
    memcpy(out->bytes, &elf, sizeof elf);
    return true;
}

uint8_t *slice_file_attach(const struct slice_file *file, const struct slice_set *set, size_t *size)
{
    struct headers headers;
    struct growing out = {0};
    size_t section_bytes;
    if (read_headers(file, &headers) != SECTION_OK) {
        return NULL;
    }
    uint8_t *section = section_write(set, file->hash, &section_bytes);
    if (section == NULL || headers.count + 3u >= SHN_LORESERVE ||
        !attach(file, &headers, section, section_bytes, &out)) {
        free(out.bytes);
        out.bytes = NULL;
    }
    free(section);
    free(headers.sections);
    *size = out.size;
    return out.bytes;
}
