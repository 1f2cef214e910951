// Connects a script to Natter: JSON-RPC 2.0, one object a line, over standard input and output.
// natter-script(7) describes the methods, events and rights. Node 18 or newer, no packages.
//
//     import { connect } from "./natter.mjs";
//     const natter = await connect();
//     natter.command("greet", ({ arguments: [nick] }) => ({ note: `Hello, ${nick}!` }));
//     await natter.on("message.new", ["rooms"], (message) => console.log(message.body));
//
// console.log writes to the script's log: standard output is for Natter alone.

import { createHash } from "node:crypto";

// What Natter answers instead of a result. `code` is one of natter-script(7), ERROR CODES; `data`
// has more, such as `reason` of -32001 or `retry_ms` of -32005.
export class NatterError extends Error {
  constructor({ code, message, data }) {
    super(data?.text ?? message);
    [this.name, this.code, this.data] = ["NatterError", code, data ?? {}];
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Natter {
  info = {}; // of hello: api, natter, locale, theme, storage, grants, limits
  #write;
  #lastID = 0;
  #calls = new Map(); // id of a request: how its promise ends
  #subscriptions = new Map(); // name: what `on` was called with, and how far it is
  #handlers = new Map(); // method of a request of Natter, or `command.run NAME`: its function

  constructor(write) {
    this.#write = write;
    this.answer("ping", () => ({}));
    this.answer("bye", () => void setImmediate(() => process.exit(0)));
  }

  // Calls a method, and returns its result. Throws a NatterError.
  call(method, params = {}) {
    return this.#request(method, params);
  }

  // Calls `handler(message, event)` for each event of that name, one after the other. `scope` is a
  // list: "all", "direct", "rooms" or addresses. `options` are further members of the subscription,
  // such as `history`.
  //
  // How far `message.new` was handled is kept in the script's storage: the next start begins with
  // the first message that was not. A script that is killed between the end of its handler and
  // that note gets the one message again.
  async on(event, scope, handler, options = {}) {
    const digest = createHash("sha256").update(JSON.stringify(scope)).digest("hex").slice(0, 16);
    const state = { event, handler, key: `cursor.${event}.${digest}`, turn: Promise.resolve() };
    state.keeps = event === "message.new";
    state.params = { ...options, events: [event], in: scope };
    if (state.keeps) state.cursors = (await this.#storedCursors(state.key)) ?? this.info.cursors;
    await this.#subscribe(state);
    return state.subscription;
  }

  // Answers a command of the manifest: `handler({ name, arguments, account, conversation })`
  // returns { note }, { insert }, { pane } or nothing.
  command(name, handler) {
    this.answer(`command.run ${name}`, handler);
  }

  // Answers another request of Natter: "url.open", "decorate", "pane.key".
  answer(method, handler) {
    this.#handler(method).resolve(handler);
  }

  // Natter asks as soon as the script has said hello: its first lines may not be through by then.
  #handler(method) {
    if (!this.#handlers.has(method)) {
      let resolve;
      const found = new Promise((taken) => (resolve = taken));
      this.#handlers.set(method, { found, resolve });
    }
    return this.#handlers.get(method);
  }

  async #storedCursors(key) {
    try {
      const { value } = await this.call("storage.get", { key });
      return value == null ? undefined : JSON.parse(value);
    } catch (error) {
      if (error.code !== -32004) throw error; // not found: nothing was handled yet
    }
  }

  async #keepCursors({ key, cursors }) {
    for (;;) {
      try {
        return await this.call("storage.set", { key, value: JSON.stringify(cursors) });
      } catch (error) {
        if (error.code !== -32005) throw error;
        await pause(error.data.retry_ms ?? 1000);
      }
    }
  }

  async #subscribe(state) {
    const after = state.keeps && state.cursors ? { after: state.cursors } : {};
    const result = await this.#request("events.subscribe", { ...state.params, ...after }, state);
    // Natter lowers what is higher than the newest message: the account's file was replaced.
    state.cursors = { ...state.cursors, ...result.after };
    if (state.keeps) await this.#keepCursors(state);
  }

  async #handle({ data, cursor, ...event }, state) {
    // After a gap, the rest of the old subscription comes again in the new one.
    if (event.subscription !== state.subscription) return;
    if (event.event === "event.gap") {
      this.#subscriptions.delete(event.subscription);
      await this.call("events.unsubscribe", { subscription: event.subscription });
      return await this.#subscribe(state);
    }
    if (!state.keeps || !cursor) return await state.handler(data, { data, ...event });
    if (cursor <= (state.cursors[data.account] ?? 0)) return;
    await state.handler(data, { data, cursor, ...event });
    state.cursors[data.account] = cursor;
    await this.#keepCursors(state);
  }

  #request(method, params, state) {
    return new Promise((resolve, reject) => {
      this.#send({ id: ++this.#lastID, method, params });
      this.#calls.set(this.#lastID, { resolve, reject, state });
    });
  }

  #send(object) {
    const line = JSON.stringify({ jsonrpc: "2.0", ...object });
    if (Buffer.byteLength(line) > 1024 * 1024) {
      throw new NatterError({ code: -32007, message: "the line is longer than 1 MiB" });
    }
    this.#write(line + "\n");
  }

  // Takes a line of Natter.
  receive(line) {
    const { id, method, params = {}, result, error } = JSON.parse(line);
    const state = this.#subscriptions.get(params.subscription);
    if (method === undefined) {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (call?.state && result) {
        // Its first events may be in the next line.
        call.state.subscription = result.subscription;
        this.#subscriptions.set(result.subscription, call.state);
      }
      if (error) call?.reject(new NatterError(error));
      else call?.resolve(result);
    } else if (method === "event.ended" || params.event === "event.ended") {
      this.#subscriptions.delete(params.subscription);
      console.error(`Natter sends no more ${state?.event}: ${params.reason ?? "no account"}`);
    } else if (method !== "event") {
      this.#reply(id, method, params);
    } else if (state) {
      state.turn = state.turn.then(() => this.#handle(params, state)).catch(fail);
    }
  }

  async #reply(id, method, params) {
    let answer;
    try {
      const name = method === "command.run" ? `${method} ${params.name}` : method;
      const handler = await Promise.race([this.#handler(name).found, pause(5000)]);
      if (!handler) throw new NatterError({ code: -32601, message: `no function for ${name}` });
      answer = { result: (await handler(params)) ?? {} };
    } catch (error) {
      const isAnswer = error instanceof NatterError;
      if (!isAnswer) console.error(error);
      answer = { error: { code: isAnswer ? error.code : -32603, message: String(error.message) } };
    }
    if (id !== undefined) this.#send({ id, ...answer });
  }
}

// An error in a handler of events ends the script: its message does not count as handled.
function fail(error) {
  console.error(error);
  process.exit(1);
}

// Says hello to Natter, and returns the connection. The script ends with its standard input.
export async function connect() {
  const natter = new Natter(process.stdout.write.bind(process.stdout));
  process.stdout.write = process.stderr.write.bind(process.stderr);
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) natter.receive(line);
  });
  process.stdin.on("end", () => process.exit(0));
  natter.info = await natter.call("hello", { api: 1 });
  return natter;
}
