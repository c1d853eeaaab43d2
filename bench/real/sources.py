"""Owns fetching: Debian source packages with apt, from the machine's own mirror, without root."""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import urllib.parse

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class SourceError(Exception):
    """What the user must know, in one line."""


def apt(arguments, options=(), folder=None):
    argv = ["apt-get", "-q", *[part for option in options for part in ("-o", option)], *arguments]
    try:
        return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise SourceError("apt-get is not installed: the sources come from Debian's mirrors "
                          "with apt") from error


def first_error(done):
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("E: ")]
    return lines[0][3:] if lines else f"apt-get ended with status {done.returncode}"


def one_line_entries(text):
    """(URIs, suites, components) of each `deb` line of a sources.list."""
    for line in text.splitlines():
        line = re.sub(r"\[[^]]*\]", " ", line.split("#")[0])
        words = line.split()
        if len(words) >= 4 and words[0] in ("deb", "deb-src"):
            yield words[1:2], words[2:3], words[3:]


def stanza_entries(text):
    """The same of each stanza of a .sources file."""
    for stanza in re.split(r"\n\s*\n", text):
        fields = {}
        for line in stanza.splitlines():
            name, colon, value = line.partition(":")
            if colon and not line.startswith(("#", " ", "\t")):
                fields[name.strip().lower()] = value.split()
        if fields.get("enabled", ["yes"]) != ["no"]:
            yield fields.get("uris", []), fields.get("suites", []), fields.get("components", [])


def configured_entries():
    """Where this machine gets Debian from, as (URI, suite): archives in Debian's layout only."""
    entries = []
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        if not path.endswith((".list", ".sources")) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        parse = stanza_entries if path.endswith(".sources") else one_line_entries
        for uris, suites, components in parse(text):
            for uri in uris:
                place = urllib.parse.urlparse(uri).path.rstrip("/")
                if place.endswith(("/debian", "/debian-security")) and "main" in components:
                    entries += [(uri, suite) for suite in suites]
    return list(dict.fromkeys(entries))


def private_state(folder, say):
    """Options that give apt its own lists and cache in `folder`, with source repositories."""
    entries = configured_entries()
    if not entries:
        raise SourceError("apt knows no Debian archive on this machine: there is nowhere to fetch "
                          "source packages from")
    if not os.path.exists(KEYRING):
        raise SourceError(f"{KEYRING} is missing (package debian-archive-keyring): signatures "
                          "could not be checked")
    for name in ("lists/partial", "cache/archives/partial", "state"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    listing = os.path.join(folder, "sources.list")
    wanted = "".join(f"deb-src [signed-by={KEYRING}] {uri} {suite} main\n"
                     for uri, suite in entries)
    options = [f"Dir::Etc::SourceList={listing}", "Dir::Etc::SourceParts=/dev/null",
               f"Dir::State={folder}/state", f"Dir::State::Lists={folder}/lists",
               f"Dir::Cache={folder}/cache", "APT::Sandbox::User=root", "APT::Color=0"]
    if os.path.exists(listing):
        with open(listing, encoding="utf-8") as file:
            if file.read() == wanted:
                return options
    say(f"no source repositories are configured here: apt gets its own state in {folder}, with the "
        "same mirror; the system's is left alone")
    incoming = listing + ".new"
    with open(incoming, "w", encoding="utf-8") as file:
        file.write(wanted)
    done = apt(["update", "-o", f"Dir::Etc::SourceList={incoming}"], options)
    if done.returncode != 0:
        raise SourceError(f"apt-get update: {first_error(done)}")
    os.replace(incoming, listing)
    return options


def apt_options(folder, say):
    """The machine's own state where it has source lists, a private one otherwise."""
    done = apt(["indextargets", "--format", "$(FILENAME)", "Created-By: Sources"])
    if done.returncode == 0 and done.stdout.strip():
        return ["APT::Sandbox::User=root"]
    return private_state(os.path.join(folder, "apt"), say)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def fetch(package, folder, say):
    """What is known of `package` once it is in `folder`/sources: version and files with sha256.

    apt checks the archive's signature and every file's checksum; what was fetched once stays."""
    place = os.path.join(folder, "sources", package)
    record = os.path.join(place, "fetched.json")
    if os.path.exists(record):
        with open(record, encoding="utf-8") as file:
            return json.load(file)
    options = apt_options(folder, say)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    say(f"fetching {package}")
    done = apt(["source", "--download-only", package], options, place)
    if done.returncode != 0:
        raise SourceError(f"{package} cannot be fetched: {first_error(done)}")
    names = sorted(os.listdir(place))
    descriptions = [name for name in names if name.endswith(".dsc")]
    if len(descriptions) != 1:
        raise SourceError(f"{package}: apt fetched {len(descriptions)} descriptions")
    with open(os.path.join(place, descriptions[0]), encoding="utf-8") as file:
        version = re.search(r"^Version: (\S+)$", file.read(), re.MULTILINE).group(1)
    facts = {"package": package, "version": version, "description": descriptions[0],
             "sha256": {name: sha256(os.path.join(place, name)) for name in names}}
    with open(record + ".new", "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)
    os.replace(record + ".new", record)
    return facts
