/* vortex: builds an object database, runs transactions of many kinds over it, and validates it. */
#include "study.h"
#include "transaction.h"

enum { TRAVERSAL_DEPTH = 5, PARTS_PER_DRAWING = 24, STEPS = 6 };

struct workload {
    uint32_t persons;
    uint32_t drawings;
    uint32_t transactions;
    unsigned frames;
};

static const struct workload workloads[SIZES] = {
    {50, 6, 70, 8}, {300, 50, 1400, 60}, {2500, 400, 16000, 500}};

/* What the database should hold, kept the simple way: by id. */
struct model_part {
    bool live;
    uint32_t kind;
    uint32_t drawing;
};

struct run {
    struct database database;
    struct transaction transaction;
    const struct workload *workload;
    uint64_t random;
    struct model_part *parts;
    uint32_t part_ids;      /* ids below this were given out */
    uint32_t part_capacity; /* of the model */
    uint32_t live_parts;
    bool *drawing_live;
    uint32_t drawing_ids;
    uint32_t person_ids;
    uint64_t digest;
    uint32_t lookups, misses, traversals, visited, scanned, raised, created, deleted, aborted;
};

static void must(enum status status, const char *what)
{
    if (status != STATUS_OK) {
        fprintf(stderr, "status %d: ", (int)status);
    }
    program_check(status == STATUS_OK, what);
}

static uint32_t below(struct run *run, uint32_t limit)
{
    return program_random_below(&run->random, limit);
}

static void note(struct run *run, uint64_t value)
{
    run->digest = program_mix(run->digest, value);
}

static void add_person(struct run *run)
{
    struct person person;
    uint32_t id = run->person_ids++;
    memset(&person, 0, sizeof person);
    person.id = id;
    person.department = below(run, DEPARTMENTS);
    person.salary = 1000 + below(run, 50000);
    snprintf(person.name, sizeof person.name, "person-%u", (unsigned)id * 7919u % 1000003u);
    enum status status =
        person_create(&run->database, &person, id == 1 ? 0 : 1 + below(run, id - 1));
    /* A manager may be gone. */
    program_check(status == STATUS_OK || status == STATUS_NOT_FOUND, "a person is created");
}

static uint32_t random_drawing(struct run *run)
{
    for (;;) {
        uint32_t id = 1 + below(run, run->drawing_ids - 1);
        if (run->drawing_live[id]) {
            return id;
        }
    }
}

static uint32_t random_part(struct run *run)
{
    for (;;) {
        uint32_t id = 1 + below(run, run->part_ids - 1);
        if (run->parts[id].live) {
            return id;
        }
    }
}

static void prepare_part(struct run *run, struct part *part)
{
    memset(part, 0, sizeof *part);
    program_check(run->part_ids < run->part_capacity, "the model has room");
    part->id = run->part_ids++;
    part->kind = below(run, PART_KINDS);
    part->x = below(run, EXTENT);
    part->y = below(run, EXTENT);
    part->build = program_random(&run->random);
    snprintf(part->name, sizeof part->name, "part-%x", (unsigned)part->id * 2654435761u);
}

static void model_part(struct run *run, const struct part *part, uint32_t drawing)
{
    run->parts[part->id] = (struct model_part){true, part->kind, drawing};
    run->live_parts++;
    run->created++;
}

/* Mostly to parts made at about the same time, some to any. */
static void connect_part(struct run *run, uint32_t id)
{
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        uint32_t near = id > 100 ? id - 100 : 1, to = near + below(run, id - near + 1);
        if (below(run, 10) == 0 || !run->parts[to].live) {
            to = random_part(run);
        }
        if (to != id) {
            must(part_connect(&run->database, id, i, to, 1 + below(run, 1000)), "connection");
        }
    }
}

static void add_drawing(struct run *run)
{
    char name[NAME_BYTES];
    uint32_t id = run->drawing_ids, designer = 1 + below(run, run->person_ids - 1);
    snprintf(name, sizeof name, "drawing-%u", (unsigned)id);
    if (drawing_create(&run->database, id, name, designer) != STATUS_OK) {
        return;
    }
    run->drawing_live[id] = true;
    run->drawing_ids++;
    for (uint32_t i = 0; i < PARTS_PER_DRAWING; i++) {
        struct part part;
        prepare_part(run, &part);
        must(part_create(&run->database, &part, id), "a part of a new drawing");
        model_part(run, &part, id);
        connect_part(run, part.id);
    }
}

static void build(struct run *run)
{
    const struct workload *workload = run->workload;
    for (uint32_t i = 0; i < workload->persons; i++) {
        add_person(run);
    }
    while (run->drawing_ids <= workload->drawings) {
        add_drawing(run);
    }
}

