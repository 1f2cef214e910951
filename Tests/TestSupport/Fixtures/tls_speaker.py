"""Somebody in TLS who says the same to everybody and listens to nobody, for tests.

usage: tls_speaker.py PORT CHAIN KEY HEX
"""
import socket
import ssl
import sys
import threading

port, chain, key, words = int(sys.argv[1]), sys.argv[2], sys.argv[3], bytes.fromhex(sys.argv[4])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain, key)
context.set_alpn_protocols(["xmpp-client"])


def serve(connection):
    try:
        with context.wrap_socket(connection, server_side=True) as stream:
            stream.sendall(words)
            while stream.recv(4096):
                pass
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", port))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
