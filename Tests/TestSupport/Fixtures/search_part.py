"""A search over the rooms of many servers (XEP-0433) as a part of a server (XEP-0114): stanzas as in the specification's examples.

    search_part.py DOMAIN HOST PORT off ''     (PEER_PASSWORD in the environment)
"""
import asyncio
import json
import os
import sys
import threading
from xml.sax.saxutils import escape, quoteattr

from slixmpp.componentxmpp import ComponentXMPP
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

BASE = "urn:xmpp:channel-search:0"
SEARCH, ERRORS = BASE + ":search", BASE + ":error"
FORMS, SETS = "jabber:x:data", "http://jabber.org/protocol/rsm"
BY_PEOPLE, BY_ADDRESS = "{%s:order}nusers" % BASE, "{%s:order}address" % BASE
PAGE = 2

# address, name, description, language, people, more elements
ROOMS = [
    ("commteam@muc.xmpp.example", "commteam", None, None, 10, "<is-open/>"),
    ("operators@muc.xmpp.example", "XMPP Service Operators",
     "Discussion venue for operators of federated XMPP services", "en", 43, "<is-open/>"),
    ("orchids@chat.example.net", "Orchids", "Growing orchids indoors", "de", 7,
     "<is-open>false</is-open><anonymity-mode>{%s:anonymity}none</anonymity-mode>" % BASE),
    ("garden@chat.example.net", "Garden", "Roses, orchids and weeds", "fr", 91,
     "<is-open>true</is-open><anonymity-mode>muc_semianonymous</anonymity-mode>"
     "<service-type>xep-0045</service-type><x xmlns='urn:example:more'>7</x>"),
    ("quiet@chat.example.net", "Quiet corner", None, None, None, ""),
]


def say(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


class Refusal(Exception):
    def __init__(self, kind, condition, own, text=None):
        self.xml = "<error type='%s'><%s xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>" % (kind, condition)
        if text:
            self.xml += "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>%s</text>" % text
        self.xml += own + "</error>"


def own(name, attributes=""):
    return "<%s xmlns='%s' %s/>" % (name, ERRORS, attributes)


class Search(ComponentXMPP):
    def __init__(self, domain, secret, host, port):
        super().__init__(domain, secret, host, port)
        self.manner = "open"
        self.register_plugin("xep_0030")
        self["xep_0030"].add_identity(category="directory", itype="channel", name="A search")
        self["xep_0030"].add_feature(SEARCH)
        self.register_handler(Callback("search", MatchXPath("{jabber:component:accept}iq/{%s}search" % SEARCH), self.on_search))
        self.add_event_handler("session_start", lambda _: say("online", jid=domain))
        self.add_event_handler("disconnected", lambda e: say("disconnected", text=str(e or "")))

    def on_search(self, iq):
        question = iq.xml.find("{%s}search" % SEARCH)
        say("search", xml=str(iq), **{"from": str(iq["from"])})
        try:
            payload, kind = self.answer(question), "result"
        except Refusal as refusal:
            payload, kind = refusal.xml, "error"
        self.send_raw("<iq from=%s to=%s id=%s type='%s'>%s</iq>" % (
            quoteattr(self.boundjid.bare), quoteattr(str(iq["from"])), quoteattr(iq["id"]), kind, payload))

    def answer(self, question):
        form = question.find("{%s}x" % FORMS)
        if form is None:
            return self.form()
        values = {field.get("var"): [value.text or "" for value in field.findall("{%s}value" % FORMS)]
                  for field in form.findall("{%s}field" % FORMS)}
        assert values.get("FORM_TYPE") == [BASE + ":search-params"] and form.get("type") == "submit", values
        if self.manner == "busy":
            self.manner = "open"
            raise Refusal("wait", "resource-constraint", own("rate-limit", "retry-after='2'"))
        words, everything = values.get("q", [""])[0], values.get("all", ["false"])[0] in ("true", "1")
        key = values.get("key", [BY_PEOPLE])[0]
        if key not in (BY_PEOPLE, BY_ADDRESS) or (self.manner == "unsorted" and key == BY_PEOPLE):
            raise Refusal("modify", "feature-not-implemented", own("invalid-sort-key"))
        if words and everything:
            raise Refusal("modify", "bad-request", own("conflicting-fields"), "Cannot both return all results and search by keywords.")
        if everything and self.manner == "closed":
            raise Refusal("cancel", "not-allowed", own("full-set-retrieval-rejected"), "Retrieval of the full database is not allowed.")
        if not words and not everything:
            raise Refusal("modify", "bad-request", own("no-search-conditions"))
        if words and len(words) < 3:
            raise Refusal("modify", "bad-request", own("invalid-search-terms"), "Search terms must have at least three characters.")

        def wanted(name):
            return values.get(name, ["true"])[0] in ("true", "1")

        def matches(room):
            address, name, about, *_ = room
            places = [address] * wanted("sinaddress") + [name] * wanted("sinname") + [about or ""] * wanted("sindescription")
            return everything or any(words.lower() in place.lower() for place in places)

        found = [room for room in ROOMS if matches(room)] if "xep-0045" in values.get("types", ["xep-0045"]) else []
        found.sort(key=lambda room: room[0] if key == BY_ADDRESS else -(room[4] or 0))
        return self.page(found, question.find("{%s}set" % SETS))

    def page(self, found, wish):
        after = wish.findtext("{%s}after" % SETS) if wish is not None else None
        start = int(after.split("-")[-1]) + 1 if after else 0
        limit = min(PAGE, int(wish.findtext("{%s}max" % SETS) or PAGE)) if wish is not None else PAGE
        page = found[start:start + limit]
        items = "".join("<item address=%s>%s</item>" % (quoteattr(address), "".join(
            "<%s>%s</%s>" % (name, escape(str(value)), name)
            for name, value in (("name", name), ("description", about), ("language", language), ("nusers", people))
            if value is not None) + more) for address, name, about, language, people, more in page)
        ends = "<first>opaque-string-%d</first><last>opaque-string-%d</last>" % (start, start + len(page) - 1) if page else ""
        return "<result xmlns='%s'>%s<set xmlns='%s'>%s<max>%d</max></set></result>" % (SEARCH, items, SETS, ends, limit)

    def form(self):
        return """<search xmlns='%s'><x xmlns='jabber:x:data' type='form'>
          <field type='hidden' var='FORM_TYPE'><value>%s:search-params</value></field>
          <field type='text-single' var='q' label='Search for'/>
          <field type='boolean' var='all' label='Return all entries (ignore search terms)'/>
          <field type='list-single' var='key' label='Sort results by'><value>%s</value></field></x></search>""" % (SEARCH, BASE, BY_PEOPLE)

    def do(self, order):
        if order["do"] == "behave":
            self.manner = order["how"]
        elif order["do"] == "quit":
            os._exit(0)
        else:
            raise ValueError("unknown command " + order["do"])

    def take(self, order):
        try:
            self.do(order)
            say("done", command=order["command"])
        except Exception as problem:  # whatever it was, the test has to hear of it
            say("error", command=order["command"], text=repr(problem))


def read_orders(part, loop):
    for line in sys.stdin:
        loop.call_soon_threadsafe(part.take, json.loads(line))
    os._exit(0)  # the test is gone


def main():
    domain, host, port = sys.argv[1:4]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    part = Search(domain, os.environ["PEER_PASSWORD"], host, int(port))
    part.connect()
    threading.Thread(target=read_orders, args=(part, loop), daemon=True).start()
    loop.run_forever()


main()