static void do_lookups(struct run *run)
{
    for (unsigned i = 0; i < 4 * STEPS; i++) {
        struct part part;
        handle at;
        uint32_t id = 1 + below(run, run->part_ids + run->part_ids / 16);
        bool live = id < run->part_ids && run->parts[id].live;
        enum status status = part_find(&run->database, id, &at, &part);
        program_check(status == (live ? STATUS_OK : STATUS_NOT_FOUND), "a part is found by id");
        run->misses += !live;
        if (live) {
            program_check(part.kind == run->parts[id].kind, "a part has its kind");
            note(run, part.build);
        }
        run->lookups++;
    }
}

static void do_name_lookups(struct run *run)
{
    for (unsigned i = 0; i < 2 * STEPS; i++) {
        char name[NAME_BYTES];
        struct part part;
        handle at;
        uint32_t id = random_part(run);
        snprintf(name, sizeof name, "part-%x", (unsigned)id * 2654435761u);
        must(part_find_by_name(&run->database, name, &at, &part), "a part is found by name");
        program_check(part.id == id, "a name belongs to its part");
        run->lookups++;
    }
}

static void do_traversal(struct run *run)
{
    struct part part;
    handle at;
    uint32_t visited = 0;
    uint64_t sum = 0;
    must(part_find(&run->database, random_part(run), &at, &part), "the start of a traversal");
    must(part_traverse(&run->database, at, TRAVERSAL_DEPTH, &visited, &sum), "traversal");
    run->traversals++;
    run->visited += visited;
    note(run, sum);
}

static void do_scan(struct run *run)
{
    uint32_t count = 0;
    uint64_t sum = 0;
    must(part_scan_kind(&run->database, below(run, PART_KINDS), &count, &sum), "scan of a kind");
    run->scanned += count;
    note(run, sum + count);
}

static void do_insertions(struct run *run)
{
    struct part made[STEPS];
    uint32_t drawing[STEPS];
    bool abort = below(run, 8) == 0;
    must(transaction_begin(&run->transaction, &run->database), "begin");
    for (unsigned i = 0; i < STEPS; i++) {
        drawing[i] = random_drawing(run);
        prepare_part(run, &made[i]);
        must(transaction_create_part(&run->transaction, &made[i], drawing[i]), "insertion");
    }
    if (abort) {
        must(transaction_abort(&run->transaction), "abort of insertions");
        run->aborted++;
        return;
    }
    must(transaction_commit(&run->transaction), "commit");
    for (unsigned i = 0; i < STEPS; i++) {
        model_part(run, &made[i], drawing[i]);
        connect_part(run, made[i].id);
    }
}

static void do_changes(struct run *run)
{
    uint32_t changed[STEPS], kind[STEPS];
    bool abort = below(run, 4) == 0;
    must(transaction_begin(&run->transaction, &run->database), "begin");
    for (unsigned i = 0; i < STEPS; i++) {
        changed[i] = random_part(run);
        kind[i] = below(run, PART_KINDS);
        must(transaction_change_kind(&run->transaction, changed[i], kind[i]), "change of kind");
    }
    if (abort) {
        must(transaction_abort(&run->transaction), "abort of changes");
        run->aborted++;
        return;
    }
    must(transaction_commit(&run->transaction), "commit");
    for (unsigned i = 0; i < STEPS; i++) {
        run->parts[changed[i]].kind = kind[i];
    }
}

static void do_deletions(struct run *run)
{
    for (unsigned i = 0; i < STEPS - 1; i++) {
        uint32_t id = random_part(run);
        must(part_delete(&run->database, id), "deletion");
        program_check(part_delete(&run->database, id) == STATUS_NOT_FOUND, "deleted only once");
        run->parts[id].live = false;
        run->live_parts--;
        run->deleted++;
    }
}

static void do_drawing(struct run *run)
{
    uint32_t id = random_drawing(run), deleted = 0;
    must(drawing_delete(&run->database, id, &deleted), "deletion of a drawing");
    run->drawing_live[id] = false;
    for (uint32_t part = 1; part < run->part_ids; part++) {
        if (run->parts[part].live && run->parts[part].drawing == id) {
            run->parts[part].live = false;
            run->live_parts--;
            run->deleted++;
            deleted--;
        }
    }
    program_check(deleted == 0, "a drawing goes with its parts");
    add_drawing(run);
}

