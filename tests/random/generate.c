/* The command: writes a random program as an ELF file, and what it executes as JSON. */
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "isa/rv64/rows.h"
#include "layout.h"

struct request {
    struct plan plan;
    const char *elf_path;
    const char *report_path;
    bool list;
};

static _Noreturn void usage(const char *problem)
{
    fprintf(stderr,
            "generate: %s\n"
            "usage: generate --elf FILE [--report FILE] [--list] [--seed N] [--groups N]\n"
            "                [--rounds N] [--units N] [--only-group N --only-round N]\n"
            "                [--drop N]...\n",
            problem);
    exit(2);
}

static uint64_t parse_number(const char *text, uint64_t least, uint64_t most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 0);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most) {
        usage("a number is missing or out of range");
    }
    return value;
}

static void parse_arguments(struct request *request, int argc, char **argv)
{
    static const struct option options[] = {
        {"elf", required_argument, NULL, 'e'},
        {"report", required_argument, NULL, 'c'},
        {"list", no_argument, NULL, 'l'},
        {"seed", required_argument, NULL, 's'},
        {"groups", required_argument, NULL, 'g'},
        {"rounds", required_argument, NULL, 'r'},
        {"units", required_argument, NULL, 'u'},
        {"only-group", required_argument, NULL, 'G'},
        {"only-round", required_argument, NULL, 'R'},
        {"drop", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    struct plan *plan = &request->plan;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'e':
            request->elf_path = optarg;
            break;
        case 'c':
            request->report_path = optarg;
            break;
        case 'l':
            request->list = true;
            break;
        case 's':
            plan->seed = parse_number(optarg, 0, UINT64_MAX);
            break;
        case 'g':
            plan->groups = (unsigned)parse_number(optarg, 1, 10000);
            break;
        case 'r':
            plan->rounds = (unsigned)parse_number(optarg, 1, MAX_ROUNDS);
            break;
        case 'u':
            plan->units = (unsigned)parse_number(optarg, 1, MAX_UNITS);
            break;
        case 'G':
            plan->only_group = (int)parse_number(optarg, 0, 9999);
            break;
        case 'R':
            plan->only_round = (int)parse_number(optarg, 0, MAX_ROUNDS - 1);
            break;
        case 'd':
            plan->dropped[parse_number(optarg, 0, MAX_UNITS - 1)] = true;
            break;
        default:
            usage("unknown option");
        }
    }
    if (request->elf_path == NULL || optind != argc) {
        usage("--elf is missing or an argument is too much");
    }
    if ((plan->only_group == EVERY) != (plan->only_round == EVERY) ||
        plan->only_group >= (int)plan->groups || plan->only_round >= (int)plan->rounds ||
        (request->list && plan->only_group == EVERY)) {
        usage("--only-group, --only-round and --list do not fit together");
    }
}

/* The names of the 64-bit words of one record, in order. */
static void report_record(FILE *file)
{
    fprintf(file, "\"record\": [\"fcsr\"");
    for (unsigned reg = 1; reg < 32; reg++) {
        fprintf(file, ", \"x%u\"", reg);
    }
    for (unsigned reg = 0; reg < 32; reg++) {
        fprintf(file, ", \"f%u\"", reg);
    }
    fprintf(file, ", \"trap\", \"padding\"");
    for (unsigned at = 0; at < BUFFER_BYTES; at += 8) {
        fprintf(file, ", \"memory+%u\"", at);
    }
    fprintf(file, "],\n");
}

static bool write_report(const struct program *program, const char *path)
{
    static const char *const ways[ROUNDING_WAYS] = {
        "rne", "rtz", "rdn", "rup", "rmm", "frm=rne", "frm=rtz", "frm=rdn", "frm=rup", "frm=rmm"};
    const struct counts *counts = &program->counts;
    const char *comma = "";
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        return false;
    }
    fprintf(file, "{");
    report_record(file);
    fprintf(file, "\"rows\": {");
