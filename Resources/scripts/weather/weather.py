"""Shows the weather of a place: /weather PLACE.

What it shows: a command that asks a service of the web. The right `network` opens the whole network
to this script; it has no right to read messages, so that it cannot pass on what you write.
"""

import os
import sys
import urllib.parse
import urllib.request

# The client is beside the folders of the scripts that come with Natter. A script of your own has a
# copy in its folder, and needs no such line.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import natter

connection = natter.connect()


@connection.command("weather")
def weather(call):
    settings = connection.call("settings.get")["settings"]
    place = " ".join(call["arguments"]) or settings["place"]
    address = f"{settings['service']}/{urllib.parse.quote(place)}?format=3"
    # The service sends plain text to programs that are called curl.
    request = urllib.request.Request(address, headers={"User-Agent": "curl"})
    try:
        # Natter waits for 10 seconds.
        with urllib.request.urlopen(request, timeout=8) as answer:
            text = answer.read(1000).decode("utf-8", "replace").strip()
    except OSError as error:
        print(f"{address}: {error}")
        return {"note": f"No weather for {place}: {error}"}
    return {"note": text}


connection.run()