static void do_persons(struct run *run)
{
    uint32_t raised = 0, rank = 0, id = 1 + below(run, run->person_ids - 1);
    uint32_t department = below(run, DEPARTMENTS), amount = 1 + below(run, 100);
    must(department_raise(&run->database, department, amount, &raised), "raise");
    run->raised += raised;
    enum status status = person_rank(&run->database, id, &rank);
    program_check(status == STATUS_OK || status == STATUS_NOT_FOUND, "rank");
    note(run, rank);
    status = person_delete(&run->database, id);
    program_check(status == STATUS_OK || status == STATUS_NOT_FOUND || status == STATUS_IN_USE,
                  "a person leaves");
    if (status == STATUS_OK) {
        add_person(run);
    }
}

static void run_transactions(struct run *run)
{
    static void (*const kinds[16])(struct run *) = {
        do_lookups,   do_lookups,   do_lookups,   do_name_lookups, do_name_lookups, do_traversal,
        do_traversal, do_traversal, do_scan,      do_insertions,   do_insertions,   do_changes,
        do_changes,   do_deletions, do_deletions, do_persons};
    for (uint32_t i = 0; i < run->workload->transactions; i++) {
        if (below(run, 200) == 0) {
            do_drawing(run);
        } else {
            kinds[below(run, 16)](run);
        }
    }
}

static void check_model(struct run *run)
{
    uint32_t live = 0;
    for (uint32_t id = 1; id < run->part_ids; id++) {
        struct part part;
        handle at;
        enum status status = part_find(&run->database, id, &at, &part);
        program_check(status == (run->parts[id].live ? STATUS_OK : STATUS_NOT_FOUND),
                      "the parts that should be there are");
        if (status == STATUS_OK) {
            live++;
            program_check(part.kind == run->parts[id].kind, "a part ends with its kind");
            note(run, key_of_pair(part.kind, part.x ^ part.y));
        }
    }
    program_check(live == run->live_parts, "as many parts as counted");
}

/* A handle that was freed, or is of another type, must be refused. */
static void check_handles(struct run *run)
{
    struct part part;
    struct person person;
    handle at;
    uint32_t id = random_part(run);
    must(part_find(&run->database, id, &at, &part), "a part");
    program_check(object_get(&run->database.store, at, TYPE_PERSON, &person) == STATUS_WRONG_TYPE,
                  "a part is no person");
    part.kind = PART_KINDS;
    program_check(object_put(&run->database.store, at, TYPE_PART, &part) == STATUS_BAD_ATTRIBUTE,
                  "a bad attribute is refused");
    must(part_delete(&run->database, id), "deletion");
    run->parts[id].live = false;
    run->live_parts--;
    program_check(object_get(&run->database.store, at, TYPE_PART, &part) == STATUS_BAD_HANDLE,
                  "a stale handle is refused");
}

static void print_summary(const struct run *run)
{
    const struct store *store = &run->database.store;
    printf("%" PRIu32 " persons, %" PRIu32 " drawings, %" PRIu32 " parts; %" PRIu32
           " nodes, %" PRIu32 " buckets, %" PRIu32 " lists in %" PRIu32 " pages\n",
           store->live[TYPE_PERSON], store->live[TYPE_DRAWING], store->live[TYPE_PART],
           store->live[TYPE_NODE], store->live[TYPE_BUCKET], store->live[TYPE_LIST],
           store->page_count);
    printf("%" PRIu32 " lookups (%" PRIu32 " of nothing), %" PRIu32 " traversals of %" PRIu32
           " parts, %" PRIu32 " scanned, %" PRIu32 " raised\n",
           run->lookups, run->misses, run->traversals, run->visited, run->scanned, run->raised);
    printf("%" PRIu32 " parts created, %" PRIu32 " deleted, %" PRIu32 " transactions aborted\n",
           run->created, run->deleted, run->aborted);
    printf("frames: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " pages written back\n",
           store->hits, store->misses, store->write_backs);
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    struct run *run = program_allocate(1, sizeof *run);
    run->workload = &workloads[size];
    run->random = 255;
    run->part_ids = run->drawing_ids = run->person_ids = 1;
    run->part_capacity =
        run->workload->drawings * PARTS_PER_DRAWING + run->workload->transactions * STEPS + 1000;
    run->parts = program_allocate(run->part_capacity, sizeof *run->parts);
    run->drawing_live = program_allocate(run->workload->drawings + run->workload->transactions + 2,
                                         sizeof *run->drawing_live);
    must(database_create(&run->database, run->workload->frames), "creation");
    build(run);
    must(database_validate(&run->database), "the new database is valid");
    run_transactions(run);
    check_handles(run);
    must(database_validate(&run->database), "the database is valid at the end");
    check_model(run);
    print_summary(run);
    note(run, run->database.store.hits);
    note(run, run->database.store.write_backs);
    study_report("vortex", size, run->digest);
    database_destroy(&run->database);
    free(run->parts);
    free(run->drawing_live);
    free(run);
    return 0;
}
