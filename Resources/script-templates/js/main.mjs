// @NAME@: counts messages, and says how many came. natter-script(7) has all methods and events.

import { connect } from "./natter.mjs";

const natter = await connect();

// /@NAME@ WORDS: shows a note to the user, which is not sent.
natter.command("@NAME@", async ({ arguments: words }) => {
  return { note: `${await count()} messages came. You said: ${words.join(" ")}` };
});

// Each new message of a contact, once. The user is asked whether the script may read them.
try {
  await natter.on("message.new", ["direct"], async (message) => {
    if (message.direction !== "in") return;
    const value = String((await count()) + 1);
    await natter.call("storage.set", { key: "count", value });
  });
} catch (error) {
  // They said no: the command still works. "natter scripts log @NAME@" shows this line.
  console.log(error.message);
}

// What is stored is there after a restart, too.
async function count() {
  try {
    const { value } = await natter.call("storage.get", { key: "count" });
    return Number(value ?? 0);
  } catch (error) {
    if (error.code === -32004) return 0;
    throw error;
  }
}
