/* `strata completion`: prints, from the option tables, what lets a shell complete the commands.
 *
 * What stands for a value in the help text says what can stand there: words in lower case between bars are all that it
 * may be, FILE and DIR are found by the shell, a PROCESSOR is a name that `strata config` lists or a file.  For other
 * values nothing is offered. */
#include "cli/command.h"
#include "machine/pipeline/parameters.h"
#include "machine/units/chosen.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define UNIT_ARGUMENT "UNIT[,P=N]"
#define SET_ARGUMENT "S.NAME=VALUE"

enum shell { SHELL_NONE, SHELL_BASH, SHELL_ZSH };

static const struct command_description description = {
    .name = "completion",
    .usage = "bash|zsh",
    .operand = "bash|zsh",
    .purpose =
        "Prints what lets bash or zsh complete the commands of strata, their options and the "
        "values\n"
        "of these.  For bash: source <(strata completion bash).  For zsh: strata completion zsh\n"
        ">FOLDER/_strata, with a FOLDER of its fpath.  make install puts both where the shells "
        "look.",
};
const struct command_description *const command_completion_description = &description;

/* Prints the words that an argument may be, each behind a space. */
static void print_words(const char *argument)
{
    if (strcmp(argument, UNIT_ARGUMENT) == 0) {
        for (unsigned i = 0; chosen_kinds[i] != NULL; i++) {
            printf(" %s", chosen_kinds[i]->name);
        }
        return;
    }
    if (strcmp(argument, SET_ARGUMENT) == 0) {
        for (size_t i = 0; i < parameter_count; i++) {
            printf(" %s.%s=", parameter_rows[i].section, parameter_rows[i].name);
        }
        return;
    }
    for (const char *word = argument; word != NULL;) {
        const size_t length = strcspn(word, "|");
        if (islower((unsigned char)word[0])) {
            printf(" %.*s", (int)length, word);
        }
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
}

/* bash: all options of each command, and a pattern for each that takes a value. */
static void print_bash_command(const struct command_description *command)
{
    printf("    %s)\n        options='-h --help", command->name);
    for (unsigned i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL) {
            printf(" %s", command->options[i].name);
        }
    }
    const char *operand = command->operand != NULL ? command->operand : "";
    printf("'\n        operand='%s' words='", operand);
    print_words(operand);
    printf("'\n        case $1 in\n");
    for (unsigned i = 0; i < command->option_count; i++) {
        const struct command_option *option = &command->options[i];
        if (option->argument != NULL && option->help != NULL) {
            printf("        %s) value='%s' words='", option->name, option->argument);
            print_words(option->argument);
            printf("' ;;\n");
        }
    }
    printf("        esac\n        ;;\n");
}

/* What does not depend on the tables.  bash takes --option=value apart into three words before it asks. */
/* clang-format off */
static const char bash_functions[] =
    "# Offers what a value or a word, $1, may be; $2 are the words that it may be.\n"
    "_strata_offer()\n{\n"
    "    local names=$2\n"
    "    case $1 in\n"
    "    *PROCESSOR*)\n"
    "        names=$(\"${COMP_WORDS[0]}\" config 2>/dev/null | while read -r name _; do echo \"$name\"; done)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\"; compgen -f -- \"$word\")\n"
    "        return ;;\n"
    "    *FILE*|*PROGRAM*)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "        return ;;\n"
    "    *DIR*)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
    "        return ;;\n"
    "    *=VALUE*) compopt -o nospace ;;\n"
    "    esac\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\")\n"
    "}\n\n"
    "_strata()\n{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
    "    local options operand value words at=2 behind='' ended=''\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_strata_commands -h --help --version\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    if [[ $command == help ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_strata_commands\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    # Which option the word is the value of, and whether a word before it ended the options.  bash takes\n"
    "    # --option=value apart into three words.\n"
    "    while ((at < COMP_CWORD)); do\n"
    "        behind=''\n"
    "        case ${COMP_WORDS[at]} in\n"
    "        --) ended=yes ;;\n"
    "        -?*)\n"
    "            _strata_table \"${COMP_WORDS[at]}\"\n"
    "            if [[ -n $value ]]; then\n"
    "                behind=${COMP_WORDS[at]}\n"
    "                ((at++))\n"
    "                if ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == = ]]; then ((at++)); fi\n"
    "            fi ;;\n"
    "        *)\n"
    "            _strata_table ''\n"
    "            [[ $operand == PROGRAM ]] && ended=yes ;;\n"
    "        esac\n"
    "        [[ -n $ended ]] && break\n"
    "        ((at++))\n"
    "    done\n"
    "    if [[ -n $ended ]]; then\n"
    "        _strata_offer FILE ''\n"
    "    elif ((at > COMP_CWORD)); then\n"
    "        _strata_table \"$behind\"\n"
    "        [[ $word == = ]] && word=''\n"
    "        _strata_offer \"$value\" \"$words\"\n"
    "    elif [[ $word == -* ]]; then\n"
    "        _strata_table ''\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "    else\n"
    "        _strata_table ''\n"
    "        [[ -n $operand ]] && _strata_offer \"$operand\" \"$words\"\n"
    "    fi\n"
    "}\n"
    "complete -F _strata strata\n";
/* clang-format on */

