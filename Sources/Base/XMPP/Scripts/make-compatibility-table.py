#!/usr/bin/env python3
"""Writes CompatibilityTable.swift: the decomposition of each compatibility character (normal form KD).

Run it from the folder it is in:
  python3 make-compatibility-table.py > ../Addressing/CompatibilityTable.swift
The data are those of Python's unicodedata (14.0 with Python 3.11).
"""
import unicodedata as u

keys, scalars = [], []
for c in range(0x110000):
    if 0xD800 <= c < 0xE000:
        continue
    mapped = u.normalize('NFKD', chr(c))
    if mapped == u.normalize('NFD', chr(c)):
        continue
    keys.append(c << 32 | len(scalars) << 8 | len(mapped))
    scalars += [ord(m) for m in mapped]


def rows(numbers):
    line = ' '
    for number in numbers:
        text = f' 0x{number:X},'
        if len(line) + len(text) > 100:
            yield line
            line = ' '
        line += text
    yield line


print(f'// Made by Scripts/make-compatibility-table.py from Unicode {u.unidata_version}; do not edit by hand.\n')
print('/// The compatibility characters in ascending order: the scalar in the upper 32 bits, where in')
print('/// `compatibilityScalars` its mapping starts above the lowest 8, the length of that in those.')
print('let compatibilityKeys: [UInt64] = [')
print('\n'.join(rows(keys)))
print(']\n')
print('/// The mappings, one after the other.')
print('let compatibilityScalars: [UInt32] = [')
print('\n'.join(rows(scalars)))
print(']')
