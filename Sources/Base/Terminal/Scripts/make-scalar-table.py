#!/usr/bin/env python3
"""Writes ScalarTable.swift: what every Unicode scalar does on a screen of character cells.

Run it from the folder it is in:  python3 make-scalar-table.py > ../ScalarTable.swift
The data are those of Python's unicodedata (14.0 with Python 3.11, the version of glibc 2.36);
scalars that are newer count as unassigned and are shown as U+FFFD.
"""
import sys
import unicodedata as u

NARROW, WIDE, MARK, SPACING, WIDE_JOINING, DROPPED, REPLACED, CONTROL, REGIONAL, BREAK, AMBIGUOUS = range(11)
NORMALISE = 0x10

# The second halves of canonical compositions: text with one of them may not be in NFC.
seconds = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
for c in range(0x110000):
    parts = u.decomposition(chr(c)).split()
    if len(parts) == 2 and not parts[0].startswith('<') and u.normalize('NFC', chr(c)) == chr(c):
        seconds.add(int(parts[1], 16))

# Grapheme_Cluster_Break=Prepend among the assigned characters that are not dropped (Cf),
# and letters that count as SpacingMark (Thai and Lao AM).
JOINING = {0x0D4E, 0x111C2, 0x111C3, 0x1193F, 0x11941, 0x11A3A, 0x11D46, 0x0E33, 0x0EB3}
JOINING |= set(range(0x11A84, 0x11A8A))


def wide(c):
    # glibc (and so ncurses) counts these as wide too; they are ambiguous or neutral in UAX #11.
    if 0x3248 <= c <= 0x324F or 0x4DC0 <= c <= 0x4DFF:
        return True
    return u.east_asian_width(chr(c)) in 'WF'


def scalar_class(c):
    ch = chr(c)
    category = u.category(ch)
    if c == 0x200B:
        return BREAK
    if category == 'Cc':
        return CONTROL
    if c in (0x20E3, 0x34F) or 0xFE00 <= c <= 0xFE0F or 0x1F3FB <= c <= 0x1F3FF or 0xE0000 <= c <= 0xE01EF:
        return DROPPED
    # Mongolian variation selectors and the Hangul fillers draw nothing.
    if 0x180B <= c <= 0x180F or c in (0x115F, 0x1160, 0x3164, 0xFFA0):
        return DROPPED
    if category in ('Cf', 'Zl', 'Zp'):
        return DROPPED
    if category in ('Cn', 'Co', 'Cs'):
        return REPLACED
    if 0x1F1E6 <= c <= 0x1F1FF:
        return REGIONAL
    if category in ('Mn', 'Me') or 0x1160 <= c <= 0x11FF or 0xD7B0 <= c <= 0xD7FB:
        return MARK
    joining = category == 'Mc' or c in JOINING or 0x1100 <= c <= 0x115F or 0xA960 <= c <= 0xA97C
    if u.normalize('NFC', ch) != ch or c in seconds:
        joining = True
    if wide(c):
        return WIDE_JOINING if joining else WIDE
    if joining:
        return SPACING
    # East Asian Ambiguous (UAX #11): one column, or two where the terminal is set up so.
    return AMBIGUOUS if u.east_asian_width(ch) == 'A' else NARROW


def entry(c):
    value = scalar_class(c)
    if value in (MARK, SPACING, WIDE_JOINING):
        if u.normalize('NFC', chr(c)) != chr(c) or c in seconds:
            value |= NORMALISE
    return value


ranges = []
last = None
for c in range(0x110000):
    value = entry(c)
    if value != last:
        ranges.append((c, value))
        last = value

print('// Made by Scripts/make-scalar-table.py from Unicode %s; do not edit by hand.' % u.unidata_version)
print()
print('/// The start of each run of equal scalars, in ascending order: the first scalar in the upper 24')
print('/// bits, its `ScalarClass` in the lower 4, and `ScalarClass.normalises` above those.')
print('let scalarTable: [UInt32] = [')
line = ' '
for start, value in ranges:
    item = ' 0x%X,' % (start << 8 | value)
    if len(line) + len(item) > 100:
        print(line)
        line = ' '
    line += item
print(line)
print(']')
print('%d ranges' % len(ranges), file=sys.stderr)
