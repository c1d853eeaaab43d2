"""Owns slices as tests write them: the bytes of a section, as docs/slices.md describes it, and a program that has it."""

import hashlib
import os
import struct

BASIC, CHAINING = 0, 1
UNGUARDED, GUARD_TAKEN, GUARD_NOT_TAKEN = 0, 1, 2
HEADER_BYTES = 64
NAME = b".strata.slices\0"
EXECUTABLE, LOADED = 1, 1


def load(width, rd, rs1, offset):
    """lb, lh, lw or ld by the number of bytes."""
    return (offset & 0xfff) << 20 | rs1 << 15 | {1: 0, 2: 1, 4: 2, 8: 3}[width] << 12 | rd << 7 | 0x03


def addi(rd, rs1, value):
    return (value & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x13


def bne(rs1, rs2):
    """Its target does not matter: a guard goes nowhere."""
    return rs2 << 20 | rs1 << 15 | 1 << 12 | 8 << 8 | 0x63


def slice_of(trigger, live_ins, prologue=(), body=(), kind=BASIC, guard=UNGUARDED, unroll=1, throttle=0, target=None):
    """Of words; the last load is the delinquent one, at the address `target` of the program."""
    words = list(prologue) + list(body)
    last = max(place for place, word in enumerate(words) if word & 0x7f in (0x03, 0x07) or place == 0)
    registers = sum(1 << number for number in live_ins)
    text = struct.pack("<QQBBHHHH6x5Q", trigger, registers, kind, guard, len(words), len(prologue), unroll, throttle,
                       1, 2, 3, 4, 5)
    for place, word in enumerate(words):
        pc = target if place == last and target is not None else trigger
        text += struct.pack("<QII", pc, word, place == last)
    return text


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return value


def segments(data):
    """(kind, flags, offset, address, bytes in the file) of each."""
    headers, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for at in range(headers, headers + size * count, size):
        kind, flags, offset, address, _, file_bytes = struct.unpack_from("<IIQQQQ", data, at)
        yield kind, flags, offset, address, file_bytes


def text_hash(data):
    digest = hashlib.sha256()
    for kind, flags, offset, _, size in segments(data):
        if kind == LOADED and flags & EXECUTABLE:
            part = bytearray(data[offset:offset + size])
            header = min(max(HEADER_BYTES - offset, 0), size)
            part[:header] = bytes(header)
            digest.update(part)
    return digest.digest()


def section(slices, digest):
    payload = b"".join(slices)
    head = struct.pack("<8sII32sQ", b"STRSLICE", 1, len(slices), digest, len(payload))
    return head + struct.pack("<Q", fnv(head + payload)) + payload


def attached(data, content):
    """The program's file with another section behind all that it has."""
    data = bytearray(data)
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = bytearray(data[at:at + size * count])
    name_at = size * names
    offset, length = struct.unpack_from("<QQ", headers, name_at + 24)
    strings = data[offset:offset + length] + NAME
    data += bytes(-len(data) % 8)
    struct.pack_into("<QQ", headers, name_at + 24, len(data) + len(content), len(strings))
    headers += struct.pack("<IIQQQQIIQQ", length, 1, 0, 0, len(data), len(content), 0, 0, 8, 0)
    data += content + strings
    data += bytes(-len(data) % 8)
    struct.pack_into("<Q", data, 40, len(data))
    struct.pack_into("<H", data, 60, count + 1)
    return data + headers


def attach(program, out, slices):
    """Writes `out`: the program with these slices."""
    with open(program, "rb") as file:
        data = file.read()
    write(out, attached(data, section(slices, text_hash(data))))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o755)
