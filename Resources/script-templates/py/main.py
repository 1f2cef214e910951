"""@NAME@: counts messages, and says how many came. natter-script(7) has all methods and events."""

import natter

connection = natter.connect()


# What is stored is there after a restart, too.
def count():
    try:
        return int(connection.call("storage.get", {"key": "count"}).get("value") or 0)
    except natter.NatterError as error:
        if error.code != -32004:
            raise
        return 0


# /@NAME@ WORDS: shows a note to the user, which is not sent.
@connection.command("@NAME@")
def command(call):
    return {"note": f"{count()} messages came. You said: {' '.join(call['arguments'])}"}


# Each new message of a contact, once. The user is asked whether the script may read them.
@connection.on("message.new", ["direct"])
def message(message, event):
    if message["direction"] == "in":
        connection.call("storage.set", {"key": "count", "value": str(count() + 1)})


# If the user says no, the command still works; "natter scripts log @NAME@" shows the reason.
connection.run()
