// Colours ticket numbers such as #1234, links them, and lists what was said about a ticket.
//
// What it shows: decorations of messages, a pane, addresses that a script opens. It has no network:
// what it reads stays here.

import { connect } from "../natter.mjs";

const natter = await connect();
const { settings } = await natter.call("settings.get");

// Natter counts in characters as people see them, where JavaScript counts in UTF-16 units.
const graphemes = new Intl.Segmenter();
const length = (text) => [...graphemes.segment(text)].length;

// Natter asks once for each message that comes to be shown.
natter.answer("decorate", ({ messages }) =>
  messages.map(({ id, body }) => ({
    id,
    spans: [...body.matchAll(/(?<![\p{L}\p{N}&#/])#(\d{1,9})(?![\p{L}\p{N}])/gu)].map((match) => ({
      start: length(body.slice(0, match.index)),
      length: length(match[0]),
      role: "good",
      link: settings.address + match[1],
    })),
  })),
);

// Fills the pane with the messages that have the number, the newest last, and has it shown. Where
// the user allows no panes, the newest message is enough.
async function show(number) {
  const { messages } = await natter.call("messages.search", { query: number, limit: 100 });
  const lines = messages
    .filter(({ body }) => body.includes(`#${number}`))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ at, nick, from, body }) => ({
      text: `${at.slice(0, 16).replace("T", " ")}  ${nick ?? from}: ${body}`,
    }));
  if (lines.length === 0) return { note: `Nothing was said about #${number}.` };
  try {
    await natter.call("ui.pane.open", { id: "ticket", title: `#${number}`, lines });
    return { pane: "ticket" };
  } catch (error) {
    console.log(error.message);
    return { note: lines.at(-1).text };
  }
}

natter.command("ticket", ({ arguments: [word = ""] }) => {
  const number = word.replace(/^#/, "");
  return /^\d+$/.test(number) ? show(number) : { note: "Which one? Enter /ticket and its number." };
});

// Enter on the link of a ticket: this script is offered beside the browser.
natter.answer("url.open", ({ url }) => {
  const number = url.slice(settings.address.length);
  const isTicket = url.startsWith(settings.address) && /^\d+$/.test(number);
  return isTicket ? show(number) : { note: `No ticket: ${url}` };
});
