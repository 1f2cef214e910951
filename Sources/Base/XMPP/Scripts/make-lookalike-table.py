#!/usr/bin/env python3
"""Writes LookalikeTable.swift: which letters, digits and marks look like plain ones.

Run it from the folder it is in:  python3 make-lookalike-table.py > ../Addressing/LookalikeTable.swift
The data are Unicode's confusables (UTS #39), as the system's ICU library has them (Unicode License v3). Only characters that
can be in a prepared address (RFC 7622) are in it, and only those that look like ASCII.
"""
import ctypes
import ctypes.util
import glob
import re
import unicodedata

path = sorted(glob.glob("/usr/lib/*/libicui18n.so.[0-9]*"))[0]
version = re.search(r"\.so\.(\d+)", path).group(1)
library = ctypes.CDLL(path)
error = ctypes.c_int(0)
opening = getattr(library, "uspoof_open_" + version)
opening.restype = ctypes.c_void_p
checker = ctypes.c_void_p(opening(ctypes.byref(error)))
skeleton_of = getattr(library, "uspoof_getSkeletonUTF8_" + version)


def skeleton(text):
    data, out, problem = text.encode(), ctypes.create_string_buffer(400), ctypes.c_int(0)
    size = skeleton_of(checker, 0, data, len(data), out, 400, ctypes.byref(problem))
    return out.raw[:size].decode()


rows = {}
for code in range(0x21, 0x20000):
    char = chr(code)
    if unicodedata.category(char)[0] not in "LNM" or unicodedata.normalize("NFKC", char).casefold() != char:
        continue
    plain = skeleton(char).lower()
    if plain != char and all(" " < part < "\x7f" for part in plain):
        rows.setdefault(plain, []).append(code)

print("// Made by Scripts/make-lookalike-table.py from Unicode's confusables (UTS #39; Unicode License")
print("// v3), as ICU %s has them." % version)
print()
print("/// Plain characters, and the scalars that look like them.")
print("enum LookalikeTable {")
print("  static let rows: [(plain: String, others: [UInt32])] = [")
for plain, codes in sorted(rows.items()):
    line = '    (%s, [' % ('"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"')
    for place, code in enumerate(codes):
        part = "0x%X%s" % (code, "" if place == len(codes) - 1 else ", ")
        if len(line) + len(part) > 96:
            print(line.rstrip())
            line = "      "
        line += part
    print(line + "]),")
print("  ]")
print("}")
