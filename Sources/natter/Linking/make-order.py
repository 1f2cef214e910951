#!/usr/bin/env python3
"""Writes order.txt: which functions and variables the linker puts together, because each start needs them.

Build with a link map, run natter under valgrind through what is to be quick (the guide; an account that
signs in and stays idle), and put both together:

  swift build -c release --static-swift-stdlib --disable-local-rpath --product natter \
    -Xlinker -Map=/tmp/natter.map -Xlinker --no-demangle
  strip --strip-debug -o .build/natter .build/release/natter
  valgrind --tool=callgrind --demangle=no --callgrind-out-file=/tmp/calls.%p \
    --dump-after='$s15TerminalNcurses0B6ScreenC5flush6cursory0A05PointVSg_tF' .build/natter
  valgrind --tool=lackey --trace-mem=yes --log-file=/tmp/touched .build/natter
  python3 make-order.py /tmp/natter.map --data /tmp/touched /tmp/guide.1 /tmp/account.1 /tmp/guide \
    /tmp/account.* > order.txt

With --dump-after a file ends with each frame: those of the first frames come first, so that what the first frame takes
lies on as few pages as it can. --data is a run that is ended when the guide is there. An earlier order.txt may stand among
the files as well: the functions that it names stay.

valgrind does not read this debug information. The linker moves whole sections: of each that runs, one
function is named, and of each section of variables that is touched, one variable, the smallest sections first, so that they
lie closely. Names that are no more are ignored, functions that are not named only lie elsewhere: an
old file does no harm.
"""
import bisect
import collections
import re
import sys

VARIABLES = ('.data', '.bss')


def called(path):
    """The functions of natter in one of callgrind's files, or the names in an order.txt."""
    names, objects, current = {}, {}, None
    entry = re.compile(r'c?(ob|fn)=\((\d+)\)(?: (.*))?')
    lines = open(path, errors='replace').read().split('\n')
    if not lines[0].startswith('# callgrind'):
        yield from filter(None, lines)
        return
    for line in lines:
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


def touched(path):
    """The places that are read or written in one of lackey's files, in steps of 16 bytes."""
    return {int(line[3:].split(',')[0], 16) >> 4 for line in open(path, errors='replace')
            if line[:3] in (' L ', ' S ', ' M ')}


class Section:
    def __init__(self, kind, start, size):
        self.kind, self.start, self.size, self.symbols = kind, start, size, []


def sections(path):
    """The parts that the program is made of, from the link map."""
    place = re.compile(r'\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+ ( *)(\S.*)$')
    kind, section = None, None
    for line in open(path, errors='replace'):
        match = place.match(line)
        if not match:
            continue
        depth, text = len(match[3]), match[4].rstrip()
        if depth == 0:
            kind = text
        elif depth == 8:
            section = Section(kind, int(match[1], 16), int(match[2], 16))
            yield section
        elif section:
            section.symbols.append(text)


arguments = sys.argv[1:]
data = set()
if '--data' in arguments:
    index = arguments.index('--data')
    data = touched(arguments[index + 1])
    del arguments[index:index + 2]

# The first file that each function is in.
hot = {}
for rank, path in enumerate(arguments[1:]):
    for name in called(path):
        hot.setdefault(name, rank)

parts = list(sections(arguments[0]))
count = collections.Counter(name for part in parts for name in part.symbols)
steps = sorted(data)
code, variables = [], []
for part in parts:
    if part.kind == '.text':
        # Of each section that runs, its earliest function.
        found = [(hot[name], index) for index, name in enumerate(part.symbols) if name in hot]
        if found:
            rank, index = min(found)
            code.append((rank, part.symbols[index]))
    elif part.kind in VARIABLES and part.size > 0:
        step = bisect.bisect_left(steps, part.start >> 4)
        if step < len(steps) and steps[step] << 4 < part.start + part.size:
            # A name that is given twice would bring the other section along.
            names = [name for name in part.symbols if count[name] == 1 and name[0] != '.']
            if names:
                variables.append((part.size, names[0]))
# The linker puts together all that have one name.
ordered = sorted(code, key=lambda entry: entry[0]) + sorted(variables, key=lambda entry: entry[0])
for name in dict.fromkeys(name for _, name in ordered):
    print(name)
