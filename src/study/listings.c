/* The code of the hottest loops in the tables of a study, for its page. */
#include "study/listings.h"

#include "base/check.h"
#include "report/listing.h"

/* Of each run.  All would make a page of many megabytes, most of them of loops that ran once. */
#define LISTED_MAX 25

/* The last point of the axis is the one that the table is of. */
static const struct job *find_job(const struct planned *planned, size_t program)
{
    const struct experiment *experiment = planned->experiment;
    return plan_job(planned, program, experiment_points(experiment) - 1,
                    experiment_find_run(experiment, experiment->loops_run));
}

static bool made_before(const struct plan *plan, size_t before, const struct job *job)
{
    for (size_t i = 0; i < before; i++) {
        const struct planned *planned = &plan->experiments[i];
        for (size_t j = 0; planned->experiment->loops_run != NULL && j < planned->program_count;
             j++) {
            if (find_job(planned, j) == job) {
                return true;
            }
        }
    }
    return false;
}

/* A run's statistics name its program as the run did, from the folder where it was; and have no
 * SHA-256 of it if it was gone when the run ended. */
static void set_program(struct pool *pool, json_t *run, const struct program *program)
{
    json_t *described = json_object_get(run, "program");
    const char *path = program->words[0][0] == '/'
                           ? program->words[0]
                           : pool_format(pool, "%s/%s", program->folder, program->words[0]);
    json_t *name = json_string(path);
    json_object_set_new(described, "path", name != NULL ? name : json_null());
    json_object_set_new(described, "sha256", json_string(program->sha256));
}

static void add_run(json_t *listings, struct store *store, const struct job *job,
                    const struct source_rules *rules)
{
    json_t *run = job->state == JOB_DONE ? store_read_run(store, job->key) : NULL;
    if (run == NULL) {
        return;
    }
    set_program(store->pool, run, job->program);
    json_t *listing = listing_make(run, rules, LISTED_MAX, 0);
    json_t *earlier = json_object_get(listings, job->program->name);
    if (earlier == NULL) {
        ASSERT(json_object_set(listings, job->program->name, listing) == 0);
    } else {
        ASSERT(json_object_update_missing(json_object_get(earlier, "loops"),
                                          json_object_get(listing, "loops")) == 0);
    }
    json_decref(listing);
    json_decref(run);
}

json_t *listings_make(struct store *store, const struct plan *plan,
                      const struct source_rules *rules)
{
    json_t *listings = json_object();
    ASSERT(listings != NULL);
    for (size_t i = 0; i < plan->experiment_count; i++) {
        const struct planned *planned = &plan->experiments[i];
        for (size_t j = 0; planned->experiment->loops_run != NULL && j < planned->program_count;
             j++) {
            const struct job *job = find_job(planned, j);
            if (!made_before(plan, i, job)) {
                add_run(listings, store, job, rules);
            }
        }
    }
    return listings;
}
