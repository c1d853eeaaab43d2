/* health: patients of a four-way tree of villages move through the hospitals, step by step. */
#include "health.h"
#include "study.h"

struct input {
    int levels;
    int steps;
};

static const struct input inputs[SIZES] = {
    [SIZE_TEST] = {4, 160},
    [SIZE_SMALL] = {5, 430},
    [SIZE_FULL] = {6, 840},
};

static void print_results(const struct results *results, int steps)
{
    printf("villages %ld, steps %d, patients %ld\n", results->villages, steps, results->generated);
    printf("discharged %ld, after %ld.%02ld steps and %ld.%02ld hospitals on average\n",
           results->discharged, results->discharged_time / results->discharged,
           results->discharged_time * 100 / results->discharged % 100,
           results->discharged_hospitals / results->discharged,
           results->discharged_hospitals * 100 / results->discharged % 100);
    printf("still there %ld, longest queue %ld\n", results->remaining, results->longest_queue);
}

static uint64_t digest_of(const struct results *results)
{
    uint64_t digest = results->digest;
    digest = program_mix(digest, (uint64_t)results->generated);
    digest = program_mix(digest, (uint64_t)results->discharged_time);
    digest = program_mix(digest, (uint64_t)results->remaining_time);
    digest = program_mix(digest, (uint64_t)results->ledger.admitted);
    return program_mix(digest, (uint64_t)results->ledger.waited_steps);
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct input *input = &inputs[size];

    flat_compare(3, 100);

    struct village *root = village_build(input->levels, 0, NULL);
    for (int step = 0; step < input->steps; step++) {
        village_step(root, step);
    }
    struct results results = results_collect(root);
    results_check(&results);
    program_check(results.discharged > 0, "nobody was discharged");
    print_results(&results, input->steps);
    village_free(root);
    study_report("health", size, digest_of(&results));
    return 0;
}
