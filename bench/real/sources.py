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
# Without the first, an update that fetched nothing succeeds.
ALWAYS = ["APT::Update::Error-Mode=any", "APT::Sandbox::User=root", "APT::Color=0",
          "Acquire::Retries=1", "Acquire::http::Timeout=30", "Acquire::https::Timeout=30"]


class SourceError(Exception):
    """What the user must know, in one line."""


class NoArchive(SourceError):
    """No package can be fetched, whichever it is."""


def apt(arguments, options=(), folder=None):
    options = [part for option in [*ALWAYS, *options] for part in ("-o", option)]
    argv = ["apt-get", "-q", *options, *arguments]
    try:
        return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise NoArchive("apt-get is not installed: the sources come from Debian's mirrors "
                        "with apt") from error


def first_error(done):
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("E: ")]
    return " ".join(lines[0][3:].split()) if lines else f"status {done.returncode}"


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


def private_state(folder, entries, announce):
    """Options that give apt its own lists and cache in `folder`, with these source repositories."""
    if not entries:
        raise NoArchive("apt knows no Debian archive on this machine: there is nowhere to fetch "
                        "source packages from")
    if not os.path.exists(KEYRING):
        raise NoArchive(f"{KEYRING} is missing (package debian-archive-keyring): signatures "
                        "could not be checked")
    for name in ("lists/partial", "cache/archives/partial", "state"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    listing = os.path.join(folder, "sources.list")
    wanted = "".join(f"deb-src [signed-by={KEYRING}] {uri} {suite} main\n"
                     for uri, suite in entries)
    options = [f"Dir::Etc::SourceList={listing}", "Dir::Etc::SourceParts=/dev/null",
               f"Dir::State={folder}/state", f"Dir::State::Lists={folder}/lists",
               f"Dir::Cache={folder}/cache"]
    if os.path.exists(listing):
        with open(listing, encoding="utf-8") as file:
            if file.read() == wanted:
                return options
    announce()
    incoming = listing + ".new"
    with open(incoming, "w", encoding="utf-8") as file:
        file.write(wanted)
    done = apt(["update", "-o", f"Dir::Etc::SourceList={incoming}"], options)
    if done.returncode != 0:
        raise NoArchive(f"apt-get update: {first_error(done)}")
    os.replace(incoming, listing)
    return options


def own_release(folder, say):
    """The machine's own state where it has source lists, a private one otherwise."""
    done = apt(["indextargets", "--format", "$(FILENAME)", "Created-By: Sources"])
    if done.returncode == 0 and done.stdout.strip():
        return []
    place = os.path.join(folder, "apt")
    return private_state(place, configured_entries(), lambda: say(
        f"no source repositories are configured here: apt gets its own state in {place}, with the "
        "same mirror; the system's is left alone"))


def other_release(release, folder, say):
    """A private state with another release from the same mirrors."""
    mirrors = dict.fromkeys(uri for uri, _ in configured_entries()
                            if urllib.parse.urlparse(uri).path.rstrip("/").endswith("/debian"))
    place = os.path.join(folder, f"apt-{release}")
    return private_state(place, [(uri, release) for uri in mirrors], lambda: say(
        f"reading what Debian's {release} has, with a state of apt's in {place}"))


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def download(package, place, options, *arguments):
    """None once apt has put the files into an empty `place`, otherwise why it did not."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    done = apt(["source", "--download-only", *arguments, package], options, place)
    return None if done.returncode == 0 else first_error(done)


def download_somehow(package, releases, folder, place, say):
    """Fetches from the machine's release, or else from the first of `releases` that has it.

    Mirrors may lack files that their index names.  A whole source package is best; its original
    archive alone, without Debian's changes, is taken where no release has a whole one."""
    say(f"fetching {package}")
    reason = download(package, place, own_release(folder, say))
    if reason is None:
        return
    for arguments, what in ([], "it"), (["--tar-only"], "its original archive, without patches,"):
        for release in releases:
            try:
                options = other_release(release, folder, say)
            except NoArchive:
                continue
            if download(package, place, options, *arguments) is None:
                say(f"{package}: {reason}; {what} comes from {release} instead")
                return
    elsewhere = f" (nor from {' or '.join(releases)})" if releases else ""
    raise SourceError(f"{package} cannot be fetched{elsewhere}: {reason}")


def described(package, place):
    """The version and the file to unpack of what lies in `place`."""
    names = sorted(os.listdir(place))
    descriptions = [name for name in names if name.endswith(".dsc")]
    if len(descriptions) == 1:
        with open(os.path.join(place, descriptions[0]), encoding="utf-8") as file:
            version = re.search(r"^Version: (\S+)$", file.read(), re.MULTILINE).group(1)
        return version, descriptions[0]
    archive = re.fullmatch(r"[^_]+_(\S+)\.orig\.tar\.\w+", names[0]) if len(names) == 1 else None
    if archive is None:
        raise SourceError(f"{package}: apt fetched {', '.join(names) or 'nothing'}")
    return archive.group(1), names[0]


def record_of(package, folder):
    return os.path.join(folder, "sources", package, "fetched.json")


def fetched_before(package, folder):
    """What fetch returned when it fetched `package` into `folder`, or None."""
    try:
        with open(record_of(package, folder), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def fetch(package, releases, folder, say):
    """Puts `package` into `folder`/sources; returns its version and its files with sha256.

    apt checks the archive's signature and every file's checksum."""
    place = os.path.join(folder, "sources", package)
    download_somehow(package, releases, folder, place, say)
    version, unpacked = described(package, place)
    facts = {"package": package, "version": version, "description": unpacked,
             "sha256": {name: sha256(os.path.join(place, name))
                        for name in sorted(os.listdir(place))}}
    record = record_of(package, folder)
    with open(record + ".new", "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)
    os.replace(record + ".new", record)
    return facts
