"""The other side of the fault tests: one order a line on standard input, one event a line on standard output.

    fault_peer.py JID HOST PORT starttls|off CA-FILE talks|reads     (PEER_PASSWORD in the environment)

Orders: `send NUMBER ADDRESS TEXT`, `join NUMBER ROOM/NICK`, `archive NUMBER ADDRESS [room]`, `database NUMBER PATH ADDRESS`,
`quit`. What is sent to a room that was joined is for everybody in it. One that "reads" sends no presence: what waits for the
account is not given to it.
"""
import asyncio
import json
import os
import sqlite3
import sys
import threading
from xml.etree import ElementTree

import slixmpp
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

MAM = "urn:xmpp:mam:2"
CLIENT = "jabber:client"


def say(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def element(parent, name, namespace, text=None, **attributes):
    made = ElementTree.SubElement(parent, "{%s}%s" % (namespace, name), attributes)
    made.text = text
    return made


class Peer(slixmpp.ClientXMPP):
    def __init__(self, jid, password, talks):
        super().__init__(jid, password)
        self.talks = talks
        self.results = []
        self.rooms = {}
        for plugin in ("xep_0030", "xep_0115", "xep_0184", "xep_0199"):
            self.register_plugin(plugin)
        self["xep_0184"].auto_request = False
        self.add_event_handler("session_start", self.on_start)
        self.add_event_handler("message", self.on_message)
        self.add_event_handler("message_error", lambda m: say("bounce", id=m["id"], text=m["error"]["condition"]))
        self.add_event_handler("failed_auth", lambda e: say("failed", text="auth"))
        self.add_event_handler("connection_failed", lambda e: say("failed", text=str(e)))
        self.add_event_handler("disconnected", lambda e: say("disconnected"))
        self.register_handler(Callback("archive", MatchXPath("{%s}message/{%s}result" % (CLIENT, MAM)), self.on_result))

    async def on_start(self, _):
        if self.talks:
            await self.get_roster()
            await self.appear()
        say("online")

    async def appear(self):
        """Sends the first presence, and waits until the server has handled it: it may store a message that it
        handles before for the next session."""
        answer = asyncio.get_event_loop().create_future()

        def on_own(presence):
            if presence["from"] == self.boundjid and not answer.done():
                answer.set_result(presence)

        self.register_handler(Callback("own presence", MatchXPath("{%s}presence" % CLIENT), on_own))
        self.send_presence()
        await answer
        self.remove_handler("own presence")

    def on_message(self, message):
        sender = message["from"]
        if message["type"] == "groupchat":
            if message["body"] and sender.resource != self.rooms.get(sender.bare):
                say("message", body=message["body"], id=message["id"])
        elif message["type"] in ("chat", "normal") and message["body"]:
            say("message", body=message["body"], id=message["id"])

    async def join(self, seat):
        """Goes into a room, and opens it where it is new."""
        room, nick = seat.split("/", 1)
        answer = asyncio.get_event_loop().create_future()

        def on_presence(presence):
            if presence["from"].bare == room and presence["from"].resource == nick and not answer.done():
                answer.set_result(presence)

        self.add_event_handler("presence_available", on_presence)
        self.add_event_handler("presence_error", on_presence)
        presence = self.make_presence(pto=seat)
        entrance = element(presence.xml, "x", "http://jabber.org/protocol/muc")
        element(entrance, "history", "http://jabber.org/protocol/muc", maxstanzas="0")
        presence.send()
        came = await asyncio.wait_for(answer, 30)
        self.del_event_handler("presence_available", on_presence)
        self.del_event_handler("presence_error", on_presence)
        if came["type"] == "error":
            raise RuntimeError("not let in: " + came["error"]["condition"])
        codes = [status.get("code") for status in came.xml.iter("{http://jabber.org/protocol/muc#user}status")]
        if "201" in codes:
            iq = self.make_iq_set(ito=room)
            query = element(iq.xml, "query", "http://jabber.org/protocol/muc#owner")
            form = element(query, "x", "jabber:x:data", type="submit")
            for name, value in (("FORM_TYPE", "http://jabber.org/protocol/muc#roomconfig"),
                                ("muc#roomconfig_persistentroom", "1")):
                element(element(form, "field", "jabber:x:data", var=name), "value", "jabber:x:data", value)
            await iq.send(timeout=30)
        self.rooms[room] = nick

    def on_result(self, message):
        result = message.xml.find("{%s}result" % MAM)
        inner = result.find("{urn:xmpp:forward:0}forwarded/{%s}message" % CLIENT)
        body = inner.findtext("{%s}body" % CLIENT) if inner is not None else None
        if body is not None and inner.get("type") != "error":
            self.results.append({
                "archive": result.get("id"), "from": inner.get("from") or "", "body": body,
                "id": inner.get("id")})

    async def archive(self, peer, is_room):
        rows, after = [], None
        while True:
            self.results = []
            iq = self.make_iq_set(ito=peer if is_room else None)
            query = element(iq.xml, "query", MAM)
            form = element(query, "x", "jabber:x:data", type="submit")
            fields = [("FORM_TYPE", "hidden", MAM)] + ([] if is_room else [("with", "jid-single", peer)])
            for name, kind, value in fields:
                field = element(form, "field", "jabber:x:data", var=name, type=kind)
                element(field, "value", "jabber:x:data", value)
            page = element(query, "set", "http://jabber.org/protocol/rsm")
            element(page, "max", "http://jabber.org/protocol/rsm", "200")
            if after:
                element(page, "after", "http://jabber.org/protocol/rsm", after)
            answer = await iq.send(timeout=120)
            fin = answer.xml.find("{%s}fin" % MAM)
            rows += self.results
            last = fin.findtext("{http://jabber.org/protocol/rsm}set/{http://jabber.org/protocol/rsm}last")
            if fin.get("complete") == "true" or not last or last == after:
                break
            after = last
        if not is_room:
            for row in rows:
                row["from"] = row["from"].split("/")[0]
        return rows

    def database(self, path, peer):
        with sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=20) as db:
            rows = db.execute(
                "SELECT body, is_outgoing, COALESCE(delivery, ''), stanza_id, is_delayed FROM message JOIN conversation"
                " ON conversation.id = message.conversation WHERE jid = ? ORDER BY position, message.id", (peer,)).fetchall()
            ranges = db.execute(
                "SELECT COUNT(*) FROM archive_range WHERE archive = ?", (peer,)).fetchone()[0]
            check = [row[0] for row in db.execute("PRAGMA integrity_check")]
        return [{"body": b, "outgoing": bool(o), "delivery": d, "archive": s, "delayed": bool(w)}
                for b, o, d, s, w in rows], check, ranges

    async def do(self, order):
        what, number, *rest = order.split(" ", 2)
        if what == "send":
            to, text = rest[0].split(" ", 1)
            message = self.make_message(mto=to, mbody=text, mtype="groupchat" if to in self.rooms else "chat")
            message["id"] = self.new_id()
            message.send()
            return
        try:
            if what == "join":
                await self.join(rest[0])
                say("joined", number=int(number))
            elif what == "archive":
                address, *manner = rest[0].split(" ")
                say("rows", number=int(number), rows=await self.archive(address, manner == ["room"]))
            elif what == "database":
                path, peer = rest[0].rsplit(" ", 1)
                rows, check, ranges = self.database(path, peer)
                say("rows", number=int(number), rows=rows, check=check, ranges=ranges)
        except Exception as problem:  # whatever it was, the test has to hear of it
            say("problem", number=int(number), text=repr(problem))


def read_orders(peer, loop):
    for line in sys.stdin:
        line = line.rstrip("\n")
        loop.call_soon_threadsafe(lambda line=line: asyncio.ensure_future(peer.do(line), loop=loop))
    os._exit(0)  # the test is gone


def main():
    jid, host, port, security, authority, manner = sys.argv[1:7]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    peer = Peer(jid, os.environ["PEER_PASSWORD"], manner == "talks")
    threading.Thread(target=read_orders, args=(peer, loop), daemon=True).start()
    if host:
        if authority:
            peer.ca_certs = authority
        peer.enable_starttls = peer.force_starttls = security == "starttls"
        peer.enable_direct_tls = False
        peer.enable_plaintext = security == "off"
        if security == "off":
            peer["feature_mechanisms"].unencrypted_plain = True
            peer["feature_mechanisms"].unencrypted_scram = True
        peer.connect((host, int(port)), use_ssl=False, force_starttls=security == "starttls",
                     disable_starttls=security != "starttls")
    loop.run_forever()


main()
