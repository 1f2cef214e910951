"""A client for tests: commands as JSON lines on standard input, events on standard output.

    slixmpp_peer.py JID HOST PORT starttls|direct|off CA-FILE [register]     (PEER_PASSWORD in the environment)
"""
import asyncio
import hashlib
import json
import os
import ssl
import sys
import threading
import urllib.request
from xml.etree import ElementTree

import slixmpp
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatcherId, MatchXPath


def say(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


class Peer(slixmpp.ClientXMPP):
    def __init__(self, jid, password, register):
        super().__init__(jid, password)
        for plugin in ("xep_0004", "xep_0030", "xep_0050", "xep_0092", "xep_0115", "xep_0184", "xep_0199", "xep_0202", "xep_0280"):
            self.register_plugin(plugin)
        if register:
            self.register_plugin("xep_0077")
            self["xep_0077"].get_registration = self.no_form
            self.add_event_handler("register", self.on_register)
        self.said = 0
        self.talks = False
        self.roster.auto_authorize = None
        self.roster.auto_subscribe = False
        self.add_event_handler("session_start", self.on_start)
        self.add_event_handler("message", self.on_message)
        self.add_event_handler("message_error", self.on_message)
        self.add_event_handler("failed_auth", lambda e: say("failed", text="auth"))
        self.add_event_handler("connection_failed", lambda e: say("failed", text=str(e)))
        self.add_event_handler("disconnected", lambda e: say("disconnected", text=str(e or "")))
        self.add_event_handler("ssl_invalid_chain", lambda e: say("failed", text="certificate"))
        self.add_event_handler("receipt_received", lambda m: say("receipt", **{"from": str(m["from"]), "id": m["receipt"]}))
        self.register_handler(Callback("any message", MatchXPath("{jabber:client}message"), self.on_any))
        self.add_event_handler("changed_status", self.on_presence)
        self.register_handler(Callback("any presence", MatchXPath("{jabber:client}presence"), self.on_seat))
        for kind in ("subscribe", "subscribed", "unsubscribe", "unsubscribed"):
            self.add_event_handler("presence_" + kind, self.on_subscription)

    async def no_form(self, *_, **__):
        """In place of asking for the form: slixmpp 1.8 holds stanzas back until the session is there."""

    async def on_register(self, _):
        answer = asyncio.get_event_loop().create_future()
        self.register_handler(Callback("registered", MatcherId("new"), answer.set_result, once=True))
        values = {"username": self.boundjid.user, "password": self.password, "key": os.environ["PEER_KEY"]}
        fields = [ElementTree.Element(name) for name in values if values[name]]
        for field in fields:
            field.text = values[field.tag]
        self.send_raw("<iq type='set' id='new'><query xmlns='jabber:iq:register'>%s</query></iq>" % "".join(
            ElementTree.tostring(field, "unicode") for field in fields))
        iq = await answer
        if iq["type"] == "error":
            say("failed", text=iq["error"]["condition"])

    async def on_start(self, _):
        await self.get_roster()
        await self.appear()
        tls = self.transport.get_extra_info("ssl_object")
        say("online", jid=str(self.boundjid), tls=tls.version() if tls else "")

    async def appear(self):
        """Sends the first presence, and waits until the server has handled it: it may store a message that it
        handles before for the next session."""
        answer = asyncio.get_event_loop().create_future()

        def on_own(presence):
            if presence["from"] == self.boundjid and not answer.done():
                answer.set_result(presence)

        self.register_handler(Callback("own presence", MatchXPath("{jabber:client}presence"), on_own))
        self.send_presence()
        await answer
        self.remove_handler("own presence")

    def on_message(self, message):
        text = message["error"]["condition"] if message["type"] == "error" else ""
        say("message", **{"from": str(message["from"]), "id": message["id"], "type": message["type"],
                          "body": message["body"], "text": text, "xml": str(message)})

    def on_any(self, message):
        """Those without a text, which slixmpp itself makes no event of."""
        if message["type"] not in ("error", "headline") and not message["body"] and not message["receipt"]:
            say("stanza", **{"from": str(message["from"]), "id": message["id"], "xml": str(message)})

    def on_presence(self, presence):
        say("presence", **{"from": str(presence["from"]), "type": presence["type"], "text": presence["status"]})

    def on_seat(self, presence):
        """What a room says of its people (XEP-0045), and presence that came back."""
        if presence["type"] == "error" or presence.xml.find("{http://jabber.org/protocol/muc#user}x") is not None:
            say("seat", **{"from": str(presence["from"]), "type": presence["type"], "xml": str(presence)})

    def on_subscription(self, presence):
        say("subscription", **{"from": str(presence["from"]), "type": presence["type"], "xml": str(presence)})

    def offer_command(self):
        """A command of two steps (XEP-0050), with a field of each type (XEP-0004) in the first."""
        answers = {}

        def first(_, session):
            form = self["xep_0004"].make_form("form", "Survey")
            form["instructions"] = "Two pages."
            form.add_field(var="ticket", ftype="hidden", value="t-42")
            form.add_field(ftype="fixed", value="About your tea")
            form.add_field(var="sweet", ftype="boolean", label="Sugar", value=False)
            form.add_field(var="name", ftype="text-single", label="Your name", required=True)
            form.add_field(var="word", ftype="text-private", label="Secret word")
            form.add_field(var="notes", ftype="text-multi", label="Notes", value=["one", "two"])
            form.add_field(var="friend", ftype="jid-single", label="A friend", value="bob@example.org")
            form.add_field(var="guests", ftype="jid-multi", label="Guests", value=["a@example.org", "b@example.org"])
            form.add_field(var="kind", ftype="list-single", label="Kind", value="green", options=[
                {"label": "Green", "value": "green"}, {"label": "Black", "value": "black"}])
            form.add_field(var="with", ftype="list-multi", label="With", value=["milk"], options=[
                {"label": "Milk", "value": "milk"}, {"label": "Lemon", "value": "lemon"}])
            session.update(payload=form, next=second, has_next=True, allow_prev=False)
            return session

        def second(form, session):
            answers.update(form["values"])
            page = self["xep_0004"].make_form("form", "Survey")
            page.add_field(var="again", ftype="boolean", label="Come again", value=True)
            session.update(payload=page, next=finish, prev=first, has_next=True, allow_prev=True, allow_complete=True)
            return session

        def finish(form, session):
            answers.update(form["values"])
            say("survey", text=json.dumps(answers, sort_keys=True))
            page = self["xep_0004"].make_form("result", "Survey")
            page.add_field(var="cups", ftype="text-single", label="Cups", value="3")
            session.update(payload=page, next=None, has_next=False, notes=[("info", "Thank you for the tea.")])
            return session

        self["xep_0050"].add_command(node="survey", name="A survey", handler=first)

    def web(self, url, data=None, headers={}):
        request = urllib.request.Request(url, data=data, headers=headers, method="PUT" if data else "GET")
        context = ssl.create_default_context(cafile=str(self.ca_certs) if self.ca_certs else None)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        with opener.open(request, timeout=30) as answer:
            return answer.read()

    async def slot(self, name, size, type):
        """By hand: slixmpp's own plugin needs a library that Debian does not install with it."""
        space = "{urn:xmpp:http:upload:0}"
        # A part of the server has the service, or the server itself.
        for service in ("upload." + self.boundjid.domain, self.boundjid.domain):
            iq = self.make_iq_get(ito=service)
            iq.append(ElementTree.Element(space + "request", {"filename": name, "size": str(size), "content-type": type}))
            try:
                slot = (await iq.send()).xml.find(space + "slot")
                break
            except slixmpp.exceptions.IqError:
                if service == self.boundjid.domain:
                    raise
        put = slot.find(space + "put")
        headers = {header.get("name"): header.text for header in put.findall(space + "header")}
        return put.get("url"), headers, slot.find(space + "get").get("url")

    async def do(self, order):
        what, to = order["do"], order.get("to")
        if what == "send":
            message = self.make_message(mto=to, mbody=order["body"], mtype="chat")
            message["id"] = self.new_id()
            message.send()
            return {"id": message["id"]}
        if what == "raw":
            self.send_raw(order["xml"])
        elif what == "talk":
            due = asyncio.get_event_loop().time()
            self.talks = True
            while self.talks:
                self.said += 1
                body = "message %d of many that come while somebody types" % self.said
                self.send_raw("<message to='%s' type='chat' id='many-%d'><body>%s</body></message>" % (to, self.said, body))
                due += 1 / float(order["rate"])
                await asyncio.sleep(max(0, due - asyncio.get_event_loop().time()))
            return {"text": body}
        elif what == "hush":
            self.talks = False
        elif what == "presence":
            show = order["show"]
            if show == "unavailable":
                self.send_presence(ptype="unavailable")
            else:
                self.send_presence(pshow=None if show == "available" else show, pstatus=order["status"])
        elif what == "subscription":
            self.send_presence(pto=to, ptype=order["type"])
        elif what == "add":
            await self.update_roster(to, name=order["name"], subscription="none", groups=[])
        elif what == "roster":
            iq = await self.make_iq_get(queryxmlns="jabber:iq:roster").send()
            items = iq["roster"]["items"]
            return {"roster": {str(jid): item["subscription"] for jid, item in items.items()}}
        elif what == "offer":
            self.offer_command()
        elif what == "ask":
            iq = self.make_iq(ito=to or None, itype=order["type"])
            iq.append(ElementTree.fromstring(order["xml"]))
            try:
                answer = await iq.send(timeout=20)
            except slixmpp.exceptions.IqError as refusal:
                answer = refusal.iq
            return {"xml": str(answer)}
        elif what == "fetch":
            loop = asyncio.get_event_loop()
            data = await loop.run_in_executor(None, lambda: self.web(order["url"]))
            return {"text": hashlib.sha256(data).hexdigest()}
        elif what == "upload":
            with open(order["path"], "rb") as file:
                data = file.read()
            put, headers, get = await self.slot(os.path.basename(order["path"]), len(data), order["type"])
            headers["Content-Type"] = order["type"]
            loop = asyncio.get_event_loop()
            await loop.run_in_executor(None, lambda: self.web(put, data, headers))
            return {"text": get}
        elif what == "slot":
            put, headers, get = await self.slot(order["name"], int(order["size"]), order["type"])
            return {"put": put, "headers": headers, "text": get}
        elif what == "quit":
            self.disconnect(wait=2)
            asyncio.get_event_loop().call_later(3, os._exit, 0)
            self.disconnected.add_done_callback(lambda _: os._exit(0))
        else:
            raise ValueError("unknown command " + what)
        return {}

    async def answer(self, order):
        try:
            say("done", command=order["command"], **(await self.do(order)))
        except Exception as problem:  # whatever it was, the test has to hear of it
            say("error", command=order["command"], text=repr(problem))


def read_orders(peer, loop):
    for line in sys.stdin:
        order = json.loads(line)
        loop.call_soon_threadsafe(lambda order=order: asyncio.ensure_future(peer.answer(order), loop=loop))
    os._exit(0)  # the test is gone


def main():
    jid, host, port, security, authority = sys.argv[1:6]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    peer = Peer(jid, os.environ["PEER_PASSWORD"], sys.argv[6:] == ["register"])
    if authority:
        peer.ca_certs = authority
    peer.enable_starttls = security == "starttls"
    peer.force_starttls = security == "starttls"
    peer.enable_direct_tls = security == "direct"
    peer.enable_plaintext = security == "off"
    if security == "off":
        peer["feature_mechanisms"].unencrypted_plain = True
        peer["feature_mechanisms"].unencrypted_scram = True
    peer.connect((host, int(port)), use_ssl=security == "direct", force_starttls=security == "starttls",
                 disable_starttls=security != "starttls")
    threading.Thread(target=read_orders, args=(peer, loop), daemon=True).start()
    loop.run_forever()


main()
