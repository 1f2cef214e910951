"""Two slixmpp clients use a server: conversation.py PORT.

Registers carol and dave, signs them in by SCRAM, and lets them talk. Prints a line for each thing that worked; ends with
exit status 1 and the reason at the first one that did not.
"""

import asyncio
import inspect
import sys

import slixmpp

PORT = int(sys.argv[1])
# Only a server that does not answer meets it, however busy the machine is.
LIMIT = 60


# slixmpp before 1.9 cannot send the registration of its own plugin before the session has begun.
IS_OLD = "address" in inspect.signature(slixmpp.ClientXMPP.connect).parameters


async def register_raw(name):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write((
        "<stream:stream to='localhost' xmlns='jabber:client' version='1.0'"
        " xmlns:stream='http://etherx.jabber.org/streams'>"
        "<iq type='set' id='r'><query xmlns='jabber:iq:register'>"
        f"<username>{name}</username><password>secret of {name}</password></query></iq>"
        "</stream:stream>").encode())
    answer = b""
    while b"</stream:stream>" not in answer:
        part = await asyncio.wait_for(reader.read(4096), LIMIT)
        check(part, "closed")
        answer += part
    check(b"result" in answer, answer)
    writer.close()


class Client(slixmpp.ClientXMPP):
    def __init__(self, name, mechanism, registers=False):
        self.registers_raw = registers and IS_OLD
        registers = registers and not IS_OLD
        super().__init__(
            f"{name}@localhost/slixmpp",
            "secret of " + name,
            plugin_config={
                "feature_mechanisms": {"unencrypted_scram": True},
                "xep_0077": {"create_account": registers, "force_registration": registers},
            },
            sasl_mech=mechanism,
        )
        for plugin in ("xep_0004", "xep_0030", "xep_0054", "xep_0066", "xep_0077", "xep_0092",
                       "xep_0184", "xep_0198", "xep_0199", "xep_0202", "xep_0203", "xep_0280"):
            self.register_plugin(plugin)
        self.registered = not registers
        self.arrived = asyncio.Queue()
        self.requests = asyncio.Queue()
        self.ready = asyncio.Event()
        self.failure = None
        self.add_event_handler("register", self.register_account)
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("message", lambda message: self.arrived.put_nowait(message))
        self.add_event_handler("presence_subscribe", lambda it: self.requests.put_nowait(it))
        self.add_event_handler("failed_auth", lambda _: self.fail("sign-in refused"))
        self.auto_authorize = None
        self.auto_subscribe = False

    def fail(self, reason):
        self.failure = reason
        self.ready.set()

    async def register_account(self, _):
        iq = self.Iq()
        iq["type"] = "set"
        iq["register"]["username"] = self.boundjid.user
        iq["register"]["password"] = self.password
        await iq.send()
        self.registered = True

    async def begin(self, _):
        await self.get_roster()
        self.send_presence()
        self.ready.set()

    async def enter(self):
        if self.registers_raw:
            await register_raw(self.boundjid.user)
        if IS_OLD:
            self.connect(address=("127.0.0.1", PORT), disable_starttls=True, force_starttls=False)
        else:
            self.enable_direct_tls = False
            self.enable_starttls = False
            self.enable_plaintext = True
            self.connect("127.0.0.1", PORT)
        await asyncio.wait_for(self.ready.wait(), LIMIT)
        check(self.failure is None, self.failure)
        check(self.registered, "not registered")

    async def leave(self):
        self.disconnect()
        await asyncio.wait_for(self.disconnected, LIMIT)

    async def message(self, body):
        async def wait():
            while True:
                message = await self.arrived.get()
                if message["body"] == body:
                    return message
        return await asyncio.wait_for(wait(), LIMIT)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


async def until(condition, what):
    for _ in range(LIMIT * 50):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(what)


def done(what):
    print("ok", what, flush=True)