static void print_bash(void)
{
    printf(
        "# Completion of strata for bash: written by `strata completion bash`.\n"
        "# shellcheck shell=bash\n\n"
        "# Sets what is known of a command, $command: its options, what its words are, and for the "
        "option $1\n"
        "# what its value is, if it takes one, and the words that this may be.\n"
        "_strata_table()\n{\n    options='' operand='' value='' words=''\n    case $command in\n");
    for (size_t i = 0; i < command_count; i++) {
        print_bash_command(*commands[i].description);
    }
    printf("    esac\n}\n\n");
    printf("_strata_commands='help");
    for (size_t i = 0; i < command_count; i++) {
        printf(" %s", commands[i].name);
    }
    printf("'\n\n");
    fputs(bash_functions, stdout);
}

static bool has_words(const char *argument)
{
    return strcmp(argument, UNIT_ARGUMENT) == 0 || strchr(argument, '|') != NULL;
}

/* zsh: text between single quotes, where brackets and colons mean something. */
static void print_zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            printf("'\\''");
        } else {
            printf("%s%c", strchr("[]:\\", *text) != NULL ? "\\" : "", *text);
        }
    }
}

static void print_zsh_action(const char *argument)
{
    if (strstr(argument, "PROCESSOR") != NULL) {
        printf("_strata_processors");
    } else if (strstr(argument, "FILE") != NULL || strcmp(argument, "PROGRAM") == 0) {
        printf("_files");
    } else if (strcmp(argument, "DIR") == 0) {
        printf("_files -/");
    } else if (strcmp(argument, SET_ARGUMENT) == 0) {
        printf("_strata_parameters");
    } else if (has_words(argument)) {
        printf("(");
        print_words(argument);
        printf(")");
    } else {
        printf(" "); /* the shell shows what is expected, and offers nothing */
    }
}

static void print_zsh_option(const struct command_option *option)
{
    /* -o FILE and -oFILE; --option VALUE and --option=VALUE. */
    const bool letter = option->name[1] != '-';
    const char *joint = option->argument == NULL ? "" : letter ? "+" : "=";
    const bool repeated = strstr(option->help, "may be repeated") != NULL;
    printf("            '%s%s%s[", repeated ? "*" : "", option->name, joint);
    print_zsh_text(option->help);
    printf("]");
    if (option->argument != NULL) {
        printf(":");
        print_zsh_text(option->argument);
        printf(":");
        print_zsh_action(option->argument);
    }
    printf("' \\\n");
}

static void print_zsh_command(const struct command_description *command)
{
    const char *operand = command->operand;
    const bool program = operand != NULL && strcmp(operand, "PROGRAM") == 0;
    printf("        %s)\n            _arguments -S %s'(-)'{-h,--help}'[show help]' \\\n",
           command->name, program ? "-A '-*' " : "");
    for (unsigned i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL) {
            print_zsh_option(&command->options[i]);
        }
    }
    if (program) {
        printf("            '1:program:_files' '*:argument:_files' ;;\n");
    } else if (operand != NULL) {
        printf("            '*:%s:", operand);
        print_zsh_action(operand);
        printf("' ;;\n");
    } else {
        printf("            && return ;;\n");
    }
}

static void print_zsh(void)
{
    printf(
        "#compdef strata\n# Completion of strata for zsh: written by `strata completion zsh`.\n\n"
        "_strata_processors() {\n"
        "    local -a names\n"
        "    names=(${(f)\"$(_call_program processors $words_of_all[1] config 2>/dev/null)\"})\n"
        "    names=(${names%%%% *})\n"
        "    compadd -a names\n"
        "    _files\n"
        "}\n\n"
        "_strata_parameters() {\n"
        "    local -a names\n"
        "    names=(");
    print_words(SET_ARGUMENT);
    printf(" )\n    compadd -S '' -a names\n}\n\n"
           "_strata() {\n"
           "    local -a words_of_all commands\n"
           "    local state line curcontext=$curcontext\n"
           "    words_of_all=($words)\n"
           "    commands=(\n        'help:explain a command'\n");
    for (size_t i = 0; i < command_count; i++) {
        printf("        '%s:", commands[i].name);
        print_zsh_text(commands[i].purpose);
        printf("'\n");
    }
    printf("    )\n"
           "    _arguments -C '(-)'{-h,--help}'[show help]' '(-)--version[show the version]' \\\n"
           "        '1:command:->command' '*:: :->words' && return\n"
           "    case $state in\n"
           "    command) _describe command commands ;;\n"
           "    words)\n"
           "        case $line[1] in\n"
           "        help) _describe command commands ;;\n");
    for (size_t i = 0; i < command_count; i++) {
        print_zsh_command(*commands[i].description);
    }
    printf("        esac ;;\n    esac\n}\n\n_strata \"$@\"\n");
}

int command_completion(int count, char **arguments)
{
    int status = 0;
    const int first = command_read_options(&description, NULL, count, arguments, &status);
    if (first < 0) {
        return status;
    }
    const char *name = first + 1 == count ? arguments[first] : NULL;
    const enum shell shell = name == NULL                ? SHELL_NONE
                             : strcmp(name, "bash") == 0 ? SHELL_BASH
                             : strcmp(name, "zsh") == 0  ? SHELL_ZSH
                                                         : SHELL_NONE;
    if (shell == SHELL_NONE) {
        return command_misused(&description,
                               name != NULL ? "expected the name of a shell, bash or zsh:"
                                            : "expected the name of a shell, bash or zsh",
                               name);
    }
    if (shell == SHELL_BASH) {
        print_bash();
    } else {
        print_zsh();
    }
    return 0;
}
