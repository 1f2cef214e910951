"""A web server in TLS, for tests: HTTP/1.1, and as much of HTTP/2 (RFC 9113) as an answer takes.

usage: tls_web.py PORT CHAIN KEY PROTOCOLS, the latter with commas between them, and a fault

Every answer says which protocol it came by, on which connection and stream, and how many bytes the request had.
"""
import socket
import ssl
import struct
import sys
import threading

port, chain, key, protocols = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4].split(",")
# What goes wrong, if anything does: "reset" or "rules".
fault = next((protocols.pop(i) for i, name in enumerate(protocols) if name in ("reset", "rules")), "")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain, key)
context.set_alpn_protocols(protocols)

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
INTERNAL_ERROR = 2
END_STREAM, ACK, END_HEADERS = 1, 1, 4


def exactly(stream, count):
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def http2(stream, number):
    exactly(stream, 24)
    stream.sendall(frame(SETTINGS, 0, 0))
    counts = {}
    while True:
        head = exactly(stream, 9)
        kind, flags, id = head[3], head[4], struct.unpack(">I", head[5:])[0] & 0x7FFFFFFF
        payload = exactly(stream, int.from_bytes(head[:3], "big"))
        if kind in (SETTINGS, PING) and not flags & ACK:
            stream.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
        elif kind == GOAWAY:
            return
        elif kind in (HEADERS, DATA):
            if kind == DATA and payload:
                counts[id] = counts.get(id, 0) + len(payload)
                more = struct.pack(">I", len(payload))
                stream.sendall(frame(WINDOW_UPDATE, 0, 0, more) + frame(WINDOW_UPDATE, 0, id, more))
            if fault == "reset":
                stream.sendall(frame(RST_STREAM, 0, id, struct.pack(">I", INTERNAL_ERROR)))
            elif fault == "rules":
                # Data belong to a stream (RFC 9113 §6.1).
                stream.sendall(frame(DATA, 0, 0, b"x"))
            elif flags & END_STREAM:
                body = b"HTTP/2 connection %d stream %d bytes %d" % (number, id, counts.get(id, 0))
                # 0x88 is `:status 200` (RFC 7541, appendix A).
                stream.sendall(frame(HEADERS, END_HEADERS, id, b"\x88") + frame(DATA, END_STREAM, id, body))


def http1(stream, number):
    unread = b""
    while True:
        while b"\r\n\r\n" not in unread:
            more = stream.recv(65536)
            if not more:
                return
            unread += more
        head, unread = unread.split(b"\r\n\r\n", 1)
        count = 0
        for line in head.split(b"\r\n")[1:]:
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                count = int(value)
        while len(unread) < count:
            unread += stream.recv(65536)
        unread = unread[count:]
        body = b"HTTP/1.1 connection %d bytes %d" % (number, count)
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        stream.sendall(answer if head.startswith(b"HEAD ") else answer + body)


def serve(connection, number):
    try:
        with context.wrap_socket(connection, server_side=True) as stream:
            (http2 if stream.selected_alpn_protocol() == "h2" else http1)(stream, number)
    except (EOFError, OSError):
        pass


listener = socket.create_server(("127.0.0.1", port), backlog=64)
number = 0
while True:
    connection, _ = listener.accept()
    number += 1
    threading.Thread(target=serve, args=(connection, number), daemon=True).start()
