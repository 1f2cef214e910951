"""slixmpp uses what the server offers beyond messages and contacts: extensions.py PORT.

Archive, copies, resumption, rooms, published items, bookmarks, blocking. Prints a line for each thing that worked; ends
with exit status 1 and the reason at the first one that did not.
"""

import asyncio
import inspect
import sys
import xml.etree.ElementTree as ET

import slixmpp
from slixmpp.exceptions import IqError

PORT = int(sys.argv[1])
LIMIT = 20
ROOM = "tea@rooms.localhost"
IS_OLD = "address" in inspect.signature(slixmpp.ClientXMPP.connect).parameters
PLUGINS = ("xep_0004", "xep_0030", "xep_0045", "xep_0049", "xep_0054", "xep_0059", "xep_0060", "xep_0115",
           "xep_0163", "xep_0191", "xep_0198", "xep_0199", "xep_0203", "xep_0249", "xep_0280", "xep_0297",
           "xep_0313", "xep_0359")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def done(what):
    print("ok", what, flush=True)


async def register(name):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write((
        "<stream:stream to='localhost' xmlns='jabber:client' version='1.0'"
        " xmlns:stream='http://etherx.jabber.org/streams'>"
        "<iq type='set' id='r'><query xmlns='jabber:iq:register'>"
        f"<username>{name}</username><password>secret</password></query></iq></stream:stream>").encode())
    answer = b""
    while b"</stream:stream>" not in answer:
        part = await asyncio.wait_for(reader.read(4096), LIMIT)
        check(part, "closed")
        answer += part
    check(b"result" in answer, answer)
    writer.close()


class Client(slixmpp.ClientXMPP):
    def __init__(self, name, resource="slixmpp", interest=None):
        super().__init__(f"{name}@localhost/{resource}", "secret",
                         plugin_config={"feature_mechanisms": {"unencrypted_scram": True}},
                         sasl_mech="SCRAM-SHA-256")
        for plugin in PLUGINS:
            self.register_plugin(plugin)
        self.interest = interest
        self.stanzas = []
        self.changed = asyncio.Event()
        self.ready = asyncio.Event()
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("session_resumed", lambda _: self.note("resumed", None))
        for event in ("message", "groupchat_message", "groupchat_subject", "groupchat_presence", "groupchat_invite",
                      "groupchat_direct_invite", "carbon_sent", "carbon_received", "pubsub_publish",
                      "blocked", "unblocked"):
            self.add_event_handler(event, lambda it, event=event: self.note(event, it))

    def note(self, event, stanza):
        self.stanzas.append((event, stanza))
        self.changed.set()

    async def begin(self, _):
        if self.interest:
            self["xep_0163"].add_interest(self.interest)
            await self["xep_0115"].update_caps()
        await self.get_roster()
        self.send_presence()
        self.ready.set()

    async def enter(self):
        if IS_OLD:
            self.connect(address=("127.0.0.1", PORT), disable_starttls=True, force_starttls=False)
        else:
            self.enable_direct_tls = False
            self.enable_starttls = False
            self.enable_plaintext = True
            self.connect("127.0.0.1", PORT)
        await asyncio.wait_for(self.ready.wait(), LIMIT)
        return self

    async def seen(self, event, matches, what):
        async def wait():
            while True:
                for name, stanza in self.stanzas:
                    if name == event and matches(stanza):
                        return stanza
                self.changed.clear()
                await self.changed.wait()
        try:
            return await asyncio.wait_for(wait(), LIMIT)
        except asyncio.TimeoutError:
            raise AssertionError(f"{what}: only {[(name, str(it)) for name, it in self.stanzas[-12:]]}")

    async def body(self, event, body):
        return await self.seen(event, lambda it: it["body"] == body, body)


async def archive(client, jid=None, **form):
    found = []
    query = client["xep_0313"].retrieve(jid=jid, iterator=False, **form)
    answer = await query
    for message in answer["mam"]["results"]:
        found.append(message["mam_result"]["forwarded"]["stanza"]["body"])
    return answer, found


