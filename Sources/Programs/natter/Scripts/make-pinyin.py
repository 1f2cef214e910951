#!/usr/bin/env python3
"""Writes Sources/Screen/ViewModels/Palette/PinyinInitials+Table.swift: the first letter of the pinyin of
each Chinese character.

The readings are those of pypinyin (pip install pypinyin; MIT licence), which takes them from the
Unihan database. The characters are those of GB 2312, which covers names and everyday text.

    python3 Sources/Programs/natter/Scripts/make-pinyin.py >Sources/Screen/ViewModels/Palette/PinyinInitials+Table.swift
"""
import unicodedata

from pypinyin import Style, pinyin

# Characters with another reading in surnames and names of cities: the letters of both readings.
ALSO = {
    "重": "cz", "厦": "sx", "乐": "ly", "单": "ds", "曾": "cz", "长": "cz", "行": "hx", "调": "dt", "朝": "cz", "会": "hk",
    "参": "cs", "藏": "cz", "弹": "dt", "传": "cz", "仇": "cq", "解": "jx", "区": "oq", "查": "cz", "盖": "g", "尉": "wy",
    "石": "ds", "还": "hx", "什": "js", "说": "sy", "车": "cj", "校": "jx", "系": "jx", "降": "jx", "强": "jq", "角": "jj",
    "率": "ls", "省": "sx", "沈": "sc", "折": "zs", "翟": "dz", "召": "sz", "谷": "gy", "贾": "gj", "莞": "gw", "蚌": "b",
    "扎": "z", "宿": "sx", "葛": "g", "种": "cz", "祭": "jz", "隗": "kw", "褚": "cz", "卜": "b", "员": "y", "逄": "p",
}


def initial(character):
    reading = pinyin(character, style=Style.NORMAL, errors="ignore")
    if not reading:
        return None
    plain = unicodedata.normalize("NFD", reading[0][0])[0].lower()
    return plain if plain.isascii() and plain.isalpha() else None


def gb2312():
    for high in range(0xB0, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                yield bytes([high, low]).decode("gb2312")
            except UnicodeDecodeError:
                pass


letters = {}
for character in gb2312():
    letter = initial(character)
    if letter:
        letters.setdefault(letter, []).append(character)

print("// Made by Sources/Programs/natter/Scripts/make-pinyin.py.")
print("// Readings: pypinyin (MIT licence), which has them from the Unihan database (Unicode License v3).")
print()
print("nonisolated extension PinyinInitials {")
print("  /// The characters of GB 2312 by the letter that their usual reading begins with.")
print("  static let table: [(letter: Character, characters: String)] = [")
for letter in sorted(letters):
    print("    (")
    print(f'      "{letter}",')
    print('      """')
    text = "".join(sorted(letters[letter]))
    lines = [text[start:start + 60] for start in range(0, len(text), 60)]
    print("      " + "\\\n      ".join(lines))
    print('      """')
    print("    ),")
print("  ]")
print()
print("  /// What some of them begin with in another reading.")
print("  static let others: [Character: Character] = [")
by_letter = {c: l for l, cs in letters.items() for c in cs}
pairs = [(c, l) for c, both in sorted(ALSO.items()) for l in both if by_letter.get(c) not in (None, l)]
assert len({c for c, _ in pairs}) == len(pairs), "one other reading each"
for start in range(0, len(pairs), 8):
    print("    " + ", ".join(f'"{c}": "{l}"' for c, l in pairs[start:start + 8]) + ",")
print("  ]")
print("}")
