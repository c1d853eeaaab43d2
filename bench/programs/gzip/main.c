/* gzip: compresses and decompresses generated data of several kinds in memory, level by level. */
#include "corpus.h"
#include "member.h"

enum { LEVELS_MAX = 5 };

struct workload {
    size_t bytes[CORPUS_KINDS];
    unsigned levels;
    unsigned level[LEVELS_MAX];
};

static const struct workload workloads[SIZES] = {
    {{6000, 6000, 4000, 3000, 4000}, 2, {1, 6}},
    {{44000, 44000, 34000, 20000, 20000}, 4, {1, 3, 6, 9}},
    {{500000, 500000, 400000, 300000, 300000}, 5, {1, 3, 5, 7, 9}}};

struct session {
    struct corpus *corpus;
    struct crc crc;
    uint8_t *input;
    uint8_t *member;
    size_t member_capacity;
    struct inflate_output output;
    uint64_t digest;
};

/* A member that another compressor made: writer and reader here could agree on an error. */
static void check_foreign_member(struct session *session)
{
    static const char text[] = "a rose is a rose is a rose, and a hose is no rose; "
                               "a rose is a rose is a rose, and a hose is no rose; "
                               "a rose is a rose is a rose, and a hose is no rose; the end of it.";
    static const uint8_t member[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x54, 0x28,
        0xca, 0x2f, 0x4e, 0x55, 0xc8, 0x2c, 0x56, 0x48, 0x44, 0x63, 0xe9, 0x28, 0x24,
        0xe6, 0xa5, 0x00, 0xd9, 0x19, 0x50, 0xd1, 0xbc, 0x7c, 0xb0, 0xb0, 0x35, 0x86,
        0x42, 0xda, 0x68, 0x29, 0xc9, 0x48, 0x55, 0x48, 0x05, 0x4a, 0xe5, 0xa7, 0x29,
        0x64, 0x96, 0xe8, 0x01, 0x00, 0x04, 0x9b, 0xbd, 0x74, 0xa7, 0x00, 0x00, 0x00};
    program_check(crc_update(&session->crc, 0, (const uint8_t *)"123456789", 9) == 0xcbf43926,
                  "the checksum of a known string");
    program_check(member_read(&session->crc, member, sizeof member, &session->output) == MEMBER_OK,
                  "a foreign member is read");
    program_check(session->output.size == sizeof text - 1 &&
                      memcmp(session->output.bytes, text, sizeof text - 1) == 0,
                  "a foreign member's text");
}

/* A changed byte or a missing end must be noticed, whatever the changed bits come to mean. */
static void check_damage(struct session *session, size_t member_size)
{
    for (size_t at = 10; at < member_size; at += member_size / 3) {
        session->member[at] ^= 0x10;
        program_check(member_read(&session->crc, session->member, member_size, &session->output) !=
                          MEMBER_OK,
                      "a damaged member is refused");
        session->member[at] ^= 0x10;
    }
    program_check(member_read(&session->crc, session->member, member_size / 2, &session->output) !=
                      MEMBER_OK,
                  "half a member is refused");
}

static size_t round_trip(struct session *session, size_t size, unsigned level)
{
    struct deflate_counts counts;
    size_t used = member_write(&session->crc, session->input, size, level, session->member,
                               session->member_capacity, &counts);
    program_check(used != 0, "the member fits its bound");
    program_check(member_read(&session->crc, session->member, used, &session->output) == MEMBER_OK,
                  "the member is read");
    program_check(session->output.size == size &&
                      memcmp(session->output.bytes, session->input, size) == 0,
                  "decompression gives the input");
    printf("  level %u: %zu bytes, blocks %" PRIu32 " stored %" PRIu32 " fixed %" PRIu32
           " dynamic, %" PRIu64 " candidates\n",
           level, used, counts.blocks[0], counts.blocks[1], counts.blocks[2], counts.candidates);
    session->digest = program_mix(session->digest, used);
    session->digest =
        program_mix(session->digest, crc_update(&session->crc, 0, session->member, used));
    return used;
}

static void run_kind(struct session *session, const struct workload *workload,
                     enum corpus_kind kind)
{
    size_t size = workload->bytes[kind], first = 0, last = 0;
    corpus_fill(session->corpus, kind, session->input, size);
    printf("%s: %zu bytes\n", corpus_names[kind], size);
    for (unsigned i = 0; i < workload->levels; i++) {
        last = round_trip(session, size, workload->level[i]);
        first = i == 0 ? last : first;
    }
    program_check(last <= first + first / 100, "the last level is not worse than the first");
    program_check(kind == CORPUS_RANDOM ? last >= size : last < size, "what can be compressed is");
    if (kind == CORPUS_TEXT) {
        check_damage(session, last);
    }
}

static size_t largest_input(const struct workload *workload)
{
    size_t largest = 0;
    for (unsigned kind = 0; kind < CORPUS_KINDS; kind++) {
        largest = workload->bytes[kind] > largest ? workload->bytes[kind] : largest;
    }
    return largest;
}

int main(int argc, char **argv)
{
    enum program_size size = program_read_size(argc, argv);
    const struct workload *workload = &workloads[size];
    size_t largest = largest_input(workload);
    struct session *session = program_allocate(1, sizeof *session);
    crc_init(&session->crc);
    session->corpus = corpus_create(20260);
    session->input = program_allocate(largest, 1);
    session->member_capacity = member_bound(largest);
    session->member = program_allocate(session->member_capacity, 1);
    session->output.capacity = largest;
    session->output.bytes = program_allocate(largest, 1);
    check_foreign_member(session);
    for (unsigned kind = 0; kind < CORPUS_KINDS; kind++) {
        run_kind(session, workload, (enum corpus_kind)kind);
    }
    program_report("gzip", size, session->digest);
    free(session->corpus);
    free(session->input);
    free(session->member);
    free(session->output.bytes);
    free(session);
    return 0;
}
