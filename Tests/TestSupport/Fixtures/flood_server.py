"""A chat server that floods its client. Usage: flood_server.py PORT SCENE COUNT BYTES

It lets everyone in, without TLS, as alice@natter.test; bob@natter.test is her only contact. The
text of each numbered message begins with `note N.`. Scenes:

  bodies      COUNT messages of bob, each with a text of BYTES
  stanzas     COUNT messages of bob, each with BYTES beside its text, after one that takes long
  archive     the archive has COUNT messages of bob with BYTES beside their text, besides number 0
  presences   COUNT strangers, each with a status of BYTES

SIGUSR1 begins the flood: over the session that was opened last, or in the archive, which has only
number 0 before. After a flood that is no archive comes a message: `the last one`. It reports on
standard output, a line each: `ready`, `begins`, `page SIZE`, `flooded`.
"""

import base64
import hashlib
import hmac
import os
import re
import signal
import socket
import sys
import threading
import xml.etree.ElementTree as tree

PORT, SCENE, COUNT, BYTES = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
PASSWORD = b"secret"
ME, BOB = "alice@natter.test", "bob@natter.test"
flooding = threading.Event()
# A session is there that has sent its presence.
present = threading.Event()


def say(words):
    print(words, flush=True)


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def space(element):
    return element.tag[1:].rsplit("}", 1)[0] if element.tag[0] == "{" else ""


def pad():
    return "<pad xmlns='urn:example:pad'>%s</pad>" % ("x" * BYTES)


def message(name, text, beside=""):
    return (
        "<message xmlns='jabber:client' from='%s/x' to='%s' type='chat' id='%s'>"
        "<body>%s</body>%s</message>" % (BOB, ME, name, text, beside))


def note(number, text="", beside=""):
    return message("n%d" % number, "note %d.%s" % (number, text), beside)


