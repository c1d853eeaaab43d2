/* Shows an interpreter of the eight-instruction tape language, with nested loops, output and
 * input. */
#include "common.h"

static void run(const char *program, const char *input)
{
    static unsigned char tape[30000];
    static size_t match[4000];
    size_t stack[100];
    size_t depth = 0;
    size_t at = 0;
    uint64_t steps = 0;
    size_t length = strlen(program);

    memset(tape, 0, sizeof(tape));
    for (size_t i = 0; i < length; i++) {
        if (program[i] == '[') {
            stack[depth++] = i;
        } else if (program[i] == ']') {
            match[i] = stack[--depth];
            match[match[i]] = i;
        }
    }
    for (size_t i = 0; i < length; i++, steps++) {
        switch (program[i]) {
        case '>':
            at++;
            break;
        case '<':
            at--;
            break;
        case '+':
            tape[at]++;
            break;
        case '-':
            tape[at]--;
            break;
        case '.':
            putchar(tape[at]);
            break;
        case ',':
            tape[at] = (unsigned char)(*input != '\0' ? *input++ : 0);
            break;
        case '[':
            i = tape[at] == 0 ? match[i] : i;
            break;
        case ']':
            i = tape[at] != 0 ? match[i] : i;
            break;
        default:
            break;
        }
    }
    printf("steps %lu\n", steps);
}

int main(void)
{
    run("+++++[>+++++<-]>+>++++++++[>++++++++<-]>+<<[>>.+<<-]", "");
    run("++++++++++[>++++++++++[>++++++++++[>++++++++++[>+++++++[>+>+<<-]<-]<-]<-]<-]>>>>>>[-]+++++"
        "+++[>++++"
        "++++<-]>+++.<<[>>>+<<<-]>>>[-]++++++++++.",
        "");
    run(">,[>,]<[.<]", "reversed by the machine");
    return 0;
}
