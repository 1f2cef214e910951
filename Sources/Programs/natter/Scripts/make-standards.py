#!/usr/bin/env python3
"""Writes man/natter-xeps.7 and Resources/natter.doap from Resources/standards.tsv, the list of the
specifications that Natter implements.

    python3 make-standards.py [FOLDER]      writes below FOLDER instead of the checkout
"""
import pathlib
import sys
from xml.sax.saxutils import escape, quoteattr

ROOT = pathlib.Path(__file__).resolve().parents[4]
SUITES = [
    ("core", "Core client"), ("core-advanced", "Core client, advanced"), ("im", "IM client"),
    ("im-advanced", "IM client, advanced"), ("", "Beyond the suites"),
]


def rows():
    for line in (ROOT / "Resources/standards.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield dict(zip(("spec", "title", "suite", "state", "note", "file", "test"), line.split("\t")))


def roff(text):
    return text.replace("\\", "\\\\").replace("-", "\\-").replace("'", "\\(aq")


def manual(table):
    out = [
        ".\\\" Made by Sources/Programs/natter/Scripts/make-standards.py from Resources/standards.tsv.",
        ".Dd November 29, 2026", ".Dt NATTER-XEPS 7", ".Os", ".Sh NAME", ".Nm natter-xeps",
        ".Nd the specifications that natter implements, and the tests that show it", ".Sh DESCRIPTION",
        "The specifications that", ".Xr natter 1", "implements: those of the XMPP Compliance Suites 2023 (XEP-0479), row by row,",
        "and those beyond the suites.",
        "Each row names the test that shows it: a file below", ".Pa Tests", "and the test in it.",
        "A row without a test says why it has none.",
    ]
    for suite, heading in SUITES:
        out += [".Sh " + heading.upper(), ".Bl -tag -width Ds"]
        for row in table:
            if row["suite"] != suite:
                continue
            state = {"yes": "", "partial": ", in part", "no": ", not implemented"}[row["state"]]
            out.append(".It %s, %s%s" % (row["spec"], roff(row["title"]), state))
            if row["note"]:
                out.append(roff(row["note"]))
            if row["file"]:
                out += [".br", ".Pa " + roff(row["file"]) + " :", roff(row["test"])]
        out.append(".El")
    return "\n".join(out + [".Sh SEE ALSO", ".Xr natter 1 ,", ".Xr natter-server 7"]) + "\n"


def doap(table):
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- Made by Sources/Programs/natter/Scripts/make-standards.py from Resources/standards.tsv. -->",
        '<rdf:RDF xmlns="http://usefulinc.com/ns/doap#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
        '    xmlns:xmpp="https://linkmauve.fr/ns/xmpp-doap#">',
        '  <Project>', "    <name>Natter</name>", '    <shortdesc xml:lang="en">A chat client for the terminal</shortdesc>',
        '    <programming-language>Swift</programming-language>', "    <os>Linux</os>",
        '    <license rdf:resource="https://spdx.org/licenses/MIT"/>',
        '    <category rdf:resource="https://linkmauve.fr/ns/xmpp-doap#category-client"/>',
    ]
    for row in table:
        kind, number = row["spec"].split()[0].split("-")[0].lower(), row["spec"].replace("-", " ").split()[1]
        if row["state"] == "no":
            continue
        if kind == "rfc":
            out.append('    <implements rdf:resource="https://www.rfc-editor.org/info/rfc%s"/>' % number)
            continue
        out += [
            "    <implements>", "      <xmpp:SupportedXep>",
            '        <xmpp:xep rdf:resource="https://xmpp.org/extensions/xep-%s.html"/>' % number,
            "        <xmpp:status>%s</xmpp:status>" % ("complete" if row["state"] == "yes" else "partial"),
        ]
        if row["note"]:
            out.append('        <xmpp:note xml:lang="en">%s</xmpp:note>' % escape(row["note"]))
        out += ["      </xmpp:SupportedXep>", "    </implements>"]
    return "\n".join(out + ["  </Project>", "</rdf:RDF>"]) + "\n"


def main():
    target = pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT
    table = list(rows())
    for name, text in (("man/natter-xeps.7", manual(table)), ("Resources/natter.doap", doap(table))):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")


main()