#define INSN(id, mnemonic, format, match, mask, unit, flags)                                       \
    fprintf(file, "%s\"" mnemonic "\": %llu", comma, (unsigned long long)counts->row[RV64_##id]);  \
    comma = ", ";
#define COMPRESSED(id, mnemonic, format, match, mask, expands_to)                                  \
    fprintf(file, ", \"" mnemonic "\": %llu", (unsigned long long)counts->compressed[RV64_##id]);
#include "isa/rv64/rv64.def"
#include "isa/rv64/compressed.def"
#undef INSN
#undef COMPRESSED
    fprintf(file, "},\n\"pairs\": {");
    for (unsigned pair = 0; pair < PAIR_COUNT; pair++) {
        fprintf(file, "%s\"%s\": %llu", pair > 0 ? ", " : "", pair_name(pair),
                (unsigned long long)counts->pair[pair]);
    }
    fprintf(file, "},\n\"rounding\": {");
    comma = "";
    for (unsigned op = 0; op < RV64_OP_COUNT; op++) {
        if ((rv64_row(op)->flags & INSN_ROUNDS) == 0) {
            continue;
        }
        for (unsigned way = 0; way < ROUNDING_WAYS; way++) {
            fprintf(file, "%s\"%s %s\": %llu", comma, rv64_row(op)->mnemonic, ways[way],
                    (unsigned long long)counts->rounding[op][way]);
            comma = ", ";
        }
    }
    fprintf(file, "}}\n");
    return fclose(file) == 0;
}

static void list_inputs(const struct program *program, const char *file, unsigned offset,
                        uint32_t read)
{
    for (unsigned reg = 0; reg < 32; reg++) {
        if ((read >> reg & 1) != 0) {
            printf("    %s%u = 0x%016llx\n", file, reg,
                   (unsigned long long)program_input(program, (unsigned)program->plan.only_group,
                                                     (unsigned)program->plan.only_round,
                                                     offset + 8 * reg));
        }
    }
}

/* The instructions of the one group, and what the registers that they read held before. */
static void list_body(const struct program *program)
{
    const uint8_t *bytes = program->code.bytes;
    uint32_t read_x = 0, read_f = 0;
    struct rv64_insn insn;

    for (size_t at = program->body_start; at < program->body_end; at += insn.length) {
        uint64_t pc = program->code.base + at;
        uint32_t word = 0, flags;
        char text[RV64_TEXT_SIZE];

        memcpy(&word, bytes + at, at + 4 <= program->code.length ? 4 : 2);
        rv64_decode(word, &insn);
        flags = rv64_row(insn.op)->flags;
        rv64_disassemble(&insn, pc, text, sizeof text);
        printf("    %llx:\t%0*x\t%s\n", (unsigned long long)pc, insn.length * 2, insn.word, text);
        read_x |= (flags & INSN_RS1_INT) != 0 ? 1u << insn.rs1 : 0;
        read_x |= (flags & INSN_RS2_INT) != 0 ? 1u << insn.rs2 : 0;
        read_f |= (flags & INSN_RS1_FLOAT) != 0 ? 1u << insn.rs1 : 0;
        read_f |= (flags & INSN_RS2_FLOAT) != 0 ? 1u << insn.rs2 : 0;
        read_f |= (flags & INSN_RS3_FLOAT) != 0 ? 1u << insn.rs3 : 0;
    }
    list_inputs(program, "x", BLOCK_X, read_x & ~1u);
    list_inputs(program, "f", BLOCK_F, read_f);
    printf("    fcsr = 0x%02llx\n",
           (unsigned long long)program_input(program, (unsigned)program->plan.only_group,
                                             (unsigned)program->plan.only_round, BLOCK_FCSR));
}

int main(int argc, char **argv)
{
    struct request request = {
        .plan = {
            .groups = 300, .rounds = 4, .units = 24, .only_group = EVERY, .only_round = EVERY}};
    struct program program = {0};
    bool written;

    parse_arguments(&request, argc, argv);
    program.plan = request.plan;
    program_build(&program);
    written = program_write_elf(&program, request.elf_path) &&
              (request.report_path == NULL || write_report(&program, request.report_path));
    if (!written) {
        perror("generate");
    } else if (request.list) {
        list_body(&program);
    }
    program_free(&program);
    return written ? 0 : 2;
}
