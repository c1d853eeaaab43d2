"""What all checks of documents share: where things are, and how a document or a table is read."""

import glob
import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
STRATA = os.path.join(BUILD, "strata")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def output(*arguments):
    done = subprocess.run([STRATA, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def printed(*command):
    """What a script of the tree prints."""
    done = subprocess.run([os.path.join(TOP, command[0]), *command[1:]], capture_output=True, text=True, check=True,
                          env={**os.environ, "BUILD": BUILD, "COLUMNS": "200"})
    return done.stdout


def source(name):
    """A file of src/ by its name alone, wherever it stands."""
    found = glob.glob(os.path.join(TOP, "src", "**", name), recursive=True)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} files {name} in src")
    return read(found[0])


def documents():
    """All documents, by their paths from the top."""
    return sorted(os.path.relpath(path, TOP) for folder in ("", "docs")
                  for path in glob.glob(os.path.join(TOP, folder, "*.md")))


def section(path, title):
    """What stands under a heading, up to the next one of its level or above."""
    level = re.search(rf"^(#+) {re.escape(title)}$", read(path), flags=re.M)
    if level is None:
        raise AssertionError(f"{path} has no heading {title!r}")
    rest = read(path)[level.end():]
    return re.split(rf"^#{{1,{len(level.group(1))}}} ", rest, maxsplit=1, flags=re.M)[0]


def rows(text):
    """The cells of all rows of the tables in a text, without titles."""
    found = []
    for line in re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S).splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
            if set(cells) == {"---"}:
                found.pop()
            else:
                found.append(cells)
    return found


def words(text):
    """What stands in backquotes."""
    return re.findall(r"`([^`]+)`", text)
