#!/usr/bin/env python3
"""Writes Resources/places: the countries and their larger cities, which the profile's address is chosen from.

Run it from the folder it is in:  python3 make-places.py
Which countries and cities there are is from the time-zone database on every system (/usr/share/zoneinfo/iso3166.tab and
zone.tab, public domain). What they are called in each language is from the Unicode Common Locale Data Repository
(Unicode License v3), as the Python package babel has it.
"""
import pathlib

import babel

ZONES = pathlib.Path("/usr/share/zoneinfo")
TARGET = pathlib.Path(__file__).resolve().parents[3] / "Resources/places"
LANGUAGES = [babel.Locale.parse(tag) for tag in ("en", "fr", "zh_Hans")]
HEAD = """# {what}
# Made by Sources/natter/Scripts/make-places.py from the time-zone database (public domain) and, for what they are called,
# the Unicode Common Locale Data Repository (Unicode License v3, https://www.unicode.org/license.txt).
# {columns}\ten\tfr\tzh-Hans
"""


def rows(name):
    for line in (ZONES / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def write(name, what, columns, lines):
    text = HEAD.format(what=what, columns=columns) + "".join("\t".join(line) + "\n" for line in lines)
    (TARGET / name).write_text(text, encoding="utf-8")


countries = {code: name for code, name, *_ in rows("iso3166.tab")}
write("countries.tsv", "Countries and territories, by their code of ISO 3166-1.", "code", [
    [code] + [locale.territories.get(code, countries[code]) for locale in LANGUAGES] for code in sorted(countries)])

cities = []
for code, _, zone, *_ in rows("zone.tab"):
    own = zone.split("/")[-1].replace("_", " ")
    names = [(locale.time_zones.get(zone) or {}).get("city") for locale in LANGUAGES]
    english = names[0] or own
    cities.append([code, english] + [name or english for name in names[1:]])
write("cities.tsv", "Cities, by the code of their country.", "code", sorted(set(map(tuple, cities))))
