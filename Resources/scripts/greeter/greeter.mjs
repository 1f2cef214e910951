// Says hello to each person who comes into a room, once.
//
// What it shows: an event, a request, a command, a setting, and a value that is stored.

import { connect } from "../natter.mjs";

const natter = await connect();
const { settings } = await natter.call("settings.get");
const greeting = (nick) => settings.text.replaceAll("{nick}", nick);

// /greet NICK: the text is put into the input. The user sends it, or does not.
natter.command("greet", ({ arguments: words }) => {
  const nick = words.join(" ");
  return nick ? { insert: greeting(nick) } : { note: "Whom? Enter /greet and a name." };
});

// The names that were seen in a room, as they are kept from one start to the next.
async function seen(room) {
  const { value } = await natter.call("storage.get", { key: `seen.${room}` }).catch(() => ({}));
  return new Set(value ? JSON.parse(value) : []);
}

// The newest 5,000 names are enough, and fit.
async function note(room, nicks) {
  await natter.call("storage.set", {
    key: `seen.${room}`, value: JSON.stringify([...nicks].slice(-5000)),
  });
}

// The people who are there when the script starts are not greeted.
async function lookAround() {
  const { rooms = [] } = await natter.call("rooms.list");
  for (const { account, conversation } of rooms.filter((room) => room.state === "joined")) {
    const { occupants = [] } = await natter.call("rooms.members", { account, conversation });
    const known = await seen(conversation);
    // A set has each name once, as it came first.
    await note(conversation, new Set([...known, ...occupants.map(({ nick }) => nick)]));
  }
}

async function comesIn(change) {
  const { account, conversation } = change;
  const known = await seen(conversation);
  const nicks = (change.changed ?? []).map((occupant) => occupant.nick);
  const news = nicks.filter((nick) => !known.has(nick));
  if (news.length === 0) return;

  // The people who are there already are not greeted: while Natter enters, the room lists them. Many
  // names at once are such a list, too. A name that goes in the same moment as another one comes has
  // been changed.
  const isList =
    change.entering || change.reset || news.length > 3 || (change.removed ?? []).length > 0;
  for (const nick of isList ? [] : news) {
    try {
      // Natter takes requests with the same request_id for one: nobody is greeted twice, even if
      // this script is killed before it has stored the name.
      await natter.call("messages.send", {
        account, conversation, body: greeting(nick), request_id: `greet ${nick}`,
      });
    } catch (error) {
      // The right may be missing, or the room may let nobody speak now. Later it would be too late.
      console.log(`${conversation}: ${error.message}`);
    }
  }
  await note(conversation, [...known, ...news]);
}

try {
  let looked;
  await natter.on("room.member", ["rooms"], async (change) => {
    await (looked ??= lookAround());
    await comesIn(change);
  });
  await (looked ??= lookAround());
} catch (error) {
  // Without the right to see rooms, /greet still works.
  console.log(error.message);
}