class Session:
    last = None

    def __init__(self, connection):
        self.connection = connection
        self.lock = threading.Lock()

    def send(self, text):
        with self.lock:
            self.connection.sendall(text.encode())

    def elements(self):
        """The stanzas of the client, and `None` where it opens a stream."""
        depth, parser = 0, tree.XMLPullParser(["start", "end"])
        while True:
            data = self.connection.recv(65536)
            if not data:
                return
            # Each stream begins with a declaration, which may follow the last stanza of another one.
            if b"<?xml" in data:
                parser = tree.XMLPullParser(["start", "end"])
                data, depth = data[data.index(b"<?xml"):], 0
            parser.feed(data)
            for event, element in parser.read_events():
                if event == "start":
                    depth += 1
                    if depth == 1:
                        yield None
                else:
                    depth -= 1
                    if depth == 0:
                        return
                    if depth == 1:
                        yield element

    def run(self):
        is_in = False
        for element in self.elements():
            if element is None:
                self.send(
                    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' version='1.0' id='1' "
                    "xmlns:stream='http://etherx.jabber.org/streams' from='natter.test'>"
                    "<stream:features>%s</stream:features>" % (
                        "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>" if is_in else
                        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                        "<mechanism>SCRAM-SHA-1</mechanism></mechanisms>"))
            elif local(element) in ("auth", "response"):
                is_in = self.authenticate(element)
            elif local(element) == "iq" and element.get("type") in ("get", "set"):
                self.answer(element)
            elif local(element) == "presence":
                Session.last = self
                present.set()

    # RFC 5802: the proof of the client is not looked at.
    def authenticate(self, element):
        words = base64.b64decode(element.text or "").decode()
        sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
        if local(element) == "auth":
            salt = os.urandom(8)
            self.key = hashlib.pbkdf2_hmac("sha1", PASSWORD, salt, 4096)
            self.bare = words.split(",", 2)[2]
            nonce = re.search("r=([^,]*)", self.bare)[1] + "server"
            self.challenge = "r=%s,s=%s,i=4096" % (nonce, base64.b64encode(salt).decode())
            self.send("<challenge %s>%s</challenge>" % (
                sasl, base64.b64encode(self.challenge.encode()).decode()))
            return False
        exchanged = ",".join([self.bare, self.challenge, words.rsplit(",p=", 1)[0]])
        server = hmac.new(self.key, b"Server Key", "sha1").digest()
        signature = base64.b64encode(hmac.new(server, exchanged.encode(), "sha1").digest())
        self.send("<success %s>%s</success>" % (
            sasl, base64.b64encode(b"v=" + signature).decode()))
        return True

    def answer(self, iq):
        payload = iq[0] if len(iq) else None
        kind, name = (space(payload), local(payload)) if payload is not None else ("", "")
        result = ""
        if name == "bind":
            result = ("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>%s/test</jid></bind>" % ME)
        elif kind == "jabber:iq:roster":
            result = (
                "<query xmlns='jabber:iq:roster'><item jid='%s' subscription='both'/></query>" % BOB)
        elif kind == "http://jabber.org/protocol/disco#info":
            result = (
                "<query xmlns='%s'><identity category='account' type='registered'/>"
                "<identity category='server' type='im'/>"
                "<feature var='urn:xmpp:mam:2'/><feature var='urn:xmpp:sid:0'/></query>" % kind)
        elif kind == "urn:xmpp:mam:2" and name == "query":
            result = self.page(payload)
        elif iq.get("type") == "get" and kind != "urn:xmpp:ping":
            self.send(
                "<iq type='error' id='%s'%s><error type='cancel'><service-unavailable "
                "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>" % (
                    iq.get("id"), self.sender(iq)))
            return
        self.send("<iq type='result' id='%s'%s>%s</iq>" % (iq.get("id"), self.sender(iq), result))

    @staticmethod
    def sender(iq):
        return " from='%s'" % iq.get("to") if iq.get("to") else ""

    def page(self, query):
        """XEP-0313 with the pages of XEP-0059; the messages are a second apart."""
        has_flood = flooding.is_set() and SCENE == "archive"
        last = COUNT if has_flood else 0
        fields = {f.get("var"): f[0].text for f in query.iter("{jabber:x:data}field") if len(f)}
        numbers = list(range(last + 1))
        if fields.get("with", BOB) != BOB:
            numbers = []
        if "start" in fields:
            numbers = [n for n in numbers if stamp(n) >= fields["start"][:19] + "Z"]
        if "end" in fields:
            numbers = [n for n in numbers if stamp(n) <= fields["end"][:19] + "Z"]
        rsm = "{http://jabber.org/protocol/rsm}"
        limit, before, after = 50, None, None
        for part in query.iter(rsm + "set"):
            limit = int(part.findtext(rsm + "max") or 50)
            before, after = part.findtext(rsm + "before"), part.findtext(rsm + "after")
        whole = len(numbers)
        if after:
            numbers = [n for n in numbers if n > int(after[1:])]
        if before:
            numbers = [n for n in numbers if n < int(before[1:])]
        chosen = numbers[-limit:] if before is not None else numbers[:limit]
        chosen = chosen if limit else []
        for n in chosen:
            self.send(
                "<message to='%s/test' from='%s'><result xmlns='urn:xmpp:mam:2' queryid='%s' id='a%d'>"
                "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='%s'/>"
                "%s</forwarded></result></message>" % (
                    ME, ME, query.get("queryid"), n, stamp(n), note(n, beside=pad() if n else "")))
        ends = (
            "<first>a%d</first><last>a%d</last>" % (chosen[0], chosen[-1]) if chosen else "")
        if has_flood and chosen:
            say("page %d" % len(chosen))
        return (
            "<fin xmlns='urn:xmpp:mam:2'%s><set xmlns='http://jabber.org/protocol/rsm'>%s"
            "<count>%d</count></set></fin>" % (
                " complete='true'" if len(chosen) == len(numbers) else "", ends, whole))

    def flood(self):
        self.send("<presence from='%s/x' to='%s'><status>here</status></presence>" % (BOB, ME))
        if SCENE == "stanzas":
            # Marks are what takes longest to read.
            self.send(message("slow", "a" + "\u0301\u0316" * 200000))
        for n in range(1, COUNT + 1):
            if SCENE == "bodies":
                self.send(note(n, " " + "word " * (BYTES // 5)))
            elif SCENE == "stanzas":
                self.send(note(n, beside=pad()))
            else:
                self.send(
                    "<presence from='s%d@strangers.test/x' to='%s'><status>%s</status></presence>" % (
                        n, ME, "x" * BYTES))
        self.send(message("last", "the last one"))
        say("flooded")


def stamp(number):
    return "2024-01-01T%02d:%02d:%02dZ" % (number // 3600, number // 60 % 60, number % 60)


def serve(connection):
    try:
        Session(connection).run()
    except OSError:
        # The client is gone.
        pass
    finally:
        connection.close()


def flood():
    present.wait()
    Session.last.flood()


def begin(*_):
    flooding.set()
    say("begins")
    if SCENE != "archive":
        threading.Thread(target=flood, daemon=True).start()


signal.signal(signal.SIGUSR1, begin)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", PORT))
listener.listen()
say("ready")
while True:
    threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
