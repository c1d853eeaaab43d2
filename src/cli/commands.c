/* The table of the sub-commands. */
#include "cli/command.h"

const struct command commands[] = {
#define COMMAND(name, purpose) {#name, purpose, command_##name, &command_##name##_description},
#include "cli/commands.def"
#undef COMMAND
};
const size_t command_count = sizeof commands / sizeof commands[0];
