/* The code of counters that count in software. */
#include "emit.h"

#include "translator/fragment/counter_code.h"

#include "base/check.h"

/* The displacement that leads to the exit at the threshold. */
#define CHECK 20
/* The displacement that leads to the fragment. */
#define ON 26

const struct counter_layout target_sw_layout = {.bytes = TOY_CELL + 8, .landing = 8, .indirect = 0};
const struct counter_layout target_paper_layout = {
    .bytes = 128, .landing = 6, .indirect = 0, .resume = 96};
/* It ends with the jump to the fragment, whose displacement is the last of it. */
const struct counter_layout target_taken_layout = {.bytes = 96};

void target_counter_start(struct context *context)
{
    struct translator *translator = context->translator;

    context->slots = translator->counts->slots;
    context->threshold = translator->options.threshold;
    hw_counter_set_threshold(translator->options.threshold);
}

/* Who comes by a register has the flags in the context already. */
static void write_cell_counter(struct emitter *emitter, const struct loop *loop)
{
    uint8_t *code = emitter->at;

    emit(emitter, TOY_OWN_RESTORE, R0, 0, SLOT_REGISTER(R0));
    emit(emitter, TOY_OWN_RESTORE, R1, 0, SLOT_REGISTER(R1));
    uint8_t *over = emit_own_jump(emitter, emitter->at);
    ASSERT(emitter->at == code + target_sw_layout.landing);
    emit(emitter, TOY_OWN_SAVE_FLAGS, 0, 0, SLOT_FLAGS);
    displacement_set(over, emitter->at);
    emit(emitter, TOY_OWN_COUNT, 0, 0, (int64_t)(uintptr_t)(code + TOY_CELL));
    uint8_t *reached = emit_own_branch(emitter, IF_ZERO, emitter->at);
    ASSERT(reached == code + CHECK);
    emit(emitter, TOY_OWN_RESTORE_FLAGS, 0, 0, SLOT_FLAGS);
    ASSERT(emit_own_jump(emitter, loop->fragment->entry) == code + ON);
    displacement_set(reached, emitter->at);
    emit(emitter, TOY_OWN_RESTORE_FLAGS, 0, 0, SLOT_FLAGS);
    emit(emitter, TOY_OWN_LEAVE, 0, 0, (int64_t)(uintptr_t)&loop->reached);
    ASSERT(emitter->at <= code + TOY_CELL);
}

enum { SPARE_R0, SPARE_R1, SPARE_FLAGS };

static void emit_spare(struct emitter *emitter, bool save)
{
    const enum toy_op op = save ? TOY_OWN_SAVE : TOY_OWN_RESTORE;

    emit(emitter, op, R0, 0, SLOT_SPARE(SPARE_R0));
    emit(emitter, op, R1, 0, SLOT_SPARE(SPARE_R1));
    emit(emitter, save ? TOY_OWN_SAVE_FLAGS : TOY_OWN_RESTORE_FLAGS, 0, 0, SLOT_SPARE(SPARE_FLAGS));
}

/* R0 is the slot; R1 becomes the count, with one more. */
static void emit_add_one(struct emitter *emitter)
{
    emit(emitter, TOY_LOAD8, R1, R0, offsetof(struct paper_slot, count));
    emit(emitter, TOY_ADD8, R1, 0, 1);
    emit(emitter, TOY_STORE8, R1, R0, offsetof(struct paper_slot, count));
}

/* The slot becomes the head's, which is in R1; collisions are known by what is added to slot->resets. */
static void emit_take_slot(struct emitter *emitter)
{
    emit(emitter, TOY_ADD_MEMORY, R0, R0, offsetof(struct paper_slot, resets));
    emit(emitter, TOY_STORE8, R1, R0, offsetof(struct paper_slot, head));
    emit(emitter, TOY_CONST8, R1, 0, 0);
    emit(emitter, TOY_STORE8, R1, R0, offsetof(struct paper_slot, count));
}

