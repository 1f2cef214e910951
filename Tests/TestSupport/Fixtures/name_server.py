"""A name server that knows one domain's chat servers, in their order: name_server.py ADDRESS PORT DOMAIN [tls:]HOST:PORT...

`tls:` is direct TLS (XEP-0368).
"""
import socket
import struct
import sys


def name(text):
    return b"".join(bytes([len(part)]) + part.encode() for part in text.rstrip(".").split(".")) + b"\0"


address, port, domain = sys.argv[1], int(sys.argv[2]), sys.argv[3]
known = {name("_xmpp-client._tcp." + domain): [], name("_xmpps-client._tcp." + domain): []}
for place in sys.argv[4:]:
    service = "_xmpps-client._tcp." if place.startswith("tls:") else "_xmpp-client._tcp."
    known[name(service + domain)].append(place.removeprefix("tls:").rsplit(":", 1))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind((address, port))
print("ready", flush=True)
while True:
    question, client = udp.recvfrom(4096)
    end = question.index(b"\0", 12) + 5
    asked = question[12:end]
    servers = known.get(asked[:-4].lower(), []) if asked[-4:-2] == b"\0\x21" else []
    records = b""
    for place, (host, number) in enumerate(servers, 1):
        value = struct.pack("!HHH", place, 1, int(number)) + name(host)
        records += b"\xc0\x0c" + struct.pack("!HHIH", 33, 1, 0, len(value)) + value
    count = len(servers)
    code = 0x8180 if servers else 0x8183
    udp.sendto(question[:2] + struct.pack("!HHHHH", code, 1, count, 0, 0) + asked + records, client)
