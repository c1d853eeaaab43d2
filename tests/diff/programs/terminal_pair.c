/* Shows a pseudo-terminal: its size, its modes, lines, and the translation of line ends. */
#include "common.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

int main(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 33, .ws_col = 99};
    struct termios modes;
    struct pollfd entry;
    char text[64] = "";
    int terminal = 0;
    int count = 0;

    if (master < 0) {
        printf("no terminals here\n");
        return 0;
    }
    REQUIRE(grantpt(master) == 0 && unlockpt(master) == 0);
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    printf("terminals %d %d %d\n", isatty(master), isatty(terminal), isatty(open(".", O_RDONLY)));
    REQUIRE(ioctl(master, TIOCSWINSZ, &size) == 0);
    memset(&size, 0, sizeof(size));
    REQUIRE(ioctl(terminal, TIOCGWINSZ, &size) == 0);
    printf("size %d %d\n", size.ws_row, size.ws_col);
    REQUIRE(tcgetattr(terminal, &modes) == 0);
    printf("modes %x %x %x %x %d\n", modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag,
           modes.c_cc[VEOF]);

    entry = (struct pollfd){.fd = terminal, .events = POLLIN};
    REQUIRE(write(master, "half", 4) == 4);
    printf("half a line: %d\n", poll(&entry, 1, 0));
    REQUIRE(write(master, " line\n", 6) == 6);
    printf("a line: %d", poll(&entry, 1, 0));
    REQUIRE(ioctl(terminal, FIONREAD, &count) == 0);
    printf(" of %d", count);
    printf(" %zd", read(terminal, text, sizeof(text)));
    printf(" [%.9s]\n", text);

    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    REQUIRE(tcflush(master, TCIOFLUSH) == 0 && tcsetattr(terminal, TCSANOW, &modes) == 0);
    REQUIRE(write(master, "key", 3) == 3);
    printf("without lines: %zd\n", read(terminal, text, sizeof(text)));
    REQUIRE(write(terminal, "out\n", 4) == 4);
    memset(text, 0, sizeof(text));
    count = (int)read(master, text, sizeof(text));
    printf("with a return: %d %d\n", count, text[count - 2] == '\r');
    REQUIRE(close(terminal) == 0);
    printf("hung up: %s\n", outcome(read(master, text, sizeof(text))));
    return 0;
}