async def main():
    carol = Client("carol", "SCRAM-SHA-256", registers=True)
    await carol.enter()
    done("carol registers and signs in")
    dave = Client("dave", "SCRAM-SHA-1", registers=True)
    await dave.enter()
    done("dave registers and signs in")

    carol.send_message(mto="dave@localhost", mbody="hello dave", mtype="chat")
    message = await dave.message("hello dave")
    check(message["from"] == "carol@localhost/slixmpp", "wrong sender")
    message.reply("hello carol").send()
    await carol.message("hello carol")
    done("messages go both ways")

    await until(lambda: "dave@localhost" in carol.client_roster, "dave is not on carol's roster")
    check(carol.client_roster["dave@localhost"]["subscription"] == "both", "not introduced")
    await carol.del_roster_item("dave@localhost")
    await until(lambda: dave.client_roster["carol@localhost"]["subscription"] == "none",
                "the removal did not reach dave")
    done("a contact is removed")

    await carol.update_roster("dave@localhost", name="David", groups=["friends"])
    carol.send_presence_subscription("dave@localhost")
    request = await asyncio.wait_for(dave.requests.get(), LIMIT)
    check(request["from"].bare == "carol@localhost", "wrong request")
    dave.send_presence(pto="carol@localhost", ptype="subscribed")
    dave.send_presence(pto="carol@localhost", ptype="subscribe")
    await asyncio.wait_for(carol.requests.get(), LIMIT)
    carol.send_presence(pto="dave@localhost", ptype="subscribed")
    for client, other in ((carol, "dave@localhost"), (dave, "carol@localhost")):
        await until(lambda: client.client_roster[other]["subscription"] == "both", "not mutual")
        await until(lambda: "slixmpp" in client.client_roster[other].resources, "no presence")
    check(carol.client_roster["dave@localhost"]["name"] == "David", "no name")
    done("a contact is added and approved, both ways")

    await carol.plugin["xep_0199"].ping("localhost", timeout=LIMIT)
    await carol.plugin["xep_0199"].ping("dave@localhost/slixmpp", timeout=LIMIT)
    done("ping")
    version = await carol.plugin["xep_0092"].get_version("localhost")
    check(version["software_version"]["name"] == "Natter", "wrong version")
    done("version")
    await carol.plugin["xep_0202"].get_entity_time("localhost")
    done("time")
    info = await carol.plugin["xep_0030"].get_info("localhost")
    check("urn:xmpp:ping" in info["disco_info"]["features"], "no features")
    done("discovery")
    card = carol.plugin["xep_0054"].make_vcard()
    card["FN"] = "Carol"
    await carol.plugin["xep_0054"].publish_vcard(card)
    seen = await dave.plugin["xep_0054"].get_vcard("carol@localhost")
    check(seen["vcard_temp"]["FN"] == "Carol", "wrong card")
    done("cards")
    try:
        await carol.plugin["xep_0030"].get_info("nobody@localhost")
        raise AssertionError("nobody answered")
    except slixmpp.exceptions.IqError as error:
        check(error.condition == "service-unavailable", error.condition)
    done("nobody is not there")

    await dave.leave()
    await until(lambda: not carol.client_roster["dave@localhost"].resources, "dave still there")
    carol.send_message(mto="dave@localhost", mbody="while you were away", mtype="chat")
    await carol.plugin["xep_0199"].ping("localhost", timeout=LIMIT)
    dave = Client("dave", "SCRAM-SHA-256")
    await dave.enter()
    message = await dave.message("while you were away")
    check(message["delay"]["stamp"] is not None, "no delay stamp")
    done("offline messages")

    carol.send_message(mto="natter@localhost", mbody="keys", mtype="chat")

    async def answer():
        while True:
            message = await carol.arrived.get()
            if message["from"].bare == "natter@localhost" and "Ctrl+N" in message["body"]:
                return
    await asyncio.wait_for(answer(), LIMIT)
    done("the guide answers")

    await carol.plugin["xep_0077"].change_password("another secret")
    await carol.leave()
    carol = Client("carol", "SCRAM-SHA-256")
    carol.password = "another secret"
    await carol.enter()
    done("a changed password")
    await carol.plugin["xep_0077"].cancel_registration()
    await until(lambda: "carol@localhost" not in dave.client_roster
                or dave.client_roster["carol@localhost"]["subscription"] in ("none", "remove"),
                "carol still on the roster")
    done("a removed account")
    await dave.leave()


try:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(asyncio.wait_for(main(), LIMIT * 5))
except Exception as error:
    print("failed:", type(error).__name__, error, flush=True)
    sys.exit(1)
print("all done", flush=True)
