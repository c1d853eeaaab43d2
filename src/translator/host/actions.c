/* Keeps the program's signal actions, three versions of each. */
#include "translator/host/actions.h"

#include <asm/signal.h>

/* At one moment: the last two versions. */
struct reading {
    uint32_t changes;
    bool reset;
    struct signal_action last, before;
};

static struct reading read_action(const struct actions *actions, int number)
{
    const struct versions *kept = &actions->by_number[number];
    struct reading reading;

    do {
        const uint32_t changes = __atomic_load_n(&kept->changes, __ATOMIC_ACQUIRE);
        reading.changes = changes;
        reading.reset = __atomic_load_n(&kept->reset, __ATOMIC_RELAXED) == changes + 1;
        reading.last = kept->of[changes % ACTION_VERSIONS];
        reading.before = kept->of[(changes + ACTION_VERSIONS - 1) % ACTION_VERSIONS];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (reading.changes != __atomic_load_n(&kept->changes, __ATOMIC_RELAXED));
    return reading;
}

struct signal_action actions_get(const struct actions *actions, int number)
{
    const struct reading reading = read_action(actions, number);
    struct signal_action action = reading.last;

    if (reading.reset) {
        action.handler = HANDLER_DEFAULT;
    }
    return action;
}

void actions_set(struct actions *actions, int number, const struct signal_action *action)
{
    struct versions *kept = &actions->by_number[number];
    const uint32_t changes = kept->changes + 1;

    kept->of[changes % ACTION_VERSIONS] = *action;
    __atomic_store_n(&kept->changes, changes, __ATOMIC_RELEASE);
}

/* Without a handler the version before has the one: the kernel had decided already. */
struct signal_action actions_take(struct actions *actions, int number, bool stays)
{
    struct versions *kept = &actions->by_number[number];
    const struct reading reading = read_action(actions, number);
    const uint32_t reset = reading.changes + 1;
    struct signal_action action = reading.last;

    if (!stays && !action_has_handler(&action)) {
        return reading.before;
    }
    if (action_has_handler(&action) && (action.flags & SA_RESETHAND) != 0 &&
        __atomic_exchange_n(&kept->reset, reset, __ATOMIC_ACQ_REL) == reset && stays) {
        action.handler = HANDLER_DEFAULT; /* another thread was first */
    }
    return action;
}