async def talk(alice, bob):
    other = await Client("alice", "other").enter()
    await other["xep_0280"].enable()
    alice.send_message(mto="bob@localhost", mbody="one", mtype="chat")
    await bob.body("message", "one")
    copy = await other.seen("carbon_sent", lambda it: it["carbon_sent"]["body"] == "one", "a sent copy")
    check(copy["from"] == "alice@localhost", copy)
    bob.send_message(mto=alice.boundjid, mbody="two", mtype="chat")
    await alice.body("message", "two")
    await other.seen("carbon_received", lambda it: it["carbon_received"]["body"] == "two", "a received copy")
    done("carbons")
    for number in range(5):
        alice.send_message(mto="bob@localhost", mbody=f"n{number}", mtype="chat")
    await bob.body("message", "n4")
    answer, found = await archive(bob, with_jid="alice@localhost")
    check(found == ["one", "two"] + [f"n{number}" for number in range(5)], (found, str(answer)))
    pages = bob["xep_0313"].retrieve(with_jid="alice@localhost", iterator=True, reverse=True, rsm={"max": 2})
    async for answer in pages:
        page = [it["mam_result"]["forwarded"]["stanza"]["body"] for it in answer["mam"]["results"]]
        check(page == ["n3", "n4"], page)
        break
    done("the archive")
    other.disconnect()


async def resume(alice, bob):
    alice.transport.abort()
    bob.send_message(mto="alice@localhost", mbody="meanwhile", mtype="chat")
    await bob["xep_0199"].ping("localhost", timeout=LIMIT)
    alice.ready.clear()
    if not alice.is_connecting() if hasattr(alice, "is_connecting") else True:
        if IS_OLD:
            alice.connect(address=("127.0.0.1", PORT), disable_starttls=True, force_starttls=False)
        else:
            alice.connect("127.0.0.1", PORT)
    await alice.seen("resumed", lambda _: True, "resumption")
    await alice.body("message", "meanwhile")
    check(sum(1 for name, it in alice.stanzas if name == "message" and it["body"] == "meanwhile") == 1, "doubled")
    done("resumption")


async def rooms(alice, bob):
    alice["xep_0045"].join_muc(ROOM, "Alice")
    await alice.seen("groupchat_presence", lambda it: str(it["from"]) == f"{ROOM}/Alice" and b'201' in ET.tostring(it.xml), "creation")
    form = await alice["xep_0045"].get_room_config(ROOM)
    form["type"] = "submit"
    form.set_values({"muc#roomconfig_roomname": "Tea & cake", "muc#roomconfig_persistentroom": True})
    await alice["xep_0045"].set_room_config(ROOM, form)
    done("a room is made and set up")
    items = await bob["xep_0030"].get_items("rooms.localhost")
    check((ROOM, None, "Tea & cake") in items["disco_items"]["items"], items)
    info = await bob["xep_0030"].get_info(ROOM)
    check("urn:xmpp:mam:2" in info["disco_info"]["features"], info)
    done("the room is found")
    alice["xep_0045"].invite(ROOM, "bob@localhost", reason="come in")
    await bob.seen("groupchat_invite", lambda it: it["from"] == ROOM, "an invitation")
    alice["xep_0249"].send_invitation("bob@localhost", ROOM, reason="or so")
    await bob.seen("groupchat_direct_invite", lambda it: it["groupchat_invite"]["jid"] == ROOM and it["from"].bare == "alice@localhost", "a direct invitation")
    done("invitations")
    bob["xep_0045"].join_muc(ROOM, "Bob")
    await alice.seen("groupchat_presence", lambda it: str(it["from"]) == f"{ROOM}/Bob", "Bob")
    alice.send_message(mto=ROOM, mbody="hello room", mtype="groupchat")
    for client in (alice, bob):
        message = await client.body("groupchat_message", "hello room")
        check(str(message["from"]) == f"{ROOM}/Alice", message)
    alice["xep_0045"].set_subject(ROOM, "Scones")
    await bob.seen("groupchat_subject", lambda it: it["subject"] == "Scones", "the subject")
    _, found = await archive(bob, jid=ROOM)
    check(found == ["hello room"], found)
    done("what is said in a room, its subject and its archive")
    await bob["xep_0199"].ping(f"{ROOM}/Bob", timeout=LIMIT)
    await alice["xep_0045"].set_role(ROOM, "Bob", "none", reason="enough")
    await bob.seen("groupchat_presence", lambda it: it["type"] == "unavailable" and b'307' in ET.tostring(it.xml), "the kick")
    await alice["xep_0045"].set_affiliation(ROOM, "outcast", jid="bob@localhost")
    outcasts = await alice["xep_0045"].get_affiliation_list(ROOM, "outcast")
    check([str(it) for it in outcasts] == ["bob@localhost"], outcasts)
    try:
        await bob["xep_0199"].ping(f"{ROOM}/Bob", timeout=LIMIT)
        check(False, "still there")
    except IqError as error:
        check(error.condition == "not-acceptable", error.condition)
    done("kicked and banned")
    await alice["xep_0045"].destroy(ROOM, "over")
    items = await bob["xep_0030"].get_items("rooms.localhost")
    check(not items["disco_items"]["items"], items)
    done("the room is gone")