/* Up to the jump to the fragment. */
static void write_count(struct emitter *emitter, const struct translator *translator,
                        const struct loop *loop)
{
    const struct paper_slot *slot = &translator->counts->slots[paper_slot_of(loop->head)];

    emit_spare(emitter, true);
    emit(emitter, TOY_CONST64, R0, 0, (int64_t)(uintptr_t)slot);
    emit(emitter, TOY_CONST64, R1, 0, (int64_t)loop->head);
    emit(emitter, TOY_CMP_MEMORY, R1, R0, offsetof(struct paper_slot, head));
    uint8_t *same = emit_own_branch(emitter, IF_ZERO, emitter->at);
    emit_take_slot(emitter);
    displacement_set(same, emitter->at);
    emit_add_one(emitter);
    emit(emitter, TOY_CONST64, R0, 0, (int64_t)translator->options.threshold);
    emit(emitter, TOY_CMP, R0, R1, 0);
    uint8_t *on = emit_own_branch(emitter, IF_OTHER, emitter->at);
    emit_spare(emitter, false);
    emit(emitter, TOY_OWN_LEAVE, 0, 0, (int64_t)(uintptr_t)&loop->reached);
    displacement_set(on, emitter->at);
    emit_spare(emitter, false);
}

static void write_slot_counter(struct emitter *emitter, const struct translator *translator,
                               const struct loop *loop)
{
    const uint8_t *code = emitter->at;
    const struct paper_slot *slot = &translator->counts->slots[paper_slot_of(loop->head)];

    emit_take_back(emitter);
    ASSERT(emitter->at == code + target_paper_layout.landing);
    write_count(emitter, translator, loop);
    emit_own_jump(emitter, loop->fragment->entry);
    ASSERT(emitter->at <= code + target_paper_layout.resume);
    emitter->at = (uint8_t *)(uintptr_t)code + target_paper_layout.resume;
    emit(emitter, TOY_CONST64, R0, 0, (int64_t)(uintptr_t)slot);
    emit_add_one(emitter);
    emit_take_back(emitter);
    emit_own_jump(emitter, loop->fragment->entry);
    ASSERT(emitter->at <= code + target_paper_layout.bytes);
}

void target_counter_write(const struct translator *translator, uint8_t *code,
                          const struct loop *loop)
{
    struct emitter emitter = {.translator = NULL, .at = code};

    if (translator->options.counters == COUNTERS_SW_PAPER) {
        write_slot_counter(&emitter, translator, loop);
    } else {
        write_cell_counter(&emitter, loop);
    }
}

#define TAKEN_DISPLACEMENT(code) ((code) + target_taken_layout.bytes - 2)

void target_taken_write(struct translator *translator, uint8_t *code, const struct loop *loop,
                        const struct fragment *to)
{
    struct emitter emitter = {.translator = translator, .at = code};

    write_count(&emitter, translator, loop);
    const uint8_t *end = TAKEN_DISPLACEMENT(code) - 2;
    ASSERT(emitter.at <= end);
    while (emitter.at < end) {
        emit(&emitter, TOY_NOP, 0, 0, 0);
    }
    ASSERT(emit_own_jump(&emitter, to->entry) == TAKEN_DISPLACEMENT(code));
}

void target_taken_aim(struct translator *translator, uint8_t *code, const struct fragment *to)
{
    uint8_t *displacement = TAKEN_DISPLACEMENT(code);

    displacement_set(displacement, to->entry);
    target_sync(translator, CODE_COUNTER, displacement, displacement + 2);
}

bool target_counter_aim(struct translator *translator, const struct loop *loop,
                        const uint8_t *entry)
{
    uint8_t *on = loop->code + ON;

    if (!displacement_reaches(on, entry)) {
        return false;
    }
    displacement_set(on, entry);
    target_sync(translator, CODE_COUNTER, on, on + 2);
    return true;
}

void target_counter_pass(struct translator *translator, const struct loop *loop)
{
    uint8_t *check = loop->code + CHECK;

    displacement_set(check, check + 2);
    target_sync(translator, CODE_COUNTER, check, check + 2);
}
