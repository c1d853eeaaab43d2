/* gzip: compresses and decompresses generated data of several kinds in memory, level by level. */
#include "codec.h"
#include "corpus.h"
#include "member.h"
#include "study.h"

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

enum { DAMAGE_FIRST = 10, DAMAGES = 3 }; /* behind the header, where not every byte counts */

struct session {
    struct corpus *corpus;
    struct codec_trial trial;
    struct crc crc;
    struct deflate_counts counts; /* of the last member that was written */
    uint64_t digest;
};

static size_t write_member(void *state, const uint8_t *input, size_t size, unsigned level,
                           uint8_t *member, size_t capacity)
{
    struct session *session = state;
    return member_write(&session->crc, input, size, level, member, capacity, &session->counts);
}

static bool read_member(void *state, const uint8_t *member, size_t size,
                        struct codec_output *output)
{
    const struct session *session = state;
    struct inflate_output inflated = {.bytes = output->bytes, .capacity = output->capacity};
    enum member_status status = member_read(&session->crc, member, size, &inflated);
    output->size = inflated.size;
    return status == MEMBER_OK;
}

static const struct codec codec = {member_bound, write_member, read_member};

static void check_known_results(struct session *session)
{
    static const uint8_t member[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x54, 0x28,
        0xca, 0x2f, 0x4e, 0x55, 0xc8, 0x2c, 0x56, 0x48, 0x44, 0x63, 0xe9, 0x28, 0x24,
        0xe6, 0xa5, 0x00, 0xd9, 0x19, 0x50, 0xd1, 0xbc, 0x7c, 0xb0, 0xb0, 0x35, 0x86,
        0x42, 0xda, 0x68, 0x29, 0xc9, 0x48, 0x55, 0x48, 0x05, 0x4a, 0xe5, 0xa7, 0x29,
        0x64, 0x96, 0xe8, 0x01, 0x00, 0x04, 0x9b, 0xbd, 0x74, 0xa7, 0x00, 0x00, 0x00};
    program_check(crc_update(&session->crc, 0, (const uint8_t *)"123456789", 9) == 0xcbf43926,
                  "the checksum of a known string");
    codec_check_foreign(&session->trial, member, sizeof member);
}

static size_t round_trip(struct session *session, size_t size, unsigned level)
{
    size_t used = codec_round_trip(&session->trial, size, level);
    const struct deflate_counts *counts = &session->counts;
    printf("  level %u: %zu bytes, blocks %" PRIu32 " stored %" PRIu32 " fixed %" PRIu32
           " dynamic, %" PRIu64 " candidates\n",
           level, used, counts->blocks[0], counts->blocks[1], counts->blocks[2],
           counts->candidates);
    session->digest = program_mix(session->digest, used);
    session->digest =
        program_mix(session->digest, crc_update(&session->crc, 0, session->trial.packed, used));
    return used;
}

static void run_kind(struct session *session, const struct workload *workload,
                     enum corpus_kind kind)
{
    size_t size = workload->bytes[kind], first = 0, last = 0;
    corpus_fill(session->corpus, kind, session->trial.input, size);
    printf("%s: %zu bytes\n", corpus_names[kind], size);
    for (unsigned i = 0; i < workload->levels; i++) {
        last = round_trip(session, size, workload->level[i]);
        first = i == 0 ? last : first;
    }
    program_check(last <= first + first / 100, "the last level is not worse than the first");
    program_check(kind == CORPUS_RANDOM ? last >= size : last < size, "what can be compressed is");
    if (kind == CORPUS_TEXT) {
        codec_check_damage(&session->trial, last, DAMAGE_FIRST, DAMAGES);
    }
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct workload *workload = &workloads[size];
    struct session session = {.trial = {.codec = &codec, .state = &session}};
    crc_init(&session.crc);
    session.corpus = corpus_create(20260);
    codec_begin(&session.trial, workload->bytes, CORPUS_KINDS);
    check_known_results(&session);
    for (unsigned kind = 0; kind < CORPUS_KINDS; kind++) {
        run_kind(&session, workload, (enum corpus_kind)kind);
    }
    study_report("gzip", size, session.digest);
    free(session.corpus);
    codec_end(&session.trial);
    return 0;
}
