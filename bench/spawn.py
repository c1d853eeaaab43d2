"""Runs a program to its end and says what it took: what the measurements of bench/ share."""

import os
import signal
import time
from collections import namedtuple

TIMEOUT_SECONDS = 600

Run = namedtuple("Run", "status output errors cpu_seconds wall_seconds rss_bytes")


class BenchError(Exception):
    """What the user must know, in one line."""


def spawn(argv, folder):
    """Runs a program to its end.  subprocess cannot give the resource usage of one child."""
    paths = [os.path.join(folder, name) for name in ("stdout", "stderr")]
    mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    actions += [(os.POSIX_SPAWN_OPEN, 1 + i, path, mode, 0o600) for i, path in enumerate(paths)]
    started = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(TIMEOUT_SECONDS)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    signal.alarm(0)
    texts = []
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read())
    return Run(os.waitstatus_to_exitcode(status), texts[0], texts[1].decode(errors="replace"),
               usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def checked_spawn(argv, folder):
    run = spawn(argv, folder)
    if run.status != 0:
        first = (run.errors.strip().splitlines() or ["no message"])[0]
        if run.wall_seconds >= TIMEOUT_SECONDS:
            first = f"ended after {TIMEOUT_SECONDS} s"
        raise BenchError(f"{' '.join(argv[:2])} ... {os.path.basename(argv[-1])}: "
                         f"status {run.status}: {first}")
    return run
