"""Connects a script to Natter; natter-script(7) describes the methods, events and rights.

    import natter
    connection = natter.connect()
    @connection.command("greet")
    def greet(call): return {"note": "Hello, " + call["arguments"][0]}
    connection.run()

print writes to the script's log: standard output is for Natter alone. Functions are called one
after the other, and each can use `call`; one that takes long lets Natter's next requests wait.
"""
import hashlib, json, os, sys, time, traceback


class NatterError(Exception):
    """What Natter answers instead of a result. `code` is one of natter-script(7), ERROR CODES;
    `data` has more, such as `reason` of -32001 or `retry_ms` of -32005."""
    def __init__(self, code, message, data=None):
        self.code, self.data = code, data or {}
        super().__init__(self.data.get("text", message))


class Connection:
    def __init__(self, source, target):
        self._source, self._target = source, target
        self._last_id, self._answers, self._inbox = 0, {}, []
        self._states, self._subscribing, self._subscriptions, self._commands = [], {}, {}, {}
        self._functions = {"command.run": lambda call: self._commands[call["name"]](call)}
        # What Natter says at the beginning: api, natter, locale, theme, storage, grants, limits.
        self.info = self.call("hello", {"api": 1})

    def call(self, method, params=None):
        """Calls a method, and returns its result. Raises NatterError."""
        number = self._request(method, params or {})
        while number not in self._answers:
            self._read()
        return self._result(self._answers.pop(number))

    def command(self, name):
        """Decorates the function of a command. It is given an object with `name`, `arguments`,
        `account` and `conversation`, and returns an object or nothing."""
        return lambda function: self._commands.setdefault(name, function)

    def answer(self, method):
        """Decorates the function for another request of Natter: url.open, decorate, pane.key."""
        return lambda function: self._functions.setdefault(method, function)

    def on(self, event, scope, **options):
        """Decorates the function(data, event) that is called with each event of that name.
        `scope` is a list: "all", "direct", "rooms" or addresses; `options` are further members of
        the subscription, such as `history`. How far message.new was handled is kept in the script's
        storage: the next start begins with the first message that was not. A script that is killed
        between the end of its function and that note gets the one message again."""
        digest = hashlib.sha256(json.dumps(scope).encode()).hexdigest()[:16]
        state = {"event": event, "keeps": event == "message.new", "cursors": None}
        state["key"] = f"cursor.{event}.{digest}"
        state["params"] = {**options, "events": [event], "in": scope}
        self._states.append(state)
        return lambda function: state.setdefault("function", function)

    def run(self):
        """Calls the functions until Natter ends the script. Events without the right, or without an
        account, are no error: the log says so, and the rest works."""
        for state in self._states:
            if state["keeps"]:
                state["cursors"] = self._stored(state["key"]) or self.info.get("cursors")
            self._subscribe(state)
        while True:
            while not self._inbox:
                self._read()
            self._take(self._inbox.pop(0))

    def _take(self, line):
        if "method" not in line:  # the answer to a subscription: the user may have been asked
            state = line["state"]
            if line.get("error", {}).get("code") in (-32001, -32011):
                return print(f"no {state['event']}:", line["error"]["data"].get("text"))
            state["cursors"] = {**(state["cursors"] or {}), **self._result(line).get("after", {})}
            self._keep(state)
        elif line["method"] not in ("event", "event.ended"):
            self._reply(line, self._functions.get(line["method"]))
        elif state := self._subscriptions.get(line["params"]["subscription"]):
            self._event(line["params"], state, line["params"].get("event", line["method"]))

    def _event(self, event, state, name):
        data, cursor = event.get("data"), event.get("cursor")
        if name == "event.ended":
            print(f"Natter sends no more {state['event']}:", event.get("reason", "no account"))
        elif name == "event.gap":  # what follows in this subscription comes again in the next one
            del self._subscriptions[event["subscription"]]
            self.call("events.unsubscribe", {"subscription": event["subscription"]})
            self._subscribe(state)
        elif not state["keeps"] or cursor is None:
            state["function"](data, event)
        elif cursor > state["cursors"].get(data["account"], 0):
            state["function"](data, event)
            state["cursors"][data["account"]] = cursor
            self._keep(state)

    def _subscribe(self, state):
        after = {"after": state["cursors"]} if state["keeps"] and state["cursors"] else {}
        self._subscribing[self._request("events.subscribe", {**state["params"], **after})] = state

    def _stored(self, key):
        try:
            return json.loads(self.call("storage.get", {"key": key}).get("value") or "null")
        except NatterError as error:
            if error.code != -32004:  # not found: nothing was handled yet
                raise

    def _keep(self, state):
        while state["keeps"]:
            try:
                value = json.dumps(state["cursors"])
                return self.call("storage.set", {"key": state["key"], "value": value})
            except NatterError as error:
                if error.code != -32005:
                    raise
                time.sleep(error.data.get("retry_ms", 1000) / 1000)

    def _reply(self, line, function):
        try:
            if function is None:
                raise NatterError(-32601, "unknown method " + line["method"])
            result = function(line.get("params", {}))
            answer = {"result": {} if result is None else result}
        except Exception as error:
            if not isinstance(error, NatterError):
                traceback.print_exc()
            code = error.code if isinstance(error, NatterError) else -32603
            answer = {"error": {"code": code, "message": str(error)}}
        if "id" in line:
            self._send({"id": line["id"], **answer})

    def _request(self, method, params):
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def _result(self, answer):
        if error := answer.get("error"):
            raise NatterError(error["code"], error["message"], error.get("data"))
        return answer["result"]

    def _send(self, members):
        line = json.dumps({"jsonrpc": "2.0", **members}, ensure_ascii=False).encode() + b"\n"
        if len(line) > 1024 * 1024:
            raise NatterError(-32007, "the line is longer than 1 MiB")
        self._target.write(line)
        self._target.flush()

    def _read(self):
        line = json.loads(self._source.readline() or sys.exit())
        if line.get("method") in ("ping", "bye"):
            self._reply(line, lambda _: {})
            if line["method"] == "bye":
                sys.exit()
        elif "method" in line:
            self._inbox.append(line)
        elif state := self._subscribing.pop(line["id"], None):
            if "result" in line:
                self._subscriptions[line["result"]["subscription"]] = state
            self._inbox.append({**line, "state": state})
        else:
            self._answers[line["id"]] = line


def connect():
    """Says hello to Natter, and returns the connection."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # for programs that the script starts, too
    sys.stdout = sys.stderr
    return Connection(sys.stdin.buffer, target)