async def published(alice, bob):
    await alice["xep_0060"].publish("alice@localhost", "urn:example:tune", id="now", payload=ET.fromstring("<tune xmlns='urn:example:tune'>la</tune>"))
    event = await bob.seen("pubsub_publish", lambda it: it["pubsub_event"]["items"]["node"] == "urn:example:tune", "the tune")
    check(event["from"] == "alice@localhost", event)
    items = await bob["xep_0060"].get_items("alice@localhost", "urn:example:tune")
    check(len(items["pubsub"]["items"]) == 1, items)
    done("published items and who hears of them")
    form = alice["xep_0004"].make_form(ftype="submit")
    form.add_field(var="FORM_TYPE", ftype="hidden", value="http://jabber.org/protocol/pubsub#publish-options")
    for name, value in (("persist_items", "true"), ("max_items", "max"), ("access_model", "whitelist"),
                        ("send_last_published_item", "never")):
        form.add_field(var="pubsub#" + name, value=value)
    for room in ("a", "b"):
        await alice["xep_0060"].publish("alice@localhost", "urn:xmpp:bookmarks:1", id=f"{room}@rooms.localhost", options=form,
                                        payload=ET.fromstring("<conference xmlns='urn:xmpp:bookmarks:1' autojoin='true'/>"))
    items = await alice["xep_0060"].get_items("alice@localhost", "urn:xmpp:bookmarks:1")
    check(len(items["pubsub"]["items"]) == 2, items)
    try:
        await bob["xep_0060"].get_items("alice@localhost", "urn:xmpp:bookmarks:1")
        check(False, "bob reads alice's bookmarks")
    except IqError:
        pass
    await alice["xep_0060"].retract("alice@localhost", "urn:xmpp:bookmarks:1", "a@rooms.localhost", notify=True)
    items = await alice["xep_0060"].get_items("alice@localhost", "urn:xmpp:bookmarks:1")
    check(len(items["pubsub"]["items"]) == 1, items)
    done("bookmarks")


async def blocking(alice, bob):
    await alice["xep_0191"].get_blocked()
    await alice["xep_0191"].block("bob@localhost")
    await alice.seen("blocked", lambda _: True, "the push")
    blocked = await alice["xep_0191"].get_blocked()
    # What `items` is differs between versions of slixmpp.
    check([it.get("jid") for it in blocked.xml.iter("{urn:xmpp:blocking}item")] == ["bob@localhost"], blocked)
    try:
        await bob["xep_0199"].ping(alice.boundjid, timeout=LIMIT)
        check(False, "alice answers")
    except IqError as error:
        check(error.condition == "service-unavailable", error.condition)
    await alice["xep_0191"].unblock("bob@localhost")
    await bob["xep_0199"].ping(alice.boundjid, timeout=LIMIT)
    done("blocking")


async def main():
    for name in ("alice", "bob"):
        await register(name)
    alice = await Client("alice").enter()
    bob = await Client("bob", interest="urn:example:tune").enter()
    for part in PARTS:
        await part(alice, bob)


PARTS = [talk, rooms, published, blocking, resume]
try:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(asyncio.wait_for(main(), LIMIT * 6))
except Exception as error:
    print("failed:", type(error).__name__, error, flush=True)
    sys.exit(1)
print("all done", flush=True)
