/// The programs of the scripts that `natter-bench scripts` measures.
enum ScriptPrograms {
  /// Asks Natter in Python: `ask` waits for an answer, `line` for the next line. Takes orders in
  /// the file `order`, and reports in the file `report`.
  private static let python = #"""
    import json, os, select, sys, time

    pending = b""

    def line(limit=None):
        global pending
        while b"\n" not in pending:
            if not select.select([0], [], [], limit)[0]:
                return None
            piece = os.read(0, 65536)
            if not piece:
                sys.exit()
            pending += piece
        first, pending = pending.split(b"\n", 1)
        return json.loads(first)

    def say(**members):
        os.write(1, (json.dumps({"jsonrpc": "2.0", **members}) + "\n").encode())

    def take(line):
        if line.get("method") == "ping":
            say(id=line["id"], result={})
        elif line.get("method") == "bye":
            sys.exit()

    def ask(id, method, params):
        say(id=id, method=method, params=params)
        while (answer := line()).get("id") != id:
            take(answer)
        if "error" in answer:
            report(["error", json.dumps(answer)])
            sys.exit(1)

    def order():
        while not os.path.exists("order"):
            if (next := line(0.02)) is not None:
                take(next)
        with open("order") as file:
            words = file.read().split()
        os.remove("order")
        return words

    def report(lines):
        with open("report.new", "w") as file:
            file.write("\n".join(map(str, lines)))
        os.rename("report.new", "report")

    ask("hello", "hello", {"api": 1})

    """#

  /// Calls `version` as often as it is ordered to, and reports how long each call took, in
  /// nanoseconds. The pause keeps it below the rate that scripts have. What gives each line back,
  /// as `cat` does, answers it, too.
  static let versionPython =
    python + #"""
      calls = 0
      report(["ready"])
      while True:
          times = []
          for _ in range(int(order()[0])):
              calls += 1
              time.sleep(0.012)
              begin = time.perf_counter_ns()
              ask(calls, "version", {})
              times.append(time.perf_counter_ns() - begin)
          report(times)

      """#

  /// The same for node.
  static let versionNode = #"""
    import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

    let pending = "";
    const waiting = new Map();
    const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
    const say = (members) =>
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...members }) + "\n");

    function report(lines) {
      writeFileSync("report.new", lines.join("\n"));
      renameSync("report.new", "report");
    }

    function take(line) {
      const answer = waiting.get(line.id);
      if (answer) {
        waiting.delete(line.id);
        answer(line);
      } else if (line.method === "ping") {
        say({ id: line.id, result: {} });
      } else if (line.method === "bye") {
        process.exit();
      }
    }

    async function ask(id, method, params) {
      const answer = await new Promise((resolve) => {
        waiting.set(id, resolve);
        say({ id, method, params });
      });
      if ("error" in answer) {
        report(["error", JSON.stringify(answer)]);
        process.exit(1);
      }
    }

    process.stdin.setEncoding("utf8");
    process.stdin.on("end", () => process.exit());
    process.stdin.on("data", (piece) => {
      const lines = (pending + piece).split("\n");
      pending = lines.pop();
      for (const line of lines) take(JSON.parse(line));
    });

    await ask("hello", "hello", { api: 1 });
    let calls = 0;
    report(["ready"]);
    while (true) {
      while (!existsSync("order")) await pause(20);
      const count = Number(readFileSync("order", "utf8"));
      rmSync("order");
      const times = [];
      for (let number = 0; number < count; number++) {
        await pause(12);
        const begin = process.hrtime.bigint();
        await ask(++calls, "version", {});
        times.push(process.hrtime.bigint() - begin);
      }
      report(times);
    }

    """#

  /// Floods Natter from one order to the next: with more requests than are answered, more lines
  /// of its log in a second than are kept, and more texts for the status line than are shown, but
  /// with so few refused requests that it is not stopped.
  static let flood =
    python + #"""
      requests = 0
      complaints = b"a complaint of a script that never ends\n" * 100
      report(["ready"])
      while True:
          order()
          report(["begun"])
          while not os.path.exists("order"):
              requests += 3
              say(id=requests, method="conversations.list", params={})
              say(id=requests + 1, method="log", params={"level": "info", "text": "flood"})
              say(id=requests + 2, method="toast", params={"text": "flood"})
              os.write(2, complaints)
              while (next := line(0)) is not None:
                  take(next)
              time.sleep(0.02)
          order()
          report(["over"])

      """#

  /// Notes when each message has come on its standard input, in the file `heard`.
  static let listen =
    python + #"""
      heard = os.open("heard", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
      ask("all", "events.subscribe", {"events": ["message.new"], "in": ["direct"]})
      report(["ready"])
      while True:
          next = line()
          now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
          if next.get("method") == "event":
              os.write(heard, f"{next['params']['data'].get('body')} {now}\n".encode())
          else:
              take(next)

      """#

  /// Never runs: it is started at its command, or when something happens that never does here.
  static let asleep = python + "report([\"error\", \"it was started\"])\n"
}
