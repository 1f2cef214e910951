#!/usr/bin/env python3
"""Writes EmojiTable+French.swift and EmojiTable+Chinese.swift: the names of emoji in those languages.

Run it from the folder it is in, after make-emoji-table.py:  python3 make-emoji-names.py
The names are those of CLDR (Debian: unicode-cldr-core; Unicode License), for the emoji of EmojiTable.swift. Behind the name that
stands for an emoji are CLDR's keywords, as far as the name does not have them.
"""
import re
import textwrap
import xml.etree.ElementTree as xml

FOLDER = '/usr/share/unicode/cldr/common/annotations/'


def name(text):
    """As it stands between colons: without blanks, and with no sign but what is within words."""
    text = re.sub('[“”.]', '', text).replace('\u200b', '')
    return re.sub('[^\\w’-]+', '_', text).strip('_')


with open('../EmojiTable.swift') as file:
    emoji = [word[0] for word in file.read().split('"""')[1].split()]
for language, source, variable in [('French', 'fr', 'frenchEmojiTable'), ('Chinese', 'zh', 'chineseEmojiTable')]:
    names, keywords = {}, {}
    for note in xml.parse(FOLDER + source + '.xml').iter('annotation'):
        if note.get('type') == 'tts':
            names[note.get('cp')] = name(note.text)
        else:
            keywords[note.get('cp')] = [name(word) for word in note.text.split('|')]
    words = []
    for sign in emoji:
        if sign not in names:
            continue
        all = [names[sign]]
        for word in keywords[sign]:
            known = '_' + all[0].lower()
            # What is looked for in Chinese is found within a name, elsewhere at the beginning of a word.
            if word and word not in all and (word if source == 'zh' else '_' + word).lower() not in known:
                all.append(word)
        words.append(sign + ','.join(all))
    with open('../EmojiTable+%s.swift' % language, 'w') as file:
        print('// Made by Scripts/make-emoji-names.py from the annotations of CLDR (Unicode License v3); do not edit by hand.', file=file)
        print(file=file)
        print('/// The %s names of the emoji of `emojiTable`, and what else they are found by.' % language, file=file)
        print('nonisolated let %s = """' % variable, file=file)
        for line in textwrap.wrap(' '.join(words), 240 if source == 'fr' else 120, break_long_words=False, break_on_hyphens=False):
            print('  ' + line, file=file)
        print('  """', file=file)
