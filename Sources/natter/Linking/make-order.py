#!/usr/bin/env python3
"""Writes order.txt: which functions the linker puts together, because they run at each start.

Build with a link map, run natter under valgrind through what is to be quick (the guide; an account that
signs in and stays idle), and put both together:

  swift build -c release --static-swift-stdlib --product natter -Xlinker -Map=/tmp/natter.map
  strip --strip-debug -o .build/natter .build/release/natter
  valgrind --tool=callgrind --demangle=no --callgrind-out-file=/tmp/calls.%p \
    --dump-after='$s15TerminalNcurses0B6ScreenC5flush6cursory0A05PointVSg_tF' .build/natter
  python3 make-order.py /tmp/natter.map /tmp/guide.1 /tmp/account.1 /tmp/guide /tmp/account.* > order.txt

With --dump-after a file ends with each frame: those of the first frames come first, so that what the first frame takes
lies on as few pages as it can.

valgrind does not read this debug information. The linker moves whole sections: of each that runs, one
function is named. Names that are no more are ignored, functions that are not named only lie elsewhere: an
old file does no harm.
"""
import re
import sys


def called(path):
    """The functions of natter in one of callgrind's files."""
    names, objects, current = {}, {}, None
    entry = re.compile(r'c?(ob|fn)=\((\d+)\)(?: (.*))?')
    for line in open(path, errors='replace'):
        match = entry.match(line)
        if not match:
            continue
        kind, number, name = match.groups()
        table = objects if kind == 'ob' else names
        if name:
            table[number] = name.strip()
        if line.startswith('ob='):
            current = table.get(number, '')
        elif line.startswith('fn=') and '/natter' in (current or ''):
            # A number behind an apostrophe: the depth of a recursion.
            yield re.sub(r"'\d+$", '', names.get(number, ''))


# The first file that each function is in.
hot = {}
for rank, path in enumerate(sys.argv[2:]):
    for name in called(path):
        hot.setdefault(name, rank)

section_line = re.compile(r'\s*[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+\d+ {9}\S.*:\((\S+)\)$')
symbol_line = re.compile(r'\s*[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+\d+ {17}(\S+)$')
is_code = False
# Of each section that runs, its earliest function.
found = []
for line in open(sys.argv[1], errors='replace'):
    section = section_line.match(line)
    if section:
        is_code = section[1].startswith('.text')
        best = None
        continue
    symbol = symbol_line.match(line)
    if symbol and is_code and symbol[1] in hot:
        if best is None:
            best = len(found)
            found.append((hot[symbol[1]], symbol[1]))
        else:
            found[best] = min(found[best], (hot[symbol[1]], symbol[1]))
for _, name in sorted(found, key=lambda entry: entry[0]):
    print(name)
